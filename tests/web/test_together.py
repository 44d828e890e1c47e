"""Two people and a spectator, each in a browser of their own, on one server."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, WebSocket, WebSocketRoute, expect

from harness.browser import open_table
from harness.servers.processes import ServerProcess
from tests.web import playing
from tests.web.conftest import PATIENCE_MS, serving
from tests.web.playing import act, agree, headline, heard, in_hand, points
from tests.web.test_access import check_rules, check_width

Arrive = Callable[..., Page]


@pytest.fixture
def arrive(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[Arrive]:
    """Somebody with a browser of their own, where nothing may go wrong unnoticed."""
    contexts = []
    wrong: list[str] = []

    def somebody(path: str = "/", **options: Any) -> Page:
        context = browser.new_context(**{**browser_context_args, **options})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(path)
        return page

    yield somebody
    for context in contexts:
        context.close()
    assert not wrong


def sit(page: Page, name: str) -> None:
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Sit down and play").click()


@pytest.fixture
def pair(arrive: Arrive) -> Callable[..., tuple[Page, Page]]:
    """Ann, who makes the first code, and Bob."""

    def seated(**settings: Any) -> tuple[Page, Page]:
        ann = arrive()
        path = open_table(ann, **settings)
        ann.goto(path)
        bob = arrive(path)
        sit(bob, "Bob")
        in_hand(ann, "secret")
        expect(headline(bob)).to_have_text("Ann is choosing the secret code")
        return ann, bob

    return seated


def test_a_friend_comes_by_link_and_the_whole_series_is_played(arrive: Arrive) -> None:
    ann = arrive()
    ann.get_by_role("button", name="Against a friend").click()
    link = ann.get_by_label("Link").input_value()
    bob = arrive(link)
    sit(bob, "Bob")
    in_hand(ann, "secret")
    playing.by_mouse(ann, (1, 2, 3, 4))
    expect(headline(ann)).to_have_text("Bob is breaking your code")
    expect(ann.locator(".shield")).to_have_attribute(
        "aria-label", "Your secret: red, blue, yellow, green"
    )
    first = playing.break_code(bob, playing.by_mouse)
    expect(headline(ann)).to_contain_text("Bob broke your code")
    act(bob, "next-game")
    in_hand(bob, "secret")
    playing.by_keyboard(bob, (6, 6, 6, 5))
    second = playing.break_code(ann, playing.by_keyboard)
    for page in (ann, bob):
        expect(page.locator("[data-action='rematch']")).to_be_visible()
        assert points(page) == [str(first), str(second)]
    act(bob, "rematch")
    expect(ann.get_by_role("status")).to_contain_text("Bob offers a rematch.")
    expect(ann.locator(".outcome .offer")).to_have_text("Bob offers a rematch.")
    expect(bob.locator(".outcome .offer")).to_have_text("You offer Player one a rematch.")
    act(ann, "rematch")
    in_hand(bob, "secret")
    expect(headline(ann)).to_have_text("Bob is choosing the secret code")
    assert ann.locator("#status.shown").count() == 0, "an offer is not shown after it is accepted"


def test_a_guest_sees_who_invites_to_what_and_needs_no_name(arrive: Arrive) -> None:
    ann = arrive()
    ann.get_by_label("Your name").fill("Ann")
    ann.locator("[value='advanced']").check()
    ann.get_by_text("More settings").click()
    ann.get_by_label("Time for a turn").select_option("180")
    ann.get_by_role("button", name="Against a friend").click()
    link = ann.get_by_label("Link").input_value()
    guest = arrive(link)
    expect(headline(guest)).to_have_text("Ann invites you to a game")
    card = guest.locator(".joining")
    expect(card).to_contain_text("You guess first: Ann hides the code.")
    expect(card).to_contain_text("Advanced: 5 holes, 8 colours, 12 rows")
    expect(card).to_contain_text("3 minutes for each turn")
    expect(card.get_by_text("Red: right colour, right hole.")).to_be_hidden()
    guest.locator(".joining summary").click()
    expect(card.get_by_text("Red: right colour, right hole.")).to_be_visible()
    check_rules(guest)
    check_width(guest)
    sit(guest, "a\u200db")
    expect(guest.get_by_role("alert")).to_contain_text("is not a valid name")
    sit(guest, "")
    expect(headline(ann)).to_contain_text("secret code")
    expect(ann.locator(".track .name").last).to_have_text("Player two")
    expect(guest.locator(".track .name").last).to_have_text("You")
    guest.goto("/")
    expect(guest.get_by_label("Your name")).to_have_value("")


def test_a_device_that_can_share_is_asked_to_and_another_is_not(arrive: Arrive) -> None:
    """The device's own dialog cannot be driven from here; what it is asked to share can be read."""
    plain = arrive()
    plain.add_init_script("delete Navigator.prototype.share")
    plain.goto(open_table(plain))
    expect(plain.get_by_role("button", name="Copy link")).to_be_visible()
    expect(plain.get_by_role("button", name="Share…")).to_have_count(0)
    phone = arrive()
    phone.add_init_script(
        "Navigator.prototype.share = async function (what) { window.shared = what; }"
    )
    phone.goto(open_table(phone))
    phone.get_by_role("button", name="Share…").click()
    shared = phone.evaluate("window.shared")
    assert shared["url"] == phone.url


def test_the_link_and_the_result_are_copied_without_a_spoiler(
    arrive: Arrive, pair: Callable[..., tuple[Page, Page]]
) -> None:
    host = arrive(permissions=["clipboard-read", "clipboard-write"])
    host.goto(open_table(host))
    host.get_by_role("button", name="Copy link").click()
    expect(host.get_by_role("button", name="Copied")).to_be_visible()
    assert host.evaluate("navigator.clipboard.readText()") == host.url
    ann, bob = pair()
    playing.by_mouse(ann, (1, 2, 3, 4))
    for number, row in enumerate(((1, 1, 5, 2), (1, 2, 3, 4)), 1):
        in_hand(bob, "guess")
        playing.by_mouse(bob, row)
        expect(bob.locator(".row.played .key.dark")).to_have_count((1, 5)[number - 1])
    bob.context.grant_permissions(["clipboard-read", "clipboard-write"])
    bob.get_by_role("button", name="Copy the result to share").click()
    expect(bob.get_by_role("button", name="Copied, without spoilers")).to_be_visible()
    assert bob.evaluate("navigator.clipboard.readText()") == (
        "keypeg 2/10 (4 holes, 6 colours, 10 rows)\n⚫⚪▫️▫️\n⚫⚫⚫⚫"
    )


def test_a_spectator_sees_everything_but_the_secret(
    arrive: Arrive, pair: Callable[..., tuple[Page, Page]]
) -> None:
    ann, bob = pair()
    frames: list[str] = []
    watcher = arrive()
    watcher.on("websocket", lambda line: _listen(line, frames))
    watcher.goto(ann.url)
    playing.by_mouse(ann, (6, 5, 6, 5))
    in_hand(bob, "guess")
    playing.by_mouse(bob, (1, 1, 2, 2))
    expect(watcher.get_by_role("log")).to_contain_text("Row 1: red, red, blue, blue. 0 black")
    expect(watcher.locator(".shield")).to_have_attribute("data-state", "closed")
    expect(watcher.locator(".hand")).to_be_hidden()
    expect(watcher.locator("[data-action]")).to_have_count(0)
    for width in (320, 1280):
        watcher.set_viewport_size({"width": width, "height": 640})
        expect(watcher.get_by_text("You are watching", exact=True)).to_be_visible()
    check_rules(watcher)
    assert "[6,5,6,5]" not in "".join(frames)
    assert all("nonce" not in _secrets(frame) for frame in frames)
    playing.by_mouse(bob, (6, 5, 6, 5))
    expect(watcher.locator(".shield")).to_have_attribute("data-state", "open")
    expect(watcher.locator(".headline")).to_have_text("Bob broke the code in 2 rows")


def _listen(line: WebSocket, frames: list[str]) -> None:
    line.on("framereceived", lambda text: frames.extend([str(text)]))


def _secrets(frame: str) -> dict[str, Any]:
    told = json.loads(frame)
    events = told.get("entry", {}).get("events", [])
    return next((event for event in events if event["type"] == "secret-set"), {})


def test_a_wrong_answer_by_hand_is_challenged_and_replayed_for_3_points(
    pair: Callable[..., tuple[Page, Page]],
) -> None:
    ann, bob = pair(key_pegs="by-hand")
    playing.by_mouse(ann, (1, 2, 3, 4))
    in_hand(bob, "guess")
    playing.by_mouse(bob, (1, 2, 5, 6))
    in_hand(ann, "answer")
    place = ann.get_by_role("button", name="Place key pegs")
    expect(ann.locator("#answer-reason")).to_have_text("Choose the key pegs, or None")
    expect(place).to_have_attribute("aria-disabled", "true")
    place.click(force=True)
    ann.get_by_role("button", name="None").click()
    expect(ann.locator("#answer-reason")).to_have_text("0 black, 0 white")
    expect(place).not_to_have_attribute("aria-disabled", "true")
    ann.get_by_role("button", name="one black more").click(click_count=3)
    expect(ann.locator(".row[data-row='1'] .key.dark")).to_have_count(3)
    expect(bob.locator(".row[data-row='1'] .key.dark")).to_have_count(0)
    ann.get_by_role("button", name="one white more").click()
    expect(ann.locator("#answer-reason")).to_contain_text("3 black and 1 white cannot occur")
    ann.get_by_label("black then white key pegs, typed").fill("02")
    place.click()
    in_hand(bob, "guess")
    playing.by_mouse(bob, (5, 5, 5, 5))
    in_hand(ann, "answer")
    ann.get_by_label("black then white key pegs, typed").fill("0b0w")
    ann.keyboard.press("Enter")
    in_hand(bob, "guess")
    act(bob, "challenge")
    agree(bob)
    words = "Wrong information: 3 points to you, and the game is replayed"
    expect(headline(bob)).to_have_text(words)
    expect(bob.locator(".outcome")).to_contain_text(
        "Row 1: 0 black, 2 white was given; 2 black, 0 white is right."
    )
    expect(bob.locator(".row.marked")).to_have_count(1)
    expect(bob.locator(".row.marked")).to_have_attribute("data-row", "1")
    check_rules(bob)
    assert points(ann) == ["0", "3"]
    expect(ann.locator("[data-action='next-game']")).to_have_text("Replay this game")
    act(ann, "next-game")
    in_hand(ann, "secret")
    expect(ann.locator(".games")).to_have_text("Game 1 of 2, replayed")
    act(bob, "resign")
    agree(bob)
    act(ann, "next-game")
    in_hand(bob, "secret")
    expect(ann.locator(".games")).to_have_text("Game 2 of 2")


def test_after_the_last_row_by_hand_both_know_what_is_awaited_and_hear_the_result(
    pair: Callable[..., tuple[Page, Page]],
) -> None:
    ann, bob = pair(key_pegs="by-hand", board="4x6/1")
    for maker, breaker in ((ann, bob), (bob, ann)):
        in_hand(maker, "secret")
        playing.by_keyboard(maker, (1, 2, 3, 4))
        in_hand(breaker, "guess")
        playing.by_mouse(breaker, (5, 5, 5, 5))
        in_hand(maker, "answer")
        expect(maker.locator(".row.played .words")).to_have_text("not answered yet")
        playing.command(maker, "answer 00")
        name = "Bob" if breaker is bob else "Ann"
        waits = f"{name} can now challenge an answer, or go on."
        expect(maker.locator(".outcome")).to_contain_text(waits)
        expect(maker.locator("[data-action='next-game']")).to_have_count(0)
        expect(breaker.locator(".outcome")).to_contain_text("Challenge it now, or go on.")
        button = breaker.locator("[data-action='next-game']")
        label = "Next: you hide the code" if breaker is bob else "See the result"
        expect(button).to_have_text(label)
        said = heard(maker)
        button.click()
    expect(headline(bob)).to_have_text("A tie: 2 points each")
    assert said() == ["A tie: 2 points each."]


def test_answers_that_contradict_each_other_are_proof_before_the_challenge(
    pair: Callable[..., tuple[Page, Page]],
) -> None:
    ann, bob = pair(key_pegs="by-hand")
    playing.by_mouse(ann, (1, 2, 3, 4))
    for guess, answer in (((1, 1, 2, 2), "00"), ((5, 5, 6, 6), "00"), ((3, 3, 4, 4), "00")):
        in_hand(bob, "guess")
        playing.by_keyboard(bob, guess)
        in_hand(ann, "answer")
        playing.command(ann, f"answer {answer}")
    in_hand(bob, "guess")
    act(bob, "challenge")
    expect(bob.get_by_role("dialog")).to_contain_text("Rows 1, 2 and 3 cannot all be right")
    agree(bob)
    expect(headline(bob)).to_contain_text("Wrong information")


def test_a_challenge_without_reason_is_rejected_and_the_game_goes_on(
    pair: Callable[..., tuple[Page, Page]],
) -> None:
    ann, bob = pair(key_pegs="by-hand")
    playing.by_mouse(ann, (1, 2, 3, 4))
    in_hand(bob, "guess")
    playing.by_mouse(bob, (1, 2, 5, 6))
    in_hand(ann, "answer")
    playing.command(ann, "answer 20")
    in_hand(bob, "guess")
    act(bob, "challenge")
    agree(bob)
    expect(bob.get_by_role("status")).to_contain_text("The challenge is rejected")
    expect(bob.get_by_role("status")).to_have_class("shown")
    in_hand(bob, "guess")


def test_a_checked_answer_that_is_wrong_is_refused_with_the_reason(
    pair: Callable[..., tuple[Page, Page]],
) -> None:
    ann, bob = pair(key_pegs="checked")
    playing.by_mouse(ann, (1, 2, 3, 4))
    in_hand(bob, "guess")
    playing.by_mouse(bob, (1, 2, 5, 6))
    in_hand(ann, "answer")
    playing.command(ann, "answer 10")
    expect(ann.get_by_role("status")).to_contain_text("gets 2 black, 0 white")
    in_hand(ann, "answer")


def test_time_runs_out_for_the_maker_and_for_the_breaker(arrive: Arrive) -> None:
    """Nothing is waited for here that is there for a moment only."""
    ann = arrive()
    path = open_table(ann, turn_seconds=2, board="4x6/99")
    ann.goto(path)
    bob = arrive(path)
    sit(bob, "Bob")
    expect(ann.locator(".clock")).to_be_visible()
    in_hand(bob, "guess")  # the referee drew a secret
    expect(bob.locator(".row.expired").first).to_be_visible()
    expect(bob.get_by_role("log")).to_contain_text("Row 1: time ran out, no pegs.")
    expect(bob.locator(".clock")).to_have_text(re.compile("0:0[012]"))
    act(ann, "offer-time")
    expect(bob.locator(".clock")).to_have_text(re.compile("1:0.|0:[1-5]."))


def test_a_player_who_leaves_is_seen_to_be_away_and_comes_back(
    pair: Callable[..., tuple[Page, Page]],
) -> None:
    ann, bob = pair()
    playing.by_mouse(ann, (1, 2, 3, 4))
    in_hand(bob, "guess")
    bob.keyboard.press("1")
    address = bob.url
    said = heard(ann)
    bob.goto("about:blank")
    expect(ann.locator(".banner")).to_contain_text("Bob is away. You can claim the series in 0:")
    expect(ann.locator("[data-action='claim']")).to_have_count(0)
    check_rules(ann)
    bob.goto(address)
    in_hand(bob, "guess")
    expect(ann.locator(".banner")).to_be_hidden()
    assert said() == ["Bob is away.", "Bob is back."]
    expect(bob.locator(".hand .hole").first).to_have_attribute("aria-label", "Hole 1: red")


def test_a_series_is_claimed_from_an_opponent_who_stays_away(
    arrive: Arrive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in ("table.handler", "server.rooms"):
        monkeypatch.setattr(f"keypeg.{place}.ABSENCE", 2.0)  # and not half a minute
    with serving(tmp_path) as url:
        ann = arrive(base_url=url)
        path = open_table(ann)
        bob = arrive(path, base_url=url)
        sit(bob, "Bob")
        ann.goto(path)
        in_hand(ann, "secret")
        playing.by_mouse(ann, (1, 2, 3, 4))
        in_hand(bob, "guess")
        bob.goto("about:blank")
        _claim(ann)


def _claim(ann: Page) -> None:
    claim = ann.locator("[data-action='claim']")
    expect(claim).to_be_visible()
    expect(ann.locator(".banner")).to_have_text("Bob is away. You can claim the series, or wait.")
    check_rules(ann)
    claim.click()
    words = "You score 11 points for this game, as if your code had never been broken."
    expect(ann.get_by_role("dialog", name="Claim the series?")).to_contain_text(words)
    ann.get_by_role("button", name="Not now").click()
    claim.click()
    agree(ann)
    expect(headline(ann)).to_contain_text("You win the series")
    expect(ann.locator(".outcome")).to_contain_text("Bob left the table.")
    expect(ann.locator(".outcome")).to_contain_text(
        "11 points: 10 for the rows of the board, and 1 because the code was not broken."
    )


def test_a_second_tab_takes_the_seat_and_the_first_can_take_it_back(
    pair: Callable[..., tuple[Page, Page]],
) -> None:
    ann, _bob = pair()
    tab = ann.context.new_page()
    tab.goto(ann.url)
    in_hand(tab, "secret")
    expect(ann.locator(".banner")).to_contain_text("open in another tab")
    check_rules(ann)
    ann.get_by_role("button", name="Play here").click()
    in_hand(ann, "secret")


def test_a_lost_network_comes_back_by_itself_with_the_row_as_it_was(
    pair: Callable[..., tuple[Page, Page]],
) -> None:
    ann, bob = pair()
    playing.by_mouse(ann, (1, 2, 3, 4))
    in_hand(bob, "guess")
    bob.keyboard.press("4")
    bob.context.set_offline(True)
    expect(bob.locator(".banner")).to_contain_text("Reconnecting")
    bob.context.set_offline(False)
    expect(bob.locator(".banner")).to_be_hidden()
    for key in "321":
        bob.keyboard.press(key)
    bob.keyboard.press("Enter")
    expect(bob.get_by_role("log")).to_contain_text("Row 1: green, yellow, blue, red.")


def test_the_game_goes_on_after_the_server_is_killed_and_started_again(
    server: ServerProcess, pair: Callable[..., tuple[Page, Page]]
) -> None:
    ann, bob = pair()
    playing.by_mouse(ann, (1, 2, 3, 4))
    in_hand(bob, "guess")
    playing.by_mouse(bob, (1, 1, 1, 1))
    expect(headline(bob)).to_have_text("Your turn: row 2")
    bob.keyboard.press("1")
    server.kill()
    expect(bob.locator(".banner")).to_contain_text("Reconnecting")
    for key in "234":
        bob.keyboard.press(key)
    bob.keyboard.press("Enter")  # sent when the server is back
    server.start()
    expect(headline(bob)).to_have_text("You broke the code in 2 rows!")
    expect(headline(ann)).to_have_text("Bob broke your code in 2 rows")


GIBBERISH = (
    "not JSON",
    "null",
    "[]",
    "{}",
    '{"type":"welcome","seat":"two","seq":3,"now":1}',
    '{"type":"missed"}',
    '{"type":"missed","entries":[null]}',
    '{"type":"snapshot","table":null}',
    '{"type":"presence","now":1}',
    '{"type":"update","now":1}',
    '{"type":"update","now":1,"entry":{"seq":99,"at":1,"by":null,"events":[]},"status":{}}',
)


def test_a_message_that_cannot_be_understood_leads_to_a_new_line_and_nothing_is_lost(
    pair: Callable[..., tuple[Page, Page]],
) -> None:
    ann, bob = pair(board="4x6/20")
    playing.by_mouse(ann, (1, 2, 3, 4))
    lines: list[WebSocketRoute] = []

    def connect(line: WebSocketRoute) -> None:
        line.connect_to_server()
        lines.append(line)

    bob.route_web_socket("**/api/live", connect)
    bob.reload()
    in_hand(bob, "guess")
    bob.keyboard.press("6")
    for row, gibberish in enumerate(GIBBERISH, 1):
        opened = len(lines)
        lines[-1].send(gibberish)
        playing.until(bob, lambda opened=opened: len(lines) > opened)  # type: ignore[misc]
        expect(bob.locator(".banner")).to_be_hidden()
        playing.fill(bob, (5, 5, 5))
        bob.keyboard.press("Enter")
        expect(headline(bob)).to_have_text(f"Your turn: row {row + 1}")
        assert len(lines) == opened + 1, gibberish
        bob.keyboard.press("6")
    assert len(playing.rows(bob)) == len(GIBBERISH)
    assert playing.rows(bob) == playing.rows(ann)


def test_there_is_no_such_table(arrive: Arrive) -> None:
    page = arrive("/table/" + "x" * 22)
    expect(page.get_by_role("heading", name="Table not found")).to_be_visible()


def test_a_page_that_wakes_up_again_and_again_opens_one_socket(arrive: Arrive) -> None:
    page = arrive()
    path = open_table(page, opponent="strong")
    page.add_init_script("setInterval(() => dispatchEvent(new Event('focus')), 1)")
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    page.goto(path)
    in_hand(page, "secret")
    page.wait_for_timeout(300)
    assert len(sockets) == 1


def test_a_move_that_could_not_be_written_is_repeated_until_it_is(
    server: ServerProcess, pair: Callable[..., tuple[Page, Page]]
) -> None:
    ann, bob = pair()
    playing.by_mouse(ann, (1, 2, 3, 4))
    in_hand(bob, "guess")
    said: list[dict[str, Any]] = []
    bob.on(
        "websocket",
        lambda socket: socket.on("framesent", lambda frame: said.append(json.loads(frame))),
    )
    bob.reload()
    in_hand(bob, "guess")
    with held(server.database):
        playing.by_mouse(bob, (1, 1, 1, 1))
        words = "The server cannot save moves at the moment. Your move is kept and sent again."
        expect(bob.locator(".banner")).to_have_text(words)
        check_rules(bob)
    expect(headline(bob)).to_have_text("Your turn: row 2")
    expect(bob.locator(".banner")).to_be_hidden()
    ids = [one["id"] for one in said if one["type"] == "guess"]
    assert len(ids) > 1
    assert len(set(ids)) == 1
    playing.by_mouse(bob, (1, 2, 3, 4))
    expect(headline(ann)).to_have_text("Bob broke your code in 2 rows")


@contextmanager
def held(database: str) -> Iterator[None]:
    """A SQLite database that another program is writing to."""
    holder = sqlite3.connect(database.removeprefix("sqlite:///"), isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.execute("ROLLBACK")
        holder.close()


def test_a_time_limit_is_proposed_declined_and_accepted(
    pair: Callable[..., tuple[Page, Page]], arrive: Arrive
) -> None:
    ann, bob = pair()
    eve = arrive(ann.url)
    playing.by_keyboard(ann, (1, 2, 3, 4))
    in_hand(bob, "guess")
    announced = heard(bob)
    act(ann, "propose-limit")
    check_rules(ann)
    ann.get_by_label("Time limit", exact=True).select_option("60")
    ann.keyboard.press("Escape")
    act(ann, "propose-limit")
    expect(ann.locator("dialog[open]")).to_contain_text("Bob can accept or decline")
    ann.get_by_label("Time limit", exact=True).select_option(label="3 minutes for each turn")
    agree(ann)
    expect(ann.locator(".limit")).to_have_text(
        "You propose 3 minutes for each turn. Bob has not replied yet."
    )
    expect(eve.locator(".limit")).to_have_text(
        "Ann proposes 3 minutes for each turn, from the next turn."
    )
    replies = bob.get_by_role("group", name="Ann proposes 3 minutes for each turn")
    check_rules(bob)
    check_width(bob)
    replies.get_by_role("button", name="Decline").click()
    expect(bob.locator(".limit")).to_be_hidden()
    expect(ann.locator("[data-action='propose-limit']")).to_have_count(0)
    assert "Ann proposes 3 minutes for each turn, from the next turn." in announced()
    playing.by_keyboard(bob, (1, 1, 1, 1))
    playing.command(ann, "limit 4")
    replies = bob.get_by_role("group", name="Ann proposes 4 minutes for each turn")
    replies.get_by_role("button", name="Accept").focus()
    bob.keyboard.press("Enter")
    for page in (ann, bob, eve):
        expect(page.locator(".limit")).to_have_text("From the next turn: 4 minutes for each turn.")
        expect(page.locator(".clock")).to_be_hidden()
    playing.by_keyboard(bob, (2, 2, 2, 2))
    for page in (ann, bob, eve):
        expect(page.locator(".clock")).to_have_text(re.compile("^[34]:"))
        expect(page.locator(".limit")).to_be_hidden()
    assert bob.locator("#status.shown").count() == 0, "a message goes when the table goes on"


def test_a_row_is_filled_and_checked_while_a_time_limit_is_still_being_agreed(
    pair: Callable[..., tuple[Page, Page]],
) -> None:
    ann, bob = pair()
    held: list[tuple[WebSocketRoute, str | bytes]] = []

    def connect(line: WebSocketRoute) -> None:
        server = line.connect_to_server()
        server.on_message(lambda message: forward(line, message))

    def forward(line: WebSocketRoute, message: str | bytes) -> None:
        is_first_reply = '"type":"ack"' in str(message) and not held
        held.append((line, message)) if is_first_reply else line.send(message)

    ann.route_web_socket("**/api/live", connect)
    ann.reload()
    in_hand(ann, "secret")
    playing.command(bob, "limit 3")
    act(ann, "accept-limit")
    playing.until(ann, lambda: bool(held))
    expect(ann.locator("[data-action='accept-limit']")).to_have_count(0)
    playing.by_keyboard(ann, (1, 2, 3, 4))
    expect(headline(ann)).to_have_text("Bob is breaking your code")
    expect(ann.locator(".clock")).to_have_text(re.compile("^[23]:"))
    for line, message in held:
        line.send(message)
    in_hand(bob, "guess")


def test_a_proposed_time_limit_is_withdrawn(pair: Callable[..., tuple[Page, Page]]) -> None:
    ann, bob = pair()
    playing.command(bob, "limit 1:30")
    expect(ann.locator(".limit")).to_contain_text("Bob proposes 90 seconds for each turn")
    playing.command(ann, "withdraw")
    expect(ann.get_by_role("status")).to_contain_text("Only the breaker can do this")
    act(bob, "withdraw-limit")
    expect(ann.locator(".limit")).to_be_hidden()
    playing.command(bob, "limit soon")
    expect(bob.get_by_role("status")).to_contain_text("A time limit is written as in limit 3")

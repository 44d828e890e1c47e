"""Races and duels in Chromium: opened, joined, played by several browsers, and watched."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from secrets import token_urlsafe

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from harness.servers.processes import ServerProcess
from tests.web import playing
from tests.web.conftest import PATIENCE_MS
from tests.web.dealer import dealt
from tests.web.playing import CLASSIC, act, agree, by_keyboard, by_mouse, headline, heard, in_hand
from tests.web.test_my_tables import NOTICES

CODE = dealt(CLASSIC)
"""That of every race here."""
WRONG, OTHER = (4, 4, 5, 5), (6, 6, 5, 5)
NAMES = ("Ann", "Bob", "Cleo", "Dan", "", "Flo", "Gus", "Hal")


@pytest.fixture
def people(browser: Browser, server: ServerProcess) -> Iterator[Callable[[], Page]]:
    """Each page is that of somebody else; its errors fail the test."""
    contexts, wrong = [], []

    def arrive() -> Page:
        contexts.append(browser.new_context(base_url=server.url, reduced_motion="reduce"))
        contexts[-1].set_default_timeout(PATIENCE_MS)
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        return page

    yield arrive
    for context in contexts:
        context.close()
    assert not wrong


def open_match(page: Page, kind: str, name: str = "Ann", **chosen: str) -> str:
    """Open a race or a duel with these settings; gives its address."""
    page.goto(f"/{kind}")
    page.get_by_label("Your name").fill(name)
    page.get_by_text("More settings").click()
    for field, value in chosen.items():
        page.locator(f"#{field.replace('_', '-')}").select_option(value)
    page.get_by_role("button", name=f"Open the {kind}").click()
    expect(page.locator(".lobby")).to_be_visible()
    return page.url


def join(page: Page, address: str, name: str) -> None:
    page.goto(address)
    expect(headline(page)).to_contain_text("Ann invites you")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Join").click()


def lane(page: Page, name: str) -> Locator:
    return page.locator(".lane").filter(has=page.locator(".name", has_text=re.compile(f"^{name}$")))


def guess(page: Page, code: tuple[int, ...]) -> None:
    """Fill the next row, and wait until it is answered."""
    in_hand(page, "guess")
    row = len(playing.rows(page)) + 1
    by_keyboard(page, code)
    answered = page.locator(f".row[data-row='{row}'] .spoken")
    expect(answered).to_have_text(re.compile(r"black, \d+ white\.$"))


@pytest.mark.timeout(240)
def test_eight_race_to_the_end_and_one_watches(people: Callable[[], Page]) -> None:
    players = [people() for _ in NAMES]
    ann, bob, *_, hal = players
    address = open_match(ann, "race")
    assert ann.get_by_label("Link").input_value() == address
    assert ann.request.get(f"{address}/qr.svg").ok
    ann.get_by_role("button", name="Start the race").click(force=True)
    expect(ann.get_by_role("status")).to_contain_text("At least two players are needed.")
    for page, name in zip(players[1:], NAMES[1:], strict=True):
        join(page, address, name)
        if page is not hal:
            expect(headline(page)).to_have_text("Waiting for Ann to start")
    # The race begins when it is full.
    for page in players:
        expect(headline(page)).to_have_text("Your turn: row 1")
        expect(page.locator(".lane")).to_have_count(8)
    expect(ann.get_by_text("Player 5")).not_to_have_count(0)
    eye = people()
    eye.goto(address)
    expect(eye.locator(".watching")).to_have_text("You are watching: Ann's rows")
    expect(eye.locator(".hand")).to_be_hidden()
    said = heard(bob)
    guess(ann, WRONG)
    expect(lane(bob, "Ann").locator(".answers")).to_have_text("Row 1: none.")
    guess(ann, CODE)
    expect(headline(ann)).to_have_text("You broke the code in 2 rows!")
    expect(lane(bob, "Ann").locator(".lead")).to_have_text("ahead")
    expect(lane(bob, "Ann").locator(".state")).to_have_text("broken in 2 rows")
    assert said()[:3] == [
        "Ann, row 1: 0 black, 0 white.",
        "Ann, row 2: 4 black, 0 white.",
        "Ann broke the code in 2 rows.",
    ]
    # Others see key pegs and never pegs.
    expect(eye.locator(".row[data-row='2'] .spoken")).to_have_text(
        "Row 2: hidden pegs. 4 black, 0 white."
    )
    expect(eye.locator(".row.played .peg:not(.mask)")).to_have_count(0)
    bob.keyboard.press("2")
    bob.reload()
    in_hand(bob, "guess")
    expect(bob.locator(".hand .hole").first).to_have_attribute("aria-label", "Hole 1: blue")
    # A click leaves the keyboard at the row: Enter checks it.
    bob.get_by_role("button", name="Clear", exact=True).click()
    guess(bob, WRONG)
    guess(bob, CODE)
    for page in players[2:-1]:
        guess(page, WRONG)
        guess(page, OTHER)
        guess(page, CODE)
    in_hand(hal, "guess")
    expect(headline(hal)).to_have_text("Your turn: row 1")
    act(hal, "give-up")
    agree(hal)
    expect(headline(hal)).to_have_text("Ann and Bob share first place with 2 rows")
    expect(hal.locator(".offer")).to_have_text("You are eighth of 8.")
    expect(headline(bob)).to_have_text("You and Ann share first place with 2 rows")
    expect(players[4].locator(".offer")).to_have_text(
        "You are third of 8, together with Cleo, Dan, Flo and Gus."
    )
    for page in (ann, hal, eye):
        expect(page.get_by_text("✓ Verified: the code was fixed from the start.")).to_be_visible()
        expect(page.locator(".lane .place")).to_have_count(8)
    expect(hal.get_by_role("img", name="The code: blue, yellow, red, red")).to_be_visible()
    hal.get_by_role("button", name="Show the rows of Cleo").click()
    expect(hal.locator(".row[data-row='3'] .spoken")).to_contain_text("blue, yellow, red, red")
    hal.get_by_role("link", name="Review the game of Cleo").click()
    expect(hal.get_by_role("button", name="Cleo")).to_have_attribute("aria-pressed", "true")
    expect(hal.locator(".review-row")).to_have_count(3)
    ann.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ann.get_by_role("button", name="Copy the result to share").click()
    expect(ann.get_by_role("button", name="Copied, without spoilers")).to_be_visible()
    shared = ann.evaluate("navigator.clipboard.readText()").splitlines()
    assert shared[0] == "keypeg race: Ann and Bob share first place with 2 rows"
    assert shared[-1] == "In words: 0 black, 0 white; 4 black, 0 white."
    act(ann, "another")
    expect(headline(ann)).to_have_text("Waiting for others")
    bob.get_by_role("link", name="To the next race").click()
    expect(headline(bob)).to_have_text("Ann invites you to a race")


def test_rows_are_answered_together_also_after_the_server_is_killed(
    server: ServerProcess, people: Callable[[], Page]
) -> None:
    ann, bob = people(), people()
    address = open_match(ann, "race", pace="together", keys_shown="no")
    join(bob, address, "")
    expect(headline(bob)).to_have_text("Waiting for Ann to start")
    ann.get_by_role("button", name="Start the race").click()
    in_hand(ann, "guess")
    by_keyboard(ann, WRONG)
    expect(headline(ann)).to_have_text("Row 1: waiting for Player 2")
    expect(ann.locator(".row[data-row='1'] .spoken")).to_contain_text("Not answered yet")
    expect(lane(bob, "Ann").locator(".state")).to_have_text("row 1 filled")
    expect(lane(bob, "Ann")).to_contain_text("Key pegs are hidden until the end.")
    guess(bob, OTHER)
    expect(headline(ann)).to_have_text("Your turn: row 2")
    server.kill()
    expect(bob.locator(".banner.note")).to_contain_text("Reconnecting")
    playing.fill(bob, CODE)
    by_keyboard(ann, CODE)  # sent when the server is back
    server.start()
    expect(headline(ann)).to_have_text("Row 2: waiting for Player 2")
    assert len(playing.rows(ann)) == 1, "nothing is answered before everybody has filled the row"
    # The same player in another tab.
    other = bob.context.new_page()
    other.goto(address)
    in_hand(other, "guess")
    by_keyboard(bob, ())
    for page in (bob, other, ann):
        expect(headline(page)).to_have_text(re.compile("(You|Ann) .*share first place with 2 rows"))
    expect(other.locator(".row.broken")).to_have_count(1)


def test_a_duel_by_hand_is_decided_by_a_challenge(people: Callable[[], Page]) -> None:
    ann, bob = people(), people()
    address = open_match(ann, "duel", key_pegs="by-hand")
    join(bob, address, "Bob")
    eye = people()
    for page, other in ((ann, "Bob"), (bob, "Ann")):
        expect(headline(page)).to_have_text(f"Choose a code for {other}")
    by_keyboard(ann, CODE)
    expect(headline(ann)).to_have_text("Bob is choosing a code")
    expect(ann.get_by_role("img", name=re.compile("^Your secret: blue"))).to_be_visible()
    bob.get_by_role("button", name="Random").click()
    bob.get_by_role("button", name="Clear", exact=True).click()
    by_mouse(bob, (1, 2, 3, 4))
    eye.goto(address)
    expect(headline(eye)).to_have_text("Ann and Bob are playing")
    in_hand(ann, "guess")
    in_hand(bob, "guess")
    for page in (ann, bob):
        page.get_by_text("The seals").click()
        expect(page.locator(".digest")).to_have_count(2)
    # Bob has begun a row, so it stays in hand until he turns to Ann's.
    bob.keyboard.press("5")
    said = heard(bob)
    by_mouse(ann, WRONG)
    expect(headline(ann)).to_have_text("Bob is answering row 1")
    bob.get_by_role("button", name="Answer Ann").click()
    in_hand(bob, "answer")
    assert said() == ["Ann waits for your answer to row 1: green, green, white, white."]
    expect(bob.get_by_role("img", name=re.compile("^Your code: red, blue"))).to_be_visible()
    bob.get_by_label("one white more").click()
    bob.get_by_role("button", name="Place key pegs").click()
    in_hand(bob, "guess")
    expect(bob.locator(".hand .hole").first).to_have_attribute("aria-label", "Hole 1: white")
    expect(ann.locator(".row[data-row='1'] .spoken")).to_contain_text("0 black, 1 white")
    # What Bob is challenged for is right; then he lies.
    act(ann, "challenge")
    agree(ann)
    expect(ann.get_by_role("status")).to_contain_text("Your challenge is rejected")
    by_keyboard(ann, (1, 1, 1, 1))
    bob.get_by_role("button", name="Answer Ann").click()
    bob.get_by_role("button", name="None").click()
    bob.get_by_role("button", name="Place key pegs").click()
    expect(ann.locator(".row[data-row='2'] .spoken")).to_contain_text("0 black, 0 white")
    act(ann, "challenge")
    expect(ann.get_by_role("dialog")).to_contain_text("If an answer is wrong, you win the duel.")
    agree(ann)
    expect(headline(ann)).to_have_text("You win the duel: Bob gave a wrong answer")
    expect(headline(bob)).to_have_text("Ann wins the duel: you gave a wrong answer")
    expect(headline(eye)).to_have_text("Ann wins the duel: Bob gave a wrong answer")
    for page in (ann, bob, eye):
        expect(page.get_by_text("✓ Verified: both codes were fixed")).to_be_visible()
    expect(ann.get_by_text("0 black, 0 white was given; 1 black, 0 white is right")).to_be_visible()


def test_the_computer_duels_and_my_tables_say_what_waits(people: Callable[[], Page]) -> None:
    page = people()
    page.goto("/")
    page.get_by_role("link", name="A duel").click()
    page.get_by_role("button", name="Against the computer").click()
    page.locator("#computer-1").select_option("perfect")
    page.get_by_role("button", name="Start the duel").click()
    in_hand(page, "secret")
    by_keyboard(page, (6, 6, 6, 6))
    page.get_by_role("button", name="Help").click()
    expect(page.get_by_role("dialog")).to_contain_text("Whoever needs fewer rows wins")
    expect(page.get_by_role("dialog")).not_to_contain_text("Commands")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    guess(page, WRONG)
    duel = page.url
    page.goto("/tables")
    item = page.get_by_role("list", name="Tables").get_by_role("listitem")
    expect(item).to_contain_text("You may fill row 2")
    expect(item).to_contain_text("duel, classic, with Computer")
    expect(page).to_have_title("(1) My tables · keypeg")
    item.get_by_role("link").click()
    expect(page).to_have_url(duel)
    guess(page, CODE)
    expect(headline(page)).to_have_text(re.compile("^You win the duel with 2 rows"))
    page.goto("/tables")
    expect(page.locator("#tables")).to_contain_text("You have no open table.")


def test_time_runs_out_and_a_turn_is_noticed_in_the_background(
    people: Callable[[], Page],
) -> None:
    ann, bob = people(), people()
    ann.goto("/race")
    race = race_with(ann, places=3, row_seconds=2)
    ann.goto(race)
    bob.context.add_init_script(NOTICES + "Notification.permission = 'granted';")
    bob.goto(race)
    bob.evaluate("localStorage.setItem('keypeg.notices', 'on')")
    bob.get_by_role("button", name="Join").click()
    expect(headline(bob)).to_have_text("Waiting for Ann to start")
    playing.until(bob, lambda: bob.evaluate("localStorage.getItem('keypeg.tables')") is not None)
    bob.evaluate("isHidden = true")
    said = heard(ann)
    ann.get_by_role("button", name="Start the race").click()
    for page in (ann, bob):
        expect(headline(page)).to_have_text("Nobody broke the code")
        expect(page.locator(".row.expired")).to_have_count(3)
    assert "Time ran out: row 1 stays empty." in said()
    assert bob.evaluate("shown[0]") == [
        "You may fill row 1",
        "race, classic, with Ann",
        race.removeprefix("/"),
    ]


def race_with(page: Page, **settings: object) -> str:
    """A race opened by the page's own browser, with settings that the form does not offer."""
    headers = {"Origin": page.url.removesuffix("/race")}
    page.request.post("/api/matches/tokens", data={"retry": token_urlsafe(32)}, headers=headers)
    wanted = {"id": token_urlsafe(32), "kind": "race", "name": "Ann", **settings}
    answer = page.request.post("/api/matches", data=wanted, headers=headers)
    assert answer.ok, answer.text()
    return f"/match/{answer.json()['id']}"


def test_what_cannot_be_done_is_said(people: Callable[[], Page]) -> None:
    ann, bob = people(), people()
    ann.goto("/match/" + "x" * 22)
    expect(ann.get_by_role("heading", name="Not found")).to_be_visible()
    assert ann.request.get("/match/" + "x" * 22 + "/qr.svg").status == 404
    ann.get_by_role("link", name="Open a race").click()
    ann.get_by_label("Your name").fill("a\u202eb")
    ann.get_by_role("button", name="Open the race").click()
    expect(ann.get_by_role("alert")).to_contain_text("is not a valid name")
    wide = "W" * 32
    address = open_match(ann, "duel", wide)
    bob.set_viewport_size({"width": 390, "height": 844})
    bob.goto(address)
    expect(headline(bob)).to_have_text(f"{wide} invites you to a duel")
    expect(bob.get_by_role("button", name="Join")).to_be_in_viewport()
    ann.get_by_role("button", name="Cancel the duel").click()
    for page in (ann, bob):
        expect(headline(page)).to_have_text("This duel was cancelled")
        expect(page.get_by_role("link", name="Open a duel")).to_be_visible()

"""Every page and state, in every size and theme: axe finds nothing, nothing is cut off.

Set KEYPEG_SCREENSHOTS to a folder to have each of them to look at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from harness.browser import open_table
from tests.web import playing
from tests.web.conftest import PATIENCE_MS
from tests.web.dealer import dealt
from tests.web.playing import ELSEWHERE, SIZES, act, agree, in_hand

RECORD = """keypeg record 1
board: classic

secret RD WH BU GN
guess WH YW BU BK
guess RD RD RD RD
guess RD RD RD RD
guess RD WH BU GN
"""
KEPT = """[
    {"id": "abcdefghijklmnopqrstuv-1", "at": 1.7e12, "board": "classic", "opponent": "Computer",
     "result": "won", "mine": 6, "theirs": 5, "rows": [5]},
    {"id": "b", "at": 1.71e12, "board": "classic", "opponent": "Bob",
     "result": "lost", "mine": 3, "theirs": 11, "rows": [null]}
]"""

MISTAKES = """[
    {"id": "abcdefghijklmnopqrstuv-1/1 3", "at": 1.7e12, "board": "classic", "row": 3,
     "rows": [{"code": [5, 3, 2, 6], "black": 1, "white": 1},
              {"code": [1, 1, 1, 1], "black": 1, "white": 0}],
     "guess": [1, 1, 1, 1], "best": [5, 1, 3, 3], "loss": 1.0, "certainty": "proven",
     "tried": null, "solved": []}
]"""
PLAYED = """[
    {"id": "abcdefghijklmnopqrstuv-1/1", "at": 1.7e12, "board": "classic", "rows": 5, "rated": 5,
     "loss": 1.2, "luck": 0.4},
    {"id": "b/1", "at": 1.71e12, "board": "classic", "rows": null, "rated": 4,
     "loss": 0.3, "luck": -0.2}
]"""


Journey = Iterator[str]
"""A way through the pages, which stops at every state worth a look."""


def start(page: Page) -> Journey:
    page.goto("/")
    expect(page.get_by_role("link", name="Learn the game in a minute")).to_be_visible()
    yield "first-visit"
    page.get_by_text("More settings").click()
    expect(page.get_by_label("The computer")).to_contain_text("Perfect")
    yield "start"


def friend(page: Page) -> Journey:
    page.add_init_script(ELSEWHERE)
    page.goto("/")
    page.get_by_role("button", name="Against a friend").click()
    expect(page.locator(".qr")).to_be_visible()
    yield "friend"


def guest(page: Page) -> Journey:
    """A browser that forgets is somebody else's: the guest's, then a spectator's."""
    page.goto("/")
    table = open_table(page)
    _forget(page)
    page.goto(table)
    expect(playing.headline(page)).to_have_text("Ann invites you to a game")
    yield "invited"
    page.get_by_role("button", name="Sit down and play").click()
    expect(page.locator(".banner")).to_contain_text("Ann is away")
    yield "away"
    _forget(page)
    page.goto(table)
    expect(page.locator(".watching")).to_be_visible()
    yield "watching"


def _forget(page: Page) -> None:
    page.context.clear_cookies()
    page.evaluate("localStorage.clear()")


def unreachable(page: Page) -> Journey:
    page.goto("/")
    table = open_table(page, opponent="strong")
    page.route_web_socket("**/api/live", lambda line: line.close())
    page.goto(table)
    expect(page.locator("main")).to_have_text("The server cannot be reached. Trying again…")
    yield "unreachable"


def breaking(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Against the computer").click()
    in_hand(page, "guess")
    for row, code in enumerate(((1, 1, 2, 2), (3, 4, 5, 6)), 2):
        playing.by_keyboard(page, code)
        headline = playing.headline(page)
        expect(headline).to_have_text(re.compile(f"Your turn: row {row}|You broke the code"))
        if "broke" in headline.inner_text():
            breaking(page)  # one in a thousand is broken at once
            return
    page.keyboard.press("3")


def first_game(page: Page) -> Journey:
    page.goto("/")
    page.get_by_role("button", name="Against the computer").click()
    in_hand(page, "guess")
    yield "first-game"
    playing.break_code(page, playing.by_keyboard)
    expect(page.locator(".outcome")).to_be_visible()
    yield "broken"


def classic(page: Page) -> Journey:
    breaking(page)
    yield "breaking"
    act(page, "resign")
    agree(page)
    expect(page.locator(".outcome")).to_be_visible()
    yield "given-up"
    act(page, "next-game")
    in_hand(page, "secret")
    page.keyboard.press("1")
    yield "making"
    for key in "234":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.locator("[data-action='rematch']")).to_be_visible()
    yield "finished"


def dialogs(page: Page) -> Journey:
    breaking(page)
    page.keyboard.press("h")
    page.get_by_role("button", name="A good guess").click()
    expect(page.get_by_role("dialog", name="Hint").locator(".strip .peg")).to_have_count(4)
    yield "hint"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Help")).to_be_visible()
    yield "help"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Look and sound").click()
    page.get_by_label("Both").check()
    yield "look"
    page.keyboard.press("Escape")
    yield "both-labels"


def advanced(page: Page) -> Journey:
    page.goto("/")
    page.get_by_label("Advanced with blanks").check()
    page.get_by_role("button", name="Against the computer").click()
    in_hand(page, "guess")
    playing.by_keyboard(page, (1, 2, 3, 4, 0))
    expect(playing.headline(page)).to_have_text("Your turn: row 2")
    page.keyboard.press("0")
    yield "advanced"


def largest(page: Page) -> Journey:
    """Sixteen holes, twenty colours and blanks: whatever there is, most of it."""
    page.goto("/")
    page.get_by_text("More settings").click()
    page.get_by_role("spinbutton", name="Holes").fill("16")
    page.get_by_role("spinbutton", name="Colours").fill("20")
    page.get_by_label("Blanks (an empty").check()
    page.get_by_role("button", name="Two on this device").click()
    in_hand(page, "secret")
    page.keyboard.press("1")
    yield "largest"


def answering(page: Page) -> Journey:
    page.goto("/")
    page.get_by_text("More settings").click()
    page.get_by_label("Key pegs").select_option("by-hand")
    page.get_by_role("button", name="Against the computer").click()
    in_hand(page, "guess")
    playing.by_keyboard(page, (1, 1, 1, 1))
    expect(page.locator("[data-action='challenge']")).to_be_visible()
    yield "answered-by-hand"
    act(page, "resign")
    agree(page)
    act(page, "next-game")
    in_hand(page, "secret")
    playing.by_keyboard(page, (1, 2, 3, 4))
    in_hand(page, "answer")
    yield "answering"


def device(page: Page) -> Journey:
    page.goto("/")
    page.get_by_role("button", name="Two on this device").click()
    in_hand(page, "secret")
    playing.by_keyboard(page, (1, 2, 3, 4))
    expect(page.locator(".curtain")).to_be_visible()
    yield "curtain"
    page.get_by_role("button", name="I am Player two").click()
    in_hand(page, "guess")
    yield "handed-over"


def limits(page: Page) -> Journey:
    """Ann's page, while a guest in a browser of their own proposes another time limit."""
    page.goto("/")
    table = page.url.rstrip("/") + open_table(page)
    page.goto(table)
    browser = page.context.browser
    assert browser is not None
    with browser.new_context() as others:
        guest = others.new_page()
        guest.goto(table)
        guest.get_by_role("button", name="Sit down and play").click()
        in_hand(page, "secret")
        act(page, "propose-limit")
        expect(page.get_by_role("dialog", name="Propose a time limit")).to_be_visible()
        yield "limit-dialog"
        agree(page)
        expect(page.locator("[data-action='withdraw-limit']")).to_be_visible()
        yield "limit-proposed"
        act(page, "withdraw-limit")
        expect(page.locator(".limit")).to_be_hidden()
        playing.command(guest, "limit 1:30")
        expect(page.locator("[data-action='accept-limit']")).to_be_visible()
        yield "limit-asked"
        act(page, "accept-limit")
        # Until it disappears, Enter is meant for the button.
        expect(page.locator("[data-action='accept-limit']")).to_have_count(0)
        playing.by_keyboard(page, (1, 2, 3, 4))
        expect(page.locator(".clock")).to_be_visible()
        yield "limit-agreed"


def learn(page: Page) -> Journey:
    page.goto("/learn")
    for step in range(1, 7):
        expect(page.get_by_role("region", name=f"Step {step} of 6")).to_be_visible()
        yield f"learn-{step}"
        if step < 6:
            page.get_by_role("button", name="Next").click()


def assistant(page: Page) -> Journey:
    page.goto("/assistant")
    add_row(page, "1122", "11")
    expect(page.locator(".answer-text")).to_have_text("208 codes are left.")
    yield "assistant"
    page.get_by_role("button", name="Remove row 1").click()
    for code in ("1122", "3344", "5566"):
        add_row(page, code, "00")
    expect(page.locator(".answer-text")).to_contain_text("Rows 1, 2 and 3 cannot all be right")
    yield "contradiction"


def review(page: Page) -> Journey:
    page.goto("/review")
    yield "record"
    page.get_by_label("A record as text").fill(RECORD)
    page.get_by_role("button", name="Review").click()
    expect(page.get_by_role("heading", name="Row 3: a wasted row")).to_be_visible()
    yield "review"
    page.get_by_role("button", name="Try again from here").click()
    page.locator(".swatch").first.click()
    yield "trying-again"


def games(page: Page) -> Journey:
    page.goto("/games")
    expect(page.get_by_text("Nothing here yet")).to_be_visible()
    yield "no-games"
    keep(page, series=KEPT)
    page.reload()
    expect(page.get_by_role("heading", name="Rows needed: classic")).to_be_visible()
    yield "games"


def puzzle(page: Page) -> Journey:
    page.goto("/puzzle?board=advanced&grade=4&seed=3")
    page.get_by_role("button", name="Hint").click()
    for peg in (1, 2, 3, 4, 5):
        page.locator(f".swatch[data-peg='{peg}']").click()
    page.locator(".check").click()
    expect(page.locator(".strip.marked")).to_be_visible()
    yield "puzzle"
    page.get_by_role("button", name="Show the answer").click()
    page.get_by_role("button", name="Show all other steps").click()
    yield "puzzle-answer"


def daily(page: Page) -> Journey:
    page.goto("/daily?board=advanced&date=2026-01-01")
    for _ in range(2):
        before = page.locator(".played .strip").count()
        page.locator(".hand .hole").first.wait_for()
        for peg in (1, 1, 2, 3, 4):
            page.keyboard.press(str(peg))
        page.keyboard.press("Enter")
        expect(page.locator(".played .strip")).to_have_count(before + 1)
    for summary in page.locator(".more summary").all():
        summary.click()
    yield "daily"
    while page.locator(".hand").count():
        before = page.locator(".played .strip").count()
        page.locator(".swatch").last.focus()
        for peg in (5, 5, 6, 7, 8):
            page.keyboard.press(str(peg))
        page.locator(".check").click()
        expect(page.locator(".played .strip")).to_have_count(before + 1)
    expect(page.locator(".rated li").first).to_be_visible()
    page.get_by_text("The strategy book needs").click()
    yield "daily-done"


def tables(page: Page) -> Journey:
    page.goto("/")
    mine = [open_table(page, seat="one", **more) for more in ({}, {"opponent": "strong"})]
    keep(page, tables=json.dumps([path.removeprefix("/table/") for path in mine]))
    page.goto("/tables")
    expect(page.get_by_role("list", name="Tables").get_by_role("listitem")).to_have_count(2)
    yield "tables"


def unfair(page: Page) -> Journey:
    page.goto("/unfair?board=4x6/3")
    for code in ((1, 1, 2, 2), (3, 3, 4, 5)):
        playing.by_keyboard(page, code)
    yield "unfair"
    playing.by_keyboard(page, (3, 3, 6, 6))
    expect(page.get_by_role("heading", name="Not broken")).to_be_visible()
    for summary in page.locator("summary").all():
        summary.click()
    yield "unfair-done"


def contest(page: Page) -> Journey:
    page.goto("/contest")
    page.get_by_label("Board").select_option("advanced")
    page.get_by_label("I choose them").check()
    page.get_by_role("region", name="A code to set").get_by_role("button").first.focus()
    for key in ("1", "2", "3", "4", "5", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_role("img", name=re.compile("^Code 1:"))).to_be_visible()
    yield "contest-form"
    page.get_by_label("The server draws them").check()
    page.get_by_label("How many codes").select_option("2")
    page.get_by_role("button", name="Make the link").click()
    page.get_by_text("The seal of this code").click()
    yield "contest-invitation"
    page.get_by_role("button", name="Enter and play").click()
    page.locator(".hand").wait_for()
    while page.locator(".hand").count():
        before = page.locator(".played .strip").count()
        page.locator(".swatch").last.focus()
        for peg in (5, 5, 6, 7, 8):
            page.keyboard.press(str(peg))
        if before == 1:
            yield "contest"
        page.locator(".check").click()
        expect(page.locator(".played .strip")).to_have_count(before + 1)
    page.get_by_role("button", name=re.compile("^The rows of")).click()
    expect(page.get_by_role("heading", name=re.compile("^The rows of"))).to_be_visible()
    yield "contest-done"


def race(page: Page) -> Journey:
    page.goto("/race")
    page.get_by_text("More settings").click()
    for _ in range(2):
        page.get_by_role("button", name="Add a computer").click()
    yield "race-form"
    page.get_by_role("button", name="Open the race").click()
    page.get_by_text("How to play").click()
    page.get_by_text("The seal", exact=True).click()
    yield "race-lobby"
    page.get_by_role("button", name="Start the race").click()
    in_hand(page, "guess")
    playing.by_keyboard(page, (4, 4, 5, 5))
    expect(playing.headline(page)).to_have_text("Your turn: row 2")
    page.keyboard.press("1")
    yield "race"
    page.keyboard.press("Backspace")
    playing.by_keyboard(page, dealt(playing.CLASSIC))
    expect(page.locator(".play[data-over='true']")).to_be_visible()
    expect(page.get_by_text("✓ Verified")).to_be_visible()
    yield "race-over"
    act(page, "another")
    page.locator(".lobby").wait_for()
    address = page.url
    _forget(page)
    page.goto(address)
    expect(playing.headline(page)).to_contain_text("invites you to a race")
    yield "race-invited"


def duel(page: Page) -> Journey:
    """The page of the player who opens the duel; the other has a browser of their own."""
    page.goto("/duel")
    page.get_by_text("More settings").click()
    page.locator("#key-pegs").select_option("by-hand")
    page.get_by_role("button", name="Open the duel").click()
    page.locator(".lobby").wait_for()
    address, browser = page.url, page.context.browser
    assert browser is not None
    with browser.new_context() as others:
        guest = others.new_page()
        guest.goto(address)
        guest.get_by_role("button", name="Join").click()
        in_hand(page, "secret")
        page.keyboard.press("1")
        yield "duel-setting"
        page.keyboard.press("Backspace")
        for player in (page, guest):
            playing.by_keyboard(player, (1, 2, 3, 4))
        in_hand(guest, "guess")
        playing.by_keyboard(guest, (1, 2, 5, 5))
        in_hand(page, "answer")
        page.get_by_label("one black more").click()
        yield "duel-answering"
        page.get_by_role("button", name="Place key pegs").click()
        in_hand(page, "guess")
        playing.by_keyboard(page, (1, 1, 2, 2))
        guest.get_by_role("button", name="Answer").first.click()
        guest.get_by_role("button", name="None").click()
        guest.get_by_role("button", name="Place key pegs").click()
        expect(page.locator("[data-action='challenge']")).to_be_visible()
        yield "duel"
        _forget(page)
        page.goto(address)
        expect(page.locator(".watching")).to_be_visible()
        yield "duel-watching"
        act(guest, "challenge")
        agree(guest)
        expect(page.locator(".play[data-over='true']")).to_be_visible()
        yield "duel-over"


def mistakes(page: Page) -> Journey:
    page.goto("/mistakes")
    expect(page.get_by_text("No mistakes yet.")).to_be_visible()
    yield "no-mistakes"
    keep(page, series=KEPT, mistakes=MISTAKES)
    page.reload()
    expect(page.get_by_role("heading", name="What would you play in row 3?")).to_be_visible()
    yield "mistake"
    page.get_by_role("button", name="Show the best row").click()
    expect(page.get_by_role("img", name=re.compile("^Best"))).to_be_visible()
    yield "best-row"


def progress(page: Page) -> Journey:
    page.goto("/progress")
    expect(page.get_by_text("Nothing here yet")).to_be_visible()
    yield "no-progress"
    keep(page, series=KEPT, played=PLAYED)
    page.reload()
    page.get_by_text("The numbers").first.click()
    page.get_by_text("What it is measured against").click()
    expect(page.get_by_role("row", name="optimum 4.340")).to_be_visible()
    yield "progress"
    page.get_by_role("button", name="Show as QR codes").click()
    page.get_by_text("From text").click()
    expect(page.get_by_role("img", name="QR code 1 of 1")).to_be_visible()
    yield "export"


def keep(page: Page, **stored: str) -> None:
    """Put this into the browser's storage."""
    page.evaluate(
        "stored => Object.entries(stored).forEach(([name, kept]) => "
        "localStorage.setItem(`keypeg.${name}`, kept))",
        stored,
    )


def storm(page: Page) -> Journey:
    page.goto("/storm?seed=5")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Skip").click()
    yield "storm"
    page.get_by_role("button", name="Finish").click()
    yield "storm-over"
    page.locator(".storm-list button").first.click()
    page.get_by_role("button", name="Hint").click()
    yield "storm-again"


def paper(page: Page) -> Journey:
    page.goto("/print?board=advanced&seed=5&labels=shapes")
    expect(page.get_by_role("heading", name="Solutions")).to_be_visible()
    yield "print"


def nowhere(page: Page) -> Journey:
    page.goto("/table/" + "x" * 22)
    expect(page.get_by_role("heading", name="Table not found")).to_be_visible()
    yield "nowhere"


def add_row(page: Page, code: str, keys: str) -> None:
    for peg in code:
        page.locator(f".swatch[data-peg='{peg}']").click()
    page.locator("#typed-answer").fill(keys)
    page.get_by_role("button", name="Add row").click()


JOURNEYS: list[Callable[[Page], Journey]] = [
    start,
    friend,
    guest,
    unreachable,
    first_game,
    classic,
    dialogs,
    advanced,
    largest,
    answering,
    device,
    limits,
    learn,
    assistant,
    review,
    games,
    puzzle,
    storm,
    paper,
    daily,
    tables,
    unfair,
    contest,
    race,
    duel,
    mistakes,
    progress,
    nowhere,
]
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture
def fresh(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[Page]:
    context = browser.new_context(**browser_context_args)
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    context.close()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("journey", JOURNEYS, ids=lambda journey: journey.__name__)
def test_nothing_is_in_anybodys_way(
    fresh: Page, journey: Callable[[Page], Journey], screenshots: Path | None
) -> None:
    for state in journey(fresh):
        check_rules(fresh)
        check_width(fresh)
        if screenshots:
            take_screenshots(fresh, screenshots, state)
        fresh.set_viewport_size({"width": 1000, "height": 760})
        fresh.emulate_media(color_scheme="light")


def check_rules(page: Page) -> None:
    """All rules in the light, and in the dark those that the dark can change."""
    contrast = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
    for scheme, options in zip(SCHEMES, ({}, contrast), strict=True):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page, options={"resultTypes": ["violations"], **options})
        assert found.violations_count == 0, found.generate_report()
    assert not page.evaluate(TWICE), "ids that are there twice"


def check_width(page: Page) -> None:
    for width, height in ((320, 640), (360, 640), (568, 320), (768, 640), (1280, 640)):
        page.set_viewport_size({"width": width, "height": height})
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{wide} pixels wide on {width}"
        assert not page.evaluate(SPILLED), f"something leaves the board on {width}"
        assert not page.evaluate(CROWDED), f"the bar is too narrow on {width}"
        assert not page.evaluate(CUT_OFF), f"a control is cut off on {width}"


TWICE = """[...document.querySelectorAll("[id]")].map(({ id }) => id)
    .filter((id, index, all) => all.indexOf(id) !== index)"""
SPILLED = """[...document.querySelectorAll(".row, .hand, .shield, .keys, .tray")]
    .filter((part) => part.getClientRects().length)
    .filter((part) => {
        const box = part.closest(".slab, .play, .strip, body").getBoundingClientRect();
        return part.getBoundingClientRect().right > box.right + 1;
    }).map((part) => part.className)"""
"""What lies beyond the right edge of its place."""
CUT_OFF = """[...document.querySelectorAll("button, a, input, select")]
    .filter((control) => control.checkVisibility() && !control.closest(".scroll, .spoken"))
    .filter((control) => {
        const box = (control.closest(".card") ?? document.documentElement).getBoundingClientRect();
        return control.getBoundingClientRect().right > box.right + 1;
    }).map((control) => control.outerHTML)"""
"""What can be used, and lies beyond the right edge of its card or of the window."""
CROWDED = """[...document.querySelectorAll(".quick button, .tools button")].filter((button) => {
    const { left, right } = document.querySelector(".brand").getBoundingClientRect();
    const box = button.getBoundingClientRect();
    return box.width && box.top < 40 && box.left < right && box.right > left;
}).map((button) => button.textContent)"""
"""The buttons at the top of the page that cover the name of the game."""


def take_screenshots(page: Page, folder: Path, state: str) -> None:
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(path=folder / f"{state}-{width}x{height}-{scheme}.png")


def test_tray_and_check_are_reached_without_scrolling_on_a_small_phone(fresh: Page) -> None:
    fresh.set_viewport_size({"width": 360, "height": 640})
    breaking(fresh)
    fresh.evaluate("scrollTo(0, 0)")
    for selector in (".tray", ".check", ".hand", ".shield", ".headline", ".score-line"):
        box = fresh.locator(selector).bounding_box()
        assert box is not None
        assert box["y"] >= 0, selector
        assert box["y"] + box["height"] <= 640, selector


@pytest.mark.parametrize("board", ["classic", "classic-blanks", "advanced-blanks"])
def test_what_is_tapped_is_large_enough(fresh: Page, board: str) -> None:
    fresh.goto("/")
    fresh.locator(f"[name='board'][value='{board}']").check()
    fresh.get_by_role("button", name="Against the computer").click()
    in_hand(fresh, "guess")
    for width in (320, 360, 1280):
        fresh.set_viewport_size({"width": width, "height": 700})
        for selector in (".swatch", ".hand .hole", ".check", ".actions button", ".tools button"):
            boxes = fresh.locator(selector).evaluate_all(BOXES)
            assert boxes, f"there is no {selector} on {width}"
            for box in boxes:
                assert min(box["height"], box["width"]) >= 43.9, f"{selector} is {box} on {width}"
        holes = fresh.locator(".hand .hole").evaluate_all(BOXES)
        assert len({round(box["y"]) for box in holes}) == 1, "the holes are in one line"


BOXES = "parts => parts.map((part) => part.getBoundingClientRect().toJSON())"


def test_a_message_covers_no_control_and_hints_are_in_reach(fresh: Page) -> None:
    breaking(fresh)
    status = fresh.get_by_role("status")
    for width, height in SIZES:
        fresh.set_viewport_size({"width": width, "height": height})
        fresh.evaluate("scrollTo(0, 0)")
        for part in ("[data-action='hint']", ".tray", ".check", ".row[data-row='1']", ".shield"):
            box = fresh.locator(part).bounding_box()
            assert box is not None
            assert box["y"] >= 0, f"{part} on {width}"
            assert box["y"] + box["height"] <= height, f"{part} on {width}"
        assert fresh.locator("[data-action='hint']").evaluate(IS_WHOLE), f"on {width}"
        fresh.locator(".check").click(force=True)
        expect(status).to_have_class("shown")
        expect(status).to_contain_text("holes are empty")
        assert not fresh.evaluate(COVERED), f"on {width}"
        # A long text, and not in the command box, which may be further down the page.
        fresh.locator("#command").evaluate(LONG_COMMAND)
        expect(status).to_contain_text("is not a command")
        assert not fresh.evaluate(COVERED), f"on {width}"
        fresh.evaluate("scrollTo(0, document.body.scrollHeight)")
        fresh.locator("#command").evaluate(LONG_COMMAND)
        message, headline = status.bounding_box(), fresh.locator(".top").bounding_box()
        assert message is not None
        assert headline is not None
        assert 0 <= headline["y"] <= message["y"] < 110, "the headline stays in view"
        assert message["height"] <= max(headline["height"], 60), f"on {width}"
    pegs = fresh.locator(".row[data-row='1'] .hole").evaluate_all(BOXES)
    assert pegs[0]["height"] > 80, "the board grows with the window"


def test_hint_and_challenge_are_in_reach_where_the_maker_answers(fresh: Page) -> None:
    next(iter(answering(fresh)))
    for width, height in SIZES:
        fresh.set_viewport_size({"width": width, "height": height})
        for action in ("hint", "challenge"):
            button = fresh.locator(f"[data-action='{action}']")
            assert button.evaluate(IS_WHOLE), f"{action} on {width}"


def test_the_buttons_to_play_are_in_reach_without_scrolling(fresh: Page) -> None:
    fresh.goto("/")
    expect(fresh.locator(".choice")).to_have_count(3)
    for width, height in SIZES:
        fresh.set_viewport_size({"width": width, "height": height})
        boxes = fresh.locator(".choice").evaluate_all(BOXES)
        assert all(box["bottom"] <= height for box in boxes), f"on {width}"
    assert boxes[0]["width"] > 480, "the page grows with the window"


IS_WHOLE = """button => {
    const { left, right, top, bottom } = button.getBoundingClientRect();
    const shadow = getComputedStyle(document.querySelector(".top")).boxShadow;
    const under = document.querySelector(".top").getBoundingClientRect();
    const apart = under.top >= bottom || under.left >= right || under.bottom <= top;
    return shadow === "none" && apart && [[left + 4, top + 4], [right - 4, bottom - 4]].every(
        ([x, y]) => button.contains(document.elementFromPoint(x, y)));
}"""
"""Whether nothing lies over a button near the headline."""


def test_the_rows_of_the_daily_code_are_seen_beside_the_row_being_filled(fresh: Page) -> None:
    fresh.goto("/daily?board=advanced&date=2026-01-02")
    for played in range(2):
        expect(fresh.locator(".played .strip")).to_have_count(played)
        fresh.locator(".hand .hole").first.wait_for()
        playing.by_keyboard(fresh, (1, 1, 2, 3, 4))
    expect(fresh.locator(".played .strip")).to_have_count(2)
    for width, height in SIZES:
        fresh.set_viewport_size({"width": width, "height": height})
        fresh.locator(".played .strip").last.scroll_into_view_if_needed()
        entry = fresh.locator(".entry").bounding_box()
        strips = fresh.locator(".played .strip").evaluate_all(BOXES)
        assert entry is not None
        for box in strips:
            is_beside = box["right"] <= entry["x"]
            assert is_beside or box["bottom"] <= entry["y"] + 1, f"a row is covered on {width}"
            assert box["height"] < 80 or width > 3000, f"a row is stretched on {width}"


def test_while_the_time_of_a_storm_runs_its_puzzle_is_in_view(fresh: Page) -> None:
    fresh.goto("/storm?seed=5")
    for width, height in SIZES:
        fresh.set_viewport_size({"width": width, "height": height})
        fresh.get_by_role("button", name="Start").click()
        for part in (".storm-time", ".puzzle-rows", ".hand", ".tray", ".check"):
            box = fresh.locator(part).bounding_box()
            assert box is not None
            assert box["y"] > -1, f"{part} on {width}"
            assert box["y"] + box["height"] <= height, f"{part} on {width}"
        fresh.get_by_role("button", name="Finish").click()
        fresh.get_by_role("button", name="The same again").click()


LONG_COMMAND = "box => { box.value = 'nonsense'; box.form.requestSubmit(); }"
COVERED = """() => {
    const box = document.querySelector("#status").getBoundingClientRect();
    const controls = document.querySelectorAll("button, a, input, select, summary");
    return [...controls].filter((one) => one.checkVisibility()).filter((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        return left < box.right && right > box.left && top < box.bottom && bottom > box.top;
    }).map((one) => one.outerHTML);
}"""
"""The controls under the message that is shown."""


def test_the_row_in_hand_lies_on_the_board_above_the_row_before_it(fresh: Page) -> None:
    fresh.set_viewport_size({"width": 360, "height": 640})
    breaking(fresh)
    hand = fresh.locator(".hand").bounding_box()
    before = fresh.locator(".row[data-row='2']").bounding_box()
    assert hand is not None
    assert before is not None
    assert 0 <= before["y"] - hand["y"] - hand["height"] < 10
    for hole in range(4):
        filled = fresh.locator(".hand .hole").nth(hole).bounding_box()
        played = fresh.locator(".row[data-row='2'] .hole").nth(hole).bounding_box()
        assert filled is not None
        assert played is not None
        middle = filled["x"] + filled["width"] / 2
        assert abs(middle - played["x"] - played["width"] / 2) < 1, "a hole stands over its column"

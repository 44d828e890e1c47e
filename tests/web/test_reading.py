"""The pages that are read: learning, assistant, review, my games; and the look of things."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from keypeg.rules import Code, KeyPegs, parse_code
from tests.web import playing
from tests.web.playing import SIZES, act, agree, fitting, in_hand
from tests.web.test_access import RECORD, add_row


def test_the_tutorial_goes_through_the_books_examples_to_a_game(page: Page) -> None:
    page.goto("/learn")
    answers = []
    for _ in range(3):
        page.get_by_role("button", name="Next").click()
        answers += page.locator(".answer-text").all_inner_texts()
    assert answers == [
        "The answer: 1 black, 1 white.",
        "The answer: 1 black, 0 white.",
        "The answer: 1 black, 1 white.",
    ]
    for _ in range(2):
        page.get_by_role("button", name="Next").click()
    told = page.locator(".answer-text")
    tried: list[tuple[Code, KeyPegs]] = []
    while (told.inner_text() or "") != "You broke the code!":
        guess = fitting(tried)
        playing.by_mouse(page, guess)
        expect(page.locator("#lesson .strip")).to_have_count(len(tried) + 1)
        label = page.locator("#lesson .strip").last.get_attribute("aria-label") or ""
        assert label.startswith(f"Row {len(tried) + 1}: ")
        keys = [int(number) for number in re.findall(r"(\d) (?:black|white)", label)]
        tried.append((guess, KeyPegs(*keys)))
    assert tried[-1][1] == (4, 0)
    page.get_by_role("button", name="Play a game").click()
    in_hand(page, "guess")


def test_the_assistant_counts_advises_and_says_why(page: Page) -> None:
    page.goto("/assistant")
    expect(page.locator(".answer-text")).to_have_text("1,296 codes are left.")
    page.set_viewport_size({"width": 390, "height": 844})
    add_row(page, "1122", "00")
    expect(page.locator(".answer-text")).to_have_text("256 codes are left.")
    expect(page.get_by_role("img", name=re.compile("^Try: "))).to_be_in_viewport(ratio=1)
    for peg in "3344":
        page.locator(f".swatch[data-peg='{peg}']").click()
    page.locator("#typed-answer").fill("31")
    expect(page.locator("#answer-reason")).to_contain_text("3 black and 1 white cannot occur")
    page.locator("#typed-answer").fill("04")
    page.locator("#typed-answer").press("Enter")
    expect(page.locator(".answer-text")).to_have_text("1 code is left.")
    expect(page.get_by_label("Result")).to_contain_text("It is the only code left.")
    page.get_by_role("button", name="Ask the solver for the best guess").click()
    expect(page.get_by_role("img", name=re.compile("^Best: "))).to_have_attribute(
        "aria-label", "Best: green, green, yellow, yellow"
    )
    page.get_by_text("The codes left").click()
    expect(page.locator(".code-list [aria-hidden]")).to_have_text("GN GN YW YW")
    expect(page.locator(".code-list .spoken")).to_have_text("green, green, yellow, yellow")


def test_the_assistant_names_the_rows_that_contradict_and_what_would_mend_them(
    page: Page,
) -> None:
    page.goto("/assistant")
    add_row(page, "1122", "00")
    add_row(page, "3333", "20")
    add_row(page, "1111", "10")
    told = page.get_by_label("Result")
    expect(told).to_contain_text("No code fits. Rows 1 and 3 cannot both be right.")
    expect(told).to_contain_text("Row 3, answered 1 black, 0 white, could be:")
    expect(page.locator(".strip.marked")).to_have_count(2)
    counts = [
        [int(one) for one in re.findall(r"\((\d+) code", row)]
        for row in told.locator("div:has(> .mends)").all_inner_texts()
    ]
    assert [sorted(row, reverse=True) for row in counts] == counts
    assert sorted(counts, reverse=True) == counts
    told.get_by_role("button", name="Row 3: 0 black, 0 white").click()
    expect(page.locator(".answer-text")).to_contain_text("codes are left.")
    expect(page.locator(".strip.marked")).to_have_count(0)


def test_the_assistants_rows_stay_and_can_be_changed(page: Page) -> None:
    page.goto("/assistant")
    page.get_by_label("or another board, as holes x colours").fill(" 5 x 8")
    page.keyboard.press("Enter")
    expect(page.locator("#board")).to_have_value("advanced")
    add_row(page, "11223", "21")
    dark = page.locator(".strip.small .key.dark").first
    assert "179, 18, 42" in dark.evaluate("key => getComputedStyle(key).backgroundImage") or (
        dark.evaluate("key => getComputedStyle(key).backgroundColor") == "rgb(179, 18, 42)"
    )
    page.locator("#board").select_option("classic")
    expect(page.locator(".answer-text")).to_have_text("1,296 codes are left.")
    add_row(page, "1122", "11")
    page.reload()
    expect(page.locator(".answer-text")).to_have_text("208 codes are left.")
    page.get_by_role("button", name="Change row 1: red, red, blue, blue, 1 black, 1 white").click()
    expect(page.locator(".hand .hole").first).to_be_focused()
    page.keyboard.press("6")
    page.locator("#typed-answer").fill("00")
    page.get_by_role("button", name="Change row", exact=True).click()
    changed = "Change row 1: black, red, blue, blue, 0 black, 0 white"
    expect(page.get_by_role("button", name=changed)).to_be_visible()
    expect(page.locator(".answer-text")).to_have_text("81 codes are left.")
    page.locator("#board").select_option("advanced")
    expect(page.get_by_role("button", name="Change row 1: ")).to_have_count(1)
    page.get_by_role("button", name="Remove all rows").click()
    agree(page)
    expect(page.locator(".strip.small")).to_have_count(0)
    page.goto("/assistant")
    expect(page.locator("#board")).to_have_value("advanced")


def reviewed(page: Page, record: str) -> None:
    """Wait for a review with proofs, for which a busy machine may not find the time at once."""
    summary = page.locator(".summary")
    for _ in range(5):
        page.goto("/review")
        page.get_by_label("A record as text").fill(record)
        page.get_by_role("button", name="Review").click()
        expect(summary).to_contain_text("luck")
        if "(proven)" in summary.inner_text():
            return


def test_a_review_of_a_known_game_gives_the_known_numbers(page: Page) -> None:
    reviewed(page, RECORD)
    expect(page.get_by_role("heading", name="Row 3: a wasted row")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^Codes left"))).to_have_attribute(
        "aria-label", "Codes left: 1,296, 252, 108, 108, 1"
    )
    row = page.get_by_label("The row")
    expect(row).to_contain_text("108 codes possible before, 108 codes after: 0 bits gained.")
    expect(row).to_contain_text("It could not be the code: it contradicts rows 1 and 2.")
    page.get_by_role("button", name="Previous row").click()
    page.get_by_role("button", name="Previous row").click()
    expect(row).to_contain_text("1,296 codes possible before, 252 codes after: 2.4 bits gained.")
    expect(page.locator(".summary")).to_contain_text(
        "Compared with the best play, which needs 4.34 guesses on average, the rows lost 1.62"
    )
    expect(page.locator(".summary")).to_contain_text("and luck saved 1.96 (proven).")
    for cost in ("0.04", "0.58", "1.00"):
        expect(row).to_contain_text(f"{cost} guesses worse than the best row (proven).")
        page.get_by_role("button", name="Next row").click()
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        page.locator(".review-row").nth(1).click()
        expect(row.get_by_role("heading", name=re.compile("^Row 2"))).to_be_in_viewport(ratio=1)
        page.locator(".review-row").nth(2).click()
        expect(row.get_by_role("heading", name="Row 3: a wasted row")).to_be_in_viewport(ratio=1)


LARGE = """keypeg record 1
board: 6x10

secret 1 2 5 5 8 5
guess 1 1 2 2 3 3
answer 1b1w
guess 1 4 4 5 5 6
answer 2b1w
guess 1 4 7 7 8 5
answer 3b0w
"""
"""A board of a million codes; how many are left was counted one by one, apart from keypeg."""


def test_a_review_is_walked_by_keyboard_and_counts_rows_that_ran_out_of_time(page: Page) -> None:
    page.goto("/review")
    late = RECORD.replace("guess RD RD RD RD\n", "expire\nguess RD RD RD RD\n", 1)
    page.get_by_label("A record as text").fill(late)
    page.get_by_role("button", name="Review").click()
    row = page.get_by_label("The row")
    expect(row.get_by_role("heading", name="Row 4: a wasted row")).to_be_visible()
    expect(row).to_contain_text("it contradicts rows 1 and 3.")
    page.get_by_role("button", name="Previous row").focus()
    page.keyboard.press("Enter")
    expect(row.get_by_role("heading", name=re.compile("^Row 3"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(row.get_by_role("heading", name=re.compile("^Row 1"))).to_be_visible()
    expect(page.get_by_role("button", name="Previous row")).to_be_focused()


def test_a_board_too_large_for_the_browser_is_reviewed_by_the_solver(page: Page) -> None:
    page.goto("/review")
    page.get_by_label("A record as text").fill(LARGE)
    page.get_by_role("button", name="Review").click()
    expect(page.get_by_role("img", name=re.compile("^Codes left"))).to_have_attribute(
        "aria-label", "Codes left: 1,000,000, 157,626, 7,749, 240"
    )
    expect(page.locator(".summary")).to_contain_text("Compared with the best play, which needs 6.0")
    row = page.get_by_label("The row")
    for _ in range(2):
        page.get_by_role("button", name="Previous row").click()
    expect(row).to_contain_text("1,000,000 codes possible before, 157,626 codes after")
    expect(row).to_contain_text("0.02 guesses worse than the best row (estimate).")
    expect(row).to_contain_text("It may be the code, and splits the 1,000,000 codes left")
    page.get_by_role("button", name="Next row").click()
    expect(row).to_contain_text("It could not be the code: it contradicts row 1.")
    expect(row).to_contain_text("Luck in the answer saved 0.24 guesses.")


def test_the_assistant_asks_the_solver_about_boards_too_large_for_the_browser(page: Page) -> None:
    page.goto("/assistant")
    page.get_by_label("or another board, as holes x colours").fill("six")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("“six” is not a valid board")
    page.get_by_label("or another board, as holes x colours").fill("6x10")
    page.keyboard.press("Enter")
    expect(page.locator(".answer-text")).to_have_text("1,000,000 codes are left.")
    add_row(page, "112233", "11")
    expect(page.locator(".answer-text")).to_have_text("157,626 codes are left.")
    expect(page.get_by_role("img", name=re.compile("^Try: "))).to_be_visible()
    expect(page.get_by_label("Result")).to_contain_text("splits the 157,626 codes")
    add_row(page, "112233", "00")
    told = page.get_by_label("Result")
    expect(told).to_contain_text("No code fits. Rows 1 and 2 cannot both be right.")
    expect(told).to_contain_text("Row 2, answered 0 red, 0 white, could be:1 red, 1 white")


def test_the_assistants_row_is_filled_by_keyboard_and_by_dragging(page: Page) -> None:
    page.goto("/assistant")
    holes = page.locator(".hand .hole")
    page.locator(".swatch[data-peg='4']").hover()
    page.mouse.down()
    holes.nth(3).hover()
    expect(page.locator(".ghost[data-peg='4']")).to_be_visible()
    page.mouse.up()
    holes.first.click()
    for key in ("1", "r", "3"):
        page.keyboard.press(key)
    page.get_by_role("button", name="Undo").click()
    holes.nth(2).click()
    page.keyboard.press("2")
    page.get_by_role("button", name="one black more").click()
    page.get_by_role("button", name="Add row").click()
    expect(page.get_by_role("button", name=re.compile("^Remove row 1"))).to_have_attribute(
        "aria-label", "Remove row 1: red, red, blue, green, 1 black, 0 white"
    )


def test_rows_beside_a_table_are_filled_aloud_and_keep_the_focus(page: Page) -> None:
    page.goto("/assistant")
    page.locator(".hand .hole").first.focus()
    page.keyboard.press("r")
    expect(page.get_by_role("status")).to_contain_text("Hole 1: red.")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("3 holes are empty.")
    playing.fill(page, (1, 2, 2))
    page.get_by_role("button", name="None", exact=True).click()
    page.get_by_role("button", name="Add row").press("Enter")
    page.get_by_role("button", name=re.compile("^Change row 1")).press("Enter")
    expect(page.get_by_role("button", name="Change row", exact=True)).to_be_enabled()
    page.get_by_role("button", name="Cancel").press("Enter")
    expect(page.get_by_role("region", name="Result")).to_be_focused()
    page.get_by_role("button", name=re.compile("^Remove row 1")).press("Enter")
    expect(page.get_by_role("region", name="Result")).to_be_focused()


def test_an_uploaded_record_is_reviewed_and_its_seals_are_verified(
    page: Page, tmp_path: Path
) -> None:
    page.goto("/")
    page.get_by_role("button", name="Against the computer").click()
    playing.break_code(page, playing.by_keyboard)
    act(page, "next-game")
    in_hand(page, "secret")
    playing.by_keyboard(page, (1, 2, 3, 4))
    link = page.get_by_role("link", name="Record")
    with page.expect_download() as download:
        link.click()
    record = download.value.path().read_text()
    for text, words in (
        (record, "✓ Verified"),
        (record.replace("reveal RD BU YW GN", "reveal RD BU YW YW"), "✗ Not verified"),
    ):
        file = tmp_path / "record.txt"
        file.write_text(text)
        page.goto("/review")
        page.get_by_label("or a file").set_input_files(file)
        page.get_by_role("button", name="Game 2").click()
        expect(page.locator(".seal")).to_contain_text(words)
        page.get_by_role("button", name="Game 1").click()
        expect(page.locator(".seal")).to_contain_text("✓ Verified")
    page.get_by_role("button", name="Look and sound").click()
    expect(page.locator("dialog[open]")).to_have_count(1)
    assert page.evaluate(REPEATED_IDS) == []


REPEATED_IDS = """() => [...document.querySelectorAll("[id]")].map((part) => part.id)
    .filter((id, at, all) => all.indexOf(id) !== at)"""


def test_a_record_that_cannot_be_read_says_where(page: Page) -> None:
    page.goto("/review")
    page.get_by_label("A record as text").fill(RECORD.replace("WH YW BU BK", "WH YW BU"))
    page.get_by_role("button", name="Review").click()
    expect(page.get_by_role("alert")).to_contain_text("Line 5: A code on this board has 4 pegs")


def test_a_game_just_played_is_reviewed_and_tried_again_from_a_row(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Against the computer").click()
    in_hand(page, "guess")
    playing.by_keyboard(page, (1, 1, 2, 2))
    expect(playing.headline(page)).to_have_text("Your turn: row 2")
    act(page, "resign")
    agree(page)
    expect(page.locator(".shield")).to_have_attribute("data-state", "open")
    secret = page.locator(".shield").get_attribute("aria-label") or ""
    page.get_by_role("link", name="Review this game").click()
    expect(page.get_by_role("heading", name=re.compile("Row 1"))).to_be_visible()
    page.get_by_role("button", name="Try again from here").click()
    code = parse_code(secret.removeprefix("The code: "), playing.CLASSIC)
    for peg in code:
        page.locator(f".swatch[data-peg='{peg}']").click()
    page.locator(".check").click()
    expect(page.locator(".answer-text")).to_have_text("Broken in row 1.")


def test_a_finished_series_is_in_my_games_and_can_be_deleted(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Against the computer").click()
    rows = playing.break_code(page, playing.by_keyboard)
    act(page, "next-game")
    in_hand(page, "secret")
    playing.by_keyboard(page, (1, 2, 3, 4))
    expect(page.locator("[data-action='rematch']")).to_be_visible()
    record = page.request.get(
        page.get_by_role("link", name="Record").get_attribute("href") or ""
    ).text()
    assert record.startswith("keypeg record 1\n")
    page.locator(".outcome").get_by_role("link", name="My games").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody")).to_contain_text("Computer")
    expect(page.locator(".bars")).to_contain_text(f"{rows} row")
    table = page.url
    page.locator("tbody a").click()
    expect(page.get_by_role("heading", name=re.compile("^Row "))).to_be_visible()
    expect(page.locator(".review-row")).to_have_count(rows)
    expect(
        page.get_by_text(re.compile("of this game (is|are) now among My mistakes"))
    ).to_be_visible()
    page.get_by_role("link", name="Back to the table").click()
    expect(page.locator("[data-action='rematch']")).to_be_visible()
    page.get_by_role("link", name="Review this game").click()
    page.get_by_role("link", name="My games").first.click()
    expect(page).to_have_url(table)
    page.set_viewport_size({"width": 360, "height": 640})
    assert page.locator(".scroll").evaluate("list => list.scrollWidth <= list.clientWidth")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export").click()
    assert json.loads(download.value.path().read_text())[0]["rows"] == [rows]
    page.get_by_role("button", name="Delete all").click()
    agree(page)
    expect(page.get_by_text("Nothing here yet")).to_be_visible()


def test_themes_and_colours_are_the_players_choice_and_stay(page: Page) -> None:
    page.goto("/")
    page.get_by_role("button", name="Look and sound").click()
    page.get_by_label("Dark").check()
    page.get_by_label("red", exact=True).fill("#ff8800")
    page.keyboard.press("Escape")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    card = page.locator(".board-card").first
    assert card.evaluate("card => card.style.getPropertyValue('--peg-red')") == "#ff8800"
    assert card.evaluate("card => card.style.getPropertyValue('--ink-red')") == "#000000"
    page.get_by_role("button", name="Look and sound").click()
    page.get_by_role("button", name="Reset the colours").click()
    assert card.evaluate("card => card.style.getPropertyValue('--peg-red')") == "#a81905"

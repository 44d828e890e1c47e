"""A puzzle solved, not solved and given up, in Chromium."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from keypeg.puzzles import Puzzle, hints, make_puzzle
from keypeg.rules import Board
from keypeg.rules.code import describe_code
from tests.web import playing

ADDRESS = "/puzzle?board=classic&grade=2&seed=7"
PUZZLE = make_puzzle(Board.parse("classic"), 2, 7)


def on_page(page: Page) -> Puzzle:
    """The puzzle of the address."""
    asked = {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}
    return make_puzzle(Board.parse(asked["board"]), int(asked["grade"]), int(asked["seed"]))


def opened(page: Page, address: str = ADDRESS) -> None:
    page.goto(address)
    expect(page.locator(".puzzle-rows .strip").first).to_be_visible()


def results(page: Page) -> list[dict[str, object]]:
    kept = page.evaluate("localStorage.getItem('keypeg.puzzles')")
    return [] if kept is None else json.loads(kept)["results"]


def test_a_puzzle_is_solved_with_the_keyboard_and_its_result_stored(page: Page) -> None:
    opened(page)
    labels = page.locator(".puzzle-rows [role=img]").evaluate_all(
        "rows => rows.map((row) => row.ariaLabel)"
    )
    assert len(labels) == len(PUZZLE.rows)
    assert labels[0].startswith("Row 1: ")
    playing.by_keyboard(page, PUZZLE.rows[0].guess)
    expect(page.locator(".answer-text")).to_contain_text("Row 1 would have 4 black, but it has ")
    expect(page.locator(".strip.marked")).to_have_count(1)
    playing.by_keyboard(page, PUZZLE.code)
    expect(page.locator(".answer-text")).to_contain_text("Solved in 0:")
    expect(page.locator(".answer-text")).to_be_focused()
    (result,) = results(page)
    wanted = {"board": "classic", "grade": 2, "seed": 7, "tries": 2, "hints": 0, "solved": True}
    assert {name: result[name] for name in wanted} == wanted


def test_a_hint_is_the_next_deduction_and_is_announced_once(page: Page) -> None:
    opened(page)
    told = hints(PUZZLE)
    hint = page.get_by_role("button", name="Hint")
    hint.click()
    hint.click()
    expect(page.locator(".deductions li")).to_have_text(told[:2])
    assert page.locator("#status").inner_text().count(told[1]) == 1
    page.get_by_role("button", name="Show the answer").click()
    expect(page.locator(".answer-text")).to_contain_text("The code is ")
    page.get_by_role("button", name="Show all other steps").click()
    expect(page.locator(".deductions li")).to_have_text(told)
    (result,) = results(page)
    assert (result["solved"], result["hints"], result["tries"]) == (False, 2, 0)


def test_keys_are_for_the_row_wherever_the_focus_is(page: Page) -> None:
    opened(page)
    page.get_by_role("button", name="Hint").click()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Hint")).to_be_focused()
    expect(page.locator(".hand .peg")).to_have_count(0)
    playing.by_keyboard(page, PUZZLE.rows[0].guess)
    expect(page.locator(".answer-text")).to_contain_text("Row 1 would have 4 black")
    page.get_by_role("button", name="Another puzzle").press("Enter")
    expect(page.get_by_role("heading", level=2)).to_be_focused()
    another = make_puzzle(PUZZLE.board, PUZZLE.grade, on_page(page).seed)
    playing.by_keyboard(page, another.code)
    expect(page.locator(".answer-text")).to_contain_text("Solved in 0:")
    page.get_by_label("Board").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("1")
    expect(page.get_by_label("Grade")).to_have_value("1")


def test_the_address_holds_the_puzzle_and_back_leads_to_the_one_before(page: Page) -> None:
    opened(page)
    page.get_by_label("Grade").select_option("1")
    expect(page.get_by_role("heading", level=2)).to_contain_text("grade 1")
    assert on_page(page).grade == 1
    page.get_by_label("Board").select_option("3x4")
    assert str(on_page(page).board) == "3x4"
    labels = page.locator(".puzzle-rows [role=img]")
    expect(labels).to_have_count(len(on_page(page).rows))
    page.go_back()
    page.go_back()
    expect(page.get_by_role("heading", level=2)).to_have_text("Puzzle 7, grade 2")


@pytest.mark.parametrize("address", ["/puzzle", "/puzzle?board=99x99&grade=9&seed=-1"])
def test_without_a_valid_address_there_is_any_puzzle(page: Page, address: str) -> None:
    opened(page, address)
    assert (str(on_page(page).board), on_page(page).grade) == ("classic", 2)


def test_a_board_without_puzzles_of_a_grade_says_so(page: Page) -> None:
    opened(page, "/puzzle?board=3x4&grade=3&seed=1")
    page.get_by_label("Grade").select_option("5")
    expect(page.get_by_role("alert")).to_have_text(
        "3x4 has no puzzle of grade 5; try a lower grade."
    )
    assert on_page(page).grade == 3
    expect(page.get_by_label("Grade")).to_have_value("3")
    # On this board no row of grade 5 tells two codes apart.
    page.goto("/puzzle?board=2x2&grade=5&seed=1")
    expect(page.get_by_role("alert")).to_have_text(
        "2x2 has no puzzle of grade 5; try a lower grade."
    )
    expect(page.get_by_role("heading", level=2)).to_have_count(0)
    expect(page.get_by_role("button", name="Hint")).to_have_count(0)
    page.get_by_label("Board").select_option("3x4")
    expect(page.get_by_role("alert")).to_contain_text("3x4 has no puzzle of grade 5")
    page.get_by_label("Grade").select_option("1")
    expect(page.get_by_role("heading", level=2)).to_contain_text("grade 1")
    expect(page.get_by_role("button", name="Hint")).to_be_visible()


def storm_puzzle(number: int, seed: int = 5) -> Puzzle:
    """One of the first puzzles of a storm."""
    kinds = [("3x4", 1)] * 3 + [("3x4", 2)] * 2 + [("classic", 1)] * 3
    name, grade = kinds[number]
    return make_puzzle(Board.parse(name), grade, seed + number)


def test_a_storm_goes_on_with_the_keyboard_and_then_shows_what_to_look_at_again(page: Page) -> None:
    page.goto("/storm?seed=5")
    page.get_by_label("No time limit").check()
    page.get_by_role("button", name="Start").click()
    for number in range(3):
        expect(page.get_by_role("heading", level=2)).to_have_text(f"Puzzle {number + 1}")
        playing.by_keyboard(page, storm_puzzle(number).code)
    playing.by_keyboard(page, storm_puzzle(3).rows[0].guess)
    expect(page.locator(".answer-text")).to_contain_text("Row 1 would have 3 black")
    playing.by_keyboard(page, storm_puzzle(3).code)
    expect(page.get_by_role("heading", level=2)).to_have_text("Puzzle 5")
    page.get_by_role("button", name="Skip").click()
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("4 puzzles solved")
    expect(page.get_by_role("heading", level=2)).to_be_focused()
    reasons = page.locator(".storm-list li")
    for reason in ("1 wrong code first", "skipped", "not finished"):
        expect(reasons.filter(has_text=reason)).to_have_count(1)
    assert [result["solved"] for result in results(page)] == [True] * 4 + [False]
    reasons.filter(has_text="skipped").get_by_role("button").click()
    expect(page.get_by_role("heading", level=2)).to_contain_text("skipped")
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".deductions li")).to_have_text(hints(storm_puzzle(4))[:1])
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Back to the list").click()
    expect(page.get_by_role("link", name="storm 5")).to_have_attribute("href", "/storm?seed=5")
    assert len(results(page)) == 5


def test_a_friend_gets_the_result_of_a_storm_and_can_try_the_same_one(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/storm?seed=5")
    page.get_by_label("No time limit").check()
    page.get_by_role("button", name="Start").click()
    playing.by_keyboard(page, storm_puzzle(0).code)
    page.get_by_role("button", name="Finish").click()
    page.get_by_role("button", name="Copy the result").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    told, link = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert told == (
        "keypeg puzzle storm: 1 puzzle solved without a time limit. Can you solve more?"
    )
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    row = page.locator(".puzzle-rows [role=img]").first
    guess, _ = storm_puzzle(0).rows[0]
    named = describe_code(guess, storm_puzzle(0).board)
    expect(row).to_have_attribute("aria-label", re.compile(f"Row 1: {named}"))


def test_the_time_of_a_storm_is_announced_three_times_and_ends_it(page: Page) -> None:
    page.clock.install()
    page.goto("/storm?seed=5")
    page.get_by_role("button", name="Start").click()
    status = page.locator("#status")
    page.clock.fast_forward(100_000)
    page.clock.run_for(300)
    assert "left" not in status.inner_text()
    for seconds, left in ((21, 60), (30, 30), (20, 10)):
        page.clock.fast_forward(1000 * seconds)
        page.clock.run_for(300)
        assert status.inner_text().count(f"{left} seconds left.") == 1
    page.clock.fast_forward(10_000)
    page.clock.run_for(300)
    expect(page.get_by_role("heading", level=2)).to_have_text("0 puzzles solved")
    expect(page.get_by_text("in 3:00")).to_be_visible()


def test_six_puzzles_are_printed_on_a_page_and_the_solutions_on_another(page: Page) -> None:
    page.goto("/print?board=classic&seed=5&grade=2")
    expect(page.locator(".sheet article")).to_have_count(6)
    expect(page.locator(".sheet").first).to_contain_text("Find the one code that fits all rows")
    solutions = page.locator(".sheet-solutions li")
    code = make_puzzle(Board.parse("classic"), 2, 5).code
    letters = "".join(Board.parse("classic").palette[peg - 1].letter for peg in code)
    expect(solutions.first).to_have_text(f"1. {letters}")
    page.get_by_role("combobox", name="Pages").select_option("2")
    expect(page.locator(".sheet article")).to_have_count(12)
    page.get_by_label("On the pegs").select_option("shapes")
    expect(page.locator(".sheet-peg [role=img]").first).to_be_visible()
    assert "pages=2&labels=shapes" in page.url
    page.get_by_label("Board").select_option("3x4")
    page.get_by_label("Grade").select_option("5")
    expect(page.get_by_role("alert")).to_contain_text("3x4 has no puzzle of grade 5")
    page.get_by_label("Grade").select_option("")
    expect(page.locator(".wrong")).to_have_text("")
    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 3

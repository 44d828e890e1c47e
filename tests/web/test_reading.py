"""The pages that are read: learning, assistant, review, my games; and the look of things."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Page, expect

from keypeg.rules import parse_code
from tests.web import playing
from tests.web.playing import act, agree, in_hand
from tests.web.test_access import RECORD, add_row


def test_the_tutorial_goes_through_the_books_examples_to_a_game(page: Page) -> None:
    page.goto("/learn")
    answers = []
    for _ in range(4):
        page.get_by_role("button", name="Next").click()
        answers += page.locator(".answer-text").all_inner_texts()
    assert answers == [
        "The answer: 1 black, 1 white.",
        "The answer: 1 black, 0 white.",
        "The answer: 1 black, 1 white.",
    ]
    page.get_by_role("link", name="Play", exact=True).click()
    expect(page.get_by_role("heading", name="Break the code.")).to_be_visible()


def test_the_assistant_counts_advises_and_says_why(page: Page) -> None:
    page.goto("/assistant")
    expect(page.locator(".answer-text")).to_have_text("1,296 codes are left.")
    add_row(page, "1122", "00")
    expect(page.locator(".answer-text")).to_have_text("256 codes are left.")
    add_row(page, "3344", "31")
    expect(page.get_by_role("alert")).to_contain_text("3 black and 1 white cannot occur")
    page.locator("#keys").fill("04")
    page.locator(".check").click()
    expect(page.locator(".answer-text")).to_have_text("1 code is left.")
    expect(page.get_by_label("What the rows tell")).to_contain_text("It is the only code left.")
    page.get_by_text("The codes left").click()
    expect(page.locator(".code-list")).to_have_text("GN GN YW YW")


def test_the_assistant_names_the_rows_that_contradict_and_what_would_mend_them(
    page: Page,
) -> None:
    page.goto("/assistant")
    add_row(page, "1122", "00")
    add_row(page, "3333", "20")
    add_row(page, "1111", "10")
    told = page.get_by_label("What the rows tell")
    expect(told).to_contain_text("No code fits. Rows 1, 3 cannot all be right.")
    expect(told).to_contain_text("Row 3 with 0 black, 0 white:")


def test_a_review_of_a_known_game_gives_the_known_numbers(page: Page) -> None:
    page.goto("/review")
    page.get_by_label("A record, as text").fill(RECORD)
    page.get_by_role("button", name="Review").click()
    expect(page.get_by_role("heading", name="Row 3: told nothing new")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^Codes left"))).to_have_attribute(
        "aria-label", "Codes left: 1,296, 252, 108, 108, 1"
    )
    row = page.get_by_label("The row")
    expect(row).to_contain_text("108 codes possible before, 108 codes after: 0 bits gained.")
    expect(row).to_contain_text("It could not be the code: it contradicts rows 1, 2.")
    page.get_by_role("button", name="Row before").click()
    page.get_by_role("button", name="Row before").click()
    expect(row).to_contain_text("1,296 codes possible before, 252 codes after: 2.4 bits gained.")


def test_a_record_that_cannot_be_read_says_where(page: Page) -> None:
    page.goto("/review")
    page.get_by_label("A record, as text").fill(RECORD.replace("WH YW BU BK", "WH YW BU"))
    page.get_by_role("button", name="Review").click()
    expect(page.get_by_role("alert")).to_contain_text("Line 5: A code has 4 pegs here")


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
    page.goto("/games")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody")).to_contain_text("Computer")
    expect(page.locator(".bars")).to_contain_text(f"{rows} row")
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
    page.get_by_role("button", name="Back to the safe colours").click()
    assert card.evaluate("card => card.style.getPropertyValue('--peg-red')") == "#a81905"

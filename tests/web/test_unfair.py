"""The openly unfair maker in the browser: the same as in Python, and a game on its page."""

from __future__ import annotations

import json
import random

import pytest
from playwright.sync_api import Page, expect

from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.rules.notation import parse_record
from keypeg.rules.unfair import SEARCHED, UnfairGame, fewest_rows
from keypeg.terminal.unfair import fewest_words, record_text, share_text
from tests.web import playing
from tests.web.test_modules import told_by

CLASSIC = Board.parse("classic")
BOARDS = ("classic", "classic-blanks", "3x4", "4x5n", "2x3b/3", "advanced")
IN_NODE = """(({ games, boards }) => {
    const played = games.map(([name, guesses]) => {
        const game = guesses.reduce(m.afterRow, m.startUnfair(parseBoard(name)));
        return [game.rows, game.left.length, m.unfairShareText(game, "LINK"), m.unfairRecord(game)];
    });
    const fewest = (board) => [m.fewestRows(board), m.fewestWords(board)];
    return [played, boards.map(parseBoard).map(fewest)];
})"""


def drawn_game(rng: random.Random, name: str) -> list[Code]:
    """The guesses of a player who plays any code that fits, or any at all, until the end."""
    board = Board.parse(name)
    start = game = UnfairGame.start(board)
    while not game.over:
        game = game.after(rng.choice(rng.choice((start, game)).left))
    return [row.guess for row in game.rows]


def test_the_browser_plays_and_words_the_games_of_the_terminal() -> None:
    rng = random.Random(7)
    games = [(name, drawn_game(rng, name)) for name in BOARDS for _ in range(3)]
    boards = [*SEARCHED, "4x7", "4x6/8"]
    asked = json.dumps({"games": games, "boards": boards})
    told = told_by("unfair.js", f"{IN_NODE}({asked})")
    assert isinstance(told, list)
    for (name, guesses), (rows, left, share, record) in zip(games, told[0], strict=True):
        game = UnfairGame.start(Board.parse(name))
        for guess in guesses:
            game = game.after(guess)
        here = [
            {"code": list(row.guess), **row.keys._asdict(), "left": row.left} for row in game.rows
        ]
        assert (rows, left) == (here, len(game.left)), name
        assert share == f"{share_text(game)}\nLINK"
        assert record == record_text(game)
    for name, (found, words) in zip(boards, told[1], strict=True):
        board = Board.parse(name)
        fewest = fewest_rows(board)
        as_sent = fewest and {"least": fewest.least, "play": [list(code) for code in fewest.play]}
        assert (found, words) == (as_sent, fewest_words(board)), name


def shortest(board: Board = CLASSIC) -> tuple[Code, ...]:
    found = fewest_rows(board)
    assert found is not None
    return found.play


def told(page: Page, words: str) -> None:
    expect(page.locator(".answer-text")).to_contain_text(words)


def test_a_game_is_played_by_keyboard_goes_on_after_a_reload_and_has_a_record(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="the unfair maker").click()
    expect(page.locator(".lead")).to_contain_text("openly unfair: it has no code yet, and no seal")
    expect(page.locator(".more")).to_contain_text(fewest_words(CLASSIC))
    told(page, "1,296 codes are possible. You have 10 rows.")
    play = shortest()
    for code, left in zip(play[:3], ("256 of 1,296", "46 of 256", "6 of 46"), strict=True):
        playing.by_keyboard(page, code)
        told(page, f"{left} codes left.")
    expect(page.get_by_role("status")).to_contain_text("6 of 46 codes left. 7 rows left.")
    page.reload()
    told(page, "6 of 46 codes left.")
    expect(page.locator(".played .strip")).to_have_count(3)
    for code in play[3:]:
        playing.by_keyboard(page, code)
    heading = page.get_by_role("heading", name="Broken in 5 rows")
    expect(heading).to_be_focused()
    expect(page.locator(".compared")).to_have_text("You5The fewest5")
    expect(page.locator(".rated li")).to_have_count(5)
    expect(page.get_by_role("img", name="Codes left: 1,296, 256, 46, 6, 1, 1")).to_be_visible()
    page.get_by_text("The record of this game").click()
    record = parse_record(page.locator("pre").inner_text())
    assert record.unfair
    assert [row.guess for row in record.replay().games[0].rows] == list(play)
    page.get_by_text("How 5 rows can be enough").click()
    expect(page.locator("details .strip")).to_have_count(5)
    page.get_by_role("button", name="Play again").click()
    told(page, "1,296 codes are possible.")
    expect(page.locator(".hand .hole").first).to_be_focused()


def test_a_game_that_uses_up_its_rows_names_a_code_and_says_how_many_fit(page: Page) -> None:
    page.goto("/unfair?board=4x6/2")
    expect(page.locator(".more")).to_contain_text("at least 5 rows")
    for code in ((1, 1, 1, 1), (2, 2, 2, 2)):
        playing.by_keyboard(page, code)
    expect(page.get_by_role("heading", name="Not broken")).to_be_focused()
    result = page.get_by_role("region", name="The result")
    expect(result).to_contain_text("256 codes still fit all rows.")
    label = result.get_by_role("img").first.get_attribute("aria-label")
    assert label == "Code: yellow, yellow, yellow, yellow"


def test_the_board_is_in_the_address_and_each_has_its_game(page: Page) -> None:
    page.goto("/unfair")
    playing.by_keyboard(page, (1, 1, 2, 2))
    told(page, "256 of 1,296")
    page.get_by_label("Board").select_option("advanced-blanks")
    told(page, "59,049 codes are possible. You have 12 rows.")
    expect(page.locator(".more")).to_contain_text(fewest_words(Board.parse("advanced-blanks")))
    assert page.url.endswith("/unfair?board=advanced-blanks")
    page.go_back()
    told(page, "256 of 1,296")
    page.get_by_role("button", name="Begin again").click()
    told(page, "1,296 codes are possible.")


@pytest.mark.parametrize("kept", ['"x"', "{", '{"classic": [[1]]}', '{"classic": [[9, 9, 9, 9]]}'])
def test_what_was_damaged_in_storage_does_no_harm(page: Page, kept: str) -> None:
    page.goto("/learn")
    page.evaluate("kept => localStorage.setItem('keypeg.unfair', kept)", kept)
    page.goto("/unfair")
    told(page, "1,296 codes are possible.")


def test_a_board_with_too_many_codes_says_so_and_others_are_offered(page: Page) -> None:
    page.goto("/unfair?board=6x7")
    expect(page.get_by_role("alert")).to_contain_text("6x7 has 117,649 codes; the unfair maker")
    page.get_by_label("Board").select_option("3x4")
    told(page, "64 codes are possible.")
    expect(page.locator(".wrong")).to_be_empty()

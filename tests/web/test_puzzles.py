"""Puzzles in the browser are those of the terminal, seed by seed and word by word."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from keypeg.puzzles import GRADES, hints, make_puzzle, wrong_try
from keypeg.rules import Board

KINDS = {
    **{("classic", grade): range(grade, 400, 17) for grade in GRADES},
    **{("classic-blanks", grade): range(3) for grade in GRADES},
    **{("3x4", grade): range(8) for grade in (1, 2, 3)},
    ("4x6n", 4): range(4),
    ("advanced", 2): range(2),
    ("advanced", 5): range(2),
}
ASKED = [(name, grade, seed) for (name, grade), seeds in KINDS.items() for seed in seeds]
IN_PAGE = """async ({ asked, from }) => {
    const [{ makePuzzle }, { hints, wrongTry }, { parseBoard }] = await Promise.all(
        ["puzzles/puzzle.js", "puzzles/wording.js", "board.js"].map((name) => import(from + name)),
    );
    return asked.map(([name, grade, seed]) => {
        const puzzle = makePuzzle(parseBoard(name), grade, seed);
        const wrong = wrongTry(puzzle, puzzle.rows[0].guess);
        return { code: puzzle.code, rows: puzzle.rows, hints: hints(puzzle), wrong: wrong.words };
    });
}"""


def test_the_page_makes_the_puzzles_of_the_terminal(page: Page) -> None:
    page.goto("/learn")
    script = page.locator("script[src*='/pages/']").get_attribute("src") or ""
    folder = script.partition("pages/")[0] + "game/"
    made = page.evaluate(IN_PAGE, {"asked": ASKED, "from": folder})
    for asked, there in zip(ASKED, made, strict=True):
        assert there == _here(*asked), asked


def _here(name: str, grade: int, seed: int) -> dict[str, Any]:
    puzzle = make_puzzle(Board.parse(name), grade, seed)
    rows = [{"guess": list(row.guess), **row.keys._asdict()} for row in puzzle.rows]
    wrong = wrong_try(puzzle, puzzle.rows[0].guess)
    return {"code": list(puzzle.code), "rows": rows, "hints": hints(puzzle), "wrong": wrong}

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.forked import keypeg
from keypeg.puzzles import Puzzle, hints, make_puzzle
from keypeg.rules import Board
from keypeg.rules.code import Form, format_code
from keypeg.terminal.puzzle_sheet import html_sheet, shapes, text_sheet
from keypeg.terminal.puzzling import play_puzzles
from tests.terminal.typist import typist
from tests.web.test_modules import in_node

CLASSIC = Board.parse("classic")
PUZZLE = make_puzzle(CLASSIC, 2, 7)
CODE = format_code(PUZZLE.code, CLASSIC)


def seeds() -> Callable[[], int]:
    numbers = iter(range(100, 200))
    return lambda: next(numbers)


def played(*lines: str, puzzle: Puzzle = PUZZLE) -> list[str]:
    said: list[str] = []
    play_puzzles(puzzle, seeds(), typist(*lines), said.append)
    return said


def test_a_wrong_try_names_its_row_and_the_right_one_ends_the_puzzle() -> None:
    said = played(format_code(PUZZLE.rows[0].guess, CLASSIC), CODE)
    assert said[0] == "Puzzle 7 of grade 2 on classic: exactly one code fits these rows."
    assert any(line.startswith("Row 1 would have 4 black, but it has ") for line in said)
    assert any(line.startswith("Solved in 2 tries.") for line in said)
    assert said[-1] == "This puzzle again: keypeg puzzle --board classic --grade 2 --seed 7"


def test_hints_are_the_deductions_in_order_and_the_last_one_stays() -> None:
    told = [f"{number}. {hint}" for number, hint in enumerate(hints(PUZZLE), 1)]
    said = played(*["hint"] * (len(told) + 1), CODE)
    begin = said.index(told[0])
    assert said[begin : begin + len(told) + 1] == [*told, told[-1]]
    assert any(f"Solved with {len(told)} hints." in line for line in said)


def test_the_answer_is_shown_on_request_and_then_every_step() -> None:
    said = played("steps", "answer", "steps")
    assert "First solve the puzzle, or give up with 'answer'." in said
    assert any(line.startswith(f"The code is {CODE}.") for line in said)
    assert f"1. {hints(PUZZLE)[0]}" in said


def test_another_puzzle_may_have_another_grade() -> None:
    said = played("next", "next 4", "", "quit", "rows")
    assert "Puzzle 100 of grade 2 on classic: exactly one code fits these rows." in said
    assert "Puzzle 101 of grade 4 on classic: exactly one code fits these rows." in said
    assert said[-1].endswith("--grade 4 --seed 101")


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("rrb", "Not done: a code on this board has 4 pegs"),
        ("hlep", "Not done: there is no command 'hlep'"),
        ("next 9", "Not done: a puzzle has a grade from 1 to 5, not 9"),
        ("next x", "Not done: 'x' is not a grade"),
        ("hint me", "Not done: "),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(typed: str, reason: str) -> None:
    assert any(line.startswith(reason) for line in played(typed))


def test_the_command_gives_the_puzzle_of_its_seed() -> None:
    words = ("puzzle", "--grade", "2", "--seed", "7")
    told = json.loads(keypeg(*words, "--json").stdout)
    assert "code" not in told
    with_code = json.loads(keypeg(*words, "--json", "--solution").stdout)
    assert with_code == {**told, "code": CODE}
    assert (told["board"], told["grade"], told["seed"]) == ("classic", 2, 7)
    keys = PUZZLE.rows[0].keys
    guess = format_code(PUZZLE.rows[0].guess, CLASSIC)
    assert told["rows"][0] == {"guess": guess, **keys._asdict()}
    piped = keypeg(*words, stdin=f"{CODE}\n")
    assert "Solved." in piped.stdout


@pytest.mark.parametrize(
    ("words", "status", "reason"),
    [
        ("--solution", 2, "--solution has no effect without --json"),
        ("--labels shapes", 2, "--labels has no effect without --print"),
        ("--print x.pdf", 2, "'x.pdf' must end in .html or .txt"),
        ("--print - --json", 2, "--json has no effect with --print"),
        ("--grade 6", 2, "'6' is not a whole number from 1 to 5"),
        ("--board 3x4 --grade 4 --seed 1", 1, "3x4 has no puzzle of grade 4"),
        ("--board 6x9", 1, "puzzles are made on boards with at most 60,000"),
    ],
)
def test_an_option_that_cannot_be_is_refused(words: str, status: int, reason: str) -> None:
    done = keypeg("puzzle", *words.split())
    assert done.returncode == status
    assert reason in done.stderr


def test_a_sheet_has_six_puzzles_a_page_and_their_solutions(tmp_path: Path) -> None:
    file = tmp_path / "sheet.html"
    done = keypeg("puzzle", "--print", file, "--pages", "2", "--seed", "5")
    assert (done.returncode, done.stdout) == (0, "")
    page = file.read_text("utf-8")
    assert page.count("<article>") == 12
    assert page.count('<section class="sheet">') == 3
    assert not re.search(r"https?://|<script|<link|src=", page)
    grades = re.findall(r"Grade (\d)", page)
    assert grades == ["1", "2", "2", "3", "4", "5"] * 2
    text = keypeg("puzzle", "--print", "--seed", "5", "--board", "3x4").stdout
    puzzles, solutions = text.split("\f")
    assert puzzles.startswith("Find the one code that fits all rows of a puzzle. A colour may ")
    assert puzzles.count("Grade ") == 6
    assert len(solutions.strip().splitlines()) == 7


def test_a_sheet_is_read_aloud_as_well() -> None:
    board = Board.parse("classic-blanks")
    puzzle = make_puzzle(board, 1, 1)
    shapely = html_sheet([puzzle], "shapes")
    assert 'aria-label="red"' in shapely
    assert "black, " in shapely
    *_, legend, _, solution = text_sheet([puzzle])
    assert solution[4:].split() == list(format_code(puzzle.code, board, Form.LETTERS))
    assert "R red, " in legend


def test_the_shapes_are_those_of_the_page() -> None:
    module = (Path(__file__).parents[2] / "src/keypeg/web/look/shapes.js").as_uri()
    program = f"import {{ SHAPES }} from '{module}'; console.log(JSON.stringify(SHAPES))"
    assert shapes() == json.loads(in_node("--input-type=module", "--eval", program))

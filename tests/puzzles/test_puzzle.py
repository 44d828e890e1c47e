from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.puzzle_checker import CheckedPuzzle
from keypeg.puzzles import GRADES, MOST_SEED, Puzzle, make_puzzle
from keypeg.puzzles.cases import load
from keypeg.puzzles.codesets import code_sets
from keypeg.puzzles.deduction import begin
from keypeg.puzzles.random_numbers import Numbers
from keypeg.rules import AgainstTheRules, Board, parse_code
from keypeg.rules.code import format_code

CLASSIC = Board.parse("classic")
GOLDEN = {
    ("classic", 1, 1): (
        "BU BK RD WH=20 WH BK WH WH=10 YW GN BU RD=02 BU BK WH YW=01",
        "GN RD RD WH",
    ),
    ("classic", 3, 123): (
        "WH BU BU BK=02 BU WH GN GN=01 RD YW YW WH=20 YW GN YW BU=10",
        "BK BK YW WH",
    ),
    ("classic", 5, 1): (
        "BK GN RD GN=11 WH YW GN RD=11 BK WH YW RD=12 BU BK BU YW=11",
        "YW BK RD RD",
    ),
    ("3x4", 2, 4): (
        "YW BU BU=10 BU YW GN=10 BU GN RD=10",
        "YW YW RD",
    ),
    ("classic-blanks", 4, 9): (
        "- YW BU -=20 YW GN BK BK=12 WH YW GN BK=11",
        "BK YW BK -",
    ),
}
"""Puzzles as they are for ever: links and printed sheets name them by their seeds."""
NUMBERS = [991, 942, 345, 799, 179, 77]


def checked(puzzle: Puzzle) -> CheckedPuzzle:
    return CheckedPuzzle(puzzle.board, [(row.guess, row.keys) for row in puzzle.rows])


def written(puzzle: Puzzle) -> tuple[str, str]:
    board = puzzle.board
    rows = (f"{format_code(guess, board)}={keys.black}{keys.white}" for guess, keys in puzzle.rows)
    return " ".join(rows), format_code(puzzle.code, board)


@settings(max_examples=20)
@given(
    st.sampled_from(
        [*(("classic", grade) for grade in GRADES), ("3x4", 2), ("4x6n", 3), ("4x5b", 4)]
    ),
    st.integers(0, MOST_SEED),
)
def test_one_code_fits_no_row_is_needless_and_the_grade_is_right(
    kind: tuple[str, int], seed: int
) -> None:
    name, grade = kind
    puzzle = make_puzzle(Board.parse(name), grade, seed)
    independent = checked(puzzle)
    assert independent.codes_without() == [puzzle.code]
    assert all(len(independent.codes_without(row)) > 1 for row in range(len(puzzle.rows)))
    assert independent.grade() == grade


@pytest.mark.parametrize("grade", GRADES)
def test_there_are_puzzles_of_every_grade_on_the_advanced_board(grade: int) -> None:
    puzzle = make_puzzle(Board.parse("advanced"), grade, 1)
    assert checked(puzzle).codes_without() == [puzzle.code]
    assert checked(puzzle).grade() == grade


@settings(max_examples=30)
@given(st.sampled_from([("classic", grade) for grade in GRADES]), st.integers(0, 200))
def test_a_load_is_exact_up_to_the_limit_and_above_it_otherwise(
    kind: tuple[str, int], seed: int
) -> None:
    name, grade = kind
    puzzle = make_puzzle(Board.parse(name), grade, seed)
    state = begin(code_sets(puzzle.board), puzzle.rows)
    exact = checked(puzzle).load(10_000)
    for limit in (exact - 1, exact, exact + 1, 10_000):
        found = load(state, limit)
        assert found == exact if exact <= limit else found > limit
        assert (load(state, limit, enough=limit) > limit) is (exact > limit)


@pytest.mark.parametrize("kind", GOLDEN)
def test_a_seed_keeps_its_puzzle(kind: tuple[str, int, int]) -> None:
    name, grade, seed = kind
    assert written(make_puzzle(Board.parse(name), grade, seed)) == GOLDEN[kind]


def test_the_numbers_of_a_seed_never_change() -> None:
    numbers = Numbers("classic 3 123")
    assert [numbers.below(1000) for _ in range(6)] == NUMBERS
    assert all(Numbers(str(seed)).below(1) == 0 for seed in range(20))


@pytest.mark.parametrize(
    ("board", "grade", "seed", "reason"),
    [
        ("6x9", 1, 1, "at most 60,000"),
        ("classic", 6, 1, "a grade from 1 to 5, not 6"),
        ("classic", 0, 1, "a grade from 1 to 5, not 0"),
        ("classic", 1, -1, "a number from 0 to 999999999"),
        ("classic", 1, 10**9, "a number from 0 to 999999999"),
        ("2x3", 5, 1, "2x3 has no puzzle of grade 5; try a lower grade"),
        ("2x2", 5, 1, "2x2 has no puzzle of grade 5; try a lower grade"),
        ("1x4", 4, 1, "1x4 has no puzzle of grade 4; try a lower grade"),
        ("4x4n", 4, 1, "4x4n has no puzzle of grade 4; try a lower grade"),
    ],
)
def test_a_puzzle_that_cannot_be_is_refused(board: str, grade: int, seed: int, reason: str) -> None:
    with pytest.raises(AgainstTheRules, match=reason):
        make_puzzle(Board.parse(board), grade, seed)


def test_the_checker_finds_a_needless_row() -> None:
    puzzle = make_puzzle(CLASSIC, 2, 5)
    rows = [(row.guess, row.keys) for row in puzzle.rows]
    doubled = CheckedPuzzle(CLASSIC, [*rows, rows[0]])
    assert doubled.codes_without(0) == [puzzle.code]
    assert len(CheckedPuzzle(CLASSIC, rows[1:]).codes_without()) > 1


def test_the_code_is_written_as_everywhere() -> None:
    puzzle = make_puzzle(CLASSIC, 1, 1)
    assert puzzle.code == parse_code(GOLDEN["classic", 1, 1][1], CLASSIC)

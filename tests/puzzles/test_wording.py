from __future__ import annotations

import re

import pytest

from keypeg.puzzles import GRADES, hints, key_words, make_puzzle, wrong_try
from keypeg.puzzles.codesets import code_sets
from keypeg.puzzles.deduction import solution
from keypeg.puzzles.wording import describe_step
from keypeg.rules import Board, KeyPegs, score

CLASSIC = Board.parse("classic")
CLAIM = re.compile(r"hole (\d) is (not )?(\w+)|(no|at most|at least) (?:(\d) )?(blank|\w+ peg)")


def holds(claim: re.Match[str], names: list[str]) -> bool:
    """Whether what a hint claims is true of a code."""
    hole, negated, there, how, number, name = claim.groups()
    if hole:
        return (names[int(hole) - 1] == there) is not bool(negated)
    times = names.count(name.removesuffix(" peg"))
    return {
        "no": times == 0,
        "at most": times <= int(number or 0),
        "at least": times >= int(number or 0),
    }[how]


@pytest.mark.parametrize("board", ["classic", "classic-blanks", "advanced"])
@pytest.mark.parametrize("grade", GRADES)
def test_every_hint_is_true(board: str, grade: int) -> None:
    puzzle = make_puzzle(Board.parse(board), grade, 3)
    names = ["blank" if peg == 0 else puzzle.board.palette[peg - 1].name for peg in puzzle.code]
    *told, last = hints(puzzle)
    assert last == "Now only one code fits."
    for hint in told:
        claimed = hint.rpartition("So: ")[2] if hint.startswith("Suppose") else hint
        parts = [sentence.rpartition(": ")[2] for sentence in claimed.split(". ")]
        claims = [claim for part in parts for claim in CLAIM.finditer(part)]
        assert claims, hint
        assert all(holds(claim, names) for claim in claims), hint


def test_each_hint_teaches_something_and_the_last_leaves_one_code() -> None:
    puzzle = make_puzzle(CLASSIC, 5, 8)
    known = code_sets(CLASSIC).every.bit_count()
    for step, after in solution(code_sets(CLASSIC), puzzle.rows):
        assert describe_step(step, puzzle.rows, CLASSIC)
        assert after.known.bit_count() < known
        known = after.known.bit_count()
    assert known == 1


def test_a_wrong_try_names_the_first_row_it_breaks() -> None:
    puzzle = make_puzzle(CLASSIC, 1, 1)
    assert wrong_try(puzzle, puzzle.code) is None
    row, told = puzzle.rows[0], wrong_try(puzzle, (3, 3, 3, 3))
    assert score((3, 3, 3, 3), row.guess) == KeyPegs(0, 0)
    assert told == "Row 1 would have no key pegs, but it has 2 black."


def test_a_single_key_peg_is_the_only_one_and_belongs_to_one_hole() -> None:
    told = " ".join(hints(make_puzzle(CLASSIC, 2, 29)))
    assert "The only black key peg of row 4 belongs to another hole: hole 1 is not red." in told
    assert "The only key peg of row 2 leaves no room for more: no yellow pegs." in told
    assert "The 2 key pegs of row 4 leave no room for more: at most 1 blue peg." in told


def test_key_pegs_are_said_in_words() -> None:
    said = [key_words(KeyPegs(*keys), CLASSIC) for keys in ((1, 2), (0, 3), (2, 0), (0, 0))]
    assert said == ["1 black and 2 white", "3 white", "2 black", "no key pegs"]
    assert key_words(KeyPegs(1, 1), Board.parse("advanced")) == "1 red and 1 white"

"""The fewest rows against the openly unfair maker: the search, a slow twin, and the table."""

from __future__ import annotations

import pytest

from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.rules.unfair import UnfairGame, answer, fewest_rows
from keypeg.solver import unfair
from keypeg.solver.reference import codes
from keypeg.solver.unfair import fewest, main

SMALL = ("1x2", "2x2", "2x3", "2x3b", "3x2", "3x3", "3x3n", "2x5n", "4x2")


def twin_fewest(board: Board) -> int:
    """The length of a shortest play, by following every guess from every position."""
    every = tuple(codes(board))
    positions: set[tuple[Code, ...]] = {every}
    rows = 1
    while not any(len(left) == 1 for left in positions):
        positions = {answer(guess, left)[1] for left in positions for guess in every}
        rows += 1
    return rows


@pytest.mark.parametrize("name", SMALL)
def test_the_search_finds_what_following_every_guess_finds(name: str) -> None:
    board = Board.parse(name)
    found = fewest(board)
    assert found.proven
    assert found.least == len(found.play) == twin_fewest(board)
    game = UnfairGame.start(Board(*(board.holes, board.colours, 20, board.blanks, board.repeats)))
    for guess in found.play:
        game = game.after(guess)
    assert game.broken


@pytest.mark.parametrize("name", ["3x4", "4x5"])
def test_the_table_says_what_the_search_finds(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    board = Board.parse(name)
    assert fewest(board) == fewest_rows(board)
    main([name])
    told = capsys.readouterr()
    assert told.out.startswith(f"{name}: proven {fewest(board).least} rows, at least ")
    assert "rows can never be enough" in told.err


def test_a_search_that_is_given_up_leaves_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unfair, "MOST_POSITIONS", 3)
    found = fewest(Board.parse("4x5"))
    assert not found.proven
    assert 1 < found.least < len(found.play)

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from keypeg.rules.board import Board
from keypeg.solver.books.beam import improve
from keypeg.solver.books.build import best_known, bind
from keypeg.solver.books.verifier import FalseBook, verify
from keypeg.solver.exact.engine import Width
from keypeg.solver.exact.search import prove

if TYPE_CHECKING:
    from pathlib import Path


def test_a_strategy_that_fails_does_not_replace_the_book_that_is_there(tmp_path: Path) -> None:
    found = prove(Board.parse("3x4"))
    path = tmp_path / "3x4.book"
    bind(found, path)
    before = path.read_bytes()
    with pytest.raises(FalseBook):
        bind(replace(found, total=found.total - 1), path)
    assert path.read_bytes() == before
    assert verify(path).total == found.total


def test_a_better_book_is_left_alone(tmp_path: Path) -> None:
    found = prove(Board.parse("3x4"))
    path = tmp_path / "3x4.book"
    bind(found, path)
    assert bind(replace(found, proven=False), path).claim.proven


def test_the_best_strategy_known_is_a_shipped_book_or_the_one_in_a_file(tmp_path: Path) -> None:
    assert total_known("classic") == 5625
    assert total_known("4x6") == 5625
    assert total_known("4x6", worst=5) is None
    assert total_known("5x9") == total_known("advanced-blanks") is not None
    assert total_known("3x4") is None
    path = tmp_path / "3x4.book"
    bind(prove(Board.parse("3x4")), path)
    assert total_known("3x4", file=path) == 206


def total_known(name: str, worst: int | None = None, file: Path | None = None) -> int | None:
    tree = best_known(Board.parse(name), worst, file)
    return None if tree is None else int(tree.totals[0])


def test_a_search_that_begins_with_the_optimum_keeps_it_and_one_from_worse_improves_it() -> None:
    board = Board(3, 5)
    best = prove(board, threads=1)
    again = prove(board, threads=1, known=best.tree)
    assert (again.total, again.proven) == (451, True)
    assert again.tree is best.tree
    worse = improve(board, firsts=[0], stages=[Width(1, (1,), 2)]).tree
    assert int(worse.totals[0]) > 451
    better = prove(board, threads=1, known=worse)
    assert (better.total, better.proven) == (451, True)

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from keypeg.rules.board import Board
from keypeg.solver.books.build import bind
from keypeg.solver.books.verifier import FalseBook, verify
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

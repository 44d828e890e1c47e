"""Guesses taken for the same make the same partition, and all that do are taken for the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from keypeg.rules.board import Board
from keypeg.solver.codes.compiled import kernel, whole
from keypeg.solver.exact.descent import met_before, split
from keypeg.solver.exact.engine import Engine
from keypeg.solver.exact.survey import survey
from keypeg.solver.exact.workspace import SearchData, Workspace, lay_out
from keypeg.solver.reference import codes, partition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from keypeg.rules.code import Code

REGIONS = [("4x3", 2), ("4x3", 5), ("3x5n", 2), ("4x4b", 10), ("4x4b", 50)]


@kernel
def met(data: SearchData, workspace: Workspace, region: NDArray[np.int32]) -> NDArray[np.bool_]:
    """For each guess in turn, whether the search takes it for one met before."""
    top = whole(1)  # as in the search, whose compiled code this then is
    lay_out(data, workspace, top, region, len(region))
    known = np.zeros(len(data.keys), np.bool_)
    for guess in range(len(known)):
        cells = split(data, workspace, top, len(region), guess)
        known[guess] = met_before(workspace, top, cells, top)
    return known


def partitions(board: Board, secrets: list[Code]) -> list[frozenset[frozenset[Code]]]:
    """How each guess parts the secrets, whatever the answers."""
    return [
        frozenset(frozenset(cell) for cell in partition(guess, secrets).values())
        for guess in codes(board)
    ]


@pytest.mark.parametrize(("name", "every"), REGIONS)
def test_a_guess_is_met_before_if_one_that_leaves_its_cells_was(name: str, every: int) -> None:
    board = Board.parse(name)
    engine = Engine(board)
    region = engine.space.everything[::every].copy()
    secrets = [engine.space.code(int(place)) for place in region]
    made = [
        cells - {frozenset({guess})}
        for guess, cells in zip(codes(board), partitions(board, secrets), strict=True)
    ]
    again = [made.index(each) < place for place, each in enumerate(made)]
    assert met(engine.data, engine.workspaces[0], region).tolist() == again


@pytest.mark.parametrize(("name", "every"), REGIONS)
def test_second_guesses_have_one_mark_if_they_make_one_partition(name: str, every: int) -> None:
    board = Board.parse(name)
    engine = Engine(board)
    region = engine.space.everything[::every].copy()
    secrets = [engine.space.code(int(place)) for place in region]
    inside = [guess in secrets for guess in codes(board)]
    made = list(zip(inside, partitions(board, secrets), strict=True))
    guesses = engine.space.everything
    _, _, marks = survey(engine.data, engine.workspaces[0], region, guesses, engine.worst)
    assert len(set(marks.tolist())) == len(set(made))
    assert len(set(zip(marks.tolist(), made, strict=True))) == len(set(made))

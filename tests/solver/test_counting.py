from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from keypeg.rules.board import Board
from keypeg.solver.codes.compiled import kernel
from keypeg.solver.exact.counting import count_cells, count_strip
from keypeg.solver.exact.desk import STRIP, Desk, Game, seat
from keypeg.solver.exact.engine import Engine
from keypeg.solver.reference import partition

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from keypeg.rules.code import Code


@kernel
def cells_of(game: Game, desk: Desk, codes: NDArray[np.int32]) -> tuple[int, NDArray[np.uint8]]:
    seat(game, desk, 1, codes, len(codes))
    most = count_cells(game, desk, 1, len(codes))
    return most, desk.split[: len(game.keys)].copy()


@kernel
def counts_of(
    game: Game, desk: Desk, codes: NDArray[np.int32], start: int, size: int
) -> NDArray[np.uint16]:
    seat(game, desk, 1, codes, len(codes))
    count_strip(game, desk, 1, len(codes), start, size)
    return desk.many[:, :size].copy()


def region(engine: Engine, every: int) -> tuple[NDArray[np.int32], list[Code]]:
    """Every so manieth code, as places and as the rules write them."""
    places = engine.space.everything[::every].copy()
    return places, [engine.space.code(int(place)) for place in places]


@pytest.mark.parametrize(("name", "every"), [("4x3", 7), ("3x5n", 3), ("4x4b", 40)])
def test_cells_are_counted_as_the_reference_counts_them(name: str, every: int) -> None:
    engine = Engine(Board.parse(name))
    places, codes = region(engine, every)
    most, cells = cells_of(engine.game, engine.desks[0], places)
    slow = [len(partition(engine.space.code(g), codes)) for g in range(len(engine.space))]
    assert cells.tolist() == slow
    assert most == max(slow)


@pytest.mark.parametrize("every", [1, 2, 9])
def test_strips_are_counted_as_the_reference_counts_them(every: int) -> None:
    """All 625 codes of the board overflow a byte and reach past one strip."""
    engine = Engine(Board.parse("4x5"))
    places, codes = region(engine, every)
    start = STRIP
    size = len(engine.space) - start
    counts = counts_of(engine.game, engine.desks[0], places, start, size)
    key_pegs = engine.space.answers.key_pegs
    for guess in range(0, size, 10):
        cells = partition(engine.space.code(start + guess), codes)
        assert counts[:, guess].tolist() == [len(cells.get(keys, [])) for keys in key_pegs]

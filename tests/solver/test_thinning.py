from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.solver.fitting.constraints import Constraints
from keypeg.solver.fitting.layers import next_layer, root
from keypeg.solver.fitting.thinning import _chances, thin

promises = st.lists(st.floats(1e-9, 1e9), min_size=2, max_size=50)


@given(promises, st.integers(1, 49))
def test_chances_fill_the_room_and_follow_promise(promise: list[float], width: int) -> None:
    width = min(width, len(promise) - 1)
    chance = _chances(np.array(promise), width)
    assert chance.max() <= 1
    assert chance.min() > 0
    assert chance.sum() == pytest.approx(width)
    shared = chance < 1
    ratio = chance[shared] / np.array(promise)[shared]
    assert ratio == pytest.approx(ratio.max(initial=0))


def test_what_is_kept_stands_for_what_is_not() -> None:
    board = Board.parse("8x12")
    known = Constraints(board, (), (1, 1, 2, 2, 3, 3, 4, 4), 1000)
    nodes = root(known)
    for hole in range(4):
        nodes, arcs = next_layer(known, nodes, hole)
    weights = [
        thin(known, nodes, arcs, 3, 20, np.random.default_rng(seed))[0].weight.sum()
        for seed in range(200)
    ]
    assert np.mean(weights) == pytest.approx(nodes.weight.sum(), rel=0.02)

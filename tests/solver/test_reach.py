from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.solver import reference
from keypeg.solver.fitting.constraints import Constraints
from keypeg.solver.fitting.layers import next_layer, root
from keypeg.solver.history import History, parse_history

from .histories import truthful


@settings(max_examples=60)
@given(truthful(), st.sampled_from([1, 1000]))
def test_looking_ahead_denies_no_prefix_of_a_code_that_fits(
    position: tuple[Board, History], width: int
) -> None:
    board, history = position
    known = Constraints(board, history, None, width)
    fitting = np.array(reference.consistent(board, history), np.uint8).reshape(-1, board.holes)
    guesses = np.array([guess for guess, _ in history], np.uint8).reshape(-1, board.holes)
    for hole in range(1, board.holes):
        prefix = fitting[:, :hole]
        given_black = (guesses[:, None, :hole] == prefix).sum(axis=2)
        counts = np.array([(prefix == peg).sum(axis=1) for peg in known.guessed], np.int64)
        used = np.minimum(counts.reshape(len(known.guessed), len(fitting)), known.most[:-1, None])
        black = (known.black[:, None] - given_black).astype(np.uint8)
        assert known.reach.possible(hole, black, used.astype(np.uint8)).all()


def test_looking_ahead_denies_what_cannot_be_completed() -> None:
    board = Board.parse("3x3")
    history = parse_history(["112=2 0", "222=0 0", "333=1 0"], board)
    known = Constraints(board, history, None, 1000)
    nodes, arcs = next_layer(known, root(known), 0)
    possible = known.reach.possible(1, nodes.black, nodes.used)
    # Only 113 fits. A 3 in front breaks no row yet, but then 112 cannot get its two blacks.
    pegs = [known.guessed[colour] for colour in arcs.colour]
    assert dict(zip(pegs, possible[arcs.child].tolist(), strict=True)) == {1: True, 3: False}

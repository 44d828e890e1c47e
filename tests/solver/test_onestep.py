from __future__ import annotations

import numpy as np
import pytest

from keypeg.rules.board import Board
from keypeg.rules.keypegs import score
from keypeg.solver import reference
from keypeg.solver.codes.codespace import codespace
from keypeg.solver.codes.symmetry import Symmetry, useful
from keypeg.solver.playing.onestep import partitioned, plant, worthwhile
from keypeg.solver.playing.strategies import RULES, costs_of


@pytest.mark.parametrize(
    "board", [Board(3, 4), Board(3, 3, blanks=True), Board(3, 5, repeats=False)]
)
@pytest.mark.parametrize("name", sorted(RULES))
def test_a_grown_tree_finds_every_secret_when_it_is_followed(board: Board, name: str) -> None:
    space = codespace(board)
    tree = plant(space, costs_of(RULES[name], len(space)), 1)
    children = {
        (int(parent), space.answers.key_pegs[answer]): node
        for node, (parent, answer) in enumerate(zip(tree.parent, tree.answer, strict=True))
    }
    total = 0
    for secret in reference.codes(board):
        node, guesses = 0, 1
        while (guess := space.code(int(tree.guess[node]))) != secret:
            node, guesses = children[node, score(secret, guess)], guesses + 1
        assert guesses == tree.depth[node]
        total += guesses
    assert total == tree.totals[0]


def test_a_partition_leaves_out_the_answer_that_wins() -> None:
    board = Board(3, 4)
    space = codespace(board)
    cells = partitioned(space, space.everything, space.index((1, 1, 2)))
    expected = reference.partition((1, 1, 2), reference.codes(board))
    assert {
        space.answers.key_pegs[answer]: [space.code(i) for i in cell] for answer, cell in cells
    } == {keys: cell for keys, cell in expected.items() if keys != (3, 0)}


@pytest.mark.parametrize("repeats", [True, False])
def test_the_guesses_worth_trying_are_those_that_symmetry_leaves(repeats: bool) -> None:
    space = codespace(Board(3, 6, repeats=repeats))
    guess = space.index((1, 2, 3))
    for _, cell in partitioned(space, space.everything, guess):
        present = int(np.bitwise_or.reduce(space.colours[cell]))
        kept = worthwhile(space.arrays, np.int64(present), np.int64(space.colours[guess]))
        exact = useful(space, Symmetry.of(space, (guess,)).canonical, cell)
        assert set(exact.tolist()) <= set(kept.tolist()) < set(range(len(space)))

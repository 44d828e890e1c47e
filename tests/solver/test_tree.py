from __future__ import annotations

import numpy as np
import pytest

from keypeg.rules.board import Board
from keypeg.solver.search import prove
from keypeg.solver.tree import Tree


@pytest.mark.parametrize("name", ["2x2", "3x4", "4x5n", "5x2"])
def test_a_tree_survives_packing(name: str) -> None:
    tree = prove(Board.parse(name)).tree
    again = Tree.unpacked(tree.packed(), tree.children.shape[1])
    assert again.distribution == tree.distribution
    assert again.packed() == tree.packed()


def test_the_distribution_counts_every_code_once() -> None:
    tree = prove(Board.parse("3x4")).tree
    assert tree.codes == 64
    assert tree.total == 206
    assert sum(tree.distribution) == np.count_nonzero(tree.children[:, -1] == 0)

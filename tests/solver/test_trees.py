from __future__ import annotations

import numpy as np

from keypeg.solver.codes.trees import ROOT, Tree, branches, join, single


def test_a_single_node_finds_one_code() -> None:
    tree = single(7, 1)
    assert (tree.totals.tolist(), tree.distribution) == ([1], {1: 1})


def test_a_tree_adds_up_its_guesses_from_the_leaves() -> None:
    tree = Tree(
        parent=np.array([ROOT, 0, 0, 2], np.int32),
        answer=np.array([0, 1, 2, 1], np.uint8),
        guess=np.array([5, 6, 7, 8], np.int32),
        size=np.array([4, 1, 2, 1], np.int32),
    )
    assert tree.depth.tolist() == [1, 2, 2, 3]
    assert tree.wins.tolist() == [1, 1, 1, 1]
    assert tree.totals.tolist() == [8, 1, 3, 1]
    assert tree.distribution == {1: 1, 2: 2, 3: 1}


def test_a_guess_that_cannot_be_the_secret_finds_nothing_itself() -> None:
    tree = join(single(9, 2), [(0, 3, single(1, 1)), (0, 4, single(2, 1))])
    assert tree.wins.tolist() == [0, 1, 1]
    assert tree.distribution == {2: 2}


def test_joined_trees_hang_where_they_are_told() -> None:
    pair = join(single(1, 2), [(0, 5, single(2, 1))])
    tree = join(single(0, 4), [(0, 2, pair), (0, 3, single(3, 1))])
    assert tree.parent.tolist() == [ROOT, 0, 1, 0]
    assert tree.answer.tolist() == [0, 2, 5, 3]
    assert tree.guess.tolist() == [0, 1, 2, 3]


def test_branches_are_what_was_joined() -> None:
    pair = join(single(1, 2), [(0, 5, single(2, 1))])
    parts = {2: pair, 3: single(3, 1), 7: join(single(4, 3), [(0, 1, pair)])}
    tree = join(single(0, 7), [(0, answer, part) for answer, part in parts.items()])
    found = branches(tree)
    assert found.keys() == parts.keys()
    for answer, part in parts.items():
        for name in ("parent", "answer", "guess", "size"):
            assert getattr(found[answer], name).tolist() == getattr(part, name).tolist()

from __future__ import annotations

import numpy as np

from keypeg.solver.codes.costs import first_costs, learned_costs


def test_nothing_learned_leaves_the_first_costs() -> None:
    nothing = np.zeros(101, np.int64)
    assert (learned_costs(nothing, nothing, 14) == first_costs(100, 14)).all()


def test_one_and_two_codes_cost_what_they_take() -> None:
    sizes = np.arange(101)
    costs = learned_costs(4 * sizes, np.ones(101, np.int64), 14)
    assert costs[1:3].tolist() == [1, 3]


def test_learned_costs_follow_what_was_solved() -> None:
    sizes = np.arange(101)
    costs = learned_costs(40 * sizes, np.full(101, 10), 14)
    assert np.allclose(costs[10:90], 4 * sizes[10:90], rtol=0.05)

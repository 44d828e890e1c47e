"""Thinning a layer too wide to keep: fewer nodes, each with a known chance of being kept.

Weighing what is kept by one over its chance keeps counts unbiased, whatever the chances
(Horvitz and Thompson, 1952); choosing them by promise keeps the spread small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from keypeg.solver.fitting.layers import keep

if TYPE_CHECKING:
    from keypeg.solver.codes.arrays import Reals
    from keypeg.solver.fitting.constraints import Constraints
    from keypeg.solver.fitting.layers import Arcs, Nodes


def thin(
    known: Constraints,
    nodes: Nodes,
    arcs: Arcs,
    hole: int,
    width: int,
    rng: np.random.Generator,
) -> tuple[Nodes, Arcs]:
    """About `width` of the nodes, drawn by promise, each with the probability that it was kept."""
    chance = _chances(nodes.weight * _promise(known, nodes, hole + 1), width)
    mark = np.floor(np.cumsum(chance) + rng.random())
    chosen = np.flatnonzero((np.diff(mark, prepend=0.0) > 0) | (chance >= 1))
    nodes, arcs = keep(nodes, arcs._replace(chance=chance), chosen)
    return nodes._replace(weight=nodes.weight / arcs.chance), arcs


def _chances(promise: Reals, width: int) -> Reals:
    """Chances of at most 1 in proportion to `promise`, adding up to `width`.

    Fearnhead and Clifford, "On-line inference for hidden Markov models", 2003.
    """
    ordered = np.sort(promise)
    rest = np.cumsum(ordered)
    sure = np.arange(ordered.size - 1, -1, -1)
    # With the `sure` largest kept for certain, the others share what room is left.
    with np.errstate(divide="ignore"):
        scale = (width - sure) / rest
    fits = np.flatnonzero((width > sure) & (scale * ordered <= 1))
    chance: Reals = np.minimum(1.0, promise * scale[fits[-1]])
    return chance


def _promise(known: Constraints, nodes: Nodes, hole: int) -> Reals:
    """How likely random pegs would explain what is left, rows taken as independent."""
    left = known.board.holes - hole
    symbols = len(known.board.symbols)
    chance = np.ones(nodes.weight.size)
    black = _binomial(left, 1, symbols)
    total = np.array([_binomial(left, kinds, symbols) for kinds in range(symbols + 1)])
    for row in range(known.bound):
        raising = np.zeros(nodes.weight.size, np.uint8)
        for colour in np.flatnonzero(known.multiplicity[row]):
            raising += known.multiplicity[row, colour] > nodes.used[colour]
        chance *= black[nodes.black[row]] * total[raising, nodes.total[row]]
    return np.maximum(chance, 1e-300)


def _binomial(tries: int, kinds: int, symbols: int) -> Reals:
    """The chance of each number of hits, a hit being `kinds` of `symbols`."""
    row = np.ones(1)
    for _ in range(tries):
        hit = np.append(0.0, row) * kinds
        row = (hit + np.append(row, 0.0) * (symbols - kinds)) / symbols
    return row

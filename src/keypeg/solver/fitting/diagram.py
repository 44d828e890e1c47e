"""The codes that fit a history, as a decision diagram: a layer for each hole, an arc for each peg.

Prefixes that leave the same to be explained by the holes after them are one node. So the diagram
is often small even if the codes are far too many to list, and counting, listing and drawing from
it are exact. A layer wider than asked for is thinned at random with known probabilities; then
counts are unbiased estimates, draws are only nearly uniform, and `exact` is false
(stochastic enumeration: Rubinstein, Ridder, Vaisman, "Fast Sequential Monte Carlo Methods for
Counting and Optimization", 2014).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.rules.keypegs import KeyPegs
from keypeg.solver.fitting.constraints import Constraints
from keypeg.solver.fitting.layers import added, next_layer, root
from keypeg.solver.fitting.thinning import thin
from keypeg.solver.progress import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.solver.codes.arrays import Bytes, Flags, Indices, Reals, Words
    from keypeg.solver.fitting.layers import Arcs, Nodes
    from keypeg.solver.history import History


WIDTH: Final = 1 << 17
"""The widest layer that is kept whole by default: up to 350 MB on the largest boards."""

_SATURATED = 1 << 56


@dataclass(frozen=True)
class Diagram:
    """The fitting codes. Where `exact` is false some may be missing; see `count`."""

    board: Board
    exact: bool
    answers: dict[KeyPegs, int]
    """How many of the codes give each answer to the guess `split`; empty without one."""
    _known: Constraints
    _arcs: tuple[Arcs, ...]
    _paths: tuple[Words, ...]
    """For each layer and node, how many codes hang below it, modulo 2**64."""
    _sizes: tuple[Reals, ...]
    """The same, to the precision of a float but of any size."""
    _weights: tuple[Reals, ...]
    """The same, each code weighed by how unlikely it was to be kept."""

    @property
    def count(self) -> int:
        """How many codes fit: the number itself, or an unbiased estimate if not `exact`."""
        about = float(self._weights[0][0])
        return _whole(int(self._paths[0][0]), about) if self.exact else round(about)

    @property
    def held(self) -> int:
        """How many codes the diagram holds, all of them fitting; at most 2**56 are counted."""
        return int(self._saturated(0)[0])

    def codes(self, limit: int) -> Bytes:
        """Up to `limit` of the codes held, one on each line, in the diagram's own fixed order."""
        ranks = np.arange(min(limit, self.held), dtype=np.int64)
        return self._walk(ranks.size, _ByRank(self, ranks))

    def sample(self, size: int, rng: np.random.Generator) -> Bytes:
        """`size` codes drawn with replacement: uniform if `exact`, else nearly so."""
        return self._walk(size if self.held else 0, _AtRandom(self, rng))

    def _saturated(self, layer: int) -> Indices:
        small = self._sizes[layer] < _SATURATED
        return np.where(small, self._paths[layer], _SATURATED).astype(np.int64)

    def _walk(self, size: int, choice: _ByRank | _AtRandom) -> Bytes:
        """Follow arcs from the root for `size` codes at once, each chosen by `choice`."""
        known = self._known
        node = np.zeros(size, np.int64)
        colours = np.empty((size, self.board.holes), np.uint8)
        members = np.empty((size, self.board.holes), np.uint8)
        for hole, arcs in enumerate(self._arcs):
            first = np.searchsorted(arcs.parent, node)
            degree = np.searchsorted(arcs.parent, node, side="right") - first
            reach = np.arange(int(degree.max(initial=0)))
            arc = np.minimum(first[:, None] + reach, arcs.parent.size - 1)
            taken, member = choice(hole, arc, reach < degree[:, None])
            node = arcs.child[taken].astype(np.int64)
            colours[:, hole] = arcs.colour[taken]
            members[:, hole] = member
        return self._pegs(known, colours, members)

    def _pegs(self, known: Constraints, colours: Bytes, members: Bytes) -> Bytes:
        """Colours and, for those never guessed, which of them, as the board's own pegs."""
        names = np.array([*known.guessed, 0], np.uint8)
        codes = names[colours]
        unguessed = colours == len(known.guessed)
        if self.board.repeats:
            codes[unguessed] = known.others[members[unguessed]]
            return codes
        for code, here, choice in zip(codes, unguessed, members, strict=True):
            left = known.others.tolist()
            code[here] = [left.pop(int(member)) for member in choice[here]]
        return codes


class _ByRank:
    """Takes the arc that holds the code of a given rank."""

    def __init__(self, diagram: Diagram, ranks: Indices) -> None:
        self._diagram = diagram
        self._ranks = ranks

    def __call__(self, hole: int, arc: Indices, real: Flags) -> tuple[Indices, Indices]:
        arcs = self._diagram._arcs[hole]
        below = self._diagram._saturated(hole + 1)[arcs.child[arc]]
        size = np.where(real, np.minimum(below * arcs.ways[arc], _SATURATED), 0)
        upto = np.cumsum(size, axis=1)
        pick = (upto <= self._ranks[:, None]).sum(axis=1)
        line = np.arange(pick.size)
        rank = self._ranks - (upto - size)[line, pick]
        member, self._ranks = np.divmod(rank, below[line, pick])
        return arc[line, pick], member


class _AtRandom:
    """Takes arcs in proportion to the codes behind them."""

    def __init__(self, diagram: Diagram, rng: np.random.Generator) -> None:
        self._diagram = diagram
        self._rng = rng

    def __call__(self, hole: int, arc: Indices, real: Flags) -> tuple[Indices, Indices]:
        arcs = self._diagram._arcs[hole]
        child = arcs.child[arc]
        weight = self._diagram._weights[hole + 1][child] / arcs.chance[child] * arcs.ways[arc]
        upto = np.cumsum(np.where(real, weight, 0.0), axis=1)
        point = self._rng.random((arc.shape[0], 1)) * upto[:, -1:]
        line = np.arange(arc.shape[0])
        taken = arc[line, np.minimum((upto <= point).sum(axis=1), arc.shape[1] - 1)]
        return taken, self._rng.integers(0, arcs.ways[taken])


def diagram(
    board: Board,
    history: History,
    *,
    split: Code | None = None,
    width: int = WIDTH,
    seed: int = 0,
    cancelled: Callable[[], bool] | None = None,
) -> Diagram:
    """The diagram of the codes of `board` that fit `history`.

    With `split`, it also counts how those codes would answer that guess. A layer of more than
    `width` nodes is thinned to that many, repeatably under `seed`.
    """
    known = Constraints(board, history, split, width)
    rng = np.random.default_rng(seed)
    nodes = root(known)
    layers: list[Arcs] = []
    exact = True
    for hole in range(board.holes):
        if cancelled is not None and cancelled():
            raise Cancelled("stopped while counting the codes that fit")
        nodes, arcs = next_layer(known, nodes, hole)
        if nodes.weight.size > width:
            nodes, arcs = thin(known, nodes, arcs, hole, width, rng)
            exact = False
        layers.append(arcs)
    answers = {} if split is None else _ends(known, layers, nodes)
    sums = _count_up(layers, nodes.weight.size)
    return Diagram(board, exact, answers, known, tuple(layers), *sums)


def _count_up(
    layers: Sequence[Arcs], ends: int
) -> tuple[tuple[Words, ...], tuple[Reals, ...], tuple[Reals, ...]]:
    """For each node the codes below it, from the last layer to the root, in three ways."""
    paths, sizes, weights = [np.ones(ends, np.uint64)], [np.ones(ends)], [np.ones(ends)]
    nodes = [1, *(arcs.chance.size for arcs in layers[:-1])]
    for arcs, size in zip(reversed(layers), reversed(nodes), strict=True):
        below = np.zeros(size, np.uint64)
        np.add.at(below, arcs.parent, paths[-1][arcs.child] * arcs.ways)
        paths.append(below)
        for values, share in ((sizes, sizes[-1]), (weights, weights[-1] / arcs.chance)):
            values.append(added(arcs.parent, share[arcs.child] * arcs.ways, size))
    return tuple(reversed(paths)), tuple(reversed(sizes)), tuple(reversed(weights))


def _ends(known: Constraints, layers: Sequence[Arcs], nodes: Nodes) -> dict[KeyPegs, int]:
    """The answers to `split` and how many codes give each."""
    paths = np.ones(1, np.uint64)
    for arcs in layers:
        above, paths = paths, np.zeros(arcs.chance.size, np.uint64)
        np.add.at(paths, arcs.child, above[arcs.parent] * arcs.ways)
    exact = all((arcs.chance == 1).all() for arcs in layers)
    holes = known.board.holes
    found = {}
    for black, total, low, about in zip(
        nodes.black[-1], nodes.total[-1], paths, nodes.weight, strict=True
    ):
        keys = KeyPegs(holes - int(black), int(black) - int(total))
        found[keys] = _whole(int(low), float(about)) if exact else round(about)
    return found


def _whole(low: int, about: float) -> int:
    """The whole number near `about` that is `low` modulo 2**64."""
    return low + (round((about - low) / 2**64) << 64)

"""One layer of a decision diagram from the one before: what may fill the next hole.

A node is what the holes filled so far leave to be explained: for each row the key pegs still
missing, and how often each guessed colour has been used, up to where it stops to matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from keypeg.solver.codes.arrays import Bytes, Indices, Places, Reals, Words
    from keypeg.solver.fitting.constraints import Constraints

NARROW = 1 << 11
"""Up to this width, keeping a layer costs less than looking ahead to make it narrower."""


class Nodes(NamedTuple):
    """One layer while it is built: arrays with a column for each node."""

    key: Words
    black: Bytes
    total: Bytes
    used: Bytes
    weight: Reals

    def only(self, chosen: Indices) -> Nodes:
        """The chosen columns."""
        key, black, total, used, weight = self
        part = (key[:, chosen], black[:, chosen], total[:, chosen], used[:, chosen])
        return Nodes(*part, weight[chosen])


class Arcs(NamedTuple):
    """From one layer to the next, sorted by parent. `ways` counts the pegs an arc stands for."""

    parent: Places
    child: Places
    colour: Bytes
    ways: Bytes
    chance: Reals
    """Of each child: how likely it was to be kept when its layer was thinned."""


def root(known: Constraints) -> Nodes:
    """The one node before any hole is filled: everything is left to explain."""
    column = known.black[:, None]
    return Nodes(
        key=(known.row_weights * known.black.astype(np.uint64)).sum(axis=1, keepdims=True),
        black=column,
        total=known.total[:, None],
        used=np.zeros((len(known.guessed), 1), np.uint8),
        weight=np.ones(1),
    )


def next_layer(known: Constraints, nodes: Nodes, hole: int) -> tuple[Nodes, Arcs]:
    """Every way to fill `hole` that no row rules out, with equal nodes merged."""
    parent, colour, ways = _fillings(known, nodes, hole)
    key = _keys(known, nodes, hole, parent, colour)
    if hole == known.board.holes - 1:
        key = _last_keys(known, nodes, hole, parent, colour)
    first, child = _merge(key)
    weight = added(child, nodes.weight[parent] * ways, first.size)
    reached = _step(known, nodes, hole, parent[first], colour[first])._replace(
        key=key[:, first], weight=weight
    )
    places = parent.astype(np.int32), child.astype(np.int32)
    arcs = Arcs(*places, colour, ways, np.ones(first.size))
    if first.size <= NARROW:
        return reached, arcs
    bound = reached.black[: known.bound]
    return keep(reached, arcs, np.flatnonzero(known.reach.possible(hole + 1, bound, reached.used)))


def _fillings(known: Constraints, nodes: Nodes, hole: int) -> tuple[Indices, Bytes, Bytes]:
    """(node, colour, ways) of each peg that may go into `hole`, by node."""
    left = known.board.holes - hole
    black, total = nodes.black[: known.bound], nodes.total[: known.bound]
    no_black, all_black = np.packbits(black == 0, axis=0), np.packbits(black == left, axis=0)
    no_total, all_total = np.packbits(total == 0, axis=0), np.packbits(total == left, axis=0)
    ways = _ways(known, nodes, hole)
    for colour in range(len(known.guessed) + 1):
        matches = known.match_bits[:, hole, colour, None]
        adds = _adds(known, nodes, colour)
        wrong = (no_black & matches) | (all_black & ~matches)
        wrong |= (no_total & adds) | (all_total & ~adds)
        ways[wrong.any(axis=0), colour] = 0
    node, chosen = np.nonzero(ways)
    return node, chosen.astype(np.uint8), ways[node, chosen]


def _ways(known: Constraints, nodes: Nodes, hole: int) -> Bytes:
    """[node, colour]: how many pegs each node may still take; the last colour is any unguessed."""
    ways = np.ones((nodes.weight.size, len(known.guessed) + 1), np.uint8)
    ways[:, -1] = known.others.size
    if not known.board.repeats:
        ways[:, :-1] = (nodes.used == 0).T
        ways[:, -1] -= hole - nodes.used.sum(axis=0, dtype=np.uint8)
    return ways


def _adds(known: Constraints, nodes: Nodes, colour: int) -> Bytes:
    """The rows, as bits, whose total one more peg of `colour` raises."""
    if colour == len(known.guessed):
        return np.zeros((known.add_bits.shape[0], 1), np.uint8)
    return known.add_bits[:, colour, nodes.used[colour]]


def _keys(known: Constraints, nodes: Nodes, hole: int, parent: Indices, colour: Bytes) -> Words:
    matches = known.matches[:, hole].astype(np.uint64)
    blacks = (known.row_weights[:, :, None] * matches).sum(axis=1)
    weights = np.pad(known.colour_weights, ((0, 0), (0, 1)))
    counted = _before(nodes, parent, colour) < known.most[colour]
    key: Words = nodes.key[:, parent] - blacks[:, colour] + weights[:, colour] * counted
    return key


def _last_keys(
    known: Constraints, nodes: Nodes, hole: int, parent: Indices, colour: Bytes
) -> Words:
    """Once every hole is filled, codes differ only in their answer to `split`."""
    if known.rows == known.bound:
        return np.zeros((1, parent.size), np.uint64)
    adds = known.multiplicity[-1, colour] > _before(nodes, parent, colour)
    black = nodes.black[-1, parent] - known.matches[-1, hole, colour]
    total = nodes.total[-1, parent] - adds
    key: Words = black[None, :].astype(np.uint64) * 32 + total
    return key


def _before(nodes: Nodes, parent: Indices, colour: Bytes) -> Bytes:
    """How often each parent has used the colour that is added; 0 for one never guessed."""
    padded = np.concatenate([nodes.used, np.zeros((1, nodes.weight.size), np.uint8)])
    before: Bytes = padded[colour, parent]
    return before


def added(place: Indices | Places, value: Reals, size: int) -> Reals:
    """The values added up by place, for `size` places."""
    return np.bincount(place, value, minlength=size).astype(np.float64)


def _step(known: Constraints, nodes: Nodes, hole: int, parent: Indices, colour: Bytes) -> Nodes:
    """What is left to explain after each parent takes its colour."""
    before = _before(nodes, parent, colour)
    used = nodes.used[:, parent]
    raised = np.flatnonzero(before < known.most[colour])
    used[colour[raised], raised] += 1
    black = nodes.black[:, parent] - known.matches[:, hole, colour]
    total = nodes.total[:, parent] - (known.multiplicity[:, colour] > before)
    return Nodes(nodes.key[:, :0], black, total, used, nodes.weight[:0])


def _merge(key: Words) -> tuple[Indices, Indices]:
    """The first of each distinct key, and for each key which distinct one it is."""
    order = np.argsort(key[0]) if len(key) == 1 else np.lexsort(key)
    ordered = key[:, order]
    fresh = np.ones(order.size, bool)
    fresh[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    child = np.empty(order.size, np.int64)
    child[order] = np.cumsum(fresh) - 1
    return order[fresh], child


def keep(nodes: Nodes, arcs: Arcs, chosen: Indices) -> tuple[Nodes, Arcs]:
    """Only the chosen nodes of a layer, and the arcs to them."""
    if chosen.size == nodes.weight.size:
        return nodes, arcs
    place = np.full(nodes.weight.size, -1, np.int32)
    place[chosen] = np.arange(chosen.size)
    child = place[arcs.child]
    kept = np.flatnonzero(child >= 0)
    return nodes.only(chosen), Arcs(
        arcs.parent[kept], child[kept], arcs.colour[kept], arcs.ways[kept], arcs.chance[chosen]
    )

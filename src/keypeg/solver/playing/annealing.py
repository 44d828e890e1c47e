"""Looking for a code that fits, or nearly fits, where there are too many to go through.

This is simulated annealing: one peg is changed at a time, or two pegs change places, at random
while the temperature is high and only for the better as it falls. The distance of a code is the
number of key pegs by which its answers are wrong, over all rows: 0 means that it fits. The codes
found are not a uniform draw: some codes that fit are likelier than others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.solver.codes.compiled import kernel
from keypeg.solver.codes.kernels import mixed

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.solver.codes.arrays import Bytes, Indices
    from keypeg.solver.history import History

STEPS: Final = 1 << 15
"""Changes tried for one code."""

HOT, COLD = 1.5, 0.25
"""The increase in distance that is accepted with probability 1/e, at the start and at the end."""


def settle(board: Board, history: History, codes: Bytes, seed: int) -> tuple[Bytes, Indices]:
    """A better code from each of `codes`, and its distance; repeatable under `seed`."""
    first = board.symbols[0]
    guesses = np.array([guess for guess, _ in history], np.uint8) - np.uint8(first)
    black = np.array([keys.black for _, keys in history], np.int64)
    total = np.array([sum(keys) for _, keys in history], np.int64)
    settled = codes - np.uint8(first)
    distance = _anneal(
        settled, guesses, black, total, len(board.symbols), board.repeats, STEPS, np.uint64(seed)
    )
    return settled + np.uint8(first), distance


@kernel
def _anneal(
    codes: Bytes,
    guesses: Bytes,
    black: Indices,
    total: Indices,
    symbols: int,
    repeats: bool,
    steps: int,
    seed: np.uint64,
) -> Indices:
    """Replace each code by the nearest one met on its way; returns the distances."""
    rows = len(guesses)
    counts = np.zeros((rows, symbols), np.int64)
    for row in range(rows):
        for peg in guesses[row]:
            counts[row, peg] += 1
    least = np.empty(len(codes), np.int64)
    more = np.empty((2, rows), np.int64)
    dice = mixed(seed)
    for place in range(len(codes)):
        code = codes[place].copy()
        used = np.zeros(symbols, np.int64)
        for peg in code:
            used[peg] += 1
        excess = _excess(code, used, guesses, counts, black, total)
        now = np.abs(excess).sum()
        least[place] = now
        for step in range(steps):
            if least[place] == 0:
                break
            dice = mixed(dice + np.uint64(step))
            hole, other, peg = _change(dice, code, used, repeats)
            if peg == code[hole]:
                continue
            then = _effect(code, used, guesses, counts, hole, other, peg, excess, more)
            heat = HOT * (COLD / HOT) ** (step / steps)
            luck = np.float64(dice >> np.uint64(48)) / 65536.0
            if then > now and luck >= np.exp((now - then) / heat):
                continue
            now = then
            excess += more
            _make(code, used, hole, other, peg)
            if now < least[place]:
                least[place] = now
                codes[place] = code
    return least


@kernel
def _excess(
    code: Bytes, used: Indices, guesses: Bytes, counts: Indices, black: Indices, total: Indices
) -> Indices:
    """By how many key pegs each row's answer would exceed its own: black, and in all."""
    excess = np.empty((2, len(guesses)), np.int64)
    for row in range(len(guesses)):
        excess[0, row] = -black[row]
        for hole in range(len(code)):
            excess[0, row] += code[hole] == guesses[row, hole]
        excess[1, row] = -total[row]
        for peg in range(len(used)):
            excess[1, row] += min(used[peg], counts[row, peg])
    return excess


@kernel
def _change(dice: np.uint64, code: Bytes, used: Indices, repeats: bool) -> tuple[int, int, int]:
    """A hole, another hole or -1, and the peg for the first; the other gets the old peg."""
    holes = len(code)
    hole = int(dice & np.uint64(0xFFFF)) % holes
    other = int(dice >> np.uint64(32) & np.uint64(0xFFFF)) % (2 * holes)
    if other < holes:
        return hole, other, int(code[other])
    peg = int(dice >> np.uint64(16) & np.uint64(0xFFFF)) % len(used)
    if not repeats and used[peg] > 0:
        for other in range(holes):
            if code[other] == peg:
                return hole, other, peg
    return hole, -1, peg


@kernel
def _effect(
    code: Bytes,
    used: Indices,
    guesses: Bytes,
    counts: Indices,
    hole: int,
    other: int,
    peg: int,
    excess: Indices,
    more: Indices,
) -> int:
    """The distance after a change; how many key pegs more each row would get, into `more`."""
    distance = 0
    old = np.int64(code[hole])
    for row in range(len(guesses)):
        more[0, row] = np.int64(guesses[row, hole] == peg) - np.int64(guesses[row, hole] == old)
        if other >= 0:
            more[0, row] += np.int64(guesses[row, other] == old)
            more[0, row] -= np.int64(guesses[row, other] == peg)
            more[1, row] = 0
        else:
            more[1, row] = np.int64(used[peg] < counts[row, peg])
            more[1, row] -= np.int64(used[old] <= counts[row, old])
        distance += abs(excess[0, row] + more[0, row]) + abs(excess[1, row] + more[1, row])
    return distance


@kernel
def _make(code: Bytes, used: Indices, hole: int, other: int, peg: int) -> None:
    """Make a change."""
    old = code[hole]
    code[hole] = peg
    if other >= 0:
        code[other] = old
    else:
        used[peg] += 1
        used[old] -= 1

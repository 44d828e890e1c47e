"""`evaluate` on a graphics processor."""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from keypeg.rules.code import check_code
from keypeg.rules.errors import KeypegError
from keypeg.solver.codes.codespace import codespace
from keypeg.solver.gpu.trees import Grower
from keypeg.solver.gpu.words import WordLayout
from keypeg.solver.playing.strategies import Evaluation, costs_of, rule_named
from keypeg.solver.progress import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from threading import Event

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.solver.codes.codespace import CodeSpace

MOST_SYMBOLS: Final = 32
"""A set of colours is a word of this many bits."""
MOST_HOLES: Final = 8
"""Boards with more holes have more answers than a multiprocessor has room to count for long."""


class NoGpu(KeypegError):
    """There is no graphics processor that can be used, or it cannot take the board."""


def evaluate_on_gpu(
    board: Board,
    strategy: str,
    first: Code | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | Event | None = None,
    tries: int | None = None,
) -> Evaluation:
    """What `strategies.evaluate` finds, with every different first guess tried if none is given.

    With `tries`, only that many guesses, drawn once, are tried at each region, and the region's own
    codes if they are few: for boards where trying all takes too long.
    """
    check_gpu()
    began = time.perf_counter()
    space, rule = codespace(board), rule_named(strategy)
    _check_board(space)
    if first is not None:
        check_code(first, board)
    firsts = list(first_guesses(space)) if first is None else [space.index(first)]
    watch = Watch(len(space) * len(firsts), progress, cancelled)
    grower = Grower(space, costs_of(rule, len(space)), watch, tries)
    found = [(grower.distribution(guess), guess) for guess in firsts]
    distribution, guess = min(found, key=lambda one: _total(one[0]))
    return Evaluation.of(space, guess, distribution, time.perf_counter() - began)


def check_gpu() -> None:
    """Raise NoGpu unless there is a graphics processor, and CuPy to use it."""
    if find_spec("cupy") is None:
        raise NoGpu("--gpu needs CuPy, which is not installed: pip install 'keypeg[gpu]'")
    import cupy  # noqa: PLC0415 - an extra

    try:
        found = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise NoGpu(f"no graphics processor can be used: {error}") from None
    if not found:
        raise NoGpu("no graphics processor was found")


def _check_board(space: CodeSpace) -> None:
    layout = WordLayout(space.holes, space.symbols)
    if not (space.enumerable and layout.fits and space.symbols <= MOST_SYMBOLS):
        raise NoGpu(f"{space.board} is too large for --gpu")
    if space.holes > MOST_HOLES:
        raise NoGpu(f"{space.board} has {space.holes} holes; --gpu takes at most {MOST_HOLES}")


def first_guesses(space: CodeSpace) -> Iterator[int]:
    """The smallest of all first guesses that differ: one for each way to share out the holes."""
    lowest = space.board.symbols[0]
    for shares in _partitions(space.holes, space.holes if space.repeats else 1):
        if len(shares) <= space.symbols:
            pegs = [lowest + symbol for symbol, share in enumerate(shares) for _ in range(share)]
            yield space.index(tuple(pegs))


def _partitions(holes: int, most: int) -> Iterator[tuple[int, ...]]:
    if not holes:
        yield ()
    for share in range(min(holes, most), 0, -1):
        for rest in _partitions(holes - share, share):
            yield (share, *rest)


def _total(distribution: dict[int, int]) -> int:
    return sum(guesses * codes for guesses, codes in distribution.items())

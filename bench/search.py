"""How long the proofs take, and what a minute of beam search finds."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bench import Row, bench
from keypeg.rules.board import Board
from keypeg.solver.books.book import read_book, shipped
from keypeg.solver.books.verifier import verify
from keypeg.solver.exact.search import prove

if TYPE_CHECKING:
    from collections.abc import Iterator

PROOFS = {
    "classic": (5625, 0.13),
    "classic-blanks": (11228, 10.0),
    "5x4": (3954, 4.0),
    "4x7n": (3639, 4.0),
    "5x5": (13496, 4.0),
    "4x8": (20471, 100.0),
    "4x10n": (26274, 75.0),
}
"""Totals proven before us, and the seconds allowed for proving them again on two cores.

5x6 is left out for its length: docs/books.md says how long its proof takes.
"""

AGAIN = 1.0


@bench
def proofs() -> Iterator[Row]:
    """The least total, proven; the best of five where that takes under a second."""
    prove(Board(3, 3))
    for name, (total, target) in PROOFS.items():
        board = Board.parse(name)
        runs = [prove(board)]
        while len(runs) < 5 and runs[0].seconds < AGAIN:
            runs.append(prove(board))
        best = min(runs, key=lambda run: run.seconds)
        if not best.proven or best.total != total:
            raise AssertionError(f"{name}: {best.total}, not {total}")
        yield Row(f"{name}: {best.total:,} proven, {best.nodes:,} nodes", best.seconds, target)


@bench
def books() -> Iterator[Row]:
    """Opening a shipped book and making its first guess; verifying it."""
    for name, path in shipped().items():
        began = time.perf_counter()
        book = read_book(path)
        book.guess()
        opened = time.perf_counter()
        verdict = verify(path)
        verified = time.perf_counter()
        yield Row(f"{name}: opened, first guess", opened - began, 0.050)
        yield Row(f"{name}: {verdict.total:,} verified", verified - opened, 60.0)

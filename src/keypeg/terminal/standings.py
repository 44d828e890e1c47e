"""Strategies compared, for a person or a program to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from keypeg.rules.board import Board
    from keypeg.solver.tournament import Standing

COLUMNS: Final = 6
"""Numbers of guesses in one table; more go into another below, to fit 80 columns."""


def as_lines(board: Board, standings: Sequence[Standing]) -> Iterator[str]:
    """The table, the best first; a star marks a sample."""
    most = max(standing.worst for standing in standings)
    yield f"{board}: secrets by the guesses needed"
    for first in range(1, most + 1, COLUMNS):
        guesses = range(first, min(first + COLUMNS, most + 1))
        columns = "".join(f"{n:>7}" for n in guesses)
        yield f"{'strategy':<13} {'average':>8} {'worst':>5} {'secrets':>9}{columns}"
        for standing in ranked(standings):
            many = f"{standing.secrets:,}{'*' if standing.sampled else ''}"
            counts = "".join(f"{standing.distribution.get(n, 0):>7}" for n in guesses)
            yield (
                f"{standing.name[-13:]:<13} {standing.average:>8.4f} {standing.worst:>5} "
                f"{many:>9}{counts}"
            )
    if any(standing.sampled for standing in standings):
        yield "* a sample: another one gives other figures"


def as_data(board: Board, standings: Sequence[Standing]) -> dict[str, Any]:
    """The same for a program."""
    return {
        "board": str(board),
        "strategies": [
            {
                "strategy": standing.name,
                "secrets": standing.secrets,
                "sampled": standing.sampled,
                "total": standing.total,
                "average": standing.average,
                "worst": standing.worst,
                "distribution": standing.distribution,
                "seconds": standing.seconds,
            }
            for standing in ranked(standings)
        ],
    }


def ranked(standings: Sequence[Standing]) -> list[Standing]:
    """The fewest guesses on average first."""
    return sorted(standings, key=lambda standing: standing.average)

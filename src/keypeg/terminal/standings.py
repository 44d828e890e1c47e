"""Strategies compared, told to a person or a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from keypeg.rules.board import Board
    from keypeg.solver.contest import Standing


def as_lines(board: Board, standings: Sequence[Standing]) -> Iterator[str]:
    """The table, the best first; a star marks a sample."""
    most = max(standing.worst for standing in standings)
    columns = "".join(f"{guesses:>6}" for guesses in range(1, most + 1))
    yield f"{board}: secrets by the guesses needed"
    yield f"{'strategy':<14} {'average':>8} {'worst':>5} {'secrets':>8}{columns}"
    for standing in ranked(standings):
        many = f"{standing.secrets:,}{'*' if standing.sampled else ''}"
        counts = "".join(f"{standing.distribution.get(n, 0):>6}" for n in range(1, most + 1))
        yield (
            f"{standing.name[-14:]:<14} {standing.average:>8.4f} {standing.worst:>5} {many:>8}"
            f"{counts}"
        )
    if any(standing.sampled for standing in standings):
        yield "* a sample: another one gives other figures"


def as_data(board: Board, standings: Sequence[Standing]) -> dict[str, Any]:
    """The same for a machine."""
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

"""Measurements of speed, memory and safety: `python -m bench [NAME ...]` writes bench/results.md.

A bench is a function that yields rows; `@bench` in any module of this package registers it under
its name. Rows have a target, and a ratio to the reference scorer in the same run, which makes
results of different machines comparable. What takes long has a command of its own: `load`,
`faults` and `secrecy`.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from keypeg.rules.board import Board
from keypeg.rules.keypegs import score
from keypeg.solver import reference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Bench = Callable[[], Iterable["Row"]]


@dataclass(frozen=True)
class Row:
    """One measurement: seconds, at most the target, or else a number per second, at least it.

    With a `unit` it is a number of those, such as guesses, and not a speed.
    """

    what: str
    value: float
    target: float
    within: bool = True
    unit: str = ""
    stretch: float | None = None
    """A better value to aim for, if there is one."""

    @property
    def met(self) -> bool:
        """Whether the target is reached."""
        return self.value <= self.target if self.within else self.value >= self.target

    @property
    def ratio(self) -> float:
        """Times the reference's speed, or how many reference scores take as long."""
        return self.value * pace() if self.within else self.value / pace()


BENCHES: Final[dict[str, Bench]] = {}
"""The benches by name."""


def bench(function: Bench) -> Bench:
    """Register a bench under its name."""
    BENCHES[function.__name__.replace("_", "-")] = function
    return function


def best_of(times: int, work: Callable[[], object]) -> float:
    """The fewest seconds `work` took, after one run that is not counted."""
    work()
    return min(_seconds(work) for _ in range(times))


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def percentile(times: list[float], share: float) -> float:
    """The time that this share of `times` did not exceed."""
    ordered = sorted(times) or [float("inf")]
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


@cache
def pace() -> float:
    """Scores per second of the reference, on classic codes, in this run."""
    codes = random.Random(1).sample(reference.codes(Board(4, 6)), 60)
    pairs = [(secret, guess) for secret in codes for guess in codes]
    return len(pairs) / best_of(5, lambda: [score(*pair) for pair in pairs])

"""Progress on standard error, shown only where that is a terminal."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Column

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from keypeg.solver.books.beam import BeamProgress
    from keypeg.solver.exact.lower_bounds import BoundProgress
    from keypeg.solver.exact.search import ProofProgress


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar; the callback takes how much is done, and of how much."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=None)

        def show(done: int, of: int) -> None:
            bar.update(task, completed=done, total=of)

        yield show


@contextmanager
def stages_bar() -> Iterator[Callable[[str, int, int], None]]:
    """A bar for work in stages; the callback takes the name of the stage first."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=None)

        def show(stage: str, done: int, of: int) -> None:
            bar.update(task, description=stage, completed=done, total=of)

        yield show


@contextmanager
def thinking() -> Iterator[None]:
    """A spinner while a guess is searched for."""
    console = Console(stderr=True)
    with console.status("thinking (the first time compiles, which takes a minute)"):
        yield


@contextmanager
def proof_bar() -> Iterator[Callable[[ProofProgress], None]]:
    """A bar for each first guess in turn, which advances by its second guesses."""
    with _search_bar() as bar:
        task = bar.add_task(_COMPILING, total=None, found="", nodes=0)
        settled = 0

        def show(progress: ProofProgress) -> None:
            nonlocal settled
            if progress.settled != settled:
                settled = progress.settled
                bar.reset(task)
            bar.update(
                task,
                description=f"first guess {min(settled + 1, progress.firsts)} of {progress.firsts}",
                completed=progress.done,
                total=progress.jobs,
                found=_least(progress.total),
                nodes=progress.nodes,
            )

        yield show


@contextmanager
def bound_bar() -> Iterator[Callable[[BoundProgress], None]]:
    """A bar for the cells of a first guess, with the bound so far."""
    with stages_bar() as show_stage:

        def show(progress: BoundProgress) -> None:
            stage = f"effort {progress.effort}, at least {progress.bound:,}"
            show_stage(stage, progress.done, progress.of)

        yield show


@contextmanager
def beam_bar() -> Iterator[Callable[[BeamProgress], None]]:
    """A bar for the share of the work that is done, with the least total so far."""
    with _search_bar() as bar:
        task = bar.add_task(_COMPILING, total=None, found="", nodes=0)

        def show(progress: BeamProgress) -> None:
            bar.update(
                task,
                description=f"stage {progress.stage} of {progress.stages}",
                completed=progress.share,
                total=1,
                found=_least(progress.total),
                nodes=progress.nodes,
            )

        yield show


_COMPILING: Final = "compiling (the first time: a minute)"
WIDE: Final = 100
"""Columns from which there is room for the number of positions."""


def _search_bar() -> Progress:
    console = Console(stderr=True)
    nodes = [TextColumn("{task.fields[nodes]:,} positions")] if console.width >= WIDE else []
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),  # it gives way, since the other columns are to be read
        TextColumn("{task.fields[found]}"),
        *nodes,
        TimeElapsedColumn(_time()),
        TextColumn("about"),
        TimeRemainingColumn(table_column=_time()),
        TextColumn("left"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
        speed_estimate_period=300,
    )


def _time() -> Column:
    return Column(no_wrap=True, min_width=len("0:00:00"))


def _least(total: int | None) -> str:
    return "no total yet" if total is None else f"least total {total:,}"


class Stop:
    """Whether to stop: when called after `minutes`, or after a signal."""

    def __init__(self, minutes: float | None) -> None:
        self._ends = None if minutes is None else time.monotonic() + 60 * minutes
        self.sign: int | None = None
        """The signal that came, if one has."""

    def __call__(self) -> bool:
        """Whether to stop now."""
        late = self._ends is not None and time.monotonic() >= self._ends
        return late or self.sign is not None

    def press(self, sign: int, *_: object) -> None:
        """Take note of a signal; a second one ends the program."""
        if self.sign is not None:
            raise KeyboardInterrupt
        self.sign = sign


@contextmanager
def until_stopped(minutes: float | None = None) -> Iterator[Stop]:
    """Whether to stop: after `minutes`, or on Ctrl+C or SIGTERM; a second signal ends the program.

    A signal that was ignored when the program started stays ignored, as for a background script.
    """
    stop = Stop(minutes)
    before = {
        sign: signal.signal(sign, stop.press)
        for sign in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(sign) is not signal.SIG_IGN
    }
    try:
        yield stop
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)

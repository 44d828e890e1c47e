"""Keeping whoever waits informed: progress on standard error, and only where a person looks."""

from __future__ import annotations

import signal
import threading
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from keypeg.solver.books.beam import Progress as BeamProgress
    from keypeg.solver.exact.search import Progress as ProofProgress


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar that the callback moves: so much is done, of so much."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=None)

        def told(done: int, of: int) -> None:
            bar.update(task, completed=done, total=of)

        yield told


@contextmanager
def stages_bar() -> Iterator[Callable[[str, int, int], None]]:
    """A bar for work in several stages, each told by its name."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=None)

        def told(stage: str, done: int, of: int) -> None:
            bar.update(task, description=stage, completed=done, total=of)

        yield told


@contextmanager
def thinking() -> Iterator[None]:
    """A sign of life while a guess is looked for."""
    console = Console(stderr=True)
    with console.status("thinking (the very first time compiles, which takes a minute)"):
        yield


@contextmanager
def proof_bar() -> Iterator[Callable[[ProofProgress], None]]:
    """A bar for each first guess in turn, which the callback moves by its second guesses."""
    with _search_bar() as bar:
        task = bar.add_task(_COMPILING, total=None, found="")
        settled = 0

        def told(progress: ProofProgress) -> None:
            nonlocal settled
            if progress.settled != settled:
                settled = progress.settled
                bar.reset(task)
            bar.update(
                task,
                description=f"first guess {min(settled + 1, progress.firsts)} of {progress.firsts}",
                completed=progress.done,
                total=progress.jobs,
                found=f"{_least(progress.total)}, {progress.nodes:,} positions",
            )

        yield told


@contextmanager
def beam_bar() -> Iterator[Callable[[BeamProgress], None]]:
    """A bar that the callback moves by the work that is done, with the least total."""
    with _search_bar() as bar:
        task = bar.add_task(_COMPILING, total=None, found="")

        def told(progress: BeamProgress) -> None:
            bar.update(
                task,
                description=f"stage {progress.stage} of {progress.stages}",
                completed=progress.share,
                total=1,
                found=f"{_least(progress.total)}, {progress.nodes:,} positions",
            )

        yield told


_COMPILING: Final = "searching (the very first time compiles, which takes a minute)"


def _search_bar() -> Progress:
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[found]}"),
        TimeElapsedColumn(),
        TextColumn("about"),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
        speed_estimate_period=300,
    )


def _least(total: int | None) -> str:
    return "no total yet" if total is None else f"least total {total:,}"


@contextmanager
def until_told(minutes: float | None = None) -> Iterator[Callable[[], bool]]:
    """Whether to stop: after `minutes`, on Ctrl+C or SIGTERM. The second time ends at once.

    Where the program was started to ignore Ctrl+C, as by a script in the background, it does.
    """
    ends = None if minutes is None else time.monotonic() + 60 * minutes
    pressed = threading.Event()

    def press(*_: object) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    before = {
        sign: signal.signal(sign, press)
        for sign in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(sign) is not signal.SIG_IGN
    }
    try:
        yield lambda: pressed.is_set() or (ends is not None and time.monotonic() >= ends)
    finally:
        for sign, handler in before.items():
            signal.signal(sign, handler)

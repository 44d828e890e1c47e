"""Keeping whoever waits informed: progress on standard error, and only where a person looks."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from keypeg.solver.search import Progress as SearchProgress


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
def search_status() -> Iterator[Callable[[SearchProgress], None]]:
    """A line that the callback renews while a proof is searched for."""
    console = Console(stderr=True)
    with console.status("searching (the very first time compiles, which takes a minute)") as status:

        def told(progress: SearchProgress) -> None:
            total = "none yet" if progress.total is None else f"{progress.total:,}"
            status.update(
                f"{progress.settled} of {progress.firsts} first guesses settled, "
                f"least total {total}, {progress.nodes:,} positions, {progress.seconds:.0f} s"
            )

        yield told

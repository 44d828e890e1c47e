"""Long runs that can be stopped: each finished round is a line of a file, and none is run again."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

Note = dict[str, Any]


def heed_signals() -> None:
    """Stop at SIGINT and SIGTERM, even where a shell made its background job ignore them."""
    for sign in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sign, signal.default_int_handler)


def read(state: Path) -> list[Note]:
    """The rounds that are finished."""
    if not state.exists():
        return []
    return [json.loads(line) for line in state.read_text("utf-8").splitlines()]


def add(state: Path, note: Note) -> None:
    """Keep a finished round."""
    with state.open("a", encoding="utf-8") as file:
        file.write(json.dumps(note) + "\n")


def total(done: list[Note], what: str) -> int:
    """The sum over all rounds."""
    return sum(note.get(what, 0) for note in done)


def stopped(state: Path) -> str:
    """What to say when a run was stopped."""
    return f"stopped; finished rounds are in {state}: run the same command again to go on"

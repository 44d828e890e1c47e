"""What was found: bench/atlas/atlas.json, a line for each board."""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench.atlas.boards import GAMES
from keypeg.files import atomic_file, lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Record = dict[str, Any]
"""Of a board: its total and how it was found; `within`, by the most guesses a code may take, the
least total then; `certificate`, of the proof."""

DATA: Final = Path(__file__).with_name("atlas.json")


SHORT_WAIT: Final = 0.01
"""Seconds between attempts to be alone with the file."""


def kept(file: Path = DATA) -> dict[str, Record]:
    """The records of earlier runs, by the names of the boards."""
    return json.loads(file.read_text("utf-8")) if file.exists() else {}


def keep(name: str, change: Callable[[Record], Record], file: Path = DATA) -> Record:
    """Change a board's record in the file, and nothing else in it; the new record.

    Several runs may do so at once: they wait for each other.
    """
    file = file.resolve()
    with _alone_in(file.parent):
        records = kept(file)
        records[name] = change(records.get(name, {}))
        ordered = {name: records[name] for name in GAMES if name in records}
        lines = (f"{json.dumps(name)}: {json.dumps(record)}" for name, record in ordered.items())
        with atomic_file(file, replace=True, mode=0o644) as temporary:
            temporary.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    return records[name]


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other run is changing a file in this folder."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        while not lock(opened):
            time.sleep(SHORT_WAIT)
        yield
    finally:
        os.close(opened)


def least_worst(record: Record) -> tuple[Record, bool]:
    """Of what was found, the strategy with the least worst case, and whether none has less."""
    best, tried = record, record.get("within", {})
    while best["worst"] > 1:
        found = tried.get(str(best["worst"] - 1))
        if found is None:
            return best, False
        if found["status"] in ("no strategy", "not settled"):
            return best, found["status"] == "no strategy"
        best = found
    return best, True

"""Structured logs, a record a line: the one place that decides what may be in it.

A line is JSON, or text where a person reads it on a terminal. It has an event, and fields from
an allow-list; anything else is left out, and what looks like a token, nonce or seal is struck
out of the rest. A table's id lets whoever knows it watch, so a line has a tag made from it: the
same for the same table, and of no other use. Tracebacks name places in the code, never values:
the text of a strange exception may quote what a player sent.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import sys
import time
import traceback
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

FIELDS: Final = (
    "address",
    "code",
    "count",
    "limit",
    "method",
    "milliseconds",
    "reason",
    "seconds",
    "status",
    "url",
)
"""What a line may say besides its time, level, source, event and table.

An address is that of somebody who was refused; those of players are not logged.
"""

STRUCK_OUT: Final = "[redacted]"
_LONG = re.compile(r"[A-Za-z0-9_-]{22,}")
_PASSWORD = re.compile(r"(://[^:/@\s]*):[^@\s]*@")
SAMPLE_SECONDS: Final = 10.0
DRIVEN: Final = (
    "asyncio",
    "keypeg.contests",
    "keypeg.matches.computers",
    "keypeg.table.computer_seat",
    "uvicorn.error",
)
"""The loggers whose lines strangers can cause, by what they send."""
_LONGEST: Final = 300
_TAG_DIGITS: Final = 12


def redact(value: object) -> object:
    """`value` as it may stand in a log: numbers as they are, text without anything secret."""
    if value is None or isinstance(value, bool | int | float):
        return value
    text = _PASSWORD.sub(r"\1:***@", str(value))
    return _LONG.sub(STRUCK_OUT, text)[:_LONGEST]


def tag(table_id: str) -> str:
    """What a table is called in logs: the first digits of the SHA-256 of its id."""
    return hashlib.sha256(table_id.encode(errors="replace")).hexdigest()[:_TAG_DIGITS]


class JsonLines(logging.Formatter):
    """A log record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line: control characters are escaped by JSON, so one record is one line."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        head = {"time": time, "level": record.levelname.lower(), "source": record.name}
        return json.dumps({**head, "event": redact(record.getMessage()), **_fields(record)})


class TextLines(logging.Formatter):
    """A log record as one line of text, for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, such as `20:15:04 info started (count 1, url http://localhost:8000/)`."""
        time = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        line = f"{time} {record.levelname.lower()} {redact(record.getMessage())}"
        fields = ", ".join(f"{name} {_text(value)}" for name, value in _fields(record).items())
        return "".join(
            sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}"
            for sign in (f"{line} ({fields})" if fields else line)
        )


def _text(value: object) -> str:
    return " > ".join(value) if isinstance(value, list) else str(value)


def _fields(record: logging.LogRecord) -> dict[str, object]:
    """What a line says besides its time, level, source and event."""
    fields: dict[str, object] = {}
    for kind in ("table", "match"):
        if kind in record.__dict__:
            fields[kind] = tag(str(record.__dict__[kind]))
    fields.update(
        (field, redact(record.__dict__[field])) for field in FIELDS if field in record.__dict__
    )
    if record.exc_info and record.exc_info[0] is not None:
        fields["exception"] = record.exc_info[0].__name__
        fields["at"] = _places(record.exc_info[2])
    return fields


def _places(trace: TracebackType | None) -> list[str]:
    frames = traceback.extract_tb(trace)[-12:]
    return [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}" for frame in frames]


class Sampled(logging.Filter):
    """Limits how often lines that any stranger can cause are written.

    The next line that is written says how many were left out.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._said: dict[object, float] = {}
        self._unsaid: Counter[object] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether this line is written."""
        if record.name not in DRIVEN:
            return True
        kind, now = (record.name, str(record.msg).partition("\n")[0]), self._clock()
        self._unsaid[kind] += 1
        if now - self._said.get(kind, float("-inf")) < SAMPLE_SECONDS:
            return False
        self._said[kind] = now
        if (count := self._unsaid.pop(kind)) > 1:
            record.count = count
        return True


def start_logging(level: str) -> None:
    """Send every log of this process to standard error: as text to a terminal, else as JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(Sampled())
    handler.setFormatter(TextLines() if sys.stderr.isatty() else JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # Their lines at this level are about single connections, and would quote addresses.
    for noisy in ("uvicorn.error", "uvicorn.access", "httpx", "alembic", "aiosqlite"):
        logging.getLogger(noisy).setLevel("WARNING")

"""Structured logs: one JSON object a line, and the one place that decides what may be in it.

A log line has an event, and fields from an allow-list; anything else is left out, and what
looks like a token, nonce or seal is struck out of the rest. A table's id lets whoever knows it
watch, so a line has a tag made from it: the same for the same table, and of no other use.
Tracebacks name places in the code, never values: the text of a strange exception may quote
what a player sent.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
import sys
import traceback
from datetime import UTC, datetime
from typing import Any, Final

FIELDS: Final = ("code", "count", "method", "milliseconds", "reason", "seconds", "status", "url")
"""What a line may say besides its time, level, source, event and table."""

STRUCK_OUT: Final = "[redacted]"
_LONG = re.compile(r"[A-Za-z0-9_-]{22,}")
_PASSWORD = re.compile(r"(://[^:/@\s]*):[^@\s]*@")
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
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "source": record.name,
            "event": redact(record.getMessage()),
        }
        if "table" in record.__dict__:
            line["table"] = tag(str(record.__dict__["table"]))
        line.update(
            (field, redact(record.__dict__[field])) for field in FIELDS if field in record.__dict__
        )
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = record.exc_info[0].__name__
            line["at"] = _places(record.exc_info[2])
        return json.dumps(line)


def _places(trace: Any) -> list[str]:
    frames = traceback.extract_tb(trace)[-12:]
    return [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}" for frame in frames]


def start_logging(level: str) -> None:
    """Send every log of this process to standard error, as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # Their lines at this level are about single connections, and would quote addresses.
    for noisy in ("uvicorn.error", "uvicorn.access", "httpx", "alembic", "aiosqlite"):
        logging.getLogger(noisy).setLevel("WARNING")

"""Logs: one line each, and nothing secret in it."""

from __future__ import annotations

import hashlib
import json
import logging
from typing import Any

import pytest

from keypeg.draw import new_id
from keypeg.matches import computers
from keypeg.rules.commitment import Opening
from keypeg.server import contest_losses, logs
from keypeg.server.logs import STRUCK_OUT, JsonLines, TextLines, redact, start_logging
from keypeg.table import computer_seat
from keypeg.table.tokens import new_token


def line(message: str, *arguments: object, **extra: Any) -> dict[str, Any]:
    record = logging.makeLogRecord({"msg": message, "args": arguments, **extra})
    text = JsonLines().format(record)
    assert "\n" not in text
    found: dict[str, Any] = json.loads(text)
    return found


def text(message: str, *arguments: object, **extra: Any) -> str:
    """The line on a terminal, without its time."""
    record = logging.makeLogRecord(
        {"msg": message, "args": arguments, "levelname": "INFO", **extra}
    )
    return TextLines().format(record).partition(" ")[2]


def test_a_token_is_struck_out_wherever_it_stands() -> None:
    token = new_token()
    assert token not in json.dumps(line("seat %s taken", token, reason=f"because {token}"))
    assert redact(token) == STRUCK_OUT


def test_a_field_that_nobody_allowed_is_left_out() -> None:
    assert "secret" not in line("guess", secret=[1, 2, 3, 4])
    assert line("guess", reason="late")["reason"] == "late"


def test_a_table_can_be_followed_in_the_log_and_not_found_by_it() -> None:
    one, other = new_id(), new_id()
    first, second = line("sat", table=one), line("closed", table=one)
    assert first["table"] == second["table"] == hashlib.sha256(one.encode()).hexdigest()[:12]
    assert line("sat", table=other)["table"] != first["table"]
    assert one not in json.dumps([first, line(f"at {one}", reason=one)])


def test_a_secret_prints_as_hidden() -> None:
    assert line("oops %s", Opening((1, 2, 3, 4)))["event"] == "oops Opening(hidden)"


def test_the_password_of_a_database_is_not_shown() -> None:
    shown = redact("postgresql+asyncpg://keypeg:hunter2@db/keypeg")
    assert shown == "postgresql+asyncpg://keypeg:***@db/keypeg"


def test_a_name_cannot_forge_a_second_line() -> None:
    assert line("joined %s", 'x\r\n{"event":"forged"}\x1b[31m')["event"].startswith("joined x\r\n")


def test_a_traceback_names_places_and_no_values() -> None:
    try:
        raise ValueError("the code is 1234")
    except ValueError as error:
        found = line("failed", exc_info=(ValueError, error, error.__traceback__))
    assert found["exception"] == "ValueError"
    assert "1234" not in json.dumps(found)


def test_on_a_terminal_a_line_is_text_with_the_same_fields_and_nothing_more() -> None:
    assert text("started", url="http://localhost:8000/", count=1) == (
        "info started (count 1, url http://localhost:8000/)"
    )
    assert text("stopped", secret=[1, 2, 3, 4]) == "info stopped"
    token, table = new_token(), new_id()
    said = text("seat %s taken", token, table=table, reason=f"because {table}")
    assert token not in said
    assert table not in said
    assert hashlib.sha256(table.encode()).hexdigest()[:12] in said
    try:
        raise ValueError("the code is 1234")
    except ValueError as error:
        failed = text("failed", exc_info=(ValueError, error, error.__traceback__))
    assert "exception ValueError, at test_logs.py:" in failed
    assert "1234" not in failed


def test_a_name_can_neither_forge_a_line_on_a_terminal_nor_colour_it() -> None:
    said = text("joined %s", "x\r\n20:15:04 info forged\x1b[31m\u2028")
    assert said.isprintable()


@pytest.mark.parametrize(("terminal", "formatter"), [(True, TextLines), (False, JsonLines)])
def test_a_terminal_gets_text_and_everything_else_json(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, formatter: type[logging.Formatter]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal, raising=False)
    monkeypatch.setattr(logging.root, "handlers", [])
    monkeypatch.setattr(logging.root, "level", logging.root.level)
    start_logging("info")
    (handler,) = logging.root.handlers
    assert type(handler.formatter) is formatter


def test_a_line_that_strangers_can_cause_is_written_now_and_then() -> None:
    now = [100.0]
    sampled = logs.Sampled(lambda: now[0])

    def said(name: str, message: str) -> int | None:
        record = logging.LogRecord(name, logging.WARNING, "", 0, message, None, None)
        return getattr(record, "count", 1) if sampled.filter(record) else None

    invalid = "Invalid HTTP request received."
    assert [said("uvicorn.error", invalid) for _ in range(500)] == [1] + [None] * 499
    for name in (computer_seat, computers, contest_losses):
        # Whoever has more questions waiting than they may causes one for each row.
        lines = [said(name._log.name, "the computer cannot think") for _ in range(3)]
        assert lines == [1, None, None]
    assert said("asyncio", "Fatal error\nprotocol: 1") == 1
    assert said("asyncio", "Fatal error\nprotocol: 2") is None
    assert [said("keypeg.store", "failed") for _ in range(3)] == [1, 1, 1]
    now[0] += logs.SAMPLE_SECONDS
    assert said("uvicorn.error", invalid) == 500

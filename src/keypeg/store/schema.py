"""The tables of the database, as the newest migration leaves them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

metadata = MetaData()


def _rows() -> tuple[Column[Any], ...]:
    """A row of an attempt, with its answer."""
    return (
        Column("row", Integer, primary_key=True),
        Column("guess_id", Text, nullable=False),
        Column("code", LargeBinary, nullable=False),
        Column("black", Integer, nullable=False),
        Column("white", Integer, nullable=False),
    )


tables = Table(
    "tables",
    metadata,
    Column("id", Text, primary_key=True),
    Column("public", Integer, nullable=False),
    Column("stage", Text, nullable=False),
    Column("due", BigInteger),
    Column("changed", BigInteger, nullable=False),
    Column("mac", LargeBinary, nullable=False),
)

entries = Table(
    "entries",
    metadata,
    Column("table_id", Text, ForeignKey("tables.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("previous", Integer),
    Column("at", BigInteger, nullable=False),
    Column("seat", Text, nullable=False),
    Column("command_id", Text, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("mac", LargeBinary, nullable=False),
)

facts = Table(
    "facts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)

# What processes on one database share besides the log.

processes = Table(
    "processes",
    metadata,
    Column("id", Text, primary_key=True),
    Column("until", BigInteger, nullable=False),
)

presence = Table(
    "presence",
    metadata,
    Column("table_id", Text, primary_key=True),
    Column("seat", Text, primary_key=True),
    Column("process", Text, nullable=False),
    Column("gone", BigInteger),
)

spent = Table(
    "spent",
    metadata,
    Column("ticket", Text, primary_key=True),
    Column("until", BigInteger, nullable=False),
)

# Attempts at daily codes, and how many players needed how many rows.

daily_attempts = Table(
    "daily_attempts",
    metadata,
    Column("day", Text, primary_key=True),
    Column("board", Text, primary_key=True),
    Column("holder", Text, primary_key=True),
    Column("begun", BigInteger, nullable=False),
    Column("changed", BigInteger, nullable=False),
    Column("counts", Integer, nullable=False),
    Column("needed", Integer),
)

daily_rows = Table(
    "daily_rows",
    metadata,
    Column("day", Text, primary_key=True),
    Column("board", Text, primary_key=True),
    Column("holder", Text, primary_key=True),
    *_rows(),
    ForeignKeyConstraint(
        ["day", "board", "holder"],
        ["daily_attempts.day", "daily_attempts.board", "daily_attempts.holder"],
    ),
)

daily_counts = Table(
    "daily_counts",
    metadata,
    Column("day", Text, primary_key=True),
    Column("board", Text, primary_key=True),
    Column("needed", Integer, primary_key=True),
    Column("players", Integer, nullable=False),
)

# Contests: their codes, whoever has entered them, and the attempts.

contests = Table(
    "contests",
    metadata,
    Column("id", Text, primary_key=True),
    Column("board", Text, nullable=False),
    Column("setter", Text, nullable=False),
    Column("name", Text),
    Column("drawn", Integer, nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("closes", BigInteger),
    Column("computers", Text),
)

contest_codes = Table(
    "contest_codes",
    metadata,
    Column("contest", Text, ForeignKey("contests.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("seal", Text, nullable=False),
    Column("locked", LargeBinary, nullable=False),
)

contest_entrants = Table(
    "contest_entrants",
    metadata,
    Column("contest", Text, ForeignKey("contests.id"), primary_key=True),
    Column("entrant", Integer, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("name", Text),
)

contest_spectators = Table(
    "contest_spectators",
    metadata,
    Column("contest", Text, ForeignKey("contests.id"), primary_key=True),
    Column("holder", Text, primary_key=True),
)

contest_attempts = Table(
    "contest_attempts",
    metadata,
    Column("contest", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("entrant", Integer, primary_key=True),
    Column("begun", BigInteger, nullable=False),
    Column("changed", BigInteger, nullable=False),
    Column("needed", Integer),
    Column("loss", Integer),
    ForeignKeyConstraint(["contest", "number"], ["contest_codes.contest", "contest_codes.number"]),
    ForeignKeyConstraint(
        ["contest", "entrant"], ["contest_entrants.contest", "contest_entrants.entrant"]
    ),
)

contest_rows = Table(
    "contest_rows",
    metadata,
    Column("contest", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("entrant", Integer, primary_key=True),
    *_rows(),
    ForeignKeyConstraint(
        ["contest", "number", "entrant"],
        ["contest_attempts.contest", "contest_attempts.number", "contest_attempts.entrant"],
    ),
)

# Matches: races and duels, with a log for each.

matches = Table(
    "matches",
    metadata,
    Column("id", Text, primary_key=True),
    Column("stage", Text, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("due", BigInteger),
    Column("changed", BigInteger, nullable=False),
    Column("mac", LargeBinary, nullable=False),
)

match_entries = Table(
    "match_entries",
    metadata,
    Column("match", Text, ForeignKey("matches.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("previous", Integer),
    Column("at", BigInteger, nullable=False),
    Column("player", Integer, nullable=False),
    Column("command_id", Text, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("mac", LargeBinary, nullable=False),
)

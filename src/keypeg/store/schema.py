"""The tables of the database, as the newest migration leaves them."""

from __future__ import annotations

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
    Column("row", Integer, primary_key=True),
    Column("guess_id", Text, nullable=False),
    Column("code", LargeBinary, nullable=False),
    Column("black", Integer, nullable=False),
    Column("white", Integer, nullable=False),
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

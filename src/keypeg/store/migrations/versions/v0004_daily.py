"""Attempts at daily codes, their rows, and how many players needed how many rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

revision = "0004"
down_revision = "0003"

_BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_STRICT = {"sqlite_strict": True}


def _key() -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in ("day", "board", "holder")]


def upgrade(op: Operations) -> None:
    """Create the tables. Their constraints repeat checks of the program, as a second defence."""
    op.create_table(
        "daily_attempts",
        *_key(),
        sa.Column("begun", _BIG, nullable=False),
        sa.Column("changed", _BIG, nullable=False),
        sa.Column("counts", sa.Integer, nullable=False),
        sa.Column("needed", sa.Integer),
        sa.PrimaryKeyConstraint("day", "board", "holder", name="daily_attempts_pk"),
        sa.CheckConstraint("length(day) = 10", "daily_attempts_day"),
        sa.CheckConstraint("length(board) BETWEEN 1 AND 40", "daily_attempts_board"),
        sa.CheckConstraint("length(holder) = 64", "daily_attempts_holder"),
        sa.CheckConstraint("counts IN (0, 1)", "daily_attempts_counts"),
        sa.CheckConstraint("needed BETWEEN 0 AND 99", "daily_attempts_needed"),
        **_STRICT,
    )
    op.create_index("daily_attempts_changed", "daily_attempts", ["changed"])
    op.create_table(
        "daily_rows",
        *_key(),
        sa.Column("row", sa.Integer, nullable=False),
        sa.Column("guess_id", sa.Text, nullable=False),
        sa.Column("code", sa.LargeBinary, nullable=False),
        sa.Column("black", sa.Integer, nullable=False),
        sa.Column("white", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("day", "board", "holder", "row", name="daily_rows_pk"),
        sa.UniqueConstraint("day", "board", "holder", "guess_id", name="daily_rows_guess"),
        sa.ForeignKeyConstraint(
            ["day", "board", "holder"],
            ["daily_attempts.day", "daily_attempts.board", "daily_attempts.holder"],
            "daily_rows_attempt",
        ),
        sa.CheckConstraint("row BETWEEN 1 AND 99", "daily_rows_row"),
        sa.CheckConstraint("length(guess_id) BETWEEN 1 AND 64", "daily_rows_guess_id"),
        sa.CheckConstraint("length(code) BETWEEN 1 AND 16", "daily_rows_code"),
        sa.CheckConstraint("black >= 0 AND white >= 0", "daily_rows_keys"),
        sqlite_with_rowid=False,
        **_STRICT,
    )
    op.create_table(
        "daily_counts",
        sa.Column("day", sa.Text, nullable=False),
        sa.Column("board", sa.Text, nullable=False),
        sa.Column("needed", sa.Integer, nullable=False),
        sa.Column("players", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("day", "board", "needed", name="daily_counts_pk"),
        sa.CheckConstraint("needed BETWEEN 0 AND 99", "daily_counts_needed"),
        sa.CheckConstraint("players > 0", "daily_counts_players"),
        **_STRICT,
    )

"""Contests, their codes and entrants, and the attempts with their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

revision = "0005"
down_revision = "0004"

_BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_STRICT = {"sqlite_strict": True}


def upgrade(op: Operations) -> None:
    """Create the tables. Their constraints repeat checks of the program, as a second defence."""
    op.create_table(
        "contests",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("board", sa.Text, nullable=False),
        sa.Column("setter", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("drawn", sa.Integer, nullable=False),
        sa.Column("created", _BIG, nullable=False),
        sa.Column("closes", _BIG),
        sa.PrimaryKeyConstraint("id", name="contests_pk"),
        sa.CheckConstraint("length(id) = 22", "contests_id"),
        sa.CheckConstraint("length(board) BETWEEN 1 AND 40", "contests_board"),
        sa.CheckConstraint("length(setter) = 64", "contests_setter"),
        sa.CheckConstraint("drawn IN (0, 1)", "contests_drawn"),
        sa.CheckConstraint("closes > created", "contests_closes"),
        **_STRICT,
    )
    op.create_table(
        "contest_codes",
        *_key("number"),
        sa.Column("seal", sa.Text, nullable=False),
        sa.Column("locked", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("contest", "number", name="contest_codes_pk"),
        sa.ForeignKeyConstraint(["contest"], ["contests.id"], "contest_codes_contest"),
        sa.CheckConstraint("number BETWEEN 1 AND 99", "contest_codes_number"),
        sa.CheckConstraint("length(seal) = 64", "contest_codes_seal"),
        **_STRICT,
    )
    op.create_table(
        "contest_entrants",
        *_key("entrant"),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.PrimaryKeyConstraint("contest", "entrant", name="contest_entrants_pk"),
        sa.UniqueConstraint("contest", "holder", name="contest_entrants_holder"),
        sa.ForeignKeyConstraint(["contest"], ["contests.id"], "contest_entrants_contest"),
        sa.CheckConstraint("entrant > 0", "contest_entrants_entrant"),
        sa.CheckConstraint("length(holder) = 64", "contest_entrants_length"),
        **_STRICT,
    )
    _create_attempts(op)


def _create_attempts(op: Operations) -> None:
    op.create_table(
        "contest_attempts",
        *_key("number", "entrant"),
        sa.Column("begun", _BIG, nullable=False),
        sa.Column("changed", _BIG, nullable=False),
        sa.Column("needed", sa.Integer),
        sa.Column("loss", sa.Integer),
        sa.PrimaryKeyConstraint("contest", "number", "entrant", name="contest_attempts_pk"),
        sa.ForeignKeyConstraint(
            ["contest", "number"],
            ["contest_codes.contest", "contest_codes.number"],
            "contest_attempts_code",
        ),
        sa.ForeignKeyConstraint(
            ["contest", "entrant"],
            ["contest_entrants.contest", "contest_entrants.entrant"],
            "contest_attempts_entrant",
        ),
        sa.CheckConstraint("needed BETWEEN 0 AND 99", "contest_attempts_needed"),
        sa.CheckConstraint("loss >= 0", "contest_attempts_loss"),
        **_STRICT,
    )
    op.create_table(
        "contest_rows",
        *_key("number", "entrant"),
        sa.Column("row", sa.Integer, nullable=False),
        sa.Column("guess_id", sa.Text, nullable=False),
        sa.Column("code", sa.LargeBinary, nullable=False),
        sa.Column("black", sa.Integer, nullable=False),
        sa.Column("white", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("contest", "number", "entrant", "row", name="contest_rows_pk"),
        sa.UniqueConstraint("contest", "number", "entrant", "guess_id", name="contest_rows_guess"),
        sa.ForeignKeyConstraint(
            ["contest", "number", "entrant"],
            ["contest_attempts.contest", "contest_attempts.number", "contest_attempts.entrant"],
            "contest_rows_attempt",
        ),
        sa.CheckConstraint("row BETWEEN 1 AND 99", "contest_rows_row"),
        sa.CheckConstraint("length(guess_id) BETWEEN 1 AND 64", "contest_rows_guess_id"),
        sa.CheckConstraint("length(code) BETWEEN 1 AND 16", "contest_rows_code"),
        sa.CheckConstraint("black >= 0 AND white >= 0", "contest_rows_keys"),
        sqlite_with_rowid=False,
        **_STRICT,
    )


def _key(*numbers: str) -> list[sa.Column[str] | sa.Column[int]]:
    return [
        sa.Column("contest", sa.Text, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in numbers),
    ]

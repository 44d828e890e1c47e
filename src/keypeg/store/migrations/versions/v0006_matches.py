"""Races and duels: the log of each match."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

revision = "0006"
down_revision = "0005"

_BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_STRICT = {"sqlite_strict": True}


def upgrade(op: Operations) -> None:
    """Create the tables. Their constraints repeat checks of the program, as a second defence."""
    op.create_table(
        "matches",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("due", _BIG),
        sa.Column("changed", _BIG, nullable=False),
        sa.Column("mac", sa.LargeBinary, nullable=False),
        sa.CheckConstraint("length(id) = 22", "matches_id"),
        sa.CheckConstraint(
            "stage IN ('waiting', 'setting', 'playing', 'over', 'cancelled')", "matches_stage"
        ),
        sa.CheckConstraint("seq > 0", "matches_seq"),
        sa.CheckConstraint("due > 0", "matches_due"),
        sa.CheckConstraint("changed > 0", "matches_changed"),
        sa.CheckConstraint("length(mac) = 16", "matches_mac"),
        **_STRICT,
    )
    op.create_index("matches_due_at", "matches", ["due"])
    op.create_index("matches_changed_at", "matches", ["changed"])
    op.create_table(
        "match_entries",
        sa.Column("match", sa.Text, sa.ForeignKey("matches.id"), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("previous", sa.Integer),
        sa.Column("at", _BIG, nullable=False),
        sa.Column("player", sa.Integer, nullable=False),
        sa.Column("command_id", sa.Text, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("mac", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("match", "seq", name="match_entries_pk"),
        sa.UniqueConstraint("match", "player", "command_id", name="match_entries_command"),
        # Each entry needs the one before it, so a log cannot have gaps.
        sa.ForeignKeyConstraint(
            ["match", "previous"],
            ["match_entries.match", "match_entries.seq"],
            "match_entries_gapless",
        ),
        sa.CheckConstraint(
            "(seq = 1 AND previous IS NULL) OR (seq > 1 AND previous IS NOT NULL"
            " AND previous = seq - 1)",
            "match_entries_seq",
        ),
        sa.CheckConstraint("at > 0", "match_entries_at"),
        sa.CheckConstraint("player BETWEEN 0 AND 99", "match_entries_player"),
        sa.CheckConstraint("length(command_id) BETWEEN 1 AND 64", "match_entries_command_id"),
        sa.CheckConstraint("length(payload) BETWEEN 1 AND 65536", "match_entries_payload"),
        sa.CheckConstraint("length(mac) = 16", "match_entries_mac"),
        sqlite_with_rowid=False,
        **_STRICT,
    )

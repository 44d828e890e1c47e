"""The log: tables, their entries, and facts about the database itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

revision = "0001"
down_revision = None

# A STRICT table of SQLite has neither BIGINT nor BOOLEAN; its INTEGER has 64 bits.
_BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_STRICT = {"sqlite_strict": True}


def upgrade(op: Operations) -> None:
    """Create the tables. Their constraints repeat checks of the program, as a second defence."""
    op.create_table(
        "tables",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("public", sa.Integer, nullable=False),
        sa.Column("stage", sa.Text, nullable=False),
        sa.Column("due", _BIG),
        sa.Column("changed", _BIG, nullable=False),
        sa.CheckConstraint("length(id) BETWEEN 1 AND 64", "tables_id"),
        sa.CheckConstraint("public IN (0, 1)", "tables_public"),
        sa.CheckConstraint("stage IN ('waiting', 'playing', 'over')", "tables_stage"),
        sa.CheckConstraint("due > 0", "tables_due"),
        sa.CheckConstraint("changed > 0", "tables_changed"),
        **_STRICT,
    )
    op.create_index("tables_listed", "tables", ["public", "stage", "changed"])
    op.create_index("tables_due_at", "tables", ["due"])
    op.create_table(
        "entries",
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("previous", sa.Integer),
        sa.Column("at", _BIG, nullable=False),
        sa.Column("seat", sa.Text, nullable=False),
        sa.Column("command_id", sa.Text, nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("table_id", "seq", name="entries_pk"),
        sa.UniqueConstraint("table_id", "seat", "command_id", name="entries_command"),
        # Each entry needs the one before it, so a log cannot have gaps.
        sa.ForeignKeyConstraint(
            ["table_id", "previous"], ["entries.table_id", "entries.seq"], "entries_gapless"
        ),
        sa.CheckConstraint(
            "(seq = 1 AND previous IS NULL) OR (seq > 1 AND previous IS NOT NULL"
            " AND previous = seq - 1)",
            "entries_seq",
        ),
        sa.CheckConstraint("at > 0", "entries_at"),
        sa.CheckConstraint("seat IN ('table', 'one', 'two')", "entries_seat"),
        sa.CheckConstraint("length(command_id) BETWEEN 1 AND 64", "entries_command_id"),
        sa.CheckConstraint("length(payload) BETWEEN 1 AND 65536", "entries_payload"),
        sqlite_with_rowid=False,
        **_STRICT,
    )
    op.create_table(
        "facts",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.LargeBinary, nullable=False),
        **_STRICT,
    )

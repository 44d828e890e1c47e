"""The computer among the entrants of contests, and those who only watch one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

revision = "0007"
down_revision = "0006"


def upgrade(op: Operations) -> None:
    """Add the column and the table."""
    op.add_column("contests", sa.Column("computers", sa.Text))
    op.create_table(
        "contest_spectators",
        sa.Column("contest", sa.Text, nullable=False),
        sa.Column("holder", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("contest", "holder", name="contest_spectators_pk"),
        sa.ForeignKeyConstraint(["contest"], ["contests.id"], "contest_spectators_contest"),
        sa.CheckConstraint("length(holder) = 64", "contest_spectators_holder"),
        sqlite_strict=True,
    )

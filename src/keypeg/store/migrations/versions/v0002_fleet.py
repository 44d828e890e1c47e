"""What several processes on one database share: leases, connected seats, used tickets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

revision = "0002"
down_revision = "0001"

_BIG = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade(op: Operations) -> None:
    """Create the tables. On PostgreSQL, leases and connections may be lost in a crash."""
    postgresql = op.get_bind().dialect.name == "postgresql"
    options = {"prefixes": ["UNLOGGED"]} if postgresql else {"sqlite_strict": True}
    op.create_table(
        "processes",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("until", _BIG, nullable=False),
        **options,
    )
    op.create_table(
        "presence",
        sa.Column("table_id", sa.Text, nullable=False),
        sa.Column("seat", sa.Text, nullable=False),
        sa.Column("process", sa.Text, nullable=False),
        sa.Column("gone", _BIG),
        sa.PrimaryKeyConstraint("table_id", "seat", name="presence_pk"),
        sa.CheckConstraint("seat IN ('one', 'two')", "presence_seat"),
        **options,
    )
    op.create_table(
        "spent",
        sa.Column("ticket", sa.Text, primary_key=True),
        sa.Column("until", _BIG, nullable=False),
        sqlite_strict=True,
    )

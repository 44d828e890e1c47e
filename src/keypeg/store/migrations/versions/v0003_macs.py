"""MACs: one for each entry, and one for where the log of each table ends (`store.chain`).

They need the key, so those of older entries are written after the migration, by
`chain.add_macs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.operations import Operations

revision = "0003"
down_revision = "0002"

_CHANGED = ("tables", "entries")


def upgrade(op: Operations) -> None:
    """Add the columns. An older keypeg, which knows nothing of MACs, cannot write any more."""
    postgresql = op.get_bind().dialect.name == "postgresql"
    for table in _CHANGED:
        none = sa.text("''" if postgresql else "X''")
        op.add_column(table, sa.Column("mac", sa.LargeBinary, nullable=False, server_default=none))
        if postgresql:
            op.alter_column(table, "mac", server_default=None)
        else:
            op.execute(
                f"CREATE TRIGGER {table}_mac BEFORE INSERT ON {table} WHEN length(NEW.mac) = 0 "
                f"BEGIN SELECT RAISE(ABORT, 'NOT NULL constraint failed: {table}.mac'); END"
            )

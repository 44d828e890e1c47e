"""Migrations: they update a database to the schema of this version of keypeg.

Alembic's commands keep the migration that is running in global variables, so that two of them in
one process would get each other's connection. Here each has a context of its own, and a migration
is given the operations that it uses.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from keypeg.store.errors import DatabaseTooNew

if TYPE_CHECKING:
    from sqlalchemy import Connection

_LOCK = 0x6B65_7970_6567  # "keypeg" in ASCII: the number of an advisory lock in PostgreSQL


def migrate(connection: Connection) -> None:
    """Run the missing migrations in the current transaction of the connection."""
    if connection.dialect.name == "postgresql":
        # Two processes might start at once. On SQLite, the transaction already has the lock.
        connection.execute(text("SELECT pg_advisory_xact_lock(:name)"), {"name": _LOCK})
    scripts = ScriptDirectory(str(Path(__file__).parent))

    def missing(versions: Any, _context: MigrationContext) -> Any:
        return scripts._upgrade_revs("head", versions)

    context = MigrationContext.configure(connection, opts={"fn": missing})
    _refuse_newer(scripts, context)
    context.run_migrations(op=Operations(context))


def _refuse_newer(scripts: ScriptDirectory, context: MigrationContext) -> None:
    known = {script.revision for script in scripts.walk_revisions()}
    for found in context.get_current_heads():
        if found not in known:
            raise DatabaseTooNew(
                f"the database has version {found}, but this keypeg supports only versions up to "
                f"{scripts.get_current_head()}; use a newer keypeg"
            )

"""Migrations: they update a database to the schema of this version of keypeg."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
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
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    _refuse_newer(ScriptDirectory.from_config(config), connection)
    command.upgrade(config, "head")


def _refuse_newer(scripts: ScriptDirectory, connection: Connection) -> None:
    known = {script.revision for script in scripts.walk_revisions()}
    for found in MigrationContext.configure(connection).get_current_heads():
        if found not in known:
            raise DatabaseTooNew(
                f"the database has version {found}, but this keypeg supports only versions up to "
                f"{scripts.get_current_head()}; use a newer keypeg"
            )

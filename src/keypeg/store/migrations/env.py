"""The script that Alembic runs to migrate; it uses the connection of `migrate`."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()

"""What Alembic runs to migrate: our connection, nothing else."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"])
context.run_migrations()

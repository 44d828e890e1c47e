"""Changes to a database that no program makes."""

from __future__ import annotations

from sqlalchemy import Connection, text

from keypeg.store.sql import SqlLog


async def change(log: SqlLog, *statements: str) -> None:
    """Run these statements in one transaction."""

    def run(connection: Connection) -> None:
        for statement in statements:
            connection.execute(text(statement))

    await log._transactions.run(run)

"""Changes to a database that no program makes."""

from __future__ import annotations

from sqlalchemy import Connection, text

from keypeg.store.chain import add_macs
from keypeg.store.sql import SqlLog


async def change(log: SqlLog, *statements: str) -> None:
    """Run these statements in one transaction."""

    def run(connection: Connection) -> None:
        for statement in statements:
            connection.execute(text(statement))

    await log._transactions.run(run)


async def change_with_the_key(log: SqlLog, *statements: str) -> None:
    """The same, and give all entries the MACs that they should have after it."""
    await change(log, *statements)
    await log._transactions.run(lambda connection: add_macs(connection, log._chain))

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, text

from keypeg.rules.commitment import Opening
from keypeg.rules.keypegs import KeyPegs
from keypeg.store.attempts import Attempt, PlayedRow
from keypeg.store.contests import Contest, ContestKey, ContestStore
from keypeg.store.errors import DatabaseTooNew
from keypeg.store.schema import metadata
from keypeg.store.sql import SqlLog
from tests.store.changes import change
from tests.store.entries import KEY, WAITING, guessed, opened

pytestmark = pytest.mark.anyio


async def test_a_database_is_migrated_once_and_opens_again(address: str) -> None:
    for _ in range(2):
        log = await SqlLog.open(address, KEY)
        await log.close()


async def test_databases_are_migrated_at_the_same_time(tmp_path: Path) -> None:
    addresses = [f"sqlite:///{tmp_path}/{number}.db" for number in range(4)]
    for log in await asyncio.gather(*(SqlLog.open(address, KEY) for address in addresses)):
        await log.append("t", opened(), WAITING)
        await log.close()


async def test_a_database_newer_than_the_program_is_refused(log: SqlLog, address: str) -> None:
    await change(log, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(DatabaseTooNew, match="9999, but this keypeg supports only versions up to"):
        await SqlLog.open(address, KEY)


async def test_a_program_that_runs_goes_on_while_a_newer_one_adds_to_the_schema(
    log: SqlLog, address: str
) -> None:
    """As in a rolling restart; but it could not be started again."""
    await log.append("t", opened(), WAITING)
    await change(
        log,
        "CREATE TABLE later (id INTEGER PRIMARY KEY)",
        "ALTER TABLE entries ADD COLUMN later TEXT",
        "ALTER TABLE tables ADD COLUMN later INTEGER DEFAULT 1",
        "UPDATE alembic_version SET version_num = '9999'",
    )
    await log.append("t", guessed(2), WAITING)
    assert [entry.seq for entry in await log.read("t")] == [1, 2]
    with pytest.raises(DatabaseTooNew):
        await SqlLog.open(address, KEY)


async def test_the_migrations_lead_to_the_schema_that_the_program_uses(log: SqlLog) -> None:
    def differences(connection: Connection) -> list[object]:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        return list(compare_metadata(context, metadata))

    columns = [
        difference
        for difference in await log._transactions.run(differences)
        if isinstance(difference, tuple) and "column" in str(difference[0])
    ]
    assert columns == []


async def test_every_table_of_sqlite_is_strict(tmp_path: Path) -> None:
    log = await SqlLog.open(f"sqlite:///{tmp_path}/x.db", KEY)
    async with log._readers.connect() as connection:
        tables = (await connection.execute(text("PRAGMA table_list"))).mappings().all()
    strict = {row["name"]: row["strict"] for row in tables if row["schema"] == "main"}
    assert {name for name, is_strict in strict.items() if is_strict} == set(metadata.tables)
    await log.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE entries SET seq = 3",
        "UPDATE entries SET seq = 0",
        "UPDATE entries SET at = 0",
        "UPDATE entries SET seat = 'three'",
        "UPDATE entries SET command_id = ''",
        "UPDATE entries SET table_id = 'nowhere'",
        "UPDATE tables SET stage = 'lost'",
        "UPDATE tables SET public = 2",
        "DELETE FROM tables",
    ],
)
async def test_the_schema_is_a_second_wall(log: SqlLog, damage: str) -> None:
    await log.append("t", opened(), WAITING)
    with pytest.raises(Exception, match=r"(?i)constraint"):
        await change(log, damage)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE contests SET id = 'short'",
        "UPDATE contests SET closes = created",
        "UPDATE contests SET drawn = 2",
        "UPDATE contest_codes SET number = 0",
        "UPDATE contest_codes SET seal = ''",
        "UPDATE contest_entrants SET entrant = 0",
        "UPDATE contest_entrants SET holder = 'x'",
        "UPDATE contest_spectators SET holder = 'x'",
        "UPDATE contest_spectators SET contest = 'nowhere'",
        "DELETE FROM contest_codes",
        "DELETE FROM contests",
    ],
)
async def test_the_schema_is_a_second_wall_for_contests_too(log: SqlLog, damage: str) -> None:
    id_, seal = "c" * 22, "0" * 64
    store = ContestStore(log)
    contest = Contest(id_, "classic", "a" * 64, None, False, 1, None, (seal,))  # noqa: FBT003
    await store.create(contest, [Opening((1, 2, 3, 4), bytes(32))])
    await store.enter(id_, "b" * 64, None, 1)
    assert await store.watch(id_, "c" * 64, 1)
    row = PlayedRow("x", (1, 2, 3, 4), KeyPegs(4, 0))
    await store.add(ContestKey(id_, 1, 1), None, Attempt(1, 1, (row,), 1))
    with pytest.raises(Exception, match=r"(?i)constraint"):
        await change(log, damage)

"""Somebody who can write to the database, and has no key, gains nothing by it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from harness.clients.sockets import seated
from harness.servers.in_process import running
from keypeg.client import Client
from keypeg.store.chain import Chain
from keypeg.table.tokens import hashed, new_token

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("defended", [True, False])
async def test_a_token_put_into_the_database_shows_no_secret(
    defended: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as server, Client(server.url) as client:
        one, _ = await seated(client, board="4x6")
        other, _ = await seated(client, board="4x6")
        for each in (one, other):
            async with each.connect() as maker:
                await maker.set_secret((1, 2, 3, 4))
    mine = new_token()
    with closing(sqlite3.connect(tmp_path / "keypeg.db")) as connection:
        statement = (
            "UPDATE entries SET payload = CAST(replace(CAST(payload AS TEXT), ?, ?) AS BLOB)"
        )
        connection.execute(statement, [hashed(one.token or ""), hashed(mine)])
        connection.commit()
    if not defended:
        monkeypatch.setattr(Chain, "check_link", lambda _self, _previous, *row: row[-1])
    async with running(tmp_path) as server, httpx.AsyncClient(base_url=server.url) as thief:
        bearer = {"Authorization": f"Bearer {mine}"}
        shown = await thief.get(f"/api/tables/{one.table}", headers=bearer)
        assert ("[1,2,3,4]" in shown.text) is not defended
        assert shown.status_code == (503 if defended else 200)
        if defended:
            assert shown.json()["code"] == "unreadable"
            assert f"table {one.table}: entry 1 " in shown.json()["message"]
        bearer = {"Authorization": f"Bearer {other.token}"}
        untouched = await thief.get(f"/api/tables/{other.table}", headers=bearer)
        assert "[1,2,3,4]" in untouched.text

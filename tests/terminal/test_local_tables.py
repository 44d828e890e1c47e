from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from keypeg.rules.series import Seat
from keypeg.store.paths import default_database
from keypeg.terminal import local_tables
from keypeg.terminal.choices import Part, SeriesChoices
from keypeg.terminal.local_tables import MEMORY, local_tables_at, way_back

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("part", [Part.BREAKER, Part.BOTH])
async def test_a_series_is_resumed_whose_tokens_were_hashed_in_the_old_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: Part
) -> None:
    address, choices = f"sqlite:///{tmp_path}/games.db", SeriesChoices(part=part)

    def old_hash(token: str) -> str:
        return hashlib.sha256(token.encode()).hexdigest()

    with monkeypatch.context() as old:
        old.setattr(local_tables, "hashed", old_hash)
        async with local_tables_at(address) as tables:
            begun = await tables.sit_down(choices.settings, choices.names)
    async with local_tables_at(address) as tables:
        resumed = await tables.latest()
        assert resumed.id == begun.id
        assert resumed.seats == ((Seat.ONE, Seat.TWO) if part is Part.BOTH else (Seat.ONE,))


def test_the_way_back_names_the_database_and_no_password() -> None:
    assert way_back(MEMORY) == ""
    assert way_back(default_database()) == "'keypeg play --resume' continues from here."
    assert "--resume --database 'sqlite:///a b.db'" in way_back("sqlite:///a b.db")
    assert "postgresql://ada@host/games" in way_back("postgresql://ada@host/games")
    hidden = way_back("postgresql://ada:hush@host/games")
    assert "hush" not in hidden
    assert "with the same --database" in hidden

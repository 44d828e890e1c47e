from __future__ import annotations

import pytest

from harness.tables import SECRET, WRONG, Playing, table_of
from keypeg.rules.errors import AgainstTheRules
from keypeg.store.log import Entry
from keypeg.table import Seat, history
from keypeg.table.commands import Guess, NextGame, Rematch, Resign, SetSecret
from keypeg.table.state import State, fold, rebuild

pytestmark = pytest.mark.anyio
ONE, TWO = Seat.ONE, Seat.TWO
VIEWERS = (None, ONE, TWO)


async def play_series(playing: Playing, maker: Seat) -> None:
    for one in (maker, maker.other):
        await playing.ask(one, SetSecret(SECRET))
        await playing.ask(one.other, Guess(WRONG), Guess(SECRET))
        if one is maker:
            await playing.ask(one, NextGame())


async def test_what_each_may_know_is_the_fold_of_what_each_saw() -> None:
    async with table_of() as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        for guess in (WRONG, SECRET):
            await playing.ask(TWO, Guess(guess))
            for seat in VIEWERS:
                seen = (Entry(s.seq, s.at, s.seat, "", s.events) for s in playing.table.view(seat))
                assert playing.table.shown(seat) == rebuild(playing.table.id, seen)
        await playing.ask(ONE, NextGame())
        assert playing.table.shown(None).series.number == 2


async def test_an_entry_is_folded_once_however_often_the_table_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folded: list[int] = []

    def counted(state: State, entry: Entry) -> State:
        folded.append(entry.seq)
        return fold(state, entry)

    monkeypatch.setattr(history, "fold", counted)
    async with table_of() as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        for _ in range(5):
            await playing.ask(TWO, Guess(WRONG))
            for _ in range(10):
                for seat in VIEWERS:
                    playing.table.shown(seat)
        assert sorted(folded) == sorted([*range(2, 9)] * len(VIEWERS))


async def test_every_series_of_a_table_is_found_by_its_number() -> None:
    async with table_of() as playing:
        for number in range(3):
            await play_series(playing, ONE if number % 2 == 0 else TWO)
            await playing.ask(ONE, Rematch())
            await playing.ask(TWO, Rematch())
        await playing.ask(TWO, SetSecret(SECRET), Resign())
        records = [playing.table.record(None, number) for number in range(1, 5)]
        assert [len(record.events) for record in records] == [13, 13, 13, 3]
        assert playing.table.record(None) == records[3]
        points = [record.replay().points for record in records]
        assert playing.table.state.totals.one == sum(each.one for each in points)
        assert playing.table.state.totals.two == sum(each.two for each in points)
        for number in (0, 5):
            with pytest.raises(AgainstTheRules, match="series 1 to 4"):
                playing.table.record(None, number)


async def test_a_long_past_is_told_in_parts() -> None:
    async with table_of() as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await playing.ask(TWO, Guess(WRONG), Guess(WRONG))
        whole = playing.table.view(TWO)
        assert playing.table.view(TWO, 1, 2) == whole[1:3]
        assert playing.table.view(TWO, 4, 2) == whole[4:]
        assert playing.table.view(TWO, 9, 2) == ()

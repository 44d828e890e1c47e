"""What must be true of every log: a just one passes, a false one does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from harness.tables import CLASSIC, SECRET, WRONG, Playing, sit_down
from keypeg.rules.events import Answered, SecretSet
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.series import Points, Seat
from keypeg.store.events import LogEvent
from keypeg.store.log import Entry
from keypeg.store.memory import MemoryLog
from keypeg.table import Settings
from keypeg.table.commands import Guess, NextGame, Rematch, SetSecret
from keypeg.table.soundness import Unsound, check_log
from keypeg.table.state import rebuild

pytestmark = pytest.mark.anyio


async def play_series(playing: Playing, maker: Seat) -> None:
    """The first maker is guessed at twice, the other once."""
    breaker = maker.other
    await playing.ask(maker, SetSecret(SECRET))
    await playing.ask(breaker, Guess(WRONG), Guess(SECRET), NextGame(), SetSecret(SECRET))
    await playing.ask(maker, Guess(SECRET))


async def two_series(first_maker: Seat) -> tuple[Playing, list[Entry]]:
    """A table where a rematch was played, and its log."""
    log = MemoryLog()
    playing = await sit_down(log, Settings(CLASSIC, first_maker=first_maker))
    await play_series(playing, first_maker)
    for seat in Seat:
        await playing.ask(seat, Rematch())
    await play_series(playing, first_maker.other)
    return playing, await log.read(playing.table.id)


@pytest.mark.parametrize("first_maker", Seat)
async def test_the_log_of_a_just_table_is_sound_at_every_moment(first_maker: Seat) -> None:
    """Whoever makes first, and whichever series it is."""
    playing, log = await two_series(first_maker)
    assert playing.table.state.totals == Points(3, 3)
    assert playing.table.state.finished[0].points != Points(3, 3)
    for length in range(1, len(log) + 1):
        check_log(playing.table.id, log[:length], rebuild(playing.table.id, log[:length]).card)


def other_keys(event: LogEvent) -> LogEvent:
    return replace(event, keys=KeyPegs(1, 1)) if isinstance(event, Answered) else event


def other_seal(event: LogEvent) -> LogEvent:
    return replace(event, seal="0" * 64) if isinstance(event, SecretSet) else event


@pytest.mark.parametrize("falsify", [other_keys, other_seal])
@pytest.mark.parametrize("which", [0, -1])
async def test_a_false_answer_or_seal_in_any_series_is_found(
    falsify: Callable[[LogEvent], LogEvent], which: int
) -> None:
    playing, log = await two_series(Seat.ONE)
    changed = [replace(entry, events=tuple(map(falsify, entry.events))) for entry in log]
    place = [i for i, (old, new) in enumerate(zip(log, changed, strict=True)) if old != new][which]
    log[place] = changed[place]
    with pytest.raises(Unsound, match="cannot be replayed"):
        check_log(playing.table.id, log, playing.table.state.card)


async def test_a_gap_or_another_card_is_found() -> None:
    playing, log = await two_series(Seat.ONE)
    card = playing.table.state.card
    with pytest.raises(Unsound, match="its entries are not 1, 2, 3") as found:
        check_log(playing.table.id, log[:4] + log[5:], card)
    assert found.value.invariant == "I4"
    for known, other in (
        (log[:-1], card),
        (log, replace(card, public=True)),
        (log, replace(card, due=1)),
    ):
        with pytest.raises(Unsound, match="its log leads to") as found:
            check_log(playing.table.id, known, other)
        assert found.value.invariant == "I9"

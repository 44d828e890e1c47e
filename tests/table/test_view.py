"""Attacks on the redaction: nobody learns what is not theirs to know."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import get_args

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from harness.tables import Playing, sit_down, table_of
from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.rules.errors import KeypegError
from keypeg.rules.events import Revealed, SecretSet
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.notation import format_record
from keypeg.rules.terms import KeyPegMode, Terms
from keypeg.store.events import SeatTaken, TableEvent
from keypeg.store.sql import SqlLog
from keypeg.table import Seat, Settings
from keypeg.table.commands import (
    Answer,
    Challenge,
    Command,
    Guess,
    NextGame,
    Resign,
    SetSecret,
    UseHint,
)
from keypeg.table.view import Seen, visible_at_table
from tests.rules.strategies import codes
from tests.store.entries import KINDS

ONE, TWO = Seat.ONE, Seat.TWO
SMALL = Board(3, 4, rows=4)


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def shared_log(runner: asyncio.Runner) -> Iterator[SqlLog]:
    log = runner.run(SqlLog.open())
    yield log
    runner.run(log.close())


@given(data=st.data())
@settings(max_examples=150)
def test_the_breaker_and_spectators_cannot_tell_two_secrets_apart(
    data: st.DataObject, runner: asyncio.Runner, shared_log: SqlLog
) -> None:
    """The same history with two secrets that answer it alike: all that is seen is the same."""
    secret = data.draw(codes(SMALL))
    guesses = data.draw(st.lists(codes(SMALL), max_size=3))
    answers = [score(secret, guess) for guess in guesses]
    other = next(iter(_twins(secret, guesses)), None)
    assume(other is not None and KeyPegs(3, 0) not in answers)
    assert other is not None
    mode = data.draw(st.sampled_from(KeyPegMode))
    noise = data.draw(st.lists(st.sampled_from(_NOISE), max_size=5))
    seen = [
        runner.run(_observe(shared_log, mode, code, guesses, answers, noise))
        for code in (secret, other)
    ]
    assert seen[0] == seen[1]


_NOISE: tuple[tuple[Seat, Command], ...] = (
    (TWO, Challenge()),
    (TWO, NextGame()),
    (TWO, UseHint()),
    (TWO, SetSecret((1, 1, 1))),
    (TWO, Guess((9, 9, 9))),
    (ONE, Guess((1, 1, 1))),
)


def _twins(secret: Code, guesses: list[Code]) -> Iterator[Code]:
    """Other codes that get the same answers."""
    for code in product(SMALL.symbols, repeat=SMALL.holes):
        if code != secret and all(score(code, g) == score(secret, g) for g in guesses):
            yield code


async def _observe(
    log: SqlLog,
    mode: KeyPegMode,
    secret: Code,
    guesses: list[Code],
    answers: list[KeyPegs],
    noise: list[tuple[Seat, Command]],
) -> list[object]:
    """Everything that the breaker and the spectators get to see."""
    playing = await sit_down(log, Settings(Terms(SMALL, key_pegs=mode), hints=True))
    seen: list[object] = []
    await playing.ask(ONE, SetSecret(secret))
    for guess, keys in zip(guesses, answers, strict=True):
        seen.append(await _try(playing, TWO, Guess(guess)))
        if mode is not KeyPegMode.REFEREE:
            await playing.ask(ONE, Answer(keys))
    for seat, command in noise:
        seen.append(await _try(playing, seat, command))
    table = playing.table
    for viewer in (TWO, None):
        seen += [_unsealed(entry) for entry in table.view(viewer)]
        seen.append(_record(playing, viewer))
    seen += [table.state.card, table.deadline, table.state.series.score_line]
    await table.close()
    return seen


def _record(playing: Playing, viewer: Seat | None) -> list[str]:
    """The text of the series but for its name and its seals."""
    words = format_record(playing.table.record(viewer)).split()
    return [word for word in words if len(word) < 64 and playing.table.id not in word]


async def _try(playing: Playing, seat: Seat, command: Command) -> object:
    try:
        return _unsealed((await playing.ask(seat, command)).entry)
    except KeypegError as error:
        return str(error)


def _unsealed(entry: Seen) -> Seen:
    """An entry but for its seal, which is random."""
    events = tuple(
        replace(event, seal=None) if isinstance(event, SecretSet) else event
        for event in entry.events
    )
    return replace(entry, events=events)


@pytest.mark.anyio
async def test_the_maker_alone_sees_the_secret_before_the_reveal() -> None:
    async with table_of() as playing:
        await playing.ask(ONE, SetSecret((1, 2, 3, 4)))
        secrets = {
            seat: playing.table.view(seat)[-1].events[0].opening  # type: ignore[union-attr]
            for seat in (ONE, TWO, None)
        }
        assert secrets[ONE] is not None
        assert secrets[TWO] is secrets[None] is None
        await playing.ask(TWO, Resign())
        for seat in (ONE, TWO, None):
            assert isinstance(playing.table.view(seat)[-1].events[-1], Revealed)
        assert playing.table.view(TWO)[2].events[0].opening is None  # type: ignore[union-attr]


@pytest.mark.anyio
async def test_the_maker_of_the_next_game_does_not_see_the_secret_of_this_one() -> None:
    async with table_of() as playing:
        await playing.ask(ONE, SetSecret((1, 2, 3, 4)))
        await playing.ask(TWO, Guess((1, 2, 3, 4)), NextGame(), SetSecret((4, 3, 2, 1)))
        secrets = [
            event.opening is not None
            for entry in playing.table.view(TWO)
            for event in entry.events
            if isinstance(event, SecretSet)
        ]
        assert secrets == [False, True]


@pytest.mark.parametrize("kind", get_args(TableEvent))
@given(data=st.data())
@settings(max_examples=10)
def test_nobody_sees_a_token_hash_and_everybody_sees_the_rest(
    kind: type, data: st.DataObject
) -> None:
    event = data.draw(KINDS[kind])
    shown = visible_at_table(event)  # type: ignore[arg-type]
    hidden = replace(event, token_hash=None) if isinstance(event, SeatTaken) else event
    assert shown == hidden


def test_secrets_and_token_hashes_are_not_printed() -> None:
    from keypeg.table.commands import Open, TakeSeat  # noqa: PLC0415 - used by this test alone

    canary = "c0ffee" * 10 + "beef"
    for value in (
        SetSecret((6, 5, 6, 5)),
        TakeSeat("Ada", canary),
        Open(Settings(Terms(SMALL)), ONE, "Ada", canary),
        SeatTaken(ONE, "Ada", canary),
    ):
        assert "6, 5, 6, 5" not in repr(value)
        assert canary not in repr(value)

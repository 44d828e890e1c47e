"""A client that drops in the middle of a guess: it is played once or not at all, and who resumes
and repeats it with the same id is told where it stands."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import cycle, product
from pathlib import Path

import msgspec
import pytest

from harness.clients.light import Socket, connect
from harness.clients.sockets import PATIENCE, greeted, seated
from harness.servers.in_process import Running, running
from harness.servers.program import take_repeats_for_new_commands
from keypeg import messages as wire
from keypeg.client import Client, Player
from keypeg.rules.series import Seat
from keypeg.store.log import Card, Entry
from keypeg.table import Table

pytestmark = pytest.mark.anyio
MASK = b"\x5a\x01\xff\x80"
RESET = struct.pack("ii", 1, 0)
WAITS = (0.0, 0.005)
"""Seconds from the last byte to the reset: at once, and once the server has read it."""


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, bool]]:
    """The loop that servers run on."""
    return "asyncio", {"use_uvloop": True}


class Breaker:
    """Who guesses wrong, row after row, and drops each time."""

    def __init__(self, server: Running, player: Player) -> None:
        self._server, self._player = server, player
        self._known = 3  # opened, sat down, set
        self._guesses: list[str] = []

    def next_guess(self) -> wire.Guess:
        self._guesses.append(f"g{len(self._guesses)}")
        return wire.Guess(id=self._guesses[-1], code=(5, 5, 6, 6))

    async def say(self, data: bytes) -> Socket:
        """Send this over a socket that has been welcomed."""
        welcomed = asyncio.Event()
        ticket, port = await self._player.ticket(), self._server.port
        said = await connect(port, ticket, lambda *_: welcomed.set(), seq=self._known)
        await asyncio.wait_for(welcomed.wait(), PATIENCE)
        said.transport.write(data)
        return said

    async def resume(self, guess: wire.Guess, end: asyncio.Event | None = None) -> bool:
        """Come back and repeat a guess, before `end` is set; whether it had been played before."""
        async with greeted(self._server.port, self._player, self._known) as again:
            found = (await again.hear_a(wire.Welcome)).seq - self._known
            await again.say(guess)
            if end is not None:
                end.set()
            self._known += 1
            assert (await again.hear_a(wire.Ack)).seq == self._known, "played twice"
        assert found in (0, 1)
        return bool(found)

    async def check(self) -> None:
        """Every guess is in the log, once, and nothing else is."""
        entries = await self._server.application.services.log.read(self._player.table)
        assert [entry.command_id for entry in entries if entry.seat is Seat.TWO][1:] == (
            self._guesses
        )
        assert len(entries) == self._known


def frame(message: wire.Guess) -> bytes:
    data = msgspec.json.encode(message)
    masked = bytes(one ^ key for one, key in zip(data, cycle(MASK), strict=False))
    return bytes([0x81, 0x80 | len(data)]) + MASK + masked


async def reset(said: Socket) -> None:
    """Drop without a goodbye: the peer gets an RST."""
    gone = asyncio.Event()
    said.lost = lambda _: gone.set()
    raw = said.transport.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    said.transport.abort()
    await gone.wait()


@asynccontextmanager
async def breaking(folder: Path) -> AsyncIterator[tuple[Running, list[Breaker]]]:
    """A server, and breakers at tables of their own at which the secret is set."""
    async with running(folder) as server, Client(server.url) as client:
        breakers = []
        for _ in WAITS:
            one, two = await seated(client, board="4x6/99")
            async with one.connect() as maker:
                await maker.set_secret((1, 2, 3, 4))
            breakers.append(Breaker(server, two))
        yield server, breakers


async def test_a_guess_cut_off_after_any_byte_is_played_once_or_not_at_all(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with breaking(tmp_path) as (_, breakers):
        for breaker, wait in zip(breakers, WAITS, strict=True):
            size = len(frame(wire.Guess(id="g10", code=(5, 5, 6, 6))))
            for sent in range(size + 1):
                guess = breaker.next_guess()
                whole = frame(guess)
                said = await breaker.say(whole[:sent])
                await asyncio.sleep(wait)
                await reset(said)
                played = await breaker.resume(guess)
                assert sent >= len(whole) or not played
            await breaker.check()
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


async def dropped_before_the_answer(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """A guess is held before or after its commit; who resumes comes before or after its end."""
    async with breaking(folder) as (server, [breaker, _]):
        log = server.application.services.log
        append = log.append
        for committed, ended in product((False, True), repeat=2):
            reached, end = asyncio.Event(), asyncio.Event()

            async def held(
                table_id: str,
                entry: Entry,
                card: Card | None,
                committed: bool = committed,
                reached: asyncio.Event = reached,
                end: asyncio.Event = end,
            ) -> None:
                if committed:
                    await append(table_id, entry, card)
                reached.set()
                await end.wait()
                if not committed:
                    await append(table_id, entry, card)

            with patch.context() as holding:
                holding.setattr(log, "append", held)
                guess = breaker.next_guess()
                said = await breaker.say(frame(guess))
                await asyncio.wait_for(reached.wait(), PATIENCE)
                await reset(said)
                if ended:
                    end.set()
                    while server.application.live._sessions:
                        await asyncio.sleep(0.005)
                assert await breaker.resume(guess, end) is ended
        await breaker.check()


async def test_a_guess_whose_answer_was_lost_is_played_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await dropped_before_the_answer(tmp_path, monkeypatch)


async def test_a_guess_that_is_played_again_would_be_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Table, "handle", Table.handle)
    take_repeats_for_new_commands()
    with pytest.raises(AssertionError, match="played twice"):
        await dropped_before_the_answer(tmp_path, monkeypatch)

"""Races of eight: how long it takes until a row is seen by all of them."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from harness.clients.light import Http, connect, new_ticket

if TYPE_CHECKING:
    from harness.clients.light import Socket

PLAYERS: Final = 8
PATIENCE: Final = 30.0
BOARD: Final = "6x8/99"
GUESS: Final = [1, 1, 1, 1, 1, 1]


class Raced(NamedTuple):
    """What the races measured."""

    seen: list[float]
    """Seconds from sending each row until the last of the eight has been sent it."""
    unseen: int
    """Rows that somebody was not sent in time."""
    sockets: int


class _Player(msgspec.Struct):
    rows: list[msgspec.Raw] | None


class _Match(msgspec.Struct):
    players: list[_Player]


class _Heard(msgspec.Struct):
    match: _Match | None = None


_heard: Final = msgspec.json.Decoder(_Heard)


class _Race:
    """One race, and how many rows of each player each of the eight has been sent."""

    def __init__(self) -> None:
        self.known = [[0] * PLAYERS for _ in range(PLAYERS)]
        self.changed = asyncio.Event()

    def hear(self, reader: int, text: bytes) -> None:
        match = _heard.decode(text).match
        if match is not None:
            self.known[reader] = [len(player.rows or ()) for player in match.players]
            self.changed.set()

    def everybody_knows(self, player: int, row: int) -> bool:
        return all(known[player] >= row for known in self.known)

    async def seen(self, player: int, row: int) -> None:
        while not self.everybody_knows(player, row):
            self.changed.clear()
            await self.changed.wait()


async def raced(port: int, races: int, rows: int, pause: float) -> Raced:
    """Races at once, in which everybody fills so many rows at their own pace.

    `pause` is how many seconds lie between two rows of a player, on average.
    """
    http = Http(port, at_once=100)
    times: list[float] = []
    missing = await asyncio.gather(*(_race(http, port, rows, pause, times) for _ in range(races)))
    http.close()
    return Raced(times, sum(missing), races * PLAYERS)


async def _race(http: Http, port: int, rows: int, pause: float, times: list[float]) -> int:
    tokens = [secrets.token_urlsafe(32) for _ in range(PLAYERS)]
    wanted = {"id": "x", "kind": "race", "board": BOARD, "places": PLAYERS, "row_seconds": 3600}
    path = f"/api/matches/{(await http.post('/api/matches', wanted, tokens[0]))['id']}"
    for token in tokens[1:]:
        await http.post(f"{path}/players", {}, token)
    race, sockets = _Race(), []
    for reader, token in enumerate(tokens):

        def heard(_: Socket, text: bytes, reader: int = reader) -> None:
            race.hear(reader, text)

        sockets.append(await connect(port, await new_ticket(http, path, token), heard))
    playing = (_play(http, path, race, *one, rows, pause, times) for one in enumerate(tokens))
    missing = await asyncio.gather(*playing)
    for socket in sockets:
        socket.transport.close()
    return sum(missing)


async def _play(
    http: Http,
    path: str,
    race: _Race,
    player: int,
    token: str,
    rows: int,
    pause: float,
    times: list[float],
) -> int:
    missing = 0
    for row in range(1, rows + 1):
        await asyncio.sleep(random.uniform(0, 2 * pause))
        guess: dict[str, Any] = {"type": "guess", "id": f"g{row}", "row": row, "code": GUESS}
        began = time.perf_counter()
        await http.post(f"{path}/commands", guess, token)
        try:
            async with asyncio.timeout(PATIENCE):
                await race.seen(player, row)
        except TimeoutError:
            missing += 1
        else:
            times.append(time.perf_counter() - began)
    return missing

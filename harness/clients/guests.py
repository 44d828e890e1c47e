"""Guests who play at random at many tables, and note all that they asked and heard.

Each acts on what it hears: mostly with a move that fits, now and then with one that does not, with
a repeat, or by dropping its socket. Guests go through any of several servers. In bad weather their
messages are doubled, held back, and overtaken by the next, and what servers say is heard late,
though in order.

Where there are more guests than servers can answer at once, a pause before each move keeps the
servers from always being behind: they would read everything late, and whose time ran out would be
a matter of luck.
"""

from __future__ import annotations

import asyncio
import random
import zlib
from collections import deque
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from harness.clients.diary import BOARD, Diary, utc
from harness.clients.light import Http, Rejected, connect, new_ticket
from keypeg import messages as wire
from keypeg.rules.game import Phase
from keypeg.rules.series import Seat

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from harness.clients.light import Socket
    from harness.history import History, Op

PATIENCE: Final = 2.5
"""Seconds of silence after which a guest does something about it."""
AT_ONCE: Final = 16
GONE: Final = (401, 404)
"""The statuses for a seat or a table that is not there."""
KINDS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"key_pegs": "by-hand"},
    {"turn_seconds": 1},
    {"opponent": "perfect"},
)
"""Settings of tables, in turn."""
WITHOUT_COMPUTER: Final = KINDS[:3]
"""A computer's seat would start a process of its own after each kill."""
_message = msgspec.json.Decoder(wire.ClientOut)
_table = msgspec.json.Decoder(wire.TableOut)


class Invitation(NamedTuple):
    """A seat at a table, or a spectator's place."""

    table: str
    seat: Seat | None
    token: str | None


class Door(NamedTuple):
    """A server, as its clients know it."""

    port: int
    http: Http


class Weather:
    """The share of messages that are doubled, held back or heard late, and how many were."""

    def __init__(self, share: float = 0.0) -> None:
        self.share = share
        self.doubled = self.held = self.late = 0

    @property
    def faults(self) -> int:
        return self.doubled + self.held + self.late


class Guest(Diary):
    """A player or spectator who acts on what it hears."""

    def __init__(
        self,
        doors: Sequence[Door],
        place: Invitation,
        history: History,
        rng: random.Random,
        weather: Weather,
    ) -> None:
        super().__init__(place.table, place.seat, history, rng)
        self._path, self._token = f"/api/tables/{place.table}", place.token
        self._doors, self._weather = doors, weather
        self._usual = doors[zlib.crc32(place.table.encode()) % len(doors)]
        self._socket: Socket | None = None
        self._gone = asyncio.Event()
        self._heard_any = self._thinking = False
        self._last_ack = 0
        self._late: deque[tuple[Socket, bytes]] = deque()
        """Messages that have come and are not heard yet, in order."""
        self.pause = 0.01
        """Seconds of thought before a move, on average."""

    async def play(self, stop: asyncio.Event) -> None:
        """Play until `stop` is set, on one socket after another."""
        while not stop.is_set():
            try:
                async with asyncio.timeout(10):
                    await self._enter()
            except Rejected as error:
                if error.status in GONE:
                    self.history.gone.add(self.table)
                    return
                await asyncio.sleep(self.rng.uniform(0.02, 0.1))
            except (OSError, EOFError, ValueError):
                await asyncio.sleep(self.rng.uniform(0.02, 0.1))
            else:
                await self._stay(stop)

    async def _enter(self) -> None:
        door = self._door()
        if self.rng.random() < 0.2:
            await self._look(door)
        ticket = await new_ticket(door.http, self._path, self._token)
        # The ticket is good at any server.
        door = self._door()
        self._gone.clear()
        self.arrive()
        self._socket = await connect(door.port, ticket, self._heard, seq=self.seq)
        self._socket.lost = lambda _: self._gone.set()

    def _door(self) -> Door:
        """Mostly the same for a whole table, as with a load balancer that goes by addresses."""
        return self._usual if self.rng.random() < 0.6 else self.rng.choice(self._doors)

    async def _look(self, door: Door) -> None:
        status, shown = await door.http.ask("GET", self._path, token=self._token)
        if status == 200:
            self.history.tables.append(_table.decode(shown))

    async def _stay(self, stop: asyncio.Event) -> None:
        """Keep the socket until it is lost; in a long silence, move or leave."""
        assert self._socket is not None
        while not stop.is_set() and not self._socket.transport.is_closing():
            self._heard_any = False
            try:
                async with asyncio.timeout(PATIENCE):
                    await self._gone.wait()
            except TimeoutError:
                if not self._heard_any and self.seat is not None:
                    self._break_silence(self.seat)
        self._socket.transport.abort()

    def _break_silence(self, seat: Seat) -> None:
        if self.open or self.status is None:
            # Not all at once: a server that is merely slow would be slower still.
            if self.rng.random() < 0.1:
                self.leave()
        elif self.wanted or self.status.result is not None:
            self._say(*self.devise(seat, self.status))

    def leave(self) -> None:
        """Drop the socket, without a goodbye."""
        if self._socket is not None:
            self._socket.transport.abort()

    def _heard(self, socket: Socket, data: bytes) -> None:
        """Hear a message, in bad weather sometimes late; those after it wait for it."""
        if self._late:
            self._late.append((socket, data))
        elif self.rng.random() < self._weather.share:
            self._weather.late += 1
            self._late.append((socket, data))
            later = self.rng.uniform(0, 0.05)
            asyncio.get_running_loop().call_later(later, self._catch_up)
        else:
            self._listen(socket, data)

    def _catch_up(self) -> None:
        """Hear what came late, except on a socket that was lost meanwhile."""
        late, self._late = self._late, deque()
        for socket, data in late:
            if not socket.transport.is_closing():
                self._listen(socket, data)

    def _listen(self, socket: Socket, data: bytes) -> None:
        self._socket, self._heard_any = socket, True
        message = _message.decode(data)
        self.hear(message)
        if self.seat is None:
            return
        match message:
            case wire.Welcome():
                self._last_ack = 0  # a server that lost entries goes on from an earlier one
                self._take_up()
            case wire.Refused(code="unavailable"):
                later = self.rng.uniform(0.05, 0.2)
                asyncio.get_running_loop().call_later(later, self._repeat, message.id)
            case wire.Ack():
                self._last_ack = max(self._last_ack, message.seq)
                self._act(self.seat)
            case wire.Refused() | wire.Update():
                self._act(self.seat)
            case _:
                pass

    def _take_up(self) -> None:
        """Repeat commands that were not answered, or give them up for good."""
        for id_ in list(self.open):
            if self.rng.random() < 0.8:
                self._repeat(id_)
            else:
                del self.open[id_]
        if self.seat is not None:
            self._act(self.seat)

    def _repeat(self, id_: str) -> None:
        if id_ in self.open:
            self._say(*self.open[id_])

    def _called(self, status: wire.Status) -> bool:
        """Whether the table waits for this guest, and not for the other as well."""
        heard = status.seq >= self._last_ack
        first = status.phase is not Phase.OVER or status.maker is not self.seat
        return heard and first and self.wanted and not self.open

    def _act(self, seat: Seat) -> None:
        whim = self.rng.random()
        if whim < 0.001:
            self.leave()
        elif whim < 0.03 and self.past:
            self._send(None, self.rng.choice(list(self.past))[1])
        elif whim < 0.06 and self.open:
            self._say(*self.rng.choice(list(self.open.values())))
        if self.pause:
            self._think(seat)
        else:
            self._move(seat)

    def _think(self, seat: Seat) -> None:
        """Move after a while, if there is something to do then."""
        if not self._thinking:
            self._thinking = True
            later = self.rng.uniform(0, 2 * self.pause)
            asyncio.get_running_loop().call_later(later, self._decide, seat)

    def _decide(self, seat: Seat) -> None:
        self._thinking = False
        self._move(seat)

    def _move(self, seat: Seat) -> None:
        """Make the move that the table waits for, or now and then another."""
        if self.status is not None and (self._called(self.status) or self.rng.random() < 0.005):
            self._say(*self.devise(seat, self.status))

    def _say(self, op: Op, text: str) -> None:
        """Send a copy, or two, now or soon; a lost copy still counts, as it is never answered."""
        copies = 1
        if self.rng.random() < self._weather.share:
            self._weather.doubled += 1
            copies = 2
        op.copies += copies
        for _ in range(copies):
            if self.rng.random() < self._weather.share:
                self._weather.held += 1
                later = self.rng.uniform(0, 0.3)
                asyncio.get_running_loop().call_later(later, self._send, op, text)
            else:
                self._send(op, text)

    def _send(self, op: Op | None, text: str) -> None:
        if self._socket is None or self._socket.transport.is_closing():
            return
        if op is not None:
            op.sent_again_utc = utc()
        self._socket.say(text)


@asynccontextmanager
async def guests(
    ports: Sequence[int],
    tables: int,
    history: History,
    rng: random.Random,
    *,
    kinds: Sequence[dict[str, Any]] = KINDS,
    weather: Weather | None = None,
    slips: float = 0.2,
    pause: float = 0.01,
) -> AsyncIterator[None]:
    """Two players, or one and the computer, and a spectator at each table during the block."""
    stop, gate = asyncio.Event(), asyncio.Semaphore(AT_ONCE)
    doors = [Door(port, Http(port, at_once=AT_ONCE)) for port in ports]

    async def sit_down(number: int) -> list[Invitation]:
        async with gate:
            settings = {"board": str(BOARD), "games": 100, **kinds[number % len(kinds)]}
            return await _seated(rng.choice(doors).http, settings)

    seated = await asyncio.gather(*map(sit_down, range(tables)))
    everybody = [
        Guest(doors, place, history, random.Random(rng.random()), weather or Weather())
        for places in seated
        for place in places
    ]
    for guest in everybody:
        guest.slips, guest.pause = slips, pause
    playing = [asyncio.create_task(guest.play(stop)) for guest in everybody]
    try:
        yield
    finally:
        stop.set()
        for guest in everybody:
            guest.leave()
        await asyncio.gather(*playing)
        for door in doors:
            door.http.close()


async def _seated(http: Http, settings: dict[str, Any]) -> list[Invitation]:
    one = await http.post("/api/tables", settings)
    table = one["table"]
    places = [Invitation(table, None, None), Invitation(table, Seat.ONE, one["token"])]
    if "opponent" not in settings:
        two = await http.post(f"/api/tables/{table}/seats", {"seat": "two"})
        places.append(Invitation(table, Seat.TWO, two["token"]))
    return places

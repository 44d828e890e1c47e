"""The socket: hello with a ticket, then commands in, entries and acknowledgements out.

A command is answered after it is on disk, never before. Slow readers do not hold up the others: a
spectator gets a snapshot, and who is present, in place of all that was missed. A player's socket is
closed, and the player resumes from the last seq seen.
"""

from __future__ import annotations

import asyncio
import logging
import math
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from keypeg.matches.errors import NoSuchMatch
from keypeg.messages import (
    Ack,
    CommandIn,
    Error,
    Hello,
    Missed,
    Ping,
    Refused,
    Time,
    Welcome,
    command_in,
    read_message,
)
from keypeg.rules.errors import CannotRead, KeypegError, NotYourTurn
from keypeg.server.asgi import Disconnected, Receive, Scope, Send, Socket
from keypeg.server.encoding import as_text, entry_out, options_out, status_out, table_out
from keypeg.server.limits import Bucket
from keypeg.server.match_rooms import MatchRoom, MatchSession
from keypeg.server.outbox import Outbox
from keypeg.server.places import nothing
from keypeg.server.problems import kind_of
from keypeg.server.rooms import Room
from keypeg.server.security import MatchPass, NotAllowed
from keypeg.store.errors import Unavailable
from keypeg.table.errors import Conflict, NoSuchTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.messages import Options, Status
    from keypeg.rules.series import Seat
    from keypeg.server.places import Place
    from keypeg.server.security import Pass
    from keypeg.server.services import Services

HELLO_SECONDS: Final = 5.0
MOST_ERRORS: Final = 10
ENTRIES_AT_ONCE: Final = 32

REPLACED: Final = (4001, "a newer socket has this seat")
NO_HELLO: Final = (4002, "no hello in time")
REFUSED: Final = (4003, "ticket refused")
REMOVED: Final = (4004, "there is no such table any more")
FULL: Final = (1013, "too many sockets of this address; try again later")
TOO_SLOW: Final = (4008, "too slow; resume")
TOO_MANY: Final = (1008, "too many messages")
TOO_WRONG: Final = (1008, "too many errors")
RESTARTING: Final = (1012, "restarting")

_log = logging.getLogger("keypeg.live")


class Live:
    """All open sockets."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.tables, self.metrics = services.tables, services.metrics
        self.draining = False
        self.rooms = services.rooms
        self._sessions: set[Session] = set()
        self._match_sessions: set[MatchSession] = set()

    @property
    def sockets(self) -> int:
        """How many sockets are at a table or a match."""
        return len(self._sessions) + len(self._match_sessions)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one socket from its handshake to its end."""
        socket, place = Socket(scope, receive, send), scope["place"]
        await socket.accept()
        try:
            hello = await self._hello(socket, place)
            await self._serve(socket, hello, place)
        except Disconnected:
            pass
        except asyncio.CancelledError:
            # Expected while draining: not reported for every socket.
            if not self.draining:
                raise

    async def _hello(self, socket: Socket, place: Place) -> Hello:
        try:
            async with asyncio.timeout(HELLO_SECONDS) as limit:
                place.give_up = partial(limit.reschedule, 0.0)
                message = read_message(await socket.receive())
        except TimeoutError:
            await self.close(socket, NO_HELLO)
            raise Disconnected from None
        except CannotRead:
            message = None
        finally:
            place.give_up = nothing
        if not isinstance(message, Hello):
            await self.close(socket, REFUSED)
            raise Disconnected
        return message

    async def _serve(self, socket: Socket, hello: Hello, place: Place) -> None:
        try:
            admitted = await self.services.tickets.redeem(hello.ticket)
            if not place.settle(seat=_plays(admitted)):
                await self.close(socket, FULL)
                return
            if isinstance(admitted, MatchPass):
                await self._serve_match(socket, admitted, place)
                return
            room = await self._room(admitted.table)
        except NotAllowed:
            await self.close(socket, REFUSED)
            return
        except KeypegError as error:
            await socket.send(as_text(Error(kind_of(error).code, str(error))))
            gone = isinstance(error, NoSuchTable | NoSuchMatch)
            await self.close(socket, REMOVED if gone else RESTARTING)
            return
        self.services.heard_from(room.table, admitted.seat, place.network)
        session = Session(self, socket, room, admitted.seat, place.network)
        place.give_up, session.used = partial(session.close, FULL), place.touch
        self._sessions.add(session)
        role = "spectator" if admitted.seat is None else "player"
        self.metrics.sockets.labels(role).inc()
        try:
            await session.run(hello)
        finally:
            self.metrics.sockets.labels(role).dec()
            self._sessions.discard(session)
            self._leave(session)

    async def _serve_match(self, socket: Socket, admitted: MatchPass, place: Place) -> None:
        match = await self.services.matches.get(admitted.match)
        match.account = match.account or place.network
        rooms, role = self.services.match_rooms, "player" if _plays(admitted) else "spectator"
        room = rooms.get(match.id)
        if room is None or room.match is not match:
            room = rooms[match.id] = MatchRoom(match)
        parts = (socket, room, admitted.player, place.network, self.close)
        session = MatchSession(self.services, *parts)
        place.give_up, session.used = partial(session.close, FULL), place.touch
        self._match_sessions.add(session)
        self.metrics.sockets.labels(role).inc()
        try:
            await session.run()
        finally:
            self.metrics.sockets.labels(role).dec()
            self._match_sessions.discard(session)
            if room.empty:
                if rooms.get(match.id) is room:
                    del rooms[match.id]
                room.close()

    async def _room(self, table_id: str) -> Room:
        table = await self.tables.get(table_id)
        room = self.rooms.get(table_id)
        if room is None or room.table is not table:
            sharing = self.services.sharing
            room = self.rooms[table_id] = Room(table, self.tables.clock, sharing)
        room.guests += 1
        return room

    def _leave(self, session: Session) -> None:
        room = session.room
        room.leave(session)
        room.guests -= 1
        if not room.guests:
            if self.rooms.get(room.table.id) is room:
                del self.rooms[room.table.id]
            room.close()

    async def close(self, socket: Socket, why: tuple[int, str]) -> None:
        """Close a socket and count it."""
        self.metrics.closes.labels(why[0]).inc()
        await socket.close(*why)

    async def drain(self, seconds: float) -> None:
        """Take no more commands, and wait until those under way are answered and sent."""
        self.draining = True
        deadline = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < deadline:
            moves = any(session.unfinished for session in self._sessions)
            if not moves and not any(one.unfinished for one in self._match_sessions):
                return
            await asyncio.sleep(0.01)


def _plays(admitted: Pass | MatchPass) -> bool:
    """Whether a ticket is for somebody who plays, and does not just look on."""
    who = admitted.player if isinstance(admitted, MatchPass) else admitted.seat
    return who is not None


class Session:
    """One socket at one table."""

    def __init__(
        self, live: Live, socket: Socket, room: Room, seat: Seat | None, client: str
    ) -> None:
        self._client = client
        self.seat, self.room, self.known = seat, room, 0
        self.used: Callable[[], None] = nothing
        """Called with each command."""
        self._live, self._socket = live, socket
        self._outbox = Outbox()
        self._errors = 0
        self._answering = False
        self._writer: asyncio.Task[None] | None = None
        """Sends what is in the outbox, while something is."""
        self._closing: asyncio.Task[None] | None = None
        settings, player = live.services.settings, seat is not None
        rate = settings.messages_per_second if player else settings.spectator_messages_per_second
        self._bucket = Bucket(rate, settings.messages_at_once)
        self._messages = live.services.budget.messages(client, seat=player)

    @property
    def unfinished(self) -> bool:
        """Whether a command is being carried out or something waits to be sent."""
        return self._closing is None and (self._answering or self._writer is not None)

    def tell(self, text: str) -> None:
        """Send a message, or queue it while the client does not read.

        If the queue is full, a spectator is sent a snapshot instead, and a player is disconnected.
        """
        if self._writer is None and self._socket.write(text):
            return
        if self._outbox.put(text):
            self._start_writing()
        elif self.seat is None:
            self._outbox.coalesce(self._snapshot, self.room.presence)
        else:
            self.close(TOO_SLOW)

    def _snapshot(self) -> str:
        """Everything so far, which the room then does not send again."""
        self.known = self.room.table.seq
        return self.room.snapshot()

    def replace(self) -> None:
        """Make room for a newer socket of the same seat."""
        self.close(REPLACED)

    def dismiss(self) -> None:
        """Close: there is no such table any more."""
        self.close(REMOVED)

    def close(self, why: tuple[int, str]) -> None:
        """Close the socket without waiting for it."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._close(why))

    async def run(self, hello: Hello) -> None:
        """Bring the client up to date, then read and write until the socket closes."""
        try:
            await self._catch_up(hello)
            while True:
                await self._take(await self._socket.receive())
        finally:
            self._stop_writing()
            if self._closing is not None:
                await self._closing
                self._closing = None

    def _start_writing(self) -> None:
        if self._writer is None and self._closing is None:
            self._writer = asyncio.get_running_loop().create_task(self._write())

    def _stop_writing(self) -> None:
        """Drop the writer task and the waiting messages.

        Both refer to the session, and the reference cycle would outlive the socket.
        """
        if self._writer is not None:
            self._writer.cancel()
            self._writer = None
        self._outbox.drop()

    async def _close(self, why: tuple[int, str]) -> None:
        self._stop_writing()
        told = {"table": self.room.table.id, "code": why[0], "reason": why[1]}
        _log.debug("socket closed", extra=told)
        await self._live.close(self._socket, why)

    async def _catch_up(self, hello: Hello) -> None:
        """Send all that happened so far, then enter the room, which sends what happens next."""
        table, clock = self.room.table, self._live.tables.clock
        known = None if hello.seq is UNSET or hello.seq > table.seq else hello.seq
        await self._wait_for(table.seq - (known or 0))
        if known is None or self.seat is None:
            await table.prepare(self.seat)
        seq = table.seq if known is None else known
        whole = table_out(table, self.seat, clock.utc()) if known is None else None
        welcome = Welcome(self.seat, table.seq, clock.utc(), *self._standing(), whole)
        await self._socket.send(as_text(welcome))
        while missed := table.view(self.seat, seq, ENTRIES_AT_ONCE):
            entries = tuple(map(entry_out, missed))
            await self._socket.send(as_text(Missed(entries, *self._standing())))
            seq = missed[-1].seq
            await asyncio.sleep(0)  # sending need not: a long log holds up nobody else
        # Nothing was awaited since the last look at the table: no entry falls in between.
        self.known = seq
        self.room.enter(self)

    async def _wait_for(self, entries: int) -> None:
        """Wait until this address may read this many entries. Other addresses do not wait."""
        await self._live.services.reading.spend(self._client, entries, patience=math.inf)

    def _standing(self) -> tuple[Status, Options]:
        """Where the table is, and what may be done here."""
        table = self.room.table
        state = table.state
        return status_out(state, table.due(state)), options_out(state, self.seat)

    async def _write(self) -> None:
        """Send what waits, as the client reads it."""
        with suppress(Disconnected):
            while not self._outbox.empty:
                await self._socket.send(self._outbox.take())
        self._writer = None

    async def _take(self, text: str) -> None:
        """Do what one message asks."""
        if not self._bucket.take():
            self.close(TOO_MANY)
            raise Disconnected
        if wait := self._messages.wait():
            await asyncio.sleep(wait)
        try:
            message = read_message(text)
        except CannotRead as error:
            self._complain(error)
            return
        match message:
            case Ping():
                self.tell(as_text(Time(self._live.tables.clock.utc())))
            case Hello():
                self._complain(CannotRead("hello is said once"))
            case _:
                await self._command(message)

    def _complain(self, error: CannotRead) -> None:
        self._errors += 1
        if self._errors > MOST_ERRORS:
            self.close(TOO_WRONG)
            raise Disconnected
        self.tell(as_text(Error(kind_of(error).code, str(error))))

    async def _command(self, message: CommandIn) -> None:
        self._answering = True
        self.used()
        try:
            reply = await self._carried_out(message)
        finally:
            self._answering = False
        self.tell(as_text(reply))

    async def _carried_out(self, message: CommandIn) -> Ack | Refused:
        """What became of a command: on disk, or refused."""
        clock, metrics = self._live.tables.clock, self._live.metrics
        received, kind = clock.now() - self._socket.waited, message.__struct_config__.tag
        expected = None if message.seq is UNSET else message.seq
        try:
            if self.seat is None:
                raise NotYourTurn("a spectator cannot play; take a seat first")
            if self._live.draining:
                raise Unavailable("the server is restarting; repeat this after reconnecting")
            table, command = self.room.table, command_in(message)
            # A session stays until this is done: only the end of the process cancels it.
            asked = (table, self.seat, message.id, command, received, expected)
            reply = await self._live.services.ask(*asked, client=self._client, shielded=False)
        except KeypegError as error:
            metrics.commands(kind, kind_of(error).code).inc()
            return await self._refusal(message.id, error)
        metrics.commands(kind, "done").inc()
        metrics.acknowledgement.observe(clock.now() - received)
        return Ack(message.id, reply.seq)

    async def _refusal(self, command_id: str, error: KeypegError) -> Refused:
        table = None
        if isinstance(error, Conflict):
            await self._wait_for(self.room.table.seq)
            await self.room.table.prepare(self.seat)
            table = table_out(self.room.table, self.seat, self._live.tables.clock.utc())
        return Refused(command_id, kind_of(error).code, str(error), table)

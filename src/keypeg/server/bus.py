"""The bus between processes: notices that a table or a match has moved on, over Redis.

A notice is the id of either and its seq, and nothing else. It is never believed, only followed by a
look into the database: a lost notice costs a second, a false one a query. So nothing here may
fail a move, and nothing waits for Redis but the two tasks of this module.

litestar's Redis backend carries the notices. Its plugin is not used, for both its workers end
for good when Redis goes away, and its queue has no limit.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
from typing import TYPE_CHECKING, Any, Final

from keypeg.rules.errors import CannotRead

if TYPE_CHECKING:
    from collections.abc import Callable

    from litestar.channels.backends.redis import RedisChannelsPubSubBackend

MOVES: Final = "keypeg-moves"
"""Somebody moved: the table is now at this seq."""
SEATS: Final = "keypeg-seats"
"""Somebody came or went."""
MATCHES: Final = "keypeg-matches"
"""Something happened in a match, which is now at this seq."""
MOST_WAITING: Final = 20_000
MOST_IN_ONE: Final = 500
RETRY_SECONDS: Final = 0.5
PATIENCE: Final = 2.0
"""Seconds that Redis may take for anything."""
_NOTICE: Final = re.compile(rb"([A-Za-z0-9_-]{1,64}) ([0-9]{1,9})")
_log = logging.getLogger("keypeg.bus")


def connect(url: str) -> Any:
    """A client of the Redis at this address, which gives up soon."""
    try:
        from redis.asyncio import Redis  # noqa: PLC0415 - comes with the extra `scale`
    except ImportError:
        raise CannotRead("Redis needs one more package: pip install 'keypeg[scale]'") from None
    try:
        return Redis.from_url(
            url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE, retry=_once()
        )
    except ValueError:
        # An address may hold a password, so it is not repeated.
        raise CannotRead("Redis is given as redis://host:port or rediss://host:port") from None


def _once() -> Any:
    from redis.asyncio.retry import Retry  # noqa: PLC0415 - as above
    from redis.backoff import NoBackoff  # noqa: PLC0415

    return Retry(NoBackoff(), 0)


class Bus:
    """Tells other processes that tables have moved on, and hears of theirs."""

    def __init__(self, url: str) -> None:
        self._redis = connect(url)
        self._waiting: dict[str, dict[str, int]] = {MOVES: {}, SEATS: {}, MATCHES: {}}
        self._filled = asyncio.Event()
        self._tasks: tuple[asyncio.Task[None], ...] = ()
        self.connected = False
        """Whether notices are being heard, as far as is known."""
        self._complained = False

    def start(self, heard: Callable[[str, str, int], None]) -> None:
        """Begin to speak and to listen, whether Redis is there or not."""
        loop = asyncio.get_running_loop()
        listening = loop.create_task(self._listen_on(heard))
        self._tasks = (loop.create_task(self._speak_on()), listening)

    async def close(self) -> None:
        """Stop at once; what was not said need not be."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with contextlib.suppress(Exception):
            await self._redis.aclose()

    def say(self, channel: str, table_id: str, seq: int) -> None:
        """Say that this table is now at this seq; a newer notice takes an older one's place."""
        waiting = self._waiting[channel]
        if table_id in waiting or len(waiting) < MOST_WAITING:
            waiting[table_id] = seq
            self._filled.set()

    async def _speak_on(self) -> None:
        while True:
            await self._filled.wait()
            self._filled.clear()
            for channel in (MOVES, SEATS, MATCHES):
                while self._waiting[channel]:
                    await self._speak(channel)

    async def _speak(self, channel: str) -> None:
        """Publish some of the notices that wait; those that cannot be are dropped."""
        waiting = self._waiting[channel]
        some = [waiting.popitem() for _ in range(min(MOST_IN_ONE, len(waiting)))]
        data = "\n".join(f"{table_id} {seq}" for table_id, seq in some).encode()
        try:
            await self._backend().publish(data, [channel])
        except Exception as error:  # noqa: BLE001 - the bus may fail in any way, and no move with it
            self._complain(error)
            waiting.clear()
            await asyncio.sleep(RETRY_SECONDS)

    def _backend(self) -> RedisChannelsPubSubBackend:
        from litestar.channels.backends.redis import (  # noqa: PLC0415 - needs the extra `scale`
            RedisChannelsPubSubBackend,
        )

        return RedisChannelsPubSubBackend(redis=self._redis)

    async def _listen_on(self, heard: Callable[[str, str, int], None]) -> None:
        while True:
            backend = self._backend()
            try:
                await backend.subscribe([MOVES, SEATS, MATCHES])
                self.connected, self._complained = True, False
                async for channel, data in backend.stream_events():
                    _hear(channel, data, heard)
            except Exception as error:  # noqa: BLE001 - as above
                self._complain(error)
                self.connected = False
            finally:
                with contextlib.suppress(Exception):
                    await backend.on_shutdown()
            await asyncio.sleep(RETRY_SECONDS)

    def _complain(self, error: Exception) -> None:
        if not self._complained:
            self._complained = True
            why = {"reason": type(error).__name__}
            _log.warning("Redis is not reachable; polling the database instead", extra=why)


def _hear(channel: str, data: bytes, heard: Callable[[str, str, int], None]) -> None:
    for notice in data.split(b"\n")[:MOST_IN_ONE]:
        match = _NOTICE.fullmatch(notice)
        if match is not None:
            heard(channel, match[1].decode(), int(match[2]))

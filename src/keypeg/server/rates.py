"""How much one client may ask of all processes together: counted in Redis.

Each process counts for itself first; Redis only adds what the others have seen. Without it
every process goes by its own count. Addresses are kept there as keyed hashes, for minutes.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from typing import Any, Final

from keypeg.server.bus import connect

PATIENCE: Final = 0.25
PAUSE: Final = 1.0
PURPOSE: Final = "client addresses"

# The generic cell rate algorithm: one number for each client, the time when its bucket is
# full again. Answers how many milliseconds to wait, 0 for none.
_TAKE: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now) + ARGV[1]
local wait = full - now - ARGV[2]
if wait > 0 then return math.ceil(wait) end
redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.ceil(full - now))
return 0
"""


class SharedRates:
    """Buckets that all processes take from."""

    def __init__(self, url: str, key: bytes) -> None:
        self._redis, self._key = connect(url), key
        self._take: Any = self._redis.register_script(_TAKE)
        self._resting_until = 0.0

    async def wait(self, kind: str, client: str, rate: float, burst: float) -> float:
        """Seconds until `client` may ask for one more of this kind; 0 when it just did."""
        if time.monotonic() < self._resting_until:
            return 0.0
        name = hmac.digest(self._key, client.encode(), "sha256").hex()[:32]
        each = 1000 / rate
        try:
            async with asyncio.timeout(PATIENCE):
                told = await self._take(keys=[f"keypeg:{kind}:{name}"], args=[each, burst * each])
        except Exception:  # noqa: BLE001 - Redis may fail in any way, and no request with it
            self._resting_until = time.monotonic() + PAUSE
            return 0.0
        return int(told) / 1000

    async def close(self) -> None:
        """Let go of Redis."""
        await self._redis.aclose()

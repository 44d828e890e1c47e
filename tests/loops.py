"""Waiting inside one event loop, for nothing outside of it."""

from __future__ import annotations

import asyncio


async def settled() -> None:
    """Run everything that is ready, and everything that becomes ready by that.

    A short sleep would do on a quiet machine; on a busy one it can be over after one round.
    """
    for _ in range(100):
        await asyncio.sleep(0)

"""Waiting inside one event loop, where nothing outside of it is waited for."""

from __future__ import annotations

import asyncio


async def settled() -> None:
    """Let all that is ready run, and what that makes ready, as often as any of it may need.

    A short sleep would do so on a quiet machine; on a busy one it can be over after one round.
    """
    for _ in range(100):
        await asyncio.sleep(0)

"""Reference cycles, which only the garbage collector frees; the server runs without it."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def errors_in_cycles() -> Iterator[list[BaseException]]:
    """The errors left in reference cycles by the block; the list is filled at its end."""
    found: list[BaseException] = []
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield found
        gc.collect()
        found += [thing for thing in gc.garbage if isinstance(thing, BaseException)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the collector off: only what has no references left is freed during the block."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


async def until_gone(thing: Callable[[], object]) -> None:
    """Wait until the object of a weak reference is freed."""
    async with asyncio.timeout(10):
        while thing() is not None:
            await asyncio.sleep(0.01)

"""What only Python's collector would find: the server does without it."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def circles() -> Iterator[list[BaseException]]:
    """The errors that were caught in circles during the block, told after it."""
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
    """A block in which only what nobody knows any more is let go of."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


async def until_gone(thing: Callable[[], object]) -> None:
    """Wait until a weak reference has nothing to refer to."""
    async with asyncio.timeout(10):
        while thing() is not None:
            await asyncio.sleep(0.01)

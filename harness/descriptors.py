"""File descriptors of this process: waiting for one, listing them, and opening many."""

from __future__ import annotations

import os
import resource
import select
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MANY = 1_100
"""More than `select.select` can handle, whose limit is 1,024."""


def readable(descriptor: int, seconds: float) -> bool:
    """Whether something can be read within this time, be it only the end of file."""
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(max(0.0, seconds) * 1_000))


def open_descriptors() -> set[str]:
    """All that are open, each with what it refers to."""
    found = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            found.add(f"{number}: {os.readlink(f'/proc/self/fd/{number}')}")
        except FileNotFoundError:  # the one that the folder was read with
            continue
    return found


@contextmanager
def many_open() -> Iterator[None]:
    """Have many files open, so that the next has a high number."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = soft if soft == resource.RLIM_INFINITY else max(soft, MANY + 1_000)
    resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))
    try:
        with ExitStack() as files:
            for _ in range(MANY):
                files.enter_context(open(os.devnull, "rb"))
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

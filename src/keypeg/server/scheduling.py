"""How Linux shares the processor between the server and the solver: time slices and cores.

A slice is how long a thread may run before another gets its turn. With both cores busy, a thread of
the server that woke up waited until the solver had used up its slice of some 3 ms, however low the
solver's priority, and a move wakes up several threads in turn. Since Linux 6.12 a thread with a
shorter slice need not wait for one with a longer one. It does not get more of the processor.

Where there are several cores, the solver's processes leave one of them free.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import struct
import sys
from typing import Final

SHORTEST: Final = 100_000
"""Nanoseconds; Linux grants nothing shorter."""
_SET_ATTRIBUTES: Final = {"x86_64": 314, "aarch64": 274}.get(platform.machine())
_ATTRIBUTES: Final = struct.Struct("IIQiIQQQ")
"""Size, policy, flags, niceness, priority, slice, deadline, period: `struct sched_attr`."""


def use_short_slices() -> None:
    """Ask for short slices for this thread, and all that it starts."""
    _use_slices(SHORTEST)


def use_default_slices() -> None:
    """Ask for the slices that Linux gives to everybody."""
    _use_slices(0)


def leave_a_core_free() -> None:
    """Use all cores but the first for this process and all that it starts, if there are several.

    Every process that calls this leaves the same core free.
    """
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError):
        _first, *others = sorted(os.sched_getaffinity(0))
        if others:
            os.sched_setaffinity(0, others)


def _use_slices(nanoseconds: int) -> None:
    """What cannot be had, or was not meant for this system, is done without."""
    if sys.platform != "linux" or _SET_ATTRIBUTES is None:
        return
    with contextlib.suppress(OSError):
        policy, niceness = os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)
        if policy == os.SCHED_OTHER:
            wanted = _ATTRIBUTES.pack(_ATTRIBUTES.size, policy, 0, niceness, 0, nanoseconds, 0, 0)
            ctypes.CDLL(None).syscall(_SET_ATTRIBUTES, 0, wanted, 0)

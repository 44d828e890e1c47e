"""Time slices, asked of Linux again after they were set."""

from __future__ import annotations

import ctypes
import platform
import struct
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest

from keypeg.server.scheduling import SHORTEST, use_default_slices, use_short_slices

T = TypeVar("T")
GET_ATTRIBUTES = {"x86_64": 315, "aarch64": 275}.get(platform.machine())


def time_slice() -> int:
    """That of this thread, in nanoseconds; 0 before Linux 6.12."""
    found = ctypes.create_string_buffer(48)
    assert ctypes.CDLL(None).syscall(GET_ATTRIBUTES, 0, found, 48, 0) == 0
    return int(struct.unpack("IIQiIQQQ", found.raw)[5])


def in_a_thread(do: Callable[[], T]) -> T:
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(do).result(10)


@pytest.mark.skipif(
    sys.platform != "linux" or not GET_ATTRIBUTES, reason="only where Linux is known"
)
def test_a_thread_and_those_it_starts_have_short_slices_until_they_ask_for_the_default() -> None:
    def ask() -> tuple[int, int, int]:
        before = time_slice()
        if not before:
            pytest.skip("this Linux does not tell time slices; 6.12 does")
        use_short_slices()
        inherited = in_a_thread(time_slice)
        use_default_slices()
        return before, inherited, time_slice()

    before, inherited, after = in_a_thread(ask)
    assert inherited == SHORTEST < before == after

"""Time slices and cores, asked of Linux again after they were set."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest

from keypeg.server.scheduling import (
    SHORTEST,
    leave_a_core_free,
    use_default_slices,
    use_short_slices,
)
from keypeg.server.solver_worker import SolverWorker
from tests.server.solvers import Marked, marked

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


@pytest.mark.skipif(sys.platform != "linux", reason="only where Linux is known")
def test_one_core_is_left_free_if_there_are_several() -> None:
    def leave(cores: set[int]) -> tuple[set[int], set[int]]:
        os.sched_setaffinity(0, cores)
        leave_a_core_free()
        return os.sched_getaffinity(0), in_a_thread(lambda: os.sched_getaffinity(0))

    ours = os.sched_getaffinity(0)
    first = {min(ours)}
    assert in_a_thread(lambda: leave(first)) == (first, first)
    others = ours - first
    if others:
        assert in_a_thread(lambda: leave(ours)) == (others, others)
    assert os.sched_getaffinity(0) == ours


@pytest.mark.anyio
@pytest.mark.skipif(sys.platform != "linux", reason="only where Linux is known")
async def test_the_solver_leaves_a_core_to_the_server(tmp_path: Path) -> None:
    ours = os.sched_getaffinity(0)
    if len(ours) == 1:
        pytest.skip("there is one core")
    worker = SolverWorker(Marked(tmp_path), 60.0)
    worker.start()
    try:
        (pid,) = await marked(tmp_path, "warm")
        assert os.sched_getaffinity(pid) == ours - {min(ours)}
    finally:
        await worker.close()

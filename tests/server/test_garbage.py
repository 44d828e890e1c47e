"""Garbage is looked for when memory has grown, and not before."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from keypeg.server.garbage import BLIND_LOOKS, GROWTH, LEAST_BYTES, Collector, resident


class Circle:
    def __init__(self) -> None:
        self.self = self


@pytest.fixture
def memory() -> Iterator[list[int]]:
    """What memory is said to be; Python's own collector is as before in the end."""
    before = gc.get_threshold()
    yield [100 * LEAST_BYTES]
    gc.unfreeze()
    gc.set_threshold(*before)
    gc.enable()


def test_garbage_waits_until_memory_has_doubled(memory: list[int]) -> None:
    collector = Collector(lambda: memory[0])
    collector.start()
    assert not gc.isenabled()
    lost = weakref.ref(Circle())
    memory[0] = int(GROWTH * memory[0])
    collector.look()
    assert lost() is not None
    memory[0] += 1
    collector.look()
    assert lost() is None


def test_a_small_server_may_grow_by_more_before_anybody_looks(memory: list[int]) -> None:
    memory[0] = LEAST_BYTES // 2
    collector = Collector(lambda: memory[0])
    collector.start()
    lost = weakref.ref(Circle())
    memory[0] += LEAST_BYTES
    collector.look()
    assert lost() is not None
    memory[0] += 1
    collector.look()
    assert lost() is None


def test_a_server_that_has_shrunk_has_less_to_grow_by(memory: list[int]) -> None:
    collector = Collector(lambda: memory[0])
    collector.start()
    memory[0] = LEAST_BYTES
    collector.look()
    lost = weakref.ref(Circle())
    memory[0] = 2 * LEAST_BYTES + 1
    collector.look()
    assert lost() is None


def test_where_memory_cannot_be_measured_python_collects(memory: list[int]) -> None:
    before = gc.get_threshold()
    collector = Collector(lambda: None)
    collector.start()
    assert gc.isenabled()
    lost = weakref.ref(Circle())
    for _ in range(BLIND_LOOKS):
        collector.look()
    assert lost() is not None
    assert gc.get_threshold() > before


def test_memory_that_cannot_be_measured_any_more_is_looked_through_now_and_then(
    memory: list[int],
) -> None:
    known: list[int | None] = [LEAST_BYTES]
    collector = Collector(lambda: known[0])
    collector.start()
    known[0] = None
    lost = weakref.ref(Circle())
    for _ in range(BLIND_LOOKS - 1):
        collector.look()
    assert lost() is not None
    collector.look()
    assert lost() is None


def test_memory_is_measured_here() -> None:
    assert (resident() or 0) > 2**20

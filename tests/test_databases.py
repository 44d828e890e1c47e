"""The databases that tests start."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from harness.databases import one_at_a_time


def test_a_system_user_is_added_by_one_process_at_a_time() -> None:
    """Else a fresh machine may get the user twice, and PostgreSQL cannot read its own folder."""
    adding, both = threading.Semaphore(1), threading.Barrier(2)
    alone: list[bool] = []

    def add_user() -> None:
        alone.append(adding.acquire(blocking=False))
        # Whoever comes second would come now.
        try:
            both.wait(0.2)
        except threading.BrokenBarrierError:
            both.reset()
        adding.release()

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda _: one_at_a_time(add_user), range(2)))
    assert alone == [True, True]

"""What is asked for at once is fetched together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from keypeg.store.batching import MOST, Batched
from tests.loops import settled
from tests.reference_cycles import errors_in_cycles

pytestmark = pytest.mark.anyio


class Shelf:
    """Something to fetch from, which can be held up and be broken."""

    def __init__(self) -> None:
        self.things = {"a": 1, "b": 2}
        self.fetched: list[tuple[str, ...]] = []
        self.open = asyncio.Event()
        self.open.set()
        self.broken: Exception | None = None

    async def fetch(self, names: Sequence[str]) -> dict[str, int]:
        self.fetched.append(tuple(names))
        found = {name: self.things.get(name, 0) for name in names}
        await self.open.wait()
        if self.broken is not None:
            raise self.broken
        return found


async def test_what_comes_during_a_fetch_is_fetched_together_after_it() -> None:
    shelf = Shelf()
    shelf.open.clear()
    gathered = Batched(shelf.fetch)
    asked = [asyncio.ensure_future(gathered.get("a"))]
    await settled()
    asked += [asyncio.ensure_future(gathered.get(name)) for name in ("b", "c", "b")]
    await settled()
    shelf.open.set()
    assert await asyncio.gather(*asked) == [1, 2, 0, 2]
    assert shelf.fetched == [("a",), ("b", "c")]


async def test_an_answer_is_never_older_than_its_question() -> None:
    shelf = Shelf()
    shelf.open.clear()
    gathered = Batched(shelf.fetch)
    early = asyncio.ensure_future(gathered.get("a"))
    await settled()
    shelf.things["a"] = 9
    late = asyncio.ensure_future(gathered.get("a"))
    await settled()
    shelf.open.set()
    assert (await early, await late) == (1, 9)


async def test_one_who_goes_away_takes_nothing_from_the_others() -> None:
    shelf = Shelf()
    shelf.open.clear()
    gathered = Batched(shelf.fetch)
    one, other = (asyncio.ensure_future(gathered.get("a")) for _ in range(2))
    await settled()
    one.cancel()
    shelf.open.set()
    assert await other == 1


async def test_a_failure_is_told_to_all_who_asked_and_the_next_try_is_a_new_one() -> None:
    shelf = Shelf()
    shelf.broken = OSError("the disk")
    gathered = Batched(shelf.fetch)
    asked = (gathered.get(name) for name in "ab")
    told = await asyncio.gather(*asked, return_exceptions=True)
    assert [str(error) for error in told] == ["the disk", "the disk"]
    shelf.broken = None
    assert await gathered.get("a") == 1


async def test_a_crowd_is_served_in_parts_and_an_end_waits_for_it() -> None:
    shelf = Shelf()
    gathered = Batched(shelf.fetch)
    asked = [asyncio.ensure_future(gathered.get(str(n))) for n in range(MOST + 1)]
    await asyncio.sleep(0)
    await gathered.close()
    assert [len(some) for some in shelf.fetched] == [MOST, 1]
    assert await asyncio.gather(*asked) == [0] * (MOST + 1)


async def test_all_who_wait_are_told_of_one_failure() -> None:
    shelf = Shelf()
    shelf.broken = OSError("the disk")
    shelf.open.clear()
    gathered = Batched(shelf.fetch)
    asked = [asyncio.ensure_future(gathered.get(str(n))) for n in range(3 * MOST)]
    await settled()
    shelf.open.set()
    told = await asyncio.gather(*asked, return_exceptions=True)
    assert len(shelf.fetched) == 1
    assert {str(error) for error in told} == {"the disk"}


async def test_a_fetch_that_is_called_off_leaves_nobody_waiting() -> None:
    shelf = Shelf()
    shelf.open.clear()
    gathered = Batched(shelf.fetch)
    asked = asyncio.ensure_future(gathered.get("a"))
    await settled()
    assert gathered._fetching is not None
    gathered._fetching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    shelf.open.set()
    assert await gathered.get("a") == 1


async def test_a_failure_leaves_nothing_for_the_collector() -> None:
    shelf = Shelf()
    shelf.broken = OSError("the disk")
    gathered = Batched(shelf.fetch)
    with errors_in_cycles() as found:
        told = await asyncio.gather(*map(gathered.get, "ab"), return_exceptions=True)
        assert len(told) == 2
        shelf.broken = None
        del told
        await settled()
    assert not found

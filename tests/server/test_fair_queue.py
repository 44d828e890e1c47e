"""Addresses take turns, by how long they were served."""

from __future__ import annotations

from keypeg.server.fair_queue import MOST_REMEMBERED, FairQueue


def served(queue: FairQueue[str], times: int, seconds: dict[str, float]) -> str:
    """Who is served, one after another, when what an address asks takes so long."""
    order = ""
    for _ in range(times):
        address, item = queue.first()
        queue.remove(item)
        queue.charge(address, seconds[address])
        order += address
    return order


def filled(**questions: int) -> FairQueue[str]:
    queue: FairQueue[str] = FairQueue(100, 100)
    for address, number in questions.items():
        for n in range(number):
            assert queue.add(address, f"{address}{n}") is None
    return queue


def test_one_address_keeps_its_order() -> None:
    queue = filled(a=3)
    assert queue.first() == ("a", "a0")
    queue.remove("a0")
    queue.put_back("a", "a0")
    assert queue.first() == ("a", "a0")


def test_addresses_take_turns_however_much_one_asks() -> None:
    assert served(filled(a=20, b=3, c=3), 9, dict.fromkeys("abc", 1.0)) == "abcabcabc"


def test_whoever_asks_what_takes_long_waits_longer() -> None:
    order = served(filled(a=5, b=20), 12, {"a": 5.0, "b": 1.0})
    assert order == "abbbbbabbbbb"


def test_an_address_that_was_idle_is_next_and_saves_nothing_up() -> None:
    queue = filled(a=20)
    served(queue, 10, {"a": 1.0})
    for n in range(5):
        queue.add("b", f"b{n}")
    assert served(queue, 5, dict.fromkeys("ab", 1.0)).count("b") in (2, 3)


def test_only_so_many_addresses_are_remembered() -> None:
    queue: FairQueue[str] = FairQueue(10, 10)
    for n in range(MOST_REMEMBERED + 100):
        queue.add(f"address {n}", "x")
        queue.charge(queue.first()[0], 0.1)
        queue.remove("x")
    assert len(queue._served) <= MOST_REMEMBERED + 1


def test_one_address_fills_its_own_line_and_no_more() -> None:
    queue: FairQueue[str] = FairQueue(10, 2)
    assert [queue.add("a", str(n)) for n in range(3)] == [None, None, "2"]
    assert queue.add("b", "b") is None


def test_a_full_queue_pushes_out_the_last_of_the_longest_line() -> None:
    queue: FairQueue[str] = FairQueue(4, 4)
    for n in range(4):
        queue.add("a", str(n))
    assert [queue.add("b", "b0"), queue.add("b", "b1"), queue.add("b", "b2")] == ["3", "2", "b2"]
    assert queue.add("c", "c") == "1"
    assert len(queue) == 4
    assert "1" not in queue


def test_the_time_is_shared_by_address_and_within_each() -> None:
    queue = filled(a=10, b=1)
    assert (queue.shares("a"), queue.shares("b")) == (20, 2)
    assert queue.others("a")
    queue.remove("b0")
    assert not queue.others("a")
    assert queue.shares("a") == 10

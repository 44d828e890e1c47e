"""The outbox: bounded, in order, and replaced as a whole when it overflows."""

from __future__ import annotations

from keypeg.server import outbox
from keypeg.server.outbox import Outbox


def test_messages_come_out_in_order() -> None:
    box = Outbox()
    for text in "abc":
        assert box.put(text)
    assert [box.take() for _ in range(3)] == ["a", "b", "c"]
    assert box.empty


def test_there_is_room_for_so_many_messages_and_so_much_text() -> None:
    box = Outbox()
    assert [box.put("x") for _ in range(outbox.MOST_MESSAGES + 1)][-2:] == [True, False]
    box = Outbox()
    assert box.put("x" * outbox.MOST_CHARACTERS)
    assert not box.put("y")
    box.take()
    assert box.put("y")


def test_a_message_of_any_size_fits_where_nothing_waits() -> None:
    """The longest table is longer than what may wait, and is an answer like any other."""
    box = Outbox()
    assert box.put("x" * (outbox.MOST_CHARACTERS + 1))
    assert not box.put("y")
    box.take()
    assert box.put("y")
    assert not box.put("x" * outbox.MOST_CHARACTERS)


def test_an_overflow_is_replaced_by_what_is_so_when_it_is_sent() -> None:
    box = Outbox()
    box.put("old")
    now = ["first"]
    box.coalesce(lambda: now[0], lambda: f"who is here at {now[0]}")
    assert box.put("dropped, since the snapshot will have it")
    now[0] = "latest"
    assert box.take() == "latest"
    now[0] = "later"
    assert box.put("not in the snapshot")
    assert box.take() == "who is here at latest"
    assert box.take() == "not in the snapshot"
    assert box.empty
    box.coalesce(lambda: "never sent")
    box.drop()
    assert box.empty
    box.put("new")
    assert box.take() == "new"

"""Token buckets and places."""

from __future__ import annotations

from keypeg.server import limits
from keypeg.server.limits import Bucket, Buckets


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    clock = Clock()
    bucket = Bucket(2.0, 5, clock)
    assert [bucket.take() for _ in range(6)] == [True] * 5 + [False]
    clock.now += 0.5
    assert [bucket.take(), bucket.take()] == [True, False]


def test_a_bucket_says_how_long_to_wait() -> None:
    bucket = Bucket(2.0, 1, Clock())
    bucket.take()
    assert bucket.wait() == 0.5


def test_whoever_reserves_later_waits_longer() -> None:
    clock = Clock()
    bucket = Bucket(2.0, 1, clock)
    assert [bucket.reserve() for _ in range(4)] == [0.0, 0.5, 1.0, 1.5]
    clock.now += 1.5
    assert bucket.reserve() == 0.5


def test_clients_have_buckets_of_their_own() -> None:
    buckets = Buckets(1.0, 1, Clock())
    assert buckets.of("a").take()
    assert not buckets.of("a").take()
    assert buckets.of("b").take()


def test_a_million_addresses_do_not_fill_the_memory() -> None:
    buckets = Buckets(1.0, 1, Clock())
    for number in range(limits.MOST_REMEMBERED + 100):
        buckets.of(str(number))
    assert len(buckets._buckets) == limits.MOST_REMEMBERED

"""What an address may ask for, and by what it is recognised."""

from __future__ import annotations

import logging

import pytest

from keypeg.server import budget
from keypeg.server.budget import KINDS, TICKETS, Budget, network_of
from keypeg.server.limits import Bucket, Buckets
from keypeg.server.metrics import Metrics
from keypeg.server.refusals import QUIET_SECONDS, Refusals
from keypeg.server.settings import Settings
from tests.server.test_limits import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time that all accounts go by."""
    clock = Clock()
    monkeypatch.setattr(budget, "Bucket", lambda rate, burst: Bucket(rate, burst, clock))
    monkeypatch.setattr(budget, "Buckets", lambda rate, burst: Buckets(rate, burst, clock))
    return clock


def new_budget(clock: Clock) -> Budget:
    return Budget(Settings(), Refusals(Metrics(), clock))


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("?", "?"),
    ],
)
def test_an_address_is_counted_with_its_network(address: str, network: str) -> None:
    assert network_of(address) == network


def test_the_addresses_of_one_household_share_an_account(clock: Clock) -> None:
    mine = new_budget(clock)
    waits = [mine.wait("/api/tables", network_of(f"2001:db8::{n:x}")) for n in range(1, 151)]
    assert sum(not wait for wait in waits) == Settings().requests_at_once
    assert mine.wait("/api/tables", network_of("2001:db8:0:1::1")) == 0


@pytest.mark.parametrize("kind", [*KINDS, TICKETS], ids=lambda kind: kind.name)
def test_every_kind_of_request_has_a_limit_of_its_own(
    kind: budget.RequestKind, clock: Clock
) -> None:
    mine = new_budget(clock)
    most = int(kind.times * Settings().requests_at_once)
    waits = [bool(mine.wait(path_of(kind), "a")) for _ in range(most + 1)]
    assert waits == [False] * most + [True]
    for other in (*KINDS, TICKETS):
        assert bool(mine.wait(path_of(other), "a")) is (other is kind)
    assert mine.admits("a"), "a refused request takes its own connection, and nobody else's"


def path_of(kind: budget.RequestKind) -> str:
    return "/api/tables/x/tickets" if kind is TICKETS else kind.path


@pytest.mark.parametrize("own", [budget.OWN_AT_ONCE, 0])
def test_a_player_does_not_wait_for_others_of_the_same_address(
    own: int, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "OWN_AT_ONCE", own)
    mine = new_budget(clock)
    flood = [mine.messages("a", seat=True) for _ in range(500)]
    player, spectator = mine.messages("a", seat=True), mine.messages("a", seat=False)
    for _ in range(10):
        waits = [one.wait() for one in flood]
    # Nobody is overtaken, so each waits for as many as there are.
    assert waits == sorted(waits)
    assert [player.wait() == 0 for _ in range(6)] == [bool(own)] * 5 + [False]
    assert spectator.wait() > 5
    assert mine.messages("b", seat=False).wait() == 0
    clock.now += 2
    assert (player.wait() == 0) is bool(own)


def test_an_address_that_was_refused_something_is_known_for_a_minute(clock: Clock) -> None:
    mine = new_budget(clock)
    while mine.admits("a"):
        assert not mine.refusals.lately("a")
    assert mine.refusals.lately("a")
    assert not mine.refusals.lately("b")
    clock.now += 61
    assert not mine.refusals.lately("a")


def test_who_goes_on_when_refused_is_not_admitted_for_a_while(clock: Clock) -> None:
    mine = new_budget(clock)
    for _ in range(1_000):
        mine.offend("hosts", "a")
    assert not mine.admits("a")
    assert mine.admits("b")
    clock.now += 20
    assert mine.admits("a")


def test_an_attack_is_one_line_in_the_log_now_and_then(caplog: pytest.LogCaptureFixture) -> None:
    clock, metrics = Clock(), Metrics()
    refusals = Refusals(metrics, clock)
    for _ in range(5_000):
        refusals.note("requests", "192.0.2.7")
        clock.now += QUIET_SECONDS / 2_000
    refusals.note("hosts", "192.0.2.8")
    said = [(r.limit, r.count, r.address) for r in caplog.records]  # type: ignore[attr-defined]
    assert said[0] == ("requests", 1, "192.0.2.7")
    assert [limit for limit, _, _ in said] == ["requests"] * 3 + ["hosts"]
    assert {r.levelno for r in caplog.records} == {logging.WARNING}
    assert metrics.refused.labels("requests")._value.get() == 5_000

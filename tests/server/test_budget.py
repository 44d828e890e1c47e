"""What an address may ask for, and by what it is recognised."""

from __future__ import annotations

import logging

import pytest

from keypeg.server import budget
from keypeg.server.budget import KINDS, Budget, network_of
from keypeg.server.limits import Buckets
from keypeg.server.metrics import Metrics
from keypeg.server.refusals import QUIET_SECONDS, Refusals
from keypeg.server.settings import Settings
from tests.server.test_limits import Clock


def new_budget(clock: Clock | None = None) -> Budget:
    return Budget(Settings(), Refusals(Metrics(), clock or Clock()))


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


def test_the_addresses_of_one_household_share_an_account() -> None:
    mine = new_budget()
    waits = [mine.wait("/api/tables", network_of(f"2001:db8::{n:x}")) for n in range(1, 151)]
    assert sum(not wait for wait in waits) == Settings().requests_at_once
    assert mine.wait("/api/tables", network_of("2001:db8:0:1::1")) == 0


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_of_request_has_a_limit_of_its_own(kind: budget.RequestKind) -> None:
    mine = new_budget()
    most = int(kind.times * Settings().requests_at_once)
    assert [bool(mine.wait(kind.path, "a")) for _ in range(most + 1)] == [False] * most + [True]
    for other in KINDS:
        assert bool(mine.wait(other.path, "a")) is (other is kind)


def test_who_goes_on_when_refused_is_not_admitted_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = Clock()
    monkeypatch.setattr(budget, "Buckets", lambda rate, burst: Buckets(rate, burst, clock))
    mine = new_budget(clock)
    for _ in range(1_000):
        mine.offend("requests", "a")
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

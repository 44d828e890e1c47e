"""Tokens, tickets and origins."""

from __future__ import annotations

import pytest

from keypeg.rules.series import Seat
from keypeg.server import security
from keypeg.server.security import (
    NotAllowed,
    Origins,
    Pass,
    Tickets,
    read_credentials,
    seat_cookie,
)
from tests.server.test_limits import Clock


@pytest.mark.anyio
async def test_a_ticket_opens_once() -> None:
    tickets = Tickets()
    ticket = tickets.issue("t", Seat.ONE)
    assert await tickets.redeem(ticket) == Pass("t", Seat.ONE)
    with pytest.raises(NotAllowed):
        await tickets.redeem(ticket)


@pytest.mark.anyio
async def test_a_ticket_is_no_good_after_half_a_minute() -> None:
    clock = Clock()
    tickets = Tickets(clock)
    ticket = tickets.issue("t", None)
    clock.now += security.TICKET_SECONDS + 0.001
    with pytest.raises(NotAllowed):
        await tickets.redeem(ticket)


def test_tickets_nobody_used_are_forgotten() -> None:
    clock = Clock()
    tickets = Tickets(clock)
    for _ in range(security.MOST_TICKETS + 5):
        tickets.issue("t", None)
    assert len(tickets._issued) == security.MOST_TICKETS
    clock.now += security.TICKET_SECONDS + 1
    tickets.issue("t", None)
    assert len(tickets._issued) == sum(map(len, tickets._held.values())) == 1


@pytest.mark.anyio
async def test_few_addresses_cannot_flush_the_tickets_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(security, "MOST_TICKETS", 100)
    tickets = Tickets(Clock())
    ours = tickets.issue("t", Seat.ONE, "ann")
    theirs = [tickets.issue("t", None, f"eve {number % 17}") for number in range(500)]
    assert await tickets.redeem(ours) == Pass("t", Seat.ONE)
    with pytest.raises(NotAllowed):
        await tickets.redeem(theirs[0])
    assert await tickets.redeem(theirs[-1]) == Pass("t", None)
    assert len(tickets._issued) == sum(map(len, tickets._held.values())) == 98


ORIGINS = Origins({"http://localhost:8000", "https://play.example"})


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "",
        "https://play.example.evil.example",
        "https://xplay.example",
        "https://play.example:8443",
        "http://play.example",
        "https://play.example/",
        "HTTPS://PLAY.EXAMPLE",
        "http://localhost:80",
        "http://localhost:8000 https://play.example",
    ],
)
def test_an_origin_matches_whole_or_not_at_all(origin: str) -> None:
    assert not ORIGINS.allow(origin, has_cookie=True)
    assert not ORIGINS.allow(origin, has_cookie=False)


def test_no_origin_passes_without_a_cookie_only() -> None:
    assert ORIGINS.allow(None, has_cookie=False)
    assert not ORIGINS.allow(None, has_cookie=True)
    assert ORIGINS.allow("https://play.example", has_cookie=True)


def test_a_bearer_silences_the_cookies() -> None:
    found = read_credentials({"authorization": "Bearer abc"}, {"keypeg_seat_one": "xyz"})
    assert found == ("abc", {})
    found = read_credentials({"authorization": "Basic abc"}, {"keypeg_seat_one": "xyz"})
    assert found == (None, {Seat.ONE: "xyz"})


def test_a_seat_cookie_is_for_its_table_only_and_not_for_scripts() -> None:
    cookie = seat_cookie("abc", Seat.TWO, "token", secure=True)
    assert cookie.startswith("keypeg_seat_two=token; Path=/api/tables/abc; ")
    assert {"HttpOnly", "SameSite=Lax", "Secure"} <= set(cookie.split("; "))
    assert "Secure" not in seat_cookie("abc", Seat.TWO, "token", secure=False)

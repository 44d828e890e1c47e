"""Where a server is found."""

from __future__ import annotations

import socket

import pytest

from keypeg.server import addresses
from keypeg.server.addresses import is_loopback, network_addresses, own_origins, own_url
from keypeg.server.settings import Settings


def test_the_servers_own_pages_are_allowed() -> None:
    assert "http://localhost:8000" in own_origins("127.0.0.1", 8000)
    assert "http://127.0.0.1:8000" in own_origins("0.0.0.0", 8000)
    assert own_origins("::1", 80) >= {"http://[::1]", "http://localhost"}


def test_pages_opened_from_the_network_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "_way_out", lambda _family, _there: "192.168.7.3")
    assert network_addresses("0.0.0.0") == ("192.168.7.3",)
    assert "http://192.168.7.3:8000" in own_origins("0.0.0.0", 8000)


def test_the_network_is_asked_for_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each probe is a datagram socket that is connected and closed."""
    monkeypatch.setattr(socket.socket, "send", None)
    monkeypatch.setattr(socket.socket, "sendto", None)
    for found in network_addresses("::"):
        assert not is_loopback(found)


def test_one_address_is_not_the_whole_network() -> None:
    assert network_addresses("127.0.0.1") == network_addresses("192.168.7.3") == ()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "::1", "[::1]"])
def test_this_device_has_many_names(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["", "192.168.7.3", "0.0.0.0", "::", "play.example"])
def test_others_do_not_have_them(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("0.0.0.0", "http://localhost:81/"),
        ("::", "http://localhost:81/"),
        ("127.0.0.1", "http://127.0.0.1:81/"),
        ("fe80::7", "http://[fe80::7]:81/"),
    ],
)
def test_the_address_is_one_that_a_browser_takes(host: str, url: str) -> None:
    assert own_url(Settings(host=host), 81) == url
    assert own_url(Settings(host=host, public_url="https://a.example"), 81) == "https://a.example"

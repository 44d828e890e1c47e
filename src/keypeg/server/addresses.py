"""Where a server is found: by this device, by others on its network, and as an origin of pages."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from keypeg.server.settings import Settings

LOOPBACK: Final = ("127.0.0.1", "[::1]", "localhost")
_EVERYWHERE: Final = ("0.0.0.0", "::")  # noqa: S104 - asking, not binding
_ELSEWHERE: Final = ("192.0.2.1", "10.0.0.1", "172.16.0.1", "192.168.0.1", "192.168.1.1")
"""Addresses out in the world and on the usual private networks: each shows a way out of here."""
_ELSEWHERE_6: Final = ("2001:db8::1", "fd00::1")


def is_everywhere(host: str) -> bool:
    """Whether a server bound to `host` listens on all addresses of its device."""
    return host in _EVERYWHERE


def is_loopback(host: str) -> bool:
    """Whether `host`, with or without brackets, is this device and no other."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def network_addresses(host: str) -> tuple[str, ...]:
    """Addresses at which others on the network reach a server bound to `host`, the likeliest first.

    Only for one that listens on all addresses; another has the one it is bound to.
    """
    if not is_everywhere(host):
        return ()
    found = [_way_out(socket.AF_INET, there) for there in _ELSEWHERE]
    if ":" in host:
        found += [_way_out(socket.AF_INET6, there) for there in _ELSEWHERE_6]
    return tuple(dict.fromkeys(one for one in found if one and not is_loopback(one)))


def _way_out(family: socket.AddressFamily, there: str) -> str | None:
    """This device's address on the way to another. Nothing is sent: no port is ever asked."""
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((there, 9))
        return str(probe.getsockname()[0])
    return None


def url_of(host: str, port: int) -> str:
    """The address to type into a browser."""
    shown = f"[{host}]" if ":" in host and host[0] != "[" else host.lower()
    return f"http://{shown}" + ("" if port == 80 else f":{port}")


def own_url(settings: Settings, port: int) -> str:
    """The server's public address, or else where a browser on this device finds it."""
    if settings.public_url is not None:
        return settings.public_url
    return url_of("localhost" if is_everywhere(settings.host) else settings.host, port) + "/"


def own_origins(host: str, port: int) -> frozenset[str]:
    """Where a browser may find a server bound to `host` and `port` without a proxy."""
    names = {host}
    if is_loopback(host):
        names |= {*LOOPBACK}
    if is_everywhere(host):
        names = {*LOOPBACK, *_names(), *network_addresses(host)}
    return frozenset(url_of(name, port) for name in names if name)


def _names() -> set[str]:
    """This device's names and addresses, as far as it knows them."""
    name = socket.gethostname()
    found = {name, f"{name}.local"}
    with contextlib.suppress(OSError):
        found |= {str(info[4][0]) for info in socket.getaddrinfo(name, None)}
    return found

"""What one address may ask for in a second: a table of limits, and a count for each address.

An address is an IPv4 address or an IPv6 network of 64 bits, which is what one household or server
is given. What it may *hold* is in `places`, what one socket may send in `frames`, and how long a
request may be in `heads`. docs/security.md has all limits in one table.
"""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from keypeg.server.limits import Bucket, Buckets

if TYPE_CHECKING:
    from keypeg.server.refusals import Limit, Refusals
    from keypeg.server.settings import Settings

LIVE_PATH: Final = "/api/live"
ASSETS: Final = "/web/"
IPV6_PREFIX: Final = 64
MESSAGE_SOCKETS: Final = 5
"""How many players' worth of messages an address may send; others have to wait."""
OWN_PER_SECOND: Final = 0.5
OWN_AT_ONCE: Final = 5
"""Messages of each seat that do not wait for others at its address: a move now and then."""


class RequestKind(NamedTuple):
    """A kind of request with an account of its own."""

    name: Limit
    path: str
    """What the path of such a request begins with."""
    times: float
    """How many times KEYPEG_REQUESTS_PER_SECOND and KEYPEG_REQUESTS_AT_ONCE are allowed."""


TICKETS: Final = RequestKind("tickets", "", 1.0)
"""What a socket is opened with: whoever floods all else behind an address keeps nobody from it."""
TICKETS_END: Final = "/tickets"
"""What the path of such a request ends with."""
KINDS: Final = (
    RequestKind("handshakes", LIVE_PATH, 1.0),
    # From memory; a page asks for some forty modules at once.
    RequestKind("files", ASSETS, 10.0),
    # All figures are made anew for each request, which takes milliseconds.
    RequestKind("figures", "/metrics", 0.25),
    RequestKind("health", "/healthz", 1.0),
    RequestKind("requests", "/", 1.0),
)
ARRIVALS: Final = RequestKind("arrivals", "", 4.0)
"""New connections. A request that is refused with 429 takes its connection with it, so whoever
ignores that needs a new one each time.
"""
PIECES: Final = RequestKind("pieces", "", 2.5)
"""Parts of heads, bodies and frames that arrive by themselves, of all connections of an address.

To read a byte takes as long as to read a whole move. What comes in one piece does not count.
"""
OWN_PIECES_PER_SECOND: Final = 2.0
OWN_PIECES_AT_ONCE: Final = 32.0
"""What each socket may send besides, whatever others at its address do."""
LEAST_ARRIVALS: Final = (50.0, 240.0)
"""The lowest limit, in connections a second and at once, whatever the limit on requests is."""


@lru_cache(4096)
def network_of(address: str) -> str:
    """The network whose requests are counted together: one IPv4 address, or an IPv6 /64."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, IPV6_PREFIX), strict=False))


class Messages:
    """When the messages of one socket may be taken, among those of all sockets of its address."""

    def __init__(self, shared: Bucket, own: Bucket | None) -> None:
        self._shared, self._own = shared, own

    def wait(self) -> float:
        """Seconds that the next message has to wait. It is charged."""
        if self._own is not None and self._own.take():
            return 0.0
        return self._shared.reserve()


class Budget:
    """The accounts of all addresses."""

    def __init__(self, settings: Settings, refusals: Refusals) -> None:
        each, burst = settings.requests_per_second, settings.requests_at_once
        self._accounts = {
            kind.name: Buckets(each * kind.times, max(1.0, burst * kind.times))
            for kind in (*KINDS, TICKETS)
        }
        rate, at_once = LEAST_ARRIVALS
        self._arrivals = Buckets(
            max(rate, each * ARRIVALS.times), max(at_once, burst * ARRIVALS.times)
        )
        self._pieces = Buckets(each * PIECES.times, max(1.0, burst * PIECES.times))
        self._messages = Buckets(
            settings.messages_per_second * MESSAGE_SOCKETS,
            settings.messages_at_once * MESSAGE_SOCKETS,
        )
        self.refusals = refusals

    def wait(self, path: str, network: str) -> float:
        """Seconds until this address may make this request; 0 if now, and then it is charged."""
        kind = _kind(path).name
        bucket = self._accounts[kind].of(network)
        if bucket.take():
            return 0.0
        self.refusals.note(kind, network)
        return max(bucket.wait(), 0.001)

    def messages(self, network: str, *, seat: bool) -> Messages:
        """The account of a new socket's messages."""
        own = Bucket(OWN_PER_SECOND, OWN_AT_ONCE) if seat else None
        return Messages(self._messages.of(network), own)

    def takes_piece(self, network: str) -> bool:
        """Whether this address may send one more part of something; it is charged for it."""
        return self._pieces.of(network).take()

    def admits(self, network: str) -> bool:
        """Whether this address may open one more connection now; it is charged for it."""
        admitted = self._arrivals.of(network).take()
        if not admitted:
            self.refusals.note("arrivals", network)
        return admitted

    def offend(self, limit: Limit, network: str, cost: float = 1.0) -> None:
        """Note a refusal, and admit fewer connections of this address for a while."""
        self.refusals.note(limit, network)
        self._arrivals.of(network).charge(cost)


def _kind(path: str) -> RequestKind:
    if path.endswith(TICKETS_END):
        return TICKETS
    return next(kind for kind in KINDS if path.startswith(kind.path))

"""Who may connect: what is asked of every connection before anything is read from it."""

from __future__ import annotations

import ipaddress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

from keypeg.server.arrivals import ArrivalClock
from keypeg.server.budget import network_of
from keypeg.server.frames import FrameLimits
from keypeg.server.places import Connections, most_connections

if TYPE_CHECKING:
    from keypeg.server.budget import Budget
    from keypeg.server.metrics import Metrics
    from keypeg.server.places import Closable
    from keypeg.server.refusals import Limit
    from keypeg.server.settings import Settings

CUT_COSTS: Final[dict[Limit, float]] = {"heads": 1.0, "pieces": 2.0, "frames": 8.0}
"""For a connection that had to be cut off, its address is charged as for this many more.

That is what it costs the server. If it were more, a few a second would keep out everybody else who
is behind the address.
"""


class Guest:
    """A connection that was admitted, and what it counts as."""

    __slots__ = ("_busy", "_connection", "_door", "_network")

    def __init__(self, door: Door, connection: Closable, network: str | None) -> None:
        self._door, self._connection, self._network = door, connection, network
        self._busy = False

    @property
    def direct(self) -> bool:
        """Whether this is a client, and not a proxy that stands for many."""
        return self._network is not None

    def work(self, *, busy: bool) -> None:
        """Note whether something is being answered; an idle connection can be given up."""
        if busy is not self._busy and self._network is not None:
            self._busy = busy
            mark = self._door.connections.use if busy else self._door.connections.rest
            mark(self._connection, self._network)

    def upgrade(self) -> None:
        """Note that it has become a socket, which has limits of its own."""
        if self._network is not None:
            self._door.connections.upgrade(self._connection, self._network)

    def leave(self, *, upgraded: bool = False) -> None:
        """Note that it is closed."""
        network = None if upgraded else self._network
        self._door.connections.leave(self._connection, network)

    def takes_piece(self) -> bool:
        """Whether a part of a request or frame may come by itself; a proxy's always may."""
        return self._network is None or self._door.budget.takes_piece(self._network)

    def cut(self, limit: Limit) -> None:
        """Note that it had to be cut off, and admit fewer from its address for a while."""
        if self._network is not None:
            self._door.budget.offend(limit, self._network, CUT_COSTS[limit])


class Door:
    """Counts connections, and turns away those of an address that has or had too many.

    A trusted proxy is not a client: its connections are counted only in total.
    """

    def __init__(self, settings: Settings, budget: Budget, metrics: Metrics) -> None:
        self.frames: Final = FrameLimits.of(settings)
        self.budget: Final = budget
        self.arrivals: Final = ArrivalClock()
        self.connections: Final = Connections(most_connections(), settings.connections_per_address)
        self._trusts = lru_cache(1024)(partial(_among, settings.trusted_proxies))
        metrics.connections.set_function(lambda: self.connections.count)

    def admit(self, connection: Closable, address: str) -> Guest | None:
        """Admit a new connection. Returns None if it must be closed."""
        network = None if self._trusts(address) else network_of(address)
        if network is not None and not self.budget.admits(network):
            return None
        full = self.connections.enter(connection, network)
        if full is not None:
            self.budget.refusals.note(full, network or address)
            return None
        return Guest(self, connection, network)


def _among(networks: tuple[str, ...], address: str) -> bool:
    """Whether an address is one of these, or in one of these networks."""
    if not networks or "*" in networks:
        return bool(networks)
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(found in ipaddress.ip_network(one, strict=False) for one in networks)

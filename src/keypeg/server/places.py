"""What one address may hold: connections without a WebSocket, and sockets.

Several people may share one address, and they must not keep each other out. So a newcomer is
admitted if something can be closed that nobody would miss: an idle connection, or a socket that has
not said hello. And the socket of a seat always has a place.
"""

from __future__ import annotations

import sys
from collections import OrderedDict, defaultdict
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.server.refusals import Limit

RESERVED_FILES: Final = 128
"""Open files that are kept for the database, the log, the solver and Redis."""
SEATS_TIMES: Final = 10
"""How many times KEYPEG_SOCKETS_PER_ADDRESS the seats of one address may have."""
WATCHERS_SHARE: Final = 0.9
"""Of KEYPEG_SOCKETS; the rest is for seats."""


def nothing() -> None:
    """Do nothing, when there is nothing to do."""


def most_connections() -> int:
    """How many connections the limit on open files leaves room for."""
    if sys.platform == "win32":
        return 2**31
    import resource  # noqa: PLC0415 - POSIX only

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return 2**31
    return int(soft) - min(RESERVED_FILES, int(soft) // 4)


class Closable(Protocol):
    """A connection that can be given up."""

    def give_up(self) -> None:
        """Close it at once."""
        ...


class _Held:
    """What one address holds."""

    __slots__ = ("count", "idle")

    def __init__(self) -> None:
        self.count = 0
        self.idle = OrderedDict[Closable, None]()


class Connections:
    """All connections; those without a socket by address."""

    def __init__(self, most: int, most_each: int) -> None:
        self._most, self._most_each = most, most_each
        self._held = defaultdict[str, _Held](_Held)
        self.count = 0

    def enter(self, connection: Closable, network: str | None) -> Limit | None:
        """Take in a new connection. Returns the name of the limit if there is no room.

        Without a `network` it is counted only in total.
        """
        held = None if network is None else self._held[network]
        if held is not None and held.count >= self._most_each and not _give_up(held):
            return "connections"
        if self.count >= self._most and not self._make_room():
            return "open-files"
        if held is not None:
            held.count += 1
            held.idle[connection] = None
        self.count += 1
        return None

    def use(self, connection: Closable, network: str) -> None:
        """Note that something is being answered on it."""
        self._held[network].idle.pop(connection, None)

    def rest(self, connection: Closable, network: str) -> None:
        """Note that it is idle, and kept only in case it is used again."""
        self._held[network].idle[connection] = None

    def upgrade(self, connection: Closable, network: str) -> None:
        """Note that it has become a socket."""
        held = self._held[network]
        held.idle.pop(connection, None)
        held.count -= 1
        if not held.count:
            del self._held[network]

    def leave(self, connection: Closable, network: str | None) -> None:
        """Note that it is closed. A socket is no longer counted for a `network`."""
        if network is not None:
            self.upgrade(connection, network)
        self.count -= 1

    def _make_room(self) -> bool:
        """Give up a connection of the address that has most of them."""
        heaviest = max(self._held.values(), key=lambda held: len(held.idle), default=None)
        return heaviest is not None and _give_up(heaviest)


def _give_up(held: _Held) -> bool:
    """Close the connection that has been idle longest, if there is one."""
    if not held.idle:
        return False
    connection, _ = held.idle.popitem(last=False)
    connection.give_up()
    return True


class Place:
    """What one socket holds: first that of a newcomer, then a spectator's or a seat's."""

    __slots__ = ("_sockets", "give_up", "group", "network")

    def __init__(self, sockets: Sockets, network: str, group: _Group) -> None:
        self._sockets, self.network, self.group = sockets, network, group
        self.give_up: Callable[[], None] = nothing
        """Closes the socket, so that another can have its place."""

    def settle(self, *, seat: bool) -> bool:
        """Whether there is room for the spectator, or the holder of a seat, who said hello."""
        return self._sockets.settle(self, seat=seat)

    def touch(self) -> None:
        """It has just been used."""
        self.group.touch(self)


class _Group:
    """Places of one kind, by address; the one unused for longest is first."""

    def __init__(self, most_each: int) -> None:
        self._most_each = most_each
        self._places: dict[str, OrderedDict[Place, None]] = {}
        self.count = 0

    def full(self, network: str) -> bool:
        """Whether this address has all that it may have."""
        return len(self._places.get(network, ())) >= self._most_each

    def add(self, place: Place) -> None:
        """Add a place; if the address has too many, the one unused for longest is given up."""
        if self.full(place.network):
            oldest = next(iter(self._places[place.network]))
            self.remove(oldest)
            oldest.give_up()
        place.group = self
        self._places.setdefault(place.network, OrderedDict())[place] = None
        self.count += 1

    def touch(self, place: Place) -> None:
        """A place has just been used."""
        held = self._places.get(place.network)
        if held is not None and place in held:
            held.move_to_end(place)

    def remove(self, place: Place) -> None:
        """Remove a place, if it is still here."""
        held = self._places.get(place.network)
        if held is None or place not in held:
            return
        del held[place]
        self.count -= 1
        if not held:
            del self._places[place.network]


class Sockets:
    """The places of sockets, in total and for each address."""

    def __init__(self, most: int, most_each: int) -> None:
        self._most = most
        self._newcomers, self._watchers = _Group(most_each), _Group(most_each)
        self._seats = _Group(SEATS_TIMES * most_each)
        self.count = 0

    def enter(self, network: str) -> Place | None:
        """A place for somebody who has yet to say hello; None if the server is full."""
        if self.count >= self._most:
            return None
        place = Place(self, network, self._newcomers)
        self._newcomers.add(place)
        self.count += 1
        return place

    def settle(self, place: Place, *, seat: bool) -> bool:
        """See `Place.settle`."""
        place.group.remove(place)
        full = self._watchers.full(place.network)
        if not seat and (full or self._watchers.count >= WATCHERS_SHARE * self._most):
            return False
        (self._seats if seat else self._watchers).add(place)
        return True

    def leave(self, place: Place) -> None:
        """The socket is closed."""
        place.group.remove(place)
        place.give_up = nothing  # it may refer to what refers to the place
        self.count -= 1

"""Places: nobody behind an address keeps the others out, and none is kept after its end."""

from __future__ import annotations

import random

from keypeg.server.places import SEATS_TIMES, Connections, Place, Sockets


class Held:
    """A connection that leaves when it is given up, as real ones do a moment later."""

    def __init__(self, connections: Connections, network: str) -> None:
        self.connections, self.network = connections, network
        self.open = True

    def give_up(self) -> None:
        self.open = False


def test_a_connection_that_rests_makes_room_for_one_more_of_its_address() -> None:
    connections = Connections(100, 3)
    held = [Held(connections, "a") for _ in range(5)]
    for one in held[:3]:
        assert connections.enter(one, "a") is None
    connections.use(held[0], "a")
    assert connections.enter(held[3], "a") is None
    assert [one.open for one in held] == [True, False, True, True, True]
    connections.leave(held[1], "a")
    for one in (held[2], held[3]):
        connections.use(one, "a")
    assert connections.enter(held[4], "a") == "connections"
    assert connections.enter(Held(connections, "b"), "b") is None


def test_with_no_file_left_the_address_that_holds_most_gives_one_up() -> None:
    connections = Connections(6, 5)
    many, few = [[Held(connections, name) for _ in range(n)] for name, n in (("a", 4), ("b", 2))]
    for one in (*few, *many):
        assert connections.enter(one, one.network) is None
    newcomer = Held(connections, "c")
    assert connections.enter(newcomer, "c") is None
    assert not many[0].open
    assert all(one.open for one in (*many[1:], *few))
    for one in (*many[1:], *few, newcomer):
        connections.use(one, one.network)
    assert connections.enter(Held(connections, "d"), "d") == "open-files"


def test_connections_that_came_and_went_leave_nothing() -> None:
    connections, rng = Connections(50, 10), random.Random(1)
    held: list[Held] = []
    for _ in range(5_000):
        if held and rng.random() < 0.5:
            one = held.pop(rng.randrange(len(held)))
            act = rng.choice(["use", "rest", "upgrade", "leave"])
            if act == "upgrade":
                connections.upgrade(one, one.network)
                connections.leave(one, None)
            elif act == "leave":
                connections.leave(one, one.network)
            else:
                if one.open:
                    getattr(connections, act)(one, one.network)
                held.append(one)
        else:
            one = Held(connections, rng.choice("abcdefgh"))
            if connections.enter(one, one.network) is None:
                held.append(one)
        for gone in [one for one in held if not one.open]:
            held.remove(gone)
            connections.leave(gone, gone.network)
        assert connections.count == len(held)
    for one in held:
        connections.leave(one, one.network)
    assert connections.count == 0
    assert not connections._held


def enter(sockets: Sockets, network: str, gone: list[Place]) -> Place:
    place = sockets.enter(network)
    assert place is not None
    place.give_up = lambda: gone.append(place)
    return place


def test_a_newcomer_takes_the_place_of_the_one_who_was_silent_longest() -> None:
    sockets, gone = Sockets(100, 3), list[Place]()
    held = [enter(sockets, "a", gone) for _ in range(4)]
    assert gone == held[:1]
    enter(sockets, "b", gone)
    assert gone == held[:1]


def test_a_seat_has_a_place_however_many_watch() -> None:
    sockets, gone = Sockets(1_000, 3), list[Place]()
    assert [enter(sockets, "a", gone).settle(seat=False) for _ in range(5)] == [True] * 3 + [
        False
    ] * 2
    seats = []
    for _ in range(3 * SEATS_TIMES):
        seats.append(enter(sockets, "a", gone))
        assert seats[-1].settle(seat=True)
    assert not gone
    seats[0].touch()
    assert enter(sockets, "a", gone).settle(seat=True)
    assert gone == [seats[1]], "not the one that was used longest ago"


def test_the_last_sockets_of_the_server_are_for_seats() -> None:
    sockets, gone = Sockets(10, 10), list[Place]()
    names = "abcdefghij"
    settled = [enter(sockets, name, gone).settle(seat=False) for name in names[:9]]
    assert settled == [True] * 9
    assert enter(sockets, "j", gone).settle(seat=True)
    assert sockets.enter("k") is None


def test_sockets_that_came_and_went_leave_nothing() -> None:
    sockets, rng, gone = Sockets(60, 4), random.Random(2), list[Place]()
    held: list[Place] = []
    for _ in range(5_000):
        if held and rng.random() < 0.55:
            place = held.pop(rng.randrange(len(held)))
            new = place.group is sockets._newcomers and rng.random() < 0.5
            if new and place.settle(seat=rng.random() < 0.5):
                held.append(place)
            else:
                sockets.leave(place)
        elif (place := sockets.enter(rng.choice("abcd"))) is not None:  # type: ignore[assignment]
            held.append(place)
        assert sockets.count == len(held)
    for place in held:
        sockets.leave(place)
    assert sockets.count == 0
    for group in (sockets._newcomers, sockets._watchers, sockets._seats):
        assert group.count == 0
        assert not group._places
    assert not gone

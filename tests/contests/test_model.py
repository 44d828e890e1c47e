"""Contests against a small model: whatever is asked, by whomever, at one of two servers."""

from __future__ import annotations

import asyncio
import tempfile
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from keypeg.contests.game import Contests, Plan
from keypeg.rules.board import Board
from keypeg.rules.errors import KeypegError
from keypeg.store.sql import SqlLog
from tests.daily.clocks import SetClock
from tests.store.entries import KEY

BOARD = Board(2, 3, rows=3)
SETTER = 0
people = st.sampled_from([1, 2, 1, 2, 0, 3])
numbers = st.integers(1, 2)
codes = st.tuples(st.integers(1, 3), st.integers(1, 3))
actions = st.one_of(
    st.tuples(st.just("enter"), people, st.sampled_from([None, "Ann", "Bob"])),
    st.tuples(st.just("guess"), people, numbers, st.sampled_from("xyz"), codes),
    st.tuples(st.just("guess"), people, numbers, st.sampled_from("xyz"), codes),
    st.tuples(st.just("results"), people, numbers),
    st.tuples(st.just("standing"), people),
    st.tuples(st.just("rows"), people, numbers, st.integers(1, 3)),
    st.tuples(st.just("watch"), people),
    st.tuples(st.just("wait"), st.integers(1, 30_000)),
)


class Refused(Exception):
    """The model does not allow it."""


class Model:
    """What should be: no ids, no database, no seals."""

    def __init__(self, secrets: list[tuple[int, int]], *, drawn: bool, closes: int | None) -> None:
        self.secrets, self.drawn, self.closes, self.now = secrets, drawn, closes, 0
        self.names: dict[int, str | None] = {}
        self.watching = set[int]()
        self.rows: dict[tuple[int, int], list[tuple[int, str, tuple[int, int]]]] = {}

    @property
    def closed(self) -> bool:
        return self.closes is not None and self.now >= self.closes

    def enter(self, who: int, name: str | None) -> int:
        if who == SETTER and not self.drawn:
            raise Refused
        if who not in self.names and (self.closed or who in self.watching):
            raise Refused
        self.names[who] = name
        return [*self.names].index(who) + 1

    def watch(self, who: int) -> bool:
        if self.closed or (who == SETTER and not self.drawn):
            return who in self.watching
        if who in self.names:
            raise Refused
        self.watching.add(who)
        return True

    def done(self, who: int, number: int) -> bool:
        rows = self.rows.get((who, number), [])
        return len(rows) == 3 or any(code == self.secrets[number - 1] for _, _, code in rows)

    def guess(self, who: int, number: int, id_: str, code: tuple[int, int]) -> int:
        if who not in self.names:
            raise Refused
        rows = self.rows.get((who, number), [])
        for row, (_, known, before) in enumerate(rows, 1):
            if known == id_:
                if before != code:
                    raise Refused
                return row
        if self.done(who, number) or self.closed:
            raise Refused
        self.rows[who, number] = [*rows, (self.now, id_, code)]
        return len(rows) + 1

    def knows(self, who: int, number: int) -> bool:
        always = self.closed or who in self.watching or (who == SETTER and not self.drawn)
        return always or self.done(who, number)

    def results(self, who: int, number: int) -> list[tuple[Any, ...]]:
        if not self.knows(who, number):
            raise Refused
        return self.ranking([number])

    def standing(self, who: int) -> list[tuple[Any, ...]]:
        known = [number for number in (1, 2) if self.knows(who, number)]
        if not known:
            raise Refused
        return self.ranking(known)

    def played(self, who: int, number: int, entrant: int) -> list[tuple[int, int]]:
        ended = [
            one
            for place, one in enumerate(self.names, 1)
            if place == entrant and self.rows.get((one, number)) and self.ended(one, number)
        ]
        if not self.knows(who, number) or not ended:
            raise Refused
        return [code for _, _, code in self.rows[ended[0], number]]

    def ended(self, who: int, number: int) -> bool:
        return self.done(who, number) or (self.closed and (who, number) in self.rows)

    def ranking(self, known: list[int]) -> list[tuple[Any, ...]]:
        """Who has how many rows, and in what time, the best first."""
        lines = []
        for place, (who, name) in enumerate(self.names.items(), 1):
            if not any(self.ended(who, number) for number in known):
                continue
            total, missed, seconds = 0, 0, 0
            for number in known:
                rows = self.rows.get((who, number), [])
                broken = [n for n, row in enumerate(rows, 1) if row[2] == self.secrets[number - 1]]
                total += broken[0] if broken else 4
                if self.ended(who, number):
                    seconds += (rows[-1][0] - rows[0][0]) // 1000
                else:
                    missed += 1
            lines.append((total, missed, seconds, place, name))
        ranked = sorted(lines, key=lambda line: line[:4])
        return [(total, seconds, place, name) for total, _, seconds, place, name in ranked]


class World:
    """The same on two servers."""

    def __init__(self, logs: list[SqlLog], clock: SetClock) -> None:
        self.servers, self.clock, self.turn = [Contests(log, clock) for log in logs], clock, 0
        self.id = ""

    @property
    def server(self) -> Contests:
        self.turn += 1
        return self.servers[self.turn % 2]

    async def do(self, kind: str, who: int, *more: Any) -> Any:
        holder, server = f"{who:064}", self.server
        match kind, more:
            case "enter", (name,):
                entrant = (await server.enter(self.id, holder, name)).entrant
                return entrant and entrant.number
            case "watch", ():
                return (await server.watch(self.id, holder)).watches
            case "guess", (number, id_, code):
                return (await server.guess(self.id, number, holder, (id_, code)))[0]
            case "rows", (number, entrant):
                _, attempt = await server.rows(self.id, number, entrant, holder)
                return [row.code for row in attempt.rows]
            case "results", (number,):
                lines = (await server.results(self.id, number, holder)).lines
            case _:
                lines = (await server.standing(self.id, holder)).lines
        return [(line.rows, line.seconds, line.entrant, line.name) for line in lines]


def expected(model: Model, kind: str, *more: Any) -> Any:
    act = {
        "enter": model.enter,
        "guess": model.guess,
        "watch": model.watch,
        "rows": model.played,
        "results": model.results,
        "standing": model.standing,
    }[kind]
    try:
        return act(*more)  # type: ignore[operator]
    except Refused:
        return "refused"


async def agreed(
    folder: str, plan: Plan, secrets: list[tuple[int, int]], wanted: list[tuple[Any, ...]]
) -> None:
    address, clock = f"sqlite:///{folder}/x.db", SetClock("2026-11-18 12:00")
    logs = [await SqlLog.open(address, KEY) for _ in range(2)]
    try:
        world = World(logs, clock)
        made = await world.server.create(f"{SETTER:064}", "x", plan)
        world.id = made.contest.id
        drawn = isinstance(plan.codes, int)
        if drawn:
            found = await world.server.store.openings(world.id, [1, 2])
            secrets = [found[number].code for number in (1, 2)]  # type: ignore[misc]
        closes = None if plan.seconds is None else plan.seconds * 1000
        model, noon = Model(secrets, drawn=drawn, closes=closes), clock.utc()
        for kind, *more in wanted:
            if kind == "wait":
                model.now += more[0]
                clock._utc = noon + model.now
                continue
            try:
                answer = await world.do(kind, *more)
            except KeypegError:
                answer = "refused"
            assert answer == expected(model, kind, *more), (kind, *more)
            for who in range(4):
                await seen_as_in(model, world, who)
    finally:
        for log in logs:
            await log.close()


async def seen_as_in(model: Model, world: World, who: int) -> None:
    """Own rows, and the code only of whoever may know it."""
    seen = await world.server.look(world.id, f"{who:064}")
    for code in seen.codes:
        own = [] if code.attempt is None else [row.code for row in code.attempt.rows]
        assert own == [row[2] for row in model.rows.get((who, code.number), [])]
        assert (code.opening is not None) == model.knows(who, code.number)


@settings(max_examples=25)
@given(
    st.tuples(codes, codes),
    st.booleans(),
    st.sampled_from([None, 60]),
    st.lists(actions, max_size=30),
)
def test_whatever_is_asked_a_contest_does_as_the_model_does(
    secrets: tuple[tuple[int, int], tuple[int, int]],
    drawn: bool,
    seconds: int | None,
    wanted: list[tuple[Any, ...]],
) -> None:
    plan = Plan(BOARD, 2 if drawn else secrets, None, seconds)
    with tempfile.TemporaryDirectory() as folder:
        entered = [("enter", who, None) for who in (1, 2)]
        asyncio.run(agreed(folder, plan, [*secrets], [*entered, *wanted]))

"""Contests in the same database as the log: their codes, encrypted, their entrants and attempts.

Who set a contest and who has entered it are known here by the hashes of their tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import and_, delete, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from keypeg.store.attempts import Attempt, Attempts
from keypeg.store.faults import clear_frames
from keypeg.store.schema import (
    contest_attempts,
    contest_codes,
    contest_entrants,
    contest_rows,
    contest_spectators,
    contests,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import ColumnElement, Connection, Table

    from keypeg.rules.commitment import Opening
    from keypeg.store.sql import SqlLog


@dataclass(frozen=True, slots=True)
class Contest:
    """What was agreed when a contest was made; times in milliseconds since the epoch."""

    id: str
    board: str
    setter: str
    """The hash of the token of whoever made it."""
    name: str | None
    """What the setter wants to be called."""
    drawn: bool
    """Whether the codes were drawn at random, so that the setter does not know them either."""
    created: int
    closes: int | None
    seals: tuple[str, ...]
    computers: tuple[str, ...] = ()
    """The levels of the computer players. They are the first entrants, in this order."""

    def level(self, entrant: int) -> str | None:
        """The level of an entrant who is the computer; None for people."""
        return self.computers[entrant - 1] if 0 < entrant <= len(self.computers) else None


class Entrant(NamedTuple):
    """Somebody who has entered a contest; numbered in the order of entering, computers first."""

    number: int
    name: str | None


class ContestKey(NamedTuple):
    """Whose attempt it is, and at which code of a contest; codes and entrants count from 1."""

    contest: str
    number: int
    entrant: int


class Finish(NamedTuple):
    """How an attempt has ended, or stands; `loss` in thousandths of a guess, if it is known."""

    entrant: int
    name: str | None
    begun: int
    changed: int
    needed: int | None
    loss: int | None


FULL: Final = Entrant(0, None)
"""Stands for somebody who cannot enter any more."""
WATCHING: Final = Entrant(-1, None)
"""Stands for somebody who watches, and so cannot enter."""
_PARTS: Final = (
    contest_rows,
    contest_attempts,
    contest_entrants,
    contest_spectators,
    contest_codes,
)
"""The tables that refer to a contest; each before those that it refers to."""


class ContestStore(Attempts[ContestKey, Attempt]):
    """The contests in the database of a log, and the attempts at their codes."""

    def __init__(self, log: SqlLog) -> None:
        super().__init__(log, contest_attempts, contest_rows, ContestKey, Attempt)

    async def create(
        self, contest: Contest, openings: Sequence[Opening], holders: Sequence[str] = ()
    ) -> bool:
        """Write a contest with its codes; False if there is one with this id already.

        `holders` stand for the tokens of its computer players.
        """
        locked = [
            self._log.lock(opening, _context(contest.id, number))
            for number, opening in enumerate(openings, 1)
        ]
        return await self._log.transact(partial(_create, contest, locked, holders))

    async def find(self, id_: str) -> Contest | None:
        """A contest, or None if there is none of this id."""
        columns = [column for column in contests.c if column.name != "id"]
        rows = await self._log.fetch(
            select(*columns, contest_codes.c.seal)
            .select_from(contests.join(contest_codes))
            .where(contests.c.id == id_)
            .order_by(contest_codes.c.number)
        )
        if not rows:
            return None
        first, seals = rows[0], tuple(row.seal for row in rows)
        return Contest(
            id_,
            first.board,
            first.setter,
            first.name,
            bool(first.drawn),
            first.created,
            first.closes,
            seals,
            tuple(first.computers.split(",")) if first.computers else (),
        )

    async def openings(self, id_: str, numbers: Collection[int]) -> dict[int, Opening]:
        """The codes of a contest that have these numbers."""
        if not numbers:
            return {}
        code = contest_codes.c
        wanted = select(code.number, code.locked).where(
            code.contest == id_, code.number.in_(numbers)
        )
        return {
            row.number: self._log.unlock(row.locked, _context(id_, row.number))
            for row in await self._log.fetch(wanted)
        }

    async def attempts_of(self, id_: str, entrant: int) -> dict[int, Attempt]:
        """What an entrant has played, by the number of the code."""
        one = contest_attempts.c
        mine = self._wanted.add_columns(one.number).where(
            one.contest == id_, one.entrant == entrant
        )
        rows = await self._log.fetch(mine)
        return {
            number: self._attempt(list(some))
            for number, some in groupby(rows, key=lambda row: row.number)
        }

    async def entrant(self, id_: str, holder: str) -> Entrant | None:
        """Whoever has entered with this token."""
        one = contest_entrants.c
        wanted = select(one.entrant, one.name).where(one.contest == id_, one.holder == holder)
        rows = await self._log.fetch(wanted)
        return Entrant(*rows[0]) if rows else None

    async def entered(self, id_: str) -> list[tuple[str, Entrant]]:
        """All who have entered, in order, each with the hash of their token."""
        one = contest_entrants.c
        wanted = select(one.holder, one.entrant, one.name).where(one.contest == id_)
        rows = await self._log.fetch(wanted.order_by(one.entrant))
        return [(row.holder, Entrant(row.entrant, row.name)) for row in rows]

    async def all_losses_are_possible(self, id_: str, most: int) -> bool:
        """Whether only those who are done have lost something, and none more than `most`."""
        one = contest_attempts.c
        wrong = and_(one.contest == id_, one.loss.is_not(None))
        wrong = and_(wrong, or_(one.needed.is_(None), one.loss > most))
        return not await self._log.fetch(select(one.entrant).where(wrong).limit(1))

    async def enter(self, id_: str, holder: str, name: str | None, most: int) -> Entrant | None:
        """Enter, or take another name; None if there is no such contest any more.

        WATCHING if this holder watches; FULL if `most` have entered, and this holder has not.
        """
        return await self._log.transact(partial(_enter, id_, holder, name, most))

    async def watch(self, id_: str, holder: str, most: int) -> bool:
        """Watch from now on. False for somebody who has entered, or if `most` watch already."""
        return await self._log.transact(partial(_watch, id_, holder, most))

    async def watches(self, id_: str, holder: str) -> bool:
        """Whether the holder of this token watches."""
        one = contest_spectators.c
        wanted = select(one.holder).where(one.contest == id_, one.holder == holder)
        return bool(await self._log.fetch(wanted))

    async def with_computers(self, now: int) -> list[str]:
        """The contests in which the computer plays, and which are open now."""
        open_ = or_(contests.c.closes.is_(None), contests.c.closes > now)
        wanted = select(contests.c.id).where(contests.c.computers.is_not(None), open_)
        return [row.id for row in await self._log.fetch(wanted.order_by(contests.c.created))]

    async def entrants(self, id_: str) -> int:
        """How many have entered."""
        wanted = select(func.count()).where(contest_entrants.c.contest == id_)
        return int((await self._log.fetch(wanted))[0][0])

    async def finishes(self, id_: str, number: int, entrant: int | None = None) -> list[Finish]:
        """All attempts at a code in the order of their entrants, or that of one entrant."""
        one, who = contest_attempts.c, contest_entrants.c
        wanted = (
            select(one.entrant, who.name, one.begun, one.changed, one.needed, one.loss)
            .select_from(contest_attempts.join(contest_entrants))
            .where(one.contest == id_, one.number == number)
            .order_by(one.entrant)
        )
        if entrant is not None:
            wanted = wanted.where(one.entrant == entrant)
        return [Finish(*row) for row in await self._log.fetch(wanted)]

    async def keep_loss(self, key: ContestKey, loss: int) -> None:
        """Write what an attempt has lost against the best play."""

        def keep(connection: Connection) -> None:
            mine = self._is(contest_attempts, key)
            connection.execute(update(contest_attempts).where(mine).values(loss=loss))

        await self._log.transact(keep)

    async def ids(self) -> list[str]:
        """All contests."""
        return [row.id for row in await self._log.fetch(select(contests.c.id))]

    async def idle(self, before: int) -> int:
        """How many contests were made, and last played in, before then, and have closed by then."""
        return len(await self._log.fetch(select(contests.c.id).where(_idle(before))))

    async def remove_idle(self, before: int) -> int:
        """Delete those contests and all that belongs to them. Returns how many they were."""
        return await self._log.transact(partial(_remove_idle, before))


def _context(id_: str, number: int) -> str:
    return f"contest {id_}/{number}"


def _create(
    contest: Contest, locked: list[bytes], holders: Sequence[str], connection: Connection
) -> bool:
    kept = {
        name: getattr(contest, name) for name in contest.__dataclass_fields__ if name != "seals"
    }
    codes = [
        {"contest": contest.id, "number": number, "seal": seal, "locked": code}
        for number, (seal, code) in enumerate(zip(contest.seals, locked, strict=True), 1)
    ]
    entrants = [
        {"contest": contest.id, "entrant": number, "holder": holder, "name": None}
        for number, holder in enumerate(holders, 1)
    ]
    kept |= {"drawn": int(contest.drawn), "computers": ",".join(contest.computers) or None}
    try:
        with connection.begin_nested():
            connection.execute(insert(contests), kept)
            connection.execute(insert(contest_codes), codes)
            if entrants:
                connection.execute(insert(contest_entrants), entrants)
    except IntegrityError as error:
        clear_frames(error)
        return False
    return True


def _enter(
    id_: str, holder: str, name: str | None, most: int, connection: Connection
) -> Entrant | None:
    # One after the other, so that two who enter at once get two numbers.
    if not _held(id_, connection):
        return None
    one = contest_entrants.c
    mine = and_(one.contest == id_, one.holder == holder)
    found: int | None = connection.scalar(select(one.entrant).where(mine))
    if found is not None:
        connection.execute(update(contest_entrants).where(mine).values(name=name))
        return Entrant(found, name)
    if _is_there(contest_spectators, id_, holder, connection):
        return WATCHING
    last = connection.scalar(select(func.max(one.entrant)).where(one.contest == id_)) or 0
    if last >= most:
        return FULL
    new = {"contest": id_, "entrant": last + 1, "holder": holder, "name": name}
    connection.execute(insert(contest_entrants), new)
    return Entrant(last + 1, name)


def _watch(id_: str, holder: str, most: int, connection: Connection) -> bool:
    if not _held(id_, connection) or _is_there(contest_entrants, id_, holder, connection):
        return False
    if _is_there(contest_spectators, id_, holder, connection):
        return True
    here = contest_spectators.c.contest == id_
    if (connection.scalar(select(func.count()).where(here)) or 0) >= most:
        return False
    connection.execute(insert(contest_spectators), {"contest": id_, "holder": holder})
    return True


def _held(id_: str, connection: Connection) -> bool:
    """Whether there is this contest; if so, nobody else enters or watches it meanwhile."""
    held = select(contests.c.id).where(contests.c.id == id_).with_for_update()
    return connection.scalar(held) is not None


def _is_there(table: Table, id_: str, holder: str, connection: Connection) -> bool:
    mine = and_(table.c.contest == id_, table.c.holder == holder)
    return connection.scalar(select(table.c.holder).where(mine)) is not None


def _idle(before: int) -> ColumnElement[bool]:
    attempt = contest_attempts.c
    played = select(attempt.contest).where(
        attempt.contest == contests.c.id, attempt.changed >= before
    )
    closed = or_(contests.c.closes.is_(None), contests.c.closes < before)
    return and_(contests.c.created < before, closed, ~played.exists())


def _remove_idle(before: int, connection: Connection) -> int:
    # Whoever enters one of these, or plays on, waits, and then finds no contest.
    found = select(contests.c.id).where(_idle(before))
    connection.execute(found.with_for_update())
    for table in _PARTS:
        connection.execute(delete(table).where(table.c.contest.in_(found)))
    return connection.execute(delete(contests).where(_idle(before))).rowcount

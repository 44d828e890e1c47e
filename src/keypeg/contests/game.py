"""Contests: making and entering them, guessing, and what each may see.

Before a breaker is done with a code, what they are sent of it is built from their own rows and its
seal alone. The code, and what others have played, are added once they are done, or once the contest
is closed. Whoever chose the codes, or says that they only watch, sees them all the time, and cannot
guess.
"""

from __future__ import annotations

import asyncio
import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from keypeg.attempts.answers import MOST_RACES, next_rows, row_of
from keypeg.attempts.errors import AlreadyDone
from keypeg.attempts.optimum import optimum
from keypeg.contests.errors import (
    ContestClosed,
    ContestFull,
    ContestReused,
    Entered,
    NoSuchContest,
    NotDoneYet,
    NotEntered,
    OwnCode,
    TooManySpectators,
    Watching,
)
from keypeg.contests.standing import standing
from keypeg.draw import conceal, draw_code
from keypeg.rules.board import Board
from keypeg.rules.code import check_code
from keypeg.rules.commitment import seal
from keypeg.store.attempts import NOT_BROKEN, Attempt
from keypeg.store.contests import FULL, WATCHING, Contest, ContestKey, ContestStore, Finish
from keypeg.store.errors import Moved
from keypeg.table.tokens import hashed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from keypeg.contests.standing import Line
    from keypeg.rules.code import Code
    from keypeg.rules.commitment import Opening
    from keypeg.store.contests import Entrant
    from keypeg.store.sql import SqlLog
    from keypeg.table.clock import Clock
    from keypeg.table.computer import Rows

    MayBegin = Callable[[], Awaitable[object]]
    Charge = Callable[[int], Awaitable[object]]

PURPOSE: Final = "contests"
"""What ids are derived for."""
MOST_CODES: Final = 20
MOST_ENTRANTS: Final = 2_000
MOST_SPECTATORS: Final = 2_000
LINE_COST: Final = 10
"""What a line of results costs to make and to send, in attempts that are read for it."""
_ID: Final = re.compile(r"[A-Za-z0-9_-]{22}")


@dataclass(frozen=True, slots=True)
class Plan:
    """A contest as it is asked for: codes that were chosen, or how many to draw."""

    board: Board
    codes: tuple[Code, ...] | int
    name: str | None = None
    seconds: int | None = None
    """How long it is open; None is without end."""
    computers: tuple[str, ...] = ()
    """The levels of the computer players that enter with it."""


@dataclass(frozen=True, slots=True)
class SeenCode:
    """A code of a contest as somebody sees it; the opening once they may know it."""

    number: int
    seal: str
    attempt: Attempt | None
    opening: Opening | None


@dataclass(frozen=True, slots=True)
class Seen:
    """A contest as somebody sees it."""

    contest: Contest
    board: Board
    now: int
    yours: bool
    """Whether whoever sees it has made it."""
    watches: bool
    """Whether they only watch."""
    entrant: Entrant | None
    codes: tuple[SeenCode, ...]

    @property
    def closed(self) -> bool:
        """Whether its time is over."""
        return is_closed(self.contest, self.now)


@dataclass(frozen=True, slots=True)
class Results:
    """How everybody who is done has fared at one code, or at several."""

    contest: Contest
    board: Board
    entrant: int | None
    """The number of whoever asks, if they have entered."""
    codes: tuple[int, ...]
    """The numbers of the codes that are counted."""
    lines: tuple[Line, ...]
    under_way: int
    """How many attempts at these codes are not done."""
    book: Rows | None
    """The rows that the strategy book would have needed, for one code on a board with a book."""
    unrated: tuple[ContestKey, ...]
    """The attempts whose loss is not known yet."""


class Contests:
    """The contests in one database."""

    def __init__(self, log: SqlLog, clock: Clock) -> None:
        self.store: Final = ContestStore(log)
        self._derive, self._clock = log.derive, clock
        self._summing = asyncio.Lock()
        """One after another: several threads would keep the event loop waiting for its turn."""

    async def create(
        self, setter: str, request: str, plan: Plan, may_begin: MayBegin | None = None
    ) -> Seen:
        """Make a contest. The same request of the same setter makes it once.

        `may_begin` is called before a new contest is made, and raises if it may not.
        """
        id_ = self._id(setter, request)
        known = await self.store.find(id_)
        if known is None:
            if may_begin is not None:
                await may_begin()
            openings = _openings(plan)
            made = _contest(id_, setter, plan, openings, self._now())
            await self.store.create(made, openings, [computer_holder(at) for at in plan.computers])
            known = await self._find(id_)
        if not await self._is_as_planned(known, plan):
            raise ContestReused("this id was used for another contest; make a new one")
        return await self.look(id_, setter)

    async def look(self, id_: str, holder: str | None) -> Seen:
        """A contest as the holder of a token sees it; None has no token yet."""
        contest = await self._find(id_)
        return await self._seen(contest, holder)

    async def enter(
        self, id_: str, holder: str, name: str | None, may_begin: MayBegin | None = None
    ) -> Seen:
        """Enter a contest, or take another name in it."""
        contest, now = await self._find(id_), self._now()
        _refuse_setter(contest, holder)
        if await self.store.entrant(id_, holder) is None:
            _refuse_closed(contest, now)
            if may_begin is not None:
                await may_begin()
        entrant = await self.store.enter(id_, holder, name, MOST_ENTRANTS)
        if entrant is None:
            raise _no_such_contest()
        if entrant is WATCHING:
            raise Watching("you watch this contest and see its codes, so you cannot enter it")
        if entrant is FULL:
            raise ContestFull(f"{MOST_ENTRANTS:,} have entered this contest, and more may not")
        return await self._seen(contest, holder)

    async def watch(self, id_: str, holder: str, may_begin: MayBegin | None = None) -> Seen:
        """See what those who are done have played, and never enter with this token.

        Whoever sees that anyway, as the contest is closed or the codes are theirs, just looks.
        """
        contest, now = await self._find(id_), self._now()
        knows = is_closed(contest, now) or (holder == contest.setter and not contest.drawn)
        if not knows and not await self.store.watches(id_, holder):
            if await self.store.entrant(id_, holder) is not None:
                raise _entered()
            if may_begin is not None:
                await may_begin()
            if not await self.store.watch(id_, holder, MOST_SPECTATORS):
                if await self.store.entrant(id_, holder) is not None:
                    raise _entered()
                raise TooManySpectators(f"{MOST_SPECTATORS:,} watch this contest, and more may not")
        return await self._seen(contest, holder)

    async def guess(
        self, id_: str, number: int, holder: str, row: tuple[str, Code]
    ) -> tuple[int, Seen]:
        """Answer a guess with its id; gives the number of its row. The same id is answered once.

        When this returns, the row is on disk.
        """
        guess_id, code = row
        contest = await self._find(id_, number)
        board = board_of(contest)
        check_code(code, board)
        _refuse_setter(contest, holder)
        entrant = await self.store.entrant(id_, holder)
        if entrant is None:
            raise NotEntered("enter this contest before you guess")
        key = ContestKey(id_, number, entrant.number)
        secret = (await self.store.openings(id_, [number]))[number].code
        for _ in range(MOST_RACES):
            attempt = await self.store.read(key)
            known = row_of(attempt, guess_id, code)
            if known is not None:
                return known, await self._seen(contest, holder)
            now = self._now()
            _refuse_done(attempt)
            _refuse_closed(contest, now)
            rows, needed = next_rows(secret, board, attempt, row)
            after = Attempt(attempt.begun if attempt else now, now, rows, needed)
            try:
                await self.store.add(key, attempt, after)
            except Moved:
                contest = await self._find(id_, number)
                continue
            return len(rows), await self._seen(contest, holder)
        raise Moved("too many guesses came at once; send this one again")

    async def results(
        self, id_: str, number: int, holder: str | None, charge: Charge | None = None
    ) -> Results:
        """How everybody who is done has fared at a code, for those who may know.

        `charge` is called with what that costs, in attempts that are read, and raises if it is too
        much.
        """
        contest = await self._find(id_, number)
        seen = await self._seen(contest, holder)
        opening = seen.codes[number - 1].opening
        if opening is None:
            raise NotDoneYet("what others needed is shown once you are done with this code")
        book = await optimum(seen.board, opening.code)
        return await self._results(seen, (number,), book, charge)

    async def standing(self, id_: str, holder: str | None, charge: Charge | None = None) -> Results:
        """The standing over the codes whose results one may know."""
        seen = await self.look(id_, holder)
        numbers = tuple(code.number for code in seen.codes if code.opening is not None)
        if not numbers:
            raise NotDoneYet("the standing is shown once you are done with a code")
        return await self._results(seen, numbers, None, charge)

    async def rows(
        self, id_: str, number: int, entrant: int, holder: str | None
    ) -> tuple[Finish, Attempt]:
        """What an entrant has played at a code, for those who may see its results."""
        contest = await self._find(id_, number)
        seen = await self._seen(contest, holder)
        if seen.codes[number - 1].opening is None:
            raise NotDoneYet("what others have played is shown once you are done with this code")
        finishes, attempt = list[Finish](), None
        if 1 <= entrant <= MOST_ENTRANTS:
            finishes = await self._finishes(seen, number, entrant)
        if finishes and finishes[0].needed is not None:
            attempt = await self.store.read(ContestKey(id_, number, entrant))
        if attempt is None:
            raise NoSuchContest(f"no entrant {entrant} is done with code {number} of this contest")
        return finishes[0], attempt

    async def _results(
        self, seen: Seen, numbers: tuple[int, ...], book: Rows | None, charge: Charge | None
    ) -> Results:
        if charge is not None:
            entrants = await self.store.entrants(seen.contest.id)
            await charge(entrants * (LINE_COST + len(numbers)))
        async with self._summing:
            found = [await self._finishes(seen, number) for number in numbers]
            return await asyncio.to_thread(_summed_up, seen, numbers, found, book)

    async def _finishes(self, seen: Seen, number: int, entrant: int | None = None) -> list[Finish]:
        """All attempts at a code, or that of one entrant.

        What goes on when a contest closes counts as not broken.
        """
        found = await self.store.finishes(seen.contest.id, number, entrant)
        if not seen.closed:
            return found
        return [one._replace(needed=one.needed or NOT_BROKEN) for one in found]

    async def _seen(self, contest: Contest, holder: str | None) -> Seen:
        now, yours = self._now(), holder == contest.setter
        entrant = None if holder is None else await self.store.entrant(contest.id, holder)
        attempts, watches = {}, False
        if entrant is not None:
            attempts = await self.store.attempts_of(contest.id, entrant.number)
        elif holder is not None:
            watches = await self.store.watches(contest.id, holder)
        all_open = is_closed(contest, now) or watches or (yours and not contest.drawn)
        shown = [n for n, _ in _numbered(contest) if all_open or _is_done(attempts.get(n))]
        openings = await self.store.openings(contest.id, shown)
        codes = tuple(
            SeenCode(number, sealed, attempts.get(number), openings.get(number))
            for number, sealed in _numbered(contest)
        )
        return Seen(contest, board_of(contest), now, yours, watches, entrant, codes)

    async def _find(self, id_: str, number: int = 1) -> Contest:
        found = await self.store.find(id_) if _ID.fullmatch(id_) else None
        if found is None:
            raise _no_such_contest()
        if not 1 <= number <= len(found.seals):
            raise NoSuchContest(f"this contest has codes 1 to {len(found.seals)}, no {number}")
        return found

    async def _is_as_planned(self, contest: Contest, plan: Plan) -> bool:
        duration = None if contest.closes is None else (contest.closes - contest.created) // 1000
        count = plan.codes if isinstance(plan.codes, int) else len(plan.codes)
        agreed = (contest.board, contest.name, duration, contest.drawn, len(contest.seals))
        if agreed != (str(plan.board), plan.name, plan.seconds, count == plan.codes, count):
            return False
        if contest.computers != plan.computers:
            return False
        if isinstance(plan.codes, int):
            return True
        openings = await self.store.openings(contest.id, range(1, count + 1))
        return [openings[number].code for number in sorted(openings)] == list(plan.codes)

    def _id(self, setter: str, request: str) -> str:
        """The id of a contest, which nobody can guess who does not have our key."""
        derived = self._derive(PURPOSE, f"{setter} {request}")[:16]
        return base64.urlsafe_b64encode(derived).rstrip(b"=").decode()

    def _now(self) -> int:
        return self._clock.utc()


def _summed_up(
    seen: Seen, numbers: tuple[int, ...], found: Sequence[Sequence[Finish]], book: Rows | None
) -> Results:
    """The results of these codes. Thousands of attempts take too long for the event loop."""
    unrated = [
        ContestKey(seen.contest.id, number, one.entrant)
        for number, code in zip(numbers, found, strict=True)
        for one in code
        if one.needed is not None and one.loss is None
    ]
    under_way = sum(one.needed is None for code in found for one in code)
    lines = standing(seen.board, found)
    me = None if seen.entrant is None else seen.entrant.number
    return Results(seen.contest, seen.board, me, numbers, lines, under_way, book, tuple(unrated))


def board_of(contest: Contest) -> Board:
    """The board of a contest."""
    return Board.parse(contest.board)


def game_id(id_: str, number: int) -> str:
    """The id of a game at a code of a contest, which is sealed with the code."""
    return f"contest-{id_}-{number}"


def computer_holder(level: str) -> str:
    """What stands for the token of a computer player; no token has a space."""
    return hashed(f"computer {level}")


def is_closed(contest: Contest, now: int) -> bool:
    """Whether the time for a contest is over."""
    return contest.closes is not None and now >= contest.closes


def _openings(plan: Plan) -> list[Opening]:
    if isinstance(plan.codes, int):
        return [conceal(draw_code(plan.board)) for _ in range(plan.codes)]
    for code in plan.codes:
        check_code(code, plan.board)
    return [conceal(code) for code in plan.codes]


def _contest(id_: str, setter: str, plan: Plan, openings: Sequence[Opening], now: int) -> Contest:
    seals = tuple(
        seal(plan.board, game_id(id_, number), opening)
        for number, opening in enumerate(openings, 1)
    )
    closes = None if plan.seconds is None else now + plan.seconds * 1000
    drawn = isinstance(plan.codes, int)
    return Contest(
        id_, str(plan.board), setter, plan.name, drawn, now, closes, seals, plan.computers
    )


def _no_such_contest() -> NoSuchContest:
    return NoSuchContest("there is no such contest; was the whole link copied?")


def _entered() -> Entered:
    return Entered("you have entered this contest, so you cannot watch it instead")


def _refuse_setter(contest: Contest, holder: str) -> None:
    if holder == contest.setter and not contest.drawn:
        raise OwnCode("you chose the codes of this contest, so you cannot break them")


def _numbered(contest: Contest) -> Iterable[tuple[int, str]]:
    """The codes of a contest: their numbers and seals."""
    return enumerate(contest.seals, 1)


def _is_done(attempt: Attempt | None) -> bool:
    return attempt is not None and attempt.done


def _refuse_done(attempt: Attempt | None) -> None:
    if _is_done(attempt):
        raise AlreadyDone("you are done with this code")


def _refuse_closed(contest: Contest, now: int) -> None:
    if is_closed(contest, now):
        raise ContestClosed("this contest is closed")

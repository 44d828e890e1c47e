"""Messages of contests: making and entering them, and what their breakers are sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from keypeg.contests.game import MOST_CODES, game_id
from keypeg.messages.attempts import AttemptRow, rows_out
from keypeg.messages.events import nonce_out
from keypeg.messages.fields import BoardName, CommandId, Name, Pegs
from keypeg.messages.tables import BoardOut, board_out
from keypeg.solver.levels import LEVELS
from keypeg.store.attempts import NOT_BROKEN

if TYPE_CHECKING:
    from keypeg.contests.game import Results, Seen, SeenCode
    from keypeg.contests.standing import Line
    from keypeg.store.attempts import Attempt
    from keypeg.store.contests import Finish

Seconds = Annotated[
    Annotated[int, Meta(ge=60, le=366 * 24 * 60 * 60)] | None,
    Meta(description="For how long it is open; null is without end."),
]


class NewContest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A contest to be made. The same id with the same contents makes it once."""

    id: CommandId
    board: BoardName = "classic"
    codes: Annotated[tuple[Pegs, ...], Meta(min_length=1, max_length=MOST_CODES)] | None = None
    """The codes, if you choose them; then you cannot break them. Null has the server draw them."""
    count: Annotated[int, Meta(ge=1, le=MOST_CODES)] = 1
    """How many codes the server draws."""
    name: Name | None = None
    """What you want to be called."""
    seconds: Seconds = None
    computers: Annotated[tuple[str, ...], Meta(max_length=len(LEVELS))] = ()
    """The levels of the computer players that enter too; each level once."""


class EnterContest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody who enters a contest, or wants to be called something else in it."""

    name: Name | None = None


class WatchContest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody who only watches a contest."""


class EntrantOut(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who has entered a contest."""

    number: int
    name: str | None


class ContestEnding(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent only to those who may know the code."""

    code: tuple[int, ...]
    nonce: str
    broken: bool
    """Whether you broke it."""


class ContestCode(msgspec.Struct, frozen=True, kw_only=True):
    """One code of a contest, and your rows."""

    number: int
    game: str
    """The id that was sealed with the code."""
    seal: str
    rows: tuple[AttemptRow, ...]
    done: bool
    """Whether you broke it, or have used all rows."""
    ending: ContestEnding | None


class ContestOut(msgspec.Struct, frozen=True, kw_only=True):
    """A contest as one player sees it; times are in milliseconds since the epoch."""

    id: str
    now: int
    created: int
    closes: int | None
    closed: bool
    board: BoardOut
    setter: str | None
    """What the setter wants to be called."""
    drawn: bool
    """Whether the server has drawn the codes; then the setter may enter too."""
    yours: bool
    """Whether you have made it."""
    watching: bool
    """Whether you only watch; then you see the codes, and cannot enter."""
    computers: tuple[str, ...]
    """The levels of its computer players, who are the first entrants."""
    entrant: EntrantOut | None
    """You, once you have entered."""
    codes: tuple[ContestCode, ...]


class ContestAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The row in which a guess was answered, and the contest after it."""

    row: int
    contest: ContestOut


class StandingLine(msgspec.Struct, frozen=True, kw_only=True):
    """One entrant in the standing of a contest, or in the results of a code."""

    place: int
    entrant: int
    name: str | None
    level: str | None
    """The level of a computer player; null for people."""
    you: bool
    rows: int
    """A code that was not broken or not played counts one more than the board has."""
    seconds: int
    """From the first row to the last."""
    loss: float | None
    """Guesses lost against the best play; null until it is known for all codes."""
    codes: tuple[int | None, ...]
    """The rows needed for each code; 0 if it was not broken, null if it is not done."""


class ContestResults(msgspec.Struct, frozen=True, kw_only=True):
    """How everybody who is done has fared, the best first."""

    codes: tuple[int, ...]
    """The numbers of the codes that are counted: one, or all that you may know."""
    lines: tuple[StandingLine, ...]
    under_way: int
    """How many attempts at these codes are not done."""
    rating: bool
    """Whether losses are still being computed."""
    book: tuple[AttemptRow, ...] | None
    """The rows that the strategy book would have needed; for one code, on a board with a book."""


class EntrantRows(msgspec.Struct, frozen=True, kw_only=True):
    """What an entrant has played at a code."""

    number: int
    entrant: int
    name: str | None
    rows: tuple[AttemptRow, ...]
    broken: bool
    seconds: int
    loss: float | None


def contest_out(seen: Seen) -> ContestOut:
    """A contest as it is sent. Hides nothing: `contests.game` has decided what is seen."""
    contest, entrant = seen.contest, seen.entrant
    return ContestOut(
        id=contest.id,
        now=seen.now,
        created=contest.created,
        closes=contest.closes,
        closed=seen.closed,
        board=board_out(seen.board),
        setter=contest.name,
        drawn=contest.drawn,
        yours=seen.yours,
        watching=seen.watches,
        computers=contest.computers,
        entrant=None if entrant is None else EntrantOut(**entrant._asdict()),
        codes=tuple(_code(contest.id, code) for code in seen.codes),
    )


def results_out(results: Results, *, rating: bool) -> ContestResults:
    """Results as they are sent."""
    return ContestResults(
        codes=results.codes,
        lines=tuple(_line(line, results) for line in results.lines),
        under_way=results.under_way,
        rating=rating,
        book=None if results.book is None else rows_out(results.book),
    )


def entrant_rows(number: int, finish: Finish, attempt: Attempt) -> EntrantRows:
    """What an entrant has played, as it is sent."""
    return EntrantRows(
        number=number,
        entrant=finish.entrant,
        name=finish.name,
        rows=_played(attempt),
        broken=bool(finish.needed),
        seconds=max(0, finish.changed - finish.begun) // 1000,
        loss=_guesses(finish.loss),
    )


def _code(id_: str, seen: SeenCode) -> ContestCode:
    attempt, opening = seen.attempt, seen.opening
    ending = None
    if opening is not None:
        ending = ContestEnding(
            code=opening.code,
            nonce=nonce_out(opening) or "",
            broken=attempt is not None and attempt.needed not in (None, NOT_BROKEN),
        )
    return ContestCode(
        number=seen.number,
        game=game_id(id_, seen.number),
        seal=seen.seal,
        rows=_played(attempt),
        done=attempt is not None and attempt.done,
        ending=ending,
    )


def _played(attempt: Attempt | None) -> tuple[AttemptRow, ...]:
    return rows_out((row.code, row.keys) for row in attempt.rows) if attempt else ()


def _line(line: Line, results: Results) -> StandingLine:
    return StandingLine(
        place=line.place,
        entrant=line.entrant,
        name=line.name,
        level=results.contest.level(line.entrant),
        you=line.entrant == results.entrant,
        rows=line.rows,
        seconds=line.seconds,
        loss=_guesses(line.loss),
        codes=line.codes,
    )


def _guesses(thousandths: int | None) -> float | None:
    return None if thousandths is None else thousandths / 1000

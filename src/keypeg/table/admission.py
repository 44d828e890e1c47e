"""Whether a table would have accepted an entry: who caused it, in whose turn, names and ranges.

The fold refuses what the rules forbid to everybody. This adds what a live table checks before it
writes an entry, for logs that come from elsewhere, such as a backup. It asks for no more than
every version of keypeg has asked for, so that old logs pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from keypeg.rules.errors import AgainstTheRules, CannotRead, NotYourTurn
from keypeg.rules.events import (
    Abandoned,
    Answered,
    Challenged,
    Closed,
    LimitAccepted,
    LimitProposed,
    Resigned,
    Revealed,
    RowExpired,
    SecretSet,
)
from keypeg.rules.options import Option, authorise
from keypeg.rules.options import options as options_by_the_rules
from keypeg.rules.referee import ruling
from keypeg.rules.series import play_on
from keypeg.store.events import (
    HintUsed,
    Opened,
    Rematched,
    RematchOffered,
    SeatTaken,
    TableEvent,
    TimeCredited,
    TimeOffered,
)
from keypeg.table.commands import COMMAND_ID, Open, TakeSeat
from keypeg.table.decisions import MOST_SECONDS_OFFERED, decide, opening
from keypeg.table.options import MOST_HINTS, MOST_OFFERS

if TYPE_CHECKING:
    from keypeg.rules.events import Event
    from keypeg.rules.series import Seat
    from keypeg.store.events import LogEvent
    from keypeg.store.log import Entry
    from keypeg.table.state import State

LAST_TIME: Final = 253_402_300_800_000
"""The year 10000, in milliseconds since the epoch: calendars end before it."""


def check_entry(before: State | None, entry: Entry) -> None:
    """Raise an error if the table, as it was `before`, would have refused an entry.

    `before` is None for the entry that opens a table.
    """
    if not COMMAND_ID.fullmatch(entry.command_id):
        raise CannotRead("its command id is not 1 to 64 characters of ASCII, without spaces")
    if not 0 < entry.at < LAST_TIME:
        raise CannotRead("its time is not a time")
    if not entry.events:
        raise CannotRead("nothing happens in it")
    first, *others = entry.events
    if before is None:
        _check_opening(entry)
    elif isinstance(first, TableEvent):
        _check_at_table(before, entry, first)
    else:
        _check_cause(before, entry.seat, first)
        if isinstance(first, LimitProposed) and _is_opposed_by_computer(before, entry.seat):
            _need(entry.events == (first, LimitAccepted(first.seconds)), "the computer accepts it")
            return
        _check_consequences(before, first, others)


def _check_opening(entry: Entry) -> None:
    """Old tables name the seat that opened them; today that entry is the table's own."""
    opened, *others = entry.events
    if not isinstance(opened, Opened):
        raise CannotRead("a log begins with the opening of the table")
    command = Open(opened.settings)
    seats: set[Seat | None] = {None}
    if others and isinstance(others[0], SeatTaken):
        sat = others[0]
        command = Open(opened.settings, sat.seat, sat.name, sat.token_hash)
        seats.add(sat.seat)
    if entry.events != opening(command) or entry.seat not in seats:
        raise AgainstTheRules("a table cannot be opened like this")


def _check_at_table(before: State, entry: Entry, first: TableEvent) -> None:
    match first:
        case SeatTaken(seat, name, token_hash):
            expected = decide(before, seat, TakeSeat(name, token_hash or "")).events
            _need(entry.seat is seat, "a seat is taken by whoever sits there")
        case RematchOffered(seat):
            agreed = before.rematch is seat.other or before.settings.level(seat.other) is not None
            expected = (first, Rematched()) if agreed else (first,)
            _need(entry.seat is seat, "a player offers a rematch for their own seat only")
            _need(before.series.over, "a rematch is offered when the series is over")
        case HintUsed():
            expected = (first,)
            _check_hint(before, entry.seat, first)
        case TimeOffered(seconds):
            expected = (first,)
            _need(1 <= seconds <= MOST_SECONDS_OFFERED, f"{seconds} s of extra time are too many")
            _check_time_offered(before, entry.seat)
        case TimeCredited(milliseconds):
            expected = (first,)
            _need(entry.seat is None and before.turn is not None, "no turn lost any time")
            _need(1 <= milliseconds <= entry.at, f"a credit of {milliseconds} ms is impossible")
        case Opened() | Rematched():
            raise AgainstTheRules("nobody can ask for this")
        case _:
            assert_never(first)
    _need(entry.events == expected, "this cannot happen at once")


def _check_hint(before: State, seat: Seat | None, hint: HintUsed) -> None:
    series, game = before.series, before.series.game
    mine = seat is not None and Option.GUESS in options_by_the_rules(series, seat)
    _need(before.ready and mine, "a hint is for the breaker, on the breaker's turn")
    _need(before.settings.hints_allowed, "this table is played without hints")
    _need(before.row_hints < MOST_HINTS, "these are too many hints for one row")
    _need(game is not None and hint.row == len(game.rows) + 1, "the hint is not for the next row")


def _check_time_offered(before: State, seat: Seat | None) -> None:
    turn = before.turn
    _need(
        seat is not None and turn is not None and before.series.turn is seat.other,
        "more time is for the opponent, on the opponent's turn",
    )
    _need(turn is not None and turn.offers < MOST_OFFERS, "time was offered too often in this turn")


def _check_cause(before: State, seat: Seat | None, event: Event) -> None:
    """Check that this seat, or the clock of the table, may cause an event of the game."""
    series = before.series
    _need(before.ready, "the game begins when both seats are taken")
    if isinstance(event, SecretSet) and (event.opening is None or event.seal is None):
        raise CannotRead("a secret is stored with its seal")
    if seat is None:
        _need(before.turn is not None and _of_the_clock(event), "only a player can do this")
    elif isinstance(event, Abandoned):
        if event.role is not series.role(seat.other):
            raise NotYourTurn("only an absent opponent can be claimed to have left")
    elif isinstance(event, Resigned):
        # Until 2026 a breaker might resign where key pegs are scored, too.
        if event.role is not series.role(seat):
            raise NotYourTurn("a player can resign for themselves only")
    elif not isinstance(event, Closed) or _closing_gives_up_a_challenge(before, seat):
        authorise(series, seat, event)


def _of_the_clock(event: Event) -> bool:
    """Whether an event is the end of a turn, or of the pause after a game."""
    if isinstance(event, SecretSet | Answered):
        return event.expired
    return isinstance(event, RowExpired | Closed)


def _is_opposed_by_computer(before: State, seat: Seat | None) -> bool:
    return seat is not None and before.settings.level(seat.other) is not None


def _closing_gives_up_a_challenge(before: State, seat: Seat) -> bool:
    """Whether only the breaker may close the game: a person, who is not absent at the very end."""
    series, breaker = before.series, before.series.maker.other
    last = series.number == series.terms.games
    return seat is not breaker and not last and before.settings.level(breaker) is None


def _check_consequences(before: State, first: Event, others: list[LogEvent]) -> None:
    """Check that what follows an event in its entry is what the referee adds, and all of it."""
    series = play_on(before.series, first)
    for event in others:
        game = series.game
        expected = None if game is None else ruling(game)
        if isinstance(expected, Challenged) and game is not None and game.opening is not None:
            # The referee used to let a maker resign after a wrong answer.
            expected = event if event == Revealed(game.opening) else expected
        if expected is None or event != expected:
            raise AgainstTheRules("the referee would not have done this")
        series = play_on(series, expected)
    if series.game is not None and ruling(series.game) is not None:
        raise AgainstTheRules("what the referee does then is missing")


def _need(right: bool, otherwise: str) -> None:
    if not right:
        raise AgainstTheRules(otherwise)

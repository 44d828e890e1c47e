"""Why a table refuses what is not an option: what is wrong, and what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from keypeg.rules.errors import AgainstTheRules, NotYourTurn
from keypeg.rules.events import (
    Answered,
    Challenged,
    Closed,
    Event,
    Guessed,
    LimitAccepted,
    LimitDeclined,
    LimitProposed,
    LimitWithdrawn,
    Resigned,
    SecretSet,
)
from keypeg.rules.options import authorise
from keypeg.table.commands import (
    AcceptLimit,
    Answer,
    Challenge,
    ClaimAbsent,
    DeclineLimit,
    Guess,
    NextGame,
    OfferTime,
    ProposeLimit,
    Rematch,
    Resign,
    SeatedCommand,
    SetSecret,
    UseHint,
    WithdrawLimit,
)
from keypeg.table.errors import HintsOff, LogFull, NotReady
from keypeg.table.options import (
    ENDLESS,
    MOST_ENTRIES,
    MOST_HINTS,
    MOST_OFFERS,
    OPTION_OF,
    TableOption,
    can_show_an_error,
    is_full,
    options,
)

if TYPE_CHECKING:
    from keypeg.rules.series import Seat, Series
    from keypeg.table.state import State


LimitCommand = ProposeLimit | AcceptLimit | DeclineLimit | WithdrawLimit
RuleCommand = SetSecret | Guess | Answer | Challenge | NextGame | Resign | LimitCommand
"""Commands that the rules know as events."""


def check(state: State, seat: Seat, command: SeatedCommand) -> None:
    """Refuse what is not an option of `seat` now, and say why."""
    if OPTION_OF[type(command)] not in options(state, seat):
        _refuse(state, seat, command)


def _refuse(state: State, seat: Seat, command: SeatedCommand) -> NoReturn:
    if not state.ready:
        raise NotReady("the game begins when both seats are taken")
    if is_full(state) and OPTION_OF[type(command)] in ENDLESS:
        raise log_full("play this series to its end")
    match command:
        case Rematch():
            raise NotYourTurn(_why_no_rematch(state))
        case ClaimAbsent():
            raise NotYourTurn(_why_no_claim(state, seat))
        case OfferTime():
            raise _why_no_time(state, seat)
        case UseHint():
            raise _why_no_hint(state, seat)
        case NextGame() if can_show_an_error(state) and state.settings.level(seat.other):
            raise NotYourTurn("the computer is about to challenge a wrong answer; wait for that")
        case _:
            authorise(state.series, seat, event_of(command, state.series, seat))
    raise AgainstTheRules("this cannot be done now")


def event_of(command: RuleCommand, series: Series, seat: Seat) -> Event:
    """The rule event that a command stands for, before the referee completes it."""
    match command:
        case SetSecret():
            return SecretSet()
        case Guess(code):
            return Guessed(code)
        case Answer(keys):
            return Answered(keys)
        case Challenge():
            return Challenged(upheld=False)
        case NextGame():
            return Closed()
        case Resign():
            return Resigned(series.role(seat))
        case ProposeLimit(seconds):
            return LimitProposed(series.role(seat), seconds)
        case AcceptLimit(seconds):
            return LimitAccepted(seconds)
        case DeclineLimit():
            return LimitDeclined()
        case WithdrawLimit():
            return LimitWithdrawn()


def log_full(what: str) -> LogFull:
    """Why a full log does not take something, and what to do instead."""
    return LogFull(
        f"{MOST_ENTRIES:,} things have happened at this table, as many as it keeps: {what}, "
        "and open a new table for more"
    )


def _why_no_rematch(state: State) -> str:
    if not state.series.over:
        return "a rematch is offered when the series is over"
    return "you have offered a rematch; wait for the opponent's answer"


def _why_no_claim(state: State, seat: Seat) -> str:
    if state.settings.level(seat.other) is not None:
        return "the computer is never away"
    return "you can claim only while the game waits for the opponent"


def _why_no_time(state: State, seat: Seat) -> AgainstTheRules:
    if state.turn is None:
        return AgainstTheRules("there is no time limit now, so no time can be given")
    if state.series.turn is not seat.other:
        return NotYourTurn("more time is for the opponent, on the opponent's turn")
    return AgainstTheRules(f"more time can be given {MOST_OFFERS} times in a turn")


def _why_no_hint(state: State, seat: Seat) -> AgainstTheRules:
    if not state.settings.hints_allowed:
        return HintsOff("this table is played without hints")
    if TableOption.GUESS not in options(state, seat):
        return NotYourTurn("a hint is for the breaker, on the breaker's turn")
    return AgainstTheRules(f"{MOST_HINTS} hints were asked for this row; play it")

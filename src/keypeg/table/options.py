"""What a seat may do at a table now, as data: what the rules offer, and what only a table knows of.

`options` is a pure function of the state. `refusals.check` refuses by it; the computer, the server,
the client, the terminal and the page ask it, or are sent what it says, and decide nothing
themselves. As in the rules it reads only what both players see, so the state folded from one
seat's view gives the same options as the whole one. The one look at a secret, whether the computer
has a wrong answer to challenge, comes after the secret is revealed.

Time is not in it. A claim is an option while the game waits for the opponent, and is refused as
too early until the opponent has been away for long enough; presence says from when on
(`claimable_at`). A move is an option until the table has ended its turn.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Final

from keypeg.rules.audit import audit
from keypeg.rules.options import Option
from keypeg.rules.options import options as options_by_the_rules
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

if TYPE_CHECKING:
    from keypeg.rules.series import Seat
    from keypeg.table.state import State

MOST_OFFERS: Final = 10
"""Offers of more time in one turn: each is an entry, and a log should end some day."""
MOST_HINTS: Final = 10
"""Hints before one row."""
MOST_ENTRIES: Final = 20_000
"""A log this long takes no more of what could go on for ever.

That is a series of the most games and rows there may be, or some five hundred ordinary ones. A
series that has begun is played to its end all the same.
"""


class TableOption(Enum):
    """Something a seat may do at a table, in the order to be shown.

    Its value is the name of the command that does it; a hint alone is asked for in another way.
    """

    SET_SECRET = Option.SET_SECRET.value
    GUESS = Option.GUESS.value
    ANSWER = Option.ANSWER.value
    HINT = "hint"
    CHALLENGE = Option.CHALLENGE.value
    NEXT_GAME = Option.NEXT_GAME.value
    REMATCH = "rematch"
    CLAIM = "claim"
    OFFER_TIME = "offer-time"
    ACCEPT_LIMIT = Option.ACCEPT_LIMIT.value
    DECLINE_LIMIT = Option.DECLINE_LIMIT.value
    WITHDRAW_LIMIT = Option.WITHDRAW_LIMIT.value
    PROPOSE_LIMIT = Option.PROPOSE_LIMIT.value
    RESIGN = Option.RESIGN.value

    __hash__ = object.__hash__
    """Compared as one object, as `Seat` is, which is faster."""


TableOptions = frozenset[TableOption]

MOVES: Final = frozenset(
    {TableOption.SET_SECRET, TableOption.GUESS, TableOption.ANSWER, TableOption.NEXT_GAME}
)
"""What brings a series on. A table waits for one of these; the rest is beside the game."""
OPTION_OF: Final[dict[type[SeatedCommand], TableOption]] = {
    SetSecret: TableOption.SET_SECRET,
    Guess: TableOption.GUESS,
    Answer: TableOption.ANSWER,
    UseHint: TableOption.HINT,
    Challenge: TableOption.CHALLENGE,
    NextGame: TableOption.NEXT_GAME,
    Rematch: TableOption.REMATCH,
    ClaimAbsent: TableOption.CLAIM,
    OfferTime: TableOption.OFFER_TIME,
    ProposeLimit: TableOption.PROPOSE_LIMIT,
    AcceptLimit: TableOption.ACCEPT_LIMIT,
    DeclineLimit: TableOption.DECLINE_LIMIT,
    WithdrawLimit: TableOption.WITHDRAW_LIMIT,
    Resign: TableOption.RESIGN,
}
"""The option that each command needs."""
ENDLESS: Final = frozenset(
    {TableOption.REMATCH, TableOption.OFFER_TIME, TableOption.HINT, TableOption.PROPOSE_LIMIT}
)
"""What could lengthen a log for ever, or several times with every move."""
_NOTHING: Final[TableOptions] = frozenset()
_REMATCH: Final = frozenset({TableOption.REMATCH})


def options(state: State, seat: Seat | None) -> TableOptions:
    """What `seat` may do now; None is a spectator, who may do nothing."""
    if seat is None:
        return _NOTHING
    found = state.options.get(seat)
    if found is None:
        found = state.options[seat] = _options(state, seat)
    return found


def _options(state: State, seat: Seat) -> TableOptions:
    if not state.ready:
        return _NOTHING
    if state.series.over:
        found = _REMATCH if state.rematch is not seat else _NOTHING
    else:
        found = _in_the_series(state, seat)
    return found - ENDLESS if is_full(state) else found


def _in_the_series(state: State, seat: Seat) -> TableOptions:
    found = _at_a_table(options_by_the_rules(state.series, seat))
    more = []
    if TableOption.GUESS in found and state.settings.hints_allowed and state.row_hints < MOST_HINTS:
        more.append(TableOption.HINT)
    if _may_offer_time(state, seat):
        more.append(TableOption.OFFER_TIME)
    if state.settings.level(seat.other) is not None:
        if _may_close_for_the_computer(state, seat):
            more.append(TableOption.NEXT_GAME)
    elif found.isdisjoint(MOVES):
        # A seat without a move waits for the opponent, and may claim if the opponent is away.
        more.append(TableOption.CLAIM)
    return found.union(more)


@cache
def _at_a_table(by_the_rules: frozenset[Option]) -> TableOptions:
    return frozenset(TableOption(option.value) for option in by_the_rules)


def is_full(state: State) -> bool:
    """Whether the log takes no more of what could go on for ever."""
    return state.seq >= MOST_ENTRIES


def _may_offer_time(state: State, seat: Seat) -> bool:
    turn = state.turn
    return turn is not None and state.series.turn is seat.other and turn.offers < MOST_OFFERS


def _may_close_for_the_computer(state: State, seat: Seat) -> bool:
    """A computer that breaks never closes a game: its opponent does, once it has challenged."""
    series = state.series
    if not series.challengeable or seat is not series.maker or series.game is None:
        return False
    return series.game.settled and not can_show_an_error(state)


def can_show_an_error(state: State) -> bool:
    """Whether the finished game, open to a challenge, has a wrong answer for all to see."""
    game = state.series.game
    return state.series.challengeable and game is not None and game.revealed and bool(audit(game))

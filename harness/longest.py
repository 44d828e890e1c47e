"""The longest series there may be, made without playing it: every entry that its log has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from keypeg.draw import conceal
from keypeg.rules.board import Board
from keypeg.rules.commitment import seal
from keypeg.rules.events import Closed, Guessed, SecretSet
from keypeg.rules.referee import play
from keypeg.rules.series import Seat
from keypeg.rules.terms import MOST_GAMES, Scoring, Terms
from keypeg.store.events import Opened, SeatTaken, Settings
from keypeg.store.log import Entry
from keypeg.table.state import begin, fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from keypeg.rules.events import Event
    from keypeg.table.state import State

BEGUN: Final = 1_700_000_000_000
"""When the table was opened, in milliseconds of UTC."""
LONGEST: Final = Terms(Board.parse("16x20/99"), games=MOST_GAMES, scoring=Scoring.KEY_PEGS)


def longest(
    table_id: str, tokens: Mapping[Seat, str], terms: Terms = LONGEST, last_row: bool = True
) -> Iterator[tuple[Entry, State]]:
    """The entries of a series in which no code is broken, each with the state after it.

    `tokens` are the hashes of the players' tokens. Without the last row, the series goes on.
    """
    secret = tuple(terms.board.symbols)[: terms.board.holes]
    wrong = secret[::-1]
    taken = (SeatTaken(seat, seat.value, tokens[seat]) for seat in Seat)
    entry = Entry(1, BEGUN, None, "open", (Opened(Settings(terms, public=True)), *taken))
    state = begin(table_id, entry)
    yield entry, state
    while not state.series.over:
        game, maker = state.series.game, state.series.maker
        assert game is not None
        event: Event = Closed()
        seat = maker
        if not game.secret_set:
            opening = conceal(secret)
            event = SecretSet(opening, seal(terms.board, game.id, opening))
        elif game.outcome is None:
            seat, event = maker.other, Guessed(wrong)
            last = state.series.number == terms.games and len(game.rows) == terms.board.rows - 1
            if last and not last_row:
                return
        after, events = play(state.series, event)
        at, name = BEGUN + 1000 * state.seq, f"long-{state.seq}"
        entry = Entry(state.seq + 1, at, seat, name, events)
        state = fold(state, entry, after)
        yield entry, state

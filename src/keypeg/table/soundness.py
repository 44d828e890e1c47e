"""Whether a log is complete and correct: what must be true of every table, whoever wrote it.

The invariants are numbered as in docs/design/invariants.md; `harness/checker.py` adds those that
only clients can check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.rules.commitment import opens
from keypeg.rules.errors import KeypegError
from keypeg.rules.events import Revealed, SecretSet
from keypeg.rules.game import wrong_rows
from keypeg.rules.series import Series, replay
from keypeg.rules.terms import KeyPegMode
from keypeg.store.events import Rematched, TableEvent
from keypeg.table.admission import check_entry
from keypeg.table.state import begin, fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from keypeg.rules.events import Event
    from keypeg.rules.terms import Terms
    from keypeg.store.log import Card, Entry
    from keypeg.table.state import State


class Unsound(KeypegError):
    """A log in which something is missing, doubled or wrong: which invariant, and what."""

    def __init__(self, invariant: str, message: str) -> None:
        super().__init__(message)
        self.invariant = invariant


def check_log(table_id: str, log: Sequence[Entry], card: Card) -> list[State]:
    """The table after each entry. Raises Unsound if entries are missing or `card` does not match.

    Each entry must be one that a table would have accepted.
    """
    if not log or [entry.seq for entry in log] != [*range(1, len(log) + 1)]:
        raise Unsound("I4", f"table {table_id}: its entries are not 1, 2, 3, ...")
    states: list[State] = []
    following = states_of(table_id, log)
    for entry in log:
        try:
            check_entry(states[-1] if states else None, entry)
            states.append(next(following))
        except KeypegError as error:
            wrong = f"table {table_id}: its log cannot be replayed: entry {entry.seq}: {error}"
            raise Unsound("I9", wrong) from error
    for series, events in _all_series(states, log):
        _check_games(series)
        _check_ends(states[0].settings.terms, series, events)
    if states[-1].card != card:
        raise Unsound("I9", f"table {table_id}: its log leads to {states[-1].card}, not to {card}")
    return states


def states_of(table_id: str, log: Sequence[Entry]) -> Iterator[State]:
    """The table after each entry."""
    state = begin(table_id, log[0])
    yield state
    for entry in log[1:]:
        state = fold(state, entry)
        yield state


def _all_series(
    states: Sequence[State], log: Sequence[Entry]
) -> Iterator[tuple[Series, tuple[Event, ...]]]:
    """Each series of the table, as far as it came, and what happened in it."""
    events: list[Event] = []
    for before, entry in zip(states, log[1:], strict=False):
        if isinstance(entry.events[-1], Rematched):
            yield before.series, tuple(events)
            events = []
        events += [event for event in entry.events if not isinstance(event, TableEvent)]
    yield states[-1].series, tuple(events)


def _check_games(series: Series) -> None:
    by_hand = series.terms.key_pegs is KeyPegMode.BY_HAND
    for maker, game in series.makers():
        if game.revealed and game.opening is not None:
            if wrong_rows(game) and not by_hand:
                raise Unsound("I7", f"game {game.id}: wrong answers in rows {wrong_rows(game)}")
            if game.seal is None or not opens(game.seal, game.board, game.id, game.opening):
                raise Unsound("I8", f"game {game.id}: the seal of {maker.value} does not open")


def _check_ends(terms: Terms, series: Series, events: tuple[Event, ...]) -> None:
    begun = sum(isinstance(event, SecretSet) for event in events)
    ended = sum(isinstance(event, Revealed) for event in events)
    if not ended <= begun <= ended + 1:
        raise Unsound("I10", f"series {series.id}: {begun} secrets were set and {ended} revealed")
    start = Series.start(terms, series.id, series.first_maker)
    if replay(start, events).points != series.points:
        raise Unsound("I10", f"series {series.id}: the points are not those of the games")

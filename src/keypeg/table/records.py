"""The series of a table as records, made from what somebody may see of its log. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.notation import Record
from keypeg.rules.series import Seat, maker_of
from keypeg.store.events import Rematched, TableEvent
from keypeg.table.state import rebuild, series_id
from keypeg.table.view import see

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from keypeg.rules.events import Event
    from keypeg.store.log import Entry
    from keypeg.table.state import State
    from keypeg.table.view import Seen


def records(state: State, seen: Iterable[Seen]) -> list[Record]:
    """Every series of a table in order; `seen` is everything that led to `state`."""
    settings, table_id = state.settings, state.table_id
    one, two = (sitter.name if sitter else "" for sitter in map(state.sitter, Seat))
    return [
        Record(
            settings.terms,
            tuple(events),
            series_id(table_id, number),
            maker_of(settings.first_maker, number),
            (one, two),
        )
        for number, events in enumerate(_by_series(seen), 1)
    ]


def record(state: State, seen: Iterable[Seen], number: int | None = None) -> Record:
    """One series of a table, by default the last."""
    found = records(state, seen)
    chosen = len(found) if number is None else number
    if not 1 <= chosen <= len(found):
        raise AgainstTheRules(f"this table has series 1 to {len(found)}, no series {chosen}")
    return found[chosen - 1]


def public_records(table_id: str, entries: Sequence[Entry]) -> list[Record]:
    """Every series of a log, as a spectator may see it."""
    return records(rebuild(table_id, entries), (see(entry, None, None) for entry in entries))


def _by_series(seen: Iterable[Seen]) -> list[list[Event]]:
    """The moves of each series; a rematch ends one and begins the next."""
    series: list[list[Event]] = [[]]
    for event in (event for one in seen for event in one.events):
        if isinstance(event, Rematched):
            series.append([])
        elif not isinstance(event, TableEvent):
            series[-1].append(event)
    return series

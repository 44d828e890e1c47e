"""The state of a match: the fold of its log."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from keypeg.matches.seen import Person
from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.match.state import Match, MatchStage, play
from keypeg.rules.match.view import is_seen
from keypeg.store.match_events import MatchOpened, Renamed, Seated
from keypeg.store.matches import MatchCard

if TYPE_CHECKING:
    from collections.abc import Mapping

    from keypeg.rules.match.events import MatchEvent
    from keypeg.store.match_events import LoggedMatchEvent
    from keypeg.store.matches import MatchEntry

SPECTATORS: Final = 0
"""The number under which the changes that spectators see are counted."""


@dataclass(frozen=True, slots=True)
class State:
    """A match, with the names of its players and what each has been shown."""

    match: Match
    created: int
    seq: int = 0
    at: int = 0
    """When the last entry was written."""
    people: Mapping[int, Person] = field(default_factory=dict)
    shown: Mapping[int, int] = field(default_factory=lambda: {SPECTATORS: 0})
    """How often what each reader sees has changed."""

    @property
    def card(self) -> MatchCard:
        """What is stored besides the log."""
        return MatchCard(self.match.stage, self.match.due)

    def number_of(self, holder: str | None) -> int | None:
        """The number of the player with this token, if they have a place."""
        if holder is None:
            return None
        for player in self.match.players:
            if self.people[player.number].holder == holder:
                return player.number
        return None

    def seq_for(self, reader: int | None) -> int:
        """How often what this reader sees has changed."""
        return self.shown.get(reader or SPECTATORS, self.shown[SPECTATORS])

    def known_as(self, holder: str) -> int | None:
        """The number of the player with this token; if they have left, the last one they had.

        So whoever repeats a command that made them leave gets the same answer.
        """
        number = self.number_of(holder)
        had = [number for number, person in self.people.items() if person.holder == holder]
        return max(had, default=None) if number is None else number

    @property
    def begun(self) -> bool:
        """Whether it has begun, or never will."""
        return self.match.stage is not MatchStage.WAITING


def begin(match_id: str, entry: MatchEntry) -> State:
    """The state after the first entry."""
    first = entry.events[0] if entry.events else None
    if not isinstance(first, MatchOpened):
        raise AgainstTheRules("a match begins by being opened")
    start = State(Match.start(first.terms, match_id), entry.at)
    return _after(start, replace_events(entry, entry.events[1:]))


def replace_events(entry: MatchEntry, events: tuple[LoggedMatchEvent, ...]) -> MatchEntry:
    """The same entry with other events."""
    return replace(entry, events=events)


def fold(state: State, entry: MatchEntry) -> State:
    """The state after an entry. Raises an error if it does not follow."""
    if entry.seq != state.seq + 1:
        raise AgainstTheRules(f"entry {entry.seq} does not follow entry {state.seq}")
    return _after(state, entry)


def _after(state: State, entry: MatchEntry) -> State:
    match, people = state.match, dict(state.people)
    for event in entry.events:
        match event:
            case MatchOpened():
                raise AgainstTheRules("a match is opened once")
            case Seated(number, holder, name, level):
                match.player(number)
                people[number] = Person(holder, name, level)
            case Renamed(number, name):
                match.player(number)
                person = people[number]
                people[number] = replace(person, name=name, renames=person.renames + 1)
            case _:
                match = play(match, event, entry.at)
    return State(
        match, state.created, entry.seq, entry.at, people, _shown(state, match, entry.events)
    )


def _shown(state: State, match: Match, events: tuple[LoggedMatchEvent, ...]) -> Mapping[int, int]:
    """The counts of changes after these events. Who joins goes on from what spectators saw."""
    in_game: tuple[MatchEvent, ...] = tuple(
        event for event in events if not isinstance(event, MatchOpened | Seated | Renamed)
    )
    others = len(in_game) < len(events)
    shown = {}
    for reader in (SPECTATORS, *(player.number for player in match.players)):
        before = state.shown.get(reader, state.shown[SPECTATORS])
        changed = others or is_seen(state.match, match, in_game, reader or None)
        shown[reader] = before + changed
    return shown

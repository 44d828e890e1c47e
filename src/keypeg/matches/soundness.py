"""Whether the stored matches are sound: each entry is one that a match would have accepted.

The fold refuses what the rules forbid. This asks each entry's command again, so that an entry that
nobody could have caused is refused too, as in a backup that somebody has changed.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from keypeg.matches.commands import (
    Accept,
    Another,
    Answer,
    AnyCommand,
    Challenge,
    Credit,
    Expire,
    GiveUp,
    Guess,
    Join,
    Leave,
    Open,
    Rename,
    SetSecret,
    Start,
)
from keypeg.matches.decisions import decide, opening
from keypeg.matches.state import State, begin, fold
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError
from keypeg.rules.events import Answered, Challenged, Guessed, Resigned
from keypeg.rules.events import SecretSet as SecretWasSet
from keypeg.rules.match.events import (
    AnswersAccepted,
    Begun,
    ClockCredited,
    Followed,
    InGame,
    Joined,
    Left,
)
from keypeg.store.errors import Unreadable
from keypeg.store.match_events import MatchOpened, Renamed, Seated
from keypeg.store.matches import MatchStore
from keypeg.table.admission import LAST_TIME
from keypeg.table.commands import COMMAND_ID
from keypeg.table.names import read_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from keypeg.matches.decisions import Events
    from keypeg.store.matches import MatchCard, MatchEntry
    from keypeg.store.sql import SqlLog

_HOLDER: Final = re.compile(r"[0-9a-f]{64}")
_LEVEL: Final = re.compile(r"[a-z][a-z0-9-]{0,19}")
_NEXT: Final = re.compile(r"[A-Za-z0-9_-]{22}")


async def check_matches(log: SqlLog) -> int:
    """Check all matches of a database; gives their number. Raises an error at the first."""
    store = MatchStore(log)
    cards = await store.cards()
    for match_id, (card, seq) in cards.items():
        check_match(match_id, await store.read(match_id), card, seq)
    return len(cards)


async def what_is_wrong(store: MatchStore, match_id: str) -> str | None:
    """Why a match is refused, or None. It may go on meanwhile."""
    before = None
    while (found := (await store.cards(match_id)).get(match_id)) is not None:
        try:
            check_match(match_id, await store.read(match_id), *found)
        except Unreadable as error:
            if found == before:
                return str(error)
            before = found
        else:
            return None
    return None


def check_match(match_id: str, log: Sequence[MatchEntry], card: MatchCard, seq: int) -> State:
    """The match after its log. Raises Unreadable if that is not sound, or leads elsewhere."""
    state: State | None = None
    for entry in log:
        try:
            check_entry(match_id, state, entry)
            state = begin(match_id, entry) if state is None else fold(state, entry)
        except KeypegError as error:
            raise Unreadable(f"match {match_id} is damaged: entry {entry.seq}: {error}") from error
    if state is None or (state.card, state.seq) != (card, seq):
        raise Unreadable(f"match {match_id} is damaged: its log does not lead to its card")
    return state


def check_entry(match_id: str, before: State | None, entry: MatchEntry) -> None:
    """Raise an error if the match, as it was `before`, would have refused an entry."""
    if not COMMAND_ID.fullmatch(entry.command_id):
        raise CannotRead("its command id is not 1 to 64 characters of ASCII, without spaces")
    if not 0 < entry.at < LAST_TIME or (before is not None and entry.at < before.at):
        raise CannotRead("its time is not a time, or is before that of the entry before it")
    if not entry.events:
        raise CannotRead("nothing happens in it")
    _check_people(entry.events)
    if before is None:
        causes = [opening(_opened(entry), match_id)] if entry.player == 0 else []
    elif entry.player == 0:
        causes = _own_causes(before, entry)
    else:
        command, received = _command(before, entry)
        causes = [decide(before, entry.player, command, entry.at, received)]
    if _plain(entry.events) not in map(_plain, causes):
        raise AgainstTheRules("this does not follow from any command")


def _check_people(events: Events) -> None:
    for event in events:
        name = event.name if isinstance(event, Seated | Renamed) else None
        if name is not None and read_name(name) != name:
            raise CannotRead("a name is not kept as it should be")
        if isinstance(event, Seated):
            person, computer = event.holder is not None, event.level is not None
            if person == computer:
                raise CannotRead("a place belongs to a person or to the computer")
            if not _HOLDER.fullmatch(event.holder or "0" * 64):
                raise CannotRead("the hash of a token is 64 hexadecimal digits")
            if not _LEVEL.fullmatch(event.level or "x"):
                raise CannotRead("there is no such level of the computer")
        if isinstance(event, Followed) and not _NEXT.fullmatch(event.next):
            raise CannotRead("the id of the match that follows is not an id")


def _opened(entry: MatchEntry) -> Open:
    """The command that opened a match."""
    first = entry.events[0]
    if not isinstance(first, MatchOpened):
        raise AgainstTheRules("a match begins by being opened")
    people = [event for event in entry.events if isinstance(event, Seated)]
    if not people or people[0].holder is None:
        raise AgainstTheRules("whoever opens a match is its first player")
    levels = tuple(one.level or "" for one in people[1:])
    return Open(first.terms, people[0].holder, people[0].name, levels)


def _own_causes(before: State, entry: MatchEntry) -> list[Events]:
    """What the match itself might have caused: credits, or ends of turns."""
    credits_ = tuple(event for event in entry.events if isinstance(event, ClockCredited))
    if credits_:
        return [decide(before, 0, Credit(credits_), entry.at, entry.at)]
    dues = {clock.due for clock in before.match.clocks if clock.due <= entry.at}
    return [decide(before, 0, Expire(due), entry.at, entry.at) for due in sorted(dues)]


def _command(before: State, entry: MatchEntry) -> tuple[AnyCommand, int]:
    """The command that a player's entry is of, and when it was received."""
    first, player = entry.events[0], entry.player
    match first:
        case Joined(number):
            return _join(before, entry, number), entry.at
        case Renamed(number, name) if number == player and before.match.has(player):
            return Rename(name), entry.at
        case Begun():
            return Start(), entry.at
        case Left(number) if number == player:
            return Leave(), entry.at
        case AnswersAccepted(number) if number == player:
            return Accept(), entry.at
        case Followed(next_):
            return Another(next_), entry.at
        case InGame(number):
            return _move(before, player, first), first.received or entry.at
        case _:
            raise AgainstTheRules("no player can have caused this")


def _join(before: State, entry: MatchEntry, number: int) -> Join:
    seated = entry.events[1] if len(entry.events) > 1 else None
    if number != entry.player or not isinstance(seated, Seated) or seated.holder is None:
        raise AgainstTheRules("whoever joins is named")
    if before.number_of(seated.holder) is not None:
        raise AgainstTheRules("whoever joins has no place yet")
    return Join(seated.holder, seated.name)


def _move(before: State, player: int, event: InGame) -> AnyCommand:
    rows = len(before.match.player(event.player).game.rows)
    own = event.player == player
    match event.event:
        case SecretWasSet(opening_) if not own and opening_ is not None:
            return SetSecret(opening_.code)
        case Guessed(code) if own and event.received is not None:
            return Guess(rows + 1, code)
        case Answered(keys) if not own:
            return Answer(rows, keys)
        case Challenged() if own:
            return Challenge()
        case Resigned() if own:
            return GiveUp()
        case _:
            raise AgainstTheRules("no player can have caused this")


def _plain(events: Events) -> Events:
    """Events without what is drawn at random: codes that nobody has chosen, nonces and seals."""
    return tuple(
        replace(event, event=SecretWasSet(None, None, event.event.expired))
        if isinstance(event, InGame) and isinstance(event.event, SecretWasSet)
        else event
        for event in events
    )

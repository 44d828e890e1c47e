"""Matches in which every kind of event happens, played without chance, as `evening` is at tables.

`python -m tests.store.match_evening FOLDER` writes the golden files: the database, and what each
reader is shown at last. Those in tests/store/golden were written when matches came. They
are never written again: they stand for every match out there.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from keypeg.matches import decisions
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
from keypeg.matches.seen import Seen
from keypeg.matches.state import SPECTATORS, State, begin, fold
from keypeg.messages.matches import match_out
from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.match.events import ClockCredited, Task
from keypeg.rules.match.terms import Goal, MatchKind, MatchTerms, Pace
from keypeg.rules.match.view import view
from keypeg.rules.terms import KeyPegMode
from keypeg.store.matches import MatchEntry, MatchStore
from keypeg.store.sql import SqlLog
from tests.store.entries import KEY
from tests.store.evening import without_chance

DATABASE, SHOWN = "matches.db", "matches.json"
ADA, BOB, CLEO = ("a" * 64, "b" * 64, "c" * 64)
RACE, TIMED, DUEL, BY_HAND, LIE, CANCELLED = (letter * 22 for letter in "RTDHLC")
MATCHES = (RACE, TIMED, DUEL, BY_HAND, LIE, CANCELLED)
NEXT = "N" * 22


def last_code(board: Board) -> Code:
    """What is drawn instead of a random code."""
    return tuple(reversed(board.symbols))[: board.holes]


class Played:
    """A match that is played by hand, an entry a second."""

    def __init__(self, match_id: str, store: MatchStore, command: Open) -> None:
        self._id, self._store, self._command = match_id, store, command
        self._at = 1_700_000_000_000

    async def open(self) -> None:
        events = opening(self._command, self._id, draw=last_code)
        entry = MatchEntry(1, self._at, SPECTATORS, "open", events)
        self.state = begin(self._id, entry)
        await self._store.append(self._id, entry, self.state.card)

    async def join(self, holder: str, name: str | None) -> None:
        await self.do(self.state.match.joins + 1, Join(holder, name))

    async def do(self, player: int, *commands: AnyCommand) -> None:
        for command in commands:
            self._at += 1_000
            seq, received = self.state.seq + 1, self._at - 7
            events = decide(self.state, player, command, self._at, received)
            entry = MatchEntry(seq, self._at, player, f"c{seq}", events)
            self.state = fold(self.state, entry)
            await self._store.append(self._id, entry, self.state.card)

    async def run_out(self) -> None:
        """Let the time of whatever is waited for run out."""
        self._at = max(self._at, (self.state.match.due or 0) - 1_000)
        await self.do(SPECTATORS, Expire(self._at + 1_000))


async def play(store: MatchStore) -> None:
    """All of the matches."""
    await _race(store)
    await _for_time(store)
    await _duel(store)
    await _by_hand(store)
    await _lie(store)
    await _cancelled(store)


async def _race(store: MatchStore) -> None:
    """Together, with hidden key pegs and the computer; somebody leaves, is renamed, is too late."""
    terms = MatchTerms(
        MatchKind.RACE,
        Board.parse("3x4bn/4"),
        Pace.TOGETHER,
        keys_shown=False,
        row_seconds=30,
        places=4,
    )
    race = Played(RACE, store, Open(terms, ADA, "Ada", ("expert",)))
    await race.open()
    await race.join(BOB, None)
    await race.do(3, Rename("Bèa 'B' \U0001f3b2"), Leave())
    await race.join(CLEO, "Cleo")
    await race.do(1, Start(), Guess(1, (2, 3, 1)))
    await race.do(2, Guess(1, (1, 0, 3)))
    await race.do(SPECTATORS, Credit((ClockCredited(4, Task.ROW, 1_500),)))
    await race.run_out()
    await race.do(4, GiveUp())
    await race.do(2, Guess(2, (0, 1, 2)))
    await race.do(1, Guess(2, (0, 1, 2)), GiveUp())
    await race.do(2, GiveUp(), Another(NEXT))


async def _for_time(store: MatchStore) -> None:
    """A race for time at one's own pace; nothing can be seen of the others; it goes on."""
    terms = MatchTerms(MatchKind.RACE, Board(2, 3), goal=Goal.TIME, keys_shown=False)
    race = Played(TIMED, store, Open(terms, ADA))
    await race.open()
    await race.join(BOB, "Bob")
    await race.do(2, Guess(1, (2, 3)), Guess(2, (3, 2)))


async def _duel(store: MatchStore) -> None:
    """The referee answers; a code is drawn; a game is stopped that nothing could change."""
    terms = MatchTerms(MatchKind.DUEL, Board(2, 3, rows=5), row_seconds=60)
    duel = Played(DUEL, store, Open(terms, ADA, "Ada"))
    await duel.open()
    await duel.join(BOB, "Bob")
    await duel.do(1, SetSecret((1, 2)))
    await duel.run_out()
    await duel.do(2, Guess(1, (2, 2)), Guess(2, (1, 2)))
    await duel.do(1, Guess(1, (3, 3)), Guess(2, (2, 1)), Another(NEXT))


async def _by_hand(store: MatchStore) -> None:
    """Answers that a challenge confirmed, that nobody gave, and accepted; it goes on."""
    terms = MatchTerms(MatchKind.DUEL, Board(2, 3, rows=5), key_pegs=KeyPegMode.BY_HAND)
    duel = Played(BY_HAND, store, Open(terms, ADA))
    await duel.open()
    await duel.join(BOB, "Bob")
    await duel.do(1, SetSecret((1, 2)))
    await duel.do(2, SetSecret((3, 3)), Guess(1, (1, 3)))
    await duel.do(1, Answer(1, KeyPegs(1, 0)), Guess(1, (2, 2)))
    await duel.do(2, Challenge(), Guess(2, (1, 1)))
    await duel.run_out()
    await duel.do(1, Answer(2, KeyPegs(1, 0)))
    await duel.do(2, GiveUp(), Accept())
    await duel.do(1, Guess(2, (3, 1)))


async def _lie(store: MatchStore) -> None:
    """A wrong answer by hand loses the duel."""
    terms = MatchTerms(MatchKind.DUEL, Board(2, 3, rows=5), key_pegs=KeyPegMode.BY_HAND)
    duel = Played(LIE, store, Open(terms, ADA, "Ada"))
    await duel.open()
    await duel.join(BOB, None)
    await duel.do(1, SetSecret((1, 2)))
    await duel.do(2, SetSecret((3, 3)), Guess(1, (1, 1)))
    await duel.do(1, Answer(1, KeyPegs(0, 0)))
    await duel.do(2, Challenge())


async def _cancelled(store: MatchStore) -> None:
    """Whoever opened it has left."""
    match = Played(CANCELLED, store, Open(MatchTerms(MatchKind.DUEL, Board(4, 6)), ADA))
    await match.open()
    await match.do(1, Leave())


def shown(match_id: str, entries: list[MatchEntry]) -> dict[str, dict[str, Any]]:
    """What each reader is shown at last, and their `seq` after each entry; 0 is a spectator."""
    first, *others = entries
    states = [begin(match_id, first)]
    for entry in others:
        states.append(fold(states[-1], entry))
    last = states[-1]
    return {
        str(reader): {
            "seqs": [state.seq_for(reader or None) for state in states],
            "match": _seen(last, reader or None),
        }
        for reader in (SPECTATORS, *(player.number for player in last.match.players))
    }


def _seen(state: State, reader: int | None) -> Any:
    seen = Seen(
        view(state.match, reader),
        state.seq_for(reader),
        state.at,
        state.created,
        state.people,
        frozenset(),
    )
    return msgspec.to_builtins(match_out(seen))


async def write(folder: Path) -> None:
    """Play the matches, and write what comes of them."""
    folder.mkdir(parents=True, exist_ok=True)
    with without_chance(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(decisions, "draw_code", last_code)
        log = await SqlLog.open(f"sqlite:///{folder / DATABASE}", KEY)
        store = MatchStore(log)
        await play(store)
    told = {match_id: shown(match_id, await store.read(match_id)) for match_id in MATCHES}
    await store.close()
    await log.close()
    (folder / SHOWN).write_text(
        json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1])))

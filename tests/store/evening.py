"""An evening at three tables in which every kind of event happens, played without chance.

Nothing is drawn at random and the clock is counted by hand, so playing it again must write the
same bytes. `python -m tests.store.evening FOLDER` writes the golden files: the database, the
records, and what each seat is sent and shown. Those in tests/store/golden were written by
keypeg at commit bdd67e2. They are never written again: they stand for every log out there.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from keypeg.rules.board import Board
from keypeg.rules.commitment import Opening
from keypeg.rules.events import Revealed, SecretSet
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.notation import format_record
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode, Scoring, Terms
from keypeg.server.encoding import entry_out, state_out
from keypeg.store.codec import encode
from keypeg.store.events import Computer, Grade, LogEvent, Person, SeatTaken, Settings
from keypeg.store.log import Entry, Log
from keypeg.store.sql import SqlLog
from keypeg.store.vault import Vault
from keypeg.table.commands import (
    Answer,
    Challenge,
    ClaimAbsent,
    Command,
    CreditTime,
    Expire,
    Guess,
    NextGame,
    OfferTime,
    Open,
    OwnCommand,
    Rematch,
    Resign,
    SetSecret,
    TakeSeat,
    UseHint,
)
from keypeg.table.decisions import decide, opening
from keypeg.table.history import History
from keypeg.table.records import public_records
from keypeg.table.soundness import states_of
from keypeg.table.state import State, begin, fold
from keypeg.table.view import Seen
from tests.store.entries import KEY

ONE, TWO = Seat.ONE, Seat.TWO
READERS: dict[str, Seat | None] = {"spectator": None, "one": ONE, "two": TWO}
TABLES = ("referee", "checked", "by-hand")
DATABASE, SHOWN = "log.db", "shown.json"
RARE: dict[str, tuple[LogEvent, ...]] = {
    "nothing": (),
    "a secret that nobody may see": (SecretSet(),),
    "a secret without a seal": (SecretSet(Opening((1, 2)), expired=True),),
    "a reveal without a seal": (Revealed(Opening((1, 2))),),
    "a seat without a token": (SeatTaken(Seat.TWO, "Eve"),),
}
"""What no table writes, but a log can say."""


@contextmanager
def without_chance() -> Iterator[None]:
    """Every nonce is zeros, and whatever is drawn is the first there is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_bytes", lambda size=32: bytes(size))
        patch.setattr(random.SystemRandom, "getrandbits", lambda _self, _bits: 0)
        patch.setattr(random.SystemRandom, "random", lambda _self: 0.0)
        yield


class Table:
    """A table that is played by hand, an entry a second."""

    def __init__(self, name: str, log: Log, settings: Settings) -> None:
        self.name, self._log = name, log
        self._at = 1_700_000_000_000
        self._settings = settings

    async def open(self) -> None:
        events = opening(Open(self._settings, ONE, "Ada", "a" * 64))
        entry = Entry(1, self._at, ONE, "open", events)
        self.state = begin(self.name, entry)
        await self._log.append(self.name, entry, self.state.card)

    async def do(self, seat: Seat | None, *commands: Command | OwnCommand) -> None:
        for command in commands:
            self._at += 1_000
            seq = self.state.seq + 1
            events = decide(self.state, seat, command).events
            entry = Entry(seq, self._at, seat, f"c{seq}", events)
            self.state = fold(self.state, entry)
            await self._log.append(self.name, entry, self.state.card)


async def play(log: Log) -> None:
    """The whole evening."""
    await _against_the_computer(log)
    await _by_the_clock(log)
    await _by_hand(log)


async def _against_the_computer(log: Log) -> None:
    """The referee answers; hints of every grade and of none; a resignation; a rematch."""
    settings = Settings(Terms(Board(4, 6)), two=Computer("expert"))
    table = Table("referee", log, settings)
    await table.open()
    await table.do(ONE, SetSecret((1, 2, 3, 4)))
    await table.do(TWO, Guess((1, 1, 2, 2)), Guess((1, 2, 3, 4)))
    await table.do(ONE, NextGame())
    await table.do(TWO, SetSecret((6, 5, 6, 5)))
    await table.do(ONE, UseHint(), *map(UseHint, Grade), Guess((6, 6, 6, 6)), Resign())
    await table.do(ONE, Rematch())
    await table.do(TWO, SetSecret((2, 2, 2, 2)))
    await table.do(ONE, Guess((1, 1, 1, 1)))


async def _by_the_clock(log: Log) -> None:
    """Answers are checked; all three turns run out; more time; one player leaves for good."""
    terms = Terms(Board.parse("3x4bn/4"), 4, KeyPegMode.CHECKED, Scoring.KEY_PEGS, 60)
    table = Table("checked", log, Settings(terms, first_maker=TWO, hints=False))
    await table.open()
    await table.do(TWO, TakeSeat("Bèa 'B' \U0001f3b2", "b" * 64))
    await table.do(None, CreditTime(1_500), Expire(), Expire())
    await table.do(TWO, OfferTime(30))
    await table.do(ONE, Guess((1, 0, 4)))
    await table.do(None, Expire())
    await table.do(ONE, Guess((0, 1, 2)))
    await table.do(None, Expire(), Expire(), Expire())
    await table.do(ONE, SetSecret((4, 3, 2)))
    await table.do(ONE, ClaimAbsent())
    await table.do(TWO, Rematch())


async def _by_hand(log: Log) -> None:
    """A wrong answer and a replay, a challenge in vain; and a secret that is still hidden."""
    terms = Terms(Board.parse("2x3/3"), key_pegs=KeyPegMode.BY_HAND)
    table = Table("by-hand", log, Settings(terms, Person(), Person(), public=True, hints=True))
    await table.open()
    await table.do(TWO, TakeSeat("Bob", "b" * 64))
    await table.do(ONE, SetSecret((1, 2)))
    await table.do(TWO, Guess((1, 3)))
    await table.do(ONE, Answer(KeyPegs(0, 0)))
    await table.do(TWO, Challenge(), NextGame())
    await table.do(ONE, SetSecret((3, 2)))
    await table.do(TWO, Guess((2, 3)))
    await table.do(ONE, Answer(KeyPegs(0, 2)))
    await table.do(TWO, Challenge(), Guess((3, 2)))
    await table.do(ONE, Answer(KeyPegs(2, 0)))
    await table.do(TWO, NextGame(), SetSecret((1, 1)), Resign())
    await table.do(ONE, Rematch())
    await table.do(TWO, Rematch(), SetSecret((3, 3)))


def shown(table_id: str, entries: list[Entry]) -> dict[str, Any]:
    """What each reader is sent, entry by entry as text, and the whole table as each sees it."""
    history, before = History(), None
    for entry, state in zip(entries, states_of(table_id, entries), strict=True):
        history.remember(entry, before)
        before = state
    return {
        name: {
            "sent": [_sent(seen) for seen in history.view(seat)],
            "table": _whole(history.state(table_id, seat), seat),
        }
        for name, seat in READERS.items()
    }


def _whole(state: State, seat: Seat | None) -> object:
    return msgspec.to_builtins(state_out(state, seat, 0, state.due))


def record(table_id: str, entries: list[Entry]) -> str:
    """The series of a table as text."""
    return "\n".join(map(format_record, public_records(table_id, entries)))


def rare() -> dict[str, dict[str, str]]:
    """What is stored and what is sent of each rare entry."""
    vault = Vault(KEY)
    with without_chance():
        return {
            name: {
                "stored": encode(events, b"rare/1", vault).decode(),
                "sent": _sent(Seen(1, 0, None, events)),
            }
            for name, events in RARE.items()
        }


def _sent(seen: Seen) -> str:
    return msgspec.json.encode(entry_out(seen)).decode()


async def write(folder: Path) -> None:
    """Play the evening, and write what comes of it."""
    folder.mkdir(parents=True, exist_ok=True)
    with without_chance():
        log = await SqlLog.open(f"sqlite:///{folder / DATABASE}", KEY)
        await play(log)
    told: dict[str, Any] = {"rare": rare()}
    for table_id in TABLES:
        entries = await log.read(table_id)
        told[table_id] = shown(table_id, entries)
        (folder / f"{table_id}.txt").write_text(record(table_id, entries), encoding="utf-8")
    await log.close()
    (folder / SHOWN).write_text(
        json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1])))

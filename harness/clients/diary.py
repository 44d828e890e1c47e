"""What somebody who plays at random knows of a table and notes of it, without a socket."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any

import msgspec

from harness.history import History, Op, Outcome
from keypeg import messages as wire
from keypeg.draw import draw_code, new_id
from keypeg.rules.board import Board
from keypeg.rules.game import Phase
from keypeg.rules.keypegs import KeyPegs

if TYPE_CHECKING:
    import random

    from keypeg.rules.series import Seat

BOARD = Board(3, 3, 4)
PAST = 50
LIMIT_TALK = 0.05
"""The share of commands about the turn limit."""


class Diary:
    """One place at a table: what is known there, and what was asked."""

    def __init__(self, table: str, seat: Seat | None, history: History, rng: random.Random) -> None:
        self.table, self.seat, self.history, self.rng = table, seat, history, rng
        self.slips = 0.2
        """The share of commands with an old seq; half as many do not fit the phase."""
        self.sockets = 0
        self.seq = 0
        self.status: wire.Status | None = None
        self.seen: list[wire.EntryOut] = []
        self.open: dict[str, tuple[Op, str]] = {}
        self.past: deque[tuple[Op, str]] = deque(maxlen=PAST)

    def arrive(self) -> None:
        """Note that a new socket goes on after the last entry that was heard."""
        self._hear_from(self.seq)

    def _hear_from(self, seq: int) -> None:
        self.sockets += 1
        key = (self.table, self.seat, self.sockets)
        self.history.resumed_at[key] = self.seq = seq
        self.seen = self.history.seen[key] = []

    def hear(self, message: wire.ClientOut) -> None:
        """Note a message that came."""
        table = getattr(message, "table", None)
        if table is not None:
            self.history.tables.append(table)
        match message:
            case wire.Welcome():
                self.note(message.status, message.options)
            case wire.Missed():
                self.seen.extend(message.entries)
                self.note(message.status, message.options)
            case wire.Update():
                self.seen.append(message.entry)
                self.note(message.status, message.options)
            case wire.Snapshot():
                # A spectator who could not keep up: what follows counts as another socket's.
                self._hear_from(message.table.status.seq)
            case wire.Ack():
                self.settle(message.id, Outcome.OK, message.seq)
            case wire.Refused(code="unavailable"):
                self.history.troubles[message.message] += 1
            case wire.Refused():
                self.settle(message.id, Outcome.FAILED, None, message.code)
            case _:
                pass
        if self.seen:
            self.seq = self.seen[-1].seq

    def note(self, status: wire.Status, options: wire.Options) -> None:
        self.status = status
        self.history.statuses.append((self.table, status))
        self.history.options.append(((self.table, self.seat, status.seq), options))

    def settle(self, id_: str, outcome: Outcome, seq: int | None, code: str = "") -> None:
        op, text = self.open.get(id_, (None, ""))
        if op is None:
            return
        op.copies -= 1
        if outcome is Outcome.FAILED and op.copies:
            return
        op.outcome, op.seq, op.code, op.answered = outcome, seq, code, time.monotonic()
        del self.open[id_]
        if outcome is Outcome.OK:
            self.history.acknowledged += 1
            self.past.append((op, text))

    @property
    def wanted(self) -> bool:
        """Whether the table waits for this seat, or for anybody to go on."""
        status = self.status
        return status is not None and (status.turn is self.seat or status.phase is Phase.OVER)

    def devise(self, seat: Seat, status: wire.Status) -> tuple[Op, str]:
        """A new command, mostly one that fits, and its text."""
        id_ = new_id()
        behind = self.rng.randint(0, 2)
        stale = {"seq": max(0, status.seq - behind)} if self.rng.random() < self.slips else {}
        text = _text(self.command(id_, status, stale))
        op = Op(self.table, seat, id_, time.monotonic(), utc(), knew=self.seq)
        self.history.ops.append(op)
        self.open[id_] = (op, text)
        return op, text

    def command(self, id_: str, status: wire.Status, more: Any) -> wire.CommandIn:
        if self.rng.random() < LIMIT_TALK:
            return self._about_the_limit(id_, status, more)
        phase = status.phase
        if self.rng.random() < self.slips / 2:
            phase = self.rng.choice([*Phase, None])
        match phase:
            case Phase.SECRET:
                return wire.SetSecret(id=id_, code=draw_code(BOARD, self.rng), **more)
            case Phase.GUESS:
                return wire.Guess(id=id_, code=draw_code(BOARD, self.rng), **more)
            case Phase.ANSWER:
                keys = self.rng.choice([KeyPegs(0, 0), KeyPegs(1, 1), KeyPegs(0, 3)])
                return wire.Answer(id=id_, black=keys.black, white=keys.white, **more)
            case Phase.OVER:
                return wire.NextGame(id=id_, **more)
            case _:
                kinds: list[Any] = [wire.Resign, wire.Challenge, wire.Rematch, wire.Claim]
                command: wire.CommandIn = self.rng.choice(kinds)(id=id_, **more)
                return command

    def _about_the_limit(self, id_: str, status: wire.Status, more: Any) -> wire.CommandIn:
        """Propose a turn limit, or reply to one; sometimes to one that is not open any more."""
        if status.proposal is None and self.rng.random() < 0.7:
            seconds = self.rng.choice((None, 5))
            return wire.ProposeLimit(id=id_, seconds=seconds, **more)
        proposed = status.proposal.seconds if status.proposal else 5
        kinds: list[Any] = [wire.DeclineLimit, wire.WithdrawLimit]
        if self.rng.random() < 0.5:
            return wire.AcceptLimit(id=id_, seconds=proposed, **more)
        command: wire.CommandIn = self.rng.choice(kinds)(id=id_, **more)
        return command


def utc() -> int:
    """Milliseconds of UTC."""
    return time.time_ns() // 1_000_000


def _text(message: msgspec.Struct) -> str:
    return msgspec.json.encode(message).decode()

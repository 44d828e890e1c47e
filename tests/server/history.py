"""What clients asked and were told, and the eleven invariants that must hold of it afterwards.

In the spirit of Jepsen: clients note every command with when it was sent and what became of
it; after the run the log is read from the database, and the notes are held against it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from keypeg.rules.commitment import opens
from keypeg.rules.events import Revealed, RowExpired, SecretSet
from keypeg.rules.game import wrong_rows
from keypeg.rules.notation import Record
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode
from keypeg.server.encoding import entry_out
from keypeg.server.messages import EntryOut
from keypeg.store.events import TableEvent
from keypeg.store.log import Entry, Stage
from keypeg.table.state import State, begin, fold
from keypeg.table.view import see

SLACK = 250
"""Milliseconds by which a client's clock reading and the server's may differ in meaning."""


class Outcome(Enum):
    """What a client knows of a command."""

    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass
class Op:
    """One command: when it was first sent, how many copies were, and what was heard of them.

    A refusal is not remembered by the server, so another copy may be carried out after it: a
    command has failed when every copy was refused.
    """

    table: str
    seat: Seat
    id: str
    sent: float
    sent_again_utc: int = 0
    copies: int = 0
    outcome: Outcome = Outcome.UNKNOWN
    answered: float | None = None
    seq: int | None = None
    code: str = ""


@dataclass
class History:
    """Everything that the clients of one run noted."""

    ops: list[Op] = field(default_factory=list)
    seen: dict[tuple[str, Seat | None, int], list[EntryOut]] = field(default_factory=dict)
    """What each socket was told, in the order it heard it, by table, seat and socket."""
    resumed_at: dict[tuple[str, Seat | None, int], int] = field(default_factory=dict)


class Violation(AssertionError):
    """An invariant that does not hold."""


def check(
    history: History,
    logs: dict[str, list[Entry]],
    stages: dict[str, Stage],
    slack: int = SLACK,
) -> None:
    """Raise Violation for the first invariant that is broken.

    A server that was stopped for a while receives late what was sent in time: `slack` says by
    how many milliseconds.
    """
    ops = defaultdict(list)
    for op in history.ops:
        ops[op.table].append(op)
    for table, log in logs.items():
        _in_order(table, log)
        _commands(table, log, ops[table])
        states = list(_states(table, log))
        _games(table, states, log)
        _clock(table, log, states, ops[table], slack)
        if states[-1].stage is not stages[table]:
            raise Violation(f"I9 {table}: the log is {states[-1].stage}, stored {stages[table]}")
    _views(history, logs)


def _in_order(table: str, log: list[Entry]) -> None:
    if [entry.seq for entry in log] != [*range(1, len(log) + 1)]:
        raise Violation(f"I4 {table}: {[entry.seq for entry in log]} has gaps")


def _commands(table: str, log: list[Entry], ops: list[Op]) -> None:
    written = Counter((entry.seat, entry.command_id) for entry in log)
    places = {(entry.seat, entry.command_id): entry.seq for entry in log}
    for op in ops:
        times, place = written[op.seat, op.id], places.get((op.seat, op.id))
        if op.outcome is Outcome.OK and (times != 1 or place != op.seq):
            raise Violation(f"I1 {table}: {op} acknowledged, in the log {times} times at {place}")
        if op.outcome is Outcome.FAILED and times:
            raise Violation(f"I2 {table}: {op} refused, in the log at {place}")
        if op.outcome is Outcome.UNKNOWN and times > 1:
            raise Violation(f"I3 {table}: {op} in the log {times} times")
    done = sorted((op for op in ops if op.seq is not None), key=lambda op: op.sent)
    for earlier in done:
        for later in done:
            followed = earlier.answered is not None and earlier.answered < later.sent
            if followed and (earlier.seq or 0) >= (later.seq or 0):
                raise Violation(f"I5 {table}: {earlier} was answered before {later} was sent")


def _states(table: str, log: Iterable[Entry]) -> Iterator[State]:
    first, *others = log
    state = begin(table, first)
    yield state
    for entry in others:
        state = fold(state, entry)
        yield state


def _games(table: str, states: list[State], log: list[Entry]) -> None:
    last = states[-1]
    for maker, game in last.series.makers():
        if game.revealed and game.opening is not None:
            by_hand = last.settings.terms.key_pegs is KeyPegMode.BY_HAND
            if wrong_rows(game) and not by_hand:
                raise Violation(f"I7 {game.id}: rows {wrong_rows(game)} were answered wrongly")
            if game.seal is None or not opens(game.seal, game.board, game.id, game.opening):
                raise Violation(f"I8 {game.id}: the seal of {maker} does not open")
    begun = sum(isinstance(e, SecretSet) for entry in log for e in entry.events)
    ended = sum(isinstance(e, Revealed) for entry in log for e in entry.events)
    if not ended <= begun <= ended + 1:
        raise Violation(f"I10 {table}: {begun} secrets were set and {ended} revealed")
    if len(last.finished) == 0:
        events = [e for entry in log for e in entry.events if not isinstance(e, TableEvent)]
        record = Record(last.settings.terms, tuple(events), last.series.id)
        if record.replay().points != last.series.points:
            raise Violation(f"I10 {table}: the points are not those of the games")


def _clock(table: str, log: list[Entry], states: list[State], ops: list[Op], slack: int) -> None:
    due = {state.seq: state.due for state in states}
    for entry in log:
        ends = due.get(entry.seq - 1)
        if any(_expired(event) for event in entry.events) and (ends is None or entry.at < ends):
            raise Violation(f"I11 {table}: entry {entry.seq} at {entry.at} expired before {ends}")
    expiries = [due[e.seq - 1] or 0 for e in log if any(_expired(event) for event in e.events)]
    for op in ops:
        # It must have been sent, the last time, after the end of some turn that did expire.
        late = any(op.sent_again_utc >= end - slack for end in expiries)
        if op.code == "too-late" and not late:
            raise Violation(f"I11 {table}: {op} was refused as late, and was not")


def _expired(event: object) -> bool:
    return isinstance(event, RowExpired) or bool(getattr(event, "expired", False))


def _views(history: History, logs: dict[str, list[Entry]]) -> None:
    expected: dict[tuple[str, Seat | None], list[EntryOut]] = {}
    for (table, seat, number), seen in history.seen.items():
        if (table, seat) not in expected:
            befores: list[State | None] = [None, *_states(table, logs[table])]
            expected[table, seat] = [
                entry_out(see(entry, before, seat))
                for entry, before in zip(logs[table], befores, strict=False)
            ]
        start = history.resumed_at[table, seat, number]
        if seen != expected[table, seat][start : start + len(seen)]:
            told = [entry.seq for entry in seen]
            raise Violation(f"I6 {table}: socket {number} of {seat} saw {told} after {start}")

"""What clients asked and were told, and the eleven invariants that must hold of it afterwards.

In the spirit of Jepsen: clients note every command with when it was sent and what became of
it; after the run the log is read from the database, and the notes are held against it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import Enum

from keypeg.rules.events import Closed, RowExpired
from keypeg.rules.series import Seat
from keypeg.server.encoding import entry_out, state_out, status_out
from keypeg.server.messages import EntryOut, Status, TableOut
from keypeg.store.log import Card, Entry
from keypeg.table.soundness import Unsound, check_log, states_of
from keypeg.table.state import State
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
    statuses: list[tuple[str, Status]] = field(default_factory=list)
    """Where a table was said to be."""
    tables: list[TableOut] = field(default_factory=list)
    """Whole tables as somebody was shown them."""
    resumed_at: dict[tuple[str, Seat | None, int], int] = field(default_factory=dict)


class Violation(AssertionError):
    """An invariant that does not hold."""


def check(
    history: History,
    logs: dict[str, list[Entry]],
    cards: dict[str, Card],
    slack: int = SLACK,
    *,
    wall_clock: bool = True,
) -> None:
    """Raise Violation for the first invariant that is broken.

    A server that was stopped for a while receives late what was sent in time: `slack` says by
    how many milliseconds. Where the wall clock was turned, times in the log say nothing.
    """
    ops = defaultdict(list)
    for op in history.ops:
        ops[op.table].append(op)
    for table, log in logs.items():
        try:
            check_log(table, log, cards[table])
        except Unsound as error:
            raise Violation(str(error)) from error
        _commands(table, log, ops[table])
        states = list(states_of(table, log))
        if wall_clock:
            _clock(table, log, states, ops[table], slack)
    _views(history, logs)
    _states(history, logs)


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
    _real_time(table, [op for op in ops if op.seq is not None and op.answered is not None])


def _real_time(table: str, ops: list[Op]) -> None:
    """What was answered before something else was sent stands before it in the log."""
    answered = sorted(ops, key=lambda op: op.answered or 0)
    place, last = 0, None
    for later in sorted(ops, key=lambda op: op.sent):
        while place < len(answered) and (answered[place].answered or 0) < later.sent:
            op, place = answered[place], place + 1
            last = op if last is None or (op.seq or 0) > (last.seq or 0) else last
        if last is not None and (last.seq or 0) >= (later.seq or 0):
            raise Violation(f"I5 {table}: {last} was answered before {later} was sent")


def _clock(table: str, log: list[Entry], states: list[State], ops: list[Op], slack: int) -> None:
    due = {state.seq: state.due for state in states}
    for entry in log:
        ends = due.get(entry.seq - 1)
        if _expired(entry) and (ends is None or entry.at < ends):
            raise Violation(f"I11 {table}: entry {entry.seq} at {entry.at} expired before {ends}")
    expiries = [due[entry.seq - 1] or 0 for entry in log if _expired(entry)]
    for op in ops:
        # It must have been sent, the last time, after the end of some turn that did expire.
        late = any(op.sent_again_utc >= end - slack for end in expiries)
        if op.code == "too-late" and not late:
            raise Violation(f"I11 {table}: {op} was refused as late, and was not")


def _expired(entry: Entry) -> bool:
    return entry.seat is None and any(
        isinstance(event, RowExpired | Closed) or bool(getattr(event, "expired", False))
        for event in entry.events
    )


def _states(history: History, logs: dict[str, list[Entry]]) -> None:
    """Whatever was shown of a table is what its log, as its viewer saw it, amounts to."""
    statuses: dict[tuple[str, int], Status] = {}
    folded: dict[tuple[str, Seat | None, int], State] = {}
    for table, log in logs.items():
        befores: list[State | None] = [None, *states_of(table, log)]
        statuses |= {(table, state.seq): status_out(state) for state in befores if state}
        for seat in (None, *Seat):
            seen = [see(*both, seat) for both in zip(log, befores, strict=False)]
            entries = [Entry(one.seq, one.at, one.seat, "", one.events) for one in seen]
            folded |= {(table, seat, state.seq): state for state in states_of(table, entries)}
    for table, status in history.statuses:
        if status != statuses.get((table, status.seq)):
            raise Violation(f"I9 {table}: {status} was told, and is not what the log amounts to")
    for shown in history.tables:
        state = folded.get((shown.id, shown.seat, shown.status.seq))
        if state is None or shown != state_out(state, shown.seat, shown.now):
            raise Violation(f"I9 {shown.id}: {shown} was shown, and is not what the log amounts to")


def _views(history: History, logs: dict[str, list[Entry]]) -> None:
    expected: dict[tuple[str, Seat | None], list[EntryOut]] = {}
    for (table, seat, number), seen in history.seen.items():
        if (table, seat) not in expected:
            befores: list[State | None] = [None, *states_of(table, logs[table])]
            expected[table, seat] = [
                entry_out(see(entry, before, seat))
                for entry, before in zip(logs[table], befores, strict=False)
            ]
        start = history.resumed_at[table, seat, number]
        if seen != expected[table, seat][start : start + len(seen)]:
            told = [entry.seq for entry in seen]
            raise Violation(f"I6 {table}: socket {number} of {seat} saw {told} after {start}")

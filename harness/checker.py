"""The invariants of docs/design/invariants.md, checked by what clients noted and what the log says.

In the spirit of Jepsen: clients note every command, when it was sent, and what became of it
(`harness.history`). After the run the log is read from the database and compared with the notes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from harness.history import History, Op, Outcome
from harness.servers.settings import KEY
from keypeg.rules.events import Closed, RowExpired
from keypeg.rules.series import Seat
from keypeg.server.encoding import entry_out, options_out, state_out, status_out
from keypeg.store.events import SeatTaken
from keypeg.store.log import Card, Entry
from keypeg.store.sql import SqlLog
from keypeg.table.handler import DEFERENCE
from keypeg.table.soundness import Unsound, check_log, states_of
from keypeg.table.view import see

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from keypeg.messages import EntryOut, Status, TableOut
    from keypeg.table.state import State

SLACK = 250
"""Milliseconds that may pass between a client's reading of the clock and the server's."""
BUSY = 1000
"""The same where several servers, their database and all clients share two cores, and where
hundreds of sockets come back at once: a message may wait this long before it is read."""


class Count(NamedTuple):
    """How many commands were acknowledged, and how many of these are lost or doubled."""

    acknowledged: int
    lost: int
    doubled: int


class Violation(AssertionError):
    """An invariant does not hold; `count` is what was counted in the same run."""

    count = Count(0, 0, 0)


def count(history: History, logs: dict[str, list[Entry]]) -> Count:
    """How many acknowledged commands are not in the log where they should be, or are twice."""
    places: dict[tuple[str, Seat | None, str], list[int]] = defaultdict(list)
    for table, log in logs.items():
        for entry in log:
            places[table, entry.seat, entry.command_id].append(entry.seq)
    done = [op for op in history.ops if op.outcome is Outcome.OK]
    found = [(op, places.get((op.table, op.seat, op.id), [])) for op in done]
    lost = sum(op.seq not in at for op, at in found)
    return Count(len(done), lost, sum(len(at) > 1 for _, at in found))


def check(
    history: History,
    logs: dict[str, list[Entry]],
    cards: dict[str, Card],
    slack: int = SLACK,
    *,
    wall_clock: bool = True,
) -> None:
    """Raise Violation for the first invariant that is broken.

    `slack` allows for the time between a client's sending and the server's reading. A server that
    was stopped reads later still, as noted in the history's disturbances, and so does one whose
    answers took longer than that. Where the wall clock was turned, times in the log prove nothing.
    """
    for table in history.gone:
        raise Violation(f"I1 {table}: a server no longer had the table or a seat at it")
    ops = defaultdict(list)
    disturbed = _merged([*history.disturbed, *_slow(history.ops, slack)], slack)
    for op in history.ops:
        ops[op.table].append(op)
    states = {}
    for table, log in logs.items():
        if table not in cards:
            raise Violation(f"I1 {table}: the whole table is gone")
        try:
            states[table] = check_log(table, log, cards[table])
        except Unsound as error:
            raise Violation(f"{error.invariant} {error}") from error
        _commands(table, log, ops[table])
        if wall_clock:
            turns = list(_expiries(table, log, states[table], disturbed, slack))
            _too_late(table, turns, _last_read(ops[table], disturbed, slack), slack)
    _views(history, logs, states)
    _states(history, logs, states)


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
    asked = {(op.seat, op.id) for op in ops}
    for entry in log:
        if _played(entry) and (entry.seat, entry.command_id) not in asked:
            raise Violation(f"I3 {table}: nobody asked for {entry}")
    _real_time(table, [op for op in ops if op.seq is not None and op.answered is not None])


def _played(entry: Entry) -> bool:
    """Whether a client did this, who notes everything: not the table, nor the computer."""
    by_hand = entry.seat is not None and not entry.command_id.startswith("computer-")
    return by_hand and not isinstance(entry.events[0], SeatTaken)


def _real_time(table: str, ops: list[Op]) -> None:
    """A command that was answered before another was sent is before it in the log."""
    answered = sorted(ops, key=lambda op: op.answered or 0)
    place, last = 0, None
    for later in sorted(ops, key=lambda op: op.sent):
        while place < len(answered) and (answered[place].answered or 0) < later.sent:
            op, place = answered[place], place + 1
            last = op if last is None or (op.seq or 0) > (last.seq or 0) else last
        if last is not None and (last.seq or 0) >= (later.seq or 0):
            raise Violation(f"I5 {table}: {last} was answered before {later} was sent")


_Times = list[tuple[int, int]]


def _slow(ops: list[Op], slack: int) -> _Times:
    """When servers or their database were slow, by what was answered in the end."""
    done = [op for op in ops if op.answered is not None]
    times = [(op.sent_again_utc, op.answered_utc) for op in done]
    return [(sent, answered) for sent, answered in times if answered - sent > slack]


def _merged(times: _Times, slack: int) -> _Times:
    """The same spans, with those joined that overlap or nearly do."""
    found: _Times = []
    for begun, ended in sorted(times):
        if found and begun <= found[-1][1] + slack:
            found[-1] = (found[-1][0], max(ended, found[-1][1]))
        else:
            found.append((begun, ended))
    return found


def _latest(at: int, disturbed: _Times, slack: int) -> int:
    """The latest time at which a server may have done what was due at a certain time."""
    at += slack
    nearest = bisect_right(disturbed, at, key=lambda time: time[0])
    if nearest and at <= disturbed[nearest - 1][1] + slack:
        return disturbed[nearest - 1][1] + slack
    return at


class _Expiry(NamedTuple):
    """A turn that ended: when it was due, when that was written, and when all servers knew."""

    seq: int
    due: int
    noted: int
    known: int


def _expiries(
    table: str, log: list[Entry], states: list[State], disturbed: _Times, slack: int
) -> Iterator[_Expiry]:
    due = {state.seq: state.due for state in states}
    for entry in filter(_expired, log):
        ends = due.get(entry.seq - 1)
        if ends is None or entry.at < ends:
            raise Violation(f"I11 {table}: entry {entry.seq} at {entry.at} expired before {ends}")
        news = entry.at + round(1000 * DEFERENCE)
        yield _Expiry(entry.seq, ends, entry.at, _latest(news, disturbed, slack))


def _last_read(ops: list[Op], disturbed: _Times, slack: int) -> Iterator[tuple[Op, int]]:
    """The commands refused as late, each with the latest time at which it may have been read."""
    for op in ops:
        if op.code == "too-late":
            yield op, _latest(op.sent_again_utc, disturbed, slack)


def _too_late(
    table: str, expiries: list[_Expiry], late: Iterable[tuple[Op, int]], slack: int
) -> None:
    """Whatever was refused as late was read after the end of a turn, by a client unaware of it.

    By the time of the refusal that end was in the log.
    """
    for op, read in late:
        refused = op.answered_utc + slack
        if not any(
            read >= turn.due and _unaware(op, turn) and refused >= turn.noted for turn in expiries
        ):
            raise Violation(f"I11 {table}: {op} was refused as late, and was not: {expiries}")


def _unaware(op: Op, turn: _Expiry) -> bool:
    """Whether the sender, or its server, may not have known of this end."""
    return (op.knew is not None and op.knew < turn.seq) or op.sent_utc <= turn.known


def _expired(entry: Entry) -> bool:
    return entry.seat is None and any(
        isinstance(event, RowExpired | Closed) or bool(getattr(event, "expired", False))
        for event in entry.events
    )


def _states(history: History, logs: dict[str, list[Entry]], states: dict[str, list[State]]) -> None:
    """Whatever was sent of a table is the fold of its log as the viewer may see it."""
    statuses: dict[tuple[str, int], Status] = {}
    folded: dict[tuple[str, Seat | None, int], State] = {}
    whole = {(shown.id, shown.seat) for shown in history.tables}
    for table, log in logs.items():
        statuses |= {(table, state.seq): status_out(state, state.due) for state in states[table]}
        befores: list[State | None] = [None, *states[table]]
        for seat in (None, *Seat):
            if (table, seat) in whole:
                seen = [see(*both, seat) for both in zip(log, befores, strict=False)]
                entries = [Entry(one.seq, one.at, one.seat, "", one.events) for one in seen]
                folded |= {(table, seat, state.seq): state for state in states_of(table, entries)}
    for table, status in history.statuses:
        if not _same(status, statuses.get((table, status.seq))):
            raise Violation(f"I9 {table}: {status} was sent, and is not the state of the log")
    for (table, seat, seq), options in history.options:
        after = states[table][seq - 1] if seq <= len(states[table]) else None
        if after is None or options != options_out(after, seat):
            raise Violation(f"I9 {table}: {seat} was offered {options} at {seq}")
    for shown in history.tables:
        state = folded.get((shown.id, shown.seat, shown.status.seq))
        right = state and state_out(state, shown.seat, shown.now, state.due)
        if not right or not _same(shown.status, right.status) or not _same_table(shown, right):
            raise Violation(f"I9 {shown.id}: {shown} was sent, and is not the state of the log")


def _same(sent: Status, right: Status | None) -> bool:
    """Whether a status is right; its time may be another, for faults change the wall clock."""
    if right is None or (sent.due is None) is not (right.due is None):
        return False
    timed: Status = msgspec.structs.replace(sent, due=right.due)
    return timed == right


def _same_table(sent: TableOut, right: TableOut) -> bool:
    """Whether a table is right, but for its status."""
    rest: TableOut = msgspec.structs.replace(sent, status=right.status)
    return rest == right


def _views(history: History, logs: dict[str, list[Entry]], states: dict[str, list[State]]) -> None:
    expected: dict[tuple[str, Seat | None], list[EntryOut]] = {}
    for (table, seat, number), seen in history.seen.items():
        if (table, seat) not in expected:
            befores: list[State | None] = [None, *states[table]]
            expected[table, seat] = [
                entry_out(see(entry, before, seat))
                for entry, before in zip(logs[table], befores, strict=False)
            ]
        start = history.resumed_at[table, seat, number]
        if seen != expected[table, seat][start : start + len(seen)]:
            seqs = [entry.seq for entry in seen]
            raise Violation(f"I6 {table}: socket {number} of {seat} saw {seqs} after {start}")


async def read_back(
    database: str, history: History
) -> tuple[dict[str, list[Entry]], dict[str, Card]]:
    """The logs and cards of the tables that were played at."""
    log = await SqlLog.open(database, bytes.fromhex(KEY))
    try:
        names = {op.table for op in history.ops} | {key[0] for key in history.seen}
        return {name: await log.read(name) for name in names}, await log.cards()
    finally:
        await log.close()


def check_log_of_server(log: Path) -> None:
    """Raise Violation if the log of a server has an unexpected exception."""
    for line in log.read_text(errors="replace").splitlines():
        if '"exception"' in line:
            raise Violation(f"a server failed: {line}")

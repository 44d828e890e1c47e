"""The history checker passes what is just, and notices each thing that is not."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from itertools import count

import msgspec
import pytest

from harness.checker import BUSY, Violation, check
from harness.history import History, Op, Outcome
from harness.tables import SECRET, TIMED, WRONG, Playing, table_of
from keypeg.rules.series import Seat
from keypeg.server.encoding import entry_out, options_out, state_out, status_out
from keypeg.store.log import Card, Entry
from keypeg.table.commands import Command, Guess, NextGame, Resign, SetSecret
from keypeg.table.errors import TooLate
from keypeg.table.options import TableOption

pytestmark = pytest.mark.anyio
ONE, TWO = Seat.ONE, Seat.TWO
LIMIT = 180
ON_ITS_WAY = 40
"""Milliseconds from a client to the table and back."""


@dataclass
class Run:
    """What was played and noted."""

    table: str
    history: History
    log: list[Entry]
    card: Card

    def check(self) -> None:
        check(self.history, {self.table: self.log}, {self.table: self.card})

    def op(self, outcome: Outcome, nth: int = 0) -> Op:
        return [op for op in self.history.ops if op.outcome is outcome][nth]


class Client:
    """Asks a table for things and notes when, as a guest over a socket does."""

    def __init__(self, playing: Playing) -> None:
        self.playing, self.history, self._ids = playing, History(), count(1)

    async def ask(self, seat: Seat, command: Command, *, late: bool = False) -> Op:
        clock = self.playing.clock
        op = Op(self.playing.table.id, seat, f"op-{next(self._ids)}", clock.now(), clock.utc())
        op.sent_again_utc, op.copies = clock.utc(), 1
        self.history.ops.append(op)
        clock.turn(ON_ITS_WAY / 2000)
        try:
            reply = await self.playing.table.handle(seat, op.id, command, clock.now())
        except TooLate:
            assert late
            op.outcome, op.code = Outcome.FAILED, "too-late"
        else:
            op.outcome, op.seq = Outcome.OK, reply.seq
        clock.turn(ON_ITS_WAY / 2000)
        op.answered = clock.now()
        return op


@pytest.fixture
async def run() -> AsyncIterator[Run]:
    """A game to its end, and another in which a turn expires as a guess is on its way."""
    async with table_of(TIMED) as playing:
        client = Client(playing)
        await client.ask(ONE, SetSecret(SECRET))
        await client.ask(TWO, Guess(WRONG))
        await client.ask(TWO, Guess(SECRET))
        await client.ask(ONE, NextGame())
        await client.ask(TWO, SetSecret(SECRET))
        playing.clock.turn(LIMIT)
        await client.ask(ONE, Guess(WRONG), late=True)
        playing.clock.turn(LIMIT / 2)
        await client.ask(ONE, Guess(WRONG))
        await client.ask(ONE, Resign())
        table, history = playing.table, client.history
        log = list(await playing.log.read(table.id))
        history.seen[table.id, None, 1] = [entry_out(seen) for seen in table.view(None)]
        history.resumed_at[table.id, None, 1] = 0
        history.statuses.append((table.id, status_out(table.state, table.state.due)))
        told = options_out(table.state, ONE)
        history.options.append(((table.id, ONE, table.seq), told))
        shown = table.shown(TWO)
        history.tables.append(state_out(shown, TWO, playing.clock.utc(), shown.due))
        yield Run(table.id, history, log, table.state.card)


async def test_a_just_history_passes(run: Run) -> None:
    run.check()
    check(run.history, {run.table: run.log}, {run.table: run.card}, BUSY)
    assert {op.code for op in run.history.ops} == {"", "too-late"}


def lose_an_acknowledged_command(run: Run) -> None:
    run.history.ops.append(replace(run.op(Outcome.OK), id="lost", seq=99))


def acknowledge_at_another_place(run: Run) -> None:
    run.op(Outcome.OK).seq = 1


def write_what_was_refused(run: Run) -> None:
    run.op(Outcome.OK).outcome = Outcome.FAILED


def write_what_nobody_asked_for(run: Run) -> None:
    run.history.ops.remove(run.op(Outcome.OK))


def write_an_unknown_command_twice(run: Run) -> None:
    op, entry = run.op(Outcome.OK, 1), run.log[3]
    op.outcome = Outcome.UNKNOWN
    run.log[4] = replace(run.log[4], seat=entry.seat, command_id=entry.command_id)


def leave_a_gap(run: Run) -> None:
    run.log.pop(3)


def write_a_later_command_before_an_earlier(run: Run) -> None:
    op = run.op(Outcome.OK, 1)
    op.sent, op.answered = op.sent + 1000, (op.answered or 0) + 1000


def skip_what_a_spectator_sees(run: Run) -> None:
    run.history.seen[run.table, None, 1].pop(2)


def show_a_spectator_something_twice(run: Run) -> None:
    seen = run.history.seen[run.table, None, 1]
    seen.insert(2, seen[2])


def show_a_spectator_something_else(run: Run) -> None:
    seen = run.history.seen[run.table, None, 1]
    seen[2] = msgspec.structs.replace(seen[2], at=seen[2].at + 1)


def store_another_card(run: Run) -> None:
    run.card = replace(run.card, due=1)


def tell_another_status(run: Run) -> None:
    table, status = run.history.statuses[0]
    run.history.statuses[0] = (table, msgspec.structs.replace(status, due=1))


def offer_what_is_not_open(run: Run) -> None:
    place, _ = run.history.options[0]
    run.history.options[0] = (place, (TableOption.GUESS,))


def show_another_table(run: Run) -> None:
    run.history.tables[0] = msgspec.structs.replace(run.history.tables[0], games=())


def expire_a_turn_too_early(run: Run) -> None:
    run.log[expiry(run)] = replace(run.log[expiry(run)], at=run.log[expiry(run) - 1].at + 1)


def expiry(run: Run) -> int:
    return next(n for n, entry in enumerate(run.log) if entry.command_id.startswith("expire-"))


def refuse_as_late(seconds: float) -> Callable[[Run], None]:
    """What was asked so long after the turn had ended, before it if less than nothing."""

    def change(run: Run) -> None:
        op = run.op(Outcome.FAILED)
        op.sent += seconds
        op.answered = (op.answered or 0) + seconds
        op.sent_utc += round(1000 * seconds)
        op.sent_again_utc += round(1000 * seconds)

    return change


def refuse_as_late_before_any_turn_has_ended(run: Run) -> None:
    run.history.ops.append(replace(run.op(Outcome.OK), id="early", outcome=Outcome.FAILED))
    run.history.ops[-1].code, run.history.ops[-1].seq = "too-late", None


WRONGS: list[tuple[str, Callable[[Run], None]]] = [
    ("I1", lose_an_acknowledged_command),
    ("I1", acknowledge_at_another_place),
    ("I2", write_what_was_refused),
    ("I3", write_what_nobody_asked_for),
    ("I3", write_an_unknown_command_twice),
    ("I4", leave_a_gap),
    ("I5", write_a_later_command_before_an_earlier),
    ("I6", skip_what_a_spectator_sees),
    ("I6", show_a_spectator_something_twice),
    ("I6", show_a_spectator_something_else),
    ("I9", store_another_card),
    ("I9", tell_another_status),
    ("I9", offer_what_is_not_open),
    ("I9", show_another_table),
    ("I11", expire_a_turn_too_early),
    ("I11", refuse_as_late_before_any_turn_has_ended),
    ("I11", refuse_as_late(-1)),
    ("I11", refuse_as_late(10)),
]
"""Those of the log alone, as I7, I8 and I10, are in tests/table/test_soundness.py."""


@pytest.mark.parametrize(("invariant", "change"), WRONGS)
async def test_what_is_wrong_is_noticed(
    run: Run, invariant: str, change: Callable[[Run], None]
) -> None:
    change(run)
    with pytest.raises(Violation, match=rf"^{invariant} "):
        run.check()


@pytest.mark.parametrize("seconds", [-0.2, 1.9])
async def test_a_refusal_as_late_about_the_end_of_a_turn_passes(run: Run, seconds: float) -> None:
    """A message may lie a little before it is read, and news of an expiry take a while."""
    refuse_as_late(seconds)(run)
    run.check()


async def test_a_server_that_answers_late_may_have_read_late(run: Run) -> None:
    refuse_as_late(-1)(run)
    run.op(Outcome.FAILED).answered = run.op(Outcome.FAILED).sent + 1
    run.check()


@pytest.mark.parametrize(("knew", "excused"), [(0, True), (99, False)])
async def test_whoever_had_not_heard_of_the_end_may_ask_late(
    run: Run, knew: int, *, excused: bool
) -> None:
    refuse_as_late(10)(run)
    run.op(Outcome.FAILED).knew = knew
    with contextlib.nullcontext() if excused else pytest.raises(Violation, match="I11"):
        run.check()


async def test_news_may_be_late_while_a_server_is_stopped(run: Run) -> None:
    refuse_as_late(10)(run)
    sent = run.op(Outcome.FAILED).sent_utc
    run.history.disturbed.append((sent - 9_000, sent - 100))
    run.check()


@pytest.mark.parametrize(("seconds", "excused"), [(9.0, True), (0.2, False)])
async def test_news_may_be_late_while_a_server_is_slow_for_others(
    run: Run, seconds: float, *, excused: bool
) -> None:
    refuse_as_late(10)(run)
    op = replace(run.op(Outcome.FAILED), table="another", outcome=Outcome.OK, code="", seq=1)
    op.sent, op.sent_utc, op.sent_again_utc = op.sent - 9, op.sent_utc - 9_000, op.sent_utc - 9_000
    op.answered = op.sent + seconds
    run.history.ops.append(op)
    with contextlib.nullcontext() if excused else pytest.raises(Violation, match="I11"):
        run.check()

"""Leaks of a secret: a byte sent that depends on it, or the secret itself where a server writes.

tests/server/test_secrecy.py tries some cases, `python -m bench secrecy` as many as are promised.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec

from harness.clients.sockets import greeted, seated
from harness.servers.processes import ServerProcess
from keypeg import messages as wire
from keypeg.client import Client
from keypeg.daily.codes import BOARDS, Codes
from keypeg.daily.days import DAY, FIRST_DAY, DayPhase, begins
from keypeg.daily.game import Played, answered
from keypeg.draw import draw_code
from keypeg.messages.daily import daily_out
from keypeg.rules.board import Board
from keypeg.rules.code import Code, Form, format_code
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode, Scoring, Terms
from keypeg.server.encoding import as_text, entry_out, options_out, status_out, table_out
from keypeg.store.events import Settings
from keypeg.store.log import Entry, Log
from keypeg.table.commands import Answer, Command, Guess, Open, SetSecret, TakeSeat
from keypeg.table.computer import THE_PLAYER
from keypeg.table.decisions import decide, opening
from keypeg.table.state import State, begin, fold
from keypeg.table.table import Table
from keypeg.table.view import views

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator
    from datetime import date
    from pathlib import Path

    from keypeg.store.daily_attempts import DailyAttempt
    from keypeg.table.clock import Alarm

BOARD = Board(4, 6)
CODES = tuple(itertools.product(BOARD.symbols, repeat=BOARD.holes))
VIEWERS = (Seat.TWO, None)
SEAL = re.compile(r"[0-9a-f]{64}")


class StoppedClock:
    """A clock that stands still, so that two runs cannot differ by it."""

    def now(self) -> float:
        return 1000.0

    def utc(self) -> int:
        return 1_700_000_000_000

    def call_at(self, when: float, callback: Callable[[], None]) -> Alarm:
        del when  # it never comes
        return asyncio.get_running_loop().call_later(3600, callback)


def traffic(
    terms: Terms, secret: Code, history: list[Code], *, snapshot: bool = False
) -> list[str]:
    """All that breaker and spectators are sent in a game up to its last row, without the seals."""
    entries, state = beginning(terms)
    entries, sent = [*entries], []
    for seat, command in commands(terms, secret, history):
        events = decide(state, seat, command).events
        entries.append(Entry(state.seq + 1, 0, seat, "x", events))
        seen = views(entries[-1], state)
        state = fold(state, entries[-1])
        status = status_out(state, state.due)
        for viewer in VIEWERS:
            update = wire.Update(0, entry_out(seen[viewer]), status, options_out(state, viewer))
            sent.append(as_text(update))
    if snapshot:
        log = cast("Log", None)  # nothing is written here
        table = Table.rebuild("table", entries, log, StoppedClock(), THE_PLAYER)
        sent += [as_text(wire.Snapshot(table_out(table, viewer, 0))) for viewer in VIEWERS]
    return [SEAL.sub("seal", text) for text in sent]


@cache
def beginning(terms: Terms) -> tuple[list[Entry], State]:
    """A table at which both have sat down."""
    opened = Open(Settings(terms), Seat.ONE, "Ann", "0" * 64)
    entries = [Entry(1, 0, None, "open", opening(opened))]
    state = begin("table", entries[0])
    taken = decide(state, Seat.TWO, TakeSeat("Bob", "1" * 64)).events
    entries.append(Entry(2, 0, Seat.TWO, "sit", taken))
    return entries, fold(state, entries[1])


def commands(terms: Terms, secret: Code, history: list[Code]) -> list[tuple[Seat, Command]]:
    played: list[tuple[Seat, Command]] = [(Seat.ONE, SetSecret(secret))]
    for guess in history:
        played.append((Seat.TWO, Guess(guess)))
        if terms.key_pegs is not KeyPegMode.REFEREE:
            played.append((Seat.ONE, Answer(score(secret, guess))))
    return played


def classes(rng: random.Random, rows: int) -> tuple[list[Code], list[list[Code]]]:
    """Some guesses, and all secrets in classes that answer them alike."""
    history = [rng.choice(CODES) for _ in range(rows)]
    alike: dict[tuple[KeyPegs, ...], list[Code]] = defaultdict(list)
    for code in CODES:
        if code not in history:
            alike[tuple(score(code, guess) for guess in history)].append(code)
    return history, [codes for codes in alike.values() if len(codes) > 1]


class Case(NamedTuple):
    """Two secrets that answer the same history alike; `leaks` if anything sent tells them apart."""

    terms: Terms
    history: list[Code]
    secrets: tuple[Code, Code]
    leaks: bool


def cases(
    rng: random.Random, *, most_classes: int | None = None, most_alike: int = 40
) -> Iterator[Case]:
    """One case after another, without end.

    Of each history `most_classes` classes of secrets are tried, or all of them, and of each class
    `most_alike` secrets.
    """
    tried = 0
    while True:
        terms = Terms(
            BOARD,
            key_pegs=rng.choice(list(KeyPegMode)),
            scoring=rng.choice(list(Scoring)),
            turn_seconds=None,
        )
        history, alike = classes(rng, rng.randint(1, 2))
        for secrets in rng.sample(alike, len(alike))[:most_classes]:
            first, *others = rng.sample(secrets, min(len(secrets), most_alike))
            # Snapshots are folded from what was seen before, so some of them are enough.
            snapshot = not tried % 4
            expected = traffic(terms, first, history, snapshot=snapshot)
            for other in others:
                tried += 1
                leaks = traffic(terms, other, history, snapshot=snapshot) != expected
                yield Case(terms, history, (first, other), leaks)


class DailyCase(NamedTuple):
    """Two keys whose codes of a day answer the same guesses alike; `leaks` as in Case."""

    board: str
    history: list[Code]
    keys: tuple[bytes, bytes]
    leaks: bool


def daily_cases(rng: random.Random) -> Iterator[DailyCase]:
    """One case after another, without end: of each history, all classes of some keys' codes."""
    while True:
        board, day = rng.choice(BOARDS), FIRST_DAY + rng.randrange(1000) * DAY
        rows = rng.randint(0, 2 if board.holes == 4 else 1)
        history = [draw_code(board, rng) for _ in range(rows)]
        alike: dict[tuple[KeyPegs, ...], list[bytes]] = defaultdict(list)
        for key in (rng.randbytes(32) for _ in range(40)):
            code = Codes(key).opening(day, board).code
            if code not in history:
                alike[tuple(score(code, guess) for guess in history)].append(key)
        for first, *others in alike.values():
            expected = daily_traffic(first, day, board, history)
            for other in others:
                leaks = daily_traffic(other, day, board, history) != expected
                yield DailyCase(str(board), history, (first, other), leaks)


def daily_traffic(key: bytes, day: date, board: Board, history: list[Code]) -> list[str]:
    """What a player of a day is sent before the end, in all its phases, without the seals."""
    codes = Codes(key)
    secret, sealed = codes.opening(day, board).code, codes.seal(day, board)
    attempt: DailyAttempt | None = None
    attempts: list[DailyAttempt | None] = [None]
    for number, guess in enumerate(history):
        row = (f"g{number}", guess)
        attempt = answered(secret, board, attempt, row, DayPhase.RUNNING, 1)
        attempts.append(attempt)
    seen = [Played(day, board, phase, sealed, one, None) for one in attempts for phase in DayPhase]
    sent = [msgspec.json.encode(daily_out(one, begins(day))).decode() for one in seen]
    return [SEAL.sub("seal", text) for text in sent]


CANARY: Code = (17, 3, 19, 11, 2, 13, 7, 5, 18, 4, 16, 9, 1, 20, 14, 8)


async def scan(folder: Path) -> dict[str, list[bytes]]:
    """What is found of a canary secret and of the seats' tokens, by place, before the reveal.

    The places are logs, metrics, the database, its write-ahead log, and what others are sent.
    """
    board = Board(16, 20)
    forms = [
        json.dumps(CANARY).strip("[]"),
        msgspec.json.encode(CANARY).decode().strip("[]"),
        str(CANARY).strip("()"),
        format_code(CANARY, board),
        format_code(CANARY, board, Form.LETTERS),
        format_code(CANARY, board, Form.DIGITS),
    ]
    secret = [form.encode() for form in forms] + [bytes(CANARY)]
    data = folder / "data"
    data.mkdir()
    database = f"sqlite:///{data}/keypeg.db"
    with ServerProcess(database, folder, KEYPEG_LOG_LEVEL="debug") as server:
        async with Client(server.url) as client:
            one, two = await seated(client, board="16x20", public=True)
            async with greeted(server.port, one) as maker, greeted(server.port, two) as breaker:
                await maker.say(wire.SetSecret(id="s", code=CANARY))
                await maker.hear_a(wire.Ack)
                await maker.say(wire.SetSecret(id="s", code=CANARY[::-1]))
                await maker.hear_a(wire.Refused)
                await breaker.say(wire.Guess(id="g", code=(1,) * 16))
                await breaker.hear_a(wire.Ack)
                frames = "".join([str(frame) for frame in await pending(breaker.socket.recv)])
                places = {
                    "log": server.log.read_bytes(),
                    "metrics": (await client._http.get("/metrics")).content,
                    "breaker": frames.encode() + (await client._http.get("/api/tables")).content,
                    **{path.name: path.read_bytes() for path in data.iterdir()},
                }
                await breaker.say(wire.Resign(id="r"))
                await breaker.hear_a(wire.Ack)
        server.stop()
    # The search itself works: revealed, the secret is in the database for all to see.
    kept = b"".join(path.read_bytes() for path in data.iterdir())
    assert any(form in kept for form in secret)
    hidden = [*secret, *(str(seat._token).encode() for seat in (one, two))]
    found = {name: [each for each in hidden if each in text] for name, text in places.items()}
    # Whoever knows a table's name may watch it.
    found["metrics"] += [name for name in [one.table.encode()] if name in places["metrics"]]
    return found


async def pending(receive: Callable[[], object]) -> list[object]:
    heard: list[object] = []
    try:
        async with asyncio.timeout(0.3):
            while True:
                heard.append(await receive())  # type: ignore[misc]
    except TimeoutError:
        return heard

"""The secret stays behind the shield: nothing that is sent depends on it before the reveal.

KEYPEG_TEST_CASES sets how many pairs of secrets are tried; the promise is for 100,000.
"""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
import os
import random
import re
import sys
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, cast

import msgspec
import pytest

from keypeg.client import Client, Player
from keypeg.rules.board import Board
from keypeg.rules.code import Code, Form, format_code
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode, Scoring, Terms
from keypeg.server import messages as wire
from keypeg.server.encoding import as_text, entry_out, status_out, table_out
from keypeg.store.events import Settings
from keypeg.store.log import Entry, Log
from keypeg.table.clock import Alarm
from keypeg.table.commands import Answer, Command, Guess, Open, SetSecret, TakeSeat
from keypeg.table.computer import THE_PLAYER
from keypeg.table.decisions import decide, opening
from keypeg.table.state import State, begin, fold
from keypeg.table.table import Table
from keypeg.table.view import views
from tests.server.running import ServerProcess, greeted, running, seated

CASES = int(os.environ.get("KEYPEG_TEST_CASES", "10000"))
SOCKET_CASES = 100
EFFORTS = 200
BOARD = Board(4, 6)
CODES = tuple(itertools.product(BOARD.symbols, repeat=BOARD.holes))
VIEWERS = (Seat.TWO, None)
_SEAL = re.compile(r"[0-9a-f]{64}")


class StoppedClock:
    """Time does not pass, so that it cannot make a difference."""

    def now(self) -> float:
        return 1000.0

    def utc(self) -> int:
        return 1_700_000_000_000

    def call_at(self, when: float, callback: Callable[[], None]) -> Alarm:
        return asyncio.get_running_loop().call_later(3600, callback)


def traffic(
    terms: Terms, secret: Code, history: list[Code], *, snapshot: bool = False
) -> list[str]:
    """All that breaker and spectators are told of a game up to its last row, seals left out."""
    entries, state = beginning(terms)
    entries, sent = [*entries], []
    for seat, command in commands(terms, secret, history):
        events = decide(state, seat, command)
        entries.append(Entry(state.seq + 1, 0, seat, "x", events))
        seen = views(entries[-1], state)
        state = fold(state, entries[-1])
        status = status_out(state)
        sent += [as_text(wire.Update(0, entry_out(seen[viewer]), status)) for viewer in VIEWERS]
    if snapshot:
        log = cast(Log, None)  # nothing is written here
        table = Table.rebuild("table", entries, log, StoppedClock(), THE_PLAYER)
        sent += [as_text(wire.Snapshot(table_out(table, viewer, 0))) for viewer in VIEWERS]
    return [_SEAL.sub("seal", text) for text in sent]


@cache
def beginning(terms: Terms) -> tuple[list[Entry], State]:
    """A table at which both have sat down."""
    opened = Open(Settings(terms), Seat.ONE, "Ann", "0" * 64)
    entries = [Entry(1, 0, None, "open", opening(opened))]
    state = begin("table", entries[0])
    taken = decide(state, Seat.TWO, TakeSeat("Bob", "1" * 64))
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
    """A history, and the secrets that answer it alike, as many together as there are."""
    history = [rng.choice(CODES) for _ in range(rows)]
    alike: dict[tuple[KeyPegs, ...], list[Code]] = defaultdict(list)
    for code in CODES:
        if code not in history:
            alike[tuple(score(code, guess) for guess in history)].append(code)
    return history, [codes for codes in alike.values() if len(codes) > 1]


def test_no_byte_depends_on_the_secret() -> None:
    """Same history, two secrets with the same answers: the same bytes, case after case."""
    rng = random.Random(20)
    cases = 0
    while cases < CASES:
        terms = Terms(
            BOARD,
            key_pegs=rng.choice(list(KeyPegMode)),
            scoring=rng.choice(list(Scoring)),
            turn_seconds=None,
        )
        history, alike = classes(rng, rng.randint(1, 2))
        for secrets in alike:
            first, *others = rng.sample(secrets, min(len(secrets), 40))
            # Snapshots are folded from what was seen before, so some of them are enough.
            snapshot = not cases % 4
            expected = traffic(terms, first, history, snapshot=snapshot)
            for other in others:
                assert traffic(terms, other, history, snapshot=snapshot) == expected
                cases += 1


def work(act: Callable[[], object]) -> int:
    """How many instructions of Python `act` takes: time, without what disturbs it."""
    count = 0

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return trace

    before = sys.gettrace()
    # What the collector calls would be counted too.
    gc.disable()
    sys.settrace(trace)
    try:
        act()
    finally:
        sys.settrace(before)
        gc.enable()
    return count


def effort(terms: Terms, secret: Code, history: list[Code]) -> int:
    """What answering the last of the breaker's guesses costs."""
    _, state = beginning(terms)
    *before, (seat, last) = commands(terms, secret, history)
    for one, command in before:
        state = fold(state, Entry(state.seq + 1, 0, one, "x", decide(state, one, command)))

    def answer_it() -> None:
        entry = Entry(state.seq + 1, 0, seat, "x", decide(state, seat, last))
        after = status_out(fold(state, entry))
        for seen in views(entry, state).values():
            as_text(wire.Update(0, entry_out(seen), after))

    answer_it()
    return work(answer_it)


def test_answering_a_guess_takes_as_much_work_for_any_secret() -> None:
    """Same guesses and answers, other secret: not an instruction more or less."""
    rng = random.Random(22)
    cases = 0
    while cases < EFFORTS:
        history, alike = classes(rng, 2)
        for secrets in rng.sample(alike, min(len(alike), 5)):
            some = rng.sample(secrets, min(len(secrets), 6))
            costs = {effort(Terms(BOARD), secret, history) for secret in some}
            assert len(costs) == 1, (some, history, costs)
            cases += len(some) - 1


@pytest.mark.anyio
async def test_no_frame_or_answer_depends_on_the_secret(tmp_path: Path) -> None:
    """The same over real sockets and HTTP, with wrong guesses, repeats and look-ups."""
    rng = random.Random(21)
    async with running(tmp_path) as server, Client(server.url) as client:
        server.application.services.tables.clock = StoppedClock()
        cases = 0
        while cases < SOCKET_CASES:
            history, alike = classes(rng, 2)
            secrets = rng.choice(alike)
            some = rng.sample(secrets, min(len(secrets), 9))
            heard = await asyncio.gather(
                *(overheard(server.port, client, secret, history) for secret in some)
            )
            assert all(other == heard[0] for other in heard)
            cases += len(heard) - 1


async def overheard(port: int, client: Client, secret: Code, history: list[Code]) -> list[str]:
    """Every byte that breaker and spectator get, ids, tokens and seals left out."""
    one, two = await seated(client)
    watching = client.watch(one.table)
    heard: list[str] = []
    async with greeted(port, two) as breaker, greeted(port, watching, 0) as spectator:
        secretly = wire.SetSecret(id="s", code=secret)
        await client.post(f"/api/tables/{one.table}/commands", secretly, wire.Ack, one._token)
        for number, guess in enumerate(history):
            for message in (
                wire.Guess(id=f"g{number}", code=guess),
                wire.Guess(id=f"g{number}", code=guess),
                wire.Guess(id=f"g{number}", code=guess[::-1]),
                wire.Guess(id=f"w{number}", code=(9, 9, 9, 9)),
                wire.SetSecret(id=f"x{number}", code=secret),
                wire.Challenge(id=f"c{number}"),
            ):
                await breaker.say(message)
                heard.append(await answer(breaker.socket.recv))
        for place in (two, watching):
            heard += await looked_up(client, place)
        await breaker.say(wire.Ping())
        await spectator.say(wire.Ping())
        for socket in (breaker.socket, spectator.socket):
            while '"type":"time"' not in (frame := str(await socket.recv())):
                heard.append(frame)
    return [_SEAL.sub("seal", text).replace(one.table, "table") for text in heard]


async def answer(receive: Callable[[], object]) -> str:
    """The next answer to a command, with whatever came before it."""
    heard = ""
    while '"type":"ack"' not in heard and '"type":"refused"' not in heard:
        heard += str(await receive())  # type: ignore[misc]
    return heard


async def looked_up(client: Client, place: Player) -> list[str]:
    """What HTTP tells this place."""
    path = f"/api/tables/{place.table}"
    headers = {"authorization": f"Bearer {place._token}"} if place._token else {}
    answers = [
        await client._http.get(path, headers=headers),
        await client._http.get(f"{path}/record", headers=headers),
        await client._http.get(f"{path}/review", headers=headers),
        await client._http.get("/api/tables", headers=headers),
    ]
    return [f"{answer.status_code} {answer.text}" for answer in answers]


CANARY: Code = (17, 3, 19, 11, 2, 13, 7, 5, 18, 4, 16, 9, 1, 20, 14, 8)


@pytest.mark.anyio
async def test_a_canary_secret_is_found_nowhere_until_it_is_revealed(tmp_path: Path) -> None:
    """Not in logs, metrics, database, its write-ahead log, nor in what others are sent."""
    board = Board(16, 20)
    forms = [
        json.dumps(CANARY).strip("[]"),
        msgspec.json.encode(CANARY).decode().strip("[]"),
        str(CANARY).strip("()"),
        format_code(CANARY, board),
        format_code(CANARY, board, Form.LETTERS),
        format_code(CANARY, board, Form.DIGITS),
    ]
    needles = [form.encode() for form in forms] + [bytes(CANARY)]
    data = tmp_path / "data"
    data.mkdir()
    database = f"sqlite:///{data}/keypeg.db"
    with ServerProcess(database, tmp_path, KEYPEG_LOG_LEVEL="debug") as server:
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
                hidden = {
                    "log": server.log.read_bytes(),
                    "metrics": (await client._http.get("/metrics")).content,
                    "breaker": frames.encode() + (await client._http.get("/api/tables")).content,
                    **{path.name: path.read_bytes() for path in data.iterdir()},
                }
                assert "keypeg.db-wal" in hidden
                for name, found in hidden.items():
                    assert not [needle for needle in needles if needle in found], name
                for token in (one._token, two._token):
                    assert token is not None
                    assert not [name for name in hidden if token.encode() in hidden[name]]
                assert one.table.encode() not in hidden["metrics"]
                await breaker.say(wire.Resign(id="r"))
                await breaker.hear_a(wire.Ack)
        server.stop()
    # The search itself works: revealed, the secret is in the database for all to see.
    kept = b"".join(path.read_bytes() for path in data.iterdir())
    assert any(needle in kept for needle in needles)


async def pending(receive: Callable[[], object]) -> list[object]:
    heard: list[object] = []
    try:
        async with asyncio.timeout(0.3):
            while True:
                heard.append(await receive())  # type: ignore[misc]
    except TimeoutError:
        return heard

"""The secret stays behind the shield: nothing that is sent depends on it before the reveal.

KEYPEG_TEST_CASES sets how many pairs of secrets are tried; the promise is for 100,000, which
`python -m bench secrecy` tries.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import random
import sys
from collections.abc import Callable
from datetime import date
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

import httpx
import pytest
from msgspec.structs import replace

from harness import leaks
from harness.clients.sockets import greeted, seated
from harness.leaks import (
    BOARD,
    SEAL,
    StoppedClock,
    beginning,
    cases,
    classes,
    commands,
    daily_cases,
    scan,
)
from harness.servers.in_process import Running, running
from keypeg import messages as wire
from keypeg.client import Client, Player, Refused
from keypeg.contests import game
from keypeg.daily.codes import PURPOSE as DAILY_CODES
from keypeg.daily.codes import Codes
from keypeg.daily.days import DayPhase
from keypeg.daily.game import Played, answered
from keypeg.messages.daily import daily_out
from keypeg.rules.board import PRESETS
from keypeg.rules.code import Code
from keypeg.rules.keypegs import score
from keypeg.rules.series import Seat
from keypeg.rules.terms import Terms
from keypeg.server.encoding import as_text, entry_out, options_out, status_out
from keypeg.store.log import Entry
from keypeg.store.vault import Vault
from keypeg.table.decisions import decide
from keypeg.table.state import State, fold
from keypeg.table.tokens import new_token
from keypeg.table.view import Seen, views
from tests.daily.clocks import SetClock

CASES = int(os.environ.get("KEYPEG_TEST_CASES", "3000"))
SOCKET_CASES = 40
CONTEST_CASES = 4
EFFORTS = 200


def test_no_byte_depends_on_the_secret() -> None:
    """Same history, two secrets with the same answers: the same bytes, case after case."""
    # A few of each: another history and other terms find more than more of the same.
    few = cases(random.Random(20), most_classes=12, most_alike=5)
    for case in islice(few, CASES):
        assert not case.leaks, case


def test_no_byte_depends_on_the_daily_code() -> None:
    """Two keys whose codes answer alike: the same bytes apart from the seals, whatever the day."""
    for case in islice(daily_cases(random.Random(23)), CASES // 4):
        assert not case.leaks, case


def test_a_byte_that_depends_on_the_daily_code_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def shown(seen: Played, now: int) -> wire.DailyOut:
        return replace(daily_out(seen, now), number=int(seen.seal[:4], 16))

    monkeypatch.setattr(leaks, "daily_out", shown)
    assert sum(case.leaks for case in islice(daily_cases(random.Random(23)), 20)) > 10


@pytest.mark.anyio
async def test_no_answer_over_http_depends_on_the_daily_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same over HTTP, with repeats, refusals and look-ups, on servers with other keys."""
    rng = random.Random(24)
    history = [rng.choice(leaks.CODES) for _ in range(2)]
    alike: dict[object, list[bytes]] = {}
    for key in (rng.randbytes(32) for _ in range(200)):
        codes = Codes(Vault(key).derive(DAILY_CODES))
        code = codes.opening(date(2026, 11, 18), PRESETS["classic"]).code
        if code not in history:
            alike.setdefault(tuple(score(code, guess) for guess in history), []).append(key)
    heard = []
    for number, key in enumerate(max(alike.values(), key=len)[:3]):
        monkeypatch.setenv("KEYPEG_KEY", key.hex())
        (tmp_path / str(number)).mkdir()
        async with running(tmp_path / str(number)) as server:
            server.application.services.daily._clock = SetClock("2026-11-18 12:00")
            heard.append(await told_of_the_day(server.url, history))
    assert len(heard) == 3
    assert all(other == heard[0] for other in heard)


async def told_of_the_day(url: str, history: list[Code]) -> list[str]:
    """Every byte that a player of a day gets before the end, seals left out."""
    path, token = "/api/daily/2026-11-18/classic", {"authorization": "Bearer " + "t" * 43}
    async with httpx.AsyncClient(base_url=url, headers=token) as http:
        answers = []
        for number, guess in enumerate(history):
            for id_, code in ((f"g{number}", guess), (f"g{number}", guess[::-1]), ("w", [9] * 4)):
                body = {"id": id_, "code": code}
                answers += [await http.post(f"{path}/guesses", json=body) for _ in range(2)]
            answers += [await http.get(each) for each in (path, f"{path}/seal", "/api/daily")]
        answers.append(await http.get("/api/daily/2026-11-19/classic/seal"))
        answers.append(await http.get("/api/daily/2026-11-18/advanced"))
    return [SEAL.sub("seal", f"{one.status_code} {one.text} {len(one.content)}") for one in answers]


@pytest.mark.anyio
async def test_no_answer_over_http_depends_on_the_code_of_a_contest_or_on_others_rows(
    tmp_path: Path,
) -> None:
    """The same breaker, beside others who play otherwise, at codes with the same answers.

    The computer plays meanwhile, and a spectator comes some time.
    """
    for heard in await told_of_contests(tmp_path, CONTEST_CASES):
        assert len(heard) > 1
        assert all(other == heard[0] for other in heard)


@pytest.mark.anyio
async def test_a_byte_that_depends_on_the_code_of_a_contest_would_be_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game, "_is_done", lambda attempt: attempt is not None)
    (heard,) = await told_of_contests(tmp_path, 1)
    assert any(other != heard[0] for other in heard)


async def told_of_contests(tmp_path: Path, cases: int) -> list[list[list[str]]]:
    """For each case, what breakers are told at codes that answer them alike."""
    rng, told = random.Random(25), []
    async with running(tmp_path) as server:
        for _ in range(cases):
            clock = SetClock("2026-11-18 12:00")
            server.application.services.contests._clock = clock
            history, alike = classes(rng, 2)
            some = rng.sample(most := max(alike, key=len), min(len(most), 4))
            heard = [
                await told_of_a_contest(server, clock, secret, history, rng, name)
                for name, secret in zip(("Ann", "Bob", "Cleo", "Dora"), some, strict=False)
            ]
            told.append(heard)
    return told


async def told_of_a_contest(
    server: Running,
    clock: SetClock,
    secret: Code,
    history: list[Code],
    rng: random.Random,
    other_name: str,
) -> list[str]:
    """Every byte that a breaker gets before the end; what two others do is drawn anew."""
    clock.set("2026-11-18 12:00")
    url, played = server.url, server.application.services.contest_computers
    async with Client(url) as client:
        codes, computers = [secret, (1, 1, 2, 2)], ["perfect"]
        made = await client.create_contest(
            new_token(), board="4x6", codes=codes, computers=computers
        )
        spectator, comes = client.contest(made.id, new_token()), rng.randrange(len(history))
        token = {"authorization": f"Bearer {new_token()}"}
        others = [client.contest(made.id, new_token()) for _ in range(2)]
        await others[0].enter(other_name)
        answers = []
        path = f"/api/contests/{made.id}"
        async with httpx.AsyncClient(base_url=url, headers=token) as http:
            answers.append(await http.post(f"{path}/entrants", json={"name": "Me"}))
            await others[1].enter(other_name[::-1])
            async with asyncio.timeout(60):
                while played._waiting or played._playing:
                    await asyncio.sleep(0.01)
            for number, guess in enumerate(history):
                if number == comes:
                    assert (await spectator.watch()).codes[0].ending is not None
                for other in others:
                    with contextlib.suppress(Refused):  # who is done may not
                        await other.guess(1, rng.choice([secret, rng.choice(leaks.CODES)]))
                    clock._utc += rng.randint(0, 5000)
                clock._utc = 1_800_000_000_000 + number
                for id_, code in ((f"g{number}", guess), (f"g{number}", guess[::-1])):
                    body = {"id": id_, "code": code}
                    guessing = f"{path}/codes/1/guesses"
                    answers += [await http.post(guessing, json=body) for _ in range(2)]
                answers += [
                    await http.get(f"{path}{each}")
                    for each in (
                        "",
                        "/standing",
                        "/codes/1/results",
                        "/codes/2/results",
                        "/codes/1/entrants/1",
                        "/codes/1/entrants/2",
                    )
                ]
                answers.append(await http.post(f"{path}/spectators", json={}))
            async with httpx.AsyncClient(base_url=url) as nobody:
                answers += [await nobody.get(f"{path}{each}") for each in ("", "/standing")]
    said = [f"{one.status_code} {one.text} {len(one.content)}" for one in answers]
    return [SEAL.sub("seal", text).replace(made.id, "contest") for text in said]


def test_a_byte_that_depends_on_the_secret_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def shown(entry: Entry, before: State) -> dict[Seat | None, Seen]:
        return dict.fromkeys(leaks.VIEWERS, views(entry, before)[Seat.ONE])

    monkeypatch.setattr(leaks, "views", shown)
    assert all(case.leaks for case in islice(cases(random.Random(20)), 10))


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
        state = fold(state, Entry(state.seq + 1, 0, one, "x", decide(state, one, command).events))

    def answer_it() -> None:
        entry = Entry(state.seq + 1, 0, seat, "x", decide(state, seat, last).events)
        after = fold(state, entry)
        status = status_out(after, after.due)
        for viewer, seen in views(entry, state).items():
            as_text(wire.Update(0, entry_out(seen), status, options_out(after, viewer)))

    answer_it()
    return work(answer_it)


def check_effort(seed: int, effort_of: Callable[[Code, list[Code]], int]) -> None:
    """Same guesses and answers, other secret: not an instruction more or less."""
    rng = random.Random(seed)
    cases = 0
    while cases < EFFORTS:
        history, alike = classes(rng, 2)
        for secrets in rng.sample(alike, min(len(alike), 5)):
            some = rng.sample(secrets, min(len(secrets), 6))
            costs = {effort_of(secret, history) for secret in some}
            assert len(costs) == 1, (some, history, costs)
            cases += len(some) - 1


def test_answering_a_guess_takes_as_much_work_for_any_secret() -> None:
    check_effort(22, lambda secret, history: effort(Terms(BOARD), secret, history))


def daily_effort(secret: Code, history: list[Code]) -> int:
    """What answering the last of a player's guesses at a daily code costs."""
    day, board, attempt = date(2026, 11, 18), PRESETS["classic"], None
    for guess in history[:-1]:
        attempt = answered(secret, board, attempt, ("x", guess), DayPhase.RUNNING, 1)

    def answer_it() -> None:
        after = answered(secret, board, attempt, ("y", history[-1]), DayPhase.RUNNING, 2)
        daily_out(Played(day, board, DayPhase.RUNNING, "0" * 64, after, None), 2)

    return work(answer_it)


def test_answering_a_guess_at_a_daily_code_takes_as_much_work_for_any_code() -> None:
    check_effort(25, daily_effort)


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
            some = rng.sample(secrets, min(len(secrets), 5))
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
    return [SEAL.sub("seal", text).replace(one.table, "table") for text in heard]


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


@pytest.mark.anyio
async def test_a_canary_secret_is_found_nowhere_until_it_is_revealed(tmp_path: Path) -> None:
    """Not in logs, metrics, database, its write-ahead log, nor in what others are sent."""
    found = await scan(tmp_path)
    assert "keypeg.db-wal" in found
    assert not any(found.values()), found

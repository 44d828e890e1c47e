"""The promises of a server under load, each measured by a function that yields rows."""

from __future__ import annotations

import asyncio
import json
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bench import Row, percentile
from bench.load.client import GUESS, SECRET
from bench.load.contest import contested
from bench.load.crew import both_cores_busy, crew
from bench.load.measured import lateness, server
from bench.load.race import PLAYERS, raced
from harness.clients.light import Http, Socket, connect, new_table, new_ticket
from harness.databases import kill, postgresql_address, postgresql_server, redis_server
from harness.servers.settings import KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from bench.load.crew import Crew
    from bench.load.measured import MeasuredServer

NEVER: Final = float("inf")
PATIENCE: Final = 60.0
"""Seconds after which a server is no longer expected back."""


SETTLING: Final = 30.0
"""Seconds, more than an idle connection is kept."""


MOVES_A_TABLE: Final = 60
"""On average: a table has 99 rows, and they are played at random moments."""


ROWS: Final = 15
"""That each player of a race fills."""


FAVOUR: Final = -10
"""What `Nice=` says in the systemd unit; this needs privileges."""


class Load(NamedTuple):
    """The size of a load."""

    sockets: int = 10_000
    rate: int = 1_600
    """Moves offered a second: more than are promised, as a server cannot do more."""
    seconds: int = 30
    clients: int = 2
    returning: int = 5_000
    spectators: int = 1_000
    visits: int = 50_000
    breakers: int = 1_000
    """In one contest."""
    moves: int = 60
    """Moves that are watched, one after another."""
    races: int = 50
    """Of eight players each, at once."""


class Figures(NamedTuple):
    """What one run of moves measured."""

    seated: int
    niceness: int
    moves_per_second: float
    times: list[float]
    failed: int
    megabytes: float
    kib_per_socket: float
    lag: float
    worst_lag: float
    processor_time: float
    arriving_lag: float = 0.0
    """The greatest while the sockets arrived."""


def play(load: Load, nice: int = 0, checkout: Path | None = None) -> Figures:
    """Sockets, two at each table, and moves at a steady rate."""
    with (
        server(nice=nice, checkout=checkout) as running,
        crew(running.port, load.clients) as clients,
    ):
        before, lag = running.resident, running.lag()
        seated = sum(one["sockets"] for one in clients.do({"seat": load.sockets // load.clients}))
        time.sleep(2)
        grown, arriving = running.resident - before, lateness(lag, running.lag(), 1.0)
        return drive(running, clients, load, seated, grown)._replace(arriving_lag=arriving)


def drive(
    running: MeasuredServer, clients: Crew, load: Load, seated: int, grown: float = 0.0
) -> Figures:
    """Moves at a steady rate from clients that have sat down."""
    seconds = min(load.seconds, MOVES_A_TABLE * (seated // 2) / load.rate)
    lag, spent = running.lag(), running.processor_time
    job = {"play": {"rate": load.rate / load.clients, "seconds": seconds}}
    answers = clients.do(job)
    times = [one for answer in answers for one in answer["times"]]
    late = running.lag()
    return Figures(
        seated,
        os.getpriority(os.PRIO_PROCESS, running.pid),
        # To the last answer: a server that falls behind is not faster for it.
        len(times) / max(seconds, *(answer["seconds"] for answer in answers)),
        times,
        sum(answer[what] for answer in answers for what in ("unanswered", "refused", "lost")),
        running.resident,
        grown * 1e6 / 1024 / max(1, seated),
        lateness(lag, late, 0.999),
        lateness(lag, late, 1.0),
        (running.processor_time - spent) / max(1, len(times)),
    )


def crowd(load: Load) -> Iterator[Row]:
    """G1, G2, G3, G9: many sockets, steady moves."""
    run = play(load)
    what = f"{load.sockets:,} sockets"
    yield Row("G1: connected sockets", run.seated, 10_000, within=False, unit="sockets")
    yield Row(f"G1: {what}, resident memory", run.megabytes, 600, unit="MB")
    rate = run.moves_per_second
    yield Row(f"G2: {what}, durable moves", rate, 1_500, within=False, stretch=3_000)
    yield Row("G2: moves refused, lost or unanswered", run.failed, 0, unit="moves")
    yield Row("G3: acknowledged, p50", percentile(run.times, 0.5), 0.010)
    yield Row("G3: acknowledged, p99", percentile(run.times, 0.99), 0.050, stretch=0.025)
    yield Row("G3: acknowledged, p99.9", percentile(run.times, 0.999), 0.150)
    yield Row("G9: event loop late, p99.9 (bucket)", run.lag, 0.020)
    yield Row("G9: event loop late, most (bucket)", run.worst_lag, 0.100)
    late = f"G9: event loop late while {what} arrive, most (bucket)"
    yield Row(late, run.arriving_lag, 0.100)


def busy(load: Load) -> Iterator[Row]:
    """G4: the same with both cores busy, the server favoured as the unit in deploy.md does."""
    with both_cores_busy():
        run = play(load, FAVOUR)
    what = f"G4: both cores busy, the server at niceness {run.niceness}, p99"
    yield Row(what, percentile(run.times, 0.99), 0.150, stretch=0.080)
    yield Row("G4: moves refused, lost or unanswered", run.failed, 0, unit="moves")


def storm(load: Load) -> Iterator[Row]:
    """G6: killed with thousands connected, started again, everybody comes back."""
    with server() as running, crew(running.port, load.clients) as clients:
        clients.do({"seat": load.returning // load.clients})
        clients.send({"storm": {"seconds": 60}})
        waiting = sum(one["waiting"] for one in clients.receive())
        killed = time.monotonic()
        running.kill()
        running.start()
        answers = clients.receive()
        back = sum(one["back"] for one in answers)
        firsts = [one["first_ack"] for one in answers if one["first_ack"] is not None]
        first = min(firsts, default=float("inf")) - killed
        last = max(one["last_welcome"] for one in answers) - killed
        late = lateness({}, running.lag(), 1.0)
    yield Row("G6: kill -9 to the first acknowledgement", first, 2.0, stretch=1.0)
    yield Row(f"G6: {waiting:,} clients back, all within", last, 10.0, stretch=5.0)
    yield Row("G6: clients that did not come back", waiting - back, 0, unit="clients")
    yield Row("G9: event loop late while they come back, most (bucket)", late, 0.100)


def resume(load: Load) -> Iterator[Row]:  # noqa: ARG001 - every scenario is called alike
    """G7: resuming after gaps of any length, by what was missed and not by a reload."""
    with server() as running:
        times, reloads = asyncio.run(_resume(running.port))
    yield Row("G7: resumed after any gap, p99", percentile(times, 0.99), 0.100)
    yield Row("G7: reloads", reloads, 0, unit="reloads")


async def _resume(port: int) -> tuple[list[float], int]:
    http = Http(port)
    (path, maker), (_, breaker) = await new_table(http)
    secret = {"type": "set-secret", "id": "s", "code": SECRET}
    last = (await http.post(f"{path}/commands", secret, maker))["seq"]
    for number in range(90):
        guess = {"type": "guess", "id": f"g{number}", "code": GUESS}
        last = (await http.post(f"{path}/commands", guess, breaker))["seq"]
    times: list[float] = []
    reloads = 0
    for number in range(300):
        known = number % last
        done = asyncio.Event()
        reloads += await _come_back(http, port, path, known, last, done, times)
    http.close()
    return times, reloads


async def _come_back(
    http: Http, port: int, path: str, known: int, last: int, done: asyncio.Event, times: list[float]
) -> int:
    whole = 0

    def heard(_: Socket, text: bytes) -> None:
        nonlocal whole
        message = json.loads(text)
        if message["type"] == "welcome" and message.get("table"):
            whole += 1
        if message["type"] == "missed" and message["entries"][-1]["seq"] == last:
            done.set()

    ticket = await new_ticket(http, path)
    began = time.perf_counter()
    socket = await connect(port, ticket, heard, seq=known)
    async with asyncio.timeout(10):
        await done.wait()
    times.append(time.perf_counter() - began)
    socket.transport.abort()
    return whole


def audience(load: Load) -> Iterator[Row]:
    """G8: a thousand spectators, ten of whom never read."""
    with server() as running, crew(running.port, load.clients) as clients:
        sent, acknowledged = asyncio.run(_perform(running.port, clients, load))
        answers = clients.do({"seen": True})
    late = [at - sent[seq] for one in answers for seq, at in one["seen"] if seq in sent]
    readers = load.spectators - 10
    what = f"G8: {load.spectators:,} spectators, 10 stalled"
    yield Row(f"{what}: a move seen, p99", percentile(late, 0.99), 0.100)
    yield Row(f"{what}: acknowledged, p99", percentile(acknowledged, 0.99), 0.050)
    missing = max(0, readers * len(sent) - len(late))
    yield Row("G8: moves not shown to somebody who reads", missing, 0, unit="sights")


async def _perform(port: int, clients: Crew, load: Load) -> tuple[dict[int, float], list[float]]:
    http = Http(port)
    (path, maker), (_, breaker) = await new_table(http)
    secret = {"type": "set-secret", "id": "s", "code": SECRET}
    await http.post(f"{path}/commands", secret, maker)
    count = load.spectators // load.clients
    jobs = [{"watch": {"path": path, "count": count, "stalled": 10}}]
    jobs += [{"watch": {"path": path, "count": count, "stalled": 0}}] * (load.clients - 1)
    await asyncio.to_thread(clients.do, *jobs)
    acks: asyncio.Queue[int] = asyncio.Queue()

    def heard(_: Socket, text: bytes) -> None:
        if text.startswith(b'{"type":"ack"'):
            acks.put_nowait(json.loads(text)["seq"])

    ticket = await new_ticket(http, path, breaker)
    socket = await connect(port, ticket, heard)
    await asyncio.sleep(0.5)
    sent, times = {}, []
    for number in range(load.moves):
        began = time.monotonic()
        socket.say(f'{{"type":"guess","id":"g{number}","code":{GUESS}}}')
        async with asyncio.timeout(10):
            seq = await acks.get()
        times.append(time.monotonic() - began)
        sent[seq] = began
        await asyncio.sleep(0.2)
    await asyncio.sleep(1)
    http.close()
    return sent, times


def churn(load: Load) -> Iterator[Row]:
    """F21: tens of thousands come and go; memory, files and tasks are as before."""
    with server() as running, crew(running.port, load.clients) as clients:
        fresh = running.sockets
        job = {"count": load.visits // load.clients // 10, "at_once": 50}
        clients.do({"churn": job})
        _settle(running, fresh)
        before = running.resident, running.files, running.tasks
        answers = clients.do({"churn": {**job, "count": load.visits // load.clients}})
        _settle(running, fresh)
        after = running.resident, running.files, running.tasks
        failed = sum(one["failed"] for one in answers)
    what = f"after {load.visits:,} connects of players and spectators"
    growth = after[0] / before[0]
    yield Row(f"F21: memory {what}, of {before[0]:.0f} MB before", growth, 1.05, unit="times")
    yield Row(f"F21: open files {what}, more than before", after[1] - before[1], 5, unit="files")
    yield Row(f"F21: tasks {what}, more than before", after[2] - before[2], 5, unit="tasks")
    yield Row("F21: connects that failed", failed, 0, unit="connects")


def _settle(running: MeasuredServer, sockets: int) -> None:
    """Wait until all that came is gone, for a while: what stays is what is measured."""
    deadline = time.monotonic() + SETTLING
    while running.sockets > sockets and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)


def hostile(load: Load) -> Iterator[Row]:  # noqa: ARG001 - every scenario is called alike
    """G11: one socket that floods and never reads."""
    with server(KEYPEG_MESSAGES_PER_SECOND="20", KEYPEG_MESSAGES_AT_ONCE="40") as running:
        before = running.resident
        seconds = asyncio.run(_flood(running.port))
        grown = running.resident - before
    yield Row("G11: a flooding socket, closed within", seconds, 1.0)
    yield Row("G11: memory it cost", grown * 1e6 / 2**20, 5.0, unit="MiB")


async def _flood(port: int) -> float:
    http = Http(port)
    [(path, token), _] = await new_table(http)
    lost, welcomed = asyncio.Event(), asyncio.Event()
    socket = await connect(port, await new_ticket(http, path, token), lambda *_: welcomed.set())
    socket.lost = lambda _: lost.set()
    async with asyncio.timeout(5):
        await welcomed.wait()
    began = time.perf_counter()
    while not socket.transport.is_closing() and time.perf_counter() < began + 10:
        for _ in range(20):
            socket.say('{"type":"ping"}')
        await asyncio.sleep(0)
    http.close()
    return time.perf_counter() - began


def database(load: Load) -> Iterator[Row]:  # noqa: ARG001 - every scenario is called alike
    """G13: PostgreSQL killed and started again, the server not."""
    with postgresql_server() as postgresql:
        address = postgresql_address(postgresql)
        with server(address, KEYPEG_KEY=KEY) as running:
            seconds, lost = asyncio.run(_through_restart(running.port, postgresql))
    yield Row("G13: from PostgreSQL's death to the next move", seconds, 10.0, stretch=5.0)
    yield Row("G13: acknowledged moves lost", lost, 0, unit="moves")


async def _through_restart(port: int, postgresql: Any) -> tuple[float, int]:
    http = Http(port)
    (path, maker), (_, breaker) = await new_table(http)
    secret = {"type": "set-secret", "id": "s", "code": SECRET}
    await http.post(f"{path}/commands", secret, maker)
    made, died, back, refused = 0, NEVER, NEVER, asyncio.Event()

    async def outage() -> None:
        nonlocal died
        await asyncio.sleep(0.5)
        died = time.monotonic()
        await asyncio.to_thread(kill, postgresql)
        with suppress(TimeoutError):
            await asyncio.wait_for(refused.wait(), 1)
        await asyncio.to_thread(postgresql.ensure_postgres_running)

    restarting = asyncio.create_task(outage())
    while made < 90 and back == NEVER and time.monotonic() < died + PATIENCE:
        guess = {"type": "guess", "id": f"g{made}", "code": GUESS}
        status, _ = await http.ask("POST", f"{path}/commands", guess, breaker)
        if status == 200:
            made += 1
            # Without a refusal there was no outage to come back from.
            back = time.monotonic() if refused.is_set() else NEVER
        elif died != NEVER:
            refused.set()
        await asyncio.sleep(0.02 if refused.is_set() else 0.05)
    await restarting
    status, shown = await http.ask("GET", path)
    kept = len(json.loads(shown)["games"][0]["rows"]) if status == 200 else 0
    http.close()
    return (NEVER if back == NEVER else back - died), abs(made - kept)


def neighbours(load: Load) -> Iterator[Row]:
    """G12: a move seen through another process, with Redis and without."""
    with postgresql_server() as postgresql, redis_server() as redis:
        address = postgresql_address(postgresql)
        shared = {"KEYPEG_KEY": KEY, "KEYPEG_REDIS": redis.url}
        with (
            server(address, 0, None, **shared) as here,
            server(address, 0, None, **shared) as there,
        ):
            near, _ = asyncio.run(_across(here.port, there.port, load.moves))
            redis.kill()
            far, failed = asyncio.run(_across(here.port, there.port, load.moves))
    yield Row("a move seen through another process, p99", percentile(near, 0.99), 0.100)
    yield Row("G12: the same without Redis, most", max(far), 2.0, stretch=0.5)
    yield Row("G12: moves that failed without Redis", failed, 0, unit="moves")


async def _across(here: int, there: int, moves: int) -> tuple[list[float], int]:
    """How long each move at one server took to be seen at the other."""
    http, far = Http(here), Http(there)
    (path, maker), (_, breaker) = await new_table(http)
    secret = {"type": "set-secret", "id": "s", "code": SECRET}
    await http.post(f"{path}/commands", secret, maker)
    seen: asyncio.Queue[float] = asyncio.Queue()

    def heard(_: Socket, text: bytes) -> None:
        if text.startswith(b'{"type":"update"'):
            seen.put_nowait(time.monotonic())

    await connect(there, await new_ticket(far, path), heard)
    await asyncio.sleep(2)
    times, failed = [], 0
    for number in range(moves):
        guess = {"type": "guess", "id": f"g{number}", "code": GUESS}
        began = time.monotonic()
        status, _ = await http.ask("POST", f"{path}/commands", guess, breaker)
        if status != 200:
            failed += 1
            continue
        async with asyncio.timeout(10):
            times.append(await seen.get() - began)
        await asyncio.sleep(0.13)
    http.close()
    far.close()
    return times, failed


def contest(load: Load) -> Iterator[Row]:
    """A contest that a thousand break at once, each row sent when the one before is answered."""
    with server() as running:
        found = asyncio.run(contested(running.port, load.breakers))
        late = lateness({}, running.lag(), 1.0)
    what = f"a contest with {load.breakers:,} breakers at once"
    rate = len(found.answered) / found.seconds
    yield Row(f"{what}: durable rows a second", rate, 100, within=False, unit="rows")
    yield Row(f"{what}: everybody done", found.seconds, 60.0)
    yield Row(f"{what}: results of all", found.results, 2.0)
    yield Row(f"{what}: missing in the results", load.breakers - found.lines, 0, unit="entrants")
    yield Row(f"{what}: rows answered wrongly", found.wrong, 0, unit="breakers")
    yield Row(f"{what}: event loop late, most (bucket)", late, 0.250)


def race(load: Load) -> Iterator[Row]:
    """Races of eight: a row, from its sending until the last of the eight has been sent it."""
    pause = 2 * load.seconds / ROWS
    with server() as running:
        found = asyncio.run(raced(running.port, load.races, ROWS, pause))
        late = lateness({}, running.lag(), 1.0)
    rate = load.races * PLAYERS / pause
    what = f"{load.races:,} races of {PLAYERS} at once, {rate:,.0f} rows a second"
    yield Row(f"{what}: a row seen by all, p50", percentile(found.seen, 0.5), 0.050)
    yield Row(f"{what}: a row seen by all, p99", percentile(found.seen, 0.99), 0.100)
    yield Row(f"{what}: rows that somebody did not see", found.unseen, 0, unit="rows")
    yield Row(f"{what}: event loop late, most (bucket)", late, 0.250)


SCENARIOS: Final[dict[str, Callable[[Load], Iterator[Row]]]] = {
    function.__name__: function
    for function in (
        crowd,
        busy,
        storm,
        resume,
        audience,
        churn,
        hostile,
        database,
        neighbours,
        contest,
        race,
    )
}
"""Every measurement by its name."""

"""The worst that clients may send, and how long a server's event loop is held by it.

The worst legal request of every route and the worst message of every kind are sent to a server with
the longest table there may be. What the loop spends on each callback is measured by the loop, in
processor time of its thread, so that a busy machine does not matter.
"""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import httpx

from harness.clients.sockets import Raw, greeted
from harness.fullest_contest import FULL, GUESS, TOKEN, write_full_contest
from harness.longest import LONGEST, longest
from harness.loop_watch import LoopWatch
from harness.servers.in_process import Running, running
from keypeg import messages as wire
from keypeg.client import Client, Player
from keypeg.contests.game import MOST_CODES, MOST_ENTRANTS
from keypeg.matches.commands import Guess, Join, Open
from keypeg.matches.decisions import decide, opening
from keypeg.matches.state import begin, fold
from keypeg.rules.board import Board
from keypeg.rules.match.terms import MatchKind, MatchTerms
from keypeg.rules.series import Seat
from keypeg.rules.terms import Terms
from keypeg.store.matches import MatchEntry, MatchStore
from keypeg.store.sql import SqlLog
from keypeg.table.tokens import hashed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    import msgspec

    from keypeg.matches.commands import AnyCommand

TOKENS: Final = {seat: seat.value * 10 for seat in Seat}
OVER, PLAYING, SHORT = "over" + "-" * 18, "playing" + "-" * 15, "short" + "-" * 17
MATCH_TOKEN: Final = "m" * 43
LONGEST_MATCH: Final = "match" + "-" * 17
LARGEST: Final = Board(16, 20, rows=99)
CODE: Final = list(range(1, 17))
DEEP: Final = '{"board":' + "[" * 1000 + "]" * 1000 + "}"
QUESTION: Final = {
    "board": "6x10",
    "rows": [{"code": [1, 2, 3, 4, 5, 6], "black": 0, "white": 1}] * 99,
}


class Loaded(NamedTuple):
    """A server with long tables in its database, and the watch on its loop."""

    server: Running
    watch: LoopWatch
    loop: asyncio.AbstractEventLoop

    async def longest_hold(self) -> tuple[float, str]:
        """The longest hold since the last look, by whatever has begun; in milliseconds."""
        # An answer can be here before the callback that sent it has ended.
        ended = asyncio.run_coroutine_threadsafe(asyncio.sleep(0), self.loop)
        await asyncio.wrap_future(ended)
        return self.watch.reset()


async def write(log: SqlLog, table_id: str, terms: Terms, last_row: bool) -> None:
    hashes = {seat: hashed(token) for seat, token in TOKENS.items()}
    entries, card = list(longest(table_id, hashes, terms, last_row)), None
    # The last one by itself: with it, the store notes where the log ends.
    for some in (entries[:-1], entries[-1:]):
        writing = []
        for entry, state in some:
            writing.append(log.append(table_id, entry, state.card if state.card != card else None))
            card = state.card
        await asyncio.gather(*writing)


async def fill(folder: Path) -> None:
    log = await SqlLog.open(f"sqlite:///{folder}/keypeg.db")
    link = log._chain.link

    def linked(previous: bytes, table_id: str, seq: int, *more: Any) -> bytes:
        """Known at once: what follows need not wait until this one is on disk."""
        mac = link(previous, table_id, seq, *more)
        log._chain.remember(table_id, seq, mac)
        return mac

    log._chain.link = linked  # type: ignore[method-assign, assignment]
    await write(log, OVER, LONGEST, last_row=True)
    await write(log, PLAYING, LONGEST, last_row=False)
    await write_match(log)
    short = Terms(LONGEST.board, games=2)
    for number in range(60):
        await write(log, f"{number:02}{SHORT[2:]}", short, last_row=number > 0)
    await write_full_contest(log)
    await log.close()


async def write_match(log: SqlLog) -> None:
    """A race of eight on the largest board, all rows but one played by all."""
    store, terms = (
        MatchStore(log),
        MatchTerms(MatchKind.RACE, LARGEST, row_seconds=86_400, places=8),
    )
    opened = opening(Open(terms, hashed(MATCH_TOKEN)), LONGEST_MATCH)
    now = round(time.time() * 1000)
    entry = MatchEntry(1, now, 0, "open", opened)
    state = begin(LONGEST_MATCH, entry)
    await store.append(LONGEST_MATCH, entry, state.card)

    async def do(player: int, command_id: str, command: AnyCommand) -> None:
        nonlocal state
        events = decide(state, player, command, now, now)
        entry = MatchEntry(state.seq + 1, now, player, command_id, events)
        state = fold(state, entry)
        await store.append(LONGEST_MATCH, entry, state.card)

    for player in range(2, 9):
        await do(player, "join", Join(f"{player:064}"))
    for row in range(1, LARGEST.rows):
        for player in range(1, 9):
            await do(player, f"{row}", Guess(row, tuple(CODE)))


@contextmanager
def serving(folder: Path) -> Iterator[Loaded]:
    """A server in a thread of its own, whose loop is measured."""
    watch, ready, over = LoopWatch(), threading.Event(), asyncio.Event()
    found: list[Any] = []

    async def serve() -> None:
        watch.thread = threading.get_ident()
        async with running(folder, thinking_seconds=0.05) as server:
            found.extend((server, asyncio.get_running_loop()))
            ready.set()
            await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    # The garbage of all tests before is not this server's; its own is tested in test_garbage.
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        with watch.watching():
            thread.start()
            assert ready.wait(60)
            yield Loaded(found[0], watch, found[1])
            found[1].call_soon_threadsafe(over.set)
            thread.join(60)
    finally:
        gc.enable()
        gc.unfreeze()


class Ask(NamedTuple):
    """A request about a table."""

    method: str
    path: str
    body: Any = None


def ask_in_turn(table: str) -> dict[str, list[Ask]]:
    """The worst that can be asked of each route, by its path in the app."""
    about = f"/api/tables/{table}"
    daily, retry = f"/api/daily/{datetime.now(UTC).date()}/classic", "A" * 43
    return {
        "/api/tables/{table_id:str}/commands": [
            Ask("POST", f"{about}/commands?seat=one", {"type": "resign", "id": "x", "seq": 1}),
            Ask("POST", f"{about}/commands?seat=two", {"type": "guess", "id": "y", "code": CODE}),
            Ask("POST", f"{about}/commands?seat=one", DEEP),
        ],
        "/api/tables/{table_id:str}/hints": [Ask("POST", f"{about}/hints", {"id": "h" * 64})],
        "/api/tables/{table_id:str}/tickets": [Ask("POST", f"{about}/tickets", {"seat": "one"})],
        "/api/tables/{table_id:str}/seats": [
            Ask("POST", f"{about}/seats", {"seat": "one", "name": "n" * 32, "retry": retry})
        ],
        "/api/tables": [
            Ask("GET", "/api/tables"),
            Ask("GET", "/api/tables?stage=playing"),
            Ask("POST", "/api/tables", {"board": "16x20b/99", "games": 100, "name": "n" * 32}),
            Ask("POST", "/api/tables", {"board": "16x20/99", "opponent": "perfect"}),
            Ask("POST", "/api/tables", "{" + " " * 16_000 + "}"),
        ],
        "/api/tables/{table_id:str}": [Ask("GET", about)],
        "/api/tables/{table_id:str}/turn": [Ask("GET", f"{about}/turn")],
        "/api/tables/{table_id:str}/record": [Ask("GET", f"{about}/record?series=1")],
        "/api/tables/{table_id:str}/review": [Ask("GET", f"{about}/review?game=100")],
        "/api/hints": [Ask("POST", "/api/hints", QUESTION), Ask("POST", "/api/hints", DEEP)],
        "/api/reviews": [Ask("POST", "/api/reviews", QUESTION)],
        "/api/choices": [Ask("GET", "/api/choices")],
        "/api/daily": [Ask("GET", "/api/daily")],
        "/api/daily/tokens": [Ask("POST", "/api/daily/tokens", {"retry": retry})],
        "/api/daily/{day:str}/{board:str}": [Ask("GET", daily), Ask("GET", f"{daily}{'x' * 999}")],
        "/api/daily/{day:str}/{board:str}/seal": [Ask("GET", f"{daily}/seal")],
        "/api/daily/{day:str}/{board:str}/guesses": [
            Ask("POST", f"{daily}/guesses", {"id": "g", "code": [1, 2, 3, 4]})
        ],
        **contests_in_turn(retry),
        **matches_in_turn(retry),
        "/healthz": [Ask("GET", "/healthz")],
        "/metrics": [Ask("GET", "/metrics")],
        "/": [Ask("GET", "/")],
        "/{name:str}": [Ask("GET", "/icon.svg"), Ask("GET", "/" + "x" * 8_000)],
        "/table/{table_id:str}": [Ask("GET", f"/table/{table}")],
        "/table/{table_id:str}/qr.svg": [
            Ask("GET", f"/table/{table}/qr.svg"),
            Ask("GET", f"/table/{'x' * 2_000}/qr.svg"),
        ],
        "/web/{digest:str}/{path:path}": [Ask("GET", "/web/0/pages/table.js")],
        "/schema": [Ask("GET", "/schema")],
        "/schema/openapi.json": [Ask("GET", "/schema/openapi.json")],
        "/schema/{path:str}": [Ask("GET", "/schema/x")],
    }


def contests_in_turn(retry: str) -> dict[str, list[Ask]]:
    contest = f"/api/contests/{FULL}"
    most = {"id": "c", "board": "16x20b/99", "codes": [CODE] * 20, "name": "n" * 32}
    return {
        "/contest": [Ask("GET", "/contest")],
        "/contest/{contest_id:str}": [Ask("GET", "/contest/x")],
        "/contest/{contest_id:str}/qr.svg": [Ask("GET", f"/contest/{'x' * 2_000}/qr.svg")],
        "/api/contests/tokens": [Ask("POST", "/api/contests/tokens", {"retry": retry})],
        "/api/contests": [
            Ask("POST", "/api/contests", most),
            Ask("POST", "/api/contests", {"id": "d", "board": "16x20b/99", "count": 20}),
            Ask("POST", "/api/contests", {"id": "e", "board": "16x20/12", "computers": ["strong"]}),
        ],
        "/api/contests/{contest:str}": [Ask("GET", contest), Ask("GET", f"{contest}{'x' * 999}")],
        "/api/contests/{contest:str}/entrants": [Ask("POST", f"{contest}/entrants", {"name": "n"})],
        "/api/contests/{contest:str}/spectators": [Ask("POST", f"{contest}/spectators", {})],
        "/api/contests/{contest:str}/standing": [Ask("GET", f"{contest}/standing")],
        "/api/contests/{contest:str}/codes/{number:int}/guesses": [
            Ask("POST", f"{contest}/codes/{MOST_CODES}/guesses", {"id": "g1", "code": GUESS}),
            Ask("POST", f"{contest}/codes/{MOST_CODES}/guesses", {"id": "g", "code": GUESS}),
        ],
        "/api/contests/{contest:str}/codes/{number:int}/results": [
            Ask("GET", f"{contest}/codes/1/results")
        ],
        "/api/contests/{contest:str}/codes/{number:int}/entrants/{entrant:int}": [
            Ask("GET", f"{contest}/codes/1/entrants/{MOST_ENTRANTS}"),
            Ask("GET", f"{contest}/codes/1/entrants/1"),
            Ask("GET", f"{contest}/codes/{'9' * 999}/entrants/1"),
            Ask("GET", f"{contest}/codes/1/entrants/{'9' * 999}"),
        ],
    }


def matches_in_turn(retry: str) -> dict[str, list[Ask]]:
    match = f"/api/matches/{LONGEST_MATCH}"
    most = {"id": "m", "kind": "race", "board": "16x20b/99", "places": 8, "name": "n" * 32}
    computers = {"computers": ["perfect"] * 7, "keys_shown": False}
    ids = ("start", "leave", "challenge", "close", "give-up", "another")
    return {
        "/race": [Ask("GET", "/race")],
        "/duel": [Ask("GET", "/duel")],
        "/match/{match_id:str}": [Ask("GET", "/match/x")],
        "/match/{match_id:str}/qr.svg": [
            Ask("GET", f"/match/{LONGEST_MATCH}/qr.svg"),
            Ask("GET", f"/match/{'x' * 2_000}/qr.svg"),
        ],
        "/api/matches/tokens": [Ask("POST", "/api/matches/tokens", {"retry": retry})],
        "/api/matches": [
            Ask("POST", "/api/matches", most),
            Ask("POST", "/api/matches", {**most, **computers, "id": "n"}),
            Ask("POST", "/api/matches", DEEP),
        ],
        "/api/matches/{match:str}": [Ask("GET", match), Ask("GET", f"{match}{'x' * 999}")],
        "/api/matches/{match:str}/players": [Ask("POST", f"{match}/players", {"name": "n" * 32})],
        "/api/matches/{match:str}/commands": [
            *(Ask("POST", f"{match}/commands", {"type": one, "id": one}) for one in ids),
            Ask("POST", f"{match}/commands", {"type": "secret", "id": "s", "code": CODE}),
            Ask("POST", f"{match}/commands", {"type": "guess", "id": "g", "row": 99, "code": CODE}),
            Ask(
                "POST",
                f"{match}/commands",
                {"type": "answer", "id": "a", "row": 99, "black": 0, "white": 16},
            ),
            Ask("POST", f"{match}/commands", DEEP),
        ],
        "/api/matches/{match:str}/tickets": [Ask("POST", f"{match}/tickets", {})],
    }


def messages_in_turn() -> dict[type[msgspec.Struct], list[msgspec.Struct]]:
    """The worst message of each kind."""
    code, seq = CODE, 1
    return {
        wire.SetSecret: [wire.SetSecret(id="a" * 64, seq=seq, code=tuple(code))],
        wire.Guess: [
            wire.Guess(id="b" * 64, seq=seq, code=tuple(code)),
            wire.Guess(id="b", code=tuple(code)),
        ],
        wire.Answer: [wire.Answer(id="c", seq=seq, black=1, white=1)],
        wire.Challenge: [wire.Challenge(id="d", seq=seq), wire.Challenge(id="d")],
        wire.NextGame: [wire.NextGame(id="e", seq=seq), wire.NextGame(id="e")],
        wire.Resign: [wire.Resign(id="f", seq=seq)],
        wire.Claim: [wire.Claim(id="g", seq=seq), wire.Claim(id="g")],
        wire.OfferTime: [wire.OfferTime(id="h", seq=seq, seconds=60)],
        wire.ProposeLimit: [wire.ProposeLimit(id="j", seq=seq, seconds=86_400)],
        wire.AcceptLimit: [wire.AcceptLimit(id="k", seq=seq, seconds=86_400)],
        wire.DeclineLimit: [wire.DeclineLimit(id="l", seq=seq), wire.DeclineLimit(id="l")],
        wire.WithdrawLimit: [wire.WithdrawLimit(id="m", seq=seq), wire.WithdrawLimit(id="m")],
        wire.Rematch: [wire.Rematch(id="i", seq=seq), wire.Rematch(id="i")],
        wire.Hello: [wire.Hello(ticket="x" * 200, seq=0)],
        wire.Ping: [wire.Ping()],
    }


async def request(http: httpx.AsyncClient, ask: Ask) -> int:
    token = TOKENS[Seat.TWO if "two" in ask.path else Seat.ONE]
    if ask.path.startswith("/api/matches"):
        token = MATCH_TOKEN
    elif FULL in ask.path:
        token = TOKEN
    headers = {"Authorization": f"Bearer {token}"}
    if isinstance(ask.body, str):
        answer = await http.request(ask.method, ask.path, content=ask.body, headers=headers)
    else:
        answer = await http.request(ask.method, ask.path, json=ask.body, headers=headers)
    return answer.status_code


async def talk(port: int, player: Player, hello: int | None) -> AsyncIterator[str]:
    """Say hello in this way, then everything there is to say; what was said last."""
    async with greeted(port, player, hello) as socket:
        await socket.hear_a(wire.Present)
        yield f"hello with seq {hello} by {player.seat}"
        for kind, several in messages_in_turn().items():
            for message in several:
                await socket.say(message)
                await answered(socket)
                yield f"{kind.__name__} by {player.seat}"
        await socket.say("[" * 2_000)
        await socket.hear_a(wire.Error)
        yield "a bad message"


async def answered(socket: Raw) -> None:
    while not isinstance(await socket.hear(), wire.Ack | wire.Refused | wire.Error | wire.Time):
        pass


async def worst(loaded: Loaded, table: str) -> dict[str, tuple[float, str]]:
    """The longest hold by everything that can be sent about a table."""
    found: dict[str, tuple[float, str]] = {}

    async def note(what: str) -> None:
        found[what] = max(found.get(what, (0.0, "")), await loaded.longest_hold())

    port = loaded.server.port
    await loaded.longest_hold()
    async with Client(loaded.server.url, timeout=60) as client:
        players = [Player(client, table, seat, TOKENS[seat]) for seat in Seat]
        for player in (*players, client.watch(table)):
            for hello in (0, None):
                async for said in talk(port, player, hello):
                    await note(said)
    async with httpx.AsyncClient(base_url=loaded.server.url, timeout=60) as http:
        for asked in ask_in_turn(table).values():
            for ask in asked:
                status = await request(http, ask)
                await note(f"{status} {ask.method} {ask.path[:60]} {str(ask.body)[:30]}")
    return found


async def warm_up(loaded: Loaded) -> None:
    """Do everything once: what is compiled at first use is left out."""
    for table in ("00" + SHORT[2:], "59" + SHORT[2:]):
        await worst(loaded, table)

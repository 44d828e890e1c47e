"""A contest that many break at once, while the server is killed again and again.

Whoever gets no answer sends the same guess again; now and then one is sent twice anyway. In the end
the stored rows are compared with what was acknowledged, and with what was asked at all.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from harness.checker import Count, Violation, check_log_of_server
from harness.faults.rounds import LIMIT, Tally, died_at_failpoint
from harness.servers.restartable import failpoint, restartable_server
from harness.servers.settings import KEY
from keypeg import messages as wire
from keypeg.client import Client, Refused, Unreachable
from keypeg.contests.soundness import check_contests
from keypeg.draw import draw_code, new_id
from keypeg.rules.board import Board
from keypeg.rules.errors import counted
from keypeg.store.contests import ContestKey, ContestStore
from keypeg.store.sql import SqlLog
from keypeg.table.tokens import new_token

if TYPE_CHECKING:
    import random
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    import msgspec

    from harness.faults.rounds import Size
    from harness.servers.restartable import RestartableServer
    from keypeg.store.attempts import PlayedRow

BOARD: Final = Board(4, 6, rows=99)
CODES: Final = 20
TWICE: Final = 0.1
"""How often a guess is sent again after its answer."""
COMPUTER: Final = "perfect"
"""Its guesses are from the book, so that no solver has to be started anew each time."""
_T = TypeVar("_T")


class Told(NamedTuple):
    """A guess that was acknowledged."""

    key: ContestKey
    row: int
    sent: wire.AttemptRow


class Diary:
    """What the breakers have asked, and what they were told."""

    def __init__(self) -> None:
        self.asked: dict[str, ContestKey] = {}
        self.told: dict[str, Told] = {}
        self.over = False


class Breaker:
    """Somebody who guesses as fast as they can, until the contest is over or no row is left."""

    def __init__(self, client: Client, contest: str, rng: random.Random, diary: Diary) -> None:
        self._client, self._rng, self._diary = client, rng, diary
        self._path, self._id, self._token = f"/api/contests/{contest}", contest, new_token()
        self.entrant = 0

    async def enter(self) -> None:
        entering = wire.EnterContest(name=None)
        seen = await self._ask("/entrants", entering, wire.ContestOut)
        again = await self._ask("/entrants", entering, wire.ContestOut)
        assert seen.entrant is not None
        if seen.entrant != again.entrant:
            raise Violation("somebody who entered twice has two numbers")
        self.entrant = seen.entrant.number

    async def play(self) -> None:
        for number in range(1, CODES + 1):
            done = False
            while not done and not self._diary.over:
                done = await self._guess(number)

    async def _guess(self, number: int) -> bool:
        """Guess at a code; whether it is done then."""
        guess = wire.AttemptGuess(id=new_id(), code=draw_code(BOARD, self._rng))
        key = ContestKey(self._id, number, self.entrant)
        self._diary.asked[guess.id] = key
        for _ in range(1 + (self._rng.random() < TWICE)):
            answer = await self._ask(f"/codes/{number}/guesses", guess, wire.ContestAnswer)
            code = answer.contest.codes[number - 1]
            told = Told(key, answer.row, code.rows[answer.row - 1])
            if self._diary.told.setdefault(guess.id, told) != told:
                raise Violation(f"guess {guess.id} was answered in two ways")
        return code.done

    async def _ask(self, path: str, body: msgspec.Struct, kind: type[_T]) -> _T:
        address = self._path + path
        return await persistently(lambda: self._client.post(address, body, kind, self._token))


async def persistently(ask: Callable[[], Awaitable[_T]]) -> _T:
    """The answer to a request that may be repeated, however often the server is killed."""
    async with asyncio.timeout(LIMIT):
        while True:
            try:
                return await ask()
            except Unreachable:
                await asyncio.sleep(0.01)
            except Refused as refused:
                if refused.code != "unavailable":
                    raise
                await asyncio.sleep(0.01)


async def kills_in_a_contest(folder: Path, rng: random.Random, size: Size) -> Tally:
    """Kills with -9 while many break the codes of one contest, the computer among them."""
    database, diary, named = f"sqlite:///{folder}/keypeg.db", Diary(), 0
    with restartable_server(database, folder) as servers:
        async with Client(servers.url) as client:
            made = await client.create_contest(
                new_token(), board=str(BOARD), count=CODES, computers=(COMPUTER,)
            )
            breakers = [Breaker(client, made.id, rng, diary) for _ in range(size.tables)]
            async with asyncio.TaskGroup() as group:
                for one in breakers:
                    await one.enter()
                    group.create_task(one.play())
                for left in range(size.faults, 0, -1):
                    rows = rng.randint(1, max(1, 2 * (size.moves - len(diary.told)) // left))
                    await _until_told(servers, diary, len(diary.told) + rows)
                    named += died_at_failpoint(servers)
                    await servers.end()
                    servers.start(**failpoint(rng))
                await _until_told(servers, diary, size.moves)
                if not servers.alive:
                    servers.start()
                diary.over = True
            await _computer_is_done(client, made.id)
        await servers.end()
    check_log_of_server(servers.log)
    return Tally(size.faults, 0, len(diary.told), *await checked(database, diary), named=named)


async def _until_told(servers: RestartableServer, diary: Diary, rows: int) -> None:
    """Wait for this many acknowledged rows, until the server dies, or no codes are left."""
    ends = asyncio.get_running_loop().time() + LIMIT
    while len(diary.told) < rows and servers.alive and asyncio.get_running_loop().time() < ends:
        await asyncio.sleep(0.005)


async def _computer_is_done(client: Client, contest: str) -> None:
    """The computer goes on after each restart, until it has broken all codes.

    A spectator, who sees the codes and the standing, waits for it.
    """
    spectator = client.contest(contest, new_token())
    await persistently(spectator.watch)
    async with asyncio.timeout(LIMIT):
        while True:
            lines = (await persistently(spectator.standing)).lines
            found = [line.codes for line in lines if line.level == COMPUTER]
            if found and None not in found[0]:
                break
            await asyncio.sleep(0.05)
    if 0 in found[0]:
        raise Violation("the computer has not broken every code, and plays from the book")


async def checked(database: str, diary: Diary) -> tuple[int, int]:
    """How many acknowledged rows are lost, and how many doubled; raises if any is."""
    log = await SqlLog.open(database, bytes.fromhex(KEY))
    try:
        await check_contests(log)
        store = ContestStore(log)
        stored = {key: await store.read(key) for key in await store.keys()}
    finally:
        await log.close()
    rows = {key: attempt.rows for key, attempt in stored.items() if attempt is not None}
    played = [(row.id, key) for key in rows if key.entrant > 1 for row in rows[key]]
    lost = sum(not _is_stored(told, id_, rows) for id_, told in diary.told.items())
    doubled = len(played) - len({id_ for id_, _ in played})
    strange = sum(diary.asked.get(id_) != key for id_, key in played)
    if lost or doubled or strange:
        found = Violation(
            f"{counted(lost, 'acknowledged row')} lost, {doubled} doubled, "
            f"{strange} that nobody has played"
        )
        found.count = Count(len(diary.told), lost, doubled)
        raise found
    return lost, doubled


def _is_stored(told: Told, id_: str, rows: dict[ContestKey, tuple[PlayedRow, ...]]) -> bool:
    played = rows.get(told.key, ())
    if told.row > len(played):
        return False
    row, sent = played[told.row - 1], told.sent
    return (row.id, row.code, *row.keys) == (id_, sent.code, sent.black, sent.white)

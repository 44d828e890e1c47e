"""Guests at matches: they play at random through restarts, and note what they were told.

What they noted is compared with the log: every acknowledged command is in it once, and every view
that somebody was sent is one that follows from it.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from harness.checker import Count, Violation
from harness.matches import ENDED, next_code, own, wanted
from harness.servers.settings import KEY
from keypeg import messages as wire
from keypeg.client import Client, Match, Refused, Unreachable
from keypeg.draw import draw_code, new_id
from keypeg.matches.seen import Seen
from keypeg.matches.soundness import check_match
from keypeg.matches.state import State, begin, fold
from keypeg.messages.matches import match_out
from keypeg.rules.board import Board
from keypeg.rules.errors import KeypegError
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.match.options import MatchOption
from keypeg.rules.match.view import view as seen_by
from keypeg.store.matches import MatchStore
from keypeg.store.sql import SqlLog
from keypeg.table.tokens import new_token

if TYPE_CHECKING:
    import random
    from collections.abc import AsyncIterator, Sequence

    from keypeg.rules.code import Code
    from keypeg.store.matches import MatchEntry

SETTINGS: Final = (
    {"kind": "race", "places": 3},
    {"kind": "race", "places": 3, "pace": "together", "keys_shown": False},
    {"kind": "race", "places": 2, "keys_shown": False, "goal": "time"},
    {"kind": "duel"},
    {"kind": "duel", "key_pegs": "by-hand"},
)
PATIENCE: Final = 60.0


class Told(NamedTuple):
    """An acknowledged command: by whom, under which id, and the seq that was answered."""

    match: str
    player: int
    id: str
    seq: int


class MatchHistory:
    """What guests noted."""

    def __init__(self) -> None:
        self.told: list[Told] = []
        self.views: list[wire.MatchOut] = []
        self.matches: set[str] = set()

    @property
    def acknowledged(self) -> int:
        """How many commands were acknowledged."""
        return len(self.told)


class Guest:
    """One player of one match, who reaches it through any of several servers."""

    def __init__(self, there: Sequence[Match], history: MatchHistory, rng: random.Random) -> None:
        self._there, self._history, self._rng = there, history, rng
        self._secret: Code = ()

    async def play(self) -> None:
        """Play until the match is over."""
        while True:
            view = await self._look()
            if view.stage in ENDED:
                return
            command = self._command(view)
            if command is None:
                await asyncio.sleep(0.01)
                continue
            answer = await self._said(command)
            if answer is not None:
                self._note(view, command, answer)
                if self._rng.random() < 0.2:
                    again = await self._said(command)
                    if again is not None and again.seq != answer.seq:
                        raise Violation(f"{command.id} was answered {answer.seq}, then {again.seq}")

    async def _look(self) -> wire.MatchOut:
        while True:
            try:
                view = await self._rng.choice(self._there).look()
            except (Unreachable, Refused):
                await asyncio.sleep(0.02)
            else:
                self._history.views.append(view)
                return view

    async def _said(self, command: wire.MatchCommand) -> wire.MatchAnswer | None:
        """The answer to a command, sent until there is one; None if it was refused."""
        while True:
            match = self._rng.choice(self._there)
            path = f"/api/matches/{match.id}/commands"
            try:
                return await match.client.post(path, command, wire.MatchAnswer, match._token)
            except Unreachable:
                await asyncio.sleep(0.02)
            except Refused as refusal:
                if refusal.code not in ("unavailable", "failed", "busy"):
                    return None
                await asyncio.sleep(0.02)

    def _note(
        self, view: wire.MatchOut, command: wire.MatchCommand, answer: wire.MatchAnswer
    ) -> None:
        if view.you is None:
            raise Violation("a player was taken for a spectator")
        self._history.told.append(Told(view.id, view.you, command.id, answer.seq))
        self._history.views.append(answer.match)

    def _command(self, view: wire.MatchOut) -> wire.MatchCommand | None:
        id_, option = new_id(), wanted(view)
        if self._rng.random() < 0.05:
            return wire.MatchGuess(id=id_, row=self._rng.randint(1, 3), code=(1, 1))
        if MatchOption.CHALLENGE in view.options and self._rng.random() < 0.1:
            return wire.MatchChallenge(id=id_)
        match option:
            case MatchOption.SECRET:
                self._secret = draw_code(Board.parse(view.board.name))
                return wire.MatchSecret(id=id_, code=self._secret)
            case MatchOption.GUESS:
                row = len(own(view).rows or ()) + 1
                code = draw_code(Board.parse(view.board.name)) if row < 4 else next_code(view)
                return wire.MatchGuess(id=id_, row=row, code=code)
            case MatchOption.ANSWER:
                return self._answer(view, id_)
            case MatchOption.CLOSE:
                return wire.CloseMatch(id=id_)
            case _:
                return None

    def _answer(self, view: wire.MatchOut, id_: str) -> wire.MatchCommand:
        waiting = next(player.to_answer for player in view.players if player.to_answer)
        keys = score(view.secret or self._secret, waiting.code)
        if self._rng.random() < 0.05:
            keys = KeyPegs(0, 0)
        return wire.MatchAnswerByHand(id=id_, row=waiting.row, **keys._asdict())


@asynccontextmanager
async def match_guests(
    ports: Sequence[int], tables: int, history: MatchHistory, rng: random.Random
) -> AsyncIterator[None]:
    """Matches that are played, one after another, at `tables` places while the block lasts."""
    clients = [Client(f"http://127.0.0.1:{port}") for port in ports]
    playing = [
        asyncio.create_task(_play_on(clients, number, history, rng)) for number in range(tables)
    ]
    try:
        yield
    finally:
        for task in playing:
            task.cancel()
        ended = await asyncio.gather(*playing, return_exceptions=True)
        for client in clients:
            await client.__aexit__()
    for error in ended:
        if isinstance(error, Exception):
            raise error


async def _play_on(
    clients: Sequence[Client], number: int, history: MatchHistory, rng: random.Random
) -> None:
    while True:
        settings = {**SETTINGS[number % len(SETTINGS)], "board": "2x4/6", "row_seconds": 30}
        tokens = [new_token() for _ in range(int(settings.get("places", 2)))]  # type: ignore[call-overload]
        id_ = await _opened(rng.choice(clients), tokens, {"id": new_id(), **settings}, rng, clients)
        history.matches.add(id_)
        there = [[client.match(id_, token) for client in clients] for token in tokens]
        await asyncio.gather(*(Guest(one, history, rng).play() for one in there))


async def _opened(
    client: Client,
    tokens: Sequence[str],
    settings: dict[str, object],
    rng: random.Random,
    clients: Sequence[Client],
) -> str:
    """The id of a match that all have joined, however often it takes."""
    while True:
        try:
            made = await client.open_match(tokens[0], **settings)
            for token in tokens[1:]:
                await rng.choice(clients).match(made.id, token).join()
        except (Unreachable, Refused):
            client = rng.choice(clients)
            await asyncio.sleep(0.02)
        else:
            return made.id


async def check_matches_played(database: str, history: MatchHistory) -> Count:
    """Raise a Violation unless what was noted agrees with the log; gives the counts."""
    log = await SqlLog.open(database, bytes.fromhex(KEY))
    try:
        store = MatchStore(log)
        cards = await store.cards()
        logs = {id_: await store.read(id_) for id_ in cards}
        for id_, entries in logs.items():
            try:
                check_match(id_, entries, *cards[id_])
            except KeypegError as error:
                raise Violation(str(error)) from error
    finally:
        await log.close()
    found = _counted(history, logs)
    states = {id_: _states(id_, entries) for id_, entries in logs.items()}
    if found.lost or found.doubled:
        violation = Violation(f"of {found.acknowledged} commands {found.lost} are lost")
        violation.count = found
        raise violation
    _check_answers(history, logs, states)
    _check_views(history, states)
    return found


def _states(id_: str, entries: Sequence[MatchEntry]) -> list[State]:
    states = [begin(id_, entries[0])]
    for entry in entries[1:]:
        states.append(fold(states[-1], entry))
    return states


def _counted(history: MatchHistory, logs: dict[str, list[MatchEntry]]) -> Count:
    times: dict[tuple[str, int, str], int] = {}
    for id_, entries in logs.items():
        for entry in entries:
            key = (id_, entry.player, entry.command_id)
            times[key] = times.get(key, 0) + 1
    found = [times.get((one.match, one.player, one.id), 0) for one in history.told]
    return Count(len(found), found.count(0), sum(count > 1 for count in found))


def _check_answers(
    history: MatchHistory, logs: dict[str, list[MatchEntry]], states: dict[str, list[State]]
) -> None:
    """Each acknowledgement names how much its player had seen change then."""
    right = {
        (id_, entry.player, entry.command_id): state.seq_for(entry.player)
        for id_, entries in logs.items()
        for entry, state in zip(entries, states[id_], strict=True)
    }
    for one in history.told:
        if right[one.match, one.player, one.id] != one.seq:
            raise Violation(f"match {one.match}: {one.id} was answered {one.seq}")


def _check_views(history: MatchHistory, states: dict[str, list[State]]) -> None:
    """Each view is what its reader might see at some moment of the log."""
    possible: dict[tuple[str, int | None], set[wire.MatchOut]] = {}
    for view in history.views:
        key = (view.id, view.you)
        if key not in possible:
            possible[key] = {_plain(_shown(state, view.you)) for state in states[view.id]}
        if _plain(view) not in possible[key]:
            raise Violation(f"match {view.id}: a view of player {view.you} that never was: {view}")


def _shown(state: State, reader: int | None) -> wire.MatchOut:
    shown, seq = seen_by(state.match, reader), state.seq_for(reader)
    return match_out(Seen(shown, seq, 0, state.created, state.people, frozenset()))


def _plain(view: wire.MatchOut) -> wire.MatchOut:
    """A view without the time and without who is here."""
    players = tuple(replace(player, here=False) for player in view.players)
    return replace(view, now=0, players=players)

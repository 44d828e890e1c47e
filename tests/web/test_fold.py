"""What the browser makes of a table's entries, held against the server's own table.

Random evenings with everything that can happen at a table, told to both seats and a spectator as
the server tells it: folded in node, step by step and after a lost line.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.tables import ConsistentPlayer, Playing, accepted, sit_down, suitable
from keypeg.draw import draw_code
from keypeg.messages import TableOut, Update, Welcome
from keypeg.rules.board import Board
from keypeg.rules.errors import KeypegError
from keypeg.rules.game import Ending, Phase
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.notation import format_record
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode, Scoring, Terms
from keypeg.server.encoding import entry_out, options_out, state_out, status_out
from keypeg.store.events import Computer, Person, Settings
from keypeg.store.log import Entry
from keypeg.store.memory import MemoryLog
from keypeg.table.clock import ABSENCE
from keypeg.table.commands import (
    Answer,
    Challenge,
    ClaimAbsent,
    Guess,
    NextGame,
    OfferTime,
    Rematch,
    Resign,
    SetSecret,
    UseHint,
)
from keypeg.table.options import TableOption
from keypeg.table.state import State, begin, fold
from keypeg.table.view import Seen
from tests.web.test_modules import in_node

SCRIPT = Path(__file__).parent / "fold.js"
TABLES = 50
DEEDS = 70
BOARDS = ("1x2/2", "2x3/3", "2x2b/3", "3x4n/4", "2x3bn/2", "2x7/3")


@pytest.mark.timeout(300)
def test_the_browser_sees_every_table_as_the_server_does(tmp_path: Path) -> None:
    # In a thread: the browser tests keep a loop running in this one.
    with ThreadPoolExecutor(1) as pool:
        evenings = pool.submit(asyncio.run, _evenings()).result()
    file = tmp_path / "evenings.jsonl"
    file.write_bytes(b"\n".join(msgspec.json.encode(evening) for evening in evenings))
    counted = json.loads(in_node(str(SCRIPT), str(file)))
    assert counted["steps"] > 20 * TABLES
    assert min(counted.values()) > TABLES
    _check_everything_happened(evenings)


def _check_everything_happened(evenings: list[dict[str, Any]]) -> None:
    happened: Counter[str] = Counter()
    for evening in evenings:
        spectator = evening["views"][0]
        for batch in spectator["batches"]:
            happened["together"] += len(batch["updates"]) > 1
            for event in (event for one in batch["updates"] for event in one.entry.events):
                kind = msgspec.to_builtins(event)
                happened[kind["type"]] += 1
                happened[f"{kind['type']} {kind.get('upheld', kind.get('expired', ''))}"] += 1
        for game in (game for one in evening["records"] for game in one["games"]):
            happened[str(game.ending)] += 1
            happened["none set"] += game.ending is not None and game.seal is None
    for kind in (
        *map(str, Ending),
        *("together", "none set", "rematched", "row-expired", "hint-used", "time-offered"),
        *("limit-proposed", "limit-accepted", "limit-declined", "limit-withdrawn"),
        *("challenged True", "challenged False", "answered True", "secret-set True"),
    ):
        assert happened[kind] >= 3, (kind, happened)


async def _evenings() -> list[dict[str, Any]]:
    log = MemoryLog()
    evenings = [await _evening(log, random.Random(number), number) for number in range(TABLES)]
    await log.close()
    return evenings


async def _evening(log: MemoryLog, rng: random.Random, number: int) -> dict[str, Any]:
    settings = _settings(rng, number)
    playing = await sit_down(log, settings, player=ConsistentPlayer(rng))
    for _ in range(DEEDS):
        with suppress(KeypegError):  # what is not allowed just now
            await _deed(playing, rng)
        await _settled(playing)
    told = {
        "views": [_told(playing, seat, entries, rng) for seat, entries in await _seen(playing)],
        "records": [one for seat in (None, *Seat) for one in _records(playing, seat)],
    }
    await playing.table.close()
    return told


def _settings(rng: random.Random, number: int) -> Settings:
    terms = Terms(
        Board.parse(BOARDS[number % len(BOARDS)]),
        games=rng.choice((2, 4)),
        key_pegs=rng.choice((*KeyPegMode, KeyPegMode.BY_HAND)),
        scoring=rng.choice(tuple(Scoring)),
        turn_seconds=rng.choice((None, 60)),
    )
    two = Computer("club") if number % 7 == 0 else Person()
    first, hints = rng.choice(tuple(Seat)), rng.choice((None, True, False))
    return Settings(terms, two=two, first_maker=first, public=rng.random() < 0.5, hints=hints)


async def _deed(playing: Playing, rng: random.Random) -> None:
    """Mostly what the game waits for; sometimes anything else."""
    state = playing.table.state
    seat = rng.choice(tuple(Seat))
    if state.settings.level(seat) is not None:
        seat = seat.other
    chance = rng.random()
    if chance < 0.04:
        await playing.ask(seat, Resign())
    elif chance < 0.07:
        playing.clock.turn(ABSENCE + 1)
        await playing.ask(seat, ClaimAbsent())
    elif chance < 0.15:
        option = rng.choice([each for each in TableOption if each.value.endswith("limit")])
        await playing.ask(seat, suitable(state, option, rng))
    elif chance < 0.3:
        await playing.ask(seat, rng.choice((Challenge(), UseHint(), OfferTime(5))))
    elif chance < 0.36:
        # The deed comes after the end of the turn, which is written first.
        playing.clock.turn(61)
        await playing.ask(seat, rng.choice((Resign(), Challenge(), NextGame())))
    elif chance < 0.4:
        playing.clock.turn(62)
        playing.clock.ring()
    else:
        await _go_on(playing, seat, rng)


async def _go_on(playing: Playing, seat: Seat, rng: random.Random) -> None:
    series = playing.table.state.series
    game, maker = series.game, series.maker
    if game is None or series.over:
        await playing.ask(seat, Rematch())
    elif game.phase is Phase.SECRET:
        await playing.ask(maker, SetSecret(draw_code(game.board, rng)))
    elif game.phase is Phase.GUESS:
        await playing.ask(maker.other, Guess(draw_code(game.board, rng)))
    elif game.phase is Phase.ANSWER:
        await playing.ask(maker, Answer(_answer(playing, rng)))
    elif series.challengeable and rng.random() < 0.5:
        await playing.ask(maker.other, Challenge())
    else:
        await playing.ask(seat, NextGame())


def _answer(playing: Playing, rng: random.Random) -> KeyPegs:
    """The right one; by hand now and then a wrong one, which is refused where it is checked."""
    game = playing.table.state.series.game
    assert game is not None
    guess, opening = game.rows[-1].guess, game.opening
    assert guess is not None
    assert opening is not None
    right = score(opening.code, guess)
    return KeyPegs(0, 0) if rng.random() < 0.3 else right


async def _settled(playing: Playing) -> None:
    """Until the clock and the computer have done what is theirs to do."""
    while playing.table._tasks:
        await asyncio.gather(*playing.table._tasks, return_exceptions=True)
        await asyncio.sleep(0)


async def _seen(playing: Playing) -> list[tuple[Seat | None, list[tuple[Seen, State, State]]]]:
    """For each seat the entries as it saw them, with the state then: its own and the table's."""
    log = await playing.log.read(playing.table.id)
    whole = _states(playing.table.id, list(log))
    seen = []
    for seat in (None, *Seat):
        entries = playing.table.view(seat)
        own = _states(playing.table.id, [Entry(*_parts(one)) for one in entries])
        assert own[-1] == playing.table.shown(seat)
        seen.append((seat, list(zip(entries, own, whole, strict=True))))
    return seen


def _parts(seen: Seen) -> tuple[Any, ...]:
    return seen.seq, seen.at, seen.seat, "", seen.events


def _states(table_id: str, entries: list[Entry]) -> list[State]:
    states = [begin(table_id, entries[0])]
    for entry in entries[1:]:
        states.append(fold(states[-1], entry))
    return states


def _told(
    playing: Playing,
    seat: Seat | None,
    entries: list[tuple[Seen, State, State]],
    rng: random.Random,
) -> dict[str, Any]:
    """What the server tells `seat`: a welcome, then entries, some of them several at once."""
    _, own, whole = entries[0]
    standing = status_out(whole, whole.due), options_out(whole, seat)
    welcome = Welcome(seat, 1, 0, *standing, state_out(own, seat, 0, own.due))
    ends = [1]
    while ends[-1] < len(entries):
        ends.append(min(len(entries), ends[-1] + rng.choice((1, 1, 1, 2, 3))))
    batches = [_batch(seat, entries[start:end]) for start, end in pairwise(ends)]
    return {"welcome": welcome, "batches": batches}


def _batch(seat: Seat | None, entries: list[tuple[Seen, State, State]]) -> dict[str, Any]:
    """Entries that are told together, as `Room` does it; and what the server knows after them."""
    _, own, whole = entries[-1]
    return {
        "updates": [_update(seen, state, seat) for seen, _, state in entries],
        "table": state_out(own, seat, 0, own.due),
        "done": sorted(option.value for option in accepted(whole, seat, random.Random(1))),
    }


def _update(seen: Seen, state: State, seat: Seat | None) -> Update:
    return Update(0, entry_out(seen), status_out(state, state.due), options_out(state, seat))


def _records(playing: Playing, seat: Seat | None) -> list[dict[str, Any]]:
    """Every series as text, with its games as the server knows them."""
    table = playing.table
    records = []
    for number in range(1, len(table.state.finished) + 2):
        record = table.record(seat, number)
        state = State(table.id, table.state.settings, record.replay())
        games = _begun(state_out(state, seat, 0, state.due))
        records.append({"text": format_record(record), "games": games})
    return records


def _begun(table: TableOut) -> list[Any]:
    """The games of which a record has a line."""
    return [game for game in table.games if game.seal is not None or game.ending is not None]

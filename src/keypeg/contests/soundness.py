"""Whether the stored contests are sound: their seals open, and every row was answered rightly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.attempts.soundness import is_sound
from keypeg.contests.game import board_of, game_id
from keypeg.rules.commitment import opens
from keypeg.rules.errors import KeypegError
from keypeg.store.contests import ContestStore
from keypeg.store.errors import Unreadable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from keypeg.store.contests import ContestKey
    from keypeg.store.sql import SqlLog


async def check_contests(log: SqlLog) -> int:
    """Check all contests of a database; gives their number. Raises an error at the first."""
    store = ContestStore(log)
    attempts: dict[str, list[ContestKey]] = {id_: [] for id_ in await store.ids()}
    for key in await store.keys():
        attempts.setdefault(key.contest, []).append(key)
    for id_, keys in attempts.items():
        if not await _is_sound(store, id_, keys):
            raise Unreadable(f"contest {id_} is damaged")
    return len(attempts)


async def _is_sound(store: ContestStore, id_: str, keys: Sequence[ContestKey]) -> bool:
    contest = await store.find(id_)
    if contest is None:
        return False
    try:
        board = board_of(contest)
    except KeypegError:
        return False
    numbers = range(1, len(contest.seals) + 1)
    openings = await store.openings(id_, numbers)
    sealed = zip(numbers, contest.seals, strict=True)
    if not all(opens(seal, board, game_id(id_, n), openings[n]) for n, seal in sealed):
        return False
    for key in keys:
        attempt = await store.read(key)
        if attempt is None or not is_sound(attempt, board, openings[key.number].code):
            return False
    return True

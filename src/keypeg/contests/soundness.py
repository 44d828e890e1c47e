"""Whether the stored contests are sound: their seals open, every row was answered rightly, and
nothing is in them that a contest would have refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from keypeg.attempts.soundness import is_sound, is_time
from keypeg.contests.game import MOST_CODES, MOST_ENTRANTS, board_of, game_id
from keypeg.rules.commitment import opens
from keypeg.rules.errors import KeypegError
from keypeg.store.contests import ContestStore
from keypeg.store.errors import Unreadable
from keypeg.table.names import read_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from keypeg.rules.board import Board
    from keypeg.rules.commitment import Opening
    from keypeg.store.contests import Contest, ContestKey, Entrant
    from keypeg.store.sql import SqlLog

MOST_LOST: Final = 2_000
"""Thousandths of a guess for each row: more than can be lost with one."""


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
    openings = await store.openings(id_, range(1, MOST_CODES + 1))
    if not _is_possible(contest, board) or not _are_sealed(contest, board, openings):
        return False
    entered = await store.entered(id_)
    if not _may_all_enter(contest, entered):
        return False
    for key in keys:
        attempt, opening = await store.read(key), openings.get(key.number)
        if attempt is None or opening is None or not 1 <= key.entrant <= len(entered):
            return False
        late = contest.closes is not None and attempt.changed >= contest.closes
        if late or not is_sound(attempt, board, opening.code):
            return False
    return await store.all_losses_are_possible(id_, MOST_LOST * board.rows)


def _is_possible(contest: Contest, board: Board) -> bool:
    """Whether such a contest could have been made."""
    spelt = contest.board == str(board)
    until = is_time(contest.created) and (contest.closes is None or is_time(contest.closes))
    return spelt and until and _is_name(contest.name)


def _are_sealed(contest: Contest, board: Board, openings: dict[int, Opening]) -> bool:
    """Whether these are the codes of the contest, numbered from 1, and its seals are theirs."""
    numbers = range(1, len(contest.seals) + 1)
    if [*sorted(openings)] != [*numbers]:
        return False
    sealed = zip(numbers, contest.seals, strict=True)
    return all(opens(seal, board, game_id(contest.id, n), openings[n]) for n, seal in sealed)


def _may_all_enter(contest: Contest, entered: Sequence[tuple[str, Entrant]]) -> bool:
    numbers = [entrant.number for _, entrant in entered]
    setter = not contest.drawn and contest.setter in {holder for holder, _ in entered}
    named = all(_is_name(entrant.name) for _, entrant in entered)
    in_order = numbers == [*range(1, len(entered) + 1)] and len(entered) <= MOST_ENTRANTS
    return in_order and named and not setter


def _is_name(name: str | None) -> bool:
    try:
        return name is None or read_name(name) == name
    except KeypegError:
        return False

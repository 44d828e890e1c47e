"""The largest contest there may be, made without playing it: every code, entrant and row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import insert

from keypeg.contests.game import MOST_CODES, MOST_ENTRANTS, game_id
from keypeg.draw import conceal
from keypeg.rules.board import Board
from keypeg.rules.commitment import seal
from keypeg.rules.keypegs import score
from keypeg.store.attempts import NOT_BROKEN
from keypeg.store.contests import Contest, ContestStore
from keypeg.store.schema import contest_attempts, contest_entrants, contest_rows
from keypeg.table.tokens import hashed

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from keypeg.store.sql import SqlLog

FULL: Final = "full" + "-" * 18
"""Its id."""
TOKEN: Final = "f" * 43
"""Of the first entrant, who has filled all rows of all codes but the last one of the last code."""
BEGUN: Final = 1_700_000_000_000
"""When everybody began, in milliseconds of UTC."""
BOARD: Final = Board.parse("16x20/99")
SECRET: Final = tuple(range(1, 17))
GUESS: Final = SECRET[::-1]


async def write_full_contest(log: SqlLog) -> None:
    """Write it: nobody broke any code; all but the first entrant are said to need all rows."""
    openings = [conceal(SECRET) for _ in range(MOST_CODES)]
    seals = tuple(
        seal(BOARD, game_id(FULL, number), opening) for number, opening in enumerate(openings, 1)
    )
    setter = hashed("s" * 43)
    made = {"setter": setter, "name": "n" * 32, "drawn": False, "created": BEGUN, "closes": None}
    contest = Contest(id=FULL, board=str(BOARD), seals=seals, **made)  # type: ignore[arg-type]
    assert await ContestStore(log).create(contest, openings)
    await log.transact(_fill)


def _fill(connection: Connection) -> None:
    entrants = range(1, MOST_ENTRANTS + 1)
    keys = [
        {"contest": FULL, "number": number, "entrant": entrant}
        for number in range(1, MOST_CODES + 1)
        for entrant in entrants
    ]
    connection.execute(insert(contest_entrants), [_entrant(number) for number in entrants])
    connection.execute(insert(contest_attempts), [_attempt(key) for key in keys])
    connection.execute(insert(contest_rows), [row for key in keys for row in _rows(key)])


def _entrant(number: int) -> dict[str, Any]:
    token = TOKEN if number == 1 else f"{number:043}"
    return {"contest": FULL, "entrant": number, "holder": hashed(token), "name": f"{number:032}"}


def _goes_on(key: dict[str, Any]) -> bool:
    return bool(key["entrant"] == 1 and key["number"] == MOST_CODES)


def _attempt(key: dict[str, Any]) -> dict[str, Any]:
    needed = None if _goes_on(key) else NOT_BROKEN
    changed = BEGUN + 1000 * key["entrant"]
    return {**key, "begun": BEGUN, "changed": changed, "needed": needed, "loss": None}


def _rows(key: dict[str, Any]) -> list[dict[str, Any]]:
    count = 1 if key["entrant"] > 1 else BOARD.rows - _goes_on(key)
    keys = score(GUESS, SECRET)
    answer = {"code": bytes(GUESS), "black": keys.black, "white": keys.white}
    return [{**key, "row": row, "guess_id": f"g{row}", **answer} for row in range(1, count + 1)]

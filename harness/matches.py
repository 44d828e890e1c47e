"""Playing races and duels with the client, for tests and benches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.client import Refused
from keypeg.draw import draw_guess
from keypeg.rules.board import Board
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.match.options import MatchOption
from keypeg.rules.match.state import MatchStage

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.client import Match
    from keypeg.messages import MatchOut, MatchPlayer
    from keypeg.rules.code import Code

ENDED = (MatchStage.OVER, MatchStage.CANCELLED)


def own(view: MatchOut) -> MatchPlayer:
    """The reader, as a player."""
    return next(player for player in view.players if player.you)


def next_code(view: MatchOut) -> Code:
    """A code that fits all own rows."""
    rows = [
        (row.code, KeyPegs(row.black, row.white or 0))
        for row in own(view).rows or ()
        if row.code is not None and row.black is not None
    ]
    return draw_guess(Board.parse(view.board.name), rows)


async def play(
    match: Match,
    secret: Code = (1, 2, 3, 4),
    answer: Callable[[Code, Code], KeyPegs] = score,
    guess: Callable[[MatchOut], Code] = next_code,
) -> MatchOut:
    """Do what may be done, until the match is over. Gives it as it is then."""
    async with match.connect() as live:
        while True:
            view = await live.wait_for(lambda view: view.stage in ENDED or wanted(view))
            if view.stage in ENDED:
                return view
            try:
                seq = (await _move(match, view, secret, answer, guess)).seq
            except Refused:
                # A duel may be over by what the other player has just done.
                seq = view.seq + 1
            await live.wait_for(lambda view, seq=seq: view.seq >= seq)  # type: ignore[misc]


async def _move(
    match: Match,
    view: MatchOut,
    secret: Code,
    answer: Callable[[Code, Code], KeyPegs],
    guess: Callable[[MatchOut], Code],
) -> MatchOut:
    match wanted(view):
        case MatchOption.START:
            return await match.start()
        case MatchOption.SECRET:
            return await match.set_secret(secret)
        case MatchOption.ANSWER:
            waiting = next(player.to_answer for player in view.players if player.to_answer)
            return await match.answer(waiting.row, answer(secret, waiting.code))
        case MatchOption.CLOSE:
            return await match.close()
        case _:
            return await match.guess(len(own(view).rows or ()) + 1, guess(view))


_MOVES = (
    MatchOption.START,
    MatchOption.SECRET,
    MatchOption.ANSWER,
    MatchOption.GUESS,
    MatchOption.CLOSE,
)


def wanted(view: MatchOut) -> MatchOption | None:
    """The option that continues the match, if there is one."""
    return next((option for option in _MOVES if option in view.options), None)

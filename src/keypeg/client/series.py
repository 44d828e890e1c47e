"""A whole series played by a program, in one seat."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Protocol

from keypeg.client.errors import Refused
from keypeg.draw import draw_code
from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.rules.errors import KeypegError
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.series import Seat
from keypeg.store.log import Stage
from keypeg.table.options import MOVES, TableOption

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg import messages as wire
    from keypeg.client.connection import Connection

Rows = tuple[tuple[Code, KeyPegs], ...]
"""What a breaker sees: the rows played, each with its answer."""


class Breaker(Protocol):
    """A player who breaks codes."""

    def __call__(self, board: Board, rows: Rows) -> Code:
        """The next guess."""


async def play_series(
    table: Connection, breaker: Breaker, maker: Callable[[Board], Code] = draw_code
) -> wire.ResultOut:
    """Play a series to its end in this seat: break with `breaker`, make codes with `maker`."""
    seat = table.seat
    if seat is None:
        raise KeypegError("a spectator cannot play")
    secret: Code = ()
    view = await table.look()
    alone = (view.two if seat is Seat.ONE else view.one).level is not None
    while True:
        await table.wait_for(lambda: table.ready and (_is_over(table) or bool(_move(table, alone))))
        if _is_over(table):
            break
        view = await table.look()
        game, board, option = view.games[-1], Board.parse(view.board.name), _move(view, alone)
        match option:
            case TableOption.SET_SECRET:
                secret = maker(board)
                await table.set_secret(secret)
            case TableOption.GUESS:
                await table.guess(breaker(board, _rows(game)))
            case TableOption.ANSWER:
                await table.answer(score(game.secret or secret, game.rows[-1].code or ()))
            case TableOption.NEXT_GAME:
                with contextlib.suppress(Refused):
                    await table.next_game()
        # What was done makes an entry; if the table went on meanwhile, we follow it.
        seq = view.status.seq + (option is not None)
        await table.wait_for(lambda seq=seq: table.seq >= seq)  # type: ignore[misc]
    if table.status.result is None:
        raise KeypegError("the series is over without a result")
    return table.status.result


def _is_over(table: Connection) -> bool:
    return table.status.stage is Stage.OVER


def _move(seen: Connection | wire.TableOut, alone: bool) -> TableOption | None:
    """The option that continues the series, if this seat has one.

    After a game the maker waits for the breaker to go on, unless that is the computer, which
    never does.
    """
    leaves = seen.status.maker is seen.seat and not alone
    moves = MOVES - {TableOption.NEXT_GAME} if leaves else MOVES
    return next((option for option in seen.options if option in moves), None)


def _rows(game: wire.GameOut) -> Rows:
    return tuple(
        (row.code, KeyPegs(row.black, row.white or 0))
        for row in game.rows
        if row.code is not None and row.black is not None
    )

"""A seat held by the computer: what it asks of the table when the table waits for it.

As breaker it is given what everybody sees, the board and the answered rows, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from keypeg.draw import draw_code
from keypeg.rules.code import check_code
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.referee import right_answer
from keypeg.rules.series import Seat
from keypeg.table.commands import Answer, Challenge, Command, Guess, NextGame, SetSecret
from keypeg.table.options import TableOption, can_show_an_error, options
from keypeg.table.player import SolverPlayer

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.game import Game
    from keypeg.table.state import State

Rows = tuple[tuple["Code", KeyPegs], ...]


class Player(Protocol):
    """Somebody who can break codes."""

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels it plays at, the weakest first."""
        ...

    @property
    def needs_company(self) -> bool:
        """Whether it moves only while somebody is at the table, or watches."""
        ...

    async def guess(self, board: Board, rows: Rows, level: str, account: str = "") -> Code | None:
        """The next guess; None when no code fits all the answers. `account` is whose turn it takes.

        Cancelled when the table does not wait for it any more. Raises what keeps it from
        guessing; the table then plays something itself.
        """
        ...


THE_PLAYER: Final[Player] = SolverPlayer()
"""Who plays for the computer, unless a table is told otherwise."""
_TURN: Final = (TableOption.SET_SECRET, TableOption.GUESS, TableOption.ANSWER)


@dataclass(frozen=True, slots=True)
class AwaitedMove:
    """What the computer in `seat` is to do; the same until something happens in the game."""

    seat: Seat
    game: Game


def awaited_move(state: State) -> AwaitedMove | None:
    """What the table waits for the computer to do, if it does."""
    game = state.series.game
    if game is None or not state.settings.with_computer:
        return None
    seats = (seat for seat in Seat if _choice(state, seat) is not None)
    return next((AwaitedMove(seat, game) for seat in seats), None)


def _choice(state: State, seat: Seat) -> TableOption | None:
    """Which of its options the computer takes, if it has `seat`.

    It challenges what it can show to be wrong, and leaves going on to a person who looks on.
    """
    if state.settings.level(seat) is None:
        return None
    is_open = options(state, seat)
    for option in _TURN:
        if option in is_open:
            return option
    if TableOption.CHALLENGE in is_open and can_show_an_error(state):
        return TableOption.CHALLENGE
    alone = state.settings.level(seat.other) is not None
    return TableOption.NEXT_GAME if alone and TableOption.NEXT_GAME in is_open else None


async def move(state: State, seat: Seat, player: Player, account: str) -> Command:
    """What the computer in `seat` asks of a table that waits for it."""
    game = state.series.game
    level = state.settings.level(seat)
    assert game is not None  # noqa: S101 - nobody waits at a table without a game
    assert level is not None  # noqa: S101 - nor does a person for this
    match _choice(state, seat):
        case TableOption.SET_SECRET:
            return SetSecret(draw_code(game.board))
        case TableOption.GUESS:
            return await _break(game, player, level, account)
        case TableOption.ANSWER:
            return Answer(right_answer(game))
        case TableOption.CHALLENGE:
            return Challenge()
        case _:
            return NextGame()


async def _break(game: Game, player: Player, level: str, account: str) -> Command:
    guess = await player.guess(game.board, game.answered, level, account)
    if guess is None:
        return Challenge()
    check_code(guess, game.board)
    return Guess(guess)

"""A seat held by the computer: what it asks of the table when the table waits for it.

As breaker it is given what everybody sees, the board and the answered rows, and nothing else.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final, Protocol

from keypeg.draw import draw_code
from keypeg.rules.audit import audit
from keypeg.rules.code import check_code
from keypeg.rules.game import Phase
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.referee import right_answer
from keypeg.rules.series import Seat
from keypeg.table.commands import Answer, Challenge, Command, Guess, NextGame, SetSecret

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.game import Game
    from keypeg.table.state import State

Rows = tuple[tuple["Code", KeyPegs], ...]


class Player(Protocol):
    """Somebody who can break codes: where the solver plugs in."""

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels it plays at, the weakest first."""
        ...

    async def guess(self, board: Board, rows: Rows, level: str) -> Code | None:
        """The next guess; None when no code fits all the answers."""
        ...


class ConsistentPlayer:
    """Plays some code that fits all answers, at any level. A stand-in until the solver is here."""

    levels: tuple[str, ...] = ("beginner", "club", "expert", "perfect")
    MOST_CODES: Final = 60_000

    def __init__(self, rng: random.Random | None = None) -> None:
        self._rng = rng or random.SystemRandom()

    async def guess(self, board: Board, rows: Rows, level: str) -> Code | None:  # noqa: ARG002
        """A code that fits; on boards too big to go through, any code."""
        if not rows or board.codes > self.MOST_CODES:
            return draw_code(board, self._rng)
        return await asyncio.to_thread(self._fitting, board, rows)

    def _fitting(self, board: Board, rows: Rows) -> Code | None:
        symbols = self._rng.sample(board.symbols, len(board.symbols))
        for code in product(symbols, repeat=board.holes):
            if not board.repeats and len(set(code)) < board.holes:
                continue
            if all(score(code, guess) == keys for guess, keys in rows):
                return code
        return None


THE_PLAYER: Final[Player] = ConsistentPlayer()
"""Who plays for the computer. The solver's player goes here."""


@dataclass(frozen=True, slots=True)
class Position:
    """What the computer in `seat` is to do; the same until something happens in the game."""

    seat: Seat
    game: Game


def position(state: State) -> Position | None:
    """What the table waits for the computer to do, if it does."""
    game = state.series.game
    if game is None or not state.ready or state.series.over:
        return None
    seats = (seat for seat in Seat if _has_something_to_do(state, seat))
    return next((Position(seat, game) for seat in seats), None)


def _has_something_to_do(state: State, seat: Seat) -> bool:
    if state.settings.level(seat) is None or state.series.game is None:
        return False
    if state.series.game.phase is not Phase.OVER:
        return state.series.turn is seat
    if seat is state.series.maker:
        return False
    return _can_show_an_error(state) or state.settings.level(seat.other) is not None


async def move(state: State, seat: Seat, player: Player) -> Command:
    """What the computer in `seat` asks of a table that waits for it."""
    game = state.series.game
    level = state.settings.level(seat)
    assert game is not None  # noqa: S101 - nobody waits at a table without a game
    assert level is not None  # noqa: S101 - nor does a person for this
    match game.phase:
        case Phase.SECRET:
            return SetSecret(draw_code(game.board))
        case Phase.GUESS:
            return await _break(game, player, level)
        case Phase.ANSWER:
            return Answer(right_answer(game))
        case Phase.OVER:
            return Challenge() if _can_show_an_error(state) else NextGame()


async def _break(game: Game, player: Player, level: str) -> Command:
    guess = await player.guess(game.board, game.answered, level)
    if guess is None:
        return Challenge()
    check_code(guess, game.board)
    return Guess(guess)


def _can_show_an_error(state: State) -> bool:
    """Whether a finished game, its secret revealed, has a wrong answer in it."""
    game = state.series.game
    return state.series.challengeable and game is not None and game.revealed and bool(audit(game))

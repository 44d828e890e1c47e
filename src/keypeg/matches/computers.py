"""The computer as a player of a match: what it does when a clock of its own runs.

As breaker it is given what it sees itself: the board, and its own rows with their answers.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Protocol

from keypeg.draw import draw_code, draw_guess
from keypeg.matches.commands import Accept, Answer, Challenge, Guess, SetSecret
from keypeg.rules.code import check_code
from keypeg.rules.errors import AgainstTheRules, KeypegError
from keypeg.rules.match.events import Task
from keypeg.rules.match.options import MatchOption, options
from keypeg.rules.referee import right_answer
from keypeg.table.computer_seat import RETRY_SECONDS

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from keypeg.matches.commands import Command
    from keypeg.matches.state import State
    from keypeg.rules.match.state import Match, Turn
    from keypeg.table.computer import Player

_log: Final = logging.getLogger(__name__)


class AskedMatch(Protocol):
    """A match, as far as the computer uses it."""

    account: str

    @property
    def state(self) -> State:
        """Where it is."""
        ...

    @property
    def attended(self) -> bool:
        """Whether anybody watches, or has lately asked something."""
        ...

    async def ask_now(self, turn: Turn, command: Command, seq: int) -> None:
        """Carry this out for the computer."""

    def spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Do this beside everything else, until the match is put away."""
        ...


class Computers:
    """Plays for the computer, whichever places it has in one match.

    At its own pace it takes its time for a row, so that people can race it.
    """

    def __init__(self, player: Player, row_seconds: float) -> None:
        self._player, self._row_seconds = player, row_seconds
        self._playing: dict[Turn, asyncio.Task[None]] = {}
        self._stopped = False

    def ponder(self, match: AskedMatch, pause: float = 0.0) -> None:
        """Think about each turn of the computer, once, and about nothing else."""
        idle = self._stopped or (self._player.needs_company and not match.attended)
        wanted = set() if idle else set(_turns(match.state))
        for turn in [turn for turn in self._playing if turn not in wanted]:
            self._playing.pop(turn).cancel()
        for turn in wanted - self._playing.keys():
            self._playing[turn] = match.spawn(self._play(match, turn, pause))

    def stop(self) -> None:
        """Think no more."""
        self._stopped = True
        for task in self._playing.values():
            task.cancel()
        self._playing.clear()

    async def _play(self, match: AskedMatch, turn: Turn, pause: float) -> None:
        """Think, then move; cancelled when the match does not wait for this any more."""
        await asyncio.sleep(max(pause, wait_before(turn, match.state.match, self._row_seconds)))
        command = await self._think(match, turn)
        # Once it is written this turn is over, and this task is cancelled.
        while self._playing.get(turn) is asyncio.current_task():
            with suppress(KeypegError):
                await match.ask_now(turn, command, match.state.seq)
            await asyncio.sleep(RETRY_SECONDS)

    async def _think(self, match: AskedMatch, turn: Turn) -> Command:
        state = match.state
        level = state.people[turn.player].level or ""
        try:
            return await _move(state.match, turn, self._player, level, match.account)
        except Exception as error:  # noqa: BLE001 - the match goes on, whatever befalls the solver
            why = {"match": state.match.id, "reason": type(error).__name__}
            _log.warning("the computer cannot think", extra=why)
            return _any_guess(state.match, turn)


def wait_before(turn: Turn, match: Match, row_seconds: float) -> float:
    """For how many seconds the computer waits before a turn: at most half of the time for it."""
    if turn.task is not Task.ROW or match.together:
        return 0.0
    return min(row_seconds, match.terms.row_seconds / 2)


def _turns(state: State) -> Iterator[Turn]:
    for clock in state.match.clocks:
        if state.people[clock.turn.player].level is not None:
            yield clock.turn


async def _move(match: Match, turn: Turn, player: Player, level: str, account: str) -> Command:
    """What the computer does: it answers rightly, and challenges what it can show to be wrong."""
    match turn.task:
        case Task.SECRET:
            return SetSecret(draw_code(match.terms.board))
        case Task.ANSWER:
            game = match.opponent(turn.player).game
            return Answer(turn.row, right_answer(game))
        case Task.ROW:
            game = match.player(turn.player).game
            guess = await player.guess(game.board, game.answered, level, account)
            if guess is None:
                challenge = MatchOption.CHALLENGE in options(match, turn.player)
                return Challenge() if challenge else _any_guess(match, turn)
            check_code(guess, game.board)
            return Guess(turn.row, guess)
        case Task.CLOSE:
            game = match.player(turn.player).game
            fits = await player.guess(game.board, game.answered, level, account)
            return Accept() if fits is not None else Challenge()
    raise AgainstTheRules("the computer has nothing to do here")


def _any_guess(match: Match, turn: Turn) -> Command:
    game = match.player(turn.player).game
    if turn.task is not Task.ROW:
        return Accept()
    return Guess(turn.row, draw_guess(game.board, game.answered))

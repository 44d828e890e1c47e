"""The computer at a table: it thinks while the table waits for it, and then moves."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final, Protocol

from keypeg.draw import draw_guess
from keypeg.rules.errors import KeypegError
from keypeg.store.errors import StoreError
from keypeg.table import computer
from keypeg.table.commands import Command, Guess
from keypeg.table.errors import Stale

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from keypeg.rules.series import Seat
    from keypeg.table.computer import AwaitedMove, Player
    from keypeg.table.state import State

RETRY_SECONDS: Final = 1.0
_log = logging.getLogger(__name__)


class AskedTable(Protocol):
    """A table, as far as the computer uses it."""

    account: str

    @property
    def state(self) -> State:
        """Where it is."""
        ...

    @property
    def attended(self) -> bool:
        """Whether anybody is there, or watches."""
        ...

    async def ask_now(self, seat: Seat, command: Command) -> None:
        """Carry this out if nothing has happened meanwhile."""

    def spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Do this beside everything else, until the table is put away."""
        ...


class ComputerSeat:
    """Plays for the computer, whichever seats it has. Does nothing at tables without one."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._pondered: AwaitedMove | None = None
        self._playing: asyncio.Task[None] | None = None
        self._stopped = False

    def ponder(self, table: AskedTable, pause: float = 0.0) -> None:
        """Think about what the table waits for, and about nothing else.

        A player who needs company begins when somebody comes, and stops when the last one leaves.
        """
        idle = self._stopped or (self._player.needs_company and not table.attended)
        self._turn_to(None if idle else computer.awaited_move(table.state), table, pause)

    def stop(self) -> None:
        """Think no more."""
        self._stopped = True
        self._turn_to(None, None, 0.0)

    def _turn_to(self, awaited: AwaitedMove | None, table: AskedTable | None, pause: float) -> None:
        if awaited == self._pondered:
            return
        self._pondered = awaited
        if self._playing is not None:
            self._playing.cancel()
        self._playing = None
        if awaited is not None and table is not None:
            self._playing = table.spawn(self._play(table, awaited, pause))

    async def _play(self, table: AskedTable, awaited: AwaitedMove, pause: float) -> None:
        """Think, then move; cancelled when the table comes to wait for something else."""
        state = table.state
        await asyncio.sleep(pause)
        command = await self._think(awaited, state, table.account)
        while self._pondered == awaited:
            try:
                await table.ask_now(awaited.seat, command)
            except StoreError:
                await asyncio.sleep(RETRY_SECONDS)
            except Stale:
                continue
            except KeypegError:
                return

    async def _think(self, awaited: AwaitedMove, state: State, account: str) -> Command:
        try:
            return await computer.move(state, awaited.seat, self._player, account)
        except Exception as error:  # noqa: BLE001 - the game goes on, whatever befalls the solver
            why = {"table": state.table_id, "reason": type(error).__name__}
            _log.warning("the computer cannot think", extra=why)
            return Guess(draw_guess(awaited.game.board, awaited.game.answered))

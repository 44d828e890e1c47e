"""The app: opens the database, and goes from choosing a series to playing it."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import App

from keypeg.rules.errors import KeypegError
from keypeg.terminal.choices import SeriesChoices
from keypeg.terminal.local_tables import local_tables_at
from keypeg.terminal.screen import keys
from keypeg.terminal.screen.game import game_screen
from keypeg.terminal.screen.setup import SetupScreen
from keypeg.terminal.screen.table import TableScreen

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from textual.binding import BindingType

    from keypeg.terminal.sitting import Sitting

    Seating = AbstractAsyncContextManager[Sitting]


class KeypegApp(App[str]):
    """Without a `seating` the person chooses what to play; entering one takes the seat."""

    CSS_PATH = "style.tcss"
    BINDINGS: ClassVar[list[BindingType]] = keys.APP
    ENABLE_COMMAND_PALETTE = False
    TITLE = "keypeg"

    def __init__(self, address: str, seating: Seating | None = None) -> None:
        super().__init__()
        self._address, self._seating = address, seating
        self._open = AsyncExitStack()
        self.refusal: KeypegError | None = None
        """Why the game cannot be played, if it cannot."""
        self.fault: BaseException | None = None
        """An unexpected error that has ended the app."""

    def _farewell(self) -> str:
        """What to print after the screen is closed."""
        tables = [screen for screen in self.screen_stack if isinstance(screen, TableScreen)]
        if not tables or tables[-1].state.series.over or not tables[-1].sitting.way_back:
            return ""
        return f"Paused. {tables[-1].sitting.way_back}"

    def on_mount(self) -> None:
        """Begin."""
        self._begin()

    @work
    async def _begin(self) -> None:
        """Play one series after the other, until the person leaves; after the first, ask which."""
        try:
            while True:
                await self.push_screen_wait(game_screen(await self._sit_down()))
                await self._open.aclose()
                self._seating = None
        except KeypegError as error:
            self._give_up(error)

    def on_table_screen_lost(self, event: TableScreen.Lost) -> None:
        """Close the app, since the game cannot be played any more."""
        self._give_up(event.error)

    def _give_up(self, error: KeypegError) -> None:
        self.refusal = error
        self.exit()

    async def _sit_down(self) -> Sitting:
        if self._seating is not None:
            return await self._open.enter_async_context(self._seating)
        tables = await self._open.enter_async_context(local_tables_at(self._address))
        picked = await self.push_screen_wait(SetupScreen(await tables.unfinished()))
        if isinstance(picked, SeriesChoices):
            return await tables.sit_down(picked.settings, picked.names)
        return await tables.resume(picked.saved)

    def action_leave(self) -> None:
        """Leave the game; it is on disk already."""
        self.exit(self._farewell())

    def _fatal_error(self) -> None:
        """Close the app after an unexpected error, for the command line to report.

        Textual would print the values of variables with it, secret codes among them.
        """
        self.fault = self.fault or sys.exception()
        self._close_messages_no_wait()

    async def on_unmount(self) -> None:
        """Close the database."""
        await self._open.aclose()


def play_on_screen(address: str, seating: Seating | None) -> str | None:
    """Play until the person leaves; gives what to print then."""
    app = KeypegApp(address, seating)
    farewell = app.run()
    for error in (app.fault, app.refusal):
        if error is not None:
            raise error
    return farewell

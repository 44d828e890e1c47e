"""The app: opens the place the tables are at, and goes from choosing to playing."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import App

from keypeg.rules.errors import KeypegError
from keypeg.terminal.choices import Choices
from keypeg.terminal.screen import keys
from keypeg.terminal.screen.game import GameScreen
from keypeg.terminal.screen.setup import SetupScreen
from keypeg.terminal.venue import Venue, venue_at

if TYPE_CHECKING:
    from textual.binding import BindingType

    from keypeg.terminal.sitting import Sitting

PAUSED = "Paused. 'keypeg play --resume' goes on from here."


class KeypegApp(App[str]):
    """Without choices they are asked for; `resume` goes on with the series begun last."""

    CSS_PATH = "style.tcss"
    BINDINGS: ClassVar[list[BindingType]] = keys.APP
    ENABLE_COMMAND_PALETTE = False
    TITLE = "keypeg"

    def __init__(self, choices: Choices | None, address: str, *, resume: bool = False) -> None:
        super().__init__()
        self._choices, self._address, self._resume = choices, address, resume
        self._open = AsyncExitStack()
        self.refusal: KeypegError | None = None
        """Why nothing could be played, if so."""

    def _farewell(self) -> str:
        """What to say when the screen is gone."""
        tables = [screen for screen in self.screen_stack if isinstance(screen, GameScreen)]
        paused = tables and tables[-1].sitting.kept and not tables[-1].state.series.over
        return PAUSED if paused else ""

    def on_mount(self) -> None:
        """Begin."""
        self._begin()

    @work
    async def _begin(self) -> None:
        try:
            venue = await self._open.enter_async_context(venue_at(self._address))
            await self.push_screen(GameScreen(await self._sit_down(venue)))
        except KeypegError as error:
            self.refusal = error
            self.exit()

    async def _sit_down(self, venue: Venue) -> Sitting:
        if self._resume:
            return await venue.latest()
        chosen = self._choices
        if chosen is None:
            picked = await self.push_screen_wait(SetupScreen(await venue.unfinished()))
            if not isinstance(picked, Choices):
                return await venue.resume(picked.ticket)
            chosen = picked
        return await venue.sit_down(chosen.settings, chosen.names)

    def action_leave(self) -> None:
        """Put the game away; it is on disk already."""
        self.exit(self._farewell())

    async def on_unmount(self) -> None:
        """Let go of the database."""
        await self._open.aclose()


def play_on_screen(choices: Choices | None, address: str, *, resume: bool) -> str | None:
    """Play until the person leaves; what to say then."""
    app = KeypegApp(choices, address, resume=resume)
    farewell = app.run()
    if app.refusal is not None:
        raise app.refusal
    return farewell

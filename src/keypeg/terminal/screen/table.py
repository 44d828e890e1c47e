"""A table on the screen: follows what happens there, and draws and tells it. Asks for nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.text import Text
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, Static

from keypeg.rules.code import Form
from keypeg.rules.errors import KeypegError
from keypeg.rules.game import Phase
from keypeg.table.options import TableOption
from keypeg.terminal.draft import Draft
from keypeg.terminal.narration import BriefNarrator, Narration
from keypeg.terminal.screen.board import BoardView, Sight, columns_of
from keypeg.terminal.screen.dialogs import Curtain
from keypeg.terminal.screen.panel import BUTTONS, Controls, Panel
from keypeg.terminal.sitting import Sitting, actor, current_game, onlooker, state_of, who_may
from keypeg.terminal.wording import call_sentence, names_of, score_sentence

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.app import ComposeResult

    from keypeg.rules.board import Board
    from keypeg.rules.game import Game
    from keypeg.rules.series import Seat

PANEL_COLUMNS: Final = 22
"""Columns that the panel needs beside the board, with the space between them."""
ABOVE: Final = 6
"""Lines of the board kept in view above the row that is played."""


class TableScreen(Screen[None]):
    """One table, as those at this terminal may see it."""

    AUTO_FOCUS = ""

    def __init__(self, sitting: Sitting) -> None:
        super().__init__()
        self.sitting = sitting
        self.state = state_of(sitting, onlooker(sitting))
        self.draft = Draft.empty(self.board)
        self.form = Form.LETTERS
        self.peeking = False
        """Whether the maker is looking at the secret."""
        self._narration = Narration(sitting, BriefNarrator(self.say))
        self._curtain_for: tuple[str, bool] | None = None
        """The game for which the curtain fell last, and whether its secret was yet to be set."""
        self._draft_for: tuple[str, bool, int] | None = None
        """The same of the draft, and how many rows had been played."""
        self._stop: Callable[[], None] = lambda: None

    @property
    def board(self) -> Board:
        """The board that is played on."""
        return self.state.settings.terms.board

    @property
    def game(self) -> Game:
        """The game on the board."""
        return current_game(self.state)

    @property
    def seat(self) -> Seat | None:
        """Which seat here has something to do."""
        return actor(self.state, self.sitting.seats)

    @property
    def shared(self) -> bool:
        """Whether both players sit at this terminal."""
        return len(self.sitting.seats) > 1

    @property
    def filling(self) -> bool:
        """Whether somebody here is to fill a row, or to set the secret."""
        return self.may(TableOption.SET_SECRET) or self.may(TableOption.GUESS)

    @property
    def panel(self) -> Panel:
        """The panel beside the board."""
        return self.query_one(Panel)

    def may(self, option: TableOption) -> bool:
        """Whether somebody here has this option."""
        return who_may(self.state, self.sitting.seats, option) is not None

    def compose(self) -> ComposeResult:
        """Board left, panel right."""
        yield Static(id="score")
        with Horizontal(id="middle"):
            with VerticalScroll(id="slab", can_focus=False):
                yield BoardView()
            yield Panel(self.board)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Follow the table and its clock."""
        self._stop = self.sitting.watch(self._happened)
        self.set_interval(0.5, self._draw_call)
        self.renew()

    def on_resize(self, event: events.Resize) -> None:
        """Put the panel below the board where it would be too narrow beside it."""
        narrow = event.size.width - columns_of(self.board) < PANEL_COLUMNS
        self.set_class(narrow, "narrow")
        self.panel.lay_out(narrow=narrow)

    def on_unmount(self) -> None:
        """Follow the table no longer."""
        self._stop()

    @dataclass
    class Lost(Message):
        """The table cannot be seen any more."""

        error: KeypegError

    def _happened(self) -> None:
        self.call_later(self.renew)

    def renew(self) -> None:
        """Take in what happened, and draw the table as it is now."""
        try:
            self.state = state_of(self.sitting, onlooker(self.sitting))
        except KeypegError as error:
            self.post_message(self.Lost(error))
            return
        self._narration.catch_up()
        self._renew_draft()
        self.draw()
        self._draw_curtain()

    def _renew_draft(self) -> None:
        """Begin a new draft with each row; what is held stays within a game."""
        game = self.game
        row = (game.id, game.phase is Phase.SECRET, len(game.rows))
        if row != self._draft_for:
            same_game = self._draft_for is not None and self._draft_for[:2] == row[:2]
            self.draft = self.draft.following() if same_game else Draft.empty(self.board)
            self._draft_for = row

    def say(self, sentence: str) -> None:
        """Put a sentence in the panel."""
        self.panel.say(sentence)

    def draw(self) -> None:
        """Draw everything as it is now."""
        view = self.query_one(BoardView)
        view.show(self._sight())
        slab = self.query_one("#slab", VerticalScroll)
        self.call_after_refresh(slab.scroll_to, y=max(0, view.active_line - ABOVE), animate=False)
        headline = f" {self.board}   {score_sentence(self.state)}"
        self.query_one("#score", Static).update(
            Text.assemble((" keypeg ", "bold reverse"), headline)
        )
        self.panel.show(self._controls())
        self._draw_call()
        self.refresh_bindings()

    def _sight(self) -> Sight:
        shown = self.state
        if self.peeking:
            shown = state_of(self.sitting, self.state.series.maker)
        return Sight(
            game=current_game(shown),
            draft=self.draft if self.filling else None,
            covered=self.shared,
            lifted=self.peeking or not self.shared,
            form=self.form,
        )

    def _controls(self) -> Controls:
        return Controls(
            answering=self.may(TableOption.ANSWER),
            over=self.game.phase is Phase.OVER,
            ready=self.seat is not None and not (self.filling and self.draft.lacking),
            actions=frozenset(action for action in BUTTONS if self.check_action(action, ())),
        )

    def _draw_call(self) -> None:
        left = self.sitting.seconds_left
        call = Text(call_sentence(self.state, self.seat), "bold")
        if left is not None:
            call.append("  ").append(f" {int(left) // 60}:{int(left) % 60:02} ", "reverse")
        if self.filling and self.draft.lacking:
            call.append(f"\n{self.draft.lacking}", "dim")
        self.panel.call(call)

    def _draw_curtain(self) -> None:
        """On a shared terminal, cover the screen before and after a secret is set."""
        game = self.game
        stage = (game.id, game.phase is Phase.SECRET)
        if not self.shared or stage == self._curtain_for or self.state.series.over:
            return
        first, self._curtain_for = self._curtain_for is None, stage
        if game.phase is not Phase.OVER and not (first and game.rows):
            names, maker = names_of(self.state), self.state.series.maker
            if game.phase is Phase.SECRET:
                words = f"{names[maker]} sets the secret code. {names[maker.other]}, look away."
            else:
                words = f"The code is set. {names[maker.other]} breaks it."
            self.app.push_screen(Curtain(words))

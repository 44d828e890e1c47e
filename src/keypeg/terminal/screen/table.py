"""A table on the screen: follows what happens there, and draws and tells it. Asks for nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.text import Text
from textual.containers import Horizontal
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, Static

from keypeg.rules.code import Form
from keypeg.rules.errors import KeypegError
from keypeg.rules.game import Phase
from keypeg.table.options import TableOption
from keypeg.terminal.draft import Draft
from keypeg.terminal.narration import BriefNarrator, Narration
from keypeg.terminal.screen.board import Sight, Slab
from keypeg.terminal.screen.dialogs import Curtain
from keypeg.terminal.screen.keys import ENTER
from keypeg.terminal.screen.layout import layout
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

AWAY: Final = "Server away, trying again…"
PEEK_SECONDS: Final = 4
PEEK: Final = f"The code is shown for {PEEK_SECONDS} seconds; any key hides it"
_DEEDS: Final = {Phase.SECRET: "set", Phase.GUESS: "check", Phase.ANSWER: "answer"}


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
        self.too_small = False
        """Whether the window is too small to play in."""
        self._narration = Narration(sitting, BriefNarrator(self.say))
        self._curtain_for: tuple[str, bool] | None = None
        """The game for which the curtain fell last, and whether its secret was yet to be set."""
        self._draft_for: tuple[str, bool, int] | None = None
        """The same of the draft, and how many rows had been played."""
        self._was_away = False
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
    def deed(self) -> str:
        """What Enter does now: one of `ENTER`."""
        series, phase = self.state.series, self.game.phase
        if series.over:
            return "anew"
        if self.seat is None:
            return "wait"
        if phase is not Phase.OVER:
            return _DEEDS[phase]
        if self.game.outcome is not None and self.game.outcome.void:
            return "replay"
        return "next" if series.number < series.terms.games else "close"

    @property
    def paused(self) -> bool:
        """Whether keys and clicks do nothing: the table cannot be seen, or shows a secret."""
        return self.too_small or self.peeking

    @property
    def panel(self) -> Panel:
        """The panel beside the board."""
        return self.query_one(Panel)

    def may(self, option: TableOption) -> bool:
        """Whether somebody here has this option."""
        return who_may(self.state, self.sitting.seats, option) is not None

    def compose(self) -> ComposeResult:
        """Board left, panel right; or a line that says why not."""
        yield Static(id="complaint")
        yield Static(id="score")
        with Horizontal(id="middle"):
            yield Slab()
            yield Panel(self.board)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Follow the table and its clock."""
        self._stop = self.sitting.watch(self._happened)
        self.set_interval(0.5, self._draw_call)
        self.renew()
        if self.sitting.invitation and not self.state.ready:
            self.say(f"Invite the other player: {self.sitting.invitation}")

    def on_resize(self, event: events.Resize) -> None:
        """Lay the table out anew."""
        found = layout(self.board, *event.size)
        self.too_small = bool(found.complaint)
        self.query_one("#complaint", Static).update(found.complaint)
        self.set_class(self.too_small, "too-small")
        self.set_class(found.narrow, "narrow")
        self.set_class(found.short, "short")
        self.panel.lay_out(found)
        self.draw()

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
        self._tell_whether_away()
        self._renew_draft()
        self.draw()
        self._draw_curtain()

    def _tell_whether_away(self) -> None:
        if self.sitting.away != self._was_away:
            self._was_away = self.sitting.away
            self.say("The server is away." if self._was_away else "The server is back.")

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
        self.query_one(Slab).show(self._sight())
        self._draw_score()
        self.panel.show(self._controls())
        self._draw_call()
        self.refresh_bindings()

    def _draw_score(self) -> None:
        score = f" {score_sentence(self.state)}"
        if not self.has_class("narrow"):
            title = (" keypeg ", "bold reverse")
            line = Text.assemble(title, f" {self.board}  ", score)
        else:
            line = Text(score)
        self.query_one("#score", Static).update(line)

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
        deed = self.deed
        return Controls(
            answering=self.may(TableOption.ANSWER),
            over=self.game.phase is Phase.OVER,
            enter=ENTER[deed],
            ready=deed != "wait" and not (self.filling and self.draft.lacking),
            actions=frozenset(action for action in BUTTONS if self.check_action(action, ())),
        )

    def _draw_call(self) -> None:
        left = self.sitting.seconds_left
        call = Text(self._call, "bold")
        if left is not None:
            call.append("  ").append(f" {int(left) // 60}:{int(left) % 60:02} ", "reverse")
        if self.filling and self.draft.lacking and not self.sitting.away:
            call.append(f"\n{self.draft.lacking}", "dim")
        self.panel.call(call)

    @property
    def _call(self) -> str:
        if self.sitting.away:
            return AWAY
        if self.peeking:
            return f"{PEEK}."
        return call_sentence(self.state, self.seat)

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

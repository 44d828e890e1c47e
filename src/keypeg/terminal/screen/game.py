"""The table on the screen. Keys and clicks become commands; what happens is drawn and told."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from rich.text import Text
from textual import on, work
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Button, Footer, Input, Static

from keypeg.rules.code import Form
from keypeg.rules.errors import KeypegError, NotYourTurn
from keypeg.rules.game import Phase
from keypeg.rules.keypegs import parse_key_pegs
from keypeg.table.commands import (
    Answer,
    Challenge,
    ClaimAbsent,
    Command,
    Guess,
    NextGame,
    OfferTime,
    Rematch,
    Resign,
    SetSecret,
    UseHint,
)
from keypeg.table.options import TableOption
from keypeg.terminal import hints
from keypeg.terminal.draft import Draft
from keypeg.terminal.narration import BriefNarrator, Narration
from keypeg.terminal.screen import keys
from keypeg.terminal.screen.board import BoardView, Sight, columns_of
from keypeg.terminal.screen.dialogs import Curtain, Help, HintChoice, Question
from keypeg.terminal.screen.review import ReviewScreen
from keypeg.terminal.screen.tray import Colour
from keypeg.terminal.sitting import Sitting, actor, current_game, onlooker, state_of, who_may
from keypeg.terminal.wording import (
    call_sentence,
    discreet_refusal,
    names_of,
    row_sentence,
    score_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from keypeg.rules.board import Board
    from keypeg.rules.game import Game
    from keypeg.rules.series import Seat

FORMS: Final = (Form.LETTERS, Form.SHORT, Form.DIGITS)
PEEK_SECONDS: Final = 4.0
MOST_SAID: Final = 30
NAMED: Final = 12
"""Colours up to which the tray has room for their names."""
PANEL: Final = 22
"""Columns that the panel needs beside the board, with what is between them."""
OFFERED: Final = {
    "hint": TableOption.HINT,
    "challenge": TableOption.CHALLENGE,
    "rematch": TableOption.REMATCH,
    "claim": TableOption.CLAIM,
    "more_time": TableOption.OFFER_TIME,
    "resign": TableOption.RESIGN,
}
"""The keys that mean something while the table offers it."""
LETTER_KEYS: Final = {"l": "last", "L": "labels", "?": "help"}
"""What these do while key pegs are typed."""


class KeyPegField(Input):
    """Where key pegs are typed; letters that are keys of the game stay keys."""

    async def on_key(self, event: events.Key) -> None:
        """Keys of the game are no part of an answer."""
        action = LETTER_KEYS.get(event.character or "")
        if action is not None:
            event.stop()
            event.prevent_default()
            await self.app.run_action(f"screen.{action}")


class GameScreen(Screen[None]):
    """One table. `sitting` says what may be seen and does what is asked."""

    BINDINGS: ClassVar[list[BindingType]] = keys.GAME
    AUTO_FOCUS = ""

    def __init__(self, sitting: Sitting) -> None:
        super().__init__()
        self.sitting = sitting
        self.state = state_of(sitting, onlooker(sitting))
        self.draft = Draft.empty(self.board)
        self._said: list[str] = []
        self._narration = Narration(sitting, BriefNarrator(self.say))
        self._pegs = keys.peg_keys(self.board)
        self._form = 0
        self._peeking = False
        self._veiled: object = None
        self._drawn_for: object = None
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
        """Who here has something to do."""
        return actor(self.state, self.sitting.seats)

    @property
    def shared(self) -> bool:
        """Whether both players sit at this terminal."""
        return len(self.sitting.seats) > 1

    @property
    def filling(self) -> bool:
        """Whether somebody here is to fill a row, or the shield."""
        return self.may(TableOption.SET_SECRET) or self.may(TableOption.GUESS)

    def may(self, option: TableOption) -> bool:
        """Whether somebody here has this option."""
        return who_may(self.state, self.sitting.seats, option) is not None

    def compose(self) -> ComposeResult:
        """Board left, panel right."""
        yield Static(id="score")
        with Horizontal(id="middle"):
            with VerticalScroll(id="slab", can_focus=False):
                yield BoardView()
            with Vertical(id="panel"):
                yield Static(id="call")
                with Horizontal(id="answer"):
                    yield Static("Key pegs", id="answer-label")
                    yield KeyPegField(placeholder="21, 2 1 or 2b1w", id="keys", compact=True)
                with Vertical(id="tray"):
                    symbols = [*range(1, self.board.colours + 1), *([0] * self.board.blanks)]
                    for peg in symbols:
                        yield Colour(peg, self.board, named=len(symbols) <= NAMED)
                with Horizontal(id="buttons"):
                    yield self._button("Check", "check")
                    yield self._button("Hint", "hint")
                    yield self._button("Challenge", "challenge")
                    yield self._button("Review", "review")
                    yield self._button("Rematch", "rematch")
                with VerticalScroll(id="talk", can_focus=False):
                    yield Static(id="said")
        yield Footer(compact=True, show_command_palette=False)

    def _button(self, label: str, action: str) -> Button:
        button = Button(label, id=action, action=f"screen.{action}", compact=True)
        button.can_focus = False
        return button

    def on_mount(self) -> None:
        """Watch the table and the clock."""
        self._stop = self.sitting.watch(self._happened)
        self.set_interval(0.5, self._tick)
        self.renew()

    def on_resize(self, event: events.Resize) -> None:
        """Where the panel would be squeezed it goes below the board."""
        few = self.board.colours <= NAMED
        narrow = event.size.width - columns_of(self.board) < PANEL
        self.set_class(narrow, "narrow")
        columns = (3 if few else 10) if narrow else (2 if few else 4)
        self.query_one("#tray").styles.grid_size_columns = columns

    def on_unmount(self) -> None:
        """Watch no more."""
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
        place = (self.game.id, self.game.phase is Phase.SECRET, len(self.game.rows))
        if place != self._drawn_for:
            same_game = isinstance(self._drawn_for, tuple) and self._drawn_for[:2] == place[:2]
            self.draft = self.draft.following() if same_game else Draft.empty(self.board)
            self._drawn_for = place
        self._draw()
        self._draw_curtain()

    def say(self, words: str) -> None:
        """Put a sentence in the panel."""
        self._said = [*self._said, words][-MOST_SAID:]
        if self.is_mounted:
            self._draw_said()

    def _draw_said(self) -> None:
        *earlier, last = self._said or [""]
        lines = Text("\n".join(earlier), "dim")
        self.query_one("#said", Static).update(
            Text.assemble(lines, "\n" if earlier else "", (last, "bold"))
        )
        talk = self.query_one("#talk", VerticalScroll)
        self.call_after_refresh(talk.scroll_end, animate=False)

    def _draw(self) -> None:
        view = self.query_one(BoardView)
        view.show(self._sight())
        slab = self.query_one("#slab", VerticalScroll)
        self.call_after_refresh(slab.scroll_to, y=max(0, view.active_line - 6), animate=False)
        self.query_one("#score", Static).update(self._headline())
        self._draw_said()
        self._draw_controls()
        self._tick()
        self.refresh_bindings()

    def _sight(self) -> Sight:
        game = self.game
        mine = (
            current_game(state_of(self.sitting, self.state.series.maker)) if self._peeking else game
        )
        return Sight(
            game=mine,
            draft=self.draft if self.filling else None,
            covered=self.shared,
            lifted=self._peeking or not self.shared,
            form=FORMS[self._form],
        )

    def _headline(self) -> Text:
        return Text.assemble(
            (" keypeg ", "bold reverse"), f" {self.board}   {score_sentence(self.state)}"
        )

    def _draw_controls(self) -> None:
        answering = self.may(TableOption.ANSWER)
        self.query_one("#answer").display = answering
        self.query_one("#tray").display = not answering and self.game.phase is not Phase.OVER
        check = self.query_one("#check", Button)
        check.label = "Go on" if self.game.phase is Phase.OVER else "Check"
        check.disabled = self.seat is None or (self.filling and self.draft.lacking is not None)
        for action in ("hint", "challenge", "review", "rematch"):
            self.query_one(f"#{action}").display = bool(self.check_action(action, ()))
        field = self.query_one("#keys", Input)
        if answering and not field.has_focus:
            field.value = ""
            field.focus()
        elif not answering and field.has_focus:
            self.set_focus(None)

    def _tick(self) -> None:
        left = self.sitting.seconds_left
        call = Text(call_sentence(self.state, self.seat), "bold")
        if left is not None:
            call.append("  ").append(f" {int(left) // 60}:{int(left) % 60:02} ", "reverse")
        if self.filling and self.draft.lacking:
            call.append(f"\n{self.draft.lacking}", "dim")
        self.query_one("#call", Static).update(call)

    def _draw_curtain(self) -> None:
        """On a shared terminal a curtain falls before and after a secret is set."""
        game = self.game
        stage = (game.id, game.phase is Phase.SECRET)
        if not self.shared or stage == self._veiled or self.state.series.over:
            return
        first, self._veiled = self._veiled is None, stage
        names, maker = names_of(self.state), self.state.series.maker
        if game.phase is Phase.SECRET:
            words = f"{names[maker]} sets the secret code. {names[maker.other]}, look away."
        else:
            words = f"The code is set. {names[maker.other]} breaks it."
        if game.phase is not Phase.OVER and not (first and game.rows):
            self.app.push_screen(Curtain(words))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Which keys mean something now."""
        if action in OFFERED:
            return self.may(OFFERED[action])
        game, over = self.game, self.game.phase is Phase.OVER
        match action:
            case "hold" | "undo" | "copy" | "move" | "change" | "back" | "clear":
                return self.filling
            case "review":
                return over and bool(game.rows)
            case "peek":
                return self.shared and game.secret_set and not over
            case _:
                return True

    def on_key(self, event: events.Key) -> None:
        """Characters that are pegs of this board place them."""
        peg = self._pegs.get((event.character or "").lower())
        if self.filling and peg is not None:
            event.stop()
            event.prevent_default()
            self._place(peg)
        elif self.filling and event.is_printable and event.character not in (None, " "):
            self._refuse_key(event)

    def _refuse_key(self, event: events.Key) -> None:
        if event.character in ("h", "l", "L", "?", "v"):
            return
        used = "".join(sorted(self._pegs)).upper()
        self.say(f"{event.character} is no peg of this board; use {used}.")

    def _place(self, peg: int) -> None:
        self._redraft(self.draft.place(peg))

    def _redraft(self, draft: Draft) -> None:
        if self.filling:
            self.draft = draft
            self._draw()

    @on(Colour.Picked)
    def _colour_picked(self, event: Colour.Picked) -> None:
        if self.filling:
            self._place(event.peg)

    @on(BoardView.HolePicked)
    def _hole_picked(self, event: BoardView.HolePicked) -> None:
        self._redraft(self.draft.point(event.hole))

    @on(BoardView.RowPicked)
    def _row_picked(self, event: BoardView.RowPicked) -> None:
        guess = self.game.rows[event.row - 1].guess
        if guess is not None:
            self._redraft(self.draft.copy(guess))

    def action_move(self, step: int) -> None:
        """The previous or the next hole."""
        self._redraft(self.draft.move(step))

    def action_change(self, step: int) -> None:
        """The next or the previous colour."""
        self._redraft(self.draft.change(step, self.board))

    def action_back(self) -> None:
        """Take the last peg out."""
        self._redraft(self.draft.back())

    def action_clear(self) -> None:
        """Take this peg out."""
        self._redraft(self.draft.clear())

    def action_hold(self) -> None:
        """Keep this peg for the next row, or no longer."""
        self._redraft(self.draft.hold())

    def action_undo(self) -> None:
        """Undo in the row."""
        self._redraft(self.draft.undo())

    def action_copy(self) -> None:
        """Copy the row played last."""
        played = [row.guess for row in self.game.rows if row.guess is not None]
        if played:
            self._redraft(self.draft.copy(played[-1]))
        else:
            self.say("There is no earlier row to copy.")

    def action_labels(self) -> None:
        """Letters, two letters or digits in the pegs."""
        self._form = (self._form + 1) % len(FORMS)
        self._draw()

    def action_last(self) -> None:
        """Read the last row aloud."""
        game = self.game
        self.say(row_sentence(game, len(game.rows)) if game.rows else "No row is played yet.")

    def action_help(self) -> None:
        """The keys."""
        self.app.push_screen(Help())

    def action_review(self) -> None:
        """What each row was worth."""
        self.app.push_screen(ReviewScreen(self.game))

    async def action_check(self) -> None:
        """Play the row, set the secret, or go on after a game."""
        seat, phase = self.seat, self.game.phase
        if seat is None:
            self.say(call_sentence(self.state, None))
        elif phase is Phase.OVER:
            await self._ask(seat, NextGame())
        elif phase is Phase.ANSWER:
            await self.query_one("#keys", Input).action_submit()
        else:
            await self._play_draft(seat, phase)

    async def _play_draft(self, seat: Seat, phase: Phase) -> None:
        code = self.draft.code
        if code is None:
            self.say(f"Not yet: {self.draft.lacking}")
            return
        await self._ask(seat, SetSecret(code) if phase is Phase.SECRET else Guess(code))

    @on(Input.Submitted, "#keys")
    async def _answer(self, event: Input.Submitted) -> None:
        seat = self.seat
        if seat is None or not self.may(TableOption.ANSWER):
            return
        try:
            given = Answer(parse_key_pegs(event.value, self.board))
        except KeypegError as error:
            self.say(f"Not placed: {error}")
            return
        event.input.value = ""
        await self._ask(seat, given)

    async def action_challenge(self) -> None:
        """Say that an answer was wrong."""
        await self._take(TableOption.CHALLENGE, Challenge())

    async def action_rematch(self) -> None:
        """Play another series."""
        for seat in self.sitting.seats:
            if who_may(self.state, (seat,), TableOption.REMATCH):
                await self._ask(seat, Rematch())

    async def action_claim(self) -> None:
        """Take the series from an opponent who has gone for too long."""
        await self._take(TableOption.CLAIM, ClaimAbsent())

    async def action_more_time(self) -> None:
        """Give the opponent another minute."""
        await self._take(TableOption.OFFER_TIME, OfferTime(60))

    async def _take(self, option: TableOption, command: Command) -> None:
        """Have whoever here has this option do it."""
        seat = who_may(self.state, self.sitting.seats, option)
        if seat is not None:
            await self._ask(seat, command)

    @work
    async def action_resign(self) -> None:
        """Give the game up, after a question."""
        seat = who_may(self.state, self.sitting.seats, TableOption.RESIGN)
        who = "" if not self.shared or seat is None else f"{names_of(self.state)[seat]}: "
        if seat is not None and await self.app.push_screen_wait(
            Question(f"{who}Give this game up?")
        ):
            await self._ask(seat, Resign())

    @work
    async def action_hint(self) -> None:
        """A hint of a chosen grade; that it was asked for is noted by the table."""
        hint = await self.app.push_screen_wait(HintChoice())
        seat = self.seat
        if hint is None or seat is None:
            return
        question = hints.Question.about(self.game, self.draft.code)
        try:
            hint.check(question)
            if await self._ask(seat, UseHint(hint.grade)):
                self.say("Thinking of a hint.")
                self.say(await asyncio.to_thread(hint.tell, question))
        except KeypegError as error:
            self.say(f"There is none: {error}")

    @work
    async def action_peek(self) -> None:
        """Show the maker their own code for a moment, when nobody else looks."""
        maker = names_of(self.state)[self.state.series.maker]
        await self.app.push_screen_wait(Curtain(f"Only {maker} may look now."))
        self._peeking = True
        self._draw()
        self.set_timer(PEEK_SECONDS, self._end_peeking)

    def _end_peeking(self) -> None:
        self._peeking = False
        self._draw()

    async def _ask(self, seat: Seat, command: Command) -> bool:
        """Have it done; a refusal is said."""
        try:
            await self.sitting.ask(seat, command)
        except KeypegError as error:
            about_code = isinstance(command, SetSecret) and not isinstance(error, NotYourTurn)
            secret = self.shared and about_code
            self.say(f"Not done: {discreet_refusal(self.board) if secret else error}")
            return False
        finally:
            self.renew()
        return True


class LetteredGameScreen(GameScreen, inherit_bindings=False):
    """The same on a board where h and l are pegs."""

    BINDINGS: ClassVar[list[BindingType]] = keys.LETTERED


def game_screen(sitting: Sitting) -> GameScreen:
    """The screen of a table, with the keys that are right for its board."""
    screen = GameScreen(sitting)
    letters = {"h", "l"} & keys.peg_keys(screen.board).keys()
    return LetteredGameScreen(sitting) if letters else screen

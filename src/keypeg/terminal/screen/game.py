"""Playing on the screen: keys and clicks become changes of the row being filled, or commands."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on, work
from textual.widgets import Input

from keypeg.rules.code import Form
from keypeg.rules.errors import KeypegError, NotYourTurn
from keypeg.rules.game import Phase
from keypeg.rules.keypegs import parse_key_pegs
from keypeg.table.commands import (
    AcceptLimit,
    Answer,
    Challenge,
    ClaimAbsent,
    Command,
    DeclineLimit,
    Guess,
    NextGame,
    OfferTime,
    ProposeLimit,
    Rematch,
    Resign,
    SetSecret,
    UseHint,
    WithdrawLimit,
)
from keypeg.table.options import TableOption
from keypeg.terminal import hints
from keypeg.terminal.draft import BY_KEY
from keypeg.terminal.screen import keys
from keypeg.terminal.screen.board import BoardView
from keypeg.terminal.screen.dialogs import (
    Confirmation,
    Curtain,
    Help,
    HintChoice,
    LimitChoice,
    LimitReply,
)
from keypeg.terminal.screen.review import ReviewScreen
from keypeg.terminal.screen.table import PEEK, PEEK_SECONDS, TableScreen
from keypeg.terminal.screen.tray import TrayColour
from keypeg.terminal.sitting import Sitting, who_may
from keypeg.terminal.wording import discreet_refusal, limit_words, names_of, row_sentence

if TYPE_CHECKING:
    from textual import events
    from textual.binding import BindingType
    from textual.timer import Timer

    from keypeg.rules.series import Seat
    from keypeg.terminal.draft import Draft

FORMS: Final = (Form.LETTERS, Form.SHORT, Form.DIGITS)
EXTRA_SECONDS: Final = 60
OFFERED: Final = {
    "hint": TableOption.HINT,
    "challenge": TableOption.CHALLENGE,
    "rematch": TableOption.REMATCH,
    "claim": TableOption.CLAIM,
    "more_time": TableOption.OFFER_TIME,
    "resign": TableOption.RESIGN,
    "answer_limit": TableOption.ACCEPT_LIMIT,
}
"""The actions that can be used while the table offers an option."""


class GameScreen(TableScreen):
    """The table, with the keys and the mouse to play at it."""

    BINDINGS: ClassVar[list[BindingType]] = keys.GAME

    def __init__(self, sitting: Sitting) -> None:
        super().__init__(sitting)
        self._pegs = keys.peg_keys(self.board)
        self._asking = False
        """Whether a command is being carried out."""
        self._peek_ends: Timer | None = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether an action can be used now; others are not in the footer."""
        if self.paused:
            return False
        if action in OFFERED:
            return self.may(OFFERED[action])
        game, over = self.game, self.game.phase is Phase.OVER
        match action:
            case "check":
                return not parameters or parameters == (self.deed,)
            case "edit" | "copy":
                return self.filling
            case "limit":
                return self.may(TableOption.PROPOSE_LIMIT) or self.may(TableOption.WITHDRAW_LIMIT)
            case "review":
                return over and bool(game.rows)
            case "peek":
                return self.shared and game.secret_set and not over
            case _:
                return True

    def on_key(self, event: events.Key) -> None:
        """Place the peg that a character stands for; during a peek, hide the secret."""
        if self.paused:
            event.stop()
            event.prevent_default()
            self._peek(peeking=False)
            return
        character = event.character or ""
        peg = self._pegs.get(character.lower())
        if not self.filling:
            return
        if peg is not None:
            event.stop()
            event.prevent_default()
            self._redraft(self.draft.place(peg))
        elif event.is_printable and character not in keys.CHARACTERS:
            used = "".join(sorted(self._pegs)).upper()
            self.say(f"{character} is not a peg of this board; use {used}.")

    def _redraft(self, draft: Draft) -> None:
        if self.filling and not self.paused:
            self.draft = draft
            self.draw()

    @on(TrayColour.Picked)
    def _colour_picked(self, event: TrayColour.Picked) -> None:
        self._redraft(self.draft.place(event.peg))

    @on(BoardView.HolePicked)
    def _hole_picked(self, event: BoardView.HolePicked) -> None:
        self._redraft(self.draft.point(event.hole))

    @on(BoardView.RowPicked)
    def _row_picked(self, event: BoardView.RowPicked) -> None:
        guess = self.game.rows[event.row - 1].guess
        if guess is not None:
            self._redraft(self.draft.copy(guess))

    def action_edit(self, change: str) -> None:
        """Change the row being filled."""
        self._redraft(BY_KEY[change](self.draft, self.board))

    def action_copy(self) -> None:
        """Copy the row played last."""
        played = [row.guess for row in self.game.rows if row.guess is not None]
        if played:
            self._redraft(self.draft.copy(played[-1]))
        else:
            self.say("There is no earlier row to copy.")

    def action_labels(self) -> None:
        """Show letters, two letters or digits in the pegs."""
        self.form = FORMS[(FORMS.index(self.form) + 1) % len(FORMS)]
        self.draw()

    def action_last(self) -> None:
        """Read the last row out."""
        game = self.game
        self.say(row_sentence(game, len(game.rows)) if game.rows else "No row is played yet.")

    def action_help(self) -> None:
        """Show the keys."""
        self.app.push_screen(Help())

    def action_review(self) -> None:
        """Show what each row was worth."""
        self.app.push_screen(ReviewScreen(self.game))

    @work
    async def action_check(self, _deed: str = "") -> None:
        """Play the row, set the secret, or go on after a game or a series."""
        seat, phase = self.seat, self.game.phase
        if self.state.series.over:
            self.dismiss()
        elif seat is None:
            self.say(self._call)
        elif phase is Phase.OVER:
            await self._ask(seat, NextGame())
        elif phase is Phase.ANSWER:
            await self.panel.submit_key_pegs()
        else:
            await self._play_draft(seat, phase)

    async def _play_draft(self, seat: Seat, phase: Phase) -> None:
        code = self.draft.code
        if code is None:
            self.say(f"Not yet: {self.draft.lacking}")
            return
        await self._ask(seat, SetSecret(code) if phase is Phase.SECRET else Guess(code))

    @on(Input.Submitted, "#keys")
    def _answer(self, event: Input.Submitted) -> None:
        seat = self.seat
        if seat is None or not self.may(TableOption.ANSWER):
            return
        try:
            given = Answer(parse_key_pegs(event.value, self.board))
        except KeypegError as error:
            self.say(f"Not placed: {error}")
            return
        event.input.value = ""
        self.run_worker(self._ask(seat, given))

    @work
    async def action_challenge(self) -> None:
        """Claim that an answer was wrong."""
        await self._take(TableOption.CHALLENGE, Challenge())

    @work
    async def action_rematch(self) -> None:
        """Play another series."""
        for seat in self.sitting.seats:
            if who_may(self.state, (seat,), TableOption.REMATCH):
                await self._ask(seat, Rematch())

    @work
    async def action_claim(self) -> None:
        """Claim the series of an opponent who has been away too long, if that is confirmed."""
        if who_may(self.state, self.sitting.seats, TableOption.CLAIM) is None:
            return
        if await self.app.push_screen_wait(Confirmation("End the series, and win it?")):
            await self._take(TableOption.CLAIM, ClaimAbsent())

    @work
    async def action_more_time(self) -> None:
        """Give the opponent another minute."""
        await self._take(TableOption.OFFER_TIME, OfferTime(EXTRA_SECONDS))

    @work
    async def action_answer_limit(self) -> None:
        """Accept or decline the turn limit that the opponent proposed."""
        proposal = self.state.series.proposal
        if proposal is None:
            return
        words = f"Proposed: {limit_words(proposal.seconds)}, from the next turn."
        accepts = await self.app.push_screen_wait(LimitReply(words))
        if accepts:
            await self._take(TableOption.ACCEPT_LIMIT, AcceptLimit(proposal.seconds))
        elif accepts is not None:
            await self._take(TableOption.DECLINE_LIMIT, DeclineLimit())

    @work
    async def action_limit(self) -> None:
        """Propose a turn limit, or withdraw a proposal."""
        if self.may(TableOption.WITHDRAW_LIMIT):
            if await self.app.push_screen_wait(Confirmation("Withdraw the proposed time limit?")):
                await self._take(TableOption.WITHDRAW_LIMIT, WithdrawLimit())
            return
        chosen = await self.app.push_screen_wait(LimitChoice(self.state.series.next_limit))
        by = who_may(self.state, self.sitting.seats, TableOption.PROPOSE_LIMIT)
        if chosen is None or by is None:
            return
        done = await self._ask(by, ProposeLimit(chosen.seconds))
        if done and by.other in self.sitting.seats:
            # On a shared terminal both agree at once.
            await self._ask(by.other, AcceptLimit(chosen.seconds))

    async def _take(self, option: TableOption, command: Command) -> None:
        """Carry out a command for the seat here that has the option."""
        seat = who_may(self.state, self.sitting.seats, option)
        if seat is not None:
            await self._ask(seat, command)

    @work
    async def action_resign(self) -> None:
        """Give the game up, if that is confirmed."""
        seat = who_may(self.state, self.sitting.seats, TableOption.RESIGN)
        who = "" if not self.shared or seat is None else f"{names_of(self.state)[seat]}: "
        if seat is not None and await self.app.push_screen_wait(
            Confirmation(f"{who}Give this game up?")
        ):
            await self._ask(seat, Resign())

    @work
    async def action_hint(self) -> None:
        """Give a hint of a chosen grade; the table records that it was used."""
        hint = await self.app.push_screen_wait(HintChoice())
        seat = self.seat
        if hint is None or seat is None:
            return
        question = hints.HintQuestion.about(self.game, self.draft.code)
        try:
            hint.check(question)
            if await self._ask(seat, UseHint(hint.grade)):
                self.say("Thinking of a hint.")
                self.say((await asyncio.to_thread(hint.tell, question)).words)
        except KeypegError as error:
            self.say(f"There is no hint: {error}")

    @work
    async def action_peek(self) -> None:
        """Show the makers their own code for a moment, while nobody else looks."""
        maker = names_of(self.state)[self.state.series.maker]
        await self.app.push_screen_wait(Curtain(f"Only {maker} may look now. {PEEK}."))
        self._peek(peeking=True)
        self._peek_ends = self.set_timer(PEEK_SECONDS, lambda: self._peek(peeking=False))

    def _peek(self, *, peeking: bool) -> None:
        if self._peek_ends is not None:
            self._peek_ends.stop()
        if peeking != self.peeking:
            self.peeking = peeking
            self.draw()

    async def _ask(self, seat: Seat, command: Command) -> bool:
        """Have a command carried out, and say why if it is refused; whether it was done."""
        if self._asking or self.sitting.away:
            trouble = "the last move is still on its way" if self._asking else "the server is away"
            self.say(f"Not sent: {trouble}. Try again in a moment.")
            return False
        self._asking = True
        try:
            await self.sitting.ask(seat, command)
        except KeypegError as error:
            about_code = isinstance(command, SetSecret) and not isinstance(error, NotYourTurn)
            secret = self.shared and about_code
            self.say(f"Not done: {discreet_refusal(self.board) if secret else error}")
            return False
        finally:
            self._asking = False
            self.renew()
        return True


class LetteredGameScreen(GameScreen, inherit_bindings=False):
    """The same for boards where h and l are pegs."""

    BINDINGS: ClassVar[list[BindingType]] = keys.LETTERED


def game_screen(sitting: Sitting) -> GameScreen:
    """The screen of a table, with the keys that are right for its board."""
    screen = GameScreen(sitting)
    letters = {"h", "l"} & keys.peg_keys(screen.board).keys()
    return LetteredGameScreen(sitting) if letters else screen

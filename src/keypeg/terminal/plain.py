"""The game at a plain prompt: works in a pipe, with a screen reader, without colour.

Input and output are lines. The table keeps running while a line is awaited. When it moves on by
itself, for example because time runs out, that is told and a new question is asked.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from keypeg.draw import draw_code
from keypeg.rules.code import format_code, parse_code
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError, NotYourTurn
from keypeg.rules.game import Phase
from keypeg.table.commands import (
    AcceptLimit,
    Challenge,
    ClaimAbsent,
    Command,
    DeclineLimit,
    NextGame,
    OfferTime,
    ProposeLimit,
    Rematch,
    Resign,
    SetSecret,
    UseHint,
    WithdrawLimit,
)
from keypeg.table.options import TableOption, options
from keypeg.terminal.hints import HintQuestion, hint_named
from keypeg.terminal.lookups import Lookups
from keypeg.terminal.narration import Narration
from keypeg.terminal.review import review_lines
from keypeg.terminal.sitting import (
    Sitting,
    actor,
    current_game,
    is_wanted,
    onlooker,
    state_of,
    until,
    who_may,
)
from keypeg.terminal.vocabulary import read_limit, read_move
from keypeg.terminal.wording import (
    YOU,
    call_sentence,
    discreet_refusal,
    names_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from contextlib import AbstractAsyncContextManager

    from keypeg.rules.game import Game
    from keypeg.rules.series import Proposal, Seat
    from keypeg.table import State
    from keypeg.terminal.narration import Narrator

MINUTE: Final = 60


class Prompt(Protocol):
    """How the person at the terminal is asked. Raises EOFError at the end of input."""

    talking: bool
    """Whether somebody reads the questions, so that a line answers the one asked last."""

    def ask(self, question: str) -> Coroutine[object, object, str]:
        """A line; cancelling withdraws the question."""
        ...

    def ask_secretly(self, question: str) -> Coroutine[object, object, str]:
        """A line that is not shown while it is typed."""
        ...

    def hide(self) -> None:
        """Remove the last question from the screen."""
        ...


class GoneOn(Exception):
    """The table moved on while a line was awaited."""


@dataclass
class Conversation:
    """Plays one sitting at the prompt. The table runs in `runner` while a line is awaited."""

    runner: asyncio.Runner
    sitting: Sitting
    person: Prompt
    narrator: Narrator
    review: Callable[[Game], Iterator[str]]
    _narration: Narration = field(init=False)
    _lookups: Lookups = field(init=False)
    _turn: object = field(default=None, init=False)
    _done: bool = field(default=False, init=False)
    _away: bool = field(default=False, init=False)
    _proposal: Proposal | None = field(default=None, init=False)
    _kept: list[str] = field(default_factory=list, init=False)
    """A line from a pipe that came too early, for the next question."""

    def __post_init__(self) -> None:
        self._narration = Narration(self.sitting, self.narrator)
        self._lookups = Lookups(self.sitting, self.narrator, self.review)

    def hold(self) -> State:
        """Ask and answer until the series is over or the person leaves."""
        self.narrator.welcome(self._state)
        if self.sitting.invitation and not self._state.ready:
            self.narrator.invite(self.sitting.invitation)
        if not self._state.ready and not self.person.talking:
            self.narrator.note(call_sentence(self._state, None))
        stop_telling = self.sitting.watch(self._tell_at_once)
        try:
            self._converse()
        finally:
            stop_telling()
        return self._state

    def _converse(self) -> None:
        while not self._done:
            self._narration.catch_up()
            try:
                if is_wanted(self._state, self.sitting.seats):
                    self._prompt()
                else:
                    self._wait()
            except GoneOn:
                continue
            except EOFError:
                self.leave()
            except KeypegError as error:
                self._narration.catch_up()
                self.narrator.error(error)

    def _tell_at_once(self) -> None:
        """Tell, even while a line is awaited, what the person should know without delay."""
        self._tell_whether_away()
        proposal = self._state.series.proposal
        if proposal != self._proposal:
            self._proposal = proposal
            self._narration.catch_up()

    def _tell_whether_away(self) -> None:
        if self.sitting.away != self._away:
            self._away = self.sitting.away
            words = "The server is away, trying again." if self._away else "The server is back."
            self.narrator.note(words)

    def _wait(self) -> None:
        """Wait for the other side; commands about a person elsewhere are taken meanwhile."""
        state = self._state
        thinking = state.ready and self._who_may(state, TableOption.CLAIM) is None
        if thinking or self._kept or not self.sitting.seats:
            self._look_on()
            return
        me = self.sitting.seats[0]
        try:
            typed = self._asked(f"{call_sentence(state, None)} ", state)
        except EOFError:
            if self.person.talking:
                raise
            self._look_on()
            return
        if self.person.talking:
            self._hear(typed, state, me)
        elif not self._deal_with_absence(typed, me):
            self._kept.append(typed)

    def _look_on(self) -> None:
        """Wait until there is something to do or to tell."""
        told = self._state.seq
        seats = self.sitting.seats
        self.runner.run(
            until(self.sitting, lambda now: is_wanted(now, seats) or (not seats and now.seq > told))
        )

    def _asked(self, question: str, state: State, *, secretly: bool = False) -> str:
        """The line that answers a question asked in `state`; GoneOn once the table has moved on."""
        if self._kept:
            return self._kept.pop()
        ask = self.person.ask_secretly if secretly else self.person.ask
        return self.runner.run(self._typed(ask(question), _moment(state, self.sitting.seats)))

    async def _typed(self, answer: Coroutine[object, object, str], moment: object) -> str:
        seats = self.sitting.seats
        typing = asyncio.ensure_future(answer)
        passing = asyncio.ensure_future(
            until(self.sitting, lambda state: _moment(state, seats) != moment)
        )
        try:
            await asyncio.wait((typing, passing), return_when=asyncio.FIRST_COMPLETED)
            if not passing.done():
                return typing.result()
            passing.result()
            if typing.done() and not isinstance(typing.exception(), EOFError):
                self._take_late(typing.result())
            raise GoneOn  # if input has ended, the next question finds out
        finally:
            typing.cancel()
            passing.cancel()
            await asyncio.gather(typing, passing, return_exceptions=True)

    def _take_late(self, typed: str) -> None:
        """Deal with a line that came just as the table moved on.

        From a pipe it answers the next question. A person answered the old question, and the
        line must not be played in another row.
        """
        if self.person.talking:
            raise NotYourTurn("too late: the table had moved on")
        self._kept.append(typed)

    @property
    def _state(self) -> State:
        return state_of(self.sitting, onlooker(self.sitting))

    def _prompt(self) -> None:
        state = self._state
        seat = actor(state, self.sitting.seats)
        self._announce(state, seat)
        if seat is None:
            self._after_the_series(state)
        elif current_game(state).phase is Phase.SECRET and len(self.sitting.seats) > 1:
            self._hear_secretly(state, seat)
        else:
            self._hear(self._asked(self._question(state, seat), state), state, seat)

    def _hear_secretly(self, state: State, seat: Seat) -> None:
        typed = self._asked(self._question(state, seat), state, secretly=True)
        try:
            self._hear(typed, state, seat)
        except NotYourTurn:
            raise
        except (CannotRead, AgainstTheRules):
            raise KeypegError(discreet_refusal(current_game(state).board)) from None

    def _announce(self, state: State, seat: Seat | None) -> None:
        game = current_game(state)
        turn = (game.id, game.phase, len(game.rows), seat)
        if seat is not None and turn != self._turn:
            self.narrator.turn(state, seat)
        self._turn = turn

    def _question(self, state: State, seat: Seat) -> str:
        game, name = current_game(state), names_of(state)[seat]
        called = "" if name == YOU else f"{name}, "
        match game.phase:
            case Phase.SECRET:
                hidden = " (not shown)" if len(self.sitting.seats) > 1 else ""
                return _capital(f"{called}your secret code{hidden}: ")
            case Phase.GUESS:
                return _capital(f"{called}row {len(game.rows) + 1} of {game.board.rows}: ")
            case Phase.ANSWER:
                guess = game.rows[-1].guess or ()
                row = f"row {len(game.rows)}, {format_code(guess, game.board)}"
                return _capital(f"{called}key pegs for {row}: ")
            case Phase.OVER:
                challenge = "'challenge', " if self._who_may(state, TableOption.CHALLENGE) else ""
                return f"{call_sentence(state, seat)} Enter, {challenge}'review' or 'quit': "

    def _hear(self, typed: str, state: State, seat: Seat) -> None:
        """Do what a line asks for."""
        word, _, rest = typed.strip().partition(" ")
        game = current_game(state)
        match word.lower(), rest.strip():
            case (("quit" | "q" | "exit"), ""):
                self.leave()
            case "resign", "":
                self._do(seat, Resign())
            case "challenge", "":
                self._do(self._who_may(state, TableOption.CHALLENGE) or seat, Challenge())
            case "hint", wanted:
                self._hint(state, seat, wanted)
            case "limit", wanted:
                self._propose_limit(read_limit(wanted.lower()), seat)
            case (("accept" | "decline" | "withdraw") as word, ""):
                self._reply_about_limit(word, state, seat)
            case (("peek" | "random" | "draw"), ""):
                self._with_the_secret(word.lower(), game, seat)
            case (("guess" | "secret" | "answer" | "check"), said):
                self._play(said, game, seat)
            case _:
                known = self._lookups.answer(typed, state)
                if not known and not self._deal_with_absence(typed, seat):
                    self._play(typed.strip(), game, seat)

    def _deal_with_absence(self, typed: str, seat: Seat) -> bool:
        """Claim that the opponent has left, or give them time; whether the line asks for that."""
        match typed.lower().split():
            case ["claim"]:
                if len(self.sitting.seats) > 1:
                    raise NotYourTurn("the opponent is at this terminal")
                self._do(seat, ClaimAbsent())
            case ["more"]:
                self._give_time(seat, MINUTE)
            case ["more", seconds] if seconds.isdecimal() and len(seconds) < 9:
                self._give_time(seat, int(seconds))
            case _:
                return False
        return True

    def _propose_limit(self, seconds: int | None, seat: Seat) -> None:
        """Propose a turn limit; if both players are here, they agree on it."""
        by = self._who_may(self._state, TableOption.PROPOSE_LIMIT) or seat
        self._do(by, ProposeLimit(seconds))
        if by.other in self.sitting.seats:
            self._do(by.other, AcceptLimit(seconds))

    def _reply_about_limit(self, word: str, state: State, seat: Seat) -> None:
        proposal = state.series.proposal
        seconds = None if proposal is None else proposal.seconds
        replies: dict[str, tuple[TableOption, Command]] = {
            "accept": (TableOption.ACCEPT_LIMIT, AcceptLimit(seconds)),
            "decline": (TableOption.DECLINE_LIMIT, DeclineLimit()),
            "withdraw": (TableOption.WITHDRAW_LIMIT, WithdrawLimit()),
        }
        option, command = replies[word]
        self._do(self._who_may(state, option) or seat, command)

    def _give_time(self, seat: Seat, seconds: int) -> None:
        giver = self._who_may(self._state, TableOption.OFFER_TIME)
        self._do(giver or seat, OfferTime(seconds))

    def _who_may(self, state: State, option: TableOption) -> Seat | None:
        """Who here has this option."""
        return who_may(state, self.sitting.seats, option)

    def _play(self, typed: str, game: Game, seat: Seat) -> None:
        if not is_wanted(self._state, self.sitting.seats):
            if typed:
                raise NotYourTurn("it is not your turn; 'help' lists what can be typed")
        elif game.phase is Phase.OVER:
            if typed.lower() not in ("", "next", "n"):
                raise KeypegError("the game is over; press Enter to go on, or type 'review'")
            self._do(seat, NextGame())
        elif typed:
            self._do(seat, read_move(typed, game))

    def _do(self, seat: Seat, command: Command) -> None:
        try:
            self.runner.run(self.sitting.ask(seat, command))
        finally:
            # Time may have run out even if the command was refused.
            self._narration.catch_up()

    def _hint(self, state: State, seat: Seat, wanted: str) -> None:
        word, _, code = wanted.partition(" ")
        hint, game = hint_named(word.lower()), current_game(state)
        question = HintQuestion.about(game, parse_code(code, game.board) if code else None)
        hint.check(question)
        self._do(seat, UseHint(hint.grade))
        self.narrator.hint(hint.grade, hint.tell(question), game.board)

    def _with_the_secret(self, word: str, game: Game, seat: Seat) -> None:
        if word == "peek":
            self._peek(game, seat)
        elif game.phase is Phase.SECRET:
            self._do(seat, SetSecret(draw_code(game.board)))
        else:
            raise KeypegError("a code is drawn only when you are to set the secret")

    def _peek(self, game: Game, seat: Seat) -> None:
        """Show the maker the secret; if the opponent is here too, only until Enter."""
        mine = current_game(state_of(self.sitting, seat)).opening
        if mine is None:
            raise NotYourTurn("you have no secret to peek at now")
        secret = f"Your secret: {format_code(mine.code, game.board)}."
        if len(self.sitting.seats) == 1 or not self.person.talking:
            self.narrator.note(secret)
            return
        try:
            self._asked(f"{secret} Press Enter to hide it. ", self._state)
        finally:
            self.person.hide()

    def _after_the_series(self, state: State) -> None:
        rematch = "'rematch' " if self._who_may(state, TableOption.REMATCH) else ""
        typed = self._asked(f"Enter to leave, {rematch}or 'review': ", state).strip()
        if typed.lower() == "rematch":
            for seat in self.sitting.seats:
                self._do(seat, Rematch())
        elif not typed or typed.lower() in ("quit", "q", "exit", "next"):
            self._done = True
        elif not self._lookups.answer(typed, state):
            self.narrator.note("The series is over.")

    def leave(self) -> None:
        """Stop; a game that cannot be resumed is given up, so that its seal is opened."""
        self._done = True
        state = self._state
        seat = actor(state, self.sitting.seats)
        if state.series.over:
            return
        if self.sitting.way_back:
            self.narrator.note(f"Paused. {self.sitting.way_back}")
        elif seat is not None and TableOption.RESIGN in options(state, seat):
            self._do(seat, Resign())


def _moment(state: State, seats: tuple[Seat, ...]) -> object:
    """What a question is about; once this changes, an answer comes too late."""
    game, ready = current_game(state), (state.ready, state.rematch, state.series.over)
    return game.id, game.phase, len(game.rows), ready, actor(state, seats)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def converse(
    seating: AbstractAsyncContextManager[Sitting], person: Prompt, narrator: Narrator
) -> State:
    """Play the series of a table at the prompt; entering `seating` takes the seat."""
    with asyncio.Runner() as runner:
        sitting = runner.run(_entered(seating))
        try:
            talk = Conversation(runner, sitting, person, narrator, review_lines)
            try:
                return talk.hold()
            except KeyboardInterrupt:
                if person.talking and sitting.way_back:
                    talk.leave()
                raise
        finally:
            runner.run(_left(seating))


async def _entered(seating: AbstractAsyncContextManager[Sitting]) -> Sitting:
    return await seating.__aenter__()


async def _left(seating: AbstractAsyncContextManager[Sitting]) -> None:
    await seating.__aexit__(None, None, None)

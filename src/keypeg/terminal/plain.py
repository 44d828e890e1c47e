"""The game at a plain prompt: works in a pipe, with a screen reader, without colour.

Input and output are lines. The table lives on while a line is waited for: when it goes on
without one, as when time runs out, that is told and another question asked.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final, Protocol

from keypeg.draw import draw_code
from keypeg.rules.code import format_code, parse_code
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError, NotYourTurn
from keypeg.rules.game import Phase
from keypeg.rules.keypegs import parse_key_pegs
from keypeg.rules.notation import format_record
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
from keypeg.table.options import TableOption, options
from keypeg.terminal import scoresheet
from keypeg.terminal.hints import Question, hint_named
from keypeg.terminal.narration import Narration
from keypeg.terminal.review import review_lines
from keypeg.terminal.sitting import (
    Sitting,
    actor,
    current_game,
    is_wanted,
    onlooker,
    record_of,
    state_of,
    until,
    until_wanted,
    who_may,
)
from keypeg.terminal.wording import (
    YOU,
    call_sentence,
    discreet_refusal,
    names_of,
    row_sentence,
    score_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from contextlib import AbstractAsyncContextManager

    from keypeg.rules.game import Game
    from keypeg.rules.series import Seat
    from keypeg.table import State
    from keypeg.terminal.narration import Narrator

_HELP: Final = {
    TableOption.SET_SECRET: ("A CODE: your secret", "random: let one be drawn for you"),
    TableOption.GUESS: ("A CODE: play it in the next row",),
    TableOption.ANSWER: ("KEY PEGS: black then white, as 21, 2 1 or 2b1w",),
    TableOption.HINT: (
        "hint [left | may CODE | clash CODE | good | best]: a hint, which is noted",
    ),
    TableOption.NEXT_GAME: ("Enter or next: go on",),
    TableOption.CHALLENGE: ("challenge: say that an answer was wrong",),
    TableOption.REMATCH: ("rematch: play another series",),
    TableOption.CLAIM: ("claim: take the series, if the opponent has gone",),
    TableOption.OFFER_TIME: ("more [SECONDS]: give the opponent more time",),
    TableOption.RESIGN: ("resign: give this game up",),
}
"""What may be typed for what may be done."""
_ALWAYS: Final = (
    "rows, last, row N: read the board",
    "score, time: how it stands",
    "sheet, record: the whole series, to read, or to keep for 'keypeg analyse'",
    "review: what each row of a finished game was worth",
    "peek: see your own secret",
    "quit: stop here",
)
MINUTE: Final = 60


class Person(Protocol):
    """Whoever sits at the terminal: how they are asked. Raises EOFError when input ends."""

    talking: bool
    """Whether somebody looks on, so that a line is an answer to what was just said."""

    def ask(self, question: str) -> Coroutine[object, object, str]:
        """A line; a question that is withdrawn gets none."""
        ...

    def ask_secretly(self, question: str) -> Coroutine[object, object, str]:
        """A line that nobody sees being typed."""
        ...

    def hide(self) -> None:
        """Take the last question off the screen."""
        ...


class GoneOn(Exception):
    """The table went on without the line that was waited for."""


@dataclass
class Conversation:
    """One sitting, talked through. `runner` lets the table live while a line is waited for."""

    runner: asyncio.Runner
    sitting: Sitting
    person: Person
    narrator: Narrator
    review: Callable[[Game], Iterator[str]]
    _narration: Narration = field(init=False)
    _turn: object = field(default=None, init=False)
    _done: bool = field(default=False, init=False)
    _kept: list[str] = field(default_factory=list, init=False)
    """The line from a pipe that came before its turn."""

    def __post_init__(self) -> None:
        self._narration = Narration(self.sitting, self.narrator)

    def hold(self) -> State:
        """Talk until the series is over or the person has enough."""
        self.narrator.welcome(self._state)
        if not self._state.ready and not self.person.talking:
            self.narrator.note(call_sentence(self._state, None))
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
        return self._state

    def _wait(self) -> None:
        """Wait for the other side; of a person elsewhere something may be asked meanwhile."""
        state, me = self._state, self.sitting.seats[0]
        thinking = state.ready and self._who_may(state, TableOption.CLAIM) is None
        if thinking or self._kept:
            self.runner.run(until_wanted(self.sitting))
            return
        try:
            typed = self._asked(f"{call_sentence(state, None)} ", state)
        except EOFError:
            if self.person.talking:
                raise
            self.runner.run(until_wanted(self.sitting))
            return
        if self.person.talking:
            self._hear(typed, state, me)
        elif not self._speak_of_the_absent(typed, me):
            self._kept.append(typed)

    def _asked(self, question: str, state: State, *, secretly: bool = False) -> str:
        """The line that answers a question asked in `state`; GoneOn when that has passed."""
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
            raise GoneOn  # where input has ended, the next question finds that out
        finally:
            typing.cancel()
            passing.cancel()
            await asyncio.gather(typing, passing, return_exceptions=True)

    def _take_late(self, typed: str) -> None:
        """A line came just as the table went on: a pipe's is for the next question.

        A person's answered the old question, and must not be played in another row.
        """
        if self.person.talking:
            raise NotYourTurn("the table had gone on when this came")
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
        turn = (game.id, game.phase, seat)
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
        """Do what was typed."""
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
            case (("peek" | "random" | "draw"), ""):
                self._with_the_secret(word.lower(), game, seat)
            case (("guess" | "secret" | "answer" | "check"), said):
                self._play(said, game, seat)
            case _:
                if not self._read_aloud(typed, state) and not self._speak_of_the_absent(
                    typed, seat
                ):
                    self._play(typed.strip(), game, seat)

    def _speak_of_the_absent(self, typed: str, seat: Seat) -> bool:
        """Claim that the opponent has gone, or give them time, if that was asked."""
        match typed.lower().split():
            case ["claim"]:
                if len(self.sitting.seats) > 1:
                    raise NotYourTurn("no opponent elsewhere is waited for")
                self._do(seat, ClaimAbsent())
            case ["more"]:
                self._give_time(seat, MINUTE)
            case ["more", seconds] if seconds.isdecimal() and len(seconds) < 9:
                self._give_time(seat, int(seconds))
            case _:
                return False
        return True

    def _give_time(self, seat: Seat, seconds: int) -> None:
        giver = self._who_may(self._state, TableOption.OFFER_TIME)
        self._do(giver or seat, OfferTime(seconds))

    def _who_may(self, state: State, option: TableOption) -> Seat | None:
        """Who here has this option; where nobody has, the table says why not."""
        return who_may(state, self.sitting.seats, option)

    def _read_aloud(self, typed: str, state: State) -> bool:
        """Say what was asked for, if something was."""
        game = current_game(state)
        match typed.lower().split():
            case ["help"] | ["?"]:
                offered = (_HELP[option] for option in TableOption if self._who_may(state, option))
                for line in (*chain.from_iterable(offered), *_ALWAYS):
                    self.narrator.note(line)
            case ["rows"] | ["board"]:
                self.narrator.rows(game)
            case ["last"] | ["l"]:
                self._read_row(game, len(game.rows))
            case ["row", number] if number.isdecimal() and len(number) < 9:
                self._read_row(game, int(number))
            case ["score"]:
                self.narrator.note(score_sentence(state))
            case ["time"]:
                self.narrator.note(self._time())
            case ["review"]:
                self._review(state)
            case ["sheet"]:
                self.narrator.note("\n".join(scoresheet.as_lines(record_of(self.sitting))))
            case ["record"]:
                self.narrator.note(format_record(record_of(self.sitting)))
            case _:
                return False
        return True

    def _read_row(self, game: Game, number: int) -> None:
        if 1 <= number <= len(game.rows):
            self.narrator.note(row_sentence(game, number))
        else:
            self.narrator.note(
                "No row is played yet." if not game.rows else "There is no such row."
            )

    def _time(self) -> str:
        left = self.sitting.seconds_left
        return "No clock runs." if left is None else f"{left:.0f} seconds are left."

    def _review(self, state: State) -> None:
        games = [game for game in state.series.games if game.outcome is not None and game.rows]
        if not games:
            self.narrator.note("There is a review when a game is over.")
            return
        for line in self.review(games[-1]):
            self.narrator.note(line)

    def _play(self, typed: str, game: Game, seat: Seat) -> None:
        if not is_wanted(self._state, self.sitting.seats):
            if typed:
                raise NotYourTurn("it is not your turn; 'help' says what may be typed")
        elif game.phase is Phase.OVER:
            if typed.lower() not in ("", "next", "n"):
                raise KeypegError("the game is over; Enter goes on, 'review' looks back")
            self._do(seat, NextGame())
        elif typed:
            self._do(seat, _move(typed, game))

    def _do(self, seat: Seat, command: Command) -> None:
        try:
            self.runner.run(self.sitting.ask(seat, command))
        finally:
            # Even what was refused may have let time run out.
            self._narration.catch_up()

    def _hint(self, state: State, seat: Seat, wanted: str) -> None:
        word, _, code = wanted.partition(" ")
        hint, game = hint_named(word.lower()), current_game(state)
        question = Question.about(game, parse_code(code, game.board) if code else None)
        hint.check(question)
        self._do(seat, UseHint(hint.grade))
        self.narrator.note(hint.tell(question))

    def _with_the_secret(self, word: str, game: Game, seat: Seat) -> None:
        if word == "peek":
            self._peek(game, seat)
        elif game.phase is Phase.SECRET:
            self._do(seat, SetSecret(draw_code(game.board)))
        else:
            raise KeypegError("a code is drawn for you only when you are to set the secret")

    def _peek(self, game: Game, seat: Seat) -> None:
        """Show the maker the secret; before another's eyes only until Enter."""
        mine = current_game(state_of(self.sitting, seat)).opening
        if mine is None:
            raise NotYourTurn("there is no secret of yours to peek at now")
        told = f"Your secret: {format_code(mine.code, game.board)}."
        if len(self.sitting.seats) == 1 or not self.person.talking:
            self.narrator.note(told)
            return
        try:
            self._asked(f"{told} Enter hides it. ", self._state)
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
        elif not self._read_aloud(typed, state):
            self.narrator.note("The series is over.")

    def leave(self) -> None:
        """Stop: a table on disk waits; another's game is given up, so that its seal is opened."""
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
    """What a question is about: once it changes, an answer comes too late."""
    game, ready = current_game(state), (state.ready, state.rematch, state.series.over)
    return game.id, game.phase, len(game.rows), ready, actor(state, seats)


def _move(typed: str, game: Game) -> Command:
    """What is typed, as the move that the game waits for."""
    if game.phase is Phase.ANSWER:
        return Answer(parse_key_pegs(typed, game.board))
    code = parse_code(typed, game.board)
    return SetSecret(code) if game.phase is Phase.SECRET else Guess(code)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def converse(
    place: AbstractAsyncContextManager[Sitting], person: Person, narrator: Narrator
) -> State:
    """Talk through the series of a table, wherever that is."""
    with asyncio.Runner() as runner:
        sitting = runner.run(_entered(place))
        try:
            talk = Conversation(runner, sitting, person, narrator, review_lines)
            try:
                return talk.hold()
            except KeyboardInterrupt:
                if person.talking and sitting.way_back:
                    talk.leave()
                raise
        finally:
            runner.run(_left(place))


async def _entered(place: AbstractAsyncContextManager[Sitting]) -> Sitting:
    return await place.__aenter__()


async def _left(place: AbstractAsyncContextManager[Sitting]) -> None:
    await place.__aexit__(None, None, None)

"""A race or a duel at a prompt, with what the others do told while a line is typed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from keypeg import messages as wire
from keypeg.draw import draw_code, new_id
from keypeg.rules.code import describe_code, format_code, parse_code
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError, NotYourTurn
from keypeg.rules.keypegs import parse_key_pegs
from keypeg.rules.match.options import MatchOption
from keypeg.rules.match.state import MatchStage
from keypeg.terminal import match_narration as narration
from keypeg.terminal.match_narration import board_of, called, listed, me, others
from keypeg.terminal.vocabulary import no_such_command

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from contextlib import AbstractAsyncContextManager

    from keypeg.messages import MatchCommand, MatchOut, MatchPlayer
    from keypeg.rules.board import Board
    from keypeg.terminal.assist import Teller
    from keypeg.terminal.match_sources import MatchSitting, MatchSource

WARNINGS: Final = (60, 30, 10)
"""Seconds before the end of your time at which you are told."""
MARGIN: Final = 0.5
"""Seconds by which a warning may come too early, and is not given again."""
LEAST_SHARE: Final = 1.5
"""A warning is given if the time for a row is at least this many times as long."""
HELP: Final = {
    MatchOption.START: "start, or Enter: begin with those who are here",
    MatchOption.SECRET: "A CODE: your secret code for the other; random: draw one",
    MatchOption.GUESS: "A CODE (rrbg, 1124 or RD RD BU GN): your next row",
    MatchOption.ANSWER: "KEY PEGS for the other's row, black, then white: 21, 2 1 or 2b1w",
    MatchOption.CHALLENGE: "challenge: say that an answer was wrong",
    MatchOption.CLOSE: "close, or Enter: accept the answers",
    MatchOption.GIVE_UP: "give up: play no more rows",
    MatchOption.LEAVE: "leave: give up your place before it begins",
    MatchOption.ANOTHER: "another: play again",
}
ALWAYS: Final = (
    "rows: all rows that you may see; players: who does what; time: the clocks",
    "seal: the seals; code: the code that you have set; quit: come back later",
)
_TURN: Final = (
    MatchOption.START,
    MatchOption.SECRET,
    MatchOption.ANSWER,
    MatchOption.GUESS,
    MatchOption.CLOSE,
    MatchOption.ANOTHER,
)
"""What a line without a command is about, the first that is open."""
_ALONE: Final = {
    "start": MatchOption.START,
    "challenge": MatchOption.CHALLENGE,
    "close": MatchOption.CLOSE,
    "leave": MatchOption.LEAVE,
    "give up": MatchOption.GIVE_UP,
    "resign": MatchOption.GIVE_UP,
    "another": MatchOption.ANOTHER,
}
"""Commands to which nothing is added."""


class Person(Protocol):
    """How the person at the terminal is asked. Raises EOFError at the end of input."""

    talking: bool
    """Whether somebody reads the questions."""

    def ask(self, question: str) -> Coroutine[object, object, str]:
        """A line; cancelling withdraws the question."""
        ...


class _Moment(NamedTuple):
    """What a question is about; once this changes, an answer comes too late."""

    option: MatchOption | None
    about: object


class MatchTalk:
    """Plays one match at the prompt, until it is over or the person leaves."""

    def __init__(self, sitting: MatchSitting, person: Person, teller: Teller) -> None:
        self._sitting, self._person, self._teller = sitting, person, teller
        self._told = sitting.view
        self._turn: _Moment | None = None
        self._kept: list[str] = []
        """A line from a pipe that came too early, for the next question."""
        self._going = True
        self.next: str | None = None
        """The match that follows, if the person wants to play it."""

    async def hold(self) -> None:
        """Ask and tell until the match is over or the person leaves."""
        view = self._told
        self._tell(narration.introduced(view, self._sitting.link))
        if view.stage is MatchStage.WAITING and self._sitting.link and view.you is not None:
            self._teller.note(f"Send this link to others: {self._sitting.link}")
        if any(player.rows for player in view.players):
            self._teller.note(*narration.all_rows(view))
        if view.stage in (MatchStage.OVER, MatchStage.CANCELLED):
            self._tell(*narration.ended(view))
        while self._going:
            self._catch_up()
            try:
                await self._go_on()
            except EOFError:
                self._leave()
            except KeypegError as error:
                self._catch_up()
                self._teller.error(error)

    async def _go_on(self) -> None:
        """One question, or a wait for something to happen."""
        view = self._sitting.view
        moment, over = _moment(view), view.stage in _ENDED
        if over and moment.option is None and view.next is None:
            self._going = False
            return
        if not over and moment.option is None and not self._person.talking:
            await self._look_on(view, moment)
            return
        self._announce(view, moment)
        typed = await self._asked(_question(view, moment), moment)
        if typed is not None:
            await self._hear(typed.strip(), moment)

    async def _look_on(self, view: MatchOut, moment: _Moment) -> None:
        """Wait for the others; from a pipe, only commands are taken meanwhile."""
        if not self._kept:
            try:
                typed = await self._asked(_question(view, moment), moment)
            except EOFError:
                pass  # the next question finds out
            else:
                if typed is not None and typed.strip().lower() in _ALWAYS_TAKEN:
                    await self._hear(typed.strip(), moment)
                elif typed is not None:
                    self._kept.append(typed)
                return
        await self._sitting.changed(view)

    def _announce(self, view: MatchOut, moment: _Moment) -> None:
        """Tell a program what is awaited from it; a person sees it by the question."""
        if moment == self._turn or moment.option is None:
            return
        self._turn = moment
        due = _due(view)
        seconds = None if due is None else max(0, round((due - self._sitting.now) / 1000))
        row = moment.about if isinstance(moment.about, int) else None
        data = {"do": moment.option.value, "row": row, "seconds": seconds, "code": None}
        waiting = _to_answer(view)
        if moment.option is MatchOption.ANSWER and waiting is not None:
            data["code"] = format_code(waiting.code, board_of(view))
        self._teller.tell("turn", data, ())

    def _tell(self, *all_told: narration.Told) -> None:
        for told in all_told:
            self._teller.tell(*told)

    def _catch_up(self) -> None:
        """Tell what has happened since the last time."""
        before, now = self._told, self._sitting.view
        if before is now:
            return
        self._told = now
        self._tell(*narration.happened(before, now))
        if now.next is not None and before.next is None:
            self._teller.note("Another one is open: type 'another' to play it.")

    async def _asked(self, question: str, moment: _Moment) -> str | None:
        """A line that answers a question; None once the match has moved on.

        What happens meanwhile is told at once.
        """
        if self._kept:
            return self._kept.pop()
        typing = asyncio.ensure_future(self._person.ask(question))
        try:
            while True:
                await self._typed_or_changed(typing)
                if typing.done():
                    return self._taken(typing.result(), moment)
                self._catch_up()
                if self._is_over(question, moment):
                    return None
        finally:
            typing.cancel()
            await asyncio.gather(typing, return_exceptions=True)

    def _is_over(self, question: str, moment: _Moment) -> bool:
        """Whether a question is not the one to be asked now."""
        view = self._sitting.view
        now = _moment(view)
        waits = now.option is None and _question(view, now) != question
        return now != moment or waits

    def _taken(self, typed: str, moment: _Moment) -> str | None:
        """A line, unless it came just as the match moved on."""
        if _moment(self._sitting.view) == moment:
            return typed
        if self._person.talking:
            raise NotYourTurn("too late: the match had moved on")
        self._kept.append(typed)
        return None

    async def _typed_or_changed(self, typing: asyncio.Future[str]) -> None:
        """Wait for a line or for something to happen; warn when little time is left."""
        changing = asyncio.ensure_future(self._sitting.changed(self._told))
        warning, seconds = self._next_warning()
        try:
            done, _ = await asyncio.wait(
                (typing, changing), timeout=seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if changing in done:
                changing.result()
            if not done:
                self._teller.note(f"{narration.time_words(warning)} left.")
        finally:
            changing.cancel()
            await asyncio.gather(changing, return_exceptions=True)

    def _next_warning(self) -> tuple[int, float | None]:
        """The next warning, and in how many seconds it is due; None if there is none."""
        view = self._sitting.view
        due = _due(view)
        if due is not None and self._person.talking:
            left = (due - self._sitting.now) / 1000
            for warning in WARNINGS:
                if warning < left - MARGIN and view.row_seconds >= LEAST_SHARE * warning:
                    return warning, left - warning
        return 0, None

    async def _hear(self, typed: str, moment: _Moment) -> None:
        """Do what a line asks for."""
        word = typed.lower()
        if word in ("quit", "q", "exit"):
            self._leave()
        elif word in ("help", "?"):
            view = self._sitting.view
            self._teller.note(*(HELP[one] for one in HELP if one in view.options), *ALWAYS)
        elif word in _ALONE:
            await self._do(_ALONE[word])
        elif not self._look_up(word):
            await self._play(typed, moment)

    def _look_up(self, word: str) -> bool:
        """Answer a question about the match; whether it was one."""
        view = self._sitting.view
        match word:
            case "rows" | "board":
                self._teller.note(*narration.all_rows(view))
            case "players":
                self._teller.note(*narration.player_lines(view, self._sitting.now))
            case "time":
                self._teller.note(*self._clocks(view))
            case "seal":
                self._teller.note(*narration.seal_lines(view))
            case "code" | "peek":
                if view.secret is None:
                    raise AgainstTheRules("you have not set a code")
                self._teller.note(f"Your code: {describe_code(view.secret, board_of(view))}.")
            case _:
                return False
        return True

    def _clocks(self, view: MatchOut) -> list[str]:
        due = _due(view)
        if due is None:
            return ["No clock of yours is running."]
        return [f"You have {narration.clock_words((due - self._sitting.now) / 1000)} left."]

    async def _play(self, typed: str, moment: _Moment) -> None:
        """A line without a command: a code, key pegs, or just Enter."""
        option, view = moment.option, self._sitting.view
        if not typed:
            if option in (MatchOption.START, MatchOption.CLOSE):
                await self._do(option)
            elif option is MatchOption.ANOTHER or view.stage in _ENDED:
                self._going = False
            return
        match option:
            case MatchOption.SECRET:
                board = board_of(view)
                code = draw_code(board) if typed.lower() == "random" else read_code(typed, board)
                await self._sitting.do(wire.MatchSecret(id=new_id(), code=code))
                self._teller.note(f"Your code is set: {format_code(code, board)}.")
            case MatchOption.ANSWER:
                await self._answer(typed, view)
            case MatchOption.GUESS:
                await self._guess(typed, view)
            case MatchOption.START:
                raise AgainstTheRules("it has not begun: Enter starts it")
            case _:
                read_code(typed, board_of(view))
                if view.you is None:
                    raise NotYourTurn("you only watch; 'help' lists what can be typed")
                raise NotYourTurn("you have no row to fill now; 'help' lists what can be typed")

    async def _guess(self, typed: str, view: MatchOut) -> None:
        code, row = read_code(typed, board_of(view)), _next_row(view)
        await self._sitting.do(wire.MatchGuess(id=new_id(), row=row, code=code))

    async def _answer(self, typed: str, view: MatchOut) -> None:
        """Place key pegs; a code is the person's own next row, if that may be filled too."""
        board, waiting = board_of(view), _to_answer(view)
        assert waiting is not None  # noqa: S101 - that is what the option says
        try:
            keys = parse_key_pegs(typed, board)
        except CannotRead:
            if MatchOption.GUESS not in view.options or not _is_code(typed, board):
                raise
            await self._guess(typed, view)
            return
        command = wire.MatchAnswerByHand(
            id=new_id(), row=waiting.row, black=keys.black, white=keys.white
        )
        await self._sitting.do(command)

    async def _do(self, option: MatchOption) -> None:
        """Something that needs no more than its name."""
        view = self._sitting.view
        if option is MatchOption.ANOTHER and view.next is not None:
            self.next, self._going = view.next, False
            return
        await self._sitting.do(_SIMPLE[option](id=new_id()))
        if option is MatchOption.LEAVE:
            self._catch_up()
            self._teller.note("You have left.")
            self._going = False
        elif option is MatchOption.ANOTHER:
            self.next, self._going = self._sitting.view.next, False

    def _leave(self) -> None:
        self._going = False
        if self._sitting.view.stage not in _ENDED:
            self.say_goodbye()

    def say_goodbye(self) -> None:
        """How to come back."""
        if _due(self._sitting.view) is not None and self._sitting.link is not None:
            self._teller.note("Your clock runs on.")
        self._teller.note(f"To come back: {self._sitting.way_back}")


_ALWAYS_TAKEN: Final = frozenset(("leave", "give up", "resign", "challenge", "quit", "q", "exit"))
"""What a program may send while nothing is awaited from it."""
_SIMPLE: Final[dict[MatchOption, Callable[..., MatchCommand]]] = {
    MatchOption.START: wire.StartMatch,
    MatchOption.CHALLENGE: wire.MatchChallenge,
    MatchOption.CLOSE: wire.CloseMatch,
    MatchOption.LEAVE: wire.LeaveMatch,
    MatchOption.GIVE_UP: wire.GiveUpMatch,
    MatchOption.ANOTHER: wire.AnotherMatch,
}
"""Commands that have no more than their name."""
_ENDED: Final = (MatchStage.OVER, MatchStage.CANCELLED)


async def play_matches(
    source: AbstractAsyncContextManager[MatchSource],
    first: str | None,
    name: str | None,
    person: Person,
    teller: Teller,
    *,
    watching: bool = False,
    **wanted: object,
) -> None:
    """Play a match, and others after it as long as the person wants another.

    `first` is the id of the match to join or to watch; without one, a match is opened.
    """
    async with source as matches:
        entering: AbstractAsyncContextManager[MatchSitting] | None
        if first is None:
            entering = matches.opened(name=name, **wanted)
        else:
            entering = matches.watched(first) if watching else matches.joined(first, name)
        while entering is not None:
            async with entering as sitting:
                talk = MatchTalk(sitting, person, teller)
                try:
                    await talk.hold()
                except asyncio.CancelledError:
                    if person.talking and sitting.view.stage not in _ENDED:
                        talk.say_goodbye()
                    raise
            mine = me(sitting.view)
            name = name or (None if mine is None else mine.name)
            entering = None if talk.next is None else matches.joined(talk.next, name)


def read_code(typed: str, board: Board) -> tuple[int, ...]:
    """A line as a code; refuses what was meant as a command as such."""
    try:
        return parse_code(typed, board)
    except CannotRead as error:
        word = typed.lower().partition(" ")[0]
        raise no_such_command(word, board) or error from None


def _is_code(typed: str, board: Board) -> bool:
    try:
        parse_code(typed, board)
    except KeypegError:
        return False
    return True


def _moment(view: MatchOut) -> _Moment:
    """What is awaited from the person here, and what exactly it is about."""
    option = next((option for option in _TURN if option in view.options), None)
    about: object = view.stage
    if option is MatchOption.GUESS:
        about = _next_row(view)
    elif option is MatchOption.ANSWER:
        waiting = _to_answer(view)
        about = waiting and waiting.row
    return _Moment(option, about)


def _next_row(view: MatchOut) -> int:
    """The number of the row that the person here fills next."""
    mine = me(view)
    return 1 + len((mine and mine.rows) or ())


def _to_answer(view: MatchOut) -> wire.MatchToAnswer | None:
    return next((one.to_answer for one in view.players if one.to_answer is not None), None)


def _due(view: MatchOut) -> int | None:
    """When the next of the clocks of the person here runs out."""
    mine, waiting = me(view), _to_answer(view)
    found = [one.due for one in (mine, waiting) if one is not None]
    return min((due for due in found if due is not None), default=None)


def _question(view: MatchOut, moment: _Moment) -> str:
    """What is asked of a person."""
    board, waiting = board_of(view), _to_answer(view)
    match moment.option:
        case MatchOption.START:
            return f"{_waiting_words(view)} Enter starts: "
        case MatchOption.SECRET:
            return f"Your secret code for {listed(_names(view, others(view)))}: "
        case MatchOption.ANSWER if waiting is not None:
            code = format_code(waiting.code, board)
            name = listed(_names(view, others(view)))
            return f"Key pegs for {name}'s row {waiting.row}, {code}: "
        case MatchOption.GUESS:
            return f"Row {moment.about} of {board.rows}: "
        case MatchOption.CLOSE:
            return "Were all answers right? Enter accepts them, 'challenge' does not: "
        case MatchOption.ANOTHER:
            return "Enter to leave, 'another' plays again: "
    return _waiting_question(view)


def _waiting_question(view: MatchOut) -> str:
    """The prompt of somebody who has nothing to do now."""
    if view.stage in _ENDED:
        again = ", 'another' plays the next one" if view.next is not None else ""
        return f"Enter to leave{again}: "
    if view.stage is MatchStage.WAITING:
        return f"{_waiting_words(view)} "
    awaited = [one for one in others(view) if not one.done and not one.filled]
    if not awaited:
        return "Waiting. "
    return f"Waiting for {listed(_names(view, awaited))}. "


def _waiting_words(view: MatchOut) -> str:
    free = view.places - len(view.players)
    here = f"{len(view.players)} of {view.places} are here."
    return here if free else "All are here."


def _names(view: MatchOut, players: list[MatchPlayer]) -> list[str]:
    return [called(view, player.number) for player in players]

"""Tells what happens at a table: to a person in lines, or to a machine as JSON.

A `Narration` follows one table and passes each new event to a narrator, which words it.
"""

from __future__ import annotations

import json
import textwrap
from typing import TYPE_CHECKING, Final

from keypeg.rules.code import format_code
from keypeg.rules.errors import counted
from keypeg.rules.events import (
    Answered,
    Challenged,
    Event,
    Guessed,
    LimitAccepted,
    LimitDeclined,
    LimitEvent,
    LimitProposed,
    LimitWithdrawn,
    RowExpired,
    SecretSet,
)
from keypeg.rules.game import Phase
from keypeg.rules.series import Seat
from keypeg.rules.terms import KeyPegMode
from keypeg.store.events import Rematched, RematchOffered, SeatTaken, TimeCredited, TimeOffered
from keypeg.table.state import begin, fold, happen
from keypeg.table.view import as_entry
from keypeg.terminal.sitting import current_game, onlooker
from keypeg.terminal.wording import (
    ending_sentence,
    limit_sentence,
    names_of,
    result_sentence,
    row_line,
    row_sentence,
    score_sentence,
    secret_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from keypeg.rules.board import Board
    from keypeg.rules.errors import KeypegError
    from keypeg.rules.game import Game
    from keypeg.store.events import Grade, LogEvent
    from keypeg.table import Seen, State
    from keypeg.terminal.hints import ToldHint
    from keypeg.terminal.sitting import Sitting

WIDTH: Final = 80
"""The longest lines, in columns."""
HELP: Final = "Type a code, 'rows' to see the board so far, 'help' for more, 'quit' to stop."


class Narrator:
    """How a game is told to a person. `write` takes one line."""

    replies = "The other player types 'accept' or 'decline'."
    """How to reply to a proposed turn limit."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self.write = write

    def happened(self, state: State, event: LogEvent) -> None:
        """Something happened, and led to `state`."""
        game = current_game(state)
        match event:
            case SecretSet(expired=True):
                self.note("Time ran out: the referee draws a code.")
                self.begin(state)
            case SecretSet():
                self.begin(state)
            case Answered(expired=True):
                self.note("Time ran out: the referee places the key pegs.")
                self.row(game, len(game.rows))
            case Answered() | RowExpired():
                self.row(game, len(game.rows))
            case Guessed() if state.settings.terms.key_pegs is not KeyPegMode.REFEREE:
                self.guessed(game)
            case Challenged(upheld):
                self.challenged(upheld=upheld)
            case LimitProposed() | LimitAccepted() | LimitDeclined() | LimitWithdrawn():
                self.limit(state, event)
            case TimeOffered(seconds):
                self.note(f"The turn is extended by {counted(seconds, 'second')}.")
            case TimeCredited(milliseconds):
                given = counted(round(milliseconds / 1000), "second")
                self.note(f"{given} given back after a break.")
            case SeatTaken(_, name):
                self.note(f"{name} sits down.")
            case RematchOffered(seat):
                self.note(f"{names_of(state)[seat]} wants to play again.")
            case Rematched():
                self.note("Another series begins, with the roles swapped.")
            case _:
                pass
        if (
            isinstance(event, Event)
            and game.settled
            and not isinstance(event, Challenged | LimitEvent)
        ):
            self.end(state)

    def welcome(self, state: State) -> None:
        """The board, and how to write a code."""
        board = state.settings.terms.board
        holes, rows = counted(board.holes, "hole"), counted(board.rows, "row")
        self.write(f"Board {board}: {holes}, {counted(board.codes, 'code')}, {rows}.")
        for line in legend(board):
            self.write(line)
        self.write(HELP)

    def invite(self, link: str) -> None:
        """How somebody else gets to the other seat."""
        self.write(f"Invite the other player: {link}")

    def begin(self, state: State) -> None:
        """Who set a secret, and its seal."""
        game, names = current_game(state), names_of(state)
        self.write(f"{names[state.series.maker]}: the code is set; {score_sentence(state)}")
        self.write(f"Sealed: {game.seal}")

    def guessed(self, game: Game) -> None:
        """A row that waits for its answer."""
        self.write(row_line(game, len(game.rows)))

    def row(self, game: Game, number: int) -> None:
        """A row with its answer."""
        self.write(row_line(game, number))

    def rows(self, game: Game) -> None:
        """All rows so far."""
        if not game.rows:
            self.note("No row is played yet.")
        for number in range(1, len(game.rows) + 1):
            self.row(game, number)

    def challenged(self, *, upheld: bool) -> None:
        """How a challenge ended."""
        verdict = "upheld: an answer was wrong" if upheld else "rejected: every answer is right"
        self.note(f"Challenge {verdict}.")

    def limit(self, state: State, event: LimitEvent) -> None:
        """What somebody said about the turn limit, and how to reply."""
        self.note(limit_sentence(state, event))
        if isinstance(event, LimitProposed) and self.replies:
            self.note(self.replies)

    def turn(self, state: State, seat: Seat) -> None:
        """Somebody here is to do something; people see it by the prompt."""

    def note(self, text: str) -> None:
        """A sentence that is not about an event."""
        self.write(text)

    def hint(self, grade: Grade, hint: ToldHint, board: Board) -> None:  # noqa: ARG002 - for programs
        """What a hint says."""
        self.write(hint.words)

    def error(self, error: KeypegError) -> None:
        """Why nothing happened."""
        self.write(f"Not played: {error}")

    def end(self, state: State) -> None:
        """How it ended, the opened seal, and the score."""
        game = current_game(state)
        self.write(ending_sentence(game))
        if game.revealed and game.opening is not None:
            self.write(secret_sentence(game))
            if game.opening.nonce is not None:
                self.write(f"The seal opens with game {game.id} and nonce")
                self.write(f"  {game.opening.nonce.hex()}")
        self.write(f"Score: {score_sentence(state)}")
        if state.series.over:
            self.write(result_sentence(state.series, names_of(state)))


class JsonNarrator(Narrator):
    """The same, one JSON object a line."""

    def welcome(self, state: State) -> None:
        """A program does not need the board explained."""

    def invite(self, link: str) -> None:
        """The link to the table."""
        self._tell(event="invitation", link=link)

    def begin(self, state: State) -> None:
        """The board and the seal."""
        game = current_game(state)
        self._tell(event="sealed", board=str(game.board), game=game.id, seal=game.seal)

    def guessed(self, game: Game) -> None:
        """A row that waits for its answer."""
        guess = game.rows[-1].guess
        if guess is not None:
            code = format_code(guess, game.board)
            self._tell(event="guess", row=len(game.rows), guess=code)

    def row(self, game: Game, number: int) -> None:
        """A row with its answer."""
        row = game.rows[number - 1]
        if row.guess is None:
            self._tell(event="row", row=number, guess=None, black=None, white=None)
        elif row.keys is not None:
            code = format_code(row.guess, game.board)
            self._tell(event="row", row=number, guess=code, **row.keys._asdict())

    def challenged(self, *, upheld: bool) -> None:
        """How a challenge ended."""
        self._tell(event="challenge", upheld=upheld)

    def limit(self, state: State, event: LimitEvent) -> None:
        """What somebody said about the turn limit, as data."""
        what, proposal = event.kind.removeprefix("limit-"), state.series.proposal
        seconds = event.seconds if isinstance(event, LimitProposed | LimitAccepted) else None
        by = proposal and proposal.seat.value
        self._tell(event="limit", what=what, seat=by, seconds=seconds)

    def turn(self, state: State, seat: Seat) -> None:
        """Somebody here is to do something."""
        game = current_game(state)
        role = state.series.role(seat).value
        row = {Phase.GUESS: len(game.rows) + 1, Phase.ANSWER: len(game.rows)}.get(game.phase)
        self._tell(event="turn", seat=seat.value, role=role, phase=game.phase.value, row=row)

    def note(self, text: str) -> None:
        """A sentence that is not about an event."""
        if text:
            self._tell(event="note", text=text)

    def hint(self, grade: Grade, hint: ToldHint, board: Board) -> None:
        """What a hint says, in words and as data."""
        self._tell(
            event="hint",
            grade=grade.value,
            text=hint.words,
            candidates=hint.left and hint.left.value,
            exact=hint.left and hint.left.exact,
            possible=hint.possible,
            contradicts=hint.clashes and list(hint.clashes),
            guess=hint.guess and format_code(hint.guess, board),
        )

    def error(self, error: KeypegError) -> None:
        """Why nothing happened."""
        self._tell(event="error", error=str(error))

    def end(self, state: State) -> None:
        """How it ended, the opened seal, and the score."""
        game, result = current_game(state), state.series.result
        opening = game.opening if game.revealed else None
        points = state.series.points
        self._tell(
            event="end",
            ending=game.outcome and game.outcome.ending.value,
            rows=len(game.rows),
            secret=opening and format_code(opening.code, game.board),
            nonce=opening and opening.nonce and opening.nonce.hex(),
            points={seat.value: points.of(seat) for seat in Seat},
            over=result is not None,
            winner=result and result.winner and result.winner.value,
        )

    def _tell(self, **fields: object) -> None:
        self.write(json.dumps(fields))


class BriefNarrator(Narrator):
    """The same in fewer words: the board shows the rest."""

    replies = "The other player presses ^t to reply."

    def begin(self, state: State) -> None:
        """The secret is set."""
        self.write(f"{names_of(state)[state.series.maker]} set the code. It is sealed.")

    def guessed(self, game: Game) -> None:
        """The board shows it."""

    def row(self, game: Game, number: int) -> None:
        """The row, read out."""
        self.write(row_sentence(game, number))

    def end(self, state: State) -> None:
        """How it ended."""
        game = current_game(state)
        self.write(ending_sentence(game))
        if game.revealed:
            self.write(secret_sentence(game))
        if state.series.over:
            self.write(result_sentence(state.series, names_of(state)))


class Narration:
    """How much of a table's log has been told."""

    def __init__(self, sitting: Sitting, narrator: Narrator) -> None:
        self._sitting, self._narrator = sitting, narrator
        self._told: State | None = None

    def catch_up(self) -> None:
        """Tell what happened since the last call."""
        after = self._told.seq if self._told else 0
        for seen in self._sitting.seen(onlooker(self._sitting), after):
            self._told = self._tell(seen)

    def _tell(self, seen: Seen) -> State:
        entry, state = as_entry(seen), self._told
        if state is None:
            return begin(self._sitting.id, entry)
        for event in seen.events:
            state = happen(state, event)
            if not (isinstance(event, SeatTaken) and event.seat in self._sitting.seats):
                self._narrator.happened(state, event)
        return fold(self._told or state, entry)


def legend(board: Board) -> Iterator[str]:
    """How codes are written on this board."""
    named = (f"{colour.short} or {colour.letter} {colour.name}" for colour in board.palette)
    yield from textwrap.wrap("Colours: " + ", ".join(named), WIDTH, subsequent_indent="  ")
    if board.blanks:
        yield "A blank is written -"
    if not board.repeats:
        yield "No colour occurs twice."

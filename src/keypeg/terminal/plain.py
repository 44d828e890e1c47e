"""Breaking a sealed code at a plain prompt: works in a pipe, with a screen reader, without colour.

Input and output are lines; what is said is a person's words or, for machines, JSON.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from keypeg.draw import conceal, draw_code, new_id
from keypeg.rules.code import describe_code, format_code, parse_code
from keypeg.rules.commitment import seal
from keypeg.rules.errors import KeypegError
from keypeg.rules.events import Guessed, Resigned, Role, SecretSet
from keypeg.rules.game import Ending, Game, Phase
from keypeg.rules.keypegs import describe_key_pegs
from keypeg.rules.referee import play
from keypeg.rules.series import game_id
from keypeg.rules.terms import Terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code

HELP = "Type a code, 'rows' to see the board so far, 'quit' to give up."


def break_a_code(board: Board, ask: Callable[[str], str], say: Voice) -> Game:
    """Play one game against a random sealed code. `ask` raises EOFError when input ends."""
    game = _set_secret(board)
    say.begin(game)
    while game.phase is Phase.GUESS:
        try:
            words = ask(f"Row {len(game.rows) + 1} of {board.rows}: ").strip()
        except EOFError:
            say.note("")
            words = "quit"
        if words.lower() in ("quit", "q", "exit", "resign"):
            game, _ = play(game, Resigned(Role.BREAKER))
        elif words.lower() in ("rows", "board"):
            say.rows(game)
        elif words.lower() in ("help", "?"):
            say.note(HELP)
        elif words:
            game = _guess(game, words, say)
    say.end(game)
    return game


def _set_secret(board: Board) -> Game:
    opening = conceal(draw_code(board))
    game = Game(game_id(new_id(), 1, 1), Terms(board))
    game, _ = play(game, SecretSet(opening, seal(board, game.id, opening)))
    return game


def _guess(game: Game, words: str, say: Voice) -> Game:
    try:
        game, _ = play(game, Guessed(parse_code(words, game.board)))
    except KeypegError as error:
        say.error(error)
    else:
        say.row(game, len(game.rows))
    return game


class Voice:
    """How a game is told to a person. `write` takes one line."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self.write = write

    def begin(self, game: Game) -> None:
        """The board, how to write a code, and the seal of the secret."""
        board = game.board
        self.write(f"Break the code: {board.holes} holes, {board.codes:,} codes, board {board}.")
        for line in _legend(board):
            self.write(line)
        self.write(HELP)
        self.write(f"The secret is sealed: {game.seal}")

    def row(self, game: Game, number: int) -> None:
        """A row with its answer."""
        row = game.rows[number - 1]
        if row.guess is not None and row.keys is not None:
            code = format_code(row.guess, game.board)
            self.write(f"  {number:>2}  {code}   {describe_key_pegs(row.keys, game.board)}")

    def rows(self, game: Game) -> None:
        """All rows so far."""
        if not game.rows:
            self.note("No row is played yet.")
        for number in range(1, len(game.rows) + 1):
            self.row(game, number)

    def note(self, text: str) -> None:
        """Something worth saying that changes nothing."""
        self.write(text)

    def error(self, error: KeypegError) -> None:
        """Why nothing happened."""
        self.write(f"Not played: {error}")

    def end(self, game: Game) -> None:
        """How it ended, and the opened seal."""
        code, nonce = _revealed(game)
        ending = game.outcome.ending if game.outcome else None
        rows = "1 row" if len(game.rows) == 1 else f"{len(game.rows)} rows"
        self.write(
            {
                Ending.BROKEN: f"Broken in {rows}!",
                Ending.UNBROKEN: f"Not broken: all {rows} are used.",
            }.get(ending or Ending.BREAKER_RESIGNED, "Given up.")
        )
        words = describe_code(code, game.board)
        self.write(f"The code was {format_code(code, game.board)} ({words}).")
        self.write(f"The seal opens with game {game.id}, nonce {nonce}")


class JsonVoice(Voice):
    """The same, one JSON object a line."""

    def begin(self, game: Game) -> None:
        """The board and the seal."""
        self._tell(event="sealed", board=str(game.board), game=game.id, seal=game.seal)

    def row(self, game: Game, number: int) -> None:
        """A row with its answer."""
        row = game.rows[number - 1]
        if row.guess is not None and row.keys is not None:
            code = format_code(row.guess, game.board)
            self._tell(event="row", row=number, guess=code, **row.keys._asdict())

    def note(self, text: str) -> None:
        """Something worth saying that changes nothing."""
        if text:
            self._tell(event="note", text=text)

    def error(self, error: KeypegError) -> None:
        """Why nothing happened."""
        self._tell(event="error", error=str(error))

    def end(self, game: Game) -> None:
        """How it ended, and the opened seal."""
        code, nonce = _revealed(game)
        ending = game.outcome.ending.value if game.outcome else None
        secret = format_code(code, game.board)
        self._tell(event="end", ending=ending, rows=len(game.rows), secret=secret, nonce=nonce)

    def _tell(self, **fields: object) -> None:
        self.write(json.dumps(fields))


def _revealed(game: Game) -> tuple[Code, str]:
    if game.opening is None or game.opening.nonce is None:
        raise KeypegError("this game's secret was never sealed")
    return game.opening.code, game.opening.nonce.hex()


def _legend(board: Board) -> Iterator[str]:
    yield "Colours: " + ", ".join(
        f"{colour.short} or {colour.letter} {colour.name}" for colour in board.palette
    )
    if board.blanks:
        yield "A vacant hole is written -"
    if not board.repeats:
        yield "No colour occurs twice."

"""What is known of a secret: clues, which are the rows played and how each was answered.

A row whose time ran out has no guess and tells nothing, so it does not appear here. As text, an
answered row is `GUESS=KEYS`: `RRBG=21` or `RD RD BU GN=2b1w`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from keypeg.rules.code import Code, Form, check_code, format_code, parse_code
from keypeg.rules.errors import AgainstTheRules, CannotRead, quoted
from keypeg.rules.keypegs import KeyPegs, check_key_pegs, format_key_pegs, parse_key_pegs, score

if TYPE_CHECKING:
    from collections.abc import Iterable

    from keypeg.rules.board import Board


class Clue(NamedTuple):
    """One answered row: the guess and the key pegs it got."""

    guess: Code
    keys: KeyPegs

    def fits(self, code: Code) -> bool:
        """Whether `code` would give this answer if it were the secret."""
        return score(code, self.guess) == self.keys


History = tuple[Clue, ...]
"""The answered rows in the order they were played; row 1 is `history[0]`."""


def broken_rows(history: History, code: Code) -> tuple[int, ...]:
    """The rows, from 1, that `code` does not fit."""
    return tuple(row for row, clue in enumerate(history, 1) if not clue.fits(code))


def parse_clue(text: str, board: Board) -> Clue:
    """Read an answered row such as `RRBG=21`."""
    guess, equals, keys = text.partition("=")
    if not equals:
        raise CannotRead(f"{quoted(text)} has no '='; write the guess, =, its key pegs: RRBG=21")
    return Clue(parse_code(guess, board), parse_key_pegs(keys, board))


def parse_history(texts: Iterable[str], board: Board) -> History:
    """Read one row from each text; an error says which row it is about."""
    history = []
    for row, text in enumerate(texts, 1):
        try:
            history.append(parse_clue(text, board))
        except (CannotRead, AgainstTheRules) as error:
            raise type(error)(f"row {row}: {error}") from error
    return tuple(history)


def check_history(history: History, board: Board) -> None:
    """Refuse a history with a guess or key pegs that are impossible on this board."""
    for row, (guess, keys) in enumerate(history, 1):
        try:
            check_code(guess, board)
            check_key_pegs(keys, board)
        except (CannotRead, AgainstTheRules) as error:
            raise type(error)(f"row {row}: {error}") from error


def format_clue(clue: Clue, board: Board, form: Form = Form.SHORT) -> str:
    """`clue` as `parse_clue` reads it: `RD RD BU GN=2b1w`."""
    return f"{format_code(clue.guess, board, form)}={format_key_pegs(clue.keys, board)}"

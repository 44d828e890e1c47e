"""The audit of a finished game: which answers were wrong, and the right ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.game import Game, wrong_rows
from keypeg.rules.keypegs import score

if TYPE_CHECKING:
    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """A row, numbered from 1, that the maker answered wrongly."""

    row: int
    guess: Code
    given: KeyPegs
    right: KeyPegs


def audit(game: Game) -> tuple[WrongAnswer, ...]:
    """All wrong answers of a game whose secret has been revealed."""
    if not game.revealed or game.opening is None:
        raise AgainstTheRules("a game can be audited only after its secret is revealed")
    secret = game.opening.code
    wrong = []
    for number in wrong_rows(game):
        row = game.rows[number - 1]
        if row.guess is not None and row.keys is not None:
            wrong.append(WrongAnswer(number, row.guess, row.keys, score(secret, row.guess)))
    return tuple(wrong)

"""The openly unfair maker: it has no code, and always gives the answer that leaves the most codes.

If several answers leave equally many, it gives the one with the fewest black key pegs, and of
those the one with the fewest white ones. So its answers follow from the guesses alone: there is no
secret, and no seal is made. Every answer is true of the codes that are left, and the last of them
is the code.

`web/game/unfair.js` plays the same maker in the browser, which a test compares.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import TYPE_CHECKING, Final, NamedTuple

from keypeg.rules.board import Board
from keypeg.rules.code import check_code, parse_code
from keypeg.rules.commitment import Opening
from keypeg.rules.errors import AgainstTheRules, counted
from keypeg.rules.events import Answered, Event, Guessed, Revealed, SecretSet
from keypeg.rules.keypegs import KeyPegs, describe_key_pegs, score, solved

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from keypeg.rules.code import Code

MOST_CODES: Final = 60_000
"""The most codes of a board on which the unfair maker plays, since it looks at each of them."""


class FewestRows(NamedTuple):
    """A number of rows that every play needs at least, and a play that is short."""

    least: int
    play: tuple[Code, ...]

    @property
    def proven(self) -> bool:
        """Whether no play is shorter than this one."""
        return len(self.play) == self.least


class UnfairRow(NamedTuple):
    """A row, its answer, and how many codes were left after it."""

    guess: Code
    keys: KeyPegs
    left: int


@dataclass(frozen=True, slots=True)
class UnfairGame:
    """A game against the unfair maker: its rows, and the codes that fit all of them, in order."""

    board: Board
    left: tuple[Code, ...]
    rows: tuple[UnfairRow, ...] = ()

    @classmethod
    def start(cls, board: Board) -> UnfairGame:
        """The game before its first row. Refused if the board has too many codes."""
        check_board(board)
        every = product(board.symbols, repeat=board.holes)
        codes = every if board.repeats else permutations(board.symbols, board.holes)
        return cls(board, tuple(codes))

    @property
    def broken(self) -> bool:
        """Whether the maker had to give in."""
        return bool(self.rows) and self.rows[-1].keys == solved(self.board)

    @property
    def over(self) -> bool:
        """Whether the maker had to give in, or all rows are used."""
        return self.broken or len(self.rows) == self.board.rows

    @property
    def code(self) -> Code:
        """What the maker calls its code when the game is over: the first that fits all rows."""
        return self.left[0]

    def after(self, guess: Code) -> UnfairGame:
        """The game after another row, with its answer."""
        if self.over:
            raise AgainstTheRules("the game is over")
        check_code(guess, self.board)
        keys, left = answer(guess, self.left)
        return replace(self, left=left, rows=(*self.rows, UnfairRow(guess, keys, len(left))))


def answer(guess: Code, left: Sequence[Code]) -> tuple[KeyPegs, tuple[Code, ...]]:
    """The unfair maker's answer to a guess, and which of the codes left then remain."""
    parts: dict[KeyPegs, list[Code]] = {}
    for code in left:
        parts.setdefault(score(code, guess), []).append(code)
    keys = min(parts, key=lambda keys: (-len(parts[keys]), keys.black, keys.white))
    return keys, tuple(parts[keys])


def fewest_rows(board: Board) -> FewestRows | None:
    """How many rows any play needs, whatever the board has; None where it was not searched for."""
    usual = Board(board.holes, board.colours, 0, board.blanks, board.repeats)
    found = _FEWEST_ROWS.get(str(usual))
    if found is None:
        return None
    least, play = found
    return FewestRows(least, tuple(parse_code(code, board) for code in play.split()))


_FEWEST_ROWS: Final = {
    "3x4": (4, "123 114 131 342"),
    "4x5": (5, "1123 2243 1535 1111 4114"),
    "classic": (5, "1122 3345 3366 1444 4555"),
    "classic-blanks": (6, "0123 1242 5054 3406 0001 2560"),
    "advanced": (6, "11234 55366 46725 28773 41458 11111 62122"),
    "advanced-blanks": (6, "00123 12042 52234 16215 62507 00078 51752"),
}
"""By `python -m keypeg.solver.unfair`: what is below the bound was searched without exception."""
SEARCHED: Final = tuple(_FEWEST_ROWS)
"""The boards for which the fewest rows were searched for."""


def check_board(board: Board) -> None:
    """Raise an error if the unfair maker does not play on this board."""
    if board.codes > MOST_CODES:
        raise AgainstTheRules(
            f"{board} has {board.codes:,} codes; "
            f"the unfair maker plays on boards with at most {MOST_CODES:,}"
        )


def as_events(game: UnfairGame) -> Iterator[Event]:
    """The events of a record of the game. When it is over, the maker names a code that fits."""
    yield SecretSet()
    for guess, keys, _ in game.rows:
        yield Guessed(guess)
        yield Answered(keys)
    if game.over:
        yield Revealed(Opening(game.code))


def follow(game: UnfairGame, event: Event) -> UnfairGame:
    """The game after an event of its record. Refused if the unfair maker would not do this."""
    match event:
        case SecretSet() if game.over:
            raise AgainstTheRules("the record of an unfair maker has one game")
        case SecretSet() if event != SecretSet():
            raise AgainstTheRules("an unfair maker has no code and no seal: use 'secret hidden'")
        case Guessed(guess):
            return game.after(guess)
        case Answered(keys):
            _check_answer(game, keys)
    return game


def _check_answer(game: UnfairGame, keys: KeyPegs) -> None:
    row = game.rows[-1]
    if keys != row.keys:
        given, right = (describe_key_pegs(each, game.board) for each in (keys, row.keys))
        left = counted(row.left, "code")
        raise AgainstTheRules(f"the unfair maker does not answer {given}; {right} leaves {left}")

"""Strategies against secrets: rules and books over all of them at once, levels game by game.

A level without chance plays the same after the same rows, so each position is computed once.
A level with chance gets its own seed for every secret.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from itertools import permutations, product
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

from keypeg.draw import draw_code
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError, quoted
from keypeg.rules.keypegs import score
from keypeg.solver.books.book import book_file, read_book
from keypeg.solver.history import Clue, History
from keypeg.solver.levels import LEVELS, RULES, Way
from keypeg.solver.progress import Watch
from keypeg.solver.suggest import next_guess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code

BOOK: Final = "book"
"""The name of the shipped book of a board."""
LONGEST: Final = 100
"""Guesses after which a player is stopped; none should need this many."""
MOST_SECRETS: Final = 1_000_000
"""Up to this many secrets are played game by game."""
_LEVELS: Final = {level.name: level for level in LEVELS}


@dataclass(frozen=True, slots=True)
class Standing:
    """How many guesses a strategy needed: `distribution` is guesses to secrets."""

    name: str
    distribution: dict[int, int]
    sampled: bool
    seconds: float

    @property
    def secrets(self) -> int:
        """How many secrets it was played against."""
        return sum(self.distribution.values())

    @property
    def total(self) -> int:
        """All guesses together."""
        return sum(guesses * secrets for guesses, secrets in self.distribution.items())

    @property
    def average(self) -> float:
        """Guesses for a secret, on average."""
        return self.total / max(self.secrets, 1)

    @property
    def worst(self) -> int:
        """The most guesses for one secret."""
        return max(self.distribution, default=0)


@dataclass(frozen=True, slots=True)
class _Player:
    """Plays game by game: the next guess from the rows and a seed."""

    guess: Callable[[History, int], Code]
    by_chance: bool = False
    """Whether the seed matters; then each secret has its own."""


def standing_of(
    board: Board,
    name: str,
    sample: int | None = None,
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Standing:
    """Play the strategy `name`: a rule, a level, `book`, or a book's file.

    It is played against every secret, or against `sample` secrets drawn at random, which are the
    same for all strategies under one `seed`.
    """
    began = time.perf_counter()
    if name in RULES and sample is None:
        found = _by_rule(board, name, progress)
    elif sample is None and name not in _LEVELS:
        found = _by_book(board, name)
    else:
        player = _player(board, name)
        secrets = _every_code(board) if sample is None else _drawn(board, sample, seed)
        watch = Watch(sample or board.codes, progress)
        found = _play(player, secrets, seed, watch)
    return Standing(name, found, sample is not None, time.perf_counter() - began)


def _by_rule(
    board: Board, name: str, progress: Callable[[int, int], None] | None
) -> dict[int, int]:
    from keypeg.solver.playing.strategies import evaluate  # noqa: PLC0415 - it compiles

    return dict(evaluate(board, name, progress=progress).distribution)


def _by_book(board: Board, name: str) -> dict[int, int]:
    from keypeg.solver.books.verifier import verify  # noqa: PLC0415 - as above

    found = verify(_book_file(board, name)).distribution
    return {guesses: many for guesses, many in enumerate(found, 1) if many}


def _book_file(board: Board, name: str) -> Path:
    path = book_file(board) if name == BOOK else Path(name)
    if path is None or not path.is_file():
        there = ", ".join((*RULES, *_LEVELS))
        missing = f"no book is shipped for {board}" if name == BOOK else f"no {quoted(name)}"
        raise CannotRead(f"{missing}; there are {there}, book, or a book's file")
    book = read_book(path)
    if name != BOOK and book.board != board:
        raise AgainstTheRules(f"{quoted(name)} is a book for {book.board}, not for {board}")
    return path


def _player(board: Board, name: str) -> _Player:
    if name in _LEVELS:
        return _Player(
            lambda history, seed: next_guess(board, history, name, seed=seed) or (),
            by_chance=_LEVELS[name].way is Way.FITTING,
        )
    if name in RULES:
        return _Player(_rule_guess(board, name))
    book = read_book(_book_file(board, name))
    return _Player(lambda history, _: book.guess(history) or ())


def _rule_guess(board: Board, name: str) -> Callable[[History, int], Code]:
    """A rule's guess after any rows; the first is that of the whole tree where that is quick."""
    from keypeg.solver.codes.codespace import codespace  # noqa: PLC0415 - as above
    from keypeg.solver.codes.symmetry import Symmetry  # noqa: PLC0415 - as above
    from keypeg.solver.playing import strategies  # noqa: PLC0415 - it compiles
    from keypeg.solver.playing.onestep import partitioned  # noqa: PLC0415 - as above

    space, rule = codespace(board), strategies.rule_named(name)
    if len(space) <= strategies.TRY_ALL_FIRSTS:
        first = strategies.evaluate(board, name).first
    else:
        first = space.code(strategies.first_guesses(space)[0])

    def guess(history: History, _seed: int) -> Code:
        left, symmetry = space.everything, Symmetry(space)
        for row, keys in history:
            place = space.index(row)
            symmetry = symmetry.after(place)
            left = dict(partitioned(space, left, place))[space.answers.number(keys)]
        return strategies.choose(space, left, symmetry, rule).code if history else first

    return guess


def _play(player: _Player, secrets: Iterable[Code], seed: int, watch: Watch) -> dict[int, int]:
    known: dict[History, Code] = {}
    needed: Counter[int] = Counter()
    for number, secret in enumerate(secrets):
        own = seed
        if player.by_chance:
            known, own = {}, seed + number + 1
        needed[_guesses(player, secret, own, known)] += 1
        watch.add(1)
    return dict(sorted(needed.items()))


def _guesses(player: _Player, secret: Code, seed: int, known: dict[History, Code]) -> int:
    """How many guesses `player` needs for one secret."""
    history: History = ()
    for number in range(1, LONGEST + 1):
        if history not in known:
            known[history] = player.guess(history, seed + number)
        guess = known[history]
        if guess == secret:
            return number
        history = (*history, Clue(guess, score(secret, guess)))
    raise KeypegError(f"a code was not found in {LONGEST} guesses")


def _every_code(board: Board) -> Iterable[Code]:
    if board.codes > MOST_SECRETS:
        raise AgainstTheRules(
            f"{board} has {board.codes:,} secrets, and at most {MOST_SECRETS:,} are played one by "
            "one; use a sample"
        )
    if board.repeats:
        return product(board.symbols, repeat=board.holes)
    return permutations(board.symbols, board.holes)


def _drawn(board: Board, many: int, seed: int) -> list[Code]:
    rng = Random(seed)  # noqa: S311 - a sample, not a secret
    return [draw_code(board, rng) for _ in range(many)]

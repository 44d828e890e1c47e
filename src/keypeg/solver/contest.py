"""Strategies against secrets: rules and books over all of them, levels game by game.

A level that leaves nothing to chance plays the same after the same rows, so each position is
thought about once. One that does is given a seed of its own for every secret.
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
from keypeg.solver.history import Answer, History
from keypeg.solver.levels import LEVELS, Level, Way
from keypeg.solver.progress import Watch
from keypeg.solver.suggest import suggest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code

BOOK: Final = "book"
"""The name of the shipped book of a board."""
RULES: Final = ("minimax", "expected-size", "entropy", "parts", "learned")
"""The one-step rules, by name; the module that plays them takes long to import."""
LONGEST: Final = 100
"""Guesses after which a level is stopped; none should need as many."""


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


def contest(
    board: Board,
    name: str,
    sample: int | None = None,
    *,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Standing:
    """Play the strategy `name`: a rule, a level, `book`, or a book's file.

    Rules and books are played against every secret; levels too, unless `sample` says how many
    are drawn, the same for every level under one `seed`.
    """
    began = time.perf_counter()
    levels = {level.name: level for level in LEVELS}
    if name in levels:
        chosen = list(_every_code(board) if sample is None else _drawn(board, sample, seed))
        found = _play_level(board, levels[name], chosen, seed, progress)
        return Standing(name, found, sample is not None, time.perf_counter() - began)
    found = _by_rule(board, name, progress) if name in RULES else _by_book(board, name)
    return Standing(name, found, sampled=False, seconds=time.perf_counter() - began)


def _by_rule(
    board: Board, name: str, progress: Callable[[int, int], None] | None
) -> dict[int, int]:
    from keypeg.solver.playing.strategies import evaluate  # noqa: PLC0415 - it compiles

    return dict(evaluate(board, name, progress=progress).distribution)


def _by_book(board: Board, name: str) -> dict[int, int]:
    from keypeg.solver.books.verifier import verify  # noqa: PLC0415 - as above

    path = book_file(board) if name == BOOK else Path(name)
    if path is None or not path.is_file():
        there = ", ".join((*RULES, *(level.name for level in LEVELS)))
        missing = f"no book is shipped for {board}" if name == BOOK else f"no {quoted(name)}"
        raise CannotRead(f"{missing}; there are {there}, book, or a book's file")
    book = read_book(path)
    if name != BOOK and book.board != board:
        raise AgainstTheRules(f"{quoted(name)} is a book for {book.board}, not for {board}")
    return {guesses: many for guesses, many in enumerate(verify(path).distribution, 1) if many}


def _play_level(
    board: Board,
    level: Level,
    secrets: Sequence[Code],
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> dict[int, int]:
    watch = Watch(len(secrets), progress)
    known: dict[tuple[int, History], Code] = {}
    needed: Counter[int] = Counter()
    for number, secret in enumerate(secrets):
        own = seed + number + 1 if level.way is Way.FITTING else seed
        needed[_guesses(board, level, secret, own, known)] += 1
        watch.add(1)
    return dict(sorted(needed.items()))


def _guesses(
    board: Board, level: Level, secret: Code, seed: int, known: dict[tuple[int, History], Code]
) -> int:
    """How many guesses `level` needs for one secret."""
    history: History = ()
    for number in range(1, LONGEST + 1):
        if (seed, history) not in known:
            known[seed, history] = suggest(board, history, level.name, seed=seed + number).guess
        guess = known[seed, history]
        if guess == secret:
            return number
        history = (*history, Answer(guess, score(secret, guess)))
    raise KeypegError(f"{level.name} did not find a code in {LONGEST} guesses")


def _every_code(board: Board) -> Iterable[Code]:
    if board.repeats:
        return product(board.symbols, repeat=board.holes)
    return permutations(board.symbols, board.holes)


def _drawn(board: Board, many: int, seed: int) -> list[Code]:
    rng = Random(seed)  # noqa: S311 - a sample, not a secret
    return [draw_code(board, rng) for _ in range(many)]

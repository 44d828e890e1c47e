"""How fast the solver scores, grows one-step trees and finds the next guess."""

from __future__ import annotations

import random
import time
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bench import Row, bench, best_of
from keypeg.rules.board import PRESETS, Board
from keypeg.solver.codespace import CodeSpace, codespace
from keypeg.solver.kernels import histograms, matrix
from keypeg.solver.strategies import RULES, choose, evaluate
from keypeg.solver.symmetry import Symmetry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.rules.code import Code

GUESSES, CODES = 1000, 1296
GAMES = 40


@bench
def kernels() -> Iterator[Row]:
    """Pairs a second on one core."""
    for board in (Board(4, 6), Board(5, 8)):
        space = codespace(board)
        guesses = space.gather(space.everything[:: len(space) // GUESSES][:GUESSES])
        codes = space.gather(space.everything[:: len(space) // CODES][:CODES])
        for what, kernel, target in (("scoring", matrix, 2e9), ("histogram", histograms, 0.9e9)):
            seconds = best_of(15, partial(kernel, guesses, codes, space.holes))
            yield Row(f"{board}: {what}", GUESSES * CODES / seconds, target, within=False)


@bench
def one_step_trees() -> Iterator[Row]:
    """Whole trees on two threads, first guess given."""
    trees: list[tuple[Board, Code, float]] = [
        (Board(4, 6), (1, 1, 2, 3), 0.010),
        (Board(5, 8), (1, 1, 2, 2, 3), 3.3),
    ]
    for board, first, target in trees:
        for rule in RULES:
            seconds = best_of(9 if target < 1 else 2, partial(evaluate, board, rule, first))
            yield Row(f"{board}: {rule}", seconds, target)


@bench
def next_guess() -> Iterator[Row]:
    """The 95th percentile of the time to a guess, over seeded games played to the end."""
    for name, board in PRESETS.items():
        space = codespace(board)
        dice = random.Random(3)
        games = [play(space, dice.randrange(len(space))) for _ in range(GAMES + 1)]
        times = [seconds for game in games[1:] for seconds in game]
        yield Row(f"{name}: p95 of {len(times)} guesses", float(np.percentile(times, 95)), 0.050)


def play(space: CodeSpace, secret: int) -> list[float]:
    """Seconds for each guess of one game, the narrowing of the codes included."""
    times = []
    remaining = space.everything
    guesses: tuple[int, ...] = ()
    while True:
        began = time.perf_counter()
        if guesses:
            last = space.gather(np.array(guesses[-1:], np.int32))
            answers = matrix(last, space.words, space.holes)[0]
            remaining = remaining[answers[remaining] == answers[secret]]
        guess = choose(space, remaining, Symmetry.of(space, guesses), RULES["learned"]).guess
        times.append(time.perf_counter() - began)
        guesses += (guess,)
        if guess == secret:
            return times

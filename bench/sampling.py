"""Boards too big to list: counting the codes that fit, and playing by a draw of them."""

from __future__ import annotations

import random
import time
import tracemalloc
from typing import TYPE_CHECKING

from bench import Row, bench
from keypeg.rules.board import Board
from keypeg.rules.keypegs import score, solved
from keypeg.solver import reference
from keypeg.solver.fitting.consistent import count
from keypeg.solver.fitting.contradiction import contradiction
from keypeg.solver.history import Clue, History
from keypeg.solver.playing.sampling import play

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.rules.code import Code

GAMES = 200


@bench
def sampled_games() -> Iterator[Row]:
    """Averages of seeded games: sampled, not proven.

    Published for (6,9): 6.2847 by entropy over every guess (mikemag), 6.475 by sampling
    (Berghman 2009).
    """
    for form, target in (("6x9", 6.35), ("8x10", 7.90)):
        board = Board.parse(form)
        lengths = [len(game(board, seed)) for seed in range(GAMES)]
        average = sum(lengths) / GAMES
        yield Row(f"{form}: average of {GAMES} games", average, target, unit="guesses")
        yield Row(f"{form}: longest of {GAMES} games", max(lengths), 12, unit="guesses")


@bench
def sampled_moves() -> Iterator[Row]:
    """The slowest guess of a few games, and the most memory one takes."""
    for form, games, seconds in (("8x12", 10, 1.0), ("10x10", 5, 1.0), ("12x20", 2, 2.0)):
        board = Board.parse(form)
        slowest, most = 0.0, 0.0
        for seed in range(games):
            history = game(board, seed)
            for rows in range(len(history)):
                began = time.perf_counter()
                play(board, history[:rows], seed=seed)
                slowest = max(slowest, time.perf_counter() - began)
            most = max(most, memory(board, history[: len(history) // 2]))
        yield Row(f"{form}: slowest guess of {games} games", slowest, seconds)
        yield Row(f"{form}: most memory of a guess", most / 1e6, 500, unit="MB")


@bench
def counting() -> Iterator[Row]:
    """The slowest count along one game, and how many of those counts were exact."""
    for form, seconds in (("8x12", 0.5), ("10x10", 0.5), ("12x20", 5.0)):
        board = Board.parse(form)
        history = game(board, seed=1)
        times, exact = [], 0
        for rows in range(len(history)):
            began = time.perf_counter()
            exact += count(board, history[:rows]).exact
            times.append(time.perf_counter() - began)
        yield Row(f"{form}: slowest of {len(times)} counts, {exact} exact", max(times), seconds)


@bench
def contradictions() -> Iterator[Row]:
    """The slowest of 20 contradictory histories of 12 rows with one wrong answer."""
    for form, seconds in (("5x8b", 1.0), ("8x12", 2.0), ("10x10", 2.0)):
        board = Board.parse(form)
        times: list[float] = []
        seed = 0
        while len(times) < 20:
            seed += 1
            began = time.perf_counter()
            found = contradiction(board, wrong_history(board, seed))
            if found is not None:
                times.append(time.perf_counter() - began)
        yield Row(f"{form}: slowest of 20, 12 rows", max(times), seconds)


def game(board: Board, seed: int) -> History:
    """A game the player wins, the same for the same seed."""
    secret = random_code(board, random.Random(seed))
    history: History = ()
    while not history or history[-1].keys != solved(board):
        guess = play(board, history, seed=seed, seconds=60).guess
        history += (Clue(guess, score(secret, guess)),)
    return history


def wrong_history(board: Board, seed: int) -> History:
    """Twelve random rows, one of them answered at random."""
    rng = random.Random(seed)
    secret, *guesses = (random_code(board, rng) for _ in range(13))
    wrong, possible = rng.randrange(12), reference.answers(board)
    return tuple(
        Clue(guess, rng.choice(possible) if row == wrong else score(secret, guess))
        for row, guess in enumerate(guesses)
    )


def random_code(board: Board, rng: random.Random) -> Code:
    return tuple(rng.choices(board.symbols, k=board.holes))


def memory(board: Board, history: History) -> float:
    """The most bytes in use at once while a guess is found."""
    tracemalloc.start()
    play(board, history)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most

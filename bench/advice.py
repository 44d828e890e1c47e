"""How soon the next guess is ready, in the book and outside it, and what memory it takes."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np

from bench import Row, bench
from keypeg.draw import draw_code
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.keypegs import score
from keypeg.solver.history import Clue, History
from keypeg.solver.suggest import suggest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.rules.code import Code

GAMES = 30
STRAYS = 2
"""Rows played at random before the guess is asked for, so that the position is in no book."""

PEAK = """
import re, sys
from keypeg.rules.board import Board
from keypeg.rules.keypegs import score
from keypeg.solver.history import Clue
from keypeg.solver.suggest import suggest
board = Board.parse(sys.argv[1])
secret = tuple(board.symbols[hole % len(board.symbols)] for hole in range(board.holes))
history = ()
while not history or history[-1].guess != secret:
    guess = suggest(board, history, "beginner" if len(history) == 1 else "perfect").guess
    history = (*history, Clue(guess, score(secret, guess)))
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


@bench
def next_guess() -> Iterator[Row]:
    """The 95th percentile over seeded games played to the end."""
    for name, board in PRESETS.items():
        for level, strays, target in (("perfect", 0, 0.05), ("strong", STRAYS, 0.05)):
            times = _times(board, level, strays, GAMES)
            book = "on the book" if strays == 0 else "after two stray rows"
            what = f"{name}, {level}, {book}: p95 of {len(times)}"
            yield Row(what, float(np.percentile(times, 95)), target)
        times = _times(board, "perfect", STRAYS, GAMES // 3)
        what = f"{name}, perfect, after two stray rows: slowest of {len(times)}"
        yield Row(what, max(times), 1.5)


@bench
def memory() -> Iterator[Row]:
    """The most memory of a process that plays one whole game, Python and all."""
    for form in (*PRESETS, "6x9", "8x12", "12x20"):
        program = [sys.executable, "-c", PEAK, form]
        done = subprocess.run(program, capture_output=True, text=True, check=True, timeout=600)
        yield Row(f"{form}: a whole game", int(done.stdout) / 1024, 500, unit="MB")


def _times(board: Board, level: str, strays: int, games: int) -> list[float]:
    """Seconds for each guess that was asked for, one game to warm up left out."""
    dice = random.Random(3)
    played = [_game(board, draw_code(board, dice), level, strays, dice) for _ in range(games + 1)]
    return [seconds for game in played[1:] for seconds in game]


def _game(board: Board, secret: Code, level: str, strays: int, dice: random.Random) -> list[float]:
    history: History = ()
    times: list[float] = []
    while not history or history[-1].guess != secret:
        if len(history) < strays:
            guess = draw_code(board, dice)
        else:
            began = time.perf_counter()
            guess = suggest(board, history, level).guess
            times.append(time.perf_counter() - began)
        history = (*history, Clue(guess, score(secret, guess)))
    return times

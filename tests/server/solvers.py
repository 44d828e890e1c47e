"""Solvers that do what a test needs, in the real worker process.

What they do can be seen in a folder: each question leaves a file when its answer is begun and when
it is given up. Where the test decides when an answer ends, the solver waits for a file.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path

from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.server.solver_worker import AnsweredRow, GameReview, Hint, Patience, TookTooLong

GO = "go"


class Marked:
    """Answers when the file `go` exists, or refuses when nobody waits any more.

    In a hint, the number of codes is the id of the process that gave it, and the expected guesses
    are the seconds that it was allowed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def warm(self) -> None:
        self.mark("warm")

    def hint(self, board: Board, rows: Sequence[AnsweredRow], patience: Patience) -> Hint:
        self.ponder(f"hint-{board}-{len(rows)}", patience)
        return Hint(os.getpid(), exact=True, guess=None, why="", expected_guesses=patience.seconds)

    def review(self, board: Board, rows: Sequence[AnsweredRow], patience: Patience) -> GameReview:
        self.ponder(f"review-{board}-{len(rows)}", patience)
        return GameReview((), 0.0, 0.0, 0.0, "estimate", "estimate")

    def guess(
        self, board: Board, rows: Sequence[AnsweredRow], patience: Patience, level: str
    ) -> Code | None:
        self.ponder(f"guess-{board}-{len(rows)}", patience)
        return (board.symbols[0],) * board.holes

    def ponder(self, name: str, patience: Patience) -> None:
        self.mark(f"began-{name}")
        while not (self.folder / GO).exists():
            if self.over(patience):
                self.mark(f"off-{name}")
                raise TookTooLong("called off")
            time.sleep(0.001)

    def over(self, patience: Patience) -> bool:
        return patience.over()

    def mark(self, name: str) -> None:
        with (self.folder / name).open("a") as file:
            file.write(f"{os.getpid()}\n")


class Stubborn(Marked):
    """Goes on for ever, whether anybody waits or not."""

    def over(self, _patience: Patience) -> bool:
        return False


class Hurried(Marked):
    """Reviews only some of the rows, for lack of time."""

    def review(self, board: Board, rows: Sequence[AnsweredRow], patience: Patience) -> GameReview:
        return super().review(board, rows, patience)._replace(complete=False)


class Quick(Marked):
    """Guesses at once; waits before any other answer."""

    def guess(
        self, board: Board, rows: Sequence[AnsweredRow], patience: Patience, level: str
    ) -> Code | None:
        return (board.symbols[0],) * board.holes


class Mortal(Marked):
    """Dies at the first question."""

    def ponder(self, name: str, patience: Patience) -> None:
        if not (self.folder / "died").exists():
            self.mark("died")
            os._exit(1)


class NeverReady(Marked):
    """Warms up for ever."""

    def warm(self) -> None:
        self.mark("warming")
        time.sleep(3600)


class Forgetful(Marked):
    """Fails at the first question with an unexpected error."""

    def ponder(self, name: str, patience: Patience) -> None:
        if not (self.folder / "failed").exists():
            self.mark("failed")
            raise ZeroDivisionError("an accident")


async def marked(folder: Path, name: str, times: int = 1) -> list[int]:
    """The ids of the processes that made a mark, once it was made this often."""
    async with asyncio.timeout(60):
        while True:
            found = (folder / name).read_text().split() if (folder / name).exists() else []
            if len(found) >= times:
                return [int(pid) for pid in found]
            await asyncio.sleep(0.005)


class Reviewing:
    """Reviews at once: each row lost a quarter of a guess."""

    def warm(self) -> None:
        pass

    def review(self, board: Board, rows: Sequence[AnsweredRow], patience: Patience) -> GameReview:
        return GameReview((), len(rows) / 4, 0.0, 0.0, "estimate", "estimate")

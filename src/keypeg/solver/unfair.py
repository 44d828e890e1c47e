"""The fewest rows that any play needs against the openly unfair maker of `rules.unfair`.

The maker follows a fixed rule, so a game is decided by the guesses alone, and the fewest rows are
the length of the shortest list of guesses that ends it. A beam search finds a short play. Then
every length below it is searched in turn, with all plays that could still be enough: what this
finds, or rules out, is proven. On large boards it stops after `MOST_POSITIONS`, and a gap remains.

`python -m keypeg.solver.unfair [BOARD ...]` makes the plays and bounds of `rules.unfair` again.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.rules.board import Board
from keypeg.rules.code import Form, format_code
from keypeg.rules.errors import counted
from keypeg.rules.unfair import SEARCHED, FewestRows, check_board
from keypeg.solver.codes.codespace import codespace
from keypeg.solver.codes.compiled import kernel
from keypeg.solver.codes.kernels import score_into
from keypeg.solver.codes.symmetry import Symmetry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from keypeg.rules.code import Code

    Places = NDArray[np.int32]
    Words = NDArray[np.uint64]

SYMMETRIC: Final = 2
"""In this many first rows, guesses that a symmetry makes equivalent are tried once."""
MOST_POSITIONS: Final = 5_000
"""How many positions the search of one length may look at."""
WIDTH: Final = 500
"""How many positions of each row the beam keeps."""
BRANCHES: Final = 100
"""How many guesses of each position the beam follows."""


class TooManyPositions(Exception):
    """The search of a length was given up."""


def fewest(board: Board, progress: Callable[[str], None] = lambda _: None) -> FewestRows:
    """The shortest play that is found, and how short a play might be."""
    check_board(board)
    search = _Search(board)
    play = search.beam(progress)
    progress(f"{board}: {counted(len(play), 'row')} can be enough")
    for rows in range(1, len(play)):
        try:
            shorter = search.within(rows)
        except TooManyPositions:
            return FewestRows(rows, search.codes(play))
        if shorter is not None:
            return FewestRows(rows, search.codes(shorter))
        progress(f"{board}: {counted(rows, 'row')} can never be enough")
    return FewestRows(len(play), search.codes(play))


class _Search:
    def __init__(self, board: Board) -> None:
        self.space = codespace(board)
        self._positions = 0
        answers = self.space.answers
        self._many = answers.many
        ranks = sorted(range(answers.many), key=lambda number: answers.key_pegs[number])
        self._order = np.array(ranks, np.int64)

    def codes(self, places: Sequence[int]) -> tuple[Code, ...]:
        """The codes at these places."""
        return tuple(self.space.code(place) for place in places)

    def beam(self, progress: Callable[[str], None]) -> list[int]:
        """A short play: after each row, only the positions with the fewest codes are kept."""
        kept: list[tuple[tuple[int, ...], Places]] = [((), self.space.everything)]
        while len(kept[0][1]) > 1:
            played, fewest_left = kept[0]
            after_rows = f"{len(fewest_left):,} codes are left after {counted(len(played), 'row')}"
            progress(f"{self.space.board}: {after_rows}")
            found: dict[bytes, tuple[tuple[int, ...], Places]] = {}
            for play, left in kept:
                for guess in self._best(play, left):
                    after = self._answered(left, self.space.gather(left), guess)
                    found.setdefault(after.tobytes(), ((*play, guess), after))
            kept = sorted(found.values(), key=lambda each: len(each[1]))[:WIDTH]
        play, (last, *_) = kept[0]
        return [*play, int(last)]

    def _best(self, play: tuple[int, ...], left: Places) -> list[int]:
        """The guesses that leave the fewest codes."""
        symmetry = Symmetry.of(self.space, play)
        tried = symmetry.canonical if len(play) < SYMMETRIC else self.space.everything
        words = self.space.gather(left)
        sizes = _largest(self.space.gather(tried), words, self.space.holes, self._many)
        return [int(tried[at]) for at in np.argsort(sizes, kind="stable")[:BRANCHES]]

    def within(self, rows: int) -> list[int] | None:
        """A play of at most `rows` guesses, as places among all codes."""
        self._positions = 0
        return self._within(self.space.everything, rows, Symmetry(self.space))

    def _within(self, left: Places, rows: int, symmetry: Symmetry | None) -> list[int] | None:
        if rows == 1 or len(left) == 1:
            return [int(left[0])] if len(left) == 1 else None
        if len(left) > self._many ** (rows - 1):
            return None
        words = self.space.gather(left)
        if rows == 2:
            guess = _telling_all_apart(self.space.words, words, self.space.holes, self._many)
            if guess < 0:
                return None
            return [guess, int(self._answered(left, words, guess)[0])]
        self._positions += 1
        if self._positions > MOST_POSITIONS:
            raise TooManyPositions
        tried = self.space.everything if symmetry is None else symmetry.canonical
        sizes = _largest(self.space.gather(tried), words, self.space.holes, self._many)
        for at in np.argsort(sizes, kind="stable"):
            if sizes[at] > self._many ** (rows - 2) or sizes[at] == len(left):
                break
            guess = int(tried[at])
            deeper = None
            if symmetry is not None and len(symmetry.guesses) + 1 < SYMMETRIC:
                deeper = symmetry.after(guess)
            after = self._answered(left, words, guess)
            if (rest := self._within(after, rows - 1, deeper)) is not None:
                return [guess, *rest]
        return None

    def _answered(self, left: Places, words: Words, guess: int) -> Places:
        """The codes that are left once the maker has answered a guess."""
        scores = np.empty(len(left), np.uint8)
        score_into(self.space.words, guess, words, 0, len(left), self.space.holes, scores)
        counts = np.bincount(scores, minlength=self._many)
        answer = self._order[np.argmax(counts[self._order])]
        remaining: Places = left[scores == answer]
        return remaining


@kernel
def _largest(guesses: Words, codes: Words, holes: int, many: int) -> NDArray[np.int64]:
    """The size of the largest part into which each guess divides the codes."""
    sizes = np.empty(guesses.shape[1], np.int64)
    scores = np.empty(codes.shape[1], np.uint8)
    counts = np.empty(many, np.int64)
    for guess in range(guesses.shape[1]):
        score_into(guesses, guess, codes, 0, codes.shape[1], holes, scores)
        counts[:] = 0
        for answer in scores:
            counts[answer] += 1
        sizes[guess] = counts.max()
    return sizes


@kernel
def _telling_all_apart(guesses: Words, codes: Words, holes: int, many: int) -> int:
    """The first guess that gets another answer for each of the codes; -1 if there is none."""
    answer = np.empty(1, np.uint8)
    seen = np.empty(many, np.bool_)
    for guess in range(guesses.shape[1]):
        seen[:] = False
        for code in range(codes.shape[1]):
            score_into(guesses, guess, codes, code, code + 1, holes, answer)
            if seen[answer[0]]:
                break
            seen[answer[0]] = True
        else:
            return guess
    return -1


def main(names: Sequence[str]) -> None:
    """Search on each of the boards, or on all of the table, and print its lines."""
    for name in names or SEARCHED:
        board = Board.parse(name)
        found = fewest(board, _report)
        play = " ".join(format_code(guess, board, Form.DIGITS) for guess in found.play)
        status = "proven" if found.proven else "at most"
        rows = counted(len(found.play), "row")
        sys.stdout.write(f"{name}: {status} {rows}, at least {found.least}: {play}\n")


def _report(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])

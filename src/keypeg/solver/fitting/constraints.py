"""A board and what is known of its secret, as arrays for counting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from keypeg.solver.fitting.reach import Reach

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.solver.history import History


class Constraints:
    """A board and a history as arrays. Colours never guessed are equivalent, and count as one.

    With `split`, the last row has no answer: it starts with every key peg missing and forbids
    nothing, and what is missing in the end gives its answer.
    """

    def __init__(self, board: Board, history: History, split: Code | None, width: int) -> None:
        guesses = [guess for guess, _ in history] + ([] if split is None else [split])
        self.board = board
        self.bound = len(history)
        self.rows = len(guesses)
        self.guessed = sorted({peg for guess in guesses for peg in guess})
        self.others = np.array([s for s in board.symbols if s not in self.guessed], np.uint8)
        free = [board.holes] * (split is not None)
        self.black = np.array([keys.black for _, keys in history] + free, np.uint8)
        self.total = np.array([sum(keys) for _, keys in history] + free, np.uint8)
        place = {peg: index for index, peg in enumerate(self.guessed)}
        pegs = np.array([[place[peg] for peg in guess] for guess in guesses], np.int64)
        pegs = pegs.reshape(self.rows, board.holes)
        colours = np.arange(len(self.guessed) + 1)
        self.matches = (pegs[:, :, None] == colours).astype(np.uint8)
        """[row, hole, colour]: whether that peg there is a black key peg."""
        self.multiplicity = self.matches.sum(axis=1, dtype=np.uint8)
        self.most = self.multiplicity.max(axis=0, initial=0)
        """Beyond this many pegs of a colour, another one changes no row's total."""
        self._pack()
        self.match_bits = np.packbits(self.matches[: self.bound], axis=0)
        steps = np.arange(int(self.most.max(initial=0)) + 1)
        adds = self.multiplicity[: self.bound, :, None] > steps
        self.add_bits = np.packbits(adds, axis=0)
        """[bits of rows, colour, pegs so far]: which rows' totals one more peg raises."""
        answered = slice(self.bound)
        self.reach = Reach(
            board.holes,
            self.black[answered],
            self.total[answered],
            self.matches[answered, :, :-1],
            limit=2 * width,
        )

    def _pack(self) -> None:
        """Place every digit of a node's key in as few 64-bit words as hold it exactly."""
        radices = [*(int(b) + 1 for b in self.black), *(int(m) + 1 for m in self.most[:-1])]
        places, word, weight = [], 0, 1
        for radix in radices:
            if weight * radix > 1 << 64:
                word, weight = word + 1, 1
            places.append((word, weight))
            weight *= radix
        self.weights = np.zeros((word + 1, len(places)), np.uint64)
        for digit, (word, weight) in enumerate(places):
            self.weights[word, digit] = weight
        self.row_weights = self.weights[:, : self.rows]
        self.colour_weights = self.weights[:, self.rows :]

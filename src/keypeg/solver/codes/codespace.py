"""Codes as arrays: pegs, bit words and places in the list of all codes; answers as numbers.

The solver counts symbols from 0, the blank first on boards that have it. A code is a column of
words: its positions (bit hole * symbols + symbol), then its counts (each symbol has as many bits
as there are holes, filled from the lowest). So two codes share popcount(positions & positions)
pegs in place and popcount(counts & counts) pegs in all.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np

from keypeg.rules.errors import KeypegError
from keypeg.rules.keypegs import KeyPegs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code

A = TypeVar("A", bound="NDArray[np.generic]")

ENUMERABLE: Final = 20_000_000
"""The most codes a board may have for all of them to be listed."""

_WORD: Final = 64


class TooManyCodes(KeypegError):
    """The board has more codes than can be listed."""


@dataclass(frozen=True)
class Answers:
    """The answers of boards with `holes` holes, numbered without gaps.

    By pegs in common, then by black; the impossible (holes - 1, 1) is left out, so the last
    number is the answer that ends the game.
    """

    holes: int

    @property
    def many(self) -> int:
        """How many answers there are."""
        return self.holes * (self.holes + 3) // 2

    @property
    def solved(self) -> int:
        """The number of the answer that ends the game."""
        return self.many - 1

    @cached_property
    def key_pegs(self) -> tuple[KeyPegs, ...]:
        """The answers in the order of their numbers."""
        pairs = ((s, black) for s in range(self.holes + 1) for black in range(s + 1))
        every = (KeyPegs(black, common - black) for common, black in pairs)
        return tuple(keys for keys in every if keys != (self.holes - 1, 1))

    def number(self, keys: KeyPegs) -> int:
        """The number of an answer that can occur."""
        common = keys.black + keys.white
        return min(common * (common + 1) // 2 + keys.black, self.solved)


class Arrays(NamedTuple):
    """The parts of a code space that kernels need."""

    words: NDArray[np.uint64]
    colours: NDArray[np.uint32]
    holes: int
    symbols: int
    repeats: bool


class CodeSpace:
    """The codes of a board, whatever its rows. Get one from `codespace`, which caches them."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.holes = board.holes
        self.symbols = len(board.symbols)
        self.repeats = board.repeats
        self.answers = Answers(board.holes)
        self.words_each = -(-self.holes * self.symbols // _WORD)
        self._first = board.symbols[0]

    def __len__(self) -> int:
        if self.board.codes > sys.maxsize:  # len() could not return it
            raise self._too_many
        return self.board.codes

    @property
    def enumerable(self) -> bool:
        """Whether all codes can be listed."""
        return self.board.codes <= ENUMERABLE

    @property
    def _too_many(self) -> TooManyCodes:
        return TooManyCodes(
            f"{self.board} has {self.board.codes:,} codes; at most {ENUMERABLE:,} are listed"
        )

    @cached_property
    def pegs(self) -> NDArray[np.uint8]:
        """Every code in lexicographic order, one row for each."""
        if not self.enumerable:
            raise self._too_many
        pegs = np.zeros((1, 0), np.uint8)
        for _ in range(self.holes):
            last = np.tile(np.arange(self.symbols, dtype=np.uint8), len(pegs))
            pegs = np.repeat(pegs, self.symbols, axis=0)
            if not self.repeats:
                new = (pegs != last[:, None]).all(axis=1)
                pegs, last = pegs[new], last[new]
            pegs = np.column_stack((pegs, last))
        return _frozen(pegs)

    @cached_property
    def words(self) -> NDArray[np.uint64]:
        """Every code as a column of words."""
        return _frozen(self.encode(self.pegs))

    @cached_property
    def colours(self) -> NDArray[np.uint32]:
        """The symbols of every code as a set: bit i is set where symbol i occurs."""
        colours = np.zeros(len(self), np.uint32)
        for column in self.pegs.T:
            colours |= np.uint32(1) << column.astype(np.uint32)
        return _frozen(colours)

    @cached_property
    def arrays(self) -> Arrays:
        """All of this that kernels need."""
        return Arrays(self.words, self.colours, self.holes, self.symbols, self.repeats)

    @cached_property
    def everything(self) -> NDArray[np.int32]:
        """The places of all codes: 0, 1, 2 and so on."""
        return _frozen(np.arange(len(self), dtype=np.int32))

    @cached_property
    def _values(self) -> NDArray[np.int64]:
        """Each code read as a number; in lexicographic order these increase."""
        return self._value(self.pegs)

    def _value(self, pegs: NDArray[np.uint8]) -> NDArray[np.int64]:
        powers = self.symbols ** np.arange(self.holes - 1, -1, -1, dtype=np.int64)
        return np.asarray(pegs.astype(np.int64) @ powers, np.int64)

    def encode(self, pegs: NDArray[np.uint8]) -> NDArray[np.uint64]:
        """The words of codes given as rows of symbols; this works for boards of any size."""
        each = self.words_each
        words = np.zeros((2 * each, len(pegs)), np.uint64)
        column = np.arange(len(pegs))
        seen = np.zeros((len(pegs), self.symbols), np.int64)
        for hole in range(self.holes):
            symbol = pegs[:, hole].astype(np.int64)
            _set(words[:each], hole * self.symbols + symbol, column)
            _set(words[each:], symbol * self.holes + seen[column, symbol], column)
            seen[column, symbol] += 1
        return words

    def pack(self, codes: Sequence[Code]) -> NDArray[np.uint8]:
        """The rules' codes as rows of symbols."""
        rows = np.array(codes, np.int64).reshape(len(codes), self.holes)
        return (rows - self._first).astype(np.uint8)

    def unpack(self, pegs: Iterable[int]) -> Code:
        """A row of symbols as the rules write it."""
        return tuple(int(symbol) + self._first for symbol in pegs)

    def index(self, code: Code) -> int:
        """The place of `code` among all codes."""
        return int(self.indices([code])[0])

    def indices(self, codes: Sequence[Code]) -> NDArray[np.int32]:
        """The places of `codes` among all codes."""
        values = self._value(self.pack(codes))
        if not self.repeats:
            values = np.searchsorted(self._values, values)
        return values.astype(np.int32)

    def code(self, index: int) -> Code:
        """The code at a place."""
        return self.unpack(self.pegs[index])

    def gather(self, indices: NDArray[np.int32]) -> NDArray[np.uint64]:
        """The words of the codes at `indices`, side by side."""
        return np.ascontiguousarray(self.words[:, indices])


def codespace(board: Board) -> CodeSpace:
    """The code space of `board`; boards that differ only in rows share one."""
    return _codespace(type(board)(board.holes, board.colours, 0, board.blanks, board.repeats))


@lru_cache(maxsize=4)
def _codespace(board: Board) -> CodeSpace:
    return CodeSpace(board)


def _set(words: NDArray[np.uint64], bit: NDArray[np.int64], column: NDArray[np.int64]) -> None:
    words[bit // _WORD, column] |= np.uint64(1) << (bit % _WORD).astype(np.uint64)


def _frozen(array: A) -> A:
    array.setflags(write=False)
    return array

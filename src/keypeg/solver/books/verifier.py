"""Whether a strategy book is what it claims: replayed against every secret, without the search.

Of keypeg only the rules are used here. The file is read as docs/books.md describes it, codes and
answers are computed again, and the vectorised scoring is compared with `rules.score` on a sample.
import-linter checks that nothing else is imported.
"""

from __future__ import annotations

import json
import random
import zlib
from dataclasses import dataclass
from itertools import permutations, product
from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.rules.board import Board
from keypeg.rules.errors import KeypegError
from keypeg.rules.keypegs import KeyPegs, score

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Codes = NDArray[np.int64]

_MAGIC: Final = b"keypeg book 1\n"
_MOST_HOLES: Final = 6
_LARGEST: Final = 1 << 26
_SAMPLE: Final = 300


_KINDS: Final = {
    "board": (str,),
    "total": (int,),
    "worst": (int,),
    "proven": (bool,),
    "limit": (int, type(None)),
    "nodes": (int,),
    "checksum": (int,),
}
"""What a header holds."""


class FalseBook(KeypegError):
    """A book that is not what it claims, or that does not find every secret."""


@dataclass(frozen=True)
class Verdict:
    """What a book was found to take. Whether a strategy takes less is not checked here."""

    board: Board
    codes: int
    total: int
    worst: int
    distribution: tuple[int, ...]

    @property
    def average(self) -> float:
        """Guesses a secret takes on average."""
        return self.total / self.codes


def verify(path: Path) -> Verdict:
    """Play a book against every secret; raises FalseBook with the reason if it fails."""
    with path.open("rb") as file:
        return verify_bytes(file.read(2 * _LARGEST))  # no book is larger


def verify_bytes(data: bytes) -> Verdict:
    """The same, for the bytes of a book."""
    book = _Book.read(data)
    referee = _Referee(book.board)
    referee.check_scoring()
    codes = len(referee.codes)
    if int(book.guesses.max(initial=0)) >= codes:
        raise FalseBook(f"guess {int(book.guesses.max())} is not one of the {codes:,} codes")
    secrets = np.arange(codes)
    nodes = np.zeros(codes, np.int64)
    distribution = []
    visited = 0
    while len(secrets):
        guesses = book.guesses[nodes].astype(np.int64)
        answers = referee.answers(secrets, guesses)
        visited += _check_level(book, referee, nodes, answers)
        won = answers == referee.solved
        distribution.append(int(won.sum()))
        secrets, nodes, answers = secrets[~won], nodes[~won], answers[~won]
        before = book.masks[nodes].astype(np.int64) & ((1 << answers) - 1)
        nodes = book.children[nodes] + np.bitwise_count(before)
    if visited != len(book.guesses):
        raise FalseBook(f"{len(book.guesses) - visited} guesses are never made")
    total = sum(guess * found for guess, found in enumerate(distribution, 1))
    verdict = Verdict(book.board, codes, total, len(distribution), tuple(distribution))
    _check_claim(book, verdict)
    return verdict


@dataclass(frozen=True, eq=False)
class _Book:
    """A book as it is in its file."""

    board: Board
    total: int
    worst: int
    limit: int | None
    guesses: NDArray[np.uint32]
    masks: NDArray[np.uint32]
    children: NDArray[np.int64]

    @classmethod
    def read(cls, data: bytes) -> _Book:
        """Magic, a line of JSON, two compressed tables; anything else is refused."""
        head, _, packed = data.removeprefix(_MAGIC).partition(b"\n")
        try:
            header = json.loads(head) if data.startswith(_MAGIC) else {}
            for field, kinds in _KINDS.items():
                if type(header[field]) not in kinds:
                    raise TypeError(f"{header[field]!r} is not a valid {field}")
            board = Board.parse(header["board"])
            unpacking = zlib.decompressobj()
            body = unpacking.decompress(packed, _LARGEST)
            whole = (
                unpacking.eof and not unpacking.unused_data and len(body) == 8 * header["nodes"] > 0
            )
            if not whole or zlib.crc32(body) != header["checksum"] or board.holes > _MOST_HOLES:
                raise ValueError("its tables are not those of its header")
            total, worst, limit = header["total"], header["worst"], header["limit"]
        except (ValueError, KeyError, TypeError, RecursionError, zlib.error) as error:
            raise FalseBook(f"not a strategy book, or a damaged one: {error!r}") from None
        if board.codes > len(body) // 8:
            raise FalseBook(f"{len(body) // 8:,} guesses cannot find the {board.codes:,} codes")
        planes = np.frombuffer(body, np.uint8).reshape(2, 4, -1).astype(np.uint32)
        weights = np.array([1, 1 << 8, 1 << 16, 1 << 24], np.uint32)
        guesses, masks = (planes * weights[:, None]).sum(axis=1, dtype=np.uint32)
        leads = np.bitwise_count(masks & np.uint32((1 << _ends_with(board)) - 1)).astype(np.int64)
        children = 1 + np.cumsum(leads) - leads
        return cls(board, total, worst, limit, guesses, masks, children)


def _ends_with(board: Board) -> int:
    """The number of the answer that ends a game: answers are counted by pegs in common."""
    return board.holes * (board.holes + 3) // 2 - 1


def _check_level(
    book: _Book, referee: _Referee, nodes: NDArray[np.int64], answers: NDArray[np.int64]
) -> int:
    """Each node must lead on for exactly the answers that can come; returns how many nodes."""
    if int(nodes.max()) >= len(book.guesses):
        raise FalseBook("an answer leads past the end of the book")
    here = np.unique(nodes)
    coming = np.zeros(len(here), np.int64)
    np.bitwise_or.at(coming, np.searchsorted(here, nodes), 1 << answers)
    listed = book.masks[here].astype(np.int64)
    for wrong, complaint in ((coming & ~listed, "is missing"), (listed & ~coming, "cannot come")):
        if wrong.any():
            place = int(np.flatnonzero(wrong)[0])
            answer = int(wrong[place]).bit_length() - 1
            keys = referee.key_pegs[answer] if answer < len(referee.key_pegs) else answer
            guess = referee.code(int(book.guesses[here[place]]))
            raise FalseBook(f"node {here[place]}, guess {guess}: the answer {keys} {complaint}")
    return len(here)


def _check_claim(book: _Book, verdict: Verdict) -> None:
    """The total and the worst case must be those claimed."""
    for what, claimed, found in (
        ("a total of", book.total, verdict.total),
        ("a worst case of", book.worst, verdict.worst),
    ):
        if claimed != found:
            raise FalseBook(f"the book claims {what} {claimed:,}; it is {found:,}")
    if book.limit is not None and verdict.worst > book.limit:
        raise FalseBook(f"the book takes {verdict.worst} guesses, over its limit of {book.limit}")


class _Referee:
    """A board's codes and answers, computed from the rules."""

    def __init__(self, board: Board) -> None:
        every = product(board.symbols, repeat=board.holes)
        distinct = permutations(board.symbols, board.holes)
        self.codes: Codes = np.array(list(every if board.repeats else distinct), np.int64)
        symbols = np.array(board.symbols)
        self.counts = (self.codes[:, :, None] == symbols).sum(axis=1).astype(np.int8)
        holes = board.holes
        pairs = [(black, common) for common in range(holes + 1) for black in range(common + 1)]
        pairs.remove((holes - 1, holes))
        self.key_pegs = [KeyPegs(black, common - black) for black, common in pairs]
        self.solved = len(pairs) - 1
        self._numbers = np.full((holes + 1, holes + 1), -1, np.int64)
        for number, (black, common) in enumerate(pairs):
            self._numbers[black, common] = number

    def code(self, place: int) -> tuple[int, ...]:
        return tuple(self.codes[place].tolist())

    def answers(self, secrets: Codes, guesses: Codes) -> NDArray[np.int64]:
        """The number of the answer that each guess gets from its secret."""
        black = (self.codes[secrets] == self.codes[guesses]).sum(axis=1)
        common = np.minimum(self.counts[secrets], self.counts[guesses]).sum(axis=1)
        return np.asarray(self._numbers[black, common], np.int64)

    def check_scoring(self) -> None:
        """Compare `answers` with the rules on a sample of codes."""
        chance = random.Random(1971)  # noqa: S311 a sample, not a secret
        places = range(len(self.codes))
        pairs = [(chance.choice(places), chance.choice(places)) for _ in range(_SAMPLE)]
        secrets, guesses = np.array(pairs).T
        for answer, (secret, guess) in zip(self.answers(secrets, guesses), pairs, strict=True):
            if self.key_pegs[answer] != score(self.code(secret), self.code(guess)):
                raise AssertionError(f"the verifier scores {guess} against {secret} wrongly")

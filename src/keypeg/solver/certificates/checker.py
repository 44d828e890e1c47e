"""Whether a certificate proves its bound. It needs Python and NumPy 2, and nothing of keypeg.

    python checker.py FILE

**What is claimed.** A guess is any code of the board. Its answer says how many of its pegs are
right in their holes (black), and how many more are in the secret elsewhere (white); all black wins.
A region is a set of codes. A strategy for a region finds each of its codes; its total is the number
of guesses, the winning ones included, summed over the codes. V(R) is the least total of any
strategy for R. A claim (R, L) says that V(R) >= L. A certificate is a list of claims, of which the
first is about all codes of a board: no strategy for the board has a total below its L.

If the certificate has a limit on the guesses that one code may take, V is the least total of the
strategies within it, and a claim also says how many guesses are left: the limit, less the guesses
of its history. Where no strategy keeps the limit, V is infinite, and every claim is true.

**Why checking each claim is enough.** By induction on the number of codes: let all claims about
regions smaller than R be true. Take a strategy for R with the least total, and its first guess g.

1. g gets more than one answer from the codes of R, or wins. Otherwise it tells nothing, and the
   strategy without it would be better by one guess for each code.
2. A cell is the set of codes of R that give g the same answer, other than the winning answer.
   By 1, cells are smaller than R. What the strategy does after an answer is a strategy for that
   cell. So the total is |R|, for g itself, plus at least the sum of V(C) over the cells C.
3. So (R, L) is true if |R| plus a sum of lower bounds of V(C) is at least L for every guess g.

`check_claim` computes that sum for every guess. Its lower bound for a cell C of n codes is the
largest of these:

- *By size.* Let s be the most answers, without the winning one, that any guess gets from R. No
  guess gets more from a part of R. So any strategy for C finds at most 1 code with its first
  guess, s with its second, s * s with its third. V(C) is at least the total if n codes fill these
  places from the first on. Where the number of guesses is limited, C has one less than R; if the
  codes do not fit into them, V(C) is infinite, which counts as a very large total.
- *By its codes.* V(C) >= 2n unless some code of C gets a different answer from every code of C.
  For if the first guess is not in C, all codes take two guesses or more. If it is one, that
  one takes one guess, and all others take two only if all their answers differ; otherwise one of
  them takes three or more. Both make 2n at least.
- *By another claim*, about exactly the codes of C (and as many guesses left). C is smaller than R,
  so that claim is true.

**Symmetry.** A region is given by its history: the guesses and answers after which its codes are
left. Exchanging holes or colours changes no answer. If an exchange leaves every guess of the
history as it is, it maps R to itself, and a guess g to a guess whose cells are the images of the
cells of g, with the same V. So of all guesses that such exchanges map to each other, one is
checked. The exchanges are computed here from the history; the certificate does not name them.

**What has to be trusted**: this file, Python, NumPy, and the machine. Whether a strategy with that
total exists is another question, which a strategy book answers.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import zlib
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import pairwise, permutations, product
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    Codes = NDArray[np.int32]

MAGIC: Final = b"keypeg certificate 1\n"
IMPOSSIBLE: Final = 1 << 20
"""Counts as the total of a region that has too few guesses left."""
MOST_CODES: Final = 60_000
MOST_KEPT: Final = 10_000
"""On boards with at most this many codes, all answers are kept: a byte for each pair of codes."""
MOST_GUESSES_KEPT: Final = 1 << 26
"""How many guesses that differ are remembered, for all histories together."""
BLOCK: Final = 1 << 18
"""Pairs of codes that are scored at a time, which fit into a processor's cache."""
MOST_HOLES: Final = 7
MOST_SYMBOLS: Final = 255
MOST_CLAIMS: Final = 1 << 24
LARGEST_FILE: Final = 1 << 28
PART: Final = 200
"""Claims that a process checks at a time."""
_COLUMNS: Final = ("parents", "guesses", "answers", "bounds")


class Rejected(Exception):
    """The certificate cannot be read, or does not prove what it claims."""


class Certificate(NamedTuple):
    """A certificate as it is in its file.

    Claim 0 is about all codes. The region of every other claim is a cell of the region of an
    earlier claim, its parent: the codes that give a guess a certain answer.
    """

    holes: int
    symbols: int
    repeats: bool
    limit: int | None
    parents: Codes
    guesses: Codes
    answers: Codes
    bounds: Codes

    @property
    def bound(self) -> int:
        """The total that no strategy for the board is below, if the claims are true."""
        return int(self.bounds[0])


def read(data: bytes) -> Certificate:
    """Read a certificate: a magic line, a line of JSON, and four compressed columns of numbers."""
    head, _, packed = data.removeprefix(MAGIC).partition(b"\n")
    try:
        if not data.startswith(MAGIC):
            raise ValueError("it does not begin like one")
        header: dict[str, Any] = json.loads(head)
        holes, symbols, claims = (header[name] for name in ("holes", "symbols", "claims"))
        repeats, limit = header["repeats"], header["limit"]
        numbers = [holes, symbols, claims, *([] if limit is None else [limit])]
        if any(type(number) is not int or number < 1 for number in numbers):
            raise ValueError("a number in its header is not a whole number from 1 up")
        if holes > MOST_HOLES or symbols > MOST_SYMBOLS or claims > MOST_CLAIMS:
            raise ValueError("its header has a number that is too large")
        if type(repeats) is not bool:
            raise ValueError("`repeats` in its header is neither true nor false")
        size = 4 * len(_COLUMNS) * claims
        unpacking = zlib.decompressobj()
        body = unpacking.decompress(packed, size + 1)
        if len(body) != size or not unpacking.eof or unpacking.unused_data:
            raise ValueError("its columns do not have the length that its header says")
    except (ValueError, KeyError, TypeError, RecursionError, zlib.error) as error:
        raise Rejected(f"not a certificate, or a damaged one: {error}") from None
    columns = np.frombuffer(body, "<i4").reshape(len(_COLUMNS), claims).astype(np.int32)
    columns[0] = np.cumsum(columns[0])
    return Certificate(holes, symbols, repeats, limit, *columns)


def read_file(path: Path) -> Certificate:
    """Read a certificate from a file, if that is not far too large."""
    with path.open("rb") as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise Rejected("not a certificate: it is far too large")
    return read(data)


def write(certificate: Certificate) -> bytes:
    """The bytes that `read` reads."""
    columns = np.array([getattr(certificate, name) for name in _COLUMNS], "<i4")
    columns[0] = np.diff(columns[0], prepend=0)
    header = {
        "holes": certificate.holes,
        "symbols": certificate.symbols,
        "repeats": certificate.repeats,
        "limit": certificate.limit,
        "claims": len(certificate.bounds),
    }
    return MAGIC + json.dumps(header).encode() + b"\n" + zlib.compress(columns.tobytes(), 9)


class AnswerCell(NamedTuple):
    """The codes that give a guess the same answer, and a lower bound of V that they show."""

    answer: int
    codes: Codes
    low: int


class AnswerTable:
    """The codes of a board in lexicographic order, and the answers between them.

    Answers are numbered by pegs in common, and then by black.
    """

    def __init__(self, holes: int, symbols: int, repeats: bool) -> None:
        self.holes, self.symbols, self.repeats = holes, symbols, repeats
        many = symbols**holes if repeats else _arrangements(symbols, holes)
        if not 1 <= many <= MOST_CODES:
            raise Rejected(
                f"the board has {many:,} codes; a certificate is for 1 to {MOST_CODES:,}"
            )
        pegs = range(symbols)
        rows = product(pegs, repeat=holes) if repeats else permutations(pegs, holes)
        self.codes = np.array(list(rows), np.uint8)
        self.kinds = holes * (holes + 3) // 2
        self.solved = self.kinds - 1
        # A code as a set of (hole, symbol), and as a set of (symbol, 1), (symbol, 2) ... up to as
        # often as it contains the symbol: what two codes have in common are black, and all pegs.
        counts = [(self.codes == symbol).sum(axis=1) for symbol in range(symbols)]
        self._places = _words(
            column == symbol for column in self.codes.T for symbol in range(symbols)
        )
        self._counts = _words(count > place for count in counts for place in range(holes))
        self._weights = symbols ** np.arange(holes)[::-1]
        self._numbers = self.codes @ self._weights
        self._floors: dict[tuple[int, int | None], Codes] = {}
        self._every = np.arange(many, dtype=np.int32)
        self._kept: dict[tuple[int, ...], Codes] = {}
        self._table = self._scored(self._every, self._every) if many <= MOST_KEPT else None

    def answers(self, codes: Codes, guesses: Codes) -> NDArray[np.uint8]:
        """The number of the answer, by code and guess."""
        if self._table is None:
            return self._scored(codes, guesses)
        return self._table[codes][:, guesses]

    def _scored(self, codes: Codes, guesses: Codes) -> NDArray[np.uint8]:
        black, both = (
            sum(np.bitwise_count(words[codes, None] & words[guesses]) for words in sets)
            for sets in (self._places, self._counts)
        )
        numbers = both * (both + np.uint8(1)) // np.uint8(2) + black
        # A code cannot have a single peg in the wrong hole, so all black is one number less.
        return np.asarray(np.minimum(numbers, np.uint8(self.solved)), np.uint8)

    def gaps(
        self, region: Codes, history: tuple[int, ...], left: int | None, bound: int
    ) -> Iterator[tuple[int, list[AnswerCell]]]:
        """The guesses that sizes and codes alone do not show to take `bound`, with their cells.

        The region is what is left after `history`. `left` is the number of guesses left for it, if
        that is limited.
        """
        n = len(region)
        guesses = self.representatives(tuple(sorted(set(history))))
        sizes = self._sizes(region, guesses)[:, : self.solved]
        spread = int((sizes > 0).sum(axis=1).max())
        floor = self.floor(spread, None if left is None else left - 1)
        totals = n + floor[sizes].sum(axis=1, dtype=np.int64)
        for place in np.flatnonzero((totals < bound) & (sizes.max(axis=1) < n)):
            cells = self._cells(region, guesses[place], floor)
            if n + sum(cell.low for cell in cells) < bound:
                yield int(guesses[place]), cells

    def _sizes(self, region: Codes, guesses: Codes) -> NDArray[np.int32]:
        """How many codes of the region give each answer, by guess and answer."""
        step = max(1, BLOCK // len(region))
        parts = []
        for start in range(0, len(guesses), step):
            lines = self.answers(region, guesses[start : start + step])
            many = lines.shape[1]
            keys = lines + self.kinds * np.arange(many)
            sizes = np.bincount(keys.ravel(), minlength=self.kinds * many)
            parts.append(sizes.astype(np.int32).reshape(many, -1))
        return np.concatenate(parts)

    def _cells(self, region: Codes, guess: np.int32, floor: Codes) -> list[AnswerCell]:
        """The cells of a guess."""
        line = self.answers(region, np.array([guess]))[:, 0]
        order = np.argsort(line, kind="stable")
        starts = np.flatnonzero(np.diff(line[order], prepend=-1))
        cells = []
        for start, end in pairwise([*starts.tolist(), len(region)]):
            places = order[start:end]
            answer, codes = int(line[places[0]]), region[places]
            if answer != self.solved:
                low = int(floor[len(codes)])
                if low < 2 * len(codes) and len(codes) > 2 and not self._told_apart(codes):
                    low = 2 * len(codes)
                cells.append(AnswerCell(answer, codes, low))
        return cells

    def _told_apart(self, codes: Codes) -> bool:
        """Whether one of these codes gets a different answer from each of them."""
        if len(codes) > self.kinds:
            return False
        met = np.bitwise_or.reduce(np.uint64(1) << self.answers(codes, codes).astype(np.uint64))
        return int(np.bitwise_count(met).max()) == len(codes)

    def floor(self, spread: int, left: int | None) -> Codes:
        """The least total of 0, 1, 2 ... codes, if a guess leaves at most `spread` cells."""
        if (spread, left) not in self._floors:
            guesses = np.full(len(self.codes) + 1, IMPOSSIBLE, np.int64)
            guesses[0] = found = 0
            guess, room = 1, 1
            while found < len(self.codes) and room > 0 and (left is None or guess <= left):
                end = min(found + room, len(self.codes))
                guesses[found + 1 : end + 1] = guess
                found, guess, room = end, guess + 1, room * spread
            total = np.minimum(np.cumsum(guesses), IMPOSSIBLE).astype(np.int32)
            self._floors[spread, left] = total
        return self._floors[spread, left]

    def representatives(self, history: tuple[int, ...]) -> Codes:
        """The first guess of each kind that exchanges of holes and colours make equal."""
        if history not in self._kept:
            if len(self._kept) * len(self.codes) > MOST_GUESSES_KEPT:
                self._kept.clear()
            self._kept[history] = self._representatives(history)
        return self._kept[history]

    def _representatives(self, history: tuple[int, ...]) -> Codes:
        images = [self._image(exchange) for exchange in self._exchanges(history)]
        if not images:
            return self._every
        first = self._every
        while True:
            before = first
            for image in images:
                first = np.minimum(first, first[image])
            if np.array_equal(first, before):
                return np.flatnonzero(first == self._every).astype(np.int32)

    def _exchanges(self, history: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], list[int]]]:
        """Exchanges that leave each guess as it is, and together make all that do.

        An exchange moves the peg of hole `holes[i]` to hole i, and turns colour c into
        `colours[c]`.
        """
        rows = [self.codes[guess].tolist() for guess in history]
        same = tuple(range(self.holes))
        unused = [c for c in range(self.symbols) if not any(c in row for row in rows)]
        for one, other in pairwise(unused):
            colours = list(range(self.symbols))
            colours[one], colours[other] = other, one
            yield same, colours
        for holes in permutations(same):
            pairs = {(row[holes[i]], row[i]) for row in rows for i in same}
            mapped = dict(pairs)
            if len(pairs) == len(mapped) == len(set(mapped.values())) and holes != same:
                yield holes, [mapped.get(c, c) for c in range(self.symbols)]

    def _image(self, exchange: tuple[tuple[int, ...], list[int]]) -> Codes:
        """Where an exchange takes each code."""
        holes, colours = exchange
        moved = np.array(colours)[self.codes[:, list(holes)]]
        return np.searchsorted(self._numbers, moved @ self._weights).astype(np.int32)


def _words(members: Iterable[NDArray[np.bool_]]) -> list[NDArray[np.uint64]]:
    """Sets as bits of words: `members` says of each member which sets have it."""
    bits = np.array(list(members))
    packed = np.packbits(bits, axis=0, bitorder="little").T
    padded = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return list(np.ascontiguousarray(padded).view(np.uint64).T.copy())


def _arrangements(symbols: int, holes: int) -> int:
    many = 1
    for used in range(holes):
        many *= symbols - used
    return many


class Checker:
    """A certificate laid out for checking: the region, history and bound of each claim."""

    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate
        self.table = AnswerTable(certificate.holes, certificate.symbols, certificate.repeats)
        self.regions: list[Codes] = [np.arange(len(self.table.codes), dtype=np.int32)]
        self.histories: list[tuple[int, ...]] = [()]
        for number in range(1, len(certificate.bounds)):
            self._lay_out(number)
        self._claimed: dict[tuple[int | None, bytes], int] = {}
        for number, bound in enumerate(certificate.bounds.tolist()):
            key = self._left(number), self.regions[number].tobytes()
            if key in self._claimed:
                raise Rejected(f"claim {number:,}: an earlier one is about the same codes")
            self._claimed[key] = bound

    def __len__(self) -> int:
        return len(self.regions)

    def _lay_out(self, number: int) -> None:
        """Find the region of a claim: a cell of its parent's."""
        parent, guess, answer = (
            int(column[number])
            for column in (
                self.certificate.parents,
                self.certificate.guesses,
                self.certificate.answers,
            )
        )
        if not 0 <= parent < number:
            raise Rejected(f"claim {number:,}: its parent, {parent:,}, does not come before it")
        if not (0 <= guess < len(self.table.codes) and 0 <= answer < self.table.solved):
            raise Rejected(f"claim {number:,}: guess {guess} or answer {answer} does not exist")
        within = self.regions[parent]
        line = self.table.answers(within, np.array([guess]))[:, 0]
        region = within[line == answer]
        if len(region) in (0, len(within)):
            raise Rejected(f"claim {number:,}: its answer leaves no code of its parent, or all")
        self.regions.append(region)
        self.histories.append((*self.histories[parent], guess))

    def _left(self, number: int) -> int | None:
        """How many guesses are left for the region of a claim; None if any number."""
        limit = self.certificate.limit
        return None if limit is None else max(limit - len(self.histories[number]), 0)

    def check_claim(self, number: int) -> None:
        """Raise Rejected unless a claim follows from those about smaller regions."""
        region, history = self.regions[number], self.histories[number]
        left, bound = self._left(number), int(self.certificate.bounds[number])
        if left == 0:
            return  # no guess is left: every bound is true
        below = None if left is None else left - 1
        for guess, cells in self.table.gaps(region, history, left, bound):
            total = len(region) + sum(
                max(cell.low, self._claimed.get((below, cell.codes.tobytes()), 0)) for cell in cells
            )
            if total < bound:
                raise Rejected(
                    f"claim {number:,}, about what is left after {self._text(history)}: nothing "
                    f"shows that guess {self._text((guess,))} takes a total of {bound:,} there, "
                    f"only {total:,}"
                )

    def _text(self, guesses: tuple[int, ...]) -> str:
        rows = ("-".join(map(str, self.table.codes[guess] + 1)) for guess in guesses)
        return ", ".join(rows) or "no guess"


def check(
    certificate: Certificate,
    processes: int = 1,
    report: Callable[[int, int], None] | None = None,
) -> int:
    """Check every claim; the bound that the certificate proves. Raises Rejected otherwise.

    `report` is called with the number of claims checked so far, and of all.
    """
    checker = Checker(certificate)
    parts = [
        range(start, min(start + PART, len(checker))) for start in range(0, len(checker), PART)
    ]
    done = 0
    try:
        with _pool(checker, min(processes, len(parts))) as results:
            for many, complaint in results(parts):
                if complaint is not None:
                    raise Rejected(complaint)
                done += many
                if report is not None:
                    report(done, len(checker))
    except BrokenProcessPool:
        raise Rejected("not checked: one of the processes that check has died") from None
    return certificate.bound


@contextmanager
def _pool(
    checker: Checker, processes: int
) -> Iterator[Callable[[list[range]], Iterable[tuple[int, str | None]]]]:
    """What checks parts of the claims, in this process or in several."""
    if processes == 1:
        yield lambda parts: (_check_part(part, checker) for part in parts)
        return
    # Started anew, since a process with threads cannot be forked safely.
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin, (checker,))
    try:
        yield lambda parts: (
            done.result() for done in as_completed([pool.submit(_check_part, p) for p in parts])
        )
    finally:
        pool.shutdown(cancel_futures=True)


_here: list[Checker] = []
"""In a process of the pool: what it checks."""


def _begin(checker: Checker) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the first process ends the others
    _here[:] = [checker]


def _check_part(numbers: range, checker: Checker | None = None) -> tuple[int, str | None]:
    """Check some claims; how many, and what is wrong."""
    try:
        for number in numbers:
            (checker or _here[0]).check_claim(number)
    except Rejected as error:
        return len(numbers), str(error)
    return len(numbers), None


def main(arguments: list[str]) -> int:
    """Check the certificate that is named, and say what it proves."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python checker.py FILE\n")
        return 2
    try:
        certificate = read_file(Path(arguments[0]))
        check(certificate, os.cpu_count() or 1, _show)
    except (OSError, Rejected) as error:
        sys.stderr.write(f"\n{arguments[0]}: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    sys.stdout.write(f"{statement(certificate)}\n")
    return 0


def statement(certificate: Certificate) -> str:
    """What a certificate says, in words."""
    repeats = "" if certificate.repeats else " without repeats"
    limit = certificate.limit
    within = "" if limit is None else f" of at most {limit} guesses a code"
    return (
        f"{certificate.holes} holes, {certificate.symbols} kinds of pegs{repeats}: "
        f"no strategy{within} takes fewer than {certificate.bound:,} guesses in total"
    )


def _show(done: int, of: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done:,} of {of:,} claims" + "\n" * (done == of))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

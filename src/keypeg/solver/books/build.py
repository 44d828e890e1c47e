"""Making the shipped books: `python -m keypeg.solver.books.build [BOARD ...]`, or `make books`.

Where the least total can be proven, it is. Other books are improved stage by stage, continuing
from the log of an earlier run if there is one.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from keypeg.rules.board import Board
from keypeg.rules.errors import AgainstTheRules, CannotRead
from keypeg.solver.books.beam import STAGES, improve, stages, tree_of
from keypeg.solver.books.book import (
    SUFFIX,
    Book,
    BookClaim,
    bound,
    check_holes,
    put,
    read_book,
    shipped,
)
from keypeg.solver.books.verifier import verify, verify_bytes
from keypeg.solver.codes.codespace import Answers
from keypeg.solver.exact.engine import Engine
from keypeg.solver.exact.least import strategy
from keypeg.solver.exact.lower_bounds import Bounds, find_lower_bound
from keypeg.solver.exact.search import prove
from keypeg.solver.exact.workspace import LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from keypeg.solver.codes.trees import Tree
    from keypeg.solver.exact.engine import Width
    from keypeg.solver.exact.search import Proof

BOOKS: Final = Path(__file__).parent

PROVED: Final = ("classic", "classic-blanks", "4x8", "4x10n", "5x6")
"""Books whose totals are proven least."""

BOUNDED: Final = ("5x7",)
"""The same, where the search for a lower bound reaches the least total sooner than a proof."""


class BeamPlan(NamedTuple):
    """How a book is searched for: the stages, and the most guesses that a secret may need."""

    stages: Sequence[Width]
    worst: int | None = None


IMPROVED: Final = {
    "6x6": BeamPlan(STAGES),
    "advanced": BeamPlan(stages(6), worst=7),
    "advanced-blanks": BeamPlan(STAGES[:4], worst=7),
}
"""Books whose totals are upper bounds. The limit of 7 cost the advanced boards nothing."""


def build_book(
    board: Board,
    path: Path,
    log: Path | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Book:
    """Find a strategy for `board`, write it to `path` and verify what was written."""
    if str(board) in BOUNDED:
        bounds = Bounds(Engine(board), cancelled)
        return bind(strategy(bounds, find_lower_bound(bounds)), path)
    if str(board) in IMPROVED:
        stages, worst = IMPROVED[str(board)]
        found = improve(board, log, cancelled=cancelled, stages=stages, worst=worst)
        return bind(found, path, worst)
    return bind(prove(board, cancelled=cancelled, log=log), path)


def bind(found: Proof, path: Path, worst: int | None = None) -> Book:
    """Verify what was found and write it to `path`, but never over a better book."""
    claim = BookClaim(found.total, found.worst, found.proven, worst)
    there = earlier(path, found.board, worst)
    if there is None or _rank(claim) <= _rank(there.claim):
        data = bound(found.board, found.tree, claim)
        verify_bytes(data)
        put(path, data)
    else:
        verify(path)
    return read_book(path)


def earlier(path: Path, board: Board, limit: int | None) -> Book | None:
    """The book at `path` that would be replaced; one for another board or limit is refused."""
    check_holes(board)
    if not path.parent.is_dir():
        raise CannotRead(f"{path}: there is no folder {path.parent}")
    if not path.exists():
        return None
    book = read_book(path)
    if (book.board, book.claim.limit) != (board, limit):
        raise AgainstTheRules(
            f"{path} is a book of {_named(book.board, book.claim.limit)}; it is not replaced by "
            f"one of {_named(board, limit)}"
        )
    return book


def best_known(board: Board, worst: int | None = None, file: Path | None = None) -> Tree | None:
    """The strategy with the least total among the shipped book and the one in `file`, verified.

    None if there is none, or none of at most `worst` guesses.
    """
    kind = board.holes, len(board.symbols), board.repeats
    named = ((Board.parse(name), path) for name, path in shipped().items())
    alike = (path for b, path in named if (b.holes, len(b.symbols), b.repeats) == kind)
    paths = [*alike, *([file] if file is not None and file.exists() else [])]
    books = [read_book(path) for path in paths if verify(path).worst <= (worst or LEVELS)]
    best = min(books, key=lambda book: book.claim.total, default=None)
    if best is None:
        return None
    return tree_of(best.guesses, best.masks, Answers(board.holes).solved)


def _rank(claim: BookClaim) -> tuple[int, bool]:
    return claim.total, not claim.proven


def _named(board: Board, limit: int | None) -> str:
    if limit is None:
        return str(board)
    return f"{board} within {limit} guess{'es' * (limit != 1)}"


def main(names: Sequence[str]) -> None:
    """Build the named books, or all, with logs in build/books; prints one line for each."""
    logs = Path("build") / "books"
    logs.mkdir(parents=True, exist_ok=True)
    BOOKS.mkdir(exist_ok=True)
    for name in names or (*PROVED, *BOUNDED, *IMPROVED):
        path = BOOKS / f"{name}{SUFFIX}"
        book = build_book(Board.parse(name), path, logs / f"{name}.log")
        claim, size = book.claim, path.stat().st_size
        line = f"{name}: {claim.total:,} {claim.status}, worst {claim.worst}, {size:,} bytes"
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])

"""Making the shipped books: `python -m keypeg.solver.books.bindery [BOARD ...]`, or `make books`.

Boards that can be proven are; the others are improved stage by stage, going on from the log
of an earlier run where there is one.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from keypeg.rules.board import Board
from keypeg.solver.books.beam import STAGES, improve
from keypeg.solver.books.book import SUFFIX, Book, Claim, read_book, write_book
from keypeg.solver.books.verifier import verify
from keypeg.solver.exact.search import prove

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from keypeg.solver.exact.engine import Width

BOOKS: Final = Path(__file__).parent

PROVED: Final = ("classic", "classic-blanks", "4x8", "4x10n", "5x6")
"""Books whose totals are proven least."""

IMPROVED: Final[dict[str, Sequence[Width]]] = {
    "advanced": STAGES[:4],
    "advanced-blanks": STAGES[:3],
}
"""Books whose totals are upper bounds, with the stages they went through."""


def build_book(
    board: Board,
    path: Path,
    log: Path | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Book:
    """Find a strategy for `board`, write it to `path` and verify what was written."""
    if str(board) in IMPROVED:
        found = improve(board, log, cancelled=cancelled, stages=IMPROVED[str(board)])
    else:
        found = prove(board, cancelled=cancelled)
    write_book(path, board, found.tree, Claim(found.total, found.worst, found.proven))
    book = read_book(path)
    verify(book)
    return book


def main(names: Sequence[str]) -> None:
    """Build the named books, or all, with logs in build/books; one line each on the terminal."""
    logs = Path("build") / "books"
    logs.mkdir(parents=True, exist_ok=True)
    BOOKS.mkdir(exist_ok=True)
    for name in names or (*PROVED, *IMPROVED):
        path = BOOKS / f"{name}{SUFFIX}"
        book = build_book(Board.parse(name), path, logs / f"{name}.log")
        claim, size = book.claim, path.stat().st_size
        line = f"{name}: {claim.total:,} {claim.status}, worst {claim.worst}, {size:,} bytes"
        sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])

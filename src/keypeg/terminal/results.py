"""Evaluations, proofs and books, for a person or a program to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from keypeg.rules.code import format_code
from keypeg.rules.errors import AgainstTheRules, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from keypeg.rules.board import Board
    from keypeg.solver.books.book import Book
    from keypeg.solver.books.verifier import Verdict
    from keypeg.solver.certificates.checker import Certificate
    from keypeg.solver.exact.lower_bounds import LowerBound
    from keypeg.solver.exact.search import Proof
    from keypeg.solver.history import History
    from keypeg.solver.playing.strategies import Evaluation


def evaluation_lines(found: Evaluation, board: Board) -> Iterator[str]:
    """What a strategy needs, for a person to read."""
    yield f"{board}: first guess {format_code(found.first, board)}"
    yield (
        f"{found.total:,} guesses for {found.codes:,} codes: {found.average:.5f} on average, "
        f"{found.worst} at worst ({found.seconds:.2f} s)"
    )
    yield from _distribution_lines(found.distribution)


def evaluation_data(found: Evaluation, board: Board) -> dict[str, Any]:
    """What a strategy needs, for a program."""
    return {
        "board": str(board),
        "first": format_code(found.first, board),
        "codes": found.codes,
        "total": found.total,
        "average": found.average,
        "worst": found.worst,
        "distribution": found.distribution,
        "seconds": found.seconds,
    }


def proof_lines(found: Proof) -> Iterator[str]:
    """A proof for a person to read."""
    board = found.board
    yield f"{board}: first guess {format_code(found.first, board)}"
    yield (
        f"{found.total:,} guesses for {board.codes:,} codes: {found.average:.5f} on average, "
        f"{found.worst} at worst"
    )
    status = "proven least" if found.proven else "an upper bound"
    yield f"{status}: {found.nodes:,} positions in {found.seconds:.2f} s"
    if not found.proven:
        yield f"no strategy takes fewer than {found.lower:,}"
    yield from _distribution_lines(found.tree.distribution)


def proof_data(found: Proof) -> dict[str, Any]:
    """A proof for a program."""
    return {
        "board": str(found.board),
        "first": format_code(found.first, found.board),
        "codes": found.board.codes,
        "total": found.total,
        "worst": found.worst,
        "average": found.average,
        "proven": found.proven,
        "distribution": found.tree.distribution,
        "lower": found.lower,
        "nodes": found.nodes,
        "seconds": found.seconds,
    }


def unsolved_data(board: Board, lower: int) -> dict[str, Any]:
    """A proof that was stopped before it had any strategy, for a program."""
    return {
        "board": str(board),
        "first": None,
        "codes": board.codes,
        "total": None,
        "worst": None,
        "average": None,
        "proven": False,
        "distribution": {},
        "lower": lower,
        "nodes": None,
        "seconds": None,
        "certificate": None,
    }


def bound_lines(found: LowerBound, at_least: int | None) -> Iterator[str]:
    """A lower bound for a person to read."""
    codes = found.board.codes
    yield (
        f"{found.board}: no strategy takes fewer than {found.total:,} guesses for {codes:,} codes: "
        f"{found.total / codes:.5f} on average ({found.seconds:.2f} s)"
    )
    if found.exact:
        yield "this is the least total: a strategy takes as many"
    if at_least is not None and found.total < at_least:
        yield f"{at_least:,} was not shown"


def bound_data(found: LowerBound) -> dict[str, Any]:
    """A lower bound for a program."""
    return {
        "board": str(found.board),
        "codes": found.board.codes,
        "bound": found.total,
        "average": found.total / found.board.codes,
        "exact": found.exact,
        "seconds": found.seconds,
    }


class Checked(NamedTuple):
    """A certificate whose claims are all true, and how long it took to check them."""

    file: Path
    certificate: Certificate
    seconds: float


def certificate_lines(file: Path, found: Certificate, seconds: float) -> Iterator[str]:
    """What a certificate proves, for a person to read."""
    from keypeg.solver.certificates.checker import statement  # noqa: PLC0415 - loads NumPy

    yield f"{file.name}: {statement(found)}"
    yield f"proven: {counted(len(found.bounds), 'claim')} checked in {seconds:.2f} s"


def certificate_data(file: Path, found: Certificate, seconds: float) -> dict[str, Any]:
    """What a certificate proves, for a program."""
    return {
        "certificate": str(file),
        "holes": found.holes,
        "pegs": found.symbols,
        "repeats": found.repeats,
        "limit": found.limit,
        "bound": found.bound,
        "claims": len(found.bounds),
        "seconds": seconds,
    }


def book_lines(books: Sequence[tuple[int, Book, int | None]]) -> Iterator[str]:
    """The books there are, a line each."""
    yield (
        f"{'board':<16} {'total':>8} {'average':>8} worst  {'status':<12} {'none below':>10} "
        f"{'bytes':>8}"
    )
    for size, book, lower in books:
        claim = book.claim
        none_below = "" if lower is None else f"{lower:,}"
        yield (
            f"{book.board!s:<16} {claim.total:>8,} {claim.total / book.board.codes:>8.5f} "
            f"{claim.worst:>5}  {claim.status:<12} {none_below:>10} {size:>8,}"
        )


def book_data(book: Book, size: int, lower: int | None) -> dict[str, Any]:
    """A book's claim for a program."""
    return {
        "board": str(book.board),
        "total": book.claim.total,
        "average": book.claim.total / book.board.codes,
        "worst": book.claim.worst,
        "status": book.claim.status,
        "lower": lower,
        "bytes": size,
    }


def page_lines(book: Book, history: History) -> Iterator[str]:
    """What a book plays next, for a person to read."""
    page = page_data(book, history)
    yield f"{page['guess']}   {page['expected_guesses']:.3f} guesses to go on average"


def page_data(book: Book, history: History) -> dict[str, Any]:
    """What a book plays next, for a program."""
    guess = book.guess(history)
    if guess is None:
        raise AgainstTheRules(f"the book of {book.board} has no guess after these rows")
    return {"guess": format_code(guess, book.board), "expected_guesses": book.cost(history)}


def verdict_lines(name: str, book: Book, verdict: Verdict, lower: int | None) -> Iterator[str]:
    """A verified book, for a person to read."""
    yield (
        f"{name}: verified, {verdict.total:,} guesses, {verdict.average:.5f} on average, "
        f"{verdict.worst} at worst; claimed as {book.claim.status}"
    )
    if lower is not None and lower < verdict.total:
        more = (verdict.total - lower) / lower
        yield (
            f"no strategy takes fewer than {lower:,}: "
            f"this one is at most {more:.2%} above the least"
        )
    yield from _distribution_lines(dict(enumerate(verdict.distribution, 1)))


def verdict_data(name: str, book: Book, verdict: Verdict, lower: int | None) -> dict[str, Any]:
    """A verified book, for a program."""
    return {
        "book": name,
        "board": str(book.board),
        "verified": True,
        "total": verdict.total,
        "average": verdict.average,
        "worst": verdict.worst,
        "distribution": dict(enumerate(verdict.distribution, 1)),
        "status": book.claim.status,
        "lower": lower,
    }


def _distribution_lines(distribution: Mapping[int, int]) -> Iterator[str]:
    most = max(distribution.values())
    for guesses, codes in distribution.items():
        bar = "#" * round(40 * codes / most)
        yield f"  {guesses:>2}  {codes:>7,}  {bar}".rstrip()

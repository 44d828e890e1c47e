from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from keypeg.rules.board import Board
from keypeg.solver.books.book import Book, Claim, read_book, shipped
from keypeg.solver.books.verifier import FalseBook, verify

PROVEN = {"classic": 5625, "classic-blanks": 11228, "4x8": 20471, "4x10n": 26274, "5x6": 36721}
AT_MOST = {"advanced": 178_480, "advanced-blanks": 340_934}
"""Better books may replace these two; worse ones may not."""


@pytest.fixture(scope="module")
def book() -> Book:
    return read_book(shipped()["classic"])


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_book_takes_what_it_claims(name: str) -> None:
    book = read_book(shipped()[name])
    verdict = verify(book)
    assert verdict.codes == Board.parse(name).codes == sum(verdict.distribution)
    assert verdict.total <= {**PROVEN, **AT_MOST}[name]
    assert book.claim.proven == (name in PROVEN)
    assert book.claim.total == verdict.total


def changed(book: Book, field: str, node: int, value: int) -> Book:
    """The book with one word of one node replaced."""
    words = np.array(getattr(book, field))
    words[node] = value
    if field == "guesses":
        return replace(book, guesses=words)
    lead = np.bitwise_count(words & np.uint32((1 << 13) - 1))
    return replace(book, masks=words, children=np.cumsum(lead, dtype=np.int64) - lead + 1)


@pytest.mark.parametrize("node", [0, 1, 5, 60, 700, -1])
def test_a_changed_guess_is_found_out(book: Book, node: int) -> None:
    other = (int(book.guesses[node]) + 501) % 1296
    with pytest.raises(FalseBook, match="answer"):
        verify(changed(book, "guesses", node, other))


def test_a_guess_that_is_no_code_is_found_out(book: Book) -> None:
    with pytest.raises(FalseBook, match="none of the 1,296 codes"):
        verify(changed(book, "guesses", 3, 5000))


@pytest.mark.parametrize("node", [0, 4, 30])
def test_a_missing_branch_is_found_out(book: Book, node: int) -> None:
    mask = int(book.masks[node])
    with pytest.raises(FalseBook, match="is missing"):
        verify(changed(book, "masks", node, mask & (mask - 1)))


@pytest.mark.parametrize("node", [20, 50, 900])
def test_a_wrong_answer_is_found_out(book: Book, node: int) -> None:
    mask = int(book.masks[node])
    spare = next(bit for bit in range(13) if not mask >> bit & 1)
    with pytest.raises(FalseBook, match=r"cannot come|is missing"):
        verify(changed(book, "masks", node, mask | 1 << spare))


def test_a_tail_never_reached_is_found_out(book: Book) -> None:
    longer = replace(
        book,
        guesses=np.append(book.guesses, np.uint32(0)),
        masks=np.append(book.masks, np.uint32(1 << 13)),
        children=np.append(book.children, 0),
    )
    with pytest.raises(FalseBook, match="never made"):
        verify(longer)


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (Claim(5624, 6, proven=True), "total of 5,624; it is 5,625"),
        (Claim(5625, 5, proven=True), "worst case of 5; it is 6"),
        (Claim(5625, 6, proven=True, limit=5), "over its limit of 5"),
    ],
)
def test_a_wrong_claim_is_found_out(book: Book, claim: Claim, reason: str) -> None:
    with pytest.raises(FalseBook, match=reason):
        verify(replace(book, claim=claim))

from __future__ import annotations

import json
import sys
import zlib
from dataclasses import dataclass, replace

import numpy as np
import pytest

from harness import programs
from keypeg.rules.board import Board
from keypeg.solver.books.book import read_book, shipped
from keypeg.solver.books.verifier import FalseBook, verify, verify_bytes

PROVEN = {
    "classic": 5625,
    "classic-blanks": 11228,
    "4x8": 20471,
    "4x10n": 26274,
    "5x6": 36721,
    "5x7": 85645,
}
AT_MOST = {"6x6": 240_753, "advanced": 178_370, "advanced-blanks": 340_283}
"""Better books may replace these; worse ones may not."""


@dataclass(frozen=True)
class Pages:
    """A book taken apart as docs/books.md describes it, to be changed and put together."""

    header: dict[str, object]
    guesses: tuple[int, ...]
    masks: tuple[int, ...]

    def bound(self) -> bytes:
        """The file, with a checksum that fits."""
        words = np.array([self.guesses, self.masks], "<u4")
        body = words.view(np.uint8).reshape(2, -1, 4).transpose(0, 2, 1).tobytes()
        sums = {"nodes": len(self.guesses), "checksum": zlib.crc32(body)}
        header = json.dumps({**self.header, **sums}).encode()
        return b"keypeg book 1\n" + header + b"\n" + zlib.compress(body)


@pytest.fixture(scope="module")
def book() -> Pages:
    path = shipped()["classic"]
    found = read_book(path)
    header = json.loads(path.read_bytes().split(b"\n")[1])
    return Pages(header, tuple(found.guesses.tolist()), tuple(found.masks.tolist()))


def changed(book: Pages, field: str, node: int, value: int) -> bytes:
    """The book with one word of one node replaced."""
    words = {"guesses": list(book.guesses), "masks": list(book.masks)}
    words[field][node] = value
    return Pages(book.header, tuple(words["guesses"]), tuple(words["masks"])).bound()


def test_a_book_put_together_by_hand_is_verified(book: Pages) -> None:
    assert verify_bytes(book.bound()).total == 5625


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_book_takes_what_it_claims(name: str) -> None:
    book = read_book(shipped()[name])
    verdict = verify(shipped()[name])
    assert verdict.codes == Board.parse(name).codes == sum(verdict.distribution)
    assert verdict.total <= {**PROVEN, **AT_MOST}[name]
    assert book.claim.proven == (name in PROVEN)
    assert book.claim.total == verdict.total


@pytest.mark.parametrize("node", [0, 1, 5, 60, 700, -1])
def test_a_changed_guess_is_found_out(book: Pages, node: int) -> None:
    other = (book.guesses[node] + 501) % 1296
    with pytest.raises(FalseBook, match="answer"):
        verify_bytes(changed(book, "guesses", node, other))


def test_a_guess_that_is_not_a_code_is_found_out(book: Pages) -> None:
    with pytest.raises(FalseBook, match="not one of the 1,296 codes"):
        verify_bytes(changed(book, "guesses", 3, 5000))


@pytest.mark.parametrize("node", [0, 4, 30])
def test_a_missing_branch_is_found_out(book: Pages, node: int) -> None:
    mask = book.masks[node]
    with pytest.raises(FalseBook, match="is missing"):
        verify_bytes(changed(book, "masks", node, mask & (mask - 1)))


@pytest.mark.parametrize("node", [20, 50, 900])
def test_a_wrong_answer_is_found_out(book: Pages, node: int) -> None:
    mask = book.masks[node]
    spare = next(bit for bit in range(13) if not mask >> bit & 1)
    with pytest.raises(FalseBook, match=r"cannot come|is missing"):
        verify_bytes(changed(book, "masks", node, mask | 1 << spare))


def test_a_tail_never_reached_is_found_out(book: Pages) -> None:
    longer = replace(book, guesses=(*book.guesses, 0), masks=(*book.masks, 1 << 13))
    with pytest.raises(FalseBook, match="never made"):
        verify_bytes(longer.bound())


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ({"total": 5624}, "total of 5,624; it is 5,625"),
        ({"worst": 5}, "worst case of 5; it is 6"),
        ({"limit": 5}, "over its limit of 5"),
    ],
)
def test_a_wrong_claim_is_found_out(book: Pages, claim: dict[str, int], reason: str) -> None:
    with pytest.raises(FalseBook, match=reason):
        verify_bytes(replace(book, header={**book.header, **claim}).bound())


@pytest.mark.parametrize("board", ["4x7", "6x20"])
def test_a_board_with_more_codes_than_guesses_is_found_out_before_its_codes_are_listed(
    book: Pages, board: str
) -> None:
    with pytest.raises(FalseBook, match="guesses cannot find the"):
        verify_bytes(replace(book, header={**book.header, "board": board}).bound())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("total", "5625"),
        ("total", 5625.0),
        ("worst", None),
        ("limit", "6"),
        ("limit", float("nan")),
        ("proven", "perhaps"),
        ("proven", 1),
        ("board", 46),
    ],
)
def test_a_claim_of_the_wrong_kind_is_found_out(book: Pages, field: str, value: object) -> None:
    with pytest.raises(FalseBook, match=f"not a valid {field}"):
        verify_bytes(replace(book, header={**book.header, field: value}).bound())


def test_something_after_the_end_is_found_out(book: Pages) -> None:
    with pytest.raises(FalseBook, match="damaged"):
        verify_bytes(book.bound() + b"more")


@pytest.mark.parametrize("cut", [0, 5, 14, 40, 150, 300, -1])
def test_a_damaged_file_is_found_out(book: Pages, cut: int) -> None:
    with pytest.raises(FalseBook, match="damaged"):
        verify_bytes(book.bound()[:cut])


def test_of_keypeg_the_verifier_uses_the_rules_alone() -> None:
    program = (
        "import sys; from keypeg.solver.books import verifier\n"
        "print(*sorted(m for m in sys.modules if m.startswith('keypeg.')))"
    )
    done = programs.run([sys.executable, "-c", program], check=True)
    packages = {"keypeg.rules", "keypeg.solver", "keypeg.solver.books"}
    others = set(done.stdout.split()) - packages - {"keypeg.solver.books.verifier"}
    assert all(name.startswith("keypeg.rules.") for name in others)

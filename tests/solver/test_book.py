from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from harness import programs
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.keypegs import KeyPegs, score, solved
from keypeg.solver.books.book import (
    MAGIC,
    BookClaim,
    BrokenBook,
    book_of,
    bound,
    parse_book,
    put,
    read_book,
    shipped,
)
from keypeg.solver.exact.search import prove

if TYPE_CHECKING:
    from pathlib import Path

    from keypeg.rules.code import Code
    from keypeg.solver.books.book import Book


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    board = Board.parse("3x4b")
    proof = prove(board)
    path = tmp_path_factory.mktemp("books") / "3x4b.book"
    put(path, bound(board, proof.tree, BookClaim(proof.total, proof.worst, proof.proven)))
    return path


def play(book: Book, secret: Code) -> list[Code]:
    """The guesses that the book makes until it has found the secret."""
    history: list[tuple[Code, KeyPegs]] = []
    while not history or history[-1][1] != solved(book.board):
        guess = book.guess(history)
        assert guess is not None
        history.append((guess, score(secret, guess)))
    return [guess for guess, _ in history]


def test_a_book_is_read_as_it_was_written(path: Path) -> None:
    book = read_book(path)
    assert book.board == Board.parse("3x4b")
    assert book.claim == BookClaim(451, book.claim.worst, proven=True)
    assert book.claim.status == "proven"


def test_following_a_book_finds_the_secret(path: Path) -> None:
    book = read_book(path)
    assert play(book, (0, 4, 0))[-1] == (0, 4, 0)
    assert play(book, (3, 2, 1))[-1] == (3, 2, 1)


def test_a_history_that_leaves_the_book_has_no_guess(path: Path) -> None:
    book = read_book(path)
    first = book.guess([])
    assert first is not None
    other = next(code for code in ((0, 0, 0), (1, 1, 1)) if code != first)
    assert book.guess([(other, KeyPegs(0, 0))]) is None
    assert book.guess([(first, KeyPegs(2, 1))]) is None
    assert book.guess([(first, KeyPegs(9, 9))]) is None


def test_a_solved_game_has_no_next_guess(path: Path) -> None:
    book = read_book(path)
    first = book.guess()
    assert first is not None
    assert book.guess([(first, KeyPegs(3, 0))]) is None


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[1:],
        lambda data: data[:-9],
        lambda data: data.replace(b'"nodes"', b'"knots"'),
        lambda data: data.replace(b"3x4b", b"3y4b"),
        lambda data: data[:-1] + bytes([data[-1] ^ 255]),
    ],
)
def test_a_damaged_book_is_refused(path: Path, damage: object) -> None:
    assert callable(damage)
    with pytest.raises((BrokenBook, ValueError)):
        parse_book(damage(path.read_bytes()))


@pytest.mark.parametrize("name", PRESETS)
def test_the_official_boards_have_books(name: str) -> None:
    book = book_of(PRESETS[name])
    assert book is not None
    assert book.guess() is not None


def test_a_board_without_a_book_has_none() -> None:
    assert book_of(Board.parse("6x9")) is None


def test_every_shipped_book_is_named_after_its_board() -> None:
    for name, path in shipped().items():
        assert str(read_book(path).board) == name


def test_opening_a_book_compiles_nothing() -> None:
    program = (
        "import sys; from keypeg.rules.board import PRESETS; "
        "from keypeg.solver.books.book import book_of; "
        "book_of(PRESETS['classic']).guess(); "
        "assert 'numba' not in sys.modules"
    )
    programs.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("total", '"5625"'),
        ("total", "5625.0"),
        ("worst", "null"),
        ("limit", '"5"'),
        ("proven", '"perhaps"'),
        ("board", "5"),
        ("board", '"12x20"'),
        ("board", '"7x4"'),
        ("board", '"6x20"'),
        ("nodes", "0"),
        ("nodes", "1.5"),
    ],
)
def test_a_header_that_cannot_be_is_refused_with_the_reason(field: str, value: str) -> None:
    data = shipped()["classic"].read_bytes()
    first, line, body = data.split(b"\n", 2)
    header = json.loads(line)
    told = json.dumps({**header, field: "HERE"}).replace('"HERE"', value)
    with pytest.raises(BrokenBook, match="damaged strategy book"):
        parse_book(b"\n".join((first, told.encode(), body)))


def test_a_book_cut_short_or_with_more_after_its_end_is_refused() -> None:
    data = shipped()["classic"].read_bytes()
    for changed in (data[:-4], data + b"more"):
        with pytest.raises(BrokenBook, match="cut short, or something follows"):
            parse_book(changed)


def test_a_header_nested_without_end_is_refused() -> None:
    with pytest.raises(BrokenBook, match="not JSON"):
        parse_book(MAGIC + b"[" * 4000 + b"\n")

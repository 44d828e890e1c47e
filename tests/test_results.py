"""What the documents say of games and books is what was measured, and adds up."""

import re

import pytest

from bench import __main__ as measurements
from bench.drawings import expected_left, levels, shelf
from bench.records import BLANKS, GAMES, PAGE, PRESET, Game, kept, page
from keypeg.rules.board import Board
from keypeg.solver.books.book import book_of, read_book, shipped

RECORDS = kept()
BOOKS = (PAGE.parent / "books.md").read_text("utf-8")
GAME_OF = {book: game for game, book in {**PRESET, **BLANKS}.items()}
"""The games whose books have other names."""


def test_the_page_is_made_from_the_records() -> None:
    assert PAGE.read_text("utf-8") == page(RECORDS)


@pytest.mark.parametrize("game", [game for game in GAMES if game.name in RECORDS], ids=str)
def test_a_record_adds_up(game: Game) -> None:
    record, codes = RECORDS[game.name], Board.parse(game.board).codes
    found = record["distribution"]
    assert sum(found) == codes
    assert sum(guesses * many for guesses, many in enumerate(found, 1)) == record["total"]
    assert record["worst"] == len(found) <= (game.worst or 99)


def test_what_was_proven_before_is_proven_again_with_the_same_total() -> None:
    before = {game: game.published for game in GAMES if game.published and game.published.proven}
    assert len(before) > 30
    for game, published in before.items():
        record = RECORDS[game.name]
        assert (record["total"], record["status"]) == (published.total, "proven")


def test_records_of_shipped_books_are_those_of_the_books() -> None:
    for game in GAMES:
        book = book_of(Board.parse({**PRESET, **BLANKS}.get(game.board, game.board)))
        if book is not None and game.worst is None:
            record = RECORDS[game.name]
            assert (record["total"], record["status"]) == (book.claim.total, book.claim.status)


def test_the_pictures_count_what_the_books_do() -> None:
    for book in shelf().values():
        wins = [int(won.sum()) for _, won in levels(book)]
        assert sum(row * many for row, many in enumerate(wins, 1)) == book.claim.total
        assert expected_left(book)[0] == book.board.codes
        assert expected_left(book)[-1] == 1


def test_the_table_of_books_is_that_of_the_books() -> None:
    rows = re.findall(r"^\| (\S+) \| ([\d,]+ .*) \| [^|]+ \|$", BOOKS, re.MULTILINE)
    for name, path in shipped().items():
        book = read_book(path)
        codes, claim = book.board.codes, book.claim
        numbers = (f"{codes:,}", f"{claim.total:,}", f"{claim.total / codes:.5f}", str(claim.worst))
        size = f"{path.stat().st_size:,}"
        assert dict(rows)[name] == " | ".join((*numbers, claim.status, size))
    assert len(rows) == len(shipped())


def test_a_book_was_proven_in_the_time_of_its_record() -> None:
    times = dict(re.findall(r"^\| (\S+) \| [\d,]+ .* \| ([\d.,]+ s) \|$", BOOKS, re.MULTILINE))
    proven = {name: RECORDS[GAME_OF.get(name, name)] for name in shipped()}
    proven = {
        name: record for name, record in proven.items() if "keypeg prove" in record["command"]
    }
    assert {name: times[name] for name in proven} == {
        name: f"{record['cpu']:,.1f} s" for name, record in proven.items()
    }


def test_the_page_of_books_cites_the_published_totals_of_the_records() -> None:
    published = {game.board: game.published.total for game in GAMES if game.published}
    assert f"the best published total was {published['5x6']:,}." in BOOKS
    advanced = f"{published['5x8']:,} for advanced and {published['5x9']:,} for advanced-blanks"
    assert f"The best published totals before were {advanced} (" in BOOKS


def test_measurements_are_of_the_books_and_the_totals_that_there_are() -> None:
    sections = measurements.kept()
    verified = re.findall(r"^\| (\S+): ([\d,]+) verified ", sections["books"], re.MULTILINE)
    assert dict(verified) == {
        name: f"{read_book(path).claim.total:,}" for name, path in shipped().items()
    }
    for name, total in re.findall(r"^\| (\S+): ([\d,]+) proven,", sections["proofs"], re.MULTILINE):
        assert total == f"{RECORDS[GAME_OF.get(name, name)]['total']:,}"

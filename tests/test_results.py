"""What docs/results.md says is what was measured, and adds up."""

import pytest

from bench.drawings import expected_left, levels, shelf
from bench.records import BLANKS, GAMES, PAGE, PRESET, Game, kept, page
from keypeg.rules.board import Board
from keypeg.solver.books.book import book_of

RECORDS = kept()


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

from __future__ import annotations

import pytest

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.errors import KeypegError
from keypeg.solver.books.book import shipped
from keypeg.solver.contest import RULES, contest
from keypeg.solver.playing.strategies import RULES as REAL_RULES

CLASSIC = PRESETS["classic"]
SMALL = Board(2, 4)


def test_the_rules_are_those_of_the_strategies() -> None:
    assert tuple(REAL_RULES) == RULES


def test_a_rule_and_the_book_are_played_against_every_secret() -> None:
    minimax, book = contest(CLASSIC, "minimax"), contest(CLASSIC, "book")
    assert (minimax.secrets, minimax.sampled) == (1296, False)
    assert (book.total, book.worst) == (5625, 6)
    assert contest(CLASSIC, str(shipped()["classic"])).distribution == book.distribution


@pytest.mark.parametrize("level", ["beginner", "careful", "strong", "perfect"])
def test_a_level_finds_every_secret(level: str) -> None:
    told: list[tuple[int, int]] = []
    standing = contest(SMALL, level, progress=lambda done, of: told.append((done, of)))
    assert standing.secrets == 16
    assert told[-1] == (16, 16)
    assert standing.average <= 6


def test_a_perfect_level_is_no_worse_than_a_careful_one() -> None:
    assert contest(SMALL, "perfect").average <= contest(SMALL, "careful").average


def test_a_sample_is_the_same_under_the_same_seed() -> None:
    first, again = (contest(CLASSIC, "careful", 5, seed=3) for _ in range(2))
    assert first.sampled
    assert first.distribution == again.distribution


@pytest.mark.parametrize(
    ("board", "name", "reason"),
    [
        (CLASSIC, "luck", "no 'luck'; there are minimax"),
        (Board(4, 7), "book", "no book is shipped for 4x7"),
        (SMALL, str(shipped()["classic"]), "is a book for classic"),
    ],
)
def test_what_is_no_strategy_is_refused(board: Board, name: str, reason: str) -> None:
    with pytest.raises(KeypegError, match=reason):
        contest(board, name)

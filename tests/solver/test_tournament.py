from __future__ import annotations

import pytest

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.errors import AgainstTheRules, KeypegError
from keypeg.solver.books.book import shipped
from keypeg.solver.levels import RULES
from keypeg.solver.playing.strategies import RULES as REAL_RULES
from keypeg.solver.progress import Watch
from keypeg.solver.tournament import _play, _player, standing_of

CLASSIC = PRESETS["classic"]
SMALL = Board(2, 4)


def test_the_rules_are_those_of_the_strategies() -> None:
    assert tuple(REAL_RULES) == RULES


def test_a_rule_and_the_book_are_played_against_every_secret() -> None:
    minimax, book = standing_of(CLASSIC, "minimax"), standing_of(CLASSIC, "book")
    assert (minimax.secrets, minimax.sampled) == (1296, False)
    assert (book.total, book.worst) == (5625, 6)
    assert standing_of(CLASSIC, str(shipped()["classic"])).distribution == book.distribution


@pytest.mark.parametrize("level", ["beginner", "careful", "strong", "perfect"])
def test_a_level_finds_every_secret(level: str) -> None:
    told: list[tuple[int, int]] = []
    standing = standing_of(SMALL, level, progress=lambda done, of: told.append((done, of)))
    assert standing.secrets == 16
    assert told[-1] == (16, 16)
    assert standing.average <= 6


def test_a_perfect_level_is_no_worse_than_a_careful_one() -> None:
    assert standing_of(SMALL, "perfect").average <= standing_of(SMALL, "careful").average


def test_a_sample_is_the_same_under_the_same_seed() -> None:
    first, again = (standing_of(CLASSIC, "careful", 5, seed=3) for _ in range(2))
    assert first.sampled
    assert first.distribution == again.distribution


@pytest.mark.parametrize("name", [*RULES, "book"])
def test_a_sample_holds_for_rules_and_books_too(name: str) -> None:
    standing = standing_of(CLASSIC, name, 40, seed=1)
    assert (standing.secrets, standing.sampled) == (40, True)
    assert standing.worst <= standing_of(CLASSIC, name).worst


def test_a_rule_plays_game_by_game_what_it_plays_against_all_at_once() -> None:
    every = [(one, two, three) for one in (1, 2, 3) for two in (1, 2, 3) for three in (1, 2, 3)]
    player = _player(Board(3, 3), "entropy")
    found = _play(player, every, 0, Watch(len(every)))
    assert found == standing_of(Board(3, 3), "entropy").distribution


def test_a_rule_is_sampled_on_a_board_too_large_for_a_whole_tree_in_a_moment() -> None:
    assert standing_of(PRESETS["advanced"], "entropy", 2).worst < 10


def test_more_secrets_than_can_be_played_are_refused() -> None:
    with pytest.raises(AgainstTheRules, match="use a sample"):
        standing_of(Board(12, 20), "careful")


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
        standing_of(board, name)

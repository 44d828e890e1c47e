import random

import pytest

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.keypegs import score
from keypeg.solver.books.openings import BOARDS, best_opening, kind_of, openings, work_out

CLASSIC = PRESETS["classic"]


@pytest.mark.parametrize(("name", "total"), [("classic", 5_625), ("classic-blanks", 11_228)])
def test_the_best_opening_takes_the_published_total(name: str, total: int) -> None:
    """Koyama and Lai 1993 for classic, Ville 2013 for classic with blanks."""
    opening = best_opening(PRESETS[name])
    assert opening is not None
    assert opening == (total, (1, 1, 2, 3))


def test_what_is_kept_is_what_a_search_finds() -> None:
    for kind, cells in work_out(CLASSIC).items():
        first = tuple(int(colour) + 1 for colour in kind)
        kept = openings(CLASSIC, first)
        assert kept is not None
        assert {keys: cell.total for keys, cell in kept.items()} == {
            (black, white): total for black, white, total, _ in cells
        }


def test_guesses_of_one_kind_have_the_same_totals() -> None:
    for first in ((3, 3, 6, 2), (2, 5, 2, 4), (6, 1, 2, 1)):
        assert kind_of(first, CLASSIC).code == (0, 0, 1, 2)
        kept = openings(CLASSIC, first)
        assert kept is not None
        assert CLASSIC.codes + sum(cell.total for cell in kept.values()) == 5_625


def test_the_way_back_from_a_kind_keeps_every_answer() -> None:
    dice = random.Random(4)
    board = PRESETS["classic-blanks"]
    for _ in range(200):
        first, second = (tuple(dice.choices(board.symbols, k=4)) for _ in range(2))
        kind = kind_of(first, board)
        met = dict(zip(kind.colours, range(7), strict=True))
        assert kind.back(kind.code) == first
        assert kind.back([met[second[hole]] for hole in kind.holes]) == second
        assert score(kind.code, [met[second[h]] for h in kind.holes]) == score(first, second)  # type: ignore[arg-type]


def test_boards_that_differ_only_in_name_share_their_openings() -> None:
    assert best_opening(Board(4, 7)) == best_opening(PRESETS["classic-blanks"])
    assert best_opening(Board(4, 6, 8)) == best_opening(CLASSIC)


def test_other_boards_have_none() -> None:
    for board in (Board(4, 5), Board(5, 8), Board(4, 6, repeats=False)):
        assert openings(board, tuple(range(1, board.holes + 1))) is None
        assert best_opening(board) is None


def test_every_board_named_is_kept() -> None:
    assert all(openings(PRESETS[name], (1, 2, 3, 4)) for name in BOARDS)

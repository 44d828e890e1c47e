from __future__ import annotations

import random
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import programs
from keypeg.rules.board import Board
from keypeg.rules.errors import CannotRead
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.solver import reference
from keypeg.solver.fitting import layers
from keypeg.solver.fitting.consistent import Count, codes, count, sample
from keypeg.solver.fitting.diagram import diagram
from keypeg.solver.history import Clue, History
from keypeg.solver.progress import Cancelled

from .histories import doubtful, truthful


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "about 0"),
        (7, "about 7"),
        (128, "about 130"),
        (999_999_999, "about 1,000,000,000"),
        (140_139_016_347_946_944, "about 1.4e17"),
    ],
)
def test_an_estimate_does_not_look_exact(value: int, said: str) -> None:
    assert str(Count(value, exact=False)) == said
    assert str(Count(value, exact=True)) == f"{value:,}"


def played(board: Board, rows: int, seed: int) -> History:
    """Rows of a game in which every guess fits those before it."""
    rng = random.Random(seed)
    pegs = list(board.symbols)
    draw = rng.choices if board.repeats else rng.sample
    secret = tuple(draw(pegs, k=board.holes))
    history: History = ()
    for row in range(rows):
        (guess,) = sample(board, history, 1, width=1000, seed=seed + row).codes
        history += (Clue(guess, score(secret, guess)),)
    return history


@settings(max_examples=60)
@given(doubtful())
def test_the_codes_that_fit_are_counted_and_listed(known: tuple[Board, History]) -> None:
    board, history = known
    expected = reference.consistent(board, history)
    for narrow in (0, layers.NARROW):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(layers, "NARROW", narrow)
            assert count(board, history) == Count(len(expected), exact=True)
            listing = codes(board, history, 10_000)
            assert list(listing.codes) == expected
            assert listing.complete


@settings(max_examples=60)
@given(truthful(), st.data())
def test_a_guess_splits_the_codes_that_fit(
    known: tuple[Board, History], data: st.DataObject
) -> None:
    board, history = known
    guess = data.draw(st.sampled_from(reference.codes(board)))
    cells = reference.partition(guess, reference.consistent(board, history))
    split = diagram(board, history, split=guess)
    assert split.exact
    assert split.answers == {keys: len(cell) for keys, cell in cells.items()}


@settings(max_examples=30)
@given(truthful(), st.integers(1, 9))
def test_a_short_listing_says_that_it_is(known: tuple[Board, History], limit: int) -> None:
    board, history = known
    expected = reference.consistent(board, history)
    listing = codes(board, history, limit)
    assert len(set(listing.codes)) == min(limit, len(expected))
    assert set(listing.codes) <= set(expected)
    assert listing.complete == (limit >= len(expected))


@pytest.mark.parametrize("form", ["4x5", "4x4b", "4x7n", "3x6bn"])
def test_draws_are_uniform(form: str) -> None:
    board = Board.parse(form)
    history = played(board, 1, seed=3)
    expected = reference.consistent(board, history)
    size = 50 * len(expected)
    drawn = sample(board, history, size, seed=1)
    seen = Counter(drawn.codes)
    assert drawn.uniform
    assert set(seen) <= set(expected)
    chi_square = sum((seen[code] - 50) ** 2 / 50 for code in expected)
    freedom = len(expected) - 1
    # Four standard deviations of a chi-square about its mean; the seed is fixed.
    assert abs(chi_square - freedom) < 4 * (2 * freedom) ** 0.5


def test_draws_repeat_under_a_seed() -> None:
    board = Board.parse("8x12")
    history = played(board, 2, seed=1)
    assert sample(board, history, 5, seed=7) == sample(board, history, 5, seed=7)
    assert sample(board, history, 5, seed=7) != sample(board, history, 5, seed=8)


def test_nothing_is_drawn_where_nothing_fits() -> None:
    board = Board.parse("8x12")
    history = (Clue((1,) * 8, KeyPegs(8, 0)), Clue((2,) * 8, KeyPegs(1, 0)))
    assert sample(board, history, 5).codes == ()
    assert codes(board, history, 5).codes == ()
    assert count(board, history) == Count(0, exact=True)


@pytest.mark.parametrize("form", ["classic", "8x12", "12x20", "16x20b", "16x20bn", "16x16n"])
def test_without_rows_every_code_fits(form: str) -> None:
    board = Board.parse(form)
    assert count(board, ()) == Count(board.codes, exact=True)


@pytest.mark.parametrize("form", ["8x12", "10x10", "12x20b", "14x20n"])
def test_the_answers_to_a_guess_add_up_on_boards_too_big_to_list(form: str) -> None:
    board = Board.parse(form)
    (guess,) = sample(board, (), 1, seed=4).codes
    cells = diagram(board, (), split=guess).answers
    assert sum(cells.values()) == board.codes
    likely = max(cells, key=lambda keys: cells[keys])
    assert count(board, (Clue(guess, likely),)) == Count(cells[likely], exact=True)


def test_counts_beyond_64_bits_are_exact() -> None:
    board = Board(16, 20, blanks=True)
    assert count(board, (Clue((1,) * 16, KeyPegs(0, 0)),)) == Count(20**16, exact=True)


@pytest.mark.parametrize(("form", "rows"), [("8x12", 4), ("10x10", 5), ("8x12n", 4)])
def test_big_boards_are_counted_exactly_and_their_draws_fit(form: str, rows: int) -> None:
    board = Board.parse(form)
    history = played(board, rows, seed=2)
    found = count(board, history)
    listing = codes(board, history, 100_000)
    assert found.exact
    assert listing.complete
    assert len(set(listing.codes)) == found.value
    assert all(clue.fits(code) for clue in history for code in listing.codes[:200])


def test_a_thinned_count_is_labelled_and_on_average_right() -> None:
    board = Board.parse("8x12")
    history = played(board, 3, seed=5)
    truth = count(board, history)
    thinned = [count(board, history, width=200, seed=seed) for seed in range(40)]
    values = np.array([found.value for found in thinned])
    assert truth.exact
    assert not any(found.exact for found in thinned)
    spread = values.std(ddof=1) / len(values) ** 0.5
    assert abs(values.mean() - truth.value) < 4 * spread
    drawn = sample(board, history, 50, width=200)
    assert not drawn.uniform
    assert all(clue.fits(code) for clue in history for code in drawn.codes)


def test_the_largest_board_answers_within_a_narrow_diagram() -> None:
    board = Board.parse("12x20")
    history = played(board, 6, seed=1)
    drawn = sample(board, history, 20, width=4000)
    assert len(drawn.codes) == 20
    assert all(clue.fits(code) for clue in history for code in drawn.codes)


def test_many_rows_need_keys_of_several_words() -> None:
    board = Board(4, 6, rows=99)
    rng = random.Random(1)
    secret = (1, 2, 3, 4)
    guesses = [tuple(rng.choices(range(1, 7), k=4)) for _ in range(90)]
    history = tuple(Clue(guess, score(secret, guess)) for guess in guesses)
    assert list(codes(board, history, 5).codes) == [secret]


def test_counting_stops_when_asked() -> None:
    with pytest.raises(Cancelled):
        diagram(Board.parse("12x20"), (), cancelled=lambda: True)


def test_a_history_of_another_board_is_refused() -> None:
    with pytest.raises(CannotRead, match=r"^row 1: a code on this board has 4 pegs"):
        count(Board.parse("classic"), (Clue((1, 2), KeyPegs(0, 0)),))


def test_counting_needs_no_compiler() -> None:
    program = "import sys, keypeg.solver.fitting.consistent; assert 'numba' not in sys.modules"
    programs.run([sys.executable, "-c", program], check=True)

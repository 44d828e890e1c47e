"""What needs a graphics processor is skipped without one; its slow twin is tested everywhere."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.rules.keypegs import score
from keypeg.solver.codes.codespace import codespace
from keypeg.solver.codes.symmetry import Symmetry
from keypeg.solver.gpu import evaluation
from keypeg.solver.gpu.evaluation import NoGpu, check_gpu, evaluate_on_gpu, first_guesses
from keypeg.solver.gpu.trees import pool_of
from keypeg.solver.gpu.words import WordLayout, answers, cell, pack
from keypeg.solver.playing.strategies import RULES, evaluate

BOARDS = ("1x2", "2x2", "3x5", "4x6", "4x6b", "5x3", "4x7n", "8x2", "5x5")


def has_gpu() -> bool:
    try:
        check_gpu()
    except NoGpu:
        return False
    return True


@given(st.sampled_from(BOARDS), st.data())
def test_words_are_scored_as_the_rules_say(name: str, data: st.DataObject) -> None:
    space = codespace(Board.parse(name))
    layout, words = WordLayout(space.holes, space.symbols), pack(space)
    one, other = (data.draw(st.integers(0, len(space) - 1)) for _ in range(2))
    found = int(answers(layout)[cell(layout, words[:, one], words[:, other])])
    assert space.answers.key_pegs[found] == score(space.code(one), space.code(other))


@pytest.mark.parametrize("name", ["3x4", "4x7n", "4x3b", "5x8"])
def test_one_first_guess_of_each_kind_is_tried(name: str) -> None:
    space = codespace(Board.parse(name))
    assert sorted(first_guesses(space)) == Symmetry(space).canonical.tolist()


def test_the_largest_boards_have_words() -> None:
    for holes, symbols in ((7, 10), (8, 8), (6, 16), (5, 28)):
        assert WordLayout(holes, symbols).fits
    assert not WordLayout(8, 17).fits


def test_without_a_graphics_processor_it_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(evaluation, "find_spec", lambda _: None)
    with pytest.raises(NoGpu, match=r"pip install 'keypeg\[gpu\]'"):
        evaluate_on_gpu(Board(4, 6), "learned")


@pytest.mark.parametrize("name", ["9x4", "8x20"])
def test_a_board_that_is_too_large_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "check_gpu", lambda: None)
    with pytest.raises(NoGpu, match=name):
        evaluate_on_gpu(Board.parse(name), "learned")


def test_as_many_different_guesses_are_drawn_as_asked_for() -> None:
    assert pool_of(50, None).tolist() == pool_of(50, 50).tolist() == list(range(50))
    drawn = pool_of(10_000, 300)
    assert len(set(drawn.tolist())) == 300
    assert drawn.tolist() == sorted(drawn.tolist()) == pool_of(10_000, 300).tolist()
    assert 0 <= drawn[0] < 100
    assert 9_900 < drawn[-1] < 10_000


@pytest.mark.skipif(not has_gpu(), reason="needs CuPy and a graphics processor")
def test_more_tries_are_no_worse_than_all_and_few_still_find_every_code() -> None:
    board = Board.parse("4x6")
    found = [evaluate_on_gpu(board, "learned", (1, 1, 2, 3), tries=t) for t in (None, 9_999, 20)]
    assert found[0].distribution == found[1].distribution
    assert sum(found[2].distribution.values()) == board.codes


@pytest.mark.skipif(not has_gpu(), reason="needs CuPy and a graphics processor")
def test_a_graphics_processor_finds_what_the_cpu_finds() -> None:
    for name, rule in product(("3x5", "4x6", "4x7n", "5x6", "4x6b"), RULES):
        board = Board.parse(name)
        for guess in first_guesses(codespace(board)):
            first = codespace(board).code(guess)
            mine, theirs = evaluate_on_gpu(board, rule, first), evaluate(board, rule, first)
            assert mine.distribution == theirs.distribution, (name, rule, first)

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.rules.errors import CannotRead
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.solver import reference
from keypeg.solver.codes.codespace import CodeSpace, codespace
from keypeg.solver.codes.symmetry import Symmetry
from keypeg.solver.playing.onestep import plant
from keypeg.solver.playing.strategies import (
    RULES,
    Rule,
    choose,
    costs_of,
    describe,
    evaluate,
    first_guesses,
)
from keypeg.solver.progress import Cancelled

from .boards import code_lists, small_boards

if TYPE_CHECKING:
    from keypeg.rules.code import Code

CLASSIC = Board(4, 6)


@pytest.mark.parametrize(
    ("strategy", "first", "total", "worst"),
    [
        ("minimax", (1, 1, 2, 2), 5801, 5),
        ("expected-size", (1, 1, 2, 3), 5696, 6),
        ("entropy", (1, 1, 2, 3), 5680, 6),
        ("parts", (1, 1, 2, 3), 5668, 6),
    ],
)
def test_the_classic_totals_are_the_published_ones(
    strategy: str, first: Code, total: int, worst: int
) -> None:
    evaluation = evaluate(CLASSIC, strategy, first)
    assert (evaluation.total, evaluation.worst) == (total, worst)
    assert (evaluation.codes, evaluation.first) == (1296, first)
    assert evaluation.average == total / 1296
    assert sum(evaluation.distribution.values()) == 1296


@pytest.mark.parametrize("board", [CLASSIC, Board(4, 6, blanks=True)])
def test_the_learned_rule_needs_fewer_guesses_than_any_other(board: Board) -> None:
    totals = {name: evaluate(board, name).total for name in RULES}
    assert totals.pop("learned") < min(totals.values())


def test_the_best_first_guess_is_searched_for() -> None:
    best = evaluate(CLASSIC, "entropy")
    assert best.first == (1, 1, 2, 3)
    for first in [(1, 1, 1, 1), (1, 1, 1, 2), (1, 1, 2, 2), (1, 2, 3, 4)]:
        assert evaluate(CLASSIC, "entropy", first).total > best.total


@settings(max_examples=20)
@given(small_boards(), st.sampled_from(sorted(RULES)), st.data())
def test_a_whole_tree_is_the_one_the_definition_gives(
    board: Board, name: str, data: st.DataObject
) -> None:
    small = Board(min(board.holes, 3), min(board.colours, 4), blanks=board.blanks)
    first = data.draw(code_lists(small, 1))[0]
    evaluation = evaluate(small, name, first)
    everything = reference.codes(small)

    def player(remaining: object) -> Code:
        assert isinstance(remaining, list)
        if len(remaining) == len(everything):
            return first
        return reference.choose(small, remaining, _cost(RULES[name]))

    assert Counter(evaluation.distribution) == reference.distribution(small, everything, player)


def _cost(rule: Rule) -> reference.Cost:
    """The rule's cost of a list of cell sizes, by definition."""

    def of(size: int) -> int:
        return round(float(rule.cost(np.array([size], float))[0]) * rule.scale)

    def cost(sizes: list[int], possible: bool) -> float:
        each = [of(size) for size in sizes]
        if rule.largest:
            return max(each)
        return sum(each) + possible * (round(rule.won * rule.scale) - of(1))

    return cost


@settings(max_examples=40)
@given(small_boards(), st.sampled_from(sorted(RULES)), st.data())
def test_a_choice_is_the_one_the_definition_gives(
    board: Board, name: str, data: st.DataObject
) -> None:
    space = CodeSpace(board)
    history = data.draw(code_lists(board, 2))
    secret = data.draw(code_lists(board, 1))[0]
    rows = [(guess, score(secret, guess)) for guess in history]
    remaining = reference.consistent(board, rows)
    guesses = tuple(space.indices(history).tolist())
    choice = choose(space, space.indices(remaining), Symmetry.of(space, guesses), RULES[name])
    assert choice.code == reference.choose(board, remaining, _cost(RULES[name]))
    sizes = sorted(len(cell) for cell in reference.partition(choice.code, remaining).values())
    assert sorted(size for size in choice.sizes if size) == sizes
    assert (choice.cells, choice.worst) == (len(sizes), sizes[-1])
    assert choice.possible == (choice.code in remaining)


def test_with_no_code_left_there_is_nothing_to_choose() -> None:
    space = codespace(CLASSIC)
    with pytest.raises(ValueError, match="no code is left"):
        choose(space, space.everything[:0], Symmetry(space), RULES["parts"])


def test_a_description_counts_what_a_guess_leaves() -> None:
    space = codespace(CLASSIC)
    choice = describe(space, space.everything, space.index((1, 1, 2, 2)), RULES["minimax"])
    assert (choice.cells, choice.worst, choice.cost, choice.possible) == (13, 256, 256, True)


def test_a_choice_within_a_budget_is_the_same_every_time_and_nearly_as_good() -> None:
    space, rule = codespace(Board(5, 8)), RULES["learned"]
    symmetry = Symmetry.of(space, (space.index((1, 1, 2, 2, 3)),))
    remaining = space.indices(reference.consistent(space.board, [((1, 1, 2, 2, 3), KeyPegs(1, 1))]))
    best = choose(space, remaining, symmetry, rule)
    quick = choose(space, remaining, symmetry, rule, pairs=100_000)
    assert quick == choose(space, remaining, symmetry, rule, pairs=100_000)
    assert best.cost <= quick.cost <= 1.01 * best.cost


def test_progress_ends_with_every_code_done() -> None:
    seen: list[tuple[int, int]] = []
    evaluate(CLASSIC, "parts", (1, 1, 2, 3), progress=lambda done, of: seen.append((done, of)))
    assert seen == sorted(seen)
    assert seen[-1] == (1296, 1296)


def test_work_stops_when_it_is_called_off() -> None:
    event = threading.Event()
    event.set()
    for cancelled in (event, lambda: True):
        with pytest.raises(Cancelled):
            evaluate(CLASSIC, "parts", (1, 1, 2, 3), cancelled=cancelled)


def test_an_unknown_strategy_is_refused_with_those_there_are() -> None:
    with pytest.raises(CannotRead, match="no strategy 'luck'; there are minimax, expected-size"):
        evaluate(CLASSIC, "luck")


def test_a_rule_that_would_never_end_is_refused() -> None:
    rule = Rule("likes large cells", lambda n: -n * n, 0)
    for board in (CLASSIC, Board(5, 8)):
        space = codespace(board)
        with pytest.raises(ValueError, match="splits nothing"):
            plant(space, costs_of(rule, len(space)), 0)


def test_on_a_large_board_the_most_promising_first_guesses_are_tried() -> None:
    space = codespace(Board(5, 8))
    assert {space.code(first) for first in first_guesses(space)} == {
        (1, 1, 2, 2, 3),
        (1, 1, 2, 3, 4),
    }


def test_the_learned_rule_beats_entropy_on_the_advanced_board() -> None:
    published = 179_747
    assert evaluate(Board(5, 8), "learned", (1, 1, 2, 2, 3)).total == 179_489 < published

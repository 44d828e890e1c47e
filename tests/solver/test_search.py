from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.solver import reference
from keypeg.solver.exact import engine
from keypeg.solver.exact.bounds import floors
from keypeg.solver.exact.engine import EVERYTHING, Engine, TooLarge
from keypeg.solver.exact.search import NoStrategy, ProofProgress, prove
from keypeg.solver.exact.workspace import Shortcuts
from keypeg.solver.progress import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from keypeg.solver.exact.cells import Cell

# Proven by Koyama and Lai (1993) for 4x6, by Ville (2013) and by the programs of fancidev and
# arfst23 for the others.
PROVEN = {
    "3x4": 206,
    "3x5": 451,
    "3x6": 854,
    "3x7": 1474,
    "4x2": 44,
    "4x3": 246,
    "4x4": 905,
    "4x5": 2463,
    "4x6": 5625,
    "5x2": 97,
    "5x3": 816,
    "4x5n": 462,
    "4x6n": 1446,
}


@pytest.mark.parametrize("name", PROVEN)
def test_the_published_optimum_is_proven_again(name: str) -> None:
    board = Board.parse(name)
    proof = prove(board)
    assert proof.proven
    assert proof.total == PROVEN[name]
    assert proof.tree.size[0] == board.codes
    assert proof.average == proof.total / board.codes
    assert proof.nodes > 0


def test_a_blank_is_a_colour() -> None:
    assert prove(Board.parse("4x4b")).total == PROVEN["4x5"]


def test_classic_in_five_rows_takes_one_guess_more() -> None:
    proof = prove(Board.parse("classic"), worst=5)
    assert (proof.total, proof.worst, proof.proven) == (5626, 5, True)


def test_within_a_worst_case_the_best_first_guess_comes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where a narrow beam does not keep to it, as with all first guesses of 3x9."""
    tried: list[int] = []
    cells = Engine.cells

    def noted(self: Engine, first: int, most: int = EVERYTHING) -> list[Cell]:
        tried.extend([first] * (most == EVERYTHING))
        return cells(self, first, most)

    monkeypatch.setattr(Engine, "cells", noted)
    for name, worst in (("4x6", 5), ("3x9", 6)):
        tried.clear()
        proof = prove(Board.parse(name), worst)
        assert Engine(proof.board).space.code(tried[0]) == proof.first


def test_classic_in_four_rows_is_impossible() -> None:
    with pytest.raises(NoStrategy, match="4 guesses"):
        prove(Board.parse("classic"), worst=4)


SMALL = ("3x3", "3x5", "4x3", "2x6", "3x5n", "4x5n")


def without(*shortcuts: str) -> Shortcuts:
    """All shortcuts but these."""
    return Shortcuts()._replace(**dict.fromkeys(shortcuts, False))


def outcome(board: Board, worst: int | None = None, shortcuts: Shortcuts = without()) -> int | None:  # noqa: B008 - as in `prove`
    """The total that is proven least, or None where it is proven that there is none."""
    try:
        proof = prove(board, worst, shortcuts=shortcuts)
    except NoStrategy:
        return None
    assert proof.proven
    assert proof.total == proof.lower == int(proof.tree.totals[0])
    return proof.total


@pytest.mark.parametrize("rule", Shortcuts._fields)
@pytest.mark.parametrize("name", SMALL)
def test_no_shortcut_changes_a_total(name: str, rule: str) -> None:
    board = Board.parse(name)
    assert outcome(board, shortcuts=without(rule)) == outcome(board)


@pytest.mark.parametrize("rule", Shortcuts._fields)
def test_no_shortcut_changes_a_total_within_a_worst_case(rule: str) -> None:
    board = Board.parse("4x4")
    assert outcome(board, 4, without(rule)) == outcome(board, 4)


@settings(max_examples=60)
@given(
    st.sampled_from(["2x5", "3x3", "3x4", "3x3b", "2x7n", "3x5n", "3x6n", "4x2", "4x3", "4x4n"]),
    st.sampled_from([None, 3, 4, 5]),
    st.sets(st.sampled_from(Shortcuts._fields)),
)
def test_no_set_of_shortcuts_changes_what_is_proven(
    name: str, worst: int | None, shortcuts: set[str]
) -> None:
    board = Board.parse(name)
    assert outcome(board, worst, without(*shortcuts)) == outcome(board, worst)


def test_regions_whose_keys_are_equal_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """With words so small that keys collide all the time, tags still keep regions apart."""

    def small(codes: int) -> tuple[NDArray[np.uint64], int]:
        bits = codes.bit_length()
        return (np.arange(codes, dtype=np.uint64) << np.uint64(bits)) | np.uint64(1), bits

    monkeypatch.setattr(engine, "code_keys", small)
    for name in ("3x6", "4x4", "4x5n"):  # marks of partitions are made of the same keys
        assert outcome(Board.parse(name), shortcuts=without("dedupe")) == PROVEN[name]


@pytest.mark.parametrize("name", ["4x5", "4x6", "4x6n"])
def test_regions_alike_save_work(name: str) -> None:
    board = Board.parse(name)
    alone = prove(board, shortcuts=without("alike"), threads=1)
    met = prove(board, threads=1)
    assert met.total == alone.total
    assert met.nodes < alone.nodes


def raised_floors(patch: pytest.MonkeyPatch) -> None:
    """Bound regions of six codes and more one guess too high."""

    def raised(most: int, spread: int, rows: int | None, complete: bool) -> NDArray[np.int32]:
        table = floors(most, spread, rows, complete)
        if complete:
            table[:, :, 6:] += 1
        return table

    patch.setattr(engine, "floors", raised)


def too_many_alike(patch: pytest.MonkeyPatch) -> None:
    """Take only every third of the second guesses that differ."""
    whole = Engine._second_guesses

    def sparse(self: Engine, first: int) -> NDArray[np.int32]:
        return whole(self, first)[:: 3 if self.data.shortcuts.symmetry else 1].copy()

    patch.setattr(Engine, "_second_guesses", sparse)


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [(raised_floors, "complete"), (too_many_alike, "symmetry")],
)
def test_a_wrong_bound_would_be_found_out(
    monkeypatch: pytest.MonkeyPatch, wrong: Callable[[pytest.MonkeyPatch], None], rule: str
) -> None:
    boards = [Board.parse(name) for name in SMALL]
    right = [outcome(board, shortcuts=without(rule)) for board in boards]
    wrong(monkeypatch)
    assert [outcome(board, shortcuts=without(rule)) for board in boards] == right
    assert [outcome(board) for board in boards] != right


@pytest.mark.parametrize("name", ["2x2", "2x3", "2x4", "3x2", "3x3", "2x4n", "3x4n"])
@pytest.mark.parametrize("worst", [None, 3, 4])
def test_small_boards_agree_with_brute_force(name: str, worst: int | None) -> None:
    board = Board.parse(name)
    assert outcome(board, worst) == reference.least(board, reference.codes(board), worst)


def test_one_thread_finds_what_two_find() -> None:
    board = Board.parse("4x5")
    assert prove(board, threads=1).total == prove(board, threads=2).total


def test_a_cancelled_search_gives_what_it_has_and_claims_nothing() -> None:
    seen: list[ProofProgress] = []
    proof = prove(
        Board.parse("4x7"), progress=seen.append, cancelled=lambda: seen[-1].total is not None
    )
    assert not proof.proven
    assert proof.total > 11228
    assert proof.tree.size[0] == 2401


def test_a_search_cancelled_at_once_has_nothing_to_give() -> None:
    with pytest.raises(Cancelled):
        prove(Board.parse("4x6"), cancelled=lambda: True)


def test_a_board_beyond_the_search_is_refused() -> None:
    with pytest.raises(TooLarge, match="codes"):
        prove(Board.parse("8x12"))


def test_the_lower_bound_meets_the_total_only_when_proven() -> None:
    board = Board.parse("4x5")
    proof = prove(board)
    assert proof.lower == proof.total
    calls = iter(range(10**9))
    cut_short = prove(board, cancelled=lambda: next(calls) > 12)
    assert cut_short.lower <= proof.total
    assert cut_short.proven == (cut_short.lower == cut_short.total)

import numpy as np

from keypeg.rules.board import Board
from keypeg.solver import reference
from keypeg.solver.codes.codespace import codespace
from keypeg.solver.codes.symmetry import Symmetry
from keypeg.solver.exact.positions import PositionSolver, solver_of
from keypeg.solver.playing.onestep import partitioned

BOARD = Board(3, 4)


def test_the_whole_board_takes_the_published_total() -> None:
    """(3,4) takes 206 guesses, (4,6) takes 5625 from 1123 (solver results in docs)."""
    space = codespace(BOARD)
    solved = solver_of(BOARD).best(space.everything, Symmetry(space))
    assert solved is not None
    assert solved.total == 206


def test_the_best_guess_has_the_least_total_of_all_guesses() -> None:
    board = Board(3, 5)
    space, known = codespace(board), PositionSolver(board)
    root = Symmetry(space)
    first = space.index((1, 1, 2))
    for _, codes in partitioned(space, space.everything, first):
        symmetry = root.after(first)
        solved = known.best(codes, symmetry)
        assert solved is not None
        totals = []
        for guess in range(len(space)):
            after = known.after(codes, guess, symmetry)
            assert after is not None
            if len(after) > 1 or guess in codes:
                totals.append(len(codes) + sum(after.values()))
        assert solved.total == min(totals)


def test_small_positions_agree_with_trying_everything() -> None:
    space, known = codespace(BOARD), solver_of(BOARD)
    rng = np.random.default_rng(7)
    for size in (3, 4, 6, 8):
        codes = np.sort(rng.choice(space.everything, size, replace=False)).astype(np.int32)
        solved = known.best(codes, Symmetry(space, ()).after(0).after(27).after(5))
        assert solved is not None
        assert solved.total == reference.least(BOARD, [space.code(int(i)) for i in codes])


def test_a_search_that_is_told_to_stop_says_nothing() -> None:
    space = codespace(Board(4, 6))
    assert solver_of(Board(4, 6)).best(space.everything, Symmetry(space), lambda: True) is None

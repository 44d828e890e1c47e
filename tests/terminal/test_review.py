from __future__ import annotations

from dataclasses import replace

from keypeg.rules.board import Board
from keypeg.rules.game import Game, Row
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.terms import Terms
from keypeg.solver.analysis import analysis
from keypeg.solver.fitting.consistent import Count
from keypeg.terminal.review import as_data, as_lines
from keypeg.terminal.screen.review import review_text

GAME = Game("test/1", Terms(Board(4, 6)), (Row((1, 1, 2, 2), KeyPegs(1, 0)),))
NO_TIME = "There was no time for all rows"


def test_a_review_that_had_no_time_for_all_rows_says_so() -> None:
    hurried = [(GAME, analysis(GAME, within=0))]
    assert NO_TIME in "\n".join(as_lines(hurried))
    assert NO_TIME in review_text(*hurried[0])[0].plain
    assert as_data(hurried)[0]["complete"] is False


def test_one_code_left_is_one() -> None:
    found = analysis(GAME)
    alone = replace(found, rows=(replace(found.rows[0], before=Count(1, exact=True)),))
    assert "        1 code left before, " in "\n".join(as_lines([(GAME, alone)]))


def test_a_review_of_all_rows_says_nothing_of_time() -> None:
    whole = [(GAME, analysis(GAME))]
    assert NO_TIME not in "\n".join(as_lines(whole))
    assert as_data(whole)[0]["complete"] is True

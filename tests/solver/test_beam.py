from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from keypeg.rules.board import Board
from keypeg.rules.errors import CannotRead
from keypeg.solver.books.beam import STAGES as STAGES_SHIPPED
from keypeg.solver.books.beam import BeamProgress, TooNarrow, improve, stages, unpacked
from keypeg.solver.books.book import BookClaim, bound, packed, put
from keypeg.solver.books.verifier import verify
from keypeg.solver.codes.trees import branches
from keypeg.solver.exact.engine import Width
from keypeg.solver.exact.search import prove
from keypeg.solver.journal import Journal
from keypeg.solver.progress import Cancelled

if TYPE_CHECKING:
    from pathlib import Path

STAGES = (Width(4, (1,), 2, 100), Width(3, (3, 2), 4))


@pytest.mark.parametrize("name", ["4x5", "4x6n", "5x3"])
def test_a_beam_is_never_better_than_the_proof_and_not_much_worse(name: str) -> None:
    board = Board.parse(name)
    least, found = prove(board), improve(board, stages=STAGES)
    assert found.lower <= least.total <= found.total <= 1.01 * least.total
    assert not found.proven
    assert found.tree.size[0] == board.codes


def test_a_beam_keeps_what_is_known_and_looks_for_better_after_the_answers_named() -> None:
    board = Board.parse("4x5")
    poor = improve(board, stages=(Width(1, (1,), 2, 20),)).tree
    better = improve(board, stages=STAGES, known=poor).tree
    before, after = branches(poor), branches(better)
    won = {a for a in before if int(after[a].totals[0]) < int(before[a].totals[0])}
    assert int(better.guess[0]) == int(poor.guess[0])
    assert int(better.totals[0]) < int(poor.totals[0])
    one = min(won)
    partly = branches(improve(board, stages=STAGES, known=poor, answers={one}).tree)
    changed = {a for a in before if int(partly[a].totals[0]) != int(before[a].totals[0])}
    assert changed == {one}


def test_a_beam_keeps_to_a_worst_case() -> None:
    assert improve(Board.parse("4x5"), worst=5, stages=STAGES).worst <= 5


def test_where_no_seed_keeps_to_a_worst_case_the_first_guess_is_still_a_good_one() -> None:
    found = improve(Board.parse("3x9"), worst=6, stages=STAGES)
    assert (found.worst, found.first) == (6, (1, 2, 3))


def test_a_worst_case_that_is_not_reached_is_told_apart_from_a_stop() -> None:
    with pytest.raises(TooNarrow, match="more stages may find one"):
        improve(Board.parse("3x4"), worst=3, stages=STAGES)


def test_a_beam_reports_its_total() -> None:
    seen: list[BeamProgress] = []
    found = improve(Board.parse("4x5"), progress=seen.append, stages=STAGES)
    assert seen[-1].total is not None
    assert seen[-1].total >= found.total
    assert seen[-1].stage <= seen[-1].stages


def test_a_killed_beam_goes_on_from_its_log(tmp_path: Path) -> None:
    board, log = Board.parse("4x5"), tmp_path / "log"
    first = improve(board, log, stages=STAGES[:1])
    with log.open("a") as file:
        file.write('{"first": 7, "answer": 3, "wid')
    again = improve(board, log, stages=STAGES)
    assert again.total <= first.total
    before = log.read_text()
    done = improve(board, log, stages=STAGES)
    assert log.read_text() == before
    assert (done.total, done.first) == (again.total, again.first)
    path = tmp_path / "found.book"
    put(path, bound(board, done.tree, BookClaim(done.total, done.worst, proven=False)))
    assert verify(path).total == done.total


def test_a_log_of_another_board_is_refused(tmp_path: Path) -> None:
    improve(Board.parse("3x3"), tmp_path / "log", stages=STAGES[:1])
    with pytest.raises(CannotRead, match="3x3"):
        improve(Board.parse("3x4"), tmp_path / "log", stages=STAGES[:1])


@pytest.mark.parametrize(
    "changed",
    [
        {"first": 64},
        {"first": "1"},
        {"answer": []},
        {"width": 4},
        {"ranking": 5},
        {"branch": "!"},
        {"branch": "AAAA"},
        {"total": 7},
    ],
)
def test_a_line_that_makes_no_sense_is_refused(tmp_path: Path, changed: dict[str, object]) -> None:
    board, log = Board.parse("3x4"), tmp_path / "log"
    improve(board, log, stages=STAGES[:1])
    header, line, *rest = log.read_text().splitlines()
    log.write_text("\n".join([header, json.dumps({**json.loads(line), **changed}), *rest, ""]))
    with pytest.raises(CannotRead, match="line 2"):
        improve(board, log, stages=STAGES[:1])


def test_a_beam_cancelled_at_once_has_nothing_to_give() -> None:
    with pytest.raises(Cancelled):
        improve(Board.parse("4x5"), cancelled=lambda: True)


@pytest.mark.parametrize(("name", "solved"), [("2x2", 4), ("3x4", 8), ("4x5n", 13), ("5x2", 19)])
def test_a_branch_survives_the_log(name: str, solved: int) -> None:
    tree = prove(Board.parse(name)).tree
    again = unpacked(packed(tree, solved), solved)
    assert again.distribution == tree.distribution
    assert again.size[0] == tree.size[0]
    assert packed(again, solved) == packed(tree, solved)


def test_stages_beyond_the_table_grow() -> None:
    widths = stages(8)
    assert tuple(widths[: len(STAGES_SHIPPED)]) == STAGES_SHIPPED
    assert all(later.seconds > sooner.seconds for sooner, later in pairwise(widths[4:]))
    assert stages(2) == widths[:2]


def test_a_branch_that_is_no_better_is_not_taken_from_the_log(tmp_path: Path) -> None:
    """A tree may be grown worse than its total, where the table has lost a region."""
    board, log = Board.parse("4x5"), tmp_path / "log"
    found = improve(board, log, stages=STAGES)
    assert improve(board, log, stages=STAGES).total == found.total
    best: dict[int, int] = {}
    for entry in Journal(log, {"board": "4x5", "worst": None}).entries:
        if entry["total"] is not None:
            assert entry["total"] < best.get(entry["answer"], 10**9)
            best[entry["answer"]] = entry["total"]

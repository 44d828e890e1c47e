from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from keypeg.rules.board import Board
from keypeg.rules.errors import CannotRead
from keypeg.solver.books.beam import improve
from keypeg.solver.exact.bounds import IMPOSSIBLE
from keypeg.solver.exact.cells import Cell
from keypeg.solver.exact.engine import TooLarge
from keypeg.solver.exact.jobs import Job
from keypeg.solver.exact.ledger import Ledger
from keypeg.solver.exact.search import prove
from keypeg.solver.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

BOARD = Board.parse("4x5")
LEAST = 2463
CELL = Cell(3, np.arange(9, dtype=np.int32), np.array([5, 6]), np.array([17, 17]), 17)


def test_a_job_over_its_limit_raises_the_bound_beyond_it() -> None:
    ledger = Ledger(BOARD)
    ledger.note([Job(1, 3, 5, limit=20, total=IMPOSSIBLE), Job(1, 3, 6, limit=22, total=21)])
    informed = ledger.informed(1, CELL)
    assert informed.lows.tolist() == [21, 21]
    assert informed.low == 21
    assert ledger.best(1, CELL) == (21, 6)


def test_a_job_under_a_lower_limit_is_forgotten_for_one_under_a_higher() -> None:
    ledger = Ledger(BOARD)
    for limit in (19, 24, 18):
        ledger.note([Job(1, 3, 5, limit, IMPOSSIBLE)])
    assert ledger.informed(1, CELL).lows.tolist() == [25, 17]


def test_other_cells_and_first_guesses_learn_nothing() -> None:
    ledger = Ledger(BOARD)
    ledger.note([Job(2, 3, 5, 30, IMPOSSIBLE), Job(1, 4, 5, 30, IMPOSSIBLE)])
    assert ledger.informed(1, CELL).low == CELL.low
    assert ledger.best(1, CELL)[0] == IMPOSSIBLE


def test_a_proof_stopped_anywhere_goes_on_to_the_same_total(tmp_path: Path) -> None:
    path = tmp_path / "log"
    whole = prove(BOARD, log=path)
    assert (whole.total, whole.proven) == (LEAST, True)
    written = path.read_bytes()
    for part in (0.0, 0.1, 0.35, 0.6, 0.9, 1.0):
        path.write_bytes(written[: int(part * len(written))])
        again = prove(BOARD, log=path)
        assert (again.total, again.proven, again.lower) == (LEAST, True, LEAST)
        assert again.tree.size[0] == BOARD.codes


def test_what_is_settled_is_not_searched_again(tmp_path: Path) -> None:
    path = tmp_path / "log"
    fresh = prove(BOARD, log=path)
    done = len(Ledger(BOARD, None, path))
    again = prove(BOARD, log=path)
    assert again.nodes < fresh.nodes / 2
    assert len(Ledger(BOARD, None, path)) - done < done / 10


def noted(path: Path) -> list[Job]:
    """The jobs of a whole proof."""
    prove(BOARD, log=path)
    jobs = [json.loads(line) for line in path.read_text().splitlines()[1:]]
    for job in jobs:
        del job["check"]
        job["total"] = job["total"] or IMPOSSIBLE
    return [Job(**job) for job in jobs]


def logged(path: Path, jobs: list[Job]) -> Path:
    """A log that says so, with checksums and all."""
    Ledger(BOARD, None, path).note(jobs)
    return path


def test_jobs_finished_under_a_bad_bound_are_searched_further(tmp_path: Path) -> None:
    """Limits too low for any strategy: the log says little, and nothing that is wrong."""
    low = [job._replace(limit=job.limit // 2, total=IMPOSSIBLE) for job in noted(tmp_path / "true")]
    assert prove(BOARD, log=logged(tmp_path / "low", low)).total == LEAST


def test_a_wrong_log_would_be_noticed(tmp_path: Path) -> None:
    """So the totals do rest on the log: claiming every job takes more makes the proof worse."""
    false = [job._replace(limit=2000, total=IMPOSSIBLE) for job in noted(tmp_path / "true")]
    assert prove(BOARD, log=logged(tmp_path / "false", false)).total > LEAST


def test_an_edited_log_proves_nothing(tmp_path: Path) -> None:
    """The same false claim, written into the file by hand."""
    path = tmp_path / "log"
    prove(BOARD, log=path)
    header, *lines = path.read_text().splitlines()
    false = [{**json.loads(line), "limit": 2000, "total": None} for line in lines]
    path.write_text("\n".join([header, *map(json.dumps, false), ""]))
    with pytest.raises(CannotRead, match="line 2: damaged or edited"):
        prove(BOARD, log=path)


@pytest.mark.parametrize(("board", "worst"), [("4x4", None), ("4x5", 6)])
def test_the_log_of_another_proof_is_refused(tmp_path: Path, board: str, worst: int | None) -> None:
    path = tmp_path / "log"
    Ledger(BOARD, None, path)
    with pytest.raises(CannotRead, match="4x5"):
        prove(Board.parse(board), worst, log=path)


@pytest.mark.parametrize(
    "line",
    [
        "{}",
        '{"first": 1}',
        '{"first": 1, "answer": 3, "guess": 5, "limit": 20, "total": "19"}',
        '{"first": 1, "answer": 3, "guess": 5, "limit": 20, "total": 21}',
        '{"first": 1, "answer": 3, "guess": 5, "limit": 20, "total": 0}',
        '{"first": 1, "answer": 3, "guess": 5, "limit": 9999999999, "total": null}',
        '{"first": "1", "answer": 3, "guess": 5, "limit": 20, "total": null}',
        '{"first": 1, "answer": 3, "guess": 5, "limit": 20, "total": 19, "more": 1}',
    ],
)
def test_a_line_that_is_not_a_job_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "log"
    Ledger(BOARD, None, path).note([Job(1, 3, 6, limit=20, total=19)])
    Journal(path, {"proof": "4x5", "worst": None}).add([json.loads(line)])
    with pytest.raises(CannotRead, match="line 3: not an entry of this log"):
        Ledger(BOARD, None, path)


def test_a_board_that_is_refused_leaves_no_log(tmp_path: Path) -> None:
    with pytest.raises(TooLarge):
        prove(Board.parse("8x12"), log=tmp_path / "log")
    with pytest.raises(TooLarge):
        improve(Board.parse("8x12"), tmp_path / "log")
    assert list(tmp_path.iterdir()) == []

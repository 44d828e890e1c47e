"""Searches on a real cluster: a scheduler and several workers, each a process of its own."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

import distributed
import pytest

from harness.programs import run
from keypeg.rules.board import Board
from keypeg.solver.books.beam import improve
from keypeg.solver.exact.cluster import NoCluster
from keypeg.solver.exact.engine import Width
from keypeg.solver.exact.ledger import Ledger
from keypeg.solver.exact.search import ProofProgress, prove

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORKERS = 3


@pytest.fixture(scope="module")
def cluster() -> Iterator[distributed.LocalCluster]:
    with started(WORKERS) as cluster:
        yield cluster


def started(workers: int) -> distributed.LocalCluster:
    return distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
    )


def workers(cluster: distributed.LocalCluster) -> list[int]:
    """The processes of the workers."""
    with distributed.Client(cluster, set_as_default=False) as client:
        client.wait_for_workers(WORKERS, timeout=60)
        return list(client.run(os.getpid).values())


def test_a_cluster_proves_what_one_machine_proves(cluster: distributed.LocalCluster) -> None:
    board = Board.parse("4x5")
    here, there = prove(board), prove(board, cluster=cluster.scheduler_address)
    assert (there.total, there.lower, there.proven) == (here.total, here.lower, True)
    assert there.tree.size[0] == board.codes
    assert there.nodes > 0


def test_a_worst_case_is_kept_on_a_cluster(cluster: distributed.LocalCluster) -> None:
    found = prove(Board.parse("classic"), 5, cluster=cluster.scheduler_address)
    assert (found.total, found.worst, found.proven) == (5626, 5, True)


def test_seeds_without_the_worst_case_are_done_on_a_cluster_too(
    cluster: distributed.LocalCluster,
) -> None:
    widths = (Width(4, (1,), 2, 100), Width(3, (3, 2), 4))
    address = cluster.scheduler_address
    found = improve(Board.parse("3x9"), worst=6, stages=widths, cluster=address)
    assert (found.worst, found.first) == (6, (1, 2, 3))


def test_a_worker_killed_in_the_middle_loses_nothing(
    cluster: distributed.LocalCluster, tmp_path: Path
) -> None:
    board, log = Board.parse("classic"), tmp_path / "log"
    there = workers(cluster)
    killed: list[int] = []

    def kill_one(progress: ProofProgress) -> None:
        if not killed and progress.settled == 0 and progress.done > 200:
            killed.append(there[0])
            os.kill(there[0], signal.SIGKILL)

    found = prove(board, progress=kill_one, log=log, cluster=cluster.scheduler_address)
    assert killed
    assert (found.total, found.lower, found.proven) == (5625, 5625, True)
    assert found.tree.distribution.keys() <= {1, 2, 3, 4, 5, 6}
    assert there[0] not in workers(cluster)
    known = len(Ledger(board, None, log))
    again = prove(board, log=log)
    assert again.total == 5625
    assert len(Ledger(board, None, log)) < 1.2 * known


def test_a_beam_runs_on_a_cluster(cluster: distributed.LocalCluster, tmp_path: Path) -> None:
    board, log = Board.parse("5x3"), tmp_path / "log"
    stages = (Width(4, (1,), 2, 100), Width(3, (3, 2), 4))
    there = improve(board, log, stages=stages, cluster=cluster.scheduler_address)
    assert 816 <= there.total <= 1.01 * 816
    assert sum(there.tree.distribution.values()) == board.codes
    assert improve(board, log, stages=stages).total <= there.total


def test_a_search_called_off_leaves_the_workers_free(cluster: distributed.LocalCluster) -> None:
    address = cluster.scheduler_address
    seen: list[ProofProgress] = []
    found = prove(
        Board.parse("4x7"),
        progress=seen.append,
        cancelled=lambda: bool(seen[-1].total and seen[-1].jobs > 500),
        cluster=address,
    )
    assert not found.proven
    assert prove(Board.parse("4x4"), cluster=address).total == 905


@pytest.mark.timeout(300)
def test_a_scheduler_that_goes_away_is_a_refusal_and_the_log_is_kept(tmp_path: Path) -> None:
    board, log = Board.parse("4x7"), tmp_path / "log"
    with started(1) as cluster:

        def close(progress: ProofProgress) -> None:
            if progress.jobs > 500 and progress.done > 50:
                cluster.close()

        with pytest.raises(NoCluster):
            prove(board, progress=close, log=log, cluster=cluster.scheduler_address)
    assert len(Ledger(board, None, log)) > 0


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense"])
def test_an_address_where_nobody_answers_is_refused(address: str) -> None:
    done = run([sys.executable, "-m", "keypeg", "prove", "--cluster", address])
    assert done.returncode == 1
    assert f"no Dask scheduler answers at {address}" in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_a_cluster_nothing_of_dask_is_imported() -> None:
    program = (
        "import sys; sys.modules.update(dask=None, distributed=None)\n"
        "from keypeg.rules.board import Board\n"
        "from keypeg.rules.errors import KeypegError\n"
        "from keypeg.solver.exact.search import prove\n"
        "from keypeg.solver.books.beam import improve\n"
        "print(prove(Board(3, 4)).total, improve(Board(3, 4)).board)\n"
        "try: prove(Board(3, 4), cluster='tcp://127.0.0.1:1')\n"
        "except KeypegError as error: print(error)\n"
    )
    done = run([sys.executable, "-c", program])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("206 3x4\n")
    assert "pip install 'keypeg[cluster]'" in done.stdout

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import keypeg
from harness.programs import run
from keypeg.rules.board import Board
from keypeg.rules.keypegs import score
from keypeg.solver import reference
from keypeg.solver.codes import kernels
from keypeg.solver.codes.codespace import CodeSpace

from .boards import boards, code_lists, small_boards

if TYPE_CHECKING:
    from pathlib import Path


@given(boards(), st.data())
def test_the_matrix_holds_the_answers_of_the_rules(board: Board, data: st.DataObject) -> None:
    space = CodeSpace(board)
    guesses = data.draw(code_lists(board, 5))
    codes = data.draw(code_lists(board, 80)) + guesses
    numbers = kernels.matrix(
        space.encode(space.pack(guesses)), space.encode(space.pack(codes)), space.holes
    )
    answers = [[space.answers.key_pegs[number] for number in row] for row in numbers]
    assert answers == [[score(code, guess) for code in codes] for guess in guesses]


@given(boards(), st.data())
def test_histograms_count_the_answers(board: Board, data: st.DataObject) -> None:
    space = CodeSpace(board)
    guesses, codes = data.draw(code_lists(board, 5)), data.draw(code_lists(board, 80))
    counts = kernels.histograms(
        space.encode(space.pack(guesses)), space.encode(space.pack(codes)), space.holes
    )
    for guess, row in zip(guesses, counts, strict=True):
        expected = Counter(score(code, guess) for code in codes)
        assert row.tolist() == [expected[keys] for keys in space.answers.key_pegs]


def test_a_histogram_longer_than_a_block_loses_no_code() -> None:
    space = CodeSpace(Board(4, 7))
    counts = kernels.histograms(space.words[:, :20].copy(), space.words, space.holes)
    assert (counts.sum(axis=1) == len(space)).all()
    whole = kernels.matrix(space.words[:, :20].copy(), space.words, space.holes)
    assert counts.tolist() == [np.bincount(row, minlength=14).tolist() for row in whole]


@given(st.lists(st.integers(0, 13)))
def test_a_partition_is_a_stable_sort_by_answer(answers: list[int]) -> None:
    order, starts = kernels.partition(np.array(answers, np.uint8), 14)
    assert order.tolist() == sorted(range(len(answers)), key=answers.__getitem__)
    for answer in range(14):
        cell = order[starts[answer] : starts[answer + 1]]
        assert [answers[place] for place in cell] == [answer] * answers.count(answer)


@settings(max_examples=40)
@given(small_boards(), st.data())
def test_fingerprints_are_equal_exactly_for_equal_partitions(
    board: Board, data: st.DataObject
) -> None:
    space = CodeSpace(board)
    guesses = data.draw(code_lists(board, 6))
    codes = sorted(set(data.draw(code_lists(board, 8))))
    marks = kernels.fingerprints(
        space.encode(space.pack(guesses)), space.encode(space.pack(codes)), space.holes
    )
    for guess, mark in zip(guesses, marks, strict=True):
        for other, another in zip(guesses, marks, strict=True):
            assert (mark == another) == reference.same_partition(guess, other, codes)


PROGRAM = """
import numpy as np
from keypeg.rules.board import Board
from keypeg.solver.codes import kernels
from keypeg.solver.codes.codespace import CodeSpace
space = CodeSpace(Board(2, 3))
print(kernels.matrix(space.words, space.words, 2).shape)
"""


@pytest.mark.skipif(
    os.name != "posix", reason="folders are made unwritable by a file in their place"
)
@pytest.mark.parametrize("home", ["writable", "nowhere"])
def test_kernels_run_where_the_package_folder_cannot_be_written(tmp_path: Path, home: str) -> None:
    package = tmp_path / "keypeg"
    _copy_package(package)
    environment = {name: value for name, value in os.environ.items() if name[:6] != "NUMBA_"} | {
        "PYTHONPATH": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(tmp_path) if home == "writable" else "/dev/null",
        "XDG_CACHE_HOME": str(tmp_path / "cache") if home == "writable" else "/dev/null/cache",
    }
    done = run([sys.executable, "-c", PROGRAM], env=environment)
    assert (done.returncode, done.stdout) == (0, "(9, 9)\n"), done.stderr
    assert (tmp_path / "cache").exists() == (home == "writable")


def _copy_package(target: Path) -> None:
    """The package with a plain file where its cache folders would be."""
    source = keypeg.__path__[0]
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    for room in (target / "solver", *(target / "solver").glob("*/")):
        (room / "__pycache__").write_text("not a folder")

"""Puzzles, each checked and timed, and given to simulated players, who fail more at hard ones."""

from __future__ import annotations

import argparse
import math
import os
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from bench import Row, percentile
from bench.puzzle_players import failures
from harness.puzzle_checker import CheckedPuzzle
from keypeg.puzzles import GRADES, make_puzzle
from keypeg.rules.board import Board

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

BOARD: Final = Board(4, 6)
PLAYED: Final = 200
"""How many puzzles of each grade the players get."""


class Result(NamedTuple):
    """What was found out about one puzzle."""

    grade: int
    seconds: float
    """Processor time to make it."""
    codes: int
    needless: int
    checked_grade: int | None
    failed: dict[str, float]


def main(words: list[str], keep: Callable[[str, Iterable[Row]], None]) -> None:
    """Try the seeds in turn, with one grade after the other."""
    parser = argparse.ArgumentParser("python -m bench puzzles", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10_000, help="how many [default: 10,000]")
    parser.add_argument("--processes", type=int, default=1, help="how many at once [default: 1]")
    wanted = parser.parse_args(words)
    results = []
    with ProcessPoolExecutor(wanted.processes, initializer=os.nice, initargs=(19,)) as pool:
        every = pool.map(found, range(wanted.seeds), repeat(wanted.seeds), chunksize=50)
        for result in every:
            results.append(result)
            if len(results) % 500 == 0:
                print(f"{len(results):,} of {wanted.seeds:,} puzzles", flush=True)
    keep("puzzles", list(_rows(results)))


def found(seed: int, seeds: int) -> Result:
    """Make the puzzle of a seed, check it, and let the players try it if it is one of the first."""
    grade = GRADES[seed % len(GRADES)]
    if seed < len(GRADES):
        make_puzzle(BOARD, grade, seeds + seed)  # what is done once for a board is not counted
    began = time.process_time()
    puzzle = make_puzzle(BOARD, grade, seed)
    seconds = time.process_time() - began
    checked = CheckedPuzzle(BOARD, [(row.guess, row.keys) for row in puzzle.rows])
    needless = sum(len(checked.codes_without(row)) == 1 for row in range(len(puzzle.rows)))
    fitting = checked.codes_without()
    codes = len(fitting) if puzzle.code in fitting else 0
    failed = failures(BOARD, puzzle.rows) if seed < PLAYED * len(GRADES) else {}
    return Result(grade, seconds, codes, needless, checked.grade(), failed)


def _rows(results: Sequence[Result]) -> Iterator[Row]:
    number = len(results)
    for grade in GRADES:
        times = [one.seconds for one in results if one.grade == grade]
        yield Row(f"4x6, grade {grade}: made, p95 of {len(times):,}", percentile(times, 0.95), 0.05)
    doubtful = sum(one.codes != 1 for one in results)
    yield Row(f"of {number:,}: not exactly one code fits", doubtful, 0, unit="puzzles")
    yield Row(
        f"of {number:,}: a row is needless",
        sum(one.needless > 0 for one in results),
        0,
        unit="puzzles",
    )
    wrong = sum(one.checked_grade != one.grade for one in results)
    yield Row(f"of {number:,}: the grade is not that of the definition", wrong, 0, unit="puzzles")
    played = [one for one in results if one.failed]
    for grade in GRADES:
        share = fmean(fmean(one.failed.values()) for one in played if one.grade == grade)
        yield Row(f"simulated players that fail at grade {grade}", 100 * share, 100, unit="%")
    grades = [one.grade for one in played]
    for kind in played[0].failed:
        agreement = spearman(grades, [one.failed[kind] for one in played])
        what = f"grade and failures of who {kind}: Spearman's rho"
        yield Row(what, agreement, 0.3, within=False, unit="rho")
    agreement = spearman(grades, [fmean(one.failed.values()) for one in played])
    what = f"grade and failures of all, {len(played):,} puzzles: Spearman's rho"
    yield Row(what, agreement, 0.7, within=False, unit="rho")


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """The rank correlation of two lists."""
    mine, theirs = _ranks(one), _ranks(other)
    middle = (len(mine) - 1) / 2
    together = sum((a - middle) * (b - middle) for a, b in zip(mine, theirs, strict=True))
    alone = [sum((rank - middle) ** 2 for rank in ranks) for ranks in (mine, theirs)]
    return together / math.sqrt(alone[0] * alone[1])


def _ranks(values: Sequence[float]) -> list[float]:
    """The place of each in order, the mean place for equal ones."""
    ordered = sorted(values)
    first: dict[float, int] = {}
    last: dict[float, int] = {}
    for place, value in enumerate(ordered):
        first.setdefault(value, place)
        last[value] = place
    return [(first[value] + last[value]) / 2 for value in values]

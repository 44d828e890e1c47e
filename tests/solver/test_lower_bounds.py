"""Lower bounds: never above the least total, and never lost by a stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.rules.errors import CannotRead
from keypeg.solver.books.book import BookClaim, bound
from keypeg.solver.books.verifier import verify_bytes
from keypeg.solver.certificates.checker import check
from keypeg.solver.certificates.writer import certify
from keypeg.solver.exact.engine import Engine
from keypeg.solver.exact.least import strategy
from keypeg.solver.exact.lower_bounds import Bounds, LowerBound, find_lower_bound, slack
from keypeg.solver.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

LEAST = {"2x2": 8, "3x4": 206, "4x4": 905, "4x5": 2463, "4x6": 5625, "4x5n": 462, "5x3": 816}
"""Totals that `prove` finds, and others have published."""


def bounded(
    name: str, at_least: int | None = None, threads: int = 1
) -> tuple[Engine, Bounds, LowerBound]:
    """A board, what is known of it after the search for a bound, and the bound."""
    engine = Engine(Board.parse(name), threads=threads)
    bounds = Bounds(engine)
    return engine, bounds, find_lower_bound(bounds, at_least)


@pytest.mark.parametrize(("name", "least"), LEAST.items())
def test_the_bound_rises_until_it_is_the_least_total(name: str, least: int) -> None:
    found = bounded(name)[2]
    assert (found.total, found.exact) == (least, True)


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(["4x4", "4x5", "4x6", "4x5n"]), st.integers(1, 400))
def test_whatever_is_wanted_up_to_the_least_total_has_a_certificate(name: str, below: int) -> None:
    """The checker follows each bound, whatever the search left out to get there."""
    wanted = max(1, LEAST[name] - below)
    engine, bounds, found = bounded(name, wanted)
    assert found.total == wanted
    assert check(certify(engine, wanted, bounds=bounds)) == wanted


def test_more_than_the_least_total_is_not_shown() -> None:
    found = bounded("4x5", 2464)[2]
    assert (found.total, found.exact) == (2463, True)


@pytest.mark.parametrize(("name", "threads"), [("4x5", 4), ("4x6", 3), ("5x3", 2), ("4x5n", 16)])
def test_threads_find_the_same_bound_with_a_certificate(name: str, threads: int) -> None:
    engine, bounds, found = bounded(name, threads=threads)
    assert (found.total, found.exact) == (LEAST[name], True)
    assert check(certify(engine, found.total, bounds=bounds)) == found.total


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("name", "least"), LEAST.items())
def test_a_strategy_takes_as_few_as_an_exact_bound(name: str, least: int, threads: int) -> None:
    _, bounds, found = bounded(name, threads=threads)
    made = strategy(bounds, found)
    assert (made.total, made.proven, int(made.tree.totals[0])) == (least, True, least)
    verify_bytes(bound(made.board, made.tree, BookClaim(made.total, made.worst, made.proven, None)))


def test_a_bound_that_is_not_exact_has_no_strategy() -> None:
    _, bounds, found = bounded("4x5", 2400)
    assert not found.exact
    with pytest.raises(ValueError, match="not exact"):
        strategy(bounds, found)


def test_what_goes_wrong_in_a_thread_ends_the_search() -> None:
    bounds = Bounds(Engine(Board(4, 5), threads=3), Countdown(5))
    found = find_lower_bound(bounds)
    assert found.total < LEAST["4x5"]
    assert not found.exact


class Countdown:
    """Cancels the search after a number of questions."""

    def __init__(self, questions: int) -> None:
        self.left = questions

    def __call__(self) -> bool:
        """Whether to stop now."""
        self.left -= 1
        return self.left < 0


def test_a_stopped_search_tells_what_it_has_shown_and_continues_from_its_log(
    tmp_path: Path,
) -> None:
    log, told = tmp_path / "log", []
    for questions in (0, 150, 400):
        engine = Engine(Board.parse("4x6"), threads=1)
        bounds = Bounds(engine, Countdown(questions))
        found = find_lower_bound(bounds, log=log)
        assert not found.exact
        bounds.cancelled = None
        assert check(certify(engine, found.total, bounds=bounds)) == found.total
        told.append(found.total)
    assert told == sorted(told)
    assert told[0] < told[-1]
    assert told[-1] < LEAST["4x6"]
    engine = Engine(Board.parse("4x6"), threads=1)
    asked = Countdown(10_000)
    assert find_lower_bound(Bounds(engine, asked), log=log).total == LEAST["4x6"]
    # What was found for good is not asked again; it is certified from the log alone.
    engine = Engine(Board.parse("4x6"), threads=1)
    bounds = Bounds(engine, Countdown(0))
    again = find_lower_bound(bounds, LEAST["4x6"], log=log)
    assert again.total == LEAST["4x6"]
    bounds.cancelled = None
    assert check(certify(engine, again.total, bounds=bounds)) == again.total


@pytest.mark.parametrize(
    "entry",
    [
        {"first": 3, "answer": 0, "effort": 0, "whole": True, "low": 9, "exact": False},
        {"first": 0, "answer": 99, "effort": 0, "whole": True, "low": 9, "exact": False},
        {"first": 0, "answer": 0, "effort": 0, "whole": 1, "low": 9, "exact": False},
        {"first": 0, "answer": 0, "effort": 99, "whole": True, "low": 9, "exact": False},
        {"first": 0, "answer": 0, "effort": 0, "whole": True, "low": 1 << 30, "exact": False},
        {"first": 0, "answer": 0, "effort": 0, "whole": True, "exact": False},
    ],
)
def test_an_entry_of_a_log_that_makes_no_sense_is_refused(
    tmp_path: Path, entry: dict[str, object]
) -> None:
    journal = Journal(tmp_path / "log", {"bound": "3x4"})
    journal.add([entry])
    journal.close()
    with pytest.raises(CannotRead, match="not an entry of this log"):
        find_lower_bound(Bounds(Engine(Board(3, 4), threads=1)), log=tmp_path / "log")


def test_the_first_effort_searches_no_further_than_sizes_show() -> None:
    assert [slack(effort) for effort in range(4)] == [0, 2, 4, 8]

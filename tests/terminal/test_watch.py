"""`keypeg watch` and the pictures, as a person or a script meets them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from harness.forked import keypeg
from keypeg.rules.board import Board
from keypeg.solver.tournament import Standing, standing_of
from keypeg.terminal import pictures, standings
from keypeg.terminal.pictures import NoPictures
from tests.test_cli import RECORD

SMALL = Board(2, 3)


def test_strategies_are_compared_in_a_table_the_best_first() -> None:
    found = [standing_of(SMALL, name) for name in ("beginner", "perfect")]
    title, head, *lines = standings.as_lines(SMALL, found)
    assert title == "2x3: secrets by the guesses needed"
    assert head.split()[:4] == ["strategy", "average", "worst", "secrets"]
    averages = [float(line.split()[1]) for line in lines]
    assert averages == sorted(averages)
    assert all(len(line) <= 80 for line in (head, *lines))


def test_many_guesses_keep_to_80_columns() -> None:
    found = [Standing("beginner", {4: 10**6, 15: 1}, sampled=False, seconds=1.0)]
    told = list(standings.as_lines(SMALL, found))
    assert all(len(line) <= 80 for line in told)
    assert [line.split()[4:] for line in told if line.startswith("strategy")] == [
        ["1", "2", "3", "4", "5", "6"],
        ["7", "8", "9", "10", "11", "12"],
        ["13", "14", "15"],
    ]


def test_watch_answers_machines_and_draws(tmp_path: Path) -> None:
    picture = tmp_path / "guesses.png"
    arguments = ("--board", "2x3", "--strategies", "careful, perfect", "--sample", "4", "--json")
    done = keypeg("watch", *arguments, "--plot", str(picture), stdin="")
    assert (done.returncode, done.stderr) == (0, "")
    assert [row["secrets"] for row in json.loads(done.stdout)["strategies"]] == [4, 4]
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_review_is_drawn(tmp_path: Path) -> None:
    picture = tmp_path / "review.svg"
    done = keypeg("analyse", "-", "--plot", str(picture), stdin=RECORD)
    assert (done.returncode, done.stderr) == (0, "")
    assert "In all:" in done.stdout
    assert "<svg" in picture.read_text()


def test_without_the_extra_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(NoPictures, match=r"pip install 'keypeg\[plot\]'"):
        pictures.draw_standings(SMALL, [standing_of(SMALL, "careful")], Path("nowhere.png"))


def test_a_kind_of_picture_that_is_not_known_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoPictures, match=r"x\.tree"):
        pictures.draw_standings(SMALL, [standing_of(SMALL, "careful")], tmp_path / "x.tree")


@pytest.mark.parametrize("strategies", ["luck", ",", "no/such.book"])
def test_bad_input_gets_one_line(strategies: str) -> None:
    done = keypeg("watch", "--strategies", strategies, stdin="")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)

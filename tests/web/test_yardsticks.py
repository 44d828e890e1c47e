"""What progress is measured against, held to the records and to the levels themselves."""

from __future__ import annotations

import json
from math import log10
from pathlib import Path
from typing import Any

from keypeg.rules import Board
from keypeg.solver.levels import LEVELS
from keypeg.solver.tournament import standing_of
from tests.web.test_modules import GAME, told_by

BENCH = Path(__file__).parents[2] / "bench"
RECORDS = json.loads((BENCH / "atlas" / "atlas.json").read_text())
MEASURED: dict[str, Any] = json.loads((BENCH / "levels.json").read_text())
"""How many guesses each level needed, from the commands in it."""


def test_the_best_known_play_is_that_of_the_records() -> None:
    best = {
        name: [one["total"], one["status"] == "proven"]
        for name, one in RECORDS.items()
        if "total" in one
    }
    assert told_by("yardsticks.js", "m.BEST_TOTALS") == best


def test_a_board_is_measured_by_its_own_records() -> None:
    boards = "['classic-blanks', '4x6n', '4x6/8', '16x20'].map(parseBoard)"
    board_js = (GAME / "board.js").as_uri()
    told = told_by(
        "yardsticks.js",
        f"await import('{board_js}').then(({{ parseBoard }}) => {boards}.map(m.bestOn))",
    )
    assert isinstance(told, list)
    averages = [one and round(one["average"], 4) for one in told]
    assert averages == [round(11228 / 2401, 4), round(1446 / 360, 4), 4.3403, None]


def test_the_levels_need_what_was_measured() -> None:
    told = told_by("yardsticks.js", "m.LEVEL_AVERAGES")
    assert isinstance(told, dict)
    assert list(told) == list(MEASURED)
    for name, measured in MEASURED.items():
        board = Board.parse(name)
        digits = 2 if measured["sampled"] else 4
        averages = {level: round(mean(of), digits) for level, of in measured["levels"].items()}
        record = RECORDS[f"{board.holes}x{len(board.symbols)}"]
        averages["perfect"] = round(record["total"] / board.codes, 4)
        assert told[name] == averages
        assert list(averages) == [level.name for level in LEVELS]
        assert abs(mean(measured["levels"]["perfect"]) - averages["perfect"]) < 0.05


def test_the_measurements_can_be_repeated() -> None:
    played = standing_of(Board.parse("classic"), "strong")
    measured = MEASURED["classic"]["levels"]["strong"]
    assert {str(guesses): secrets for guesses, secrets in played.distribution.items()} == measured


def test_the_ratings_of_the_levels_follow_from_how_many_guesses_they_need() -> None:
    levels = MEASURED["classic"]["levels"]
    careful = levels["careful"]
    ratings = {}
    for name, distribution in levels.items():
        score = expected_score(distribution, careful)
        ratings[name] = round(1500 + 400 * log10(score / (1 - score)))
    assert told_by("rating.js", "m.LEVEL_RATINGS") == ratings


def expected_score(one: dict[str, int], two: dict[str, int]) -> float:
    """Of a series of two games, in which whoever needs fewer guesses wins."""
    pairs = [(int(a), int(b), m * n) for a, m in one.items() for b, n in two.items()]
    won = sum(many * (a < b) + 0.5 * many * (a == b) for a, b, many in pairs)
    return won / sum(many for _, _, many in pairs)


def mean(distribution: dict[str, int]) -> float:
    total = sum(int(guesses) * secrets for guesses, secrets in distribution.items())
    return total / sum(distribution.values())

from __future__ import annotations

import pytest

from keypeg.rules.errors import CannotRead
from keypeg.solver.levels import LEVELS, Way, level_named


def test_levels_go_from_beginner_to_perfect() -> None:
    assert (LEVELS[0].name, LEVELS[-1].name) == ("beginner", "perfect")
    assert len({level.name for level in LEVELS}) == len(LEVELS)
    order = list(Way)
    assert [order.index(level.way) for level in LEVELS] == sorted(
        order.index(level.way) for level in LEVELS
    )


def test_only_who_plays_what_fits_may_slip() -> None:
    assert all(0 <= level.slip < 1 for level in LEVELS)
    assert all(level.slip == 0 for level in LEVELS if level.way is not Way.FITTING)


def test_a_level_is_found_by_name() -> None:
    assert level_named(" Beginner") is LEVELS[0]


def test_an_unknown_level_is_refused_with_those_there_are() -> None:
    with pytest.raises(CannotRead, match=r"no level 'wizard'; there are beginner, casual"):
        level_named("wizard")

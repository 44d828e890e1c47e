from __future__ import annotations

import pytest

from keypeg.daily.streak import streak


@pytest.mark.parametrize(
    ("done", "length"),
    [
        ((), 0),
        ((10,), 1),
        ((9,), 1),
        ((8,), 1),
        ((7,), 0),
        ((10, 9, 8), 3),
        ((10, 8, 6, 5), 4),
        ((10, 7, 6), 1),
        ((9, 8, 6), 3),
        ((11, 12), 0),
    ],
)
def test_one_missed_day_is_forgiven_and_two_in_a_row_are_not(
    done: tuple[int, ...], length: int
) -> None:
    """Today, 10, is not missed until it is over."""
    assert streak(done, 10) == length

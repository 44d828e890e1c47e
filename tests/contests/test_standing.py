from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from keypeg.contests.standing import standing
from keypeg.rules.board import Board
from keypeg.store.contests import Finish

BOARD = Board(4, 6)
finishes = st.builds(
    lambda entrant, begun, seconds, needed, loss: Finish(
        entrant, f"p{entrant}", begun, begun + seconds * 1000, needed, loss
    ),
    st.integers(1, 6),
    st.integers(0, 5_000),
    st.integers(0, 3),
    st.sampled_from([None, 0, 4, 5]),
    st.sampled_from([None, 0, 250]),
)
codes = st.lists(st.lists(finishes, unique_by=lambda one: one.entrant, max_size=6), max_size=3)


def finish(
    entrant: int, seconds: int, needed: int | None, loss: int | None = None, name: str | None = None
) -> Finish:
    return Finish(entrant, name, 1_000_000, 1_000_000 + seconds * 1000 + 999, needed, loss)


@given(codes)
def test_places_go_by_rows_then_by_time_and_who_is_equal_shares_one(
    codes: list[list[Finish]],
) -> None:
    lines = standing(BOARD, codes)
    everybody = {one.entrant for code in codes for one in code if one.needed is not None}
    assert sorted(line.entrant for line in lines) == sorted(everybody)
    for line in lines:
        mine = [[one for one in code if one.entrant == line.entrant] for code in codes]
        rows = time = 0
        for code in mine:
            done = [one for one in code if one.needed is not None]
            rows += done[0].needed or 11 if done else 11
            time += int((done[0].changed - done[0].begun) / 1000) if done else 0
        assert (line.rows, line.seconds) == (rows, time)
        rank = (rows, line.codes.count(None), time)
        better = sum((one.rows, one.codes.count(None), one.seconds) < rank for one in lines)
        assert line.place == better + 1
    assert [line.place for line in lines] == sorted(line.place for line in lines)


def test_fewer_rows_are_better_than_less_time() -> None:
    lines = standing(BOARD, [[finish(1, 5, 4), finish(2, 5000, 3), finish(3, 0, 0)]])
    assert [(line.place, line.entrant, line.rows) for line in lines] == [
        (1, 2, 3),
        (2, 1, 4),
        (3, 3, 11),
    ]


def test_whoever_does_not_play_a_code_gains_no_time() -> None:
    tried, easier = [finish(1, 500, 0)], [finish(1, 100, 5), finish(2, 10, 5)]
    lines = standing(BOARD, [tried, easier])
    assert [(line.entrant, line.rows, line.seconds, line.place) for line in lines] == [
        (1, 16, 600, 1),
        (2, 16, 10, 2),
    ]


def test_equal_rows_in_the_same_whole_second_are_a_tie() -> None:
    lines = standing(BOARD, [[finish(1, 7, 4), finish(2, 8, 4), finish(3, 7, 4)]])
    assert [(line.place, line.entrant) for line in lines] == [(1, 1), (1, 3), (3, 2)]


def test_a_code_not_broken_or_not_played_counts_a_row_more_than_the_board_has() -> None:
    first = [finish(1, 10, 0), finish(2, 10, 6), finish(3, 10, None)]
    second = [finish(1, 10, 5)]
    lines = standing(BOARD, [first, second])
    assert [(line.entrant, line.rows, line.codes) for line in lines] == [
        (1, 16, (0, 5)),
        (2, 17, (6, None)),
    ]


def test_the_loss_is_known_once_it_is_for_every_code_played() -> None:
    lines = standing(BOARD, [[finish(1, 1, 4, 250), finish(2, 1, 4, 0)], [finish(1, 1, 4)]])
    assert {line.entrant: line.loss for line in lines} == {1: None, 2: 0}

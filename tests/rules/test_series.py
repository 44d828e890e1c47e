import pytest

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.events import Resigned, Role
from keypeg.rules.options import Option, authorise, options
from keypeg.rules.series import Points, Result, Seat, Series, game_id, play_on
from keypeg.rules.terms import KeyPegMode, Scoring, Terms
from tests.rules.playing import (
    BY_HAND,
    BY_KEY_PEGS,
    CLASSIC,
    REFEREE,
    TIMED,
    event,
    refereed,
    refereed_on,
    series,
)

BROKEN_IN_TWO = ("secret RWBG", "guess WYBK", "guess RWBG")
BROKEN_IN_THREE = ("secret RWBG", "guess WYBK", "guess WYBK", "guess RWBG")


def test_the_maker_gets_a_point_for_each_row_played() -> None:
    assert refereed(REFEREE, *BROKEN_IN_TWO).points == Points(one=2, two=0)


@pytest.mark.parametrize(("name", "points"), [("classic", 11), ("advanced", 13)])
def test_an_unbroken_code_earns_a_point_for_every_row_and_one_more(name: str, points: int) -> None:
    board = PRESETS[name]
    rows = ["guess " + "2" * board.holes] * board.rows
    played = refereed(Terms(board), "secret " + "1" * board.holes, *rows)
    assert played.points == Points(one=points)


def test_roles_swap_after_each_game() -> None:
    terms = Terms(CLASSIC, games=4)
    state = Series.start(terms, "test")
    makers = [state.maker]
    for _ in range(3):
        state = refereed_on(state, *BROKEN_IN_TWO, "close")
        makers.append(state.maker)
    assert makers == [Seat.ONE, Seat.TWO, Seat.ONE, Seat.TWO]
    assert state.role(Seat.ONE) is Role.BREAKER


def test_the_other_seat_may_make_the_first_code() -> None:
    assert Series.start(REFEREE, "test", Seat.TWO).maker is Seat.TWO


def test_most_points_win() -> None:
    state = refereed(REFEREE, *BROKEN_IN_TWO, "close", *BROKEN_IN_THREE)
    assert state.over
    assert state.result == Result(Seat.TWO, Points(one=2, two=3))


def test_equal_points_are_a_tie() -> None:
    state = refereed(REFEREE, *BROKEN_IN_TWO, "close", *BROKEN_IN_TWO)
    assert state.result == Result(None, Points(one=2, two=2))


def test_there_is_no_result_before_the_last_game_ends() -> None:
    assert refereed(REFEREE, *BROKEN_IN_TWO).result is None
    assert refereed(REFEREE, *BROKEN_IN_TWO, "close", "secret RRRR").result is None


def test_nothing_happens_after_the_series_is_over() -> None:
    state = refereed(REFEREE, *BROKEN_IN_TWO, "close", *BROKEN_IN_TWO)
    for line in ("close", "secret RRRR", "guess RRRR", "abandon maker"):
        with pytest.raises(AgainstTheRules, match="the series is over"):
            play_on(state, event(line))


def test_scores_run_on_through_the_series() -> None:
    terms = Terms(CLASSIC, games=4)
    state = refereed(terms, *BROKEN_IN_TWO, "close", *BROKEN_IN_THREE, "close", *BROKEN_IN_THREE)
    assert state.points == Points(one=5, two=3)


def test_the_score_peg_moves_a_step_for_each_row() -> None:
    state = refereed(REFEREE, *BROKEN_IN_TWO, "close", "secret RWBG", "guess WYBK")
    assert state.points == Points(one=2, two=0)
    assert state.score_line == Points(one=2, two=1)


def test_scoring_by_key_pegs_counts_every_key_peg() -> None:
    assert refereed(BY_KEY_PEGS, *BROKEN_IN_TWO).points == Points(one=2 + 4)
    unbroken = ["guess WYBK"] * 10
    assert refereed(BY_KEY_PEGS, "secret RWBG", *unbroken).points == Points(one=20 + 1)
    assert refereed(BY_KEY_PEGS, "secret RWBG", "guess WYBK").score_line == Points(one=2)


def test_where_key_pegs_are_scored_a_breaker_cannot_give_up_the_rows_that_are_left() -> None:
    """One row and a resignation gave the maker 1 point, where three honest rows gave 9."""
    state = refereed(BY_KEY_PEGS, "secret RWBG", "guess WYBK")
    assert Option.RESIGN in options(state, Seat.ONE)
    assert Option.RESIGN not in options(state, Seat.TWO)
    with pytest.raises(AgainstTheRules, match="play the rows that are left"):
        authorise(state, Seat.TWO, Resigned(Role.BREAKER))
    old = refereed(BY_KEY_PEGS, "secret RWBG", "guess WYBK", "resign breaker")
    assert old.points == Points(one=2 + 1)


WRONG = ("secret RWBG", "guess WYBK", "answer 20", "challenge upheld")


def test_wrong_information_voids_the_game_and_gives_the_breaker_three_points() -> None:
    state = refereed(BY_HAND, *WRONG)
    assert state.points == Points(one=0, two=3)


def test_a_void_game_is_replayed_with_the_same_roles_as_the_same_game() -> None:
    state = refereed(BY_HAND, *WRONG, "close")
    assert (state.number, state.maker) == (1, Seat.ONE)
    assert state.game is not None
    assert state.game.rows == ()
    assert state.game.id == "test/1.2"


def test_the_three_points_stay_after_the_replay() -> None:
    right = ("secret RWBG", "guess RWBG", "answer 40", "close")
    state = refereed(BY_HAND, *WRONG, "close", *right, *right)
    assert state.result == Result(Seat.TWO, Points(one=1, two=3 + 1))


def test_a_second_replay_has_an_id_of_its_own() -> None:
    state = refereed(BY_HAND, *WRONG, "close", *WRONG, "close")
    assert state.game is not None
    assert state.game.id == game_id("test", 1, 3) == "test/1.3"
    assert state.points == Points(two=6)


def test_a_last_game_that_is_void_keeps_the_series_going() -> None:
    right = ("secret RWBG", "guess RWBG", "answer 40", "close")
    state = refereed(BY_HAND, *right, *WRONG)
    assert not state.over
    assert state.result is None


def test_by_hand_the_last_game_may_be_challenged_until_the_breaker_closes_it() -> None:
    right = ("secret RWBG", "guess RWBG", "answer 40")
    state = refereed(BY_HAND, *right, "close", *right)
    assert not state.over
    assert state.challengeable
    state = refereed_on(state, "close")
    assert state.over
    assert state.result == Result(None, Points(1, 1))
    assert state.turn is None


def test_a_game_is_closed_only_after_it_ended() -> None:
    with pytest.raises(AgainstTheRules, match="closed only when it is over"):
        refereed(REFEREE, "secret RWBG", "close")


def test_a_breaker_who_resigns_lets_the_maker_score_as_if_unbroken() -> None:
    assert refereed(REFEREE, "secret RWBG", "guess WYBK", "resign breaker").points == Points(one=11)


def test_a_maker_who_resigns_gets_nothing_for_a_game_that_counts() -> None:
    state = refereed(REFEREE, "secret RWBG", "guess WYBK", "resign maker", "close")
    assert state.points == Points()
    assert (state.number, state.maker) == (2, Seat.TWO)


def test_a_maker_gains_nothing_by_resigning_whatever_the_scoring() -> None:
    for terms in (REFEREE, BY_KEY_PEGS):
        resigned = refereed(terms, "secret RWBG", "guess WYBK", "resign maker")
        played = refereed(terms, "secret RWBG", "guess RWBG")
        assert resigned.points.one < played.points.one
        assert resigned.points.two == played.points.two


def test_nobody_leaves_a_series_whose_last_game_is_over() -> None:
    right = ("secret RWBG", "guess RWBG", "answer 40")
    state = refereed(BY_HAND, *right, "close", *right)
    for role in ("maker", "breaker"):
        with pytest.raises(AgainstTheRules, match="nothing left to leave"):
            refereed_on(state, f"abandon {role}")


def test_a_breaker_who_leaves_loses_the_series() -> None:
    state = refereed(REFEREE, "secret RWBG", "abandon breaker")
    assert state.over
    assert state.result == Result(Seat.ONE, Points(one=11))


def test_a_maker_who_leaves_forfeits_the_game_and_loses_the_series() -> None:
    terms = Terms(CLASSIC, games=4)
    state = refereed(terms, *BROKEN_IN_THREE, "close", "secret RWBG", "guess RRRR", "abandon maker")
    assert state.result == Result(Seat.ONE, Points(one=3, two=0))
    assert state.game is not None
    assert state.game.revealed


def test_leaving_between_two_games_takes_nothing_from_the_finished_one() -> None:
    state = series(
        REFEREE, "secret RWBG", "guess RWBG", "answer 40", "reveal RWBG", "abandon maker"
    )
    assert state.over
    assert state.result == Result(Seat.TWO, Points(one=1))


def test_after_an_award_only_the_shield_opens() -> None:
    lines = ("secret RWBG", "guess WYBK", "answer 20", "abandon maker")
    with pytest.raises(AgainstTheRules, match="the series is over"):
        series(BY_HAND, *lines, "challenge upheld")
    assert series(BY_HAND, *lines, "reveal RWBG").over


def test_an_expired_row_counts_as_played() -> None:
    state = refereed(TIMED, "secret RWBG", "expire", "guess RWBG")
    assert state.points == Points(one=2)


def test_games_know_their_makers_with_replays_counted_once() -> None:
    right = ("secret RWBG", "guess RWBG", "answer 40", "close")
    state = refereed(BY_HAND, *WRONG, "close", *right, "secret RRRR")
    assert [maker for maker, _ in state.makers()] == [Seat.ONE, Seat.ONE, Seat.TWO]


def test_an_awarded_series_is_not_challengeable() -> None:
    state = series(BY_HAND, "secret RWBG", "guess WYBK", "answer 20", "abandon maker")
    assert not state.challengeable


def test_turns_are_told_by_seat() -> None:
    state = Series.start(Terms(Board(4, 6), key_pegs=KeyPegMode.CHECKED, scoring=Scoring.ROWS), "t")
    assert state.turn is Seat.ONE
    state = refereed_on(state, "secret RWBG")
    assert state.turn is Seat.TWO
    state = refereed_on(state, "guess RRRR")
    assert state.turn is Seat.ONE
    state = refereed_on(state, "answer 10", "resign breaker")
    assert state.turn is None

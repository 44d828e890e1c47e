import pytest

from keypeg.rules.commitment import Opening
from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.events import (
    Answered,
    Challenged,
    Closed,
    Guessed,
    Resigned,
    Revealed,
    Role,
    RowExpired,
    SecretSet,
)
from keypeg.rules.game import Phase
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.referee import expiry, play, right_answer, verdict
from keypeg.rules.series import Points, play_on
from keypeg.rules.terms import KeyPegMode, Terms
from tests.rules.playing import BY_HAND, CHECKED, CLASSIC, REFEREE, game, series

SECRET = Opening((1, 5, 2, 4))


def test_the_referee_answers_a_guess_at_once() -> None:
    state, events = play(series(REFEREE, "secret RWBG"), Guessed((5, 3, 2, 6)))
    assert events == (Guessed((5, 3, 2, 6)), Answered(KeyPegs(1, 1)))
    assert state.game is not None
    assert state.game.phase is Phase.GUESS


def test_the_referee_opens_the_shield_when_the_code_is_broken() -> None:
    state, events = play(series(REFEREE, "secret RWBG"), Guessed((1, 5, 2, 4)))
    assert events == (Guessed((1, 5, 2, 4)), Answered(KeyPegs(4, 0)), Revealed(SECRET))
    assert state.game is not None
    assert state.game.settled


def test_the_referee_leaves_the_key_pegs_to_a_maker_who_places_them() -> None:
    _, events = play(series(CHECKED, "secret RWBG"), Guessed((5, 3, 2, 6)))
    assert events == (Guessed((5, 3, 2, 6)),)


def test_the_referee_needs_the_secret() -> None:
    with pytest.raises(AgainstTheRules, match="needs the secret"):
        play(series(REFEREE), SecretSet(None))


def test_giving_up_opens_the_shield() -> None:
    _, events = play(series(CHECKED, "secret RWBG"), Resigned(Role.MAKER))
    assert events == (Resigned(Role.MAKER), Revealed(SECRET))


def test_giving_up_before_the_secret_opens_nothing() -> None:
    _, events = play(series(CHECKED), Resigned(Role.MAKER))
    assert events == (Resigned(Role.MAKER),)


def test_a_maker_who_lied_and_resigns_does_not_escape_the_three_points() -> None:
    """The breaker need not have noticed: the referee does, and the game is replayed."""
    lied = ("secret RWBG", "guess WYBK", "answer 20")
    state, events = play(series(BY_HAND, *lied), Resigned(Role.MAKER))
    assert events == (Resigned(Role.MAKER), Challenged(upheld=True), Revealed(SECRET))
    assert state.points == Points(one=0, two=3)
    assert play_on(state, Closed()).number == 1


def test_a_maker_who_resigns_after_right_answers_forfeits_the_game_alone() -> None:
    lines = ("secret RWBG", "guess WYBK", "answer 11")
    for more in ((), ("challenge rejected",)):
        state, events = play(series(BY_HAND, *lines, *more), Resigned(Role.MAKER))
        assert events == (Resigned(Role.MAKER), Revealed(SECRET))
        assert state.points == Points()


def test_records_of_makers_who_escaped_still_read() -> None:
    lines = ("secret RWBG", "guess WYBK", "answer 20", "resign maker", "reveal RWBG", "close")
    state = series(BY_HAND, *lines)
    assert (state.number, state.points) == (2, Points())


def test_the_verdict_on_a_challenge_is_upheld_if_any_answer_is_wrong() -> None:
    lines = ("secret RWBG", "guess WYBK", "answer 11")
    assert verdict(game(BY_HAND, *lines)) == Challenged(upheld=False)
    assert verdict(game(BY_HAND, *lines, "guess RRRR", "answer 00")) == Challenged(upheld=True)


def test_what_expiry_brings_depends_on_whose_turn_it_is() -> None:
    timed = Terms(CLASSIC, key_pegs=KeyPegMode.BY_HAND, turn_seconds=180)
    assert expiry(game(timed), SECRET, "ab" * 32) == SecretSet(SECRET, "ab" * 32, expired=True)
    assert expiry(game(timed, "secret RWBG"), SECRET, None) == RowExpired()
    waiting = game(timed, "secret RWBG", "guess WYBK")
    assert expiry(waiting, SECRET, None) == Answered(KeyPegs(1, 1), expired=True)
    with pytest.raises(AgainstTheRules, match="no clock is running"):
        expiry(game(timed, "resign maker"), SECRET, None)


def test_there_is_a_right_answer_only_while_a_row_waits_for_it() -> None:
    with pytest.raises(AgainstTheRules, match="no row is waiting"):
        right_answer(game(REFEREE, "secret RWBG"))

from dataclasses import replace

import pytest

from keypeg.rules.board import Board
from keypeg.rules.commitment import Opening, seal
from keypeg.rules.errors import AgainstTheRules, CannotRead, NotYourTurn
from keypeg.rules.events import Guessed, Resigned, Revealed, Role, SecretSet
from keypeg.rules.game import Ending, Game, Phase, apply
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.terms import KeyPegMode, Terms
from tests.rules.playing import BY_HAND, CHECKED, CLASSIC, REFEREE, TIMED, game


def test_a_game_begins_with_the_makers_secret() -> None:
    new = game(REFEREE)
    assert new.phase is Phase.SECRET
    assert new.turn is Role.MAKER
    with pytest.raises(NotYourTurn, match="the maker must set the secret first"):
        apply(new, Guessed((1, 2, 3, 4)))


def test_breaker_and_maker_take_turns() -> None:
    state = game(CHECKED, "secret RWBG")
    assert (state.phase, state.turn) == (Phase.GUESS, Role.BREAKER)
    state = game(CHECKED, "secret RWBG", "guess WYBK")
    assert (state.phase, state.turn) == (Phase.ANSWER, Role.MAKER)
    state = game(CHECKED, "secret RWBG", "guess WYBK", "answer 11")
    assert (state.phase, state.turn) == (Phase.GUESS, Role.BREAKER)
    assert state.answered == (((5, 3, 2, 6), KeyPegs(1, 1)),)


def test_it_is_nobodys_turn_while_the_referee_answers() -> None:
    assert game(REFEREE, "secret RWBG", "guess WYBK").turn is None


def test_a_second_guess_waits_for_the_answer_to_the_first() -> None:
    with pytest.raises(NotYourTurn, match="row 1 must be answered first"):
        game(CHECKED, "secret RWBG", "guess WYBK", "guess WYBK")


def test_an_answer_waits_for_a_guess() -> None:
    with pytest.raises(NotYourTurn, match="the breaker must play row 1 first"):
        game(CHECKED, "secret RWBG", "answer 11")


def test_the_secret_is_set_once() -> None:
    with pytest.raises(AgainstTheRules, match="already been set"):
        game(REFEREE, "secret RWBG", "secret RRRR")


def test_all_black_ends_the_game_and_the_code_is_broken() -> None:
    over = game(REFEREE, "secret RWBG", "guess RWBG", "answer 40")
    assert over.outcome is not None
    assert over.outcome.ending is Ending.BROKEN
    assert over.phase is Phase.OVER
    assert over.turn is None
    with pytest.raises(AgainstTheRules, match="the game is over"):
        apply(over, Guessed((1, 2, 3, 4)))


@pytest.mark.parametrize("rows", [6, 8, 10, 12])
def test_the_last_row_ends_the_game_unbroken(rows: int) -> None:
    terms = Terms(Board(4, 6, rows))
    state = game(terms, "secret RRRR", *["guess BBBB", "answer 00"] * (rows - 1))
    assert state.outcome is None
    state = game(terms, "secret RRRR", *["guess BBBB", "answer 00"] * rows)
    assert state.outcome is not None
    assert state.outcome.ending is Ending.UNBROKEN


def test_the_last_row_may_still_break_the_code() -> None:
    rows = ["guess BBBB", "answer 00"] * 9
    state = game(REFEREE, "secret RRRR", *rows, "guess RRRR", "answer 40")
    assert state.outcome is not None
    assert state.outcome.ending is Ending.BROKEN


@pytest.mark.parametrize("terms", [REFEREE, CHECKED])
def test_a_wrong_answer_is_refused_with_the_right_one(terms: Terms) -> None:
    with pytest.raises(AgainstTheRules, match=r"row 1: 2 black, 0 white is wrong.*1 black"):
        game(terms, "secret RWBG", "guess WYBK", "answer 20")


def test_by_hand_the_maker_may_err() -> None:
    state = game(BY_HAND, "secret RWBG", "guess WYBK", "answer 20")
    assert state.rows[0].keys == KeyPegs(2, 0)


def test_by_hand_an_impossible_answer_is_still_refused() -> None:
    state = game(BY_HAND, "secret RWBG", "guess WYBK")
    for line, reason in (("answer 31", "cannot occur"), ("answer 33", "at most 4")):
        with pytest.raises(AgainstTheRules, match=reason):
            game(BY_HAND, "secret RWBG", "guess WYBK", line)
    assert state.phase is Phase.ANSWER


def test_a_secret_or_guess_that_the_board_cannot_hold_is_refused() -> None:
    state = game(REFEREE)
    with pytest.raises(CannotRead, match="4 pegs"):
        apply(state, SecretSet(Opening((1, 2, 3))))
    with pytest.raises(AgainstTheRules, match="blanks are off"):
        apply(state, SecretSet(Opening((1, 2, 3, 0))))
    with pytest.raises(CannotRead, match="numbered 1 to 6"):
        apply(game(REFEREE, "secret RRRR"), Guessed((7, 1, 1, 1)))


def test_a_secret_must_fit_its_seal() -> None:
    opening = Opening((1, 2, 3, 4), bytes(32))
    new = Game("test/1", REFEREE)
    sealed = seal(CLASSIC, "test/1", opening)
    assert apply(new, SecretSet(opening, sealed)).seal == sealed
    with pytest.raises(AgainstTheRules, match="do not open the seal"):
        apply(new, SecretSet(Opening((1, 2, 3, 5), bytes(32)), sealed))


def test_the_reveal_must_open_the_seal_that_everybody_saw() -> None:
    opening = Opening((1, 2, 3, 4), bytes(32))
    seen = apply(Game("test/1", REFEREE), SecretSet(None, seal(CLASSIC, "test/1", opening)))
    over = apply(seen, Resigned(Role.BREAKER))
    assert apply(over, Revealed(opening)).revealed
    with pytest.raises(AgainstTheRules, match="do not open the seal"):
        apply(over, Revealed(Opening((4, 3, 2, 1), bytes(32))))


def test_the_reveal_must_be_a_code_of_the_board() -> None:
    with pytest.raises(AgainstTheRules, match="blanks are off"):
        apply(game(REFEREE, "secret hidden", "resign breaker"), Revealed(Opening((1, 2, 3, 0))))


def test_the_shield_stays_closed_until_the_game_is_over() -> None:
    with pytest.raises(AgainstTheRules, match="until the game is over"):
        game(REFEREE, "secret RWBG", "reveal RWBG")


def test_the_secret_is_revealed_once_and_truly() -> None:
    lines = ("secret RWBG", "guess RWBG", "answer 40")
    with pytest.raises(AgainstTheRules, match="not the secret that was set"):
        game(REFEREE, *lines, "reveal RRRR")
    with pytest.raises(AgainstTheRules, match="already been revealed"):
        game(REFEREE, *lines, "reveal RWBG", "reveal RWBG")


def test_a_game_given_up_before_the_secret_was_set_has_nothing_to_reveal() -> None:
    assert game(REFEREE, "resign breaker").settled
    with pytest.raises(AgainstTheRules, match="no secret was set"):
        game(REFEREE, "resign breaker", "reveal RWBG")


def test_answers_seen_without_the_secret_are_checked_at_the_reveal() -> None:
    lines = ("secret hidden", "guess WYBK", "answer 20", "resign breaker")
    for terms in (REFEREE, CHECKED):
        with pytest.raises(AgainstTheRules, match="row 1 was answered wrongly"):
            game(terms, *lines, "reveal RWBG")
    assert game(BY_HAND, *lines, "reveal RWBG").revealed


def test_an_upheld_challenge_seen_without_the_secret_is_checked_at_the_reveal() -> None:
    lines = ("secret hidden", "guess WYBK", "answer 11", "challenge upheld")
    with pytest.raises(AgainstTheRules, match="every answer is right"):
        game(BY_HAND, *lines, "reveal RWBG")


def test_a_challenge_is_upheld_when_an_answer_is_wrong() -> None:
    state = game(BY_HAND, "secret RWBG", "guess WYBK", "answer 20", "challenge upheld")
    assert state.outcome is not None
    assert state.outcome.ending is Ending.WRONG_INFORMATION
    assert state.outcome.void


def test_a_rejected_challenge_changes_nothing_but_what_is_known() -> None:
    lines = ("secret RWBG", "guess WYBK", "answer 11")
    assert replace(game(BY_HAND, *lines, "challenge rejected"), cleared=0) == game(BY_HAND, *lines)


def test_a_challenge_needs_an_answer_that_was_not_challenged_before() -> None:
    lines = ("secret RWBG", "guess WYBK", "answer 11", "challenge rejected")
    for more in ((), ("guess RRRR",)):
        with pytest.raises(AgainstTheRules, match="no new answer to challenge"):
            game(BY_HAND, *lines, *more, "challenge rejected")
    game(BY_HAND, *lines, "guess RRRR", "answer 10", "challenge rejected")
    game(BY_HAND, *lines, "guess RRRR", "answer 20", "challenge upheld")


def test_a_rejected_challenge_seen_without_the_secret_is_checked_at_the_reveal() -> None:
    lines = ("secret hidden", "guess WYBK", "answer 20", "challenge rejected", "resign breaker")
    with pytest.raises(AgainstTheRules, match="row 1 was answered wrongly"):
        game(BY_HAND, *lines, "reveal RWBG")


def test_an_expired_answer_seen_without_the_secret_is_checked_at_the_reveal() -> None:
    terms = Terms(CLASSIC, key_pegs=KeyPegMode.BY_HAND, turn_seconds=60)
    lines = ("secret hidden", "guess WYBK", "answer 20 expired", "resign breaker")
    with pytest.raises(AgainstTheRules, match="row 1 was answered wrongly"):
        game(terms, *lines, "reveal RWBG")


def test_a_nonce_belongs_to_a_seal() -> None:
    nonce = "00" * 32
    with pytest.raises(AgainstTheRules, match="this game has no seal"):
        game(REFEREE, f"secret RWBG nonce {nonce}")
    with pytest.raises(AgainstTheRules, match="this game has no seal"):
        game(REFEREE, "secret hidden", "resign breaker", f"reveal RWBG nonce {nonce}")


def test_a_seal_has_the_form_of_one() -> None:
    with pytest.raises(CannotRead, match="64 hexadecimal digits"):
        SecretSet(None, "not even hex")


def test_a_challenge_ends_as_the_secret_says() -> None:
    with pytest.raises(AgainstTheRules, match="must be rejected"):
        game(BY_HAND, "secret RWBG", "guess WYBK", "answer 11", "challenge upheld")
    with pytest.raises(AgainstTheRules, match="must be upheld"):
        game(BY_HAND, "secret RWBG", "guess WYBK", "answer 20", "challenge rejected")


def test_a_game_may_be_challenged_after_the_reveal() -> None:
    lines = ("secret RWBG", "guess WYBK", "answer 20", "guess RWBG", "answer 40", "reveal RWBG")
    state = game(BY_HAND, *lines, "challenge upheld")
    assert state.outcome is not None
    assert state.outcome.void


def test_calling_a_code_broken_that_is_not_is_wrong_information() -> None:
    state = game(BY_HAND, "secret RWBG", "guess WYBK", "answer 40")
    assert state.outcome is not None
    assert state.outcome.ending is Ending.BROKEN
    lines = ("secret RWBG", "guess WYBK", "answer 40", "reveal RWBG", "challenge upheld")
    assert game(BY_HAND, *lines).outcome != state.outcome


@pytest.mark.parametrize("mode", [KeyPegMode.REFEREE, KeyPegMode.CHECKED])
def test_checked_answers_cannot_be_challenged(mode: KeyPegMode) -> None:
    with pytest.raises(AgainstTheRules, match="only key pegs placed by hand"):
        game(Terms(CLASSIC, key_pegs=mode), "secret RWBG", "challenge rejected")


def test_a_challenge_needs_a_secret_and_a_game_that_counts() -> None:
    with pytest.raises(AgainstTheRules, match="before the secret is set"):
        game(BY_HAND, "challenge rejected")
    with pytest.raises(AgainstTheRules, match="already gets nothing for this game"):
        game(BY_HAND, "secret RWBG", "resign maker", "challenge rejected")


def test_a_breakers_turn_that_expires_plays_an_empty_row() -> None:
    state = game(TIMED, "secret RWBG", "expire")
    assert len(state.rows) == 1
    assert state.rows[0].guess is None
    assert state.phase is Phase.GUESS
    assert state.answered == ()


def test_the_last_row_may_expire_too() -> None:
    state = game(TIMED, "secret RWBG", *["expire"] * 10)
    assert state.outcome is not None
    assert state.outcome.ending is Ending.UNBROKEN


def test_a_makers_answer_that_expires_is_the_right_one() -> None:
    terms = Terms(CLASSIC, key_pegs=KeyPegMode.BY_HAND, turn_seconds=240)
    state = game(terms, "secret RWBG", "guess WYBK", "answer 11 expired")
    assert state.rows[0].keys == KeyPegs(1, 1)
    with pytest.raises(AgainstTheRules, match="is wrong"):
        game(terms, "secret RWBG", "guess WYBK", "answer 20 expired")


@pytest.mark.parametrize(
    "lines",
    [
        ("secret RWBG expired",),
        ("secret RWBG", "expire"),
        ("secret RWBG", "guess RRRR", "answer 10 expired"),
    ],
)
def test_no_time_runs_out_where_no_limit_was_agreed(lines: tuple[str, ...]) -> None:
    with pytest.raises(AgainstTheRules, match="no turn limit was agreed"):
        game(CHECKED, *lines)
    game(Terms(CLASSIC, key_pegs=KeyPegMode.CHECKED, turn_seconds=180), *lines)


@pytest.mark.parametrize(
    ("line", "ending", "forfeited"),
    [
        ("resign breaker", Ending.BREAKER_RESIGNED, False),
        ("resign maker", Ending.MAKER_RESIGNED, True),
        ("abandon breaker", Ending.BREAKER_ABANDONED, False),
        ("abandon maker", Ending.MAKER_ABANDONED, True),
    ],
)
def test_giving_up_ends_the_game(line: str, ending: Ending, forfeited: bool) -> None:
    state = game(REFEREE, "secret RWBG", line)
    assert state.outcome is not None
    assert state.outcome.ending is ending
    assert state.outcome.forfeited is forfeited
    assert not state.outcome.void
    with pytest.raises(AgainstTheRules, match="nothing to give up"):
        game(REFEREE, "secret RWBG", line, line)

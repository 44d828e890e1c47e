import pytest

from keypeg.rules.audit import WrongAnswer, audit
from keypeg.rules.errors import AgainstTheRules
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.terms import KeyPegMode, Terms
from tests.rules.playing import BY_HAND, REFEREE, game

LINES = (
    "secret RWBG",
    "guess WYBK",
    "answer 20",
    "guess RRRR",
    "answer 10",
    "guess GGGG",
    "answer 01",
    "resign breaker",
)


def test_every_wrong_answer_is_listed_with_the_right_one() -> None:
    assert audit(game(BY_HAND, *LINES, "reveal RWBG")) == (
        WrongAnswer(1, (5, 3, 2, 6), KeyPegs(2, 0), KeyPegs(1, 1)),
        WrongAnswer(3, (4, 4, 4, 4), KeyPegs(0, 1), KeyPegs(1, 0)),
    )


def test_a_game_is_audited_after_the_reveal() -> None:
    with pytest.raises(AgainstTheRules, match="only after its secret is revealed"):
        audit(game(BY_HAND, *LINES))


def test_a_refereed_game_has_no_wrong_answer() -> None:
    lines = ("secret RWBG", "guess WYBK", "answer 11", "guess RWBG", "answer 40", "reveal RWBG")
    assert audit(game(REFEREE, *lines)) == ()


def test_rows_without_a_guess_or_an_answer_are_passed_over() -> None:
    timed = Terms(BY_HAND.board, key_pegs=KeyPegMode.BY_HAND, turn_seconds=60)
    lines = ("secret RWBG", "expire", "guess WYBK", "resign breaker", "reveal RWBG")
    assert audit(game(timed, *lines)) == ()

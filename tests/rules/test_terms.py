import pytest

from keypeg.rules.board import PRESETS
from keypeg.rules.errors import AgainstTheRules, CannotRead
from keypeg.rules.terms import KeyPegMode, Scoring, Terms

CLASSIC = PRESETS["classic"]


def test_by_default_the_referee_answers_and_no_time_is_agreed() -> None:
    terms = Terms(CLASSIC)
    assert (terms.games, terms.key_pegs, terms.scoring) == (2, KeyPegMode.REFEREE, Scoring.ROWS)
    assert terms.turn_seconds is None


@pytest.mark.parametrize("games", [1, 3, 99])
def test_an_odd_series_is_refused_with_the_reason(games: int) -> None:
    with pytest.raises(AgainstTheRules, match=f"even number of games.*play {games + 1}"):
        Terms(CLASSIC, games)


@pytest.mark.parametrize("games", [0, -2, 102, 2.0, True, "2", 2**63])
def test_a_series_has_a_sensible_number_of_games(games: int) -> None:
    with pytest.raises(CannotRead, match="2 to 100 games"):
        Terms(CLASSIC, games)


@pytest.mark.parametrize("seconds", [180, 240, 1, 86_400, None])
def test_any_sensible_turn_limit_may_be_agreed(seconds: int | None) -> None:
    assert Terms(CLASSIC, turn_seconds=seconds).turn_seconds == seconds


@pytest.mark.parametrize("seconds", [0, -1, 86_401, 1.5, True, "180"])
def test_any_other_turn_limit_is_refused(seconds: int) -> None:
    with pytest.raises(CannotRead, match="whole seconds"):
        Terms(CLASSIC, turn_seconds=seconds)


def test_the_parts_of_an_agreement_must_be_what_they_say() -> None:
    with pytest.raises(CannotRead, match="board must be a Board"):
        Terms("classic")  # type: ignore[arg-type]
    with pytest.raises(CannotRead, match="key_pegs must be a KeyPegMode"):
        Terms(CLASSIC, key_pegs="referee")  # type: ignore[arg-type]

"""A turn limit that the players agree on during a series."""

from __future__ import annotations

import pytest

from keypeg.rules.errors import AgainstTheRules, CannotRead, NotYourTurn
from keypeg.rules.notation import format_event, parse_event, parse_record
from keypeg.rules.options import Option, authorise, options
from keypeg.rules.series import Proposal, Seat
from tests.rules.playing import BY_HAND, CLASSIC, REFEREE, TIMED, event, refereed, refereed_on

MAKER, BREAKER = Seat.ONE, Seat.TWO
AGREED = ("secret RWBG", "limit proposed maker 180", "limit accepted 180")


def test_an_accepted_limit_holds_from_the_next_turn_and_not_before() -> None:
    state = refereed(REFEREE, *AGREED)
    assert (state.terms.turn_seconds, state.next_limit, state.proposal) == (None, 180, None)
    with pytest.raises(AgainstTheRules, match="no turn limit was agreed on"):
        refereed_on(state, "expire")
    state = refereed_on(state, "guess RRRR")
    assert state.terms.turn_seconds == 180
    assert refereed_on(state, "expire").games[-1].rows[-1].expired


def test_it_holds_to_the_end_of_the_series() -> None:
    state = refereed(REFEREE, *AGREED, "guess RWBG", "close")
    assert state.number == 2
    assert state.games[-1].terms.turn_seconds == 180
    assert refereed_on(state, "secret RWBG expired").terms.turn_seconds == 180


def test_where_a_limit_is_lifted_the_running_turn_keeps_it() -> None:
    talk = ("secret RWBG", "limit proposed breaker none", "limit accepted none")
    state = refereed(TIMED, *talk)
    assert refereed_on(state, "expire").terms.turn_seconds is None
    with pytest.raises(AgainstTheRules, match="no turn limit was agreed on"):
        refereed_on(state, "guess RRRR", "expire")


def test_each_says_only_what_is_theirs_to_say() -> None:
    state = refereed(REFEREE, "limit proposed maker 180")
    assert state.proposal == Proposal(MAKER, 180)
    assert Option.WITHDRAW_LIMIT in options(state, MAKER)
    assert {Option.ACCEPT_LIMIT, Option.DECLINE_LIMIT} <= options(state, BREAKER)
    authorise(state, MAKER, event("limit withdrawn"))
    authorise(state, BREAKER, event("limit accepted 180"))
    with pytest.raises(NotYourTurn, match="only the breaker can do this"):
        authorise(state, MAKER, event("limit accepted 180"))
    with pytest.raises(NotYourTurn, match="only the maker can do this"):
        authorise(state, BREAKER, event("limit withdrawn"))
    with pytest.raises(NotYourTurn, match="only the breaker can do this"):
        authorise(refereed(REFEREE), MAKER, event("limit proposed breaker 60"))


def test_a_proposal_stays_with_its_player_when_the_roles_swap() -> None:
    before = ("secret RWBG", "guess RWBG", "limit proposed maker 240", "close")
    state = refereed(REFEREE, *before)
    assert state.maker is Seat.TWO
    assert Option.WITHDRAW_LIMIT in options(state, Seat.ONE)
    assert refereed_on(state, "limit accepted 240").next_limit == 240


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        (("limit proposed maker 180",), "limit proposed breaker 60", "already proposed"),
        (("limit proposed maker 180",), "limit accepted 60", "another turn limit is proposed"),
        (("limit proposed maker 9", "limit declined"), "limit proposed maker 8", "once in a turn"),
        (("limit proposed maker 9", "limit withdrawn"), "limit proposed maker 9", "once in a turn"),
        ((), "limit proposed maker none", "this is the turn limit already"),
        ((), "limit accepted 180", "no turn limit is proposed now"),
        (("abandon maker",), "limit proposed breaker 180", "the series is over"),
    ],
)
def test_nobody_is_pestered_with_proposals(lines: tuple[str, ...], line: str, reason: str) -> None:
    state = refereed(REFEREE, *lines)
    with pytest.raises(AgainstTheRules, match=reason):
        refereed_on(state, line)


def test_after_the_next_move_a_declined_player_may_propose_again() -> None:
    declined = ("secret RWBG", "limit proposed maker 9", "limit declined")
    state = refereed(REFEREE, *declined)
    assert Option.PROPOSE_LIMIT not in options(state, MAKER)
    assert Option.PROPOSE_LIMIT in options(state, BREAKER)
    state = refereed_on(state, "guess RRRR", "limit proposed maker 9")
    assert state.proposal == Proposal(MAKER, 9)


def test_after_the_last_game_there_is_nothing_to_limit() -> None:
    game = ("secret RWBG", "guess RWBG")
    state = refereed(REFEREE, *game, "close", *game)
    assert options(state, MAKER) == options(state, BREAKER) == frozenset()
    last = ("secret RWBG", "guess RWBG", "answer 40", "close")
    state = refereed(BY_HAND, *last, *last[:-1])
    assert Option.PROPOSE_LIMIT not in options(state, MAKER)
    with pytest.raises(AgainstTheRules, match="the last game is over"):
        refereed_on(state, "limit proposed maker 180")


@pytest.mark.parametrize("text", ["0", "86401", "1.5", "-1", "three"])
def test_a_limit_that_cannot_be_is_not_read(text: str) -> None:
    with pytest.raises(CannotRead):
        parse_event(f"limit proposed maker {text}", CLASSIC)


@pytest.mark.parametrize("line", [*AGREED[1:], "limit proposed breaker none", "limit declined"])
def test_a_line_of_a_record_is_read_and_written_the_same(line: str) -> None:
    assert format_event(parse_event(line, CLASSIC), CLASSIC) == line


def test_in_a_record_time_runs_out_only_under_an_agreed_limit() -> None:
    text = "\n".join(
        ("keypeg record 1", "board: classic", "", *AGREED, "guess RRRR", "answer 1b0w", "expire")
    )
    assert parse_record(text).replay().terms.turn_seconds == 180
    with pytest.raises(CannotRead, match="line 5, column 1: time cannot run out"):
        parse_record("keypeg record 1\nboard: classic\n\nsecret RWBG\nexpire")

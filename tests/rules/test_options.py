"""What `options` offers is never refused, and what it does not offer always is."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.rules.commitment import Opening
from keypeg.rules.errors import AgainstTheRules, NotYourTurn
from keypeg.rules.events import (
    Abandoned,
    Answered,
    Challenged,
    Closed,
    Event,
    Guessed,
    LimitAccepted,
    LimitDeclined,
    LimitProposed,
    LimitWithdrawn,
    Resigned,
    Revealed,
    Role,
    RowExpired,
    SecretSet,
)
from keypeg.rules.game import Ending, Outcome
from keypeg.rules.keypegs import KeyPegs
from keypeg.rules.options import Option, authorise, option_of, options
from keypeg.rules.referee import ruling
from keypeg.rules.series import Seat, Series, play_on, replay
from keypeg.rules.terms import KeyPegMode, Terms
from keypeg.rules.view import view
from tests.rules.playing import BY_HAND, CHECKED, REFEREE, event, refereed

BOARD = Board(2, 3, rows=3)
CODES = ((1, 2), (2, 2), (3, 1))
KEYS = (KeyPegs(0, 0), KeyPegs(1, 0), KeyPegs(0, 1), KeyPegs(0, 2), KeyPegs(2, 0))
LIMITS = (90, None)
STEPS = 60
ALL = frozenset(Option)


def attempts(option: Option, series: Series, seat: Seat) -> tuple[Event, ...]:
    """Everything that `seat` could mean by an option: one of these must do where it is offered."""
    match option:
        case Option.SET_SECRET:
            return tuple(SecretSet(Opening(code)) for code in CODES)
        case Option.GUESS:
            return tuple(map(Guessed, CODES))
        case Option.ANSWER:
            return tuple(map(Answered, KEYS))
        case Option.CHALLENGE:
            return Challenged(upheld=True), Challenged(upheld=False)
        case Option.NEXT_GAME:
            return (Closed(),)
        case Option.RESIGN:
            return (Resigned(series.role(seat)),)
        case Option.PROPOSE_LIMIT:
            return tuple(LimitProposed(series.role(seat), limit) for limit in LIMITS)
        case Option.ACCEPT_LIMIT:
            return tuple(map(LimitAccepted, LIMITS))
        case Option.DECLINE_LIMIT:
            return (LimitDeclined(),)
        case Option.WITHDRAW_LIMIT:
            return (LimitWithdrawn(),)


def is_allowed(series: Series, seat: Seat, event: Event) -> bool:
    try:
        authorise(series, seat, event)
        play_on(series, event)
    except AgainstTheRules:
        return False
    return True


def can_happen(series: Series, event: Event) -> bool:
    try:
        play_on(series, event)
    except AgainstTheRules:
        return False
    return True


def happenings(series: Series) -> list[Event]:
    """All that may happen next, by anybody; leaving for good seldom among it."""
    possible = [
        event for seat in Seat for option in Option for event in attempts(option, series, seat)
    ]
    game = series.game
    if game is not None and game.opening is not None:
        possible += [Revealed(game.opening)] * 4
    possible.append(RowExpired())
    return [event for event in possible if can_happen(series, event)]


@given(
    st.sampled_from(KeyPegMode),
    st.sampled_from((None, 60)),
    st.sampled_from(Seat),
    st.randoms(use_true_random=False),
)
@settings(max_examples=120)
def test_what_is_offered_is_never_refused_and_what_is_not_always_is(
    mode: KeyPegMode, seconds: int | None, first: Seat, rng: Random
) -> None:
    start = series = Series.start(Terms(BOARD, 2, mode, turn_seconds=seconds), "test", first)
    log: list[Event] = []
    for _ in range(STEPS):
        check_options(series)
        check_views(start, log, series)
        following = ruling(series.game) if series.game is not None else None
        possible = happenings(series)
        if following is not None and rng.random() < 0.8:
            log.append(following)
        elif rng.random() < 0.03 and can_happen(series, Abandoned(Role.MAKER)):
            log.append(Abandoned(rng.choice(tuple(Role))))
        elif possible:
            log.append(rng.choice(possible))
        else:
            break
        series = play_on(series, log[-1])
    check_options(series)


def check_options(series: Series) -> None:
    for seat in Seat:
        offered = options(series, seat)
        for option in Option:
            does = [is_allowed(series, seat, one) for one in attempts(option, series, seat)]
            assert any(does) == (option in offered), (series, seat, option)
    nobodys = ALL - options(series, Seat.ONE) - options(series, Seat.TWO)
    # The referee answers where players do not, and challenges a maker who resigns.
    resigned = series.game is not None and series.game.outcome == Outcome(Ending.MAKER_RESIGNED)
    for option in nobodys - {Option.ANSWER} - ({Option.CHALLENGE} if resigned else set()):
        assert not any(can_happen(series, one) for one in attempts(option, series, Seat.ONE))


def check_views(start: Series, log: list[Event], series: Series) -> None:
    """Whoever may look, the view gives the same options as the whole series does."""
    for viewer in (None, *Seat):
        seen = replay(start, view(start, log, viewer))
        for seat in Seat:
            assert options(seen, seat) == options(series, seat)


@pytest.mark.parametrize(
    ("lines", "maker", "breaker"),
    [
        ((), {"set-secret", "resign"}, {"resign"}),
        (("secret RWBG",), {"resign"}, {"guess", "resign"}),
        (("secret RWBG", "guess RRRR"), {"answer", "resign"}, {"resign"}),
        (("secret RWBG", "guess RRRR", "answer 10"), {"resign"}, {"guess", "challenge", "resign"}),
        (
            ("secret RWBG", "guess RRRR", "answer 10", "challenge rejected"),
            {"resign"},
            {"guess", "resign"},
        ),
        (("secret RWBG", "guess RWBG", "answer 40"), set(), {"challenge", "next-game"}),
        (
            ("secret RWBG", "guess RWBG", "answer 40", "challenge rejected"),
            {"next-game"},
            {"next-game"},
        ),
        (("secret RWBG", "resign maker"), {"next-game"}, {"next-game"}),
        (("secret RWBG", "abandon maker"), set(), set()),
    ],
)
def test_by_hand_each_seat_has_its_options(
    lines: tuple[str, ...], maker: set[str], breaker: set[str]
) -> None:
    series = refereed(BY_HAND, *lines)
    assert offered(series, series.maker) == maker
    assert offered(series, series.maker.other) == breaker


def offered(series: Series, seat: Seat) -> set[str]:
    """The options of a seat, without what may be said about the turn limit at any time."""
    return {option.value for option in options(series, seat) if "limit" not in option.value}


BEGUN = ("secret RWBG", "guess WYBK")


@pytest.mark.parametrize(
    ("terms", "before", "line", "role"),
    [
        (REFEREE, (), "secret RWBG", Role.MAKER),
        (REFEREE, BEGUN, "guess RWBG", Role.BREAKER),
        (CHECKED, BEGUN, "answer 11", Role.MAKER),
        (BY_HAND, (*BEGUN, "answer 11"), "challenge rejected", Role.BREAKER),
        (REFEREE, (), "resign maker", Role.MAKER),
        (REFEREE, (), "resign breaker", Role.BREAKER),
    ],
)
def test_each_player_does_only_what_is_theirs_to_do(
    terms: Terms, before: tuple[str, ...], line: str, role: Role
) -> None:
    state = refereed(terms, *before)
    mine, theirs = (Seat.ONE, Seat.TWO) if role is Role.MAKER else (Seat.TWO, Seat.ONE)
    authorise(state, mine, event(line))
    with pytest.raises(NotYourTurn, match=f"only the {role.value} can do this"):
        authorise(state, theirs, event(line))


@pytest.mark.parametrize(
    ("before", "line", "error", "reason"),
    [
        ((), "guess RWBG", NotYourTurn, "the maker must set the secret first"),
        (BEGUN, "guess RWBG", NotYourTurn, "row 1 must be answered first"),
        (BEGUN, "secret RWBG", AgainstTheRules, "the secret has already been set"),
        (BEGUN, "challenge rejected", AgainstTheRules, "no new answer to challenge"),
        (BEGUN, "close", AgainstTheRules, "closed only when it is over"),
        (("resign maker",), "resign breaker", AgainstTheRules, "nothing to give up"),
        (("abandon maker",), "guess RWBG", AgainstTheRules, "the series is over"),
    ],
)
def test_what_is_not_open_now_is_refused_with_the_reason(
    before: tuple[str, ...], line: str, error: type[AgainstTheRules], reason: str
) -> None:
    series = refereed(BY_HAND, *before)
    seat = series.maker if line.startswith("secret") else series.maker.other
    with pytest.raises(error, match=reason):
        authorise(series, seat, event(line))


@pytest.mark.parametrize(
    "line",
    [
        "expire",
        "reveal RWBG",
        "abandon maker",
        "answer 40",
        "secret RWBG expired",
        "answer 40 expired",
    ],
)
def test_no_player_does_the_referees_work(line: str) -> None:
    series = Series.start(REFEREE, "test")
    assert option_of(series, event(line)) is None
    for seat in Seat:
        with pytest.raises(NotYourTurn, match="only the referee"):
            authorise(series, seat, event(line))


@pytest.mark.parametrize("terms", [CHECKED, BY_HAND])
def test_no_maker_answers_as_if_time_had_run_out(terms: Terms) -> None:
    for seat in Seat:
        with pytest.raises(NotYourTurn, match="only the referee"):
            authorise(Series.start(terms, "test"), seat, event("answer 40 expired"))


def test_a_game_without_an_answer_to_question_is_closed_by_either() -> None:
    given_up = refereed(BY_HAND, "resign breaker")
    assert not given_up.challengeable
    for seat in Seat:
        authorise(given_up, seat, event("close"))


def test_either_player_goes_on_to_the_next_game_unless_it_may_be_challenged() -> None:
    for seat in Seat:
        authorise(refereed(REFEREE, "secret RWBG", "guess RWBG"), seat, event("close"))
        authorise(refereed(BY_HAND, *BEGUN, "answer 20", "challenge upheld"), seat, event("close"))
    open_to_challenge = refereed(BY_HAND, "secret RWBG", "guess RWBG", "answer 40")
    authorise(open_to_challenge, Seat.TWO, event("close"))
    with pytest.raises(NotYourTurn, match="only the breaker"):
        authorise(open_to_challenge, Seat.ONE, event("close"))

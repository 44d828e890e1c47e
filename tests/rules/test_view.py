"""The secret is behind the shield: attacks on the one redaction in the program."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.rules.code import Code, format_code
from keypeg.rules.commitment import Opening, seal
from keypeg.rules.events import (
    Challenged,
    Closed,
    Event,
    Guessed,
    Resigned,
    Revealed,
    Role,
    RowExpired,
    SecretSet,
)
from keypeg.rules.keypegs import score
from keypeg.rules.notation import Record, format_record
from keypeg.rules.referee import play, verdict
from keypeg.rules.series import Seat, Series, play_on, replay
from keypeg.rules.terms import KeyPegMode, Terms
from keypeg.rules.view import view, visible
from tests.rules.playing import BY_HAND, REFEREE, event
from tests.rules.strategies import boards, codes, key_pegs

SECRET = Opening((1, 5, 2, 4), bytes(32))
BREAKER, SPECTATOR = Seat.TWO, None
LINES = ("guess WYBK", "answer 11", "guess RWBG", "answer 40")


def log(*after: str) -> tuple[Event, ...]:
    sealed = SecretSet(SECRET, seal(REFEREE.board, "test/1", SECRET))
    return (sealed, *(event(line) for line in after))


@pytest.mark.parametrize("seat", [BREAKER, SPECTATOR])
def test_only_the_maker_sees_the_secret_before_the_reveal(seat: Seat | None) -> None:
    start = Series.start(REFEREE, "test")
    assert view(start, log(), Seat.ONE) == log()
    (shown,) = view(start, log(), seat)
    assert isinstance(shown, SecretSet)
    assert shown.opening is None
    assert shown.seal == seal(REFEREE.board, "test/1", SECRET)


@pytest.mark.parametrize("seat", [BREAKER, SPECTATOR])
def test_everybody_sees_the_secret_after_the_reveal(seat: Seat | None) -> None:
    start = Series.start(REFEREE, "test")
    events = (*log(*LINES), Revealed(SECRET))
    shown = view(start, events, seat)
    assert shown[-1] == Revealed(SECRET)
    state = replay(start, shown)
    assert state.game is not None
    assert state.game.opening == SECRET
    assert state == replay(start, events)


def test_what_was_shown_once_never_changes() -> None:
    start = Series.start(REFEREE, "test")
    events = (*log(*LINES), Revealed(SECRET))
    whole = view(start, events, BREAKER)
    for length in range(len(events)):
        assert view(start, events[:length], BREAKER) == whole[:length]


def test_roles_swap_and_so_does_what_is_seen() -> None:
    start = Series.start(REFEREE, "test")
    second = SecretSet(Opening((6, 6, 6, 6)))
    events = (*log(*LINES), Revealed(SECRET), Closed(), second)
    assert view(start, events, Seat.ONE)[-1] == SecretSet(None)
    assert view(start, events, Seat.TWO)[-1] == second
    assert view(start, events, SPECTATOR)[-1] == SecretSet(None)


def test_a_replayed_game_keeps_its_maker() -> None:
    start = Series.start(BY_HAND, "test")
    second = SecretSet(Opening((6, 6, 6, 6)))
    wrong = (*log("guess WYBK", "answer 20"), Challenged(upheld=True), Revealed(SECRET))
    events = (*wrong, Closed(), second)
    assert view(start, events, Seat.ONE)[-1] == second
    assert view(start, events, Seat.TWO)[-1] == SecretSet(None)


@pytest.mark.parametrize(
    "line",
    ["secret hidden expired", "answer 11 expired", "expire", "resign maker", "abandon breaker"],
)
def test_what_is_no_secret_is_shown_whole(line: str) -> None:
    assert visible(event(line), is_maker=False) == event(line)


def test_an_unknown_kind_of_event_is_shown_to_nobody() -> None:
    with pytest.raises(AssertionError):
        visible("secret 1524", is_maker=False)  # type: ignore[arg-type]


def everything_seen(terms: Terms, events: tuple[Event, ...], seat: Seat | None) -> object:
    """Log, state, record and printed forms, as the seat gets them, the seal left out."""
    start = Series.start(terms, "test")
    shown = tuple(
        SecretSet(e.opening, None, e.expired) if isinstance(e, SecretSet) else e
        for e in view(start, events, seat)
    )
    state = replay(start, shown)
    text = format_record(Record(terms, shown, "test"))
    return shown, state, state.points, state.score_line, state.turn, repr(shown), repr(state), text


def play_secret(terms: Terms, secret: Code, moves: list[tuple[str, object]]) -> tuple[Event, ...]:
    """A full log in which the maker has `secret` and the same moves are tried one by one."""
    events: list[Event] = []
    series = Series.start(terms, "test")
    opening = Opening(secret, bytes(secret) + bytes(32 - len(secret)))
    series, happened = play(series, SecretSet(opening, seal(terms.board, "test/1", opening)))
    events += happened
    for kind, value in moves:
        assert series.game is not None
        if kind == "challenge" and not series.game.questionable:
            continue
        move = verdict(series.game) if kind == "challenge" else value
        series, happened = play(series, move)  # type: ignore[arg-type]
        events += happened
        if series.game is None or series.game.outcome is not None:
            break
    return tuple(events)


@st.composite
def games_of_two_secrets(draw: st.DrawFn) -> tuple[Terms, Code, Code, list[tuple[str, object]]]:
    """Two secrets that answer every guess of one history alike, and that history."""
    board = draw(boards(most_holes=4, most_colours=5))
    mode = draw(st.sampled_from(KeyPegMode))
    one, two = draw(codes(board)), draw(codes(board))
    assume(one != two)
    guesses = [
        guess
        for guess in draw(st.lists(codes(board), max_size=min(board.rows, 8)))
        if score(one, guess) == score(two, guess)
    ]
    moves: list[tuple[str, object]] = []
    for guess in guesses:
        if draw(st.integers(0, 5)) == 0:
            moves.append(("expire", RowExpired()))
        moves.append(("guess", Guessed(guess)))
        if mode is not KeyPegMode.REFEREE:
            keys = score(one, guess)
            if mode is KeyPegMode.BY_HAND:
                keys = draw(st.just(keys) | key_pegs(board))
            moves.append(("answer", event(f"answer {keys.black} {keys.white}", Terms(board))))
        if mode is KeyPegMode.BY_HAND and draw(st.booleans()):
            moves.append(("challenge", None))
    if draw(st.booleans()):
        moves.append(("resign", Resigned(draw(st.sampled_from(Role)))))
    return Terms(board, key_pegs=mode, turn_seconds=60), one, two, moves


@given(games_of_two_secrets())
@settings(max_examples=400)
def test_two_secrets_that_answer_alike_look_alike(
    drawn: tuple[Terms, Code, Code, list[tuple[str, object]]],
) -> None:
    terms, one, two, moves = drawn
    first, second = play_secret(terms, one, moves), play_secret(terms, two, moves)
    before_reveal = [e for e in first if not isinstance(e, Revealed)]
    first, second = first[: len(before_reveal)], second[: len(before_reveal)]
    for seat in (BREAKER, SPECTATOR):
        assert everything_seen(terms, first, seat) == everything_seen(terms, second, seat)
    assert view(Series.start(terms, "test"), first, Seat.ONE) != view(
        Series.start(terms, "test"), second, Seat.ONE
    )


@given(st.data(), boards(most_holes=6))
def test_no_printed_form_of_a_log_or_state_tells_the_secret(
    data: st.DataObject, board: Board
) -> None:
    terms = Terms(board)
    opening = Opening(data.draw(codes(board)), bytes(range(32)))
    sealed = SecretSet(opening, seal(board, "test/1", opening))
    state = play_on(Series.start(terms, "test"), sealed)
    for seen in (sealed, state, state.game, [opening], {"secret": opening}):
        text = f"{seen!r} {seen}"
        assert repr(opening.code) not in text
        assert format_code(opening.code, board) not in text
        assert bytes(range(32)).hex() not in text
        assert repr(bytes(range(32))) not in text


def test_a_challenge_tells_the_breaker_only_how_it_ended() -> None:
    start = Series.start(BY_HAND, "test")
    lines = ("secret RWBG", "guess WYBK", "answer 11", "challenge rejected")
    shown = view(start, [event(line) for line in lines], BREAKER)
    assert shown[-1] == Challenged(upheld=False)

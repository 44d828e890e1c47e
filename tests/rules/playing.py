"""Short ways to play in tests: a game or series of the classic board from written lines."""

from __future__ import annotations

from keypeg.rules.board import Board
from keypeg.rules.events import Event
from keypeg.rules.game import Game, apply
from keypeg.rules.notation import parse_event
from keypeg.rules.referee import play
from keypeg.rules.series import Series, replay
from keypeg.rules.terms import KeyPegMode, Scoring, Terms

CLASSIC = Board(4, 6)
REFEREE = Terms(CLASSIC)
CHECKED = Terms(CLASSIC, key_pegs=KeyPegMode.CHECKED)
BY_HAND = Terms(CLASSIC, key_pegs=KeyPegMode.BY_HAND)
TIMED = Terms(CLASSIC, turn_seconds=180)
BY_KEY_PEGS = Terms(CLASSIC, scoring=Scoring.KEY_PEGS)


def event(line: str, terms: Terms = REFEREE) -> Event:
    return parse_event(line, terms.board)


def game(terms: Terms, *lines: str) -> Game:
    """A game after the events of `lines`, with nothing added."""
    state = Game("test/1", terms)
    for line in lines:
        state = apply(state, event(line, terms))  # type: ignore[arg-type]
    return state


def series(terms: Terms, *lines: str) -> Series:
    """A series after the events of `lines`, with nothing added."""
    return replay(Series.start(terms, "test"), (event(line, terms) for line in lines))


def refereed(terms: Terms, *lines: str) -> Series:
    """A series after the events of `lines` and all that the referee adds to each."""
    return refereed_on(Series.start(terms, "test"), *lines)


def refereed_on(start: Series, *lines: str) -> Series:
    """The same from `start` on; the events that it took lead to the same series."""
    state = start
    for line in lines:
        state, events = play(state, event(line, state.terms))
        assert state == replay(start, events)
        start = state
    return state

"""What the solver says: hints, what is wrong with answers, and reviews of a game."""

from __future__ import annotations

import msgspec

from keypeg.store.events import Grade


class RepairOut(msgspec.Struct, frozen=True):
    """A corrected answer for one row, and how many codes would fit with it."""

    row: int
    black: int
    white: int
    codes_left: int


class HintOut(msgspec.Struct, frozen=True, kw_only=True):
    """How many codes fit, a guess worth playing and why; or which rows contradict each other."""

    grade: Grade
    """What the log says was given: below `best`, only the number of codes is given."""
    codes_left: int
    exact: bool
    guess: tuple[int, ...] | None = None
    why: str = ""
    possible: bool = False
    """Whether the guess may be the code."""
    contradicts: tuple[int, ...] = ()
    """The rows, from 1, that the guess does not fit."""
    groups: int = 0
    largest: int = 0
    expected_guesses: float | None = None
    certainty: str | None = None
    """How sure that number is: proven, upper bound or estimate."""
    contradiction: tuple[int, ...] = ()
    """Where no code fits: the fewest rows that contradict each other."""
    repairs: tuple[RepairOut, ...] = ()


class ReviewedRow(msgspec.Struct, frozen=True, kw_only=True):
    """What one row was worth: codes before and after, and loss and luck in guesses."""

    row: int
    before: int
    after: int
    exact: bool
    bits: float | None
    possible: bool
    contradicts: tuple[int, ...]
    loss: float
    luck: float | None
    best: tuple[int, ...]
    certainty: str


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """What each row was worth, and what the game comes to."""

    rows: tuple[ReviewedRow, ...]
    loss: float
    luck: float
    start: float
    """What a game on this board takes with the best play known."""
    certainty: str
    start_certainty: str
    complete: bool
    """False where time ran out; then loss and luck cover only the rows listed."""

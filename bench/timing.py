"""Whether the time of an answer reveals anything about the secret, by Welch's t as in dudect.

Two secrets that answer a guess alike are used in random order. The slowest tenth of the answers,
which the machine disturbed, is left out. Beyond 4.5 the two could be distinguished. Measured is all
that the server does for a guess except writing it to disk and sending it, which takes far longer
and would hide the rest. `score` alone, timed inside the process, can be distinguished (t of 5 and
45 when tried): comparing equal pegs is quicker by nanoseconds.
"""

from __future__ import annotations

import gc
import math
import random
import statistics
import time
from itertools import product
from typing import TYPE_CHECKING, Final

from bench import Row, bench
from bench.looks import SETTINGS
from keypeg.messages import Update
from keypeg.rules.keypegs import score
from keypeg.rules.series import Seat
from keypeg.server.encoding import as_text, entry_out, options_out, status_out
from keypeg.store.events import Opened, SeatTaken
from keypeg.store.log import Entry
from keypeg.table.commands import Guess, SetSecret
from keypeg.table.decisions import decide
from keypeg.table.state import State, begin, fold
from keypeg.table.view import views

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.rules.code import Code

BOARD: Final = SETTINGS.terms.board
GUESSES: Final = 100_000
SUSPICIOUS: Final = 4.5
KEPT: Final = 0.9


def unlike_pair(guess: Code) -> tuple[Code, Code]:
    """Two secrets with the same answer to `guess`: of the fewest and of the most colours."""
    alike: dict[tuple[int, int], list[Code]] = {}
    for code in product(BOARD.symbols, repeat=BOARD.holes):
        alike.setdefault(score(code, guess), []).append(code)
    widest: list[Code] = max(alike.values(), key=len)
    by_colours = sorted(widest, key=lambda code: len(set(code)))
    return by_colours[0], by_colours[-1]


def table_with(secret: Code) -> State:
    """A table at which this secret is set."""
    sat = tuple(SeatTaken(seat, "Ada", f"{number:064}") for number, seat in enumerate(Seat))
    state = begin("table", Entry(1, 0, None, "open", (Opened(SETTINGS), *sat)))
    return fold(
        state, Entry(2, 0, Seat.ONE, "s", decide(state, Seat.ONE, SetSecret(secret)).events)
    )


def answer(state: State, guess: Code) -> None:
    """All that is done for a guess before it is written, and after."""
    entry = Entry(3, 0, Seat.TWO, "g", decide(state, Seat.TWO, Guess(guess)).events)
    after = fold(state, entry)
    seen, options = views(entry, state)[Seat.TWO], options_out(after, Seat.TWO)
    as_text(Update(0, entry_out(seen), status_out(after, after.due), options))


def measured(secrets: tuple[Code, Code], guess: Code) -> list[list[int]]:
    """Nanoseconds of answering, for each secret."""
    states, rng = [table_with(secret) for secret in secrets], random.Random(1)
    times: list[list[int]] = [[], []]
    gc.disable()
    for _ in range(GUESSES):
        which = rng.getrandbits(1)
        state = states[which]
        began = time.perf_counter_ns()
        answer(state, guess)
        times[which].append(time.perf_counter_ns() - began)
    gc.enable()
    most = sorted(times[0] + times[1])[int(KEPT * GUESSES)]
    return [[each for each in kind if each < most] for kind in times]


def welch(one: list[int], two: list[int]) -> float:
    """The distance of the means, in standard errors."""
    error = statistics.variance(one) / len(one) + statistics.variance(two) / len(two)
    return (statistics.fmean(one) - statistics.fmean(two)) / math.sqrt(error)


@bench
def timing() -> Iterator[Row]:
    """Answers for two secrets that differ as much as possible."""
    for guess in ((1, 1, 2, 2), (1, 2, 3, 4)):
        t = abs(welch(*measured(unlike_pair(guess), guess)))
        name = "".join(map(str, guess))
        yield Row(f"{GUESSES:,} answers to {name}, two secrets", t, SUSPICIOUS, unit="t")

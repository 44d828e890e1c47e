"""`python -m bench secrecy`: G15, that nothing sent or stored depends on a secret.

First, pairs of secrets that answer the same guesses alike: to everybody but the maker, their games
must be the same to the last byte. One pair in four is of keys whose daily codes answer alike, and
one in eight is the story of a race or a duel, told twice with all else different that a reader may
not know. Then one secret is searched for wherever a server writes. Each finished round is a line of
a file, so that a run that was stopped can go on.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bench import Row, rounds
from bench.rounds import total
from harness.leaks import Case, DailyCase, cases, daily_cases, scan
from harness.match_leaks import MatchCase, match_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bench.rounds import Note

PROMISED: Final = 100_000
ROUND: Final = 1_000
DAILY_SHARE: Final = 4
"""There is one case with two daily codes for this many cases."""
MATCH_SHARE: Final = 8
"""There is one case of a race or a duel for this many cases."""


def main(arguments: list[str], write: Callable[[str, Iterable[Row]], None]) -> None:
    """Try the remaining cases, search for the canary, and write the results."""
    options = _options(arguments)
    rounds.heed_signals()
    try:
        rows = [*_rows(_rounds(options.cases, options.state))]
    except KeyboardInterrupt:
        sys.exit(rounds.stopped(options.state))
    if options.write:
        write("secrecy", rows)
    for row in rows:
        print(f"  {row.what}: {row.value:,.0f} {'met' if row.met else 'NOT MET'}")
    if any(row.within and not row.met for row in rows):
        sys.exit(1)


def _options(arguments: list[str]) -> Any:
    parser = argparse.ArgumentParser(prog="python -m bench secrecy", description=__doc__)
    parser.add_argument("--cases", type=int, default=PROMISED)
    parser.add_argument("--state", type=Path, default=Path("secrecy.jsonl"))
    parser.add_argument("--no-write", dest="write", action="store_false")
    return parser.parse_args(arguments)


def _rounds(wanted: int, state: Path) -> list[Note]:
    done = rounds.read(state)
    if total(done, "cases") >= wanted:
        # That run is finished; this is another.
        state.unlink(missing_ok=True)
        done = []
    while (left := wanted - total(done, "cases")) > 0:
        done.append(_round(len(done), min(left, ROUND)))
        rounds.add(state, done[-1])
        minutes = (left - done[-1]["cases"]) * done[-1]["seconds"] / done[-1]["cases"] / 60
        print(f"{total(done, 'cases'):,} cases, {minutes:.1f} minutes to go", flush=True)
    return done


def _round(number: int, count: int) -> Note:
    """Try `count` cases, always the same for the same number."""
    began, leaks = time.monotonic(), 0
    daily = islice(daily_cases(random.Random(number)), count // DAILY_SHARE)
    matches = islice(match_cases(random.Random(number)), count // MATCH_SHARE)
    others = count // DAILY_SHARE + count // MATCH_SHARE
    tables = islice(cases(random.Random(number)), count - others)
    pairs: Iterable[Case | DailyCase | MatchCase] = chain(tables, daily, matches)
    for case in pairs:
        if case.leaks:
            leaks += 1
            print(f"LEAK: {case}", flush=True)
    seconds = round(time.monotonic() - began, 2)
    return {"round": number, "cases": count, "leaks": leaks, "seconds": seconds}


def _rows(done: list[Note]) -> Iterator[Row]:
    tried, leaks = total(done, "cases"), total(done, "leaks")
    yield Row("G15: non-interference cases", tried, PROMISED, within=False, unit="cases")
    yield Row(f"G15: secret leaks in {tried:,} non-interference cases", leaks, 0, unit="leaks")
    with tempfile.TemporaryDirectory(prefix="keypeg-secrecy-") as folder:
        found = asyncio.run(scan(Path(folder)))
    for place, what in found.items():
        if what:
            print(f"LEAK: {what} in {place}", flush=True)
    where = f"G15: places with a canary secret before its reveal, of {len(found)} looked through"
    yield Row(where, sum(map(bool, found.values())), 0, unit="places")

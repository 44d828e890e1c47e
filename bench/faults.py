"""`python -m bench faults`: every fault once, then kills until there are enough kills and moves.

    python -m bench faults          1,000 kills and a million acknowledged moves
    python -m bench faults servers  four servers through every fault, 100,000 moves at 500 tables
    python -m bench faults races    100,000 moves against the ends of their turns, simulated

Each finished round is a line of a file, so that a run that was stopped can go on. A broken
promise ends the run, names its round, and leaves the round's folder to look at.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import uvloop

from bench import Row, rounds
from bench.rounds import total
from harness.checker import Violation
from harness.clients.light import raise_limits
from harness.faults.four_servers import four_servers
from harness.faults.library import Impossible
from harness.faults.races import race
from harness.faults.rounds import Size, Tally
from harness.faults.scenarios import SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from bench.rounds import Note
    from harness.faults.rounds import Scenario


KILLS: Final = ("kills-on-sqlite",) * 7 + ("kills-on-postgresql",)
"""What is repeated once every fault was tried."""
SIZES: Final = {
    "kills-on-sqlite": Size(15, 15_000, 40),
    "kills-on-postgresql": Size(15, 15_000, 40),
    "kills-at-matches": Size(15, 3_000, 20),
    "kills-in-a-contest": Size(15, 10_000, 40),
    "four-servers": Size(20, 2_000, 40),
    "full-disk": Size(2, 40, 4),
    "failing-disk": Size(4, 80, 4),
    "bad-weather": Size(1, 1_000, 12),
    "turned-clock": Size(5, 5),
    "synced-before-told": Size(1, 300, 6),
    "power-cuts": Size(10, 5_000, 40),
}
ON_DISK: Final = 20
"""One race in this many is on SQLite, where each takes ten times as long."""
SERVERS: Final = Size(60, 100_000, 500)


def main(arguments: list[str], write: Callable[[str, Iterable[Row]], None]) -> None:
    """Run rounds, print each, and write the sum into the results."""
    options = _options(arguments)
    raise_limits()
    rounds.heed_signals()  # so that databases are stopped as well
    rows = _watched(RUNS[options.what], options)
    name = {"kills": "faults"}.get(options.what, f"faults-{options.what}")
    try:
        if options.write:
            write(name, rows)
        else:
            for row in rows:
                print(f"  {row.what}: {row.value:,.0f} {'met' if row.met else 'NOT MET'}")
    except KeyboardInterrupt:
        sys.exit(rounds.stopped(options.state))
    if options.broken:
        sys.exit(1)


def _watched(run: Callable[[Any], Iterator[Row]], options: Any) -> Iterator[Row]:
    """The rows of a run, noting whether anything that must never happen did."""
    options.broken = False
    for row in run(options):
        options.broken |= row.within and row.unit != "faults" and not row.met
        yield row


def _options(arguments: list[str]) -> Any:
    parser = argparse.ArgumentParser(
        prog="python -m bench faults",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", nargs="?", choices=RUNS, default="kills")
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--moves", type=int, help="acknowledged moves, or races")
    parser.add_argument("--minutes", type=float, default=600, help="the most that kills may take")
    parser.add_argument("--only", choices=SCENARIOS, action="append", help="these faults alone")
    parser.add_argument("--faults", type=int, default=SERVERS.faults, help="faults in `servers`")
    parser.add_argument("--tables", type=int, default=SERVERS.tables, help="tables in `servers`")
    parser.add_argument("--seed", type=int, default=1, help="of `servers` and `races`")
    parser.add_argument("--state", type=Path, default=Path("faults.jsonl"))
    parser.add_argument("--no-write", dest="write", action="store_false")
    options = parser.parse_args(arguments)
    options.moves = options.moves or (1_000_000 if options.what == "kills" else 100_000)
    return options


def _long_run(options: Any) -> Iterator[Row]:
    done = rounds.read(options.state)
    if any(one["program"] != _program() for one in done):
        sys.exit(
            f"{options.state} is of another program than {_program()}: remove it to begin anew"
        )
    if _enough(done, options):
        # That run is finished; this is another.
        options.state.unlink(missing_ok=True)
        done = []
    deadline = time.monotonic() + 60 * options.minutes
    print(f"until {options.kills:,} kills and {options.moves:,} moves", flush=True)
    while not _enough(done, options) and time.monotonic() < deadline:
        name = _next(len(done), options)
        done.append(_round(len(done), name, SCENARIOS[name], _size(name, done, options)))
        rounds.add(options.state, done[-1])
        _tell(done, options)
        if "violation" in done[-1]:
            break
    yield from _rows(done, options)


def _program() -> str:
    """The commit that is being tried, so that no run is of two programs."""
    command = ["git", "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def _enough(done: list[Note], options: Any) -> bool:
    tried = {one["fault"] for one in done}
    many = total(done, "kills") >= options.kills and total(done, "moves") >= options.moves
    return many and tried >= set(options.only or SCENARIOS)


def _next(number: int, options: Any) -> str:
    """The fault of a round: each in turn, then kills."""
    names = options.only or list(SCENARIOS)
    if options.only or number < len(names):
        return str(names[number % len(names)])
    return KILLS[number % len(KILLS)]


def _size(name: str, done: list[Note], options: Any) -> Size:
    """The usual size; of kills no more than are wanted, with their share of the moves."""
    size = SIZES[name]
    if name not in KILLS:
        return size
    kills = max(1, min(size.faults, options.kills - total(done, "kills")))
    left = max(1, options.kills - total(done, "kills"))
    moves = max(10 * kills, (options.moves - total(done, "moves")) * kills // left)
    return Size(kills, min(moves, 3 * size.moves), size.tables)


def _round(number: int, name: str, scenario: Scenario, size: Size) -> Note:
    folder, began = Path(tempfile.mkdtemp(prefix="keypeg-faults-")), time.monotonic()
    note: Note = {"fault": name, "round": number, "program": _program()}
    try:
        tally = uvloop.run(scenario(folder, random.Random(number), size))
    except Impossible as reason:
        note["impossible"], tally = str(reason), Tally(0, 0, 0)
    except Violation as violation:
        # What else the round did is not counted: its folder is left to look at.
        note |= {"violation": str(violation), "folder": str(folder)}
        tally = Tally(0, 0, *violation.count)
    if "violation" not in note:
        shutil.rmtree(folder)
    return {**note, **tally._asdict(), "seconds": round(time.monotonic() - began, 1)}


def _tell(done: list[Note], options: Any) -> None:
    kills, moves = total(done, "kills"), total(done, "moves")
    seconds = sum(one["seconds"] for one in done)
    share = min(kills / max(1, options.kills), moves / max(1, options.moves))
    left = f", {seconds * (1 / share - 1) / 60:.0f} minutes to go" if 0 < share < 1 else ""
    print(f"{json.dumps(done[-1])}\n  {kills:,} kills, {moves:,} moves{left}", flush=True)


def _rows(done: list[Note], options: Any) -> Iterator[Row]:
    impossible = {one["fault"]: one["impossible"] for one in done if "impossible" in one}
    for fault, reason in impossible.items():
        print(f"not tried: {fault}: {reason}")
    tried = Counter(one["fault"] for one in done if "impossible" not in one)
    kinds = ", ".join(f"{count} {name}" for name, count in tried.items())
    kills, named = total(done, "kills"), total(done, "named")
    yield Row(
        f"G5: kills -9, {named} of them at named points",
        kills,
        options.kills,
        within=False,
        unit="kills",
    )
    yield from _verdict(done, options.moves)
    faults = total(done, "faults")
    yield Row(f"other faults; rounds: {kinds}", faults, 1, within=False, unit="faults")
    yield Row("faults that cannot be made here", len(impossible), 0, unit="faults")


def _verdict(done: list[Note], moves: int) -> Iterator[Row]:
    yield Row("G5: acknowledged moves", total(done, "moves"), moves, within=False, unit="moves")
    for what in ("lost", "doubled"):
        yield Row(f"G5: acknowledged moves {what}", total(done, what), 0, unit="moves")
    broken = [one["violation"] for one in done if "violation" in one]
    for violation in broken:
        print(f"BROKEN: {violation}", flush=True)
    yield Row("rounds in which an invariant did not hold", len(broken), 0, unit="rounds")


def _servers(options: Any) -> Iterator[Row]:
    size = Size(options.faults, options.moves * 10 // 11, options.tables)
    done = [_round(options.seed, "four-servers", four_servers, size)]
    print(json.dumps(done[0]), flush=True)
    yield from _verdict(done, options.moves)
    kills, named = done[0]["kills"], done[0]["named"]
    what = f"kills -9 of one in four servers at {options.tables} tables, {named} at named points"
    yield Row(what, kills, 1, within=False, unit="kills")
    for kind, times in sorted(done[0]["kinds"].items()):
        yield Row(f"faults: {kind}", times, 1, within=False, unit="times")


def _races(options: Any) -> Iterator[Row]:
    durable = options.moves // ON_DISK
    for races, name in ((options.moves - durable, "in memory"), (durable, "on SQLite")):
        found = uvloop.run(race(races, options.seed, durable=name == "on SQLite"))
        for wrong, times in Counter(found.wrongs).most_common(5):
            print(f"{times} times: {wrong}", flush=True)
        won = f"{found.moved:,} won, {found.expired:,} expired"
        late = f"{found.in_time:,} of these received in time but not written within the grace"
        what = f"G16: moves against the end of their turn, {name}; {won}, {late}"
        yield Row(what, found.races, races, within=False, unit="races")
        yield Row("G16: false flags, two winners, differing views", found.wrong, 0, unit="races")


RUNS: Final = {"kills": _long_run, "servers": _servers, "races": _races}
"""What can be run, by the word that follows `faults`."""

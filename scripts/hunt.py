"""Runs `make test` again and again under other conditions, to find what fails now and then.

Each run has an order of its own, shuffled by its seed, and one line of PLAN: processes, busy
loops beside it, and what else is unusual. What came out is added to hunt.jsonl, from which an
interrupted hunt of the same commit goes on; the output of a run that failed is kept beside it.

    .venv/bin/python scripts/hunt.py --runs 10
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "hunt.jsonl"
MOST_SECONDS = 3600
"""A run that takes longer has failed."""
TOO_LONG = 124
"""Its exit status then, as of timeout(1)."""
SLOW_DISK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
static int slowly(const char *name, int file) {
    int (*real)(int) = (int (*)(int)) dlsym(RTLD_NEXT, name);
    usleep(30000);
    return real(file);
}
int fsync(int file) { return slowly("fsync", file); }
int fdatasync(int file) { return slowly("fdatasync", file); }
"""


@dataclass(frozen=True, slots=True)
class Conditions:
    """How the tests are run."""

    processes: int = 4
    busy: int = 0
    """Busy loops beside them."""
    signals_ignored: bool = False
    """SIGINT as for what a script starts in the background, SIGHUP as by nohup."""
    terminal: bool = False
    """Whether standard output is one."""
    slow_disk: bool = False
    """Whether each sync takes 30 ms longer."""

    def __str__(self) -> str:
        unusual = ("signals_ignored", "terminal", "slow_disk")
        words = [name.replace("_", " ") for name in unusual if getattr(self, name)]
        busy = f"{self.busy} busy loops" if self.busy else "quiet"
        return ", ".join([f"{self.processes} processes", busy, *words])


PLAN = (
    Conditions(),
    Conditions(busy=2),
    Conditions(processes=2, signals_ignored=True),
    Conditions(processes=6, busy=2),
    Conditions(processes=3, terminal=True),
    Conditions(busy=2, slow_disk=True),
    Conditions(processes=6),
    Conditions(busy=4),
    Conditions(processes=1),
    Conditions(processes=2, busy=2, signals_ignored=True),
)


@dataclass(frozen=True, slots=True)
class Result:
    """What came out of a run."""

    commit: str
    seed: int
    conditions: str
    minutes: float
    passed: int
    failed: int
    status: int

    def __str__(self) -> str:
        told = f"{self.passed} passed, {self.failed} failed, status {self.status}"
        return f"seed {self.seed}: {self.conditions}: {told}, {self.minutes} min"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=len(PLAN), help="how many in all")
    parser.add_argument(
        "--seed", type=int, default=1, help="the first run's; the next has one more"
    )
    parser.add_argument("--json", action="store_true", help="tell each result as JSON")
    chosen = parser.parse_args()
    for sign in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sign, lambda number, _: sys.exit(128 + number))  # by way of every `finally`
    commit = git("rev-parse", "--short", "HEAD") + ("+" if git("status", "--porcelain") else "")
    if chosen.runs < 1 or chosen.seed < 1:
        parser.error("--runs and --seed are numbers from 1")
    seeds = range(chosen.seed, chosen.seed + chosen.runs)
    # What was found in a changed tree says nothing of the tree as it is now.
    known = [] if commit.endswith("+") else kept()
    done = [result for result in known if result.commit == commit and result.seed in seeds]
    for seed in seeds:
        conditions = PLAN[(seed - 1) % len(PLAN)]
        if seed not in {result.seed for result in done}:
            print(f"seed {seed}: {conditions} ...", file=sys.stderr, flush=True)
            done.append(hunt(commit, seed, conditions))
            tell(done[-1], as_json=chosen.json)
    failures = [result for result in done if result.status]
    print(f"{len(done)} runs, {len(failures)} failed", file=sys.stderr)
    sys.exit(bool(failures))


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def kept() -> Iterator[Result]:
    """What earlier hunts found."""
    lines = KEPT.read_text().splitlines() if KEPT.exists() else []
    for line in lines:
        with contextlib.suppress(ValueError, TypeError):  # a line that was cut off
            yield Result(**json.loads(line))


def tell(result: Result, *, as_json: bool) -> None:
    line = json.dumps(asdict(result))
    with KEPT.open("a") as file:
        file.write(f"{line}\n")
    print(line if as_json else result, flush=True)


def hunt(commit: str, seed: int, conditions: Conditions) -> Result:
    """Run the tests once; the output is kept if they fail."""
    log, began = KEPT.with_name(f"hunt-{seed}.log"), time.monotonic()
    with tempfile.TemporaryDirectory() as folder, busy_loops(conditions.busy):
        environment = {**os.environ, "KEYPEG_TEST_ORDER": str(seed)}
        if conditions.slow_disk:
            environment["LD_PRELOAD"] = slow_disk(Path(folder))
        command = ["make", "test", f"PYTEST=--numprocesses {conditions.processes}"]
        with log.open("wb") as output:
            status = run(command, environment, conditions, output.fileno())
    minutes = round((time.monotonic() - began) / 60, 1)
    said = log.read_text(errors="replace")
    if status == 0:
        log.unlink()
    passed, failed = (
        sum(map(int, re.findall(rf"(\d+) (?:{word})", said))) for word in ("passed", "failed|error")
    )
    return Result(commit, seed, str(conditions), minutes, passed, failed, status)


def run(command: list[str], environment: dict[str, str], conditions: Conditions, log: int) -> int:
    """The exit status of the tests, with all they say in the log."""
    if conditions.signals_ignored:
        command = ["sh", "-c", """trap '' INT HUP; exec "$@" """, "sh", *command]
    ours, theirs = pty.openpty() if conditions.terminal else (None, log)
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=theirs if conditions.terminal else subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    ends = time.monotonic() + MOST_SECONDS
    try:
        if ours is not None:
            os.close(theirs)
            copy(ours, log, ends)
        return process.wait(max(1, ends - time.monotonic()))
    except subprocess.TimeoutExpired:
        return TOO_LONG
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        if ours is not None:
            os.close(ours)


def copy(terminal: int, log: int, ends: float) -> None:
    """Copy what is said on a terminal until nobody holds it any more or it takes too long."""
    waiting = select.poll()
    waiting.register(terminal, select.POLLIN)
    with contextlib.suppress(OSError):  # how Linux says that the other end is closed
        while (left := ends - time.monotonic()) > 0:
            if waiting.poll(1000 * left) and not os.write(log, os.read(terminal, 65536)):
                return


@contextlib.contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Programs that do nothing with all their might."""
    # They end by themselves when nobody is left to end them.
    program = "import os\nwhile os.getppid() != 1: pass"
    loops = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait(10)


def slow_disk(folder: Path) -> str:
    """A library to be loaded before others, with which each sync takes longer."""
    source, library = folder / "slow.c", folder / "slow.so"
    source.write_text(SLOW_DISK)
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True, timeout=60
    )
    return str(library)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("hunt: interrupted; the same command goes on from here")

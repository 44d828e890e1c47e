"""`make atlas`: find what is missing in the atlas, and write the pages made from it.

Whatever is found is kept in bench/atlas/atlas.json at once, so this can be interrupted at any time:
the same command continues from there. What a job could not settle in its processor time is recorded
as it is then, and tried again only if there is more time (--limit). In the end docs/results.md with
its pictures, docs/history.md, and the totals in src/keypeg/web/game/yardsticks.js are written.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Final, NamedTuple

from bench.atlas import jobs
from bench.atlas.boards import GAMES
from bench.atlas.drawings import draw
from bench.atlas.finding import NO_STRATEGY, NOT_SETTLED, Watch
from bench.atlas.history import history
from bench.atlas.page import HISTORY, PAGE, PICTURES, page
from bench.atlas.records import DATA, kept
from bench.atlas.yardsticks import YARDSTICKS, with_totals
from keypeg.rules.errors import KeypegError
from keypeg.solver.warmup import warm
from keypeg.terminal.progress_bars import until_stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bench.atlas.boards import Game
    from bench.atlas.jobs import Job
    from bench.atlas.records import Record

PARTS: Final = {
    "total": jobs.missing_total,
    "bound": jobs.missing_bound,
    "within": jobs.missing_within,
    "certificate": jobs.missing_certificate,
}
"""What there is to find about each board; first the totals of all boards, and so on."""

LIMIT: Final = 120.0
"""Seconds of processor time that a job may take by default."""


class Atlas(NamedTuple):
    """One run: what to do, and whether to stop."""

    games: list[Game]
    parts: list[str]
    limit: float
    again: bool
    as_json: bool
    stopped: Callable[[], bool]
    data: Path = DATA

    def complete(self) -> bool:
        """Find all that is missing; False if a job failed."""
        whole = True
        for part in self.parts:
            for place, game in enumerate(self.games, 1):
                whole &= self._complete(part, game, f"{part} {place}/{len(self.games)}, ")
        return whole

    def _complete(self, part: str, game: Game, place: str) -> bool:
        """Do the jobs of one part for a board."""
        anew = self.again and part == "total"
        record = {} if anew else kept(self.data).get(game.name, {})
        job = self._next(part, game, record)
        while job is not None:
            try:
                record = jobs.carry_out(job, record, self._watch(place + job.name), self.data)
            except KeypegError as error:
                sys.stderr.write(f"{_clear()}{job.name}: {error}\n")
                return False
            sys.stderr.write(_clear())
            print(_as_json(job, record) if self.as_json else place + _as_text(job, record))
            sys.stdout.flush()
            job = self._next(part, game, record)
        return True

    def _next(self, part: str, game: Game, record: Record) -> Job | None:
        return PARTS[part](game, record, self.limit)

    def _watch(self, doing: str) -> Watch:
        return Watch.start(
            self.limit, lambda spent: _show(f"{doing}: {spent:,.0f} s"), self.stopped
        )


def main(arguments: Sequence[str]) -> int:
    """Find what is missing and write the page; the exit status."""
    options = _options(arguments)
    names = options.boards or GAMES
    if unknown := set(names) - set(GAMES):
        sys.stderr.write(f"no board {', '.join(sorted(unknown))}; there are {', '.join(GAMES)}\n")
        return 2
    games = sorted((GAMES[name] for name in names), key=lambda game: game.board.codes)
    with until_stopped() as stop:
        atlas = Atlas(games, options.parts, options.limit, options.again, options.json, stop)
        try:
            warm()
            whole = atlas.complete()
        except KeyboardInterrupt:
            sys.stderr.write(f"{_clear()}stopped; the same command continues from here\n")
            return 128 + (stop.sign or 2)
    records = kept()
    PAGE.write_text(page(records), "utf-8")
    HISTORY.write_text(history(records), "utf-8")
    YARDSTICKS.write_text(with_totals(YARDSTICKS.read_text("utf-8"), records), "utf-8")
    draw(records, PICTURES)
    return int(not whole)


def _as_json(job: Job, record: Record) -> str:
    found = jobs.found(job, record)
    told = {"board": job.game.name, "part": job.part, "within": job.worst, "found": found}
    return json.dumps(told)


def _as_text(job: Job, record: Record) -> str:
    found = jobs.found(job, record)
    if job.part == "certificate":
        made = f"{found['claims']:,} claims, checked" if "claims" in found else "not made in time"
        return f"{job.name}: {made}"
    if job.part == "bound":
        return f"{job.name}: none below {found['lower']:,}, {found['cpu']:,.1f} s"
    if found["status"] in (NO_STRATEGY, NOT_SETTLED):
        return f"{job.name}: {found['status']}, {found['cpu']:,.1f} s"
    return (
        f"{job.name}: {found['total']:,} {found['status']}, worst {found['worst']}, "
        f"{found['cpu']:,.1f} s"
    )


def _show(doing: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"{_clear()}{doing}")


def _clear() -> str:
    return "\r\x1b[K" if sys.stderr.isatty() else ""


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.atlas",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("boards", nargs="*", metavar="BOARD", help="as 4x6 or 4x10n; default: all")
    parser.add_argument(
        "--parts", nargs="+", choices=PARTS, default=list(PARTS), help="default: all of them"
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=LIMIT,
        metavar="SECONDS",
        help=f"processor time that a job may take; default: {LIMIT:.0f}",
    )
    parser.add_argument(
        "--again", action="store_true", help="find totals anew, and what belongs to them"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="a line for each job: board, part, within (guesses a code may take, or null), found",
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

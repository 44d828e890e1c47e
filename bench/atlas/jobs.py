"""What is missing in the atlas, and finding it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bench.atlas.boards import MOST_CODES, books
from bench.atlas.finding import find_certificate, find_total
from bench.atlas.records import DATA, keep, least_worst
from keypeg.solver.books.book import read_book
from keypeg.solver.certificates.checker import MOST_HOLES

if TYPE_CHECKING:
    from pathlib import Path

    from bench.atlas.boards import Game
    from bench.atlas.finding import Watch
    from bench.atlas.records import Record

CERTIFIED: Final = 4096
"""Every total that is proven on a board with up to this many codes gets a certificate."""


class Job(NamedTuple):
    """One thing to find about a board."""

    game: Game
    part: str
    """`total`, `within` or `certificate`"""
    worst: int | None = None

    @property
    def name(self) -> str:
        limited = "" if self.worst is None else f" within {self.worst}"
        return f"{self.game.name}{limited}" + (", certificate" * (self.part == "certificate"))


def missing_total(game: Game, record: Record, limit: float) -> Job | None:
    """The total, if there is none, or one that is no longer up to date."""
    if not game.how:
        return None
    if record and game.name in books():
        least = read_book(books()[game.name]).claim.total
        if least < record["total"] or (game.how == "book" and least != record["total"]):
            return Job(game, "total")
    return Job(game, "total") if _open(record, limit) else None


def missing_within(game: Game, record: Record, limit: float) -> Job | None:
    """The next worst case to try: one less than the least that was found."""
    if game.how != "prove" or "total" not in record or game.board.codes > MOST_CODES:
        return None
    best, settled = least_worst(record)
    if settled:
        return None
    worst = best["worst"] - 1
    tried = record.get("within", {}).get(str(worst), {})
    return Job(game, "within", worst) if _open(tried, limit) else None


def missing_certificate(game: Game, record: Record, limit: float) -> Job | None:
    """The certificate of the total, or of one within a limit."""
    if game.board.codes > CERTIFIED or game.board.holes > MOST_HOLES:
        return None
    within = {int(worst): found for worst, found in record.get("within", {}).items()}
    for worst, found in ((None, record), *within.items()):
        if found.get("status") == "proven" and _open(found.get("certificate", {}), limit):
            return Job(game, "certificate", worst)
    return None


def _open(found: dict[str, Any], limit: float) -> bool:
    """Whether nothing was found yet, or only for want of time that there is now."""
    return not found or found.get("limit", limit) < limit


def carry_out(job: Job, record: Record, watch: Watch, file: Path = DATA) -> Record:
    """Do a job and keep what it found; the board's record after that."""
    game, worst = job.game, job.worst
    if job.part != "certificate":
        found = find_total(game, worst, watch)
    else:
        of = record if worst is None else record["within"][str(worst)]
        found = {**of, "certificate": find_certificate(game, worst, of["total"], watch)}
    if worst is None:
        return keep(game.name, lambda _: found, file)
    return keep(game.name, lambda old: _with_limited(old, worst, found), file)


def _with_limited(record: Record, worst: int, found: Record) -> Record:
    return {**record, "within": {**record.get("within", {}), str(worst): found}}


def found(job: Job, record: Record) -> Record:
    """What a job has found, from its board's record."""
    of = record if job.worst is None else record["within"][str(job.worst)]
    if job.part == "certificate":
        return dict(of["certificate"])
    return {name: value for name, value in of.items() if name not in ("within", "certificate")}

"""What is missing in the atlas, and finding it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bench.atlas.boards import MOST_CODES, books, certificates
from bench.atlas.finding import (
    PROVEN,
    UPPER_BOUND,
    command,
    find_bound,
    find_certificate,
    find_total,
)
from bench.atlas.records import DATA, keep, least_worst
from keypeg.solver.books.book import read_book
from keypeg.solver.certificates.checker import MOST_HOLES
from keypeg.solver.exact.engine import MOST_CODES as SEARCHED

if TYPE_CHECKING:
    from pathlib import Path

    from bench.atlas.boards import Game
    from bench.atlas.finding import Watch
    from bench.atlas.records import Record

CERTIFIED: Final = 4096
"""Every total that is proven on a board with up to this many codes gets a certificate."""


PARTS_OF_ITS_OWN: Final = ("bound", "certificate")
"""Parts that are found for a total that is there."""


class Job(NamedTuple):
    """One thing to find about a board."""

    game: Game
    part: str
    """`total`, `bound`, `within` or `certificate`"""
    worst: int | None = None

    @property
    def name(self) -> str:
        limited = "" if self.worst is None else f" within {self.worst}"
        return f"{self.game.name}{limited}" + (
            f", {self.part}" if self.part in PARTS_OF_ITS_OWN else ""
        )


def missing_total(game: Game, record: Record, limit: float) -> Job | None:
    """The total, if there is none, or one that is no longer up to date."""
    if not game.how:
        return None
    if not record or _behind_book(game, record):
        return Job(game, "total")
    if record["command"] != command(game):
        tried = record.get("limit", 0)
    else:  # without a limit it would be the same with more time
        tried = limit if record["status"] == PROVEN else record.get("limit", limit)
    return Job(game, "total") if tried < limit else None


def _behind_book(game: Game, record: Record) -> bool:
    """Whether a record is not that of the book that comes with keypeg."""
    if game.name not in books():
        return False
    least = read_book(books()[game.name]).claim.total
    return least < record["total"] or (game.how == "book" and least != record["total"])


def missing_bound(game: Game, record: Record, limit: float) -> Job | None:
    """How low a total can be that is not proven, unless a shipped certificate says it."""
    if game.how not in ("prove", "book") or game.board.codes > SEARCHED:
        return None
    if game.name in certificates():
        return None
    wanted = record.get("status") == UPPER_BOUND and _open(record.get("bound", {}), limit)
    return Job(game, "bound") if wanted else None


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
        if found.get("status") == PROVEN and _open(found.get("certificate", {}), limit):
            return Job(game, "certificate", worst)
    return None


def _open(found: dict[str, Any], limit: float) -> bool:
    """Whether nothing was found yet, or only for want of time that there is now."""
    return not found or found.get("limit", limit) < limit


def carry_out(job: Job, record: Record, watch: Watch, file: Path = DATA) -> Record:
    """Do a job and keep what it found; the board's record after that.

    What another run has found about the board meanwhile is kept too.
    """
    game, worst = job.game, job.worst
    if job.part == "bound":
        bound = find_bound(game, record["total"], watch)
        return keep(game.name, lambda old: _bounded(old, bound), file)
    if job.part == "total":
        found = find_total(game, worst, watch)
        anew = not record  # then what belonged to the old total is left out
        return keep(game.name, lambda old: _renewed({} if anew else old, found, watch.limit), file)
    if job.part == "within":
        limited = find_total(game, worst, watch)
        return keep(game.name, lambda old: _with_limited(old, worst, limited), file)
    of = record if worst is None else record["within"][str(worst)]
    made = {"certificate": find_certificate(game, worst, of["total"], watch)}
    if worst is None:
        return keep(game.name, lambda old: {**old, **made}, file)
    return keep(
        game.name,
        lambda old: _with_limited(old, worst, {**old["within"][str(worst)], **made}),
        file,
    )


def _with_limited(record: Record, worst: int | None, found: Record) -> Record:
    return {**record, "within": {**record.get("within", {}), str(worst): found}}


def _renewed(record: Record, found: Record, limit: float) -> Record:
    """The new record of a total, which must not be worse than the one that was there."""
    if record.get("status") == PROVEN != found["status"]:
        return {**record, "limit": limit}
    if record.get("total") != found.get("total"):
        return found
    parts = ("within", *PARTS_OF_ITS_OWN)
    return {**found, **{part: record[part] for part in parts if part in record}}


def _bounded(record: Record, bound: Record) -> Record:
    """A record with a lower bound; its total is proven if that is the same."""
    if bound["lower"] == record["total"]:
        record = {**record, "status": PROVEN}
    lower = max(bound["lower"], record.get("lower") or 0)
    return {**record, "lower": lower, "bound": bound}


def found(job: Job, record: Record) -> Record:
    """What a job has found, from its board's record."""
    of = record if job.worst is None else record["within"][str(job.worst)]
    if job.part in PARTS_OF_ITS_OWN:
        return dict(of[job.part])
    apart = ("within", *PARTS_OF_ITS_OWN)
    return {name: value for name, value in of.items() if name not in apart}

"""Finds what the atlas says of a board: totals and certificates, each for a limited time.

What is found is what the commands in the records find; it is found here, without starting them,
so that a time is that of the search alone.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from bench.__main__ import cpu
from bench.atlas.boards import TRIES, books, certificates
from keypeg.files import atomic_file
from keypeg.rules.code import format_code, parse_code
from keypeg.solver.books.book import read_book
from keypeg.solver.books.build import best_known
from keypeg.solver.books.verifier import verify
from keypeg.solver.certificates.checker import check, read_file, write
from keypeg.solver.certificates.writer import certify
from keypeg.solver.exact.engine import Engine, TooLarge
from keypeg.solver.exact.lower_bounds import Bounds, find_lower_bound
from keypeg.solver.exact.search import NoStrategy, engine_at, prove_with
from keypeg.solver.gpu.evaluation import evaluate_on_gpu
from keypeg.solver.playing.strategies import evaluate
from keypeg.solver.progress import Cancelled

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.atlas.boards import Game
    from keypeg.solver.certificates.checker import Certificate
    from keypeg.solver.exact.search import Proof

Found = dict[str, Any]

CERTIFICATES: Final = Path(__file__).parents[2] / "build" / "certificates"
"""Where certificates are made. Those that do not come with keypeg are not in the repository."""

PROVEN, UPPER_BOUND = "proven", "upper bound"
NO_STRATEGY, NOT_SETTLED = "no strategy", "not settled"
"""What a record may say of a total. The last two are for limits on the guesses of a code."""


class Watch(NamedTuple):
    """Processor time: how much a job may take, and whom to tell how much it has taken."""

    limit: float
    report: Callable[[float], None]
    stopped: Callable[[], bool]
    began: float

    @classmethod
    def start(
        cls, limit: float, report: Callable[[float], None], stopped: Callable[[], bool]
    ) -> Watch:
        """A watch that begins now."""
        return cls(limit, report, stopped, time.process_time())

    @property
    def spent(self) -> float:
        """Seconds so far."""
        return time.process_time() - self.began

    def over(self) -> bool:
        """Report the time; whether the job has to end. An interruption is raised."""
        self.report(self.spent)
        if self.stopped():
            raise KeyboardInterrupt
        return self.spent > self.limit

    def tick(self, *_: object) -> None:
        """The same, for what has no limit."""
        self.over()


def command(game: Game, worst: int | None = None) -> str:
    """What finds the total of a board, or the least of at most `worst` guesses a code."""
    if game.how == "book":
        return f"keypeg book verify {books()[game.name].stem}"
    if game.how in ("tree", "gpu"):
        tries = f" --tries {TRIES[game.name]}" if game.name in TRIES else ""
        gpu = f" --gpu{tries}" if game.how == "gpu" else ""
        first = f" --first {game.first}" if game.first else ""
        return f"keypeg evaluate --board {game.name}{first}{gpu}"
    within = "" if worst is None else f" --worst {worst}"
    return f"keypeg prove --board {game.name} --threads 1{within}"


def find_total(game: Game, worst: int | None, watch: Watch) -> Found:
    """The record of a total."""
    find = {"book": _of_book, "tree": _of_tree, "gpu": _of_tree}.get(game.how)
    found = _of_proof(game, worst, watch) if find is None else find(game, watch)
    spent = {"cpu": round(watch.spent, 2), "machine": cpu()}
    return {"command": command(game, worst), **found, **spent}


def _of_proof(game: Game, worst: int | None, watch: Watch) -> Found:
    try:
        with engine_at(None, game.board, worst, threads=1) as engine:
            return _of_search(engine, _proof(engine, game, worst, watch), watch)
    except NoStrategy:
        return {"status": NO_STRATEGY}


def _proof(engine: Engine, game: Game, worst: int | None, watch: Watch) -> Proof | None:
    """The best strategy, begun with the shipped book; None if it took too long to find any."""
    try:
        known = best_known(game.board, worst)
        return prove_with(engine, cancelled=watch.over, known=known)
    except Cancelled:
        return None


def _of_search(engine: Engine, proof: Proof | None, watch: Watch) -> Found:
    limit = {"limit": watch.limit}
    if proof is None:
        return {"status": NOT_SETTLED, "lower": engine.lower_bound(), **limit}
    return {
        "status": PROVEN if proof.proven else UPPER_BOUND,
        **_numbers(proof.total, proof.tree.distribution),
        "lower": proof.lower,
        "first": format_code(proof.first, proof.board),
        "nodes": proof.nodes,
        **({} if proof.proven else limit),
    }


def _of_tree(game: Game, watch: Watch) -> Found:
    first = parse_code(game.first, game.board) if game.first else None
    if game.how == "gpu":
        tries = TRIES.get(game.name)
        found = evaluate_on_gpu(game.board, "learned", first, watch.tick, tries=tries)
    else:
        found = evaluate(game.board, "learned", first, watch.tick)
    return {
        "status": UPPER_BOUND,
        **_numbers(found.total, found.distribution),
        "first": format_code(found.first, game.board),
    }


def _of_book(game: Game, _watch: Watch) -> Found:
    file = books()[game.name]
    found, book = verify(file), read_book(file)
    first = book.guess()
    assert first is not None, "a book begins with a guess"
    return {
        "status": book.claim.status,
        **_numbers(found.total, dict(enumerate(found.distribution, 1))),
        **({"lower": found.total} if book.claim.proven else {}),
        "first": format_code(first, book.board),
    }


def _numbers(total: int, distribution: dict[int, int]) -> Found:
    worst = max(distribution)
    many = [distribution.get(guess, 0) for guess in range(1, worst + 1)]
    return {"total": total, "worst": worst, "distribution": many}


def find_certificate(game: Game, worst: int | None, total: int, watch: Watch) -> Found:
    """Make the certificate of a proven total and check it; the shipped one is only checked."""
    file, made = certificates().get(game.name) if worst is None else None, None
    if file is None:
        file = (
            CERTIFICATES / f"{game.name}{'' if worst is None else f'-within-{worst}'}.certificate"
        )
        try:
            _make(game, worst, total, file, watch)
        except Cancelled:
            return {"limit": watch.limit}
        made = round(watch.spent, 2)
    watch = Watch.start(watch.limit, watch.report, watch.stopped)
    certificate = read_file(file)
    if check(certificate, 1, watch.tick) != total:
        raise TooLarge(f"{file} is about a total of {certificate.bound:,}, not of {total:,}")
    return {
        "claims": len(certificate.bounds),
        "bytes": file.stat().st_size,
        "made": made,
        "checked": round(watch.spent, 2),
        "machine": cpu(),
    }


def _make(game: Game, worst: int | None, total: int, file: Path, watch: Watch) -> None:
    make = _by_bounds if worst is None else _by_proof
    certificate = make(game, worst, total, watch)
    file.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(file, replace=True, mode=0o644) as temporary:
        temporary.write_bytes(write(certificate))


def _by_bounds(game: Game, _worst: int | None, total: int, watch: Watch) -> Certificate:
    """What the search for a lower bound shows needs fewer claims than what a proof does."""
    engine = Engine(game.board, threads=1)
    bounds = Bounds(engine, watch.over)
    if find_lower_bound(bounds, total).total < total:
        raise Cancelled("the bound takes too long")
    return certify(engine, total, cancelled=watch.over, bounds=bounds)


def _by_proof(game: Game, worst: int | None, total: int, watch: Watch) -> Certificate:
    with engine_at(None, game.board, worst, threads=1) as engine:
        if (proof := _proof(engine, game, worst, watch)) is None or not proof.proven:
            raise Cancelled("the proof takes too long")
        return certify(engine, total, cancelled=watch.over)


def find_bound(game: Game, total: int, watch: Watch) -> Found:
    """A number that no strategy is below: the total, if that is found to be the least."""
    bounds = Bounds(Engine(game.board, threads=1), watch.over)
    lower = find_lower_bound(bounds, total).total
    return {
        "command": f"keypeg bound --board {game.name} --at-least {total} --threads 1",
        "lower": lower,
        **({"limit": watch.limit} if lower < total else {}),
        "cpu": round(watch.spent, 2),
        "machine": cpu(),
    }

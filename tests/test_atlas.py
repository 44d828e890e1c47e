"""What the documents say of boards and books is what was found, and adds up."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from bench import __main__ as measurements
from bench.atlas import jobs
from bench.atlas.__main__ import PARTS, Atlas, main
from bench.atlas.boards import (
    GAMES,
    MOST_CODES,
    PUBLISHED_WITHIN,
    books,
    certificates,
    name_of,
)
from bench.atlas.drawings import expected_left, levels, shelf
from bench.atlas.finding import find_certificate
from bench.atlas.history import history
from bench.atlas.jobs import CERTIFIED
from bench.atlas.page import HISTORY, PAGE, page, row
from bench.atlas.records import DATA, keep, kept, least_worst
from keypeg.rules.board import Board
from keypeg.solver.books.book import read_book, shipped
from keypeg.solver.certificates.checker import read_file
from keypeg.solver.codes.codespace import Answers
from keypeg.solver.exact.bounds import most_codes
from keypeg.solver.reference import codes, least

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RECORDS = kept()
PROVEN = {name: record for name, record in RECORDS.items() if record["status"] == "proven"}
KEPT = DATA.with_name("certificates")
BOOKS = (PAGE.parent / "books.md").read_text("utf-8")


def strategies() -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Every strategy that was found: its board, the guesses it may take, and its record."""
    for name, record in RECORDS.items():
        limited = {int(worst): found for worst, found in record.get("within", {}).items()}
        for worst, found in ((99, record), *limited.items()):
            if "total" in found:
                yield name, worst, found


def test_the_page_is_made_from_the_records() -> None:
    assert PAGE.read_text("utf-8") == page(RECORDS)


def test_the_atlas_has_every_small_board() -> None:
    assert len([game for game in GAMES.values() if game.board.codes <= MOST_CODES]) == 116
    assert {"2x2", "2x2n", "3x20n", "4x10", "5x8n", "7x7n", "8x3", "13x2"} <= set(GAMES)
    assert all(name == name_of(game.board) for name, game in GAMES.items())


def test_every_distribution_adds_up() -> None:
    for name, worst, found in strategies():
        many = found["distribution"]
        assert sum(many) == GAMES[name].board.codes, name
        assert sum(guesses * codes for guesses, codes in enumerate(many, 1)) == found["total"], name
        assert found["worst"] == len(many) <= worst, name
        assert many[-1] > 0, name


def test_bounds_and_totals_agree() -> None:
    for name, worst, found in strategies():
        lower = found.get("lower") or 0
        assert lower <= found["total"], name
        assert (lower == found["total"]) == (found["status"] == "proven"), (name, worst)
        if name in PROVEN:
            assert found["total"] >= PROVEN[name]["total"], (name, worst)


def test_the_least_worst_case_is_not_below_what_sizes_allow() -> None:
    for name, record in RECORDS.items():
        best, _ = least_worst(record)
        answers = Answers(GAMES[name].board.holes).solved
        assert most_codes(answers, best["worst"]) >= GAMES[name].board.codes, name


def test_the_smallest_boards_have_what_trying_everything_finds() -> None:
    small = [game for game in GAMES.values() if game.board.codes <= 16]
    assert len(small) > 8
    for game in small:
        assert RECORDS[game.name]["total"] == least(game.board, codes(game.board)), game.name


def test_what_was_proven_before_is_proven_again_with_the_same_total() -> None:
    before = {name: game.published for name, game in GAMES.items() if game.published}
    proven = {name: published for name, published in before.items() if published.proven}
    assert len(proven) > 30
    assert {name: PROVEN[name]["total"] for name in proven} == {
        name: published.total for name, published in proven.items()
    }
    for (name, worst), published in PUBLISHED_WITHIN.items():
        within = RECORDS[name]["within"][str(worst)]
        assert (within["total"], within["status"]) == (published.total, "proven")


def test_records_of_shipped_books_are_those_of_the_books() -> None:
    for name, file in books().items():
        claim = read_book(file).claim
        assert (RECORDS[name]["total"], RECORDS[name]["status"]) == (claim.total, claim.status)


def test_the_page_has_what_the_shipped_certificates_say() -> None:
    assert {"4x6", "5x8"} <= set(certificates())
    for name, file in certificates().items():
        certificate, record = read_file(file), RECORDS[name]
        cells = row(GAMES[name], record)
        if certificate.bound == record["total"]:
            size = f"{len(certificate.bounds):,} claims, {file.stat().st_size:,} bytes, "
            assert any(cell.startswith(size) for cell in cells), name
        else:
            assert f"of {certificate.bound:,}" in cells
            assert certificate.bound < record["total"]


def test_only_proven_totals_have_certificates() -> None:
    for name, _, found in strategies():
        if "certificate" in found:
            assert found["status"] == "proven", name
            assert GAMES[name].board.codes <= CERTIFIED, name


def test_the_pictures_count_what_the_books_do() -> None:
    for book in shelf().values():
        wins = [int(won.sum()) for _, won in levels(book)]
        assert sum(row * many for row, many in enumerate(wins, 1)) == book.claim.total
        assert expected_left(book)[0] == book.board.codes
        assert expected_left(book)[-1] == 1


def test_the_table_of_books_is_that_of_the_books() -> None:
    rows = re.findall(r"^\| (\S+) \| ([\d,]+ .*) \| [^|]+ \|$", BOOKS, re.MULTILINE)
    for name, path in shipped().items():
        book = read_book(path)
        codes, claim = book.board.codes, book.claim
        numbers = (f"{codes:,}", f"{claim.total:,}", f"{claim.total / codes:.5f}", str(claim.worst))
        size = f"{path.stat().st_size:,}"
        assert dict(rows)[name] == " | ".join((*numbers, claim.status, size))
    assert len(rows) == len(shipped())


def test_the_page_of_books_cites_the_published_totals() -> None:
    published = {name: game.published.total for name, game in GAMES.items() if game.published}
    best = f"the best published totals were {published['5x6']:,} and {published['5x7']:,}."
    assert best in BOOKS
    advanced = f"{published['5x8']:,} for advanced and {published['5x9']:,} for advanced-blanks"
    assert f"The best published totals before were {advanced} (" in BOOKS


def test_the_history_is_made_from_the_records() -> None:
    assert HISTORY.read_text("utf-8") == history(RECORDS)


def test_the_history_has_every_board_with_its_total() -> None:
    text = history(RECORDS)
    for name, record in RECORDS.items():
        assert re.search(rf"\b{name}\b.*\b{record['total']:,}\b", text), name


def test_measurements_are_of_the_books_and_the_totals_that_there_are() -> None:
    sections = measurements.kept()
    verified = re.findall(r"^\| (\S+): ([\d,]+) verified ", sections["books"], re.MULTILINE)
    assert dict(verified) == {
        name: f"{read_book(path).claim.total:,}" for name, path in shipped().items()
    }
    for name, total in re.findall(r"^\| (\S+): ([\d,]+) proven,", sections["proofs"], re.MULTILINE):
        assert total == f"{RECORDS[name_of(Board.parse(name))]['total']:,}"


def complete(data: Path, *names: str, limit: float = 60, again: bool = False) -> bool:
    games = [GAMES[name] for name in names]
    atlas = Atlas(games, list(PARTS), limit, again, as_json=True, stopped=lambda: False, data=data)
    return atlas.complete()


def test_what_is_missing_is_found_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "atlas.json"
    assert complete(data, "3x3", "2x3n")
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    first = kept(data)
    assert list(first) == ["3x3", "2x3n"]
    assert [(one["board"], one["part"]) for one in told if one["part"] == "total"] == [
        ("3x3", "total"),
        ("2x3n", "total"),
    ]
    for name, record in first.items():
        assert record["total"] == RECORDS[name]["total"]
        assert least_worst(record)[1]
        assert record["certificate"]["claims"] > 0
    assert complete(data, "3x3", "2x3n")
    assert capsys.readouterr().out == ""
    assert kept(data) == first
    keep("3x3", lambda old: {**old, "total": 0}, data)
    assert complete(data, "3x3", again=True)
    assert kept(data)["3x3"]["total"] == first["3x3"]["total"]


def test_runs_at_the_same_time_keep_what_each_has_found(tmp_path: Path) -> None:
    data = tmp_path / "atlas.json"
    names = [f"2x{colours}" for colours in range(2, 14)]

    def found(name: str) -> None:
        keep(name, lambda old: {**old, "total": name}, data)
        keep(name, lambda old: {**old, "bound": name}, data)

    with ThreadPoolExecutor(len(names)) as threads:
        list(threads.map(found, names))
    assert kept(data) == {name: {"total": name, "bound": name} for name in names}


def test_a_job_keeps_what_another_run_finds_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, game, before = tmp_path / "atlas.json", GAMES["3x3"], RECORDS["3x3"]
    keep("3x3", lambda _: {**before, "certificate": {}}, data)

    def slowly(*job: Any) -> dict[str, Any]:
        keep("3x3", lambda old: {**old, "bound": {"lower": 73}}, data)
        return find_certificate(*job)

    monkeypatch.setattr(jobs, "find_certificate", slowly)
    assert Atlas(
        [game], ["certificate"], 60, again=False, as_json=True, stopped=bool, data=data
    ).complete()
    after = kept(data)["3x3"]
    assert after["bound"] == {"lower": 73}
    assert after["certificate"]["claims"] > 0


def test_a_job_that_is_interrupted_costs_nothing_that_was_found(tmp_path: Path) -> None:
    data = tmp_path / "atlas.json"
    assert complete(data, "2x2")
    before = data.read_bytes()
    stopped = Atlas(
        [GAMES["4x4"]], ["total"], 60, again=False, as_json=True, stopped=lambda: True, data=data
    )
    with pytest.raises(KeyboardInterrupt):
        stopped.complete()
    assert data.read_bytes() == before


def test_what_took_too_long_is_tried_again_with_more_time_only(tmp_path: Path) -> None:
    data = tmp_path / "atlas.json"
    assert complete(data, "4x9", limit=0)
    record = kept(data)["4x9"]
    assert record["status"] in ("not settled", "upper bound")
    assert record["limit"] == 0
    assert jobs.missing_total(GAMES["4x9"], record, 0) is None
    assert jobs.missing_total(GAMES["4x9"], record, 1) is not None


@pytest.mark.parametrize(("above", "status"), [(0, "proven"), (1, "upper bound")])
def test_a_bound_proves_a_total_that_it_reaches(above: int, status: str, tmp_path: Path) -> None:
    data, least_total = tmp_path / "atlas.json", RECORDS["3x3"]["total"]
    found = {**RECORDS["3x3"], "status": "upper bound", "total": least_total + above}
    keep("3x3", lambda _: {name: found[name] for name in found if name != "lower"}, data)
    atlas = Atlas(
        [GAMES["3x3"]], ["bound"], 60, again=False, as_json=False, stopped=bool, data=data
    )
    assert atlas.complete()
    record = kept(data)["3x3"]
    assert (record["status"], record["lower"]) == (status, least_total)
    told = "proven" if status == "proven" else f"upper bound, none below {least_total}"
    assert told in row(GAMES["3x3"], record)
    assert record["bound"]["lower"] == least_total


def test_a_better_book_makes_a_record_out_of_date() -> None:
    game, record = GAMES["5x8"], RECORDS["5x8"]
    assert jobs.missing_total(game, record, 0) is None
    worse = {**record, "total": record["total"] + 1}
    assert jobs.missing_total(game, worse, 0) == jobs.Job(game, "total")


def test_a_record_of_another_command_is_renewed_and_never_made_worse(tmp_path: Path) -> None:
    data, game, before = tmp_path / "atlas.json", GAMES["4x9"], RECORDS["4x9"]
    keep("4x9", lambda _: {**before, "status": "proven", "command": "by hand", "limit": 0}, data)
    assert complete(data, "4x9", limit=0)
    assert kept(data)["4x9"]["command"] == "by hand", "0 s are no longer than 0 s"
    assert jobs.missing_total(game, kept(data)["4x9"], 0.01) == jobs.Job(game, "total")
    assert Atlas(
        [game], ["total"], 0.01, again=False, as_json=True, stopped=lambda: False, data=data
    ).complete()
    after = kept(data)["4x9"]
    assert (after["total"], after["status"]) == (before["total"], "proven")
    assert after["limit"] == 0.01
    assert jobs.missing_total(game, after, 0.01) is None


def test_a_board_that_is_not_in_the_atlas_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["4x6", "9x9"]) == 2
    assert "no board 9x9; there are 2x2" in capsys.readouterr().err


def test_bounds_with_a_certificate_in_the_repository_are_what_it_claims() -> None:
    files = sorted(KEPT.glob("*.certificate"))
    assert [file.stem for file in files] == ["5x8"]
    for file in files:
        certificate, record = read_file(file), RECORDS[file.stem]
        bound = record["bound"]
        told = (certificate.bound, len(certificate.bounds), file.stat().st_size)
        assert told == (bound["lower"], bound["claims"], bound["bytes"])
        assert record["lower"] == certificate.bound < record["total"]

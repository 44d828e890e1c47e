"""docs/results.md, made from the records of the atlas."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.atlas.boards import GAMES, MOST_CODES, PUBLISHED_WITHIN, certificates
from bench.atlas.finding import PROVEN
from bench.atlas.history import table
from bench.atlas.jobs import CERTIFIED
from bench.atlas.records import least_worst
from keypeg.solver.certificates.checker import read_file

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.atlas.boards import Game, Published
    from bench.atlas.records import Record

PAGE: Final = Path(__file__).parents[2] / "docs" / "results.md"
HISTORY: Final = PAGE.with_name("history.md")
PICTURES: Final = PAGE.parent / "pictures"

HEAD: Final = """\
# Results: an atlas of Mastermind

This page lists every board of two holes or more with up to {most:,} codes, with and without
repeats, and larger ones for which others have published a total or keypeg has a good strategy.
`make atlas` writes it from [bench/atlas/atlas.json](../bench/atlas/atlas.json), and runs first what
is missing there. A board is written as holes x colours; `n` means without repeats. A blank counts
as a colour: 4x6 is classic, 4x7 classic-blanks, 5x8 advanced, 5x9 advanced-blanks.

{summary}

![A map of all boards: what is proven, and the average number of guesses](pictures/results-map.svg)

- **total**: the number of guesses, the winning guess included, added up over all secrets.
- **average**: the total divided by the number of secrets.
- **status**: **proven** means that no strategy has a lower total. The search proves it; a
  certificate, where there is one, can be checked without the search. **upper bound** means that
  a strategy with this total exists; where it says so, the search has shown that none is below some
  other number.
- **worst**: the most guesses that any secret needs with the strategy of this row.
- **distribution**: how many secrets that strategy finds with the first guess, the second, and so
  on.
- **least worst**: the least number of guesses within which a strategy can find every secret. "≤ 7"
  means that there is a strategy within 7, and that it was not settled in the time given whether
  there is one within 6.
- **total within**: the least total of all strategies within that number; proven, unless it says
  "≤".
- **certificate**: the claims and bytes of the [certificate](certificates.md) of the total, and the
  processor time to check it with one process; "of 80,000" is that of a lower bound, which comes
  with keypeg.
- **time**: the processor time of the search in seconds, on {machine}, with one thread, compiled
  beforehand and without the start of the program. Where a book comes with keypeg, the search begins
  with its strategy. For `book verify` it is the time to verify the book; [books.md](books.md) says
  how long it took to make. With `--gpu`, it is the time on an NVIDIA H200.
- **published**: the best total of others, with its source; in *italics* if it is not proven.
  [history.md](history.md) says who found these records, when and how.

## All boards

"""

AFTER: Final = """
The total of a row is found again by its command; the least worst case by the same command with
`--worst`; the certificate by `keypeg bound --board BOARD --at-least TOTAL --threads 1 --certificate
FILE`, and is checked by `keypeg certificate check --processes 1 FILE`. The bound of a total that is
not proven is the highest of the proof where it was stopped, of `keypeg bound`, and of a
certificate. Others have published totals within a limit too: {within}.

{certificates}

## Average number of guesses

![Average number of guesses by colours and holes](pictures/results-average.svg)

![How many guesses less keypeg needs than the best published](pictures/results-published.svg)

## The advanced boards

![Secrets for each number of guesses, on the advanced boards](pictures/results-guesses.svg)

## How fast the codes run out

![Codes left after each row on the four official boards](pictures/results-left.svg)

How many codes still fit after each row, with the books that come with keypeg, on average over the
secrets that have not been found by then.

## What varies from run to run

With `--threads 1`, as in this table, `keypeg prove` and `keypeg book make` find the same strategy
in every run. By default they search with two threads, and it varies which of them is first. A
proven total is then the same in every run, but the strategy found for it need not be: its
distribution, its first guess and the number of regions searched may differ. A search that ends with
an upper bound may end a few guesses away from the total given here. A book that comes with keypeg
is a file, so its figures do not vary.

## Sources of the published totals

Koyama and Lai, "An optimal Mastermind strategy", Journal of Recreational Mathematics 25 (1993);
Ville, "An optimal Mastermind (4,7) strategy and more results in the expected case" (2013);
Tanaka (1996) for 4x10n; the programs of fancidev, arfst23, mikemag and supermastermind.
"""

COLUMNS: Final = (
    *("board", "codes", "total", "average", "status", "worst", "first guess", "distribution"),
    *("least worst", "total within", "certificate", "time", "command", "published"),
)


def page(records: dict[str, Record]) -> str:
    """The whole page."""
    machine = "; ".join(sorted({record["machine"] for record in records.values()}))
    rows = [row(game, records.get(name)) for name, game in GAMES.items()]
    head = HEAD.format(machine=machine, summary=summary(records), most=MOST_CODES)
    after = AFTER.format(within=published_within(), certificates=certified(records))
    return f"{head}{table(COLUMNS, rows)}\n{after}"


def summary(records: dict[str, Record]) -> str:
    """How much of the atlas is proven."""
    small = [name for name, game in GAMES.items() if game.board.codes <= MOST_CODES]
    proven = [name for name, record in records.items() if _proven(record)]
    settled = [name for name in proven if name in small and least_worst(records[name])[1]]
    larger = [name for name in proven if name not in small]
    more = f" (beyond them, also of {listed(larger)})" if larger else ""
    return (
        f"Of the {len(small)} boards with up to {MOST_CODES:,} codes, the totals of "
        f"{len(proven) - len(larger)} are proven{more},\n"
        f"and the least worst case of {len(settled)} is settled."
    )


def row(game: Game, record: Record | None) -> tuple[str, ...]:
    """A board's row."""
    codes = game.board.codes
    published = "" if game.published is None else published_cell(game.published)
    if record is None or "total" not in record:
        return (game.name, f"{codes:,}", "not run", *[""] * (len(COLUMNS) - 4), published)
    return (
        game.name,
        f"{codes:,}",
        f"**{record['total']:,}**",
        f"{record['total'] / codes:.5f}",
        status_cell(game.name, record),
        str(record["worst"]),
        record["first"],
        " ".join(map(str, record["distribution"])),
        *worst_cells(game, record),
        certificate_cell(game.name, record),
        f"{record['cpu']:,.{2 if record['cpu'] < 10 else 0}f}",
        f"`{record['command']}`",
        published,
    )


def status_cell(name: str, record: Record) -> str:
    """Proven, or what no strategy is below."""
    bound = shipped_bound(name) if name in certificates() else 0
    lower = max(record.get("lower") or 0, bound)
    if _proven(record) or not lower:
        return str(record["status"])
    return f"{record['status']}, none below {lower:,}"


def shipped_bound(name: str) -> int:
    """What the certificate that comes with keypeg for this board shows."""
    return read_file(certificates()[name]).bound


def worst_cells(game: Game, record: Record) -> list[str]:
    """The least worst case, and the least total within it."""
    if game.board.codes > MOST_CODES:
        return ["not run", ""]
    best, settled = least_worst(record)
    worst = f"{best['worst']}" if settled else f"≤ {best['worst']}"
    total = f"{best['total']:,}" if _proven(best) else f"≤ {best['total']:,}"
    return [worst, total]


def certificate_cell(name: str, record: Record) -> str:
    """The claims, the bytes and the time to check."""
    made = record.get("certificate", {})
    if "claims" in made:
        return f"{made['claims']:,} claims, {made['bytes']:,} bytes, {made['checked']:,.1f} s"
    return f"of {shipped_bound(name):,}" if name in certificates() else ""


def published_cell(published: Published) -> str:
    """A published total, for a cell of the table."""
    total = f"{published.total:,}" if published.proven else f"*{published.total:,}*"
    worst = "" if published.worst is None else f", worst {published.worst}"
    return f"{total}{worst} ({published.who})"


def published_within() -> str:
    """The published totals within a limit, in words."""
    return listed(
        f"{published.total:,} for {name} within {worst} ({published.who})"
        for (name, worst), published in PUBLISHED_WITHIN.items()
    )


def certified(records: dict[str, Record]) -> str:
    """Which totals have certificates, and which have none."""
    proven = [
        name
        for name, record in records.items()
        if _proven(record) and GAMES[name].board.codes <= CERTIFIED
    ]
    without = [name for name in proven if not certificate_cell(name, records[name])]
    have = len(proven) - len(without)
    told = (
        f"Of the {len(proven)} proven totals of boards with up to {CERTIFIED:,} codes, {have} have "
        "a certificate that was made and checked."
    )
    return told + (f" There is none for {listed(without)}." if without else "")


def listed(words: Iterable[str]) -> str:
    """Words as a list in a sentence."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _proven(record: Record | None) -> bool:
    return record is not None and record["status"] == PROVEN

"""docs/history.md: who found the best total of each board before keypeg, when and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bench.atlas.boards import GAMES
from bench.atlas.finding import PROVEN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.atlas.boards import Published
    from bench.atlas.records import Record

TEXT: Final = """\
# The history of the totals

Who found the least number of guesses on each board, when and how. `make atlas` writes this page
from the same data as [results.md](results.md), which explains the words. A total counts the guesses
for all secrets together, the winning guess included.

## When and how

{found}

Times are processor times on the machine that measured keypeg. fancidev's program also proves the
totals of two boards for which we know of no publication: 17,281 for 6x4 in 73 s, and 12,305 for
5x7n in 75 s. keypeg finds the same. On 4x9 that program did not end within 1,620 s.

## Board by board

The boards for which others have published a total. keypeg's is in **bold** where it is below that.

{boards}

## The other boards

For the other boards of the atlas we know of no published totals. keypeg has found these; "≤" is an
upper bound, the others are proven: {others}.
"""

FOUND: Final = (
    (
        "1993",
        "Koyama and Lai",
        "4x6: 5,625 is the least total, and 5,626 within 5 guesses",
        "a search, published in the Journal of Recreational Mathematics 25",
    ),
    ("1996", "Tanaka", "4x10n: 26,274 is the least total", "a proof"),
    (
        "2013",
        "Ville",
        "4x7: 11,228 is the least total",
        '"An optimal Mastermind (4,7) strategy and more results in the expected case"',
    ),
    (
        "no date known",
        "fancidev, a program in C++",
        "proofs for 31 small boards; the best published totals of 4x9, 4x10, 5x6 and 6x6",
        "branch and bound, 4x6 in 0.13 s and 4x7 in 21.7 s; one step ahead by entropy",
    ),
    (
        "no date known",
        "arfst23, a program",
        "proofs for 4x6, 4x7, 4x8 and 4x5n to 4x10n, and within 6 guesses on 4x8",
        "exact search, 4x6 in 0.58 s and 4x7 in 326 s",
    ),
    (
        "no date known",
        "mikemag, a program in C++ and CUDA",
        "the best published totals of large boards, up to 8x8",
        "one step ahead, on a graphics processor",
    ),
    (
        "no date known",
        "supermastermind",
        "5x8: 179,274; 179,929 if every guess may be the code",
        "guesses that cannot be the code are allowed as the second guess only",
    ),
    ("2026", "keypeg", "the totals below", "the last column says how"),
)
"""When the totals were found, by whom, which, and how."""

HOW: Final = {
    "keypeg prove": "exact search",
    "keypeg book verify": "beam search, in a book that comes with keypeg",
    "keypeg book make": "beam search",
    "keypeg evaluate": "one step ahead",
}
"""How a command finds a strategy, by its first words."""


def history(records: dict[str, Record]) -> str:
    """The whole page."""
    boards = [
        row(game.name, game.published, records.get(game.name, {}))
        for game in GAMES.values()
        if game.published is not None
    ]
    others = [
        f"{name} {'' if records[name]['status'] == PROVEN else '≤ '}{records[name]['total']:,}"
        for name, game in GAMES.items()
        if game.published is None and "total" in records.get(name, {})
    ]
    head = ("board", "published before", "by", "keypeg", "worst", "status", "how")
    return TEXT.format(
        found=table(("when", "who", "what", "how"), FOUND),
        boards=table(head, boards),
        others=", ".join(others),
    )


def row(name: str, before: Published, record: Record) -> tuple[str, ...]:
    """The two records of a board that had one before."""
    earlier = f"{before.total:,}" if before.proven else f"{before.total:,}, not proven"
    if "total" not in record:
        return (name, earlier, before.who, "not run", "", "", "")
    how = way(record)
    if "claims" in record.get("certificate", {}):
        how += ", with a certificate"
    total = f"{record['total']:,}"
    total = f"**{total}**" if record["total"] < before.total else total
    return (name, earlier, before.who, total, str(record["worst"]), record["status"], how)


def way(record: Record) -> str:
    """How the strategy of a record was found."""
    command = record["command"]
    if record["status"] == PROVEN:
        return HOW["keypeg prove"]
    found = next(how for words, how in HOW.items() if command.startswith(words))
    return found + (", on a graphics processor" if "--gpu" in command else "")


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = (head, ("---",) * len(head), *rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)

"""What keypeg finds on every game with a published total: docs/results.md.

`python -m bench.records` runs the commands of all games that have no record yet and writes the
page; `python -m bench.records 4x7 5x5` runs those two again first. Only the published totals are
typed by hand; they are listed here with their sources.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.__main__ import cpu
from bench.drawings import Point, draw
from keypeg.rules.board import Board
from keypeg.solver.books.book import book_file

RECORDS: Final = Path(__file__).with_name("records.json")
PAGE: Final = Path(__file__).parents[1] / "docs" / "results.md"
PICTURES: Final = PAGE.parent / "pictures"


class Published(NamedTuple):
    """The best total that others have published."""

    total: int
    worst: int | None
    who: str
    proven: bool = True


FANCIDEV: Final = "fancidev"
BOTH: Final = "fancidev, arfst23"
MIKEMAG: Final = "mikemag"


class Game(NamedTuple):
    """A board, perhaps with a limit on guesses, and the command that we run for it."""

    board: str
    how: str
    published: Published | None = None
    worst: int | None = None

    @property
    def name(self) -> str:
        """The name of this game's record."""
        return self.board if self.worst is None else f"{self.board} within {self.worst}"


def proofs(holes: int, flag: str, totals: dict[int, tuple[int, int]], who: str) -> list[Game]:
    """Games by colours whose totals were proven before, and are again."""
    return [
        Game(f"{holes}x{colours}{flag}", "prove", Published(total, worst, who))
        for colours, (total, worst) in totals.items()
    ]


THREE: Final = dict(
    enumerate([(206, 4), (451, 5), (854, 5), (1474, 6), (2359, 6), (3596, 7), (5242, 7)], 4)
)
FIVE: Final = dict(enumerate([(97, 4), (816, 5), (3954, 6), (13496, 6)], 2))
NO_REPEATS: Final = dict(enumerate([(462, 5), (1446, 5), (3639, 6), (7817, 6), (14914, 7)], 5))

GAMES: Final = (
    *proofs(3, "", THREE, FANCIDEV),
    *proofs(4, "", {2: (44, 4), 3: (246, 4), 4: (905, 5), 5: (2463, 6)}, FANCIDEV),
    Game("4x6", "prove", Published(5625, 6, "Koyama and Lai 1993; fancidev; arfst23")),
    Game("4x6", "prove", Published(5626, 5, "Koyama and Lai 1993; arfst23"), worst=5),
    Game("4x7", "prove", Published(11228, 6, "Ville 2013; fancidev; arfst23")),
    Game("4x8", "prove", Published(20471, 7, BOTH)),
    Game("4x8", "prove", Published(20473, 6, "arfst23"), worst=6),
    Game("4x9", "beam", Published(34921, 7, "fancidev / mikemag", proven=False)),
    Game("4x10", "beam", Published(56225, 8, "fancidev / mikemag", proven=False)),
    *proofs(5, "", FIVE, FANCIDEV),
    Game("5x6", "book", Published(37089, 7, "fancidev, entropy", proven=False)),
    Game("5x7", "beam", Published(86406, 7, "mikemag, entropy", proven=False)),
    Game("5x8", "book", Published(179274, None, "supermastermind", proven=False)),
    Game("5x9", "book", Published(342916, 8, "mikemag, entropy", proven=False)),
    Game("5x10", "tree", Published(610748, 8, MIKEMAG, proven=False)),
    *proofs(6, "", {2: (224, 5), 3: (2649, 5)}, FANCIDEV),
    Game("6x6", "beam", Published(242465, 7, "fancidev, entropy", proven=False)),
    Game("6x7", "tree", Published(658296, 8, MIKEMAG, proven=False)),
    Game("6x8", "gpu", Published(1560667, 8, MIKEMAG, proven=False)),
    Game("6x9", "gpu", Published(3339961, 9, MIKEMAG, proven=False)),
    Game("7x7", "gpu", Published(5013700, 9, MIKEMAG, proven=False)),
    Game("7x10", "", Published(71290798, 10, MIKEMAG, proven=False)),
    Game("8x8", "", Published(120031735, 12, MIKEMAG, proven=False)),
    *proofs(3, "n", {6: (436, 5), 8: (1449, 6), 10: (3575, 7)}, FANCIDEV),
    *proofs(4, "n", NO_REPEATS, BOTH),
    Game("4x10n", "prove", Published(26274, 7, "Tanaka 1996; fancidev; arfst23")),
    *proofs(5, "n", {5: (535, 6), 6: (3434, 7)}, FANCIDEV),
)
"""Every game of the published tables, by holes and colours."""

FIRSTS: Final = {
    "5x10": "11234",
    "6x7": "112234",
    "6x8": "112233",
    "6x9": "112234",
    "7x7": "1122334",
}
"""The best first guesses of one-step strategies; `evaluate --gpu` finds them if none is given."""

MOST_SECONDS: Final = 6 * 3600
"""The longest proof takes some minutes, the widest beam an hour."""

PRESET: Final = {"4x6": "classic", "4x7": "classic-blanks", "5x8": "advanced"}
BLANKS: Final = {"5x9": "advanced-blanks"}
"""Boards that have a book under another name; a blank is a colour."""


def command(game: Game, folder: str = "") -> list[str]:
    """What is run for a game. Where proving takes long, a shipped book is verified instead."""
    limit = [] if game.worst is None else ["--worst", str(game.worst)]
    book = {**PRESET, **BLANKS}.get(game.board, game.board)
    if game.how in ("book", "beam") and not limit and book_file(Board.parse(book)) is not None:
        return ["keypeg", "book", "verify", book]
    if game.how == "beam":
        return ["keypeg", "book", "make", game.board, f"{folder}my.book", "--stages", "3", *limit]
    if game.how in ("tree", "gpu"):
        tree = ["keypeg", "evaluate", "--board", game.board, "--first", FIRSTS[game.board]]
        return [*tree, "--gpu"] if game.how == "gpu" else tree
    return ["keypeg", "prove", "--board", game.board, *limit]


def measure(game: Game) -> dict[str, Any]:
    """Run a game's command; returns its answer, and the seconds of CPU time that it took."""
    with tempfile.TemporaryDirectory() as folder:
        words = [*command(game, folder + "/"), "--json"]
        before = os.times()
        done = subprocess.run(
            [sys.executable, "-m", *words],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
            timeout=MOST_SECONDS,
        )
        after = os.times()
    found = json.loads(done.stdout)
    found = found[0] if isinstance(found, list) else found
    spent = after.children_user + after.children_system
    spent -= before.children_user + before.children_system
    return {
        "command": shlex.join(command(game)),
        "total": found["total"],
        "worst": found["worst"],
        "distribution": [
            found["distribution"].get(str(n), 0) for n in range(1, found["worst"] + 1)
        ],
        "status": found.get("status") or ("proven" if found.get("proven") else "upper bound"),
        "first": found.get("first") or opening(words[-2]),
        "nodes": found.get("nodes"),
        "cpu": round(spent, 1),
        "machine": cpu(),
    }


def opening(name: str) -> str:
    """The first guess of a shipped book."""
    shown = subprocess.run(
        [sys.executable, "-m", "keypeg", "book", "show", name, "--json"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=60,
    )
    return str(json.loads(shown.stdout)["guess"])


HEAD: Final = """\
# Results

This page compares keypeg with the best published totals, for all games for which we know of one.
`make results` writes it. A game is written as holes x colours; `n` means without repeats, and
"within 5" means that at most five guesses are allowed. A blank counts as a colour: 4x6 is classic,
4x7 classic-blanks, 5x8 advanced, 5x9 advanced-blanks.

- **total**: the number of guesses, the winning guess included, added up over all secrets.
- **average**: the total divided by the number of secrets.
- **worst**: the most guesses that any secret needs.
- **status**: **proven** means that no strategy has a lower total. The search proves it;
  `keypeg book verify` and the tests check what can be checked without the search. **upper bound**
  means that a strategy with this total exists.
- **distribution**: how many secrets are found with the first guess, the second, and so on.
- **time**: the processor time of the command on {machine}, including the start, after compilation.
  It uses two threads, so it takes half as long on two free cores. For a book that comes with
  keypeg, it is the time to verify it; [books.md](books.md) says how long it took to make. With
  `--gpu`, it is the time on an NVIDIA H200, without the start.
  Some of these figures [vary from run to run](#what-varies-from-run-to-run).
- **not run**: it would take longer than minutes, or has more codes than keypeg can list.
- **published**: the best total of others, with its source; in *italics* if it is not proven.

![Average number of guesses by colours and holes](pictures/results-average.svg)

## All games

"""

AFTER: Final = """
## The advanced boards

![Secrets for each number of guesses, on the advanced boards](pictures/results-guesses.svg)

## How fast the codes run out

![Codes left after each row on the four official boards](pictures/results-left.svg)

How many codes still fit after each row, with the books that come with keypeg, on average over the
secrets that have not been found by then.

## What varies from run to run

`keypeg prove` and `keypeg book make` search with two threads, and it varies which of them is first.
A proven total is the same in every run. The strategy found for it need not be: its distribution,
its first guess and the number of regions searched may differ. A search that ends with an upper
bound may end a few guesses away from the total given here. With `--threads 1` both commands find
the same in every run. A book that comes with keypeg is a file, so its figures do not vary.

## Sources of the published totals

Koyama and Lai, "An optimal Mastermind strategy", Journal of Recreational Mathematics 25 (1993);
Ville, "An optimal Mastermind (4,7) strategy and more results in the expected case" (2013);
Tanaka (1996) for 4x10n; the programs of fancidev, arfst23, mikemag and supermastermind.
"""

COLUMNS: Final = (
    *("game", "codes", "total", "average", "worst", "status", "first guess", "distribution"),
    *("time", "command", "published"),
)


def page(records: dict[str, dict[str, Any]]) -> str:
    """docs/results.md."""
    machine = "; ".join(sorted({record["machine"] for record in records.values()}))
    rows = [line(game, records.get(game.name)) for game in GAMES]
    table = [COLUMNS, ["---"] * len(COLUMNS), *rows]
    lines = (f"| {' | '.join(cells)} |" for cells in table)
    return HEAD.format(machine=machine) + "\n".join(lines) + "\n" + AFTER


def line(game: Game, record: dict[str, Any] | None) -> list[str]:
    """A game's row."""
    codes = Board.parse(game.board).codes
    published = "" if game.published is None else published_cell(game.published)
    if record is None:
        return [game.name, f"{codes:,}", "not run", *[""] * (len(COLUMNS) - 4), published]
    return [
        game.name,
        f"{codes:,}",
        f"**{record['total']:,}**",
        f"{record['total'] / codes:.5f}",
        str(record["worst"]),
        record["status"],
        record["first"],
        " ".join(map(str, record["distribution"])),
        f"{record['cpu']:,.1f} s",
        f"`{record['command']}`",
        published,
    ]


def published_cell(published: Published) -> str:
    """A published total, for a cell of the table."""
    total = f"{published.total:,}" if published.proven else f"*{published.total:,}*"
    worst = "" if published.worst is None else f", worst {published.worst}"
    return f"{total}{worst} ({published.who})"


def kept() -> dict[str, dict[str, Any]]:
    """The records of earlier runs."""
    return json.loads(RECORDS.read_text("utf-8")) if RECORDS.exists() else {}


def averages(
    records: dict[str, dict[str, Any]],
) -> dict[str, list[Point]]:
    """By holes and whether pegs repeat: colours, our average, the published one."""
    lines: dict[str, list[Point]] = {}
    for game in GAMES:
        record, board = records.get(game.name), Board.parse(game.board)
        if record is not None and game.worst is None:
            holes = f"{board.holes} holes" + ("" if board.repeats else ", no repeats")
            theirs = None if game.published is None else game.published.total / board.codes
            average = record["total"] / board.codes
            lines.setdefault(holes, []).append((board.colours, average, theirs))
    return lines


def main(names: list[str]) -> None:
    games = {game.name: game for game in GAMES}
    if unknown := set(names) - set(games):
        sys.exit(f"no game {', '.join(sorted(unknown))}; there are {', '.join(games)}")
    records = kept()
    for name, game in sorted(games.items(), key=lambda item: item[1].how not in ("prove", "book")):
        if game.how and (name in names or name not in records):
            records[name] = measure(game)
            print(name, records[name]["total"], records[name]["status"], flush=True)
            ordered = {name: records[name] for name in games if name in records}
            RECORDS.write_text(json.dumps(ordered, indent=1) + "\n", "utf-8")
    PAGE.write_text(page(records), "utf-8")
    draw(averages(records), PICTURES)


if __name__ == "__main__":
    main(sys.argv[1:])

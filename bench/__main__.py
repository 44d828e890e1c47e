"""Runs benches, all of them or those named, and writes their results."""

from __future__ import annotations

import importlib
import os
import pkgutil
import platform
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numba

import bench
from bench import BENCHES, Row, pace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RESULTS: Final = Path(__file__).parent / "results.md"
PROMISES: Final = "promises"
UNITS: Final = ((1e9, " G/s"), (1e6, " M/s"), (1e3, " k/s"))


COMMANDS: Final = {
    "attack": "bench.attack.command",
    "faults": "bench.faults",
    "gpu": "bench.gpu",
    "load": "bench.load.command",
    "puzzles": "bench.puzzles",
    "secrecy": "bench.secrecy",
    "versions": "bench.versions",
}
"""What takes long and has options of its own; runs only when named."""


def main(names: list[str]) -> None:
    if names and names[0] in COMMANDS:
        command = importlib.import_module(COMMANDS[names[0]])
        command.main(names[1:], partial(keep, command=said(names)))
        return
    for module in pkgutil.iter_modules(bench.__path__):
        if module.name != "__main__":
            importlib.import_module(f"bench.{module.name}")
    unknown = set(names) - set(BENCHES)
    if unknown:
        sys.exit(f"no bench {', '.join(sorted(unknown))}; there are {', '.join(BENCHES)}")
    for name in names or BENCHES:
        keep(name, BENCHES[name](), said([name]))


def said(words: list[str]) -> str:
    """The command with these words, without the folders of its files."""
    return re.sub(r"[^ =]*/", "", " ".join(["python -m bench", *words]))


def keep(name: str, rows: Iterable[Row], command: str) -> None:
    """Replace a section of the results."""
    sections = kept()
    sections[name] = section(name, rows, command)
    print(sections[name], flush=True)
    RESULTS.write_text(whole(sections), "utf-8")


def whole(sections: dict[str, str]) -> str:
    """The results: the promises, gathered from all sections, then the sections."""
    return "\n".join([heading(), promises(sections.values()), *sections.values()])


def promises(sections: Iterable[str]) -> str:
    """Every figure with the number of a promise, by that number; then all that miss a target."""
    rows = list(figures(sections))
    numbered = [(int(number[1]), row) for row in rows if (number := re.match(r"\| G(\d+): ", row))]
    missed = [row for row in rows if " | no | " in row]
    parts = [
        f"## {PROMISES}",
        "The figures of the server's promises, taken from the sections below.",
        gathered(row for _, row in sorted(numbered, key=lambda one: one[0])),
    ]
    if missed:
        parts += ["Figures that miss their target, promised or not:", gathered(missed)]
    return "\n\n".join(parts) + "\n"


def figures(sections: Iterable[str]) -> Iterator[str]:
    """The rows of all sections, with the command in place of the last column."""
    for text in sections:
        command = text.partition("By `")[2].partition("`")[0]
        for row in re.findall(r"^\| .* \| (?:yes|no) \| .*$", text, re.MULTILINE):
            *cells, _last = row.strip("| ").split(" | ")
            yield f"| {' | '.join(cells)} | `{command}` |"


def gathered(rows: Iterable[str]) -> str:
    """A table of such rows."""
    head = ["| what | measured | target | met | by |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows])


def kept() -> dict[str, str]:
    """The sections of the last results, by bench, so that one can be replaced."""
    if not RESULTS.exists():
        return {}
    parts = RESULTS.read_text("utf-8").split("\n## ")[1:]
    found = {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in parts}
    return {name: text for name, text in found.items() if name != PROMISES}


def heading() -> str:
    return (
        "# Measurements\n\n"
        "Each section names the command that measured it. `make bench` runs all of them except\n"
        f"{', '.join(f'`{name}`' for name in COMMANDS)}.\n\n"
        "Everything was compiled and cached beforehand. The last column compares a figure with\n"
        "the reference scorer in the same run: how many times as fast it is, or how many scores\n"
        "the reference scorer computes in that time.\n\n"
        "Times and rates vary with the load of the machine, which each section gives. What else\n"
        "varies is in [docs/results.md](../docs/results.md#what-varies-from-run-to-run).\n"
    )


def section(name: str, measured: Iterable[Row], command: str) -> str:
    busy = f"load {os.getloadavg()[0]:.1f} before" if hasattr(os, "getloadavg") else "load unknown"
    machine = (
        f"{cpu()}, {os.cpu_count()} cores, {busy}, Python {platform.python_version()}, "
        f"Numba {numba.__version__}; reference scorer {pace() / 1e3:,.0f} k/s."
    )
    found = list(measured)
    last = "stretch" if any(row.stretch is not None for row in found) else "reference"
    head = [f"| what | measured | target | met | {last} |", "|---|---|---|---|---|"]
    rows = [line(row, last) for row in found]
    return "\n".join([f"## {name}", "", f"By `{command}`.", machine, "", *head, *rows, ""])


def line(row: Row, last: str) -> str:
    sign = "≤" if row.within else "≥"
    ratio = f"{row.ratio:,.0f} scores" if row.within else f"{row.ratio:,.0f} x"
    if row.unit:
        ratio = "-"
    if last == "stretch":
        ratio = "-" if row.stretch is None else f"{sign} {shown(row, row.stretch)}"
    cells = (row.what, shown(row, row.value), f"{sign} {shown(row, row.target)}")
    return f"| {' | '.join(cells)} | {'yes' if row.met else 'no'} | {ratio} |"


def shown(row: Row, value: float) -> str:
    """A time, a number a second, or a number of something else."""
    if row.unit:
        return f"{value:,.{0 if float(value).is_integer() else 3}f} {row.unit}"
    if row.within:
        if value < 1e-3:
            return f"{value * 1e3:.3f} ms"
        return f"{value * 1e3:,.1f} ms" if value < 1 else f"{value:,.2f} s"
    size, unit = next((pair for pair in UNITS if value >= pair[0]), (1, " /s"))
    return f"{value / size:,.2f}{unit}"


def cpu() -> str:
    """The processor's model, as the system names it."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for entry in info.read_text("utf-8").splitlines():
            if entry.startswith("model name"):
                return entry.partition(":")[2].strip()
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    main(sys.argv[1:])

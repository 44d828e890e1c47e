"""Run benches and keep their results: all of them, or those named."""

from __future__ import annotations

import importlib
import os
import pkgutil
import platform
import sys
from pathlib import Path
from typing import Final

import numba

import bench
from bench import BENCHES, Row, pace

RESULTS: Final = Path(__file__).parent / "results.md"
UNITS: Final = ((1e9, " G/s"), (1e6, " M/s"), (1e3, " k/s"))


def main(names: list[str]) -> None:
    for module in pkgutil.iter_modules(bench.__path__):
        if module.name != "__main__":
            importlib.import_module(f"bench.{module.name}")
    unknown = set(names) - set(BENCHES)
    if unknown:
        sys.exit(f"no bench {', '.join(sorted(unknown))}; there are {', '.join(BENCHES)}")
    sections = kept()
    for name in names or BENCHES:
        sections[name] = section(name)
        print(sections[name], flush=True)
    parts = [heading(), *(sections[name] for name in BENCHES if name in sections)]
    RESULTS.write_text("\n".join(parts), "utf-8")


def kept() -> dict[str, str]:
    """The sections of the last results, by bench, so that one can be renewed alone."""
    if not RESULTS.exists():
        return {}
    parts = RESULTS.read_text("utf-8").split("\n## ")[1:]
    return {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in parts}


def heading() -> str:
    return (
        "# What `make bench` measured\n\n"
        "Warm: compiled and cached beforehand. The last column compares with the reference\n"
        "scorer in the same run: times its speed, or how many of its scores take as long.\n"
    )


def section(name: str) -> str:
    busy = f"load {os.getloadavg()[0]:.1f} before" if hasattr(os, "getloadavg") else "load unknown"
    machine = (
        f"{cpu()}, {os.cpu_count()} cores, {busy}, Python {platform.python_version()}, "
        f"Numba {numba.__version__}; reference scorer {pace() / 1e3:,.0f} k/s."
    )
    head = ["| what | measured | target | met | reference |", "|---|---|---|---|---|"]
    rows = [line(row) for row in BENCHES[name]()]
    return "\n".join([f"## {name}", "", machine, "", *head, *rows, ""])


def line(row: Row) -> str:
    sign = "≤" if row.within else "≥"
    ratio = f"{row.ratio:,.0f} scores" if row.within else f"{row.ratio:,.0f} x"
    cells = (row.what, shown(row, row.value), f"{sign} {shown(row, row.target)}")
    return f"| {' | '.join(cells)} | {'yes' if row.met else 'no'} | {ratio} |"


def shown(row: Row, value: float) -> str:
    """A time, or a number a second."""
    if row.within:
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

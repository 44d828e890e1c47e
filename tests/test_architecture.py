"""ARCHITECTURE.md is short, complete, and names only what there is."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "keypeg"
MAP = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
MOST_LINES = 150
REST = "terminal"
"""The package in whose section what is beside the packages is listed."""
MODULES = sorted(
    path.relative_to(SOURCE)
    for path in SOURCE.rglob("*.py")
    if path.stem not in ("__init__", "__main__")
)
JS_METHOD = r"^ {2}(?:static |async |get |#)*(\w+)\("


def section(title: str) -> str:
    """The text below a heading."""
    return MAP.split(f"## {title}\n")[1].split("\n## ")[0]


def named(text: str) -> set[str]:
    """Everything that is written as code."""
    return set(re.findall(r"`([^`]+)`", text))


@cache
def listed() -> dict[str, set[str]]:
    """The names in the first column of the table for each package, and beside its own name."""
    found: dict[str, set[str]] = {}
    package = ""
    for row in section("Where things are").splitlines():
        heading = re.search(r"\*\*`(\w+)/`\*\*", row)
        if heading:
            package = heading[1]
        if row.startswith("| ") and package:
            names = row if heading else row.split(" | ")[0]
            found.setdefault(package, set()).update(named(names) - {f"{package}/"})
    return found


def test_the_map_can_be_read_in_one_sitting() -> None:
    assert len(MAP.splitlines()) <= MOST_LINES


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_every_module_is_on_the_map(module: Path) -> None:
    package, *inner = module.with_suffix("").parts
    known = listed()
    if package in known:
        name = inner[0] if len(inner) == 1 else f"{inner[0]}/"
        assert name in known[package]
    elif inner:
        assert f"{package}/" in known[REST]
    else:
        assert f"{package}.py" in known[REST] or package in section("The layers").split()


def test_everything_on_the_map_is_there() -> None:
    for package, names in listed().items():
        for name in names:
            places = (SOURCE / package / name, SOURCE / package / f"{name}.py")
            beside = (SOURCE / name, ROOT / name)
            assert any(place.exists() for place in (*places, *beside)), (package, name)


def test_every_file_to_change_is_there() -> None:
    files = {
        name for name in named(section("Adding things")) if re.search(r"\.(py|js|ts|html)$", name)
    }
    assert len(files) > 20
    below = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.*")}
    for beside in ("harness", "tests"):
        below |= {path.relative_to(ROOT).as_posix() for path in (ROOT / beside).rglob("*.py")}
    for file in files:
        assert any(f"/{path}".endswith(f"/{file}") for path in below), file


@cache
def defined() -> set[str]:
    """Names of functions and classes, alone and after the class, module or folder they are in."""
    found = set()
    for path in SOURCE.rglob("*.*"):
        if path.suffix not in (".py", ".js"):
            continue
        owner = path.stem
        found |= {owner, f"{path.parent.name}.{owner}"}
        for line in path.read_text(encoding="utf-8").splitlines():
            top = re.match(r"(?:export |async )*(def|class|function) (\w+)", line)
            inner = re.match(
                r"    (?:async )?def (\w+)" if path.suffix == ".py" else JS_METHOD, line
            )
            if top:
                owner = top[2] if top[1] == "class" else path.stem
                found |= {top[2], f"{path.stem}.{top[2]}"}
            elif inner:
                found |= {inner[1], f"{owner}.{inner[1]}"}
    return found


def test_the_walks_name_only_what_is_defined() -> None:
    picture = re.findall(r"\b(?:[A-Z]\w+|\w+_\w+)(?:\.\w+)?\b", section("One move").split("```")[1])
    walks = {name for name in named(section("Three walks")) if re.fullmatch(r"[\w.]+", name)}
    assert len(walks) > 40
    for name in walks | {each for each in picture if not each.isupper()}:
        assert ".".join(name.split(".")[-2:]) in defined(), name

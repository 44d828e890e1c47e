"""`keypeg contest`: made, played and shown, at a prompt and for programs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from keypeg.cli import cli
from keypeg.client import Refused
from keypeg.rules.errors import AgainstTheRules, CannotRead
from tests.terminal.test_json import check, documented
from tests.test_cli import flat, json_fields
from tests.web.conftest import serving

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("contests")) as url:
        yield url


class Person:
    """Somebody with a data folder of their own."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self._folder, self._patch = folder, patch

    def does(self, *arguments: str, typed: str = "") -> str:
        self._patch.setenv("XDG_DATA_HOME", str(self._folder))
        done = CliRunner().invoke(cli, ["contest", *arguments], input=typed, standalone_mode=False)
        if done.exception is not None:
            raise done.exception
        return done.output

    def sent(self, *arguments: str, typed: str = "") -> list[dict[str, Any]]:
        output = self.does(*arguments, "--json", typed=typed)
        return [json.loads(line) for line in output.splitlines()]


@pytest.fixture
def setter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    return Person(tmp_path / "setter", monkeypatch)


@pytest.fixture
def ann(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    return Person(tmp_path / "ann", monkeypatch)


def made(setter: Person, server: str, *more: str) -> str:
    return setter.does("create", "--server", server, *more).strip()


def test_a_contest_is_made_played_and_shown(server: str, setter: Person, ann: Person) -> None:
    link = made(setter, server, "--code", "rbyg", "--code", "1111", "--name", "Cleo")
    assert link.startswith(f"{server}/contest/")
    assert "once you are done" in ann.does("show", link)
    told = ann.does("play", link, "--name", "Ann", typed="1111\nrows\nseal\nxx\nhelp\n1234\n")
    assert "Cleo has set 2 codes on classic" in told
    assert told.count("Row 1: RD RD RD RD   1 black, 0 white") == 2
    assert "Not done: peg 1" in told
    assert "Broken in 2 rows." in told
    assert "verified: the code was fixed from the start" in told
    assert "1. Ann (you): 2 rows" in told
    assert "The strategy book needs 4 rows." in told
    assert "The standing" not in ann.does("show", link)
    assert "Row 1: RD RD RD BU" in ann.does("play", link, typed="1112\n")
    told = ann.does("play", link, typed="quit\n")
    assert "Row 1: RD RD RD BU" in told
    assert "What you have played is saved" in told
    ann.does("play", link, typed="1111\n")
    assert "The standing:\n    1. Ann (you): 4 rows" in ann.does("show", link)
    assert "Code 2, RD RD RD RD:\n    1. Ann: 2 rows" in setter.does("show", link)


def test_what_programs_are_sent_is_documented(server: str, setter: Person, ann: Person) -> None:
    fields = json_fields((DOCS / "json.md").read_text())
    (created,) = setter.sent("create", "--server", server, "--count", "2", "--hours", "1")
    assert set(flat(created, fields["contest create"])) == fields["contest create"]
    link = made(setter, server, "--code", "1234")
    sent = ann.sent("play", link, typed="1111\nx\nhelp\n1234\n")
    check(sent, documented("`keypeg contest play --json`"))
    assert {one["event"] for one in sent} == {"contest", "row", "error", "note", "done"}
    for who, command in ((ann, "contest show"), (setter, "contest watch")):
        (shown,) = who.sent(command.split()[1], link)
        assert set(flat(shown, fields[command])) == fields[command]


def test_the_computer_stands_in_the_standing_and_somebody_watches(
    server: str, setter: Person, ann: Person
) -> None:
    link = made(setter, server, "--code", "rbyg", "--computers", "perfect")
    told = ann.does("watch", link)
    assert "You watch: you see the codes, and cannot enter." in told
    assert "Code 1, RD BU YW GN:" in told
    until = time.monotonic() + 60
    while "Computer (perfect)" not in told and time.monotonic() < until:
        told = ann.does("show", link)
    assert "  1. Computer (perfect): 4 rows" in told
    with pytest.raises(Refused, match="you watch this contest"):
        ann.does("play", link)
    drawn = made(setter, server, "--computers", "perfect")
    assert "The computer plays too: perfect." in setter.does("play", drawn, typed="quit\n")
    with pytest.raises(Refused, match="you have entered"):
        setter.does("watch", drawn)
    with pytest.raises(click.BadParameter, match="'best' is not a level; there are beginner,"):
        made(setter, server, "--computers", "perfect,best")


def test_whoever_had_codes_drawn_plays_too(server: str, setter: Person) -> None:
    link = made(setter, server, "--board", "4x6/1")
    assert "The code: " in setter.does("play", link, typed="1111\n")


def test_what_cannot_be_done_is_said(server: str, setter: Person) -> None:
    link = made(setter, server, "--code", "rrbb")
    with pytest.raises(Refused, match="you chose the codes"):
        setter.does("play", link)
    with pytest.raises(Refused, match="no such contest"):
        setter.does("show", f"{server}/contest/{'x' * 22}")
    for wrong in ("x", server, f"{server}/table/{'x' * 22}", f"{link}x"):
        with pytest.raises(CannotRead, match="is not the link of a contest"):
            setter.does("show", wrong)
    with pytest.raises(CannotRead, match="has 4 pegs"):
        made(setter, server, "--code", "rrr")
    with pytest.raises(click.UsageError, match="leave out --code"):
        made(setter, server, "--code", "rrbb", "--count", "2")
    drawn = made(setter, server)
    with pytest.raises(AgainstTheRules, match="has codes 1 to 1, no 2"):
        setter.does("play", drawn, "--code", "2")

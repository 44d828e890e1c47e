"""More than 800 wrong inputs: each gets one line that helps, never a traceback.

They run in this process: what is tested is what a command says, not how it starts.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from keypeg import cli
from keypeg.commands.exit_status import BAD_INPUT, REFUSED

BOARDS = (
    *("''", "' '", "x", "4", "4x", "x6", "0x6", "4x0", "4x1", "17x6", "4x21", "-4x6", "4x-6"),
    *("4x6/0", "4x6/100", "4x6/", "4x6q", "4x6bb", "8x6n", "4X6X", "4×6", "Classic!", "४x६"),
    *("99999999999x9", "4.0x6", "1e1x6", "4x6//8", "$'4\\0x6'"),
)
NUMBERS = ("''", "x", "1.5", "1e3", "--", "0x10", "nan", "inf")
TIMES = ("''", "x", "nan", "-1", "-inf", "1:30")
CODES = (
    "''",
    "R",
    "RRR",
    "RRRRR",
    "RXRR",
    "0000",
    "7777",
    "'RD RD'",
    "'RD RD RD XX'",
    "R-RR",
    "🔴🔴🔴🔴",
)
ROWS = (
    *("RRBB", "=", "RRBB=", "=20", "RRBB=x", "RRBB=5", "RRBB=50", "RRBB=31", "RRBB=-1-1"),
    *("RRB=10", "RRBX=10", "RRBB=9b9w", "RRBB==10", "RRBB=10=10", "RRBB=999"),
)
FILES = ("no-such-file", ".", "''", "noise", "empty", "folder", "nowhere/file")
ADDRESSES = (
    *("x", "sqlite", "sqlite:/x", "mysql://host/name", "postgresql", "://", "http://host"),
    *("postgresql://host:port/name", "sqlite:///folder", "sqlite:///"),
)
NO_DATABASES = ("sqlite:///noise", "sqlite:///nowhere/keypeg.db")
LINKS = (
    *("''", "x", "http://", "http://host", "http://host/", "ftp://host/table/x", "host/table/x"),
    *("http://127.0.0.1:99999/table/abc", "'http://[::1/table/abc'", "http://h:x/table/abc"),
    *("http://:80/table/abc", "http://127.0.0.1:0/table/abc", "http://127.0.0.1:1/table/abc"),
    *("'http://127.0.0.1:1/table/a b'", "'http://127.0.0.1:1/table/%00'", "http://.../table/abc"),
    *("'http://127.0.0.1:1/table/a\r\nX: y'", "http://127.0.0.1:1/learn", "http://127.0.0.1:1/abc"),
    *("http://xn--/table/abc", "'http://a b/table/abc'", "http://127.0.0.1:1/table/é"),
)
SERVERS = ("http://127.0.0.1:1", "http://h:x", "'http://[::1'", "http://127.0.0.1:99999")
DATES = (
    *("''", "x", "2026-13-01", "2026-02-30", "2026-2-1", "20260101", "2026-01-01T00:00", "0"),
    *("0000-01-01", "0001-01-01", "1999-12-31", "9999-12-31", "99999-01-01", "-1", "2099-01-01"),
    *("२०२६-०१-०१", "2026-W01-1", "' 2026-01-01'", "tomorrow"),
)


def each(command: str, values: tuple[str, ...]) -> list[str]:
    """The command with each of the values; `{}` is where they go."""
    return [command.replace("{}", value) for value in values]


BAD = {
    "keypeg": ["nonsense", "--nonsense", "''", "Play", "-x", "play extra", "boards --json=1"],
    "boards": each("boards {}", BOARDS),
    "score": [
        *each("score {} RRRR", CODES),
        *each("score RRRR {}", CODES),
        *("score", "score RRRR", "score RRRR RRRR RRRR", "score --board advanced RRRR RRRR"),
        *("score --board", "score --board x RRRR RRRR", "score --board 4x6n RRBB RBGY"),
    ],
    "suggest": [
        *each("suggest {}", ROWS),
        *each("suggest --seed {}", (*NUMBERS, "-1")),
        *each("suggest --seconds {}", (*TIMES, "3601", "inf")),
        *("suggest --level x", "suggest --level ''", "suggest --board 4x6n RRBB=10"),
        *("suggest RRBB=10 YYGG=10 RRBB=20", "suggest RRBB=40 RRBB=30", "suggest --nonsense"),
    ],
    "check": [
        *each("check {}", ROWS),
        *each("check RRBB=10 --seconds {}", (*TIMES, "3601")),
        *each("check RRBB=10 --board {}", BOARDS),
    ],
    "replay": each("replay {}", FILES),
    "analyse": [
        *each("analyse {}", FILES),
        *each("analyse record --seconds {}", TIMES),
        "analyse record --plot folder",
        *each("analyse record --plot {}", ("x", "x.gif", "x.exe", "nowhere/x.png", "''")),
    ],
    "evaluate": [
        *("evaluate --strategy x", "evaluate --strategy ''", "evaluate --strategy book"),
        *("evaluate --first ''", "evaluate --first RRR", "evaluate --first R-RR", "evaluate x"),
        *each("evaluate --board {}", ("x", "12x20", "16x20", "16x20b", "16x20n")),
    ],
    "watch": [
        *("watch --strategies ''", "watch --strategies ,,", "watch --strategies x"),
        *("watch --strategies noise", "watch --strategies folder", "watch extra"),
        *each("watch --sample {} --strategies beginner", (*NUMBERS, "0", "-1", "1000001")),
        *each("watch --seed {}", NUMBERS),
        *each("watch --sample 1 --board {} --strategies entropy", ("15x20", "16x20n", "12x20")),
        *each("watch --board {} --strategies careful", ("12x20", "16x20")),
        *each("watch --board 3x4 --sample 1 --strategies beginner --plot {}", ("x", "x.gif")),
    ],
    "bound": [
        *each("bound --board {}", ("x", "12x20", "16x20", "16x20b", "16x20n")),
        *each("bound --at-least {}", (*NUMBERS, "0", "-1")),
        *each("bound --minutes {}", TIMES),
        *each("bound --board 3x4 --log {}", ("folder", "nowhere/x", "noise", "/dev/null")),
        *each("bound --board 3x4 --certificate {}", ("folder", "nowhere/x", "noise", "/dev/full")),
    ],
    "prove": [
        *each("prove --board {}", ("x", "12x20", "16x20", "16x20b", "16x20n")),
        *each("prove --worst {}", (*NUMBERS, "0", "-1", "100")),
        *each("prove --minutes {}", TIMES),
        *each(
            "prove --board 3x4 --book {}", ("folder", "nowhere/x", "noise", "empty", "/dev/full")
        ),
        *each("prove --board 3x4 --log {}", ("folder", "nowhere/x", "noise", "/dev/null")),
        *each("prove --board 3x4 --cluster {}", ("x", "''", "tcp://", "tcp://host:port")),
        *each("prove --threads {}", (*NUMBERS, "0", "65")),
        *each("prove --board 3x4 --certificate {}", ("folder", "nowhere/x", "noise", "''")),
        "prove --threads 1 --cluster tcp://127.0.0.1:1",
        "prove --cluster tcp://127.0.0.1:1 --threads 2",
        "prove --board 7x2 --book new.book",
    ],
    "book": [
        *each("book show {}", ("x", "''", ".", "noise", "empty", "/dev/null", "4x7")),
        *each("book verify {}", ("x", "''", ".", "noise", "empty", "/dev/full", "4x7")),
        *("book nonsense", "book show", "book show classic RRBB=20", "book list extra"),
        *each("book show classic {}", ROWS),
        *each("book make {} new.book", ("x", "''", "7x2", "16x20", "12x20")),
        *each("book make 3x4 {}", ("folder", "nowhere/x", "noise", "empty", "/dev/full", "''")),
        *each("book make 3x4 new.book --stages {}", (*NUMBERS, "0", "21")),
        *each("book make 3x4 new.book --threads {}", (*NUMBERS, "0", "65")),
        *each("book make 3x4 new.book --log {}", ("folder", "nowhere/x", "noise", "/dev/null")),
        *each("book make 3x4 new.book --cluster {}", ("x", "''", "tcp://", "tcp://host:port")),
        *(
            "book make 3x4",
            "book make 3x4 new.book --worst 1",
            "book make 3x4 new.book --minutes x",
        ),
    ],
    "play": [
        *each("play --join {}", LINKS),
        *each("play --plain --watch {}", ("http://127.0.0.1:1/table/abc", "x")),
        *each("play --plain --open {}", (*LINKS[:6], *SERVERS)),
        *each("play --board {}", BOARDS),
        *each("play --games {}", (*NUMBERS, "0", "1", "-2", "3", "99999999999999")),
        *each("play --turn-seconds {}", (*NUMBERS, "0", "-1", "99999999999999")),
        *each("play --database {}", (*ADDRESSES, "sqlite:///noise")),
        *("play --role x", "play --level x", "play --key-pegs x", "play --scoring x", "play x"),
        *("play --name ''", "play --name ' '", "play --resume", "play --name $'a\\tb'"),
        "play --name " + "x" * 200,
    ],
    "tables": [
        *each("tables {}", (*LINKS[:6], "http://127.0.0.1:1", "http://h:x", "'http://[::1'")),
        *("tables", "tables http://127.0.0.1:1 extra", "tables --json x"),
    ],
    "daily": [
        *each("daily --date {}", DATES),
        *each("daily --board {}", ("x", "''", "4x6", "classic-blanks", "Classic!")),
        *each("daily --server {}", (*LINKS[:6], *SERVERS)),
        *each("daily --database {}", (*ADDRESSES, "sqlite:///noise")),
        *("daily x", "daily --nonsense", "daily --json=1", "daily --date", "daily --board"),
        "daily --server http://127.0.0.1:1 --date 1999-01-01",
    ],
    "puzzle": [
        *each("puzzle --board {}", (*BOARDS, "16x20")),
        *each("puzzle --grade {}", (*NUMBERS, "0", "6", "-1")),
        *each("puzzle --seed {}", (*NUMBERS, "-1", "1000000000")),
        *each("puzzle --print new.txt --pages {}", (*NUMBERS, "0", "21")),
        *each("puzzle --print {}", ("folder", "nowhere/x.html", "x.pdf", "x", "''")),
        *each("puzzle --print new.html --labels {}", ("x", "''", "Both!")),
        *("puzzle x", "puzzle --nonsense", "puzzle --pages 2", "puzzle --labels shapes"),
        *("puzzle --solution", "puzzle --print new.txt --solution"),
    ],
    "unfair": [
        *each("unfair --board {}", (*BOARDS, "16x20", "6x7")),
        *each("unfair {}", ("x", "112", "11223", "1127", "''", "1122=10")),
        *("unfair --nonsense", "unfair --json=1", "unfair --grade 2"),
    ],
    "certificate": [
        *("certificate nonsense", "certificate check --nonsense"),
        *each("certificate check {}", (*FILES, "record", "/dev/null", "/dev/zero")),
        *each("certificate check --processes {}", (*NUMBERS, "0", "65", "-1")),
    ],
    "contest": [
        *each("contest play {}", (*LINKS[:6], f"http://127.0.0.1:1/contest/{'x' * 22}")),
        *each("contest show {}", (*LINKS[:6], f"http://127.0.0.1:1/contest/{'x' * 22}")),
        *each("contest watch {}", (*LINKS[:6], f"http://127.0.0.1:1/contest/{'x' * 22}")),
        *each("contest create --server http://127.0.0.1:1 --computers {}", ("x", "''", "strong,")),
        *each("contest create --server {}", (*LINKS[:6], *SERVERS)),
        *each("contest create --server http://127.0.0.1:1 --board {}", BOARDS),
        *each("contest create --server http://127.0.0.1:1 --count {}", (*NUMBERS, "0", "21")),
        *each("contest create --server http://127.0.0.1:1 --hours {}", (*NUMBERS, "0", "99999")),
        *each("contest create --server http://127.0.0.1:1 --code {}", ("rrr", "''", "xxxx")),
        *("contest x", "contest show", "contest create --code rrbb"),
    ],
    "race": [
        *each("race --join {}", (*LINKS[:6], f"http://127.0.0.1:1/match/{'x' * 22}")),
        *each("race --watch {}", (*LINKS[:6], f"http://127.0.0.1:1/match/{'x' * 22}")),
        *each("race --open {}", (*LINKS[:6], *SERVERS)),
        *each("race --open http://127.0.0.1:1 --board {}", BOARDS),
        *each("race --open http://127.0.0.1:1 --places {}", (*NUMBERS, "1", "9")),
        *each("race --open http://127.0.0.1:1 --row-seconds {}", (*NUMBERS, "0", "86401")),
        *each("race --open http://127.0.0.1:1 --name {}", ("''", "' '", "$'a\\tb'", "x" * 200)),
        *each("race --computers {}", ("x", "''", "strong,", "strong," * 8 + "strong")),
        *each("race --computers strong --pace {}", ("x", "''")),
        *each("race --computers strong --goal {}", ("x", "''")),
        *each("race --computers strong --database {}", (*ADDRESSES, "sqlite:///noise")),
        *("race", "race x", "race --resume", "race --resume --join x", "race --key-pegs referee"),
    ],
    "duel": [
        *each("duel --join {}", (*LINKS[:6], f"http://127.0.0.1:1/match/{'x' * 22}")),
        *each("duel --watch {}", (*LINKS[:6], f"http://127.0.0.1:1/match/{'x' * 22}")),
        *each("duel --open {}", (*LINKS[:6], *SERVERS)),
        *each("duel --open http://127.0.0.1:1 --board {}", BOARDS),
        *each("duel --open http://127.0.0.1:1 --row-seconds {}", (*NUMBERS, "0", "86401")),
        *each("duel --open http://127.0.0.1:1 --name {}", ("''", "' '")),
        *each("duel --computers {}", ("x", "''", "strong,", "strong,strong")),
        *each("duel --computers strong --pace {}", ("x", "''")),
        *each("duel --computers strong --key-pegs {}", ("x", "''", "checked")),
        *each("duel --computers strong --database {}", (*ADDRESSES, "sqlite:///noise")),
        *("duel", "duel x", "duel --resume", "duel --goal time", "duel --places 2"),
    ],
    "assist": [
        *each("assist referee --name a --name {}", ("''", "' '", "$'a\\tb'", "x" * 200)),
        *("assist --name a", "assist referee --name a --name b --name c"),
        *each("assist --board {}", BOARDS),
        *("assist x", "assist --level x", "assist referee --games 1"),
    ],
    "serve": [
        *each("serve --port {}", (*NUMBERS, "-1", "65536", "99999")),
        *each("serve --workers {}", (*NUMBERS, "0", "2", "65", "-1")),
        *each("serve --port 0 --host {}", ("x.invalid", "999.1.1.1", "a..b", "'a b'", "::g")),
        *each("serve --port 0 --database {}", (*ADDRESSES, "sqlite:///noise", "sqlite:///loop")),
        "serve --port 0 --database sqlite:////" + "x" * 300,
        "play --plain --database sqlite:////dev/full",
        *each("serve --public-url {}", ("x", "ftp://h", "http://h/path", "http://", "http://é")),
        *("serve --log-level loud", "serve --log-level INFO", "serve --redis x", "serve x"),
    ],
    "backup": [
        *each("backup new --database {}", (*ADDRESSES, *NO_DATABASES)),
        *each("backup {}", ("folder", "nowhere/x", "noise", "''", "new", "/dev/full")),
        "backup",
    ],
    "restore": [
        *each("restore {}", FILES),
        *each("restore record --database {}", (*ADDRESSES, *NO_DATABASES)),
        *("restore record", "restore", "restore /dev/null"),
    ],
    "prune": [
        *each("prune --database {}", (*ADDRESSES, *NO_DATABASES)),
        *each("prune --abandoned {}", (*NUMBERS, "0", "-1", "99999999999999")),
        *each("prune --older-than {}", (*NUMBERS, "0", "-1", "99999999999999")),
        *each("prune --daily {}", (*NUMBERS, "0", "-1", "99999999999999")),
        *each("prune --contests {}", (*NUMBERS, "0", "-1", "99999999999999")),
        *("prune --export folder", "prune --older-than 1 --export noise", "prune extra"),
    ],
}
"""Commands with their wrong inputs, as typed in a shell, in a folder that has the files below."""

SAVING = ("play", "serve", "daily", "contest", "race", "duel")
"""Commands that make the key of a database before they find that it cannot be opened."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files that are nothing good, and no database or key anywhere."""
    (tmp_path / "noise").write_bytes(b"\x00\xffnoise\n" * 300)
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "record").write_text("keypeg record 1\nboard: classic\n\nsecret RD RD RD RD\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("KEYPEG_DATABASE", raising=False)
    return tmp_path


@pytest.mark.parametrize("command", BAD)
def test_wrong_input_gets_one_line_that_helps(
    command: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before, wrong = sorted(folder.rglob("*")), []
    with open("/dev/null", encoding="utf-8") as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        for typed in BAD[command]:
            status = cli.run(words(typed))
            said = capsys.readouterr().err
            if not (
                status in (REFUSED, BAD_INPUT)
                and said.startswith("keypeg: ")
                and said.count("\n") == 1
                and "unexpected error" not in said
            ):
                wrong.append((typed, status, said))
    assert not wrong
    if command not in SAVING:
        assert sorted(folder.rglob("*")) == before


def test_the_wrong_inputs_try_every_option_that_has_a_value() -> None:
    typed = [words(line) for lines in BAD.values() for line in lines]
    for path, command in commands(cli.command, ()):
        tried = {word for line in typed if tuple(line[: len(path)]) == path for word in line}
        named = [one for one in command.params if isinstance(one, click.Option)]
        untried = [one.opts for one in named if not (one.is_flag or tried & set(one.opts))]
        assert tried, f"no wrong input for {' '.join(path)}"
        assert not untried, " ".join(path)


def commands(
    command: click.Command, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with its name, those of groups included."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    for name, one in command.commands.items():
        yield from commands(one, (*path, name))


def words(typed: str) -> list[str]:
    """The arguments that a shell makes of a line; $'...' may have escapes, as in bash."""
    plain = typed.replace("$'", "'")
    return [word.replace("\\0", "\0").replace("\\t", "\t") for word in shlex.split(plain)]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        *(
            (f"{command} --jso", "No such option '--jso'.")
            for command in ("suggest", "check", "book show classic", "evaluate", "assist")
        ),
        ("suggest -h", "No such option '-h'."),
        ("nonsense", "No such command 'nonsense'. 'keypeg --help' shows what it takes."),
        ("score RRRR", "Missing argument 'GUESS'. 'keypeg score --help' shows what it takes."),
        ("prune extra", "Got unexpected extra argument (extra). 'keypeg prune --help' shows"),
        ("play --jion x", "No such option '--jion'. (Did you mean one of: '--join',"),
        ("book show noise", "noise: not a strategy book"),
        ("prove --board 3x4 --book noise", "noise: not a strategy book"),
        ("play --plain --watch http://127.0.0.1:1/table/abc", "http://127.0.0.1:1 cannot be"),
        ("prune --database sqlite:///", "sqlite:/// names no file"),
        ("puzzle --grade x", "Invalid value for '--grade': 'x' is not a whole number from 1 to 5"),
        ("puzzle --grade 6", "Invalid value for '--grade': '6' is not a whole number from 1 to 5"),
        ("suggest --seed -1", "Invalid value for '--seed': '-1' is not a whole number from 0."),
        ("check --seconds x", "Invalid value for '--seconds': 'x' is not a time; use a number fro"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_refusal_names_what_was_wrong(
    typed: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(words(typed)) in (REFUSED, BAD_INPUT)
    assert capsys.readouterr().err.startswith(f"keypeg: {said}")


def test_a_code_and_a_row_may_begin_with_a_blank(capsys: pytest.CaptureFixture[str]) -> None:
    for typed in ("check --board 4x6b -RBB=20", "score --board 4x6b -RBB --BB"):
        assert cli.run(words(typed)) == 0
    assert cli.run(words("evaluate --board 2x3b --strategy parts --first -R")) == 0
    assert capsys.readouterr().err == ""

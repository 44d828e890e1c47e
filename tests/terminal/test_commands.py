"""Playing through a pipe, as a script or a screen reader's shell does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.forked import keypeg
from harness.programs import run

PROGRAM = f"{sys.executable} -m keypeg"


def shell(command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return run(["sh", "-c", command], env={**os.environ, **variables})


def test_a_series_of_two_people_is_played_through_a_pipe() -> None:
    people = ("--role", "both", "--name", "Ada", "--name", "Bob", "--key-pegs", "checked")
    typed = "rrbb\nrrgg\n11\n20\nrrbb\n40\n\nwwyy\nwwyy\n40\n\n"
    done = keypeg("play", *people, stdin=typed)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Not played: row 1: 1 black, 1 white is wrong" in done.stdout
    assert "Ada wins the series, 2 to 1." in done.stdout


def test_a_machine_makes_a_code_and_is_told_every_event() -> None:
    done = keypeg("play", "--role", "maker", "--level", "careful", "--json", stdin="1234\n")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    kinds = [event["event"] for event in events]
    assert kinds[:2] == ["turn", "sealed"]
    turn = {"event": "turn", "seat": "one", "role": "maker", "phase": "secret", "row": None}
    assert events[0] == turn
    assert kinds.count("end") == 1
    end = events[kinds.index("end")]
    assert (end["secret"], end["ending"], end["over"]) == ("RD BU YW GN", "broken", False)
    assert end["points"] == {"one": end["rows"], "two": 0}


def test_a_game_in_a_pipe_is_kept_only_where_told(tmp_path: Path) -> None:
    database = ("--database", f"sqlite:///{tmp_path}/games.db")
    # On a large board, where a guess does not hit the secret by chance.
    first = keypeg("play", "--board", "16x2", *database, stdin="12" * 8 + "\nquit\n")
    assert "Paused." in first.stdout
    again = keypeg("play", "--resume", *database, stdin="last\nresign\n\n")
    assert f"Row 1: {'red, blue, ' * 7}red, blue." in again.stdout
    assert "The breaker gave up." in again.stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("play", "--level", "genius"), "'genius' is not one of"),
        (("play", "--turn-seconds", "0"), "a turn limit is 1 to 86400"),
        (("play", "--name", "\x07"), "is not a valid name"),
        (("play", "--database", "nonsense"), "sqlite:///path"),
        (("assist", "nobody"), "'nobody' is not one of"),
        (("play", "--resume", "--board", "advanced"), "--board has no effect with --resume"),
        (("play", "--resume", "--join", "http://x/table/y"), "--join has no effect with --resume"),
        (("play", "--join", "http://x/table/y", "--games", "4"), "--games has no effect with"),
        (("play", "--open", "http://x", "--role", "both"), "sits elsewhere"),
        (("play", "--open", "nonsense"), "such as http://host:8000"),
        (("play", "--public"), "--public has no effect without --open"),
        (("play", "--role", "both", "--level", "strong"), "--level has no effect with"),
        (("play", "--name", "Ada", "--name", "Bob"), "given 2 times, for 1 person here"),
        (("play", "--role", "both", *("--name", "A") * 3), "given 3 times, for 2 people here"),
        (("assist", "maker", "--games", "4"), "--games has no effect with 'assist maker'"),
        (("tables", "nonsense"), "such as http://host:8000"),
    ],
)
def test_bad_input_gets_one_line_and_exit_2(arguments: tuple[str, ...], reason: str) -> None:
    done = keypeg(*arguments, stdin="")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert reason in done.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("play", "--games", "3"), "3 is odd: play 4"),
        (("play", "--resume", "--database", "memory"), "there is no unfinished series"),
    ],
)
def test_a_refusal_gets_one_line_and_exit_1(arguments: tuple[str, ...], reason: str) -> None:
    done = keypeg(*arguments, stdin="")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert reason in done.stderr


@pytest.mark.parametrize(
    "command",
    ["assist <&-", "assist maker <&-", "assist referee <&-", "assist >/dev/full </dev/null"],
)
def test_no_state_of_the_streams_brings_a_traceback(command: str) -> None:
    done = shell(f"{PROGRAM} {command}")
    assert done.returncode in (0, 1)
    assert "Traceback" not in done.stderr


def test_a_reader_who_leaves_is_no_error_worth_a_traceback() -> None:
    assert shell(f"yes rrbb | {PROGRAM} play | head -3").stderr == ""


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("keypeg as", "assist"),
        ("keypeg play --board cl", "classic"),
        ("keypeg play --level p", "perfect"),
        ("keypeg watch --strategies ", "learned"),
        ("keypeg watch --strategies minimax,en", "minimax,entropy"),
        ("keypeg evaluate --strategy p", "parts"),
    ],
)
def test_the_shell_completes_commands_boards_levels_and_strategies(
    words: str, offered: str
) -> None:
    done = shell(
        f"{Path(sys.executable).parent}/keypeg",
        _KEYPEG_COMPLETE="bash_complete",
        COMP_WORDS=words,
        COMP_CWORD=str(words.count(" ")),
    )
    assert f"plain,{offered}" in done.stdout.splitlines()

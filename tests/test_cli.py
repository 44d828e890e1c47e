"""The commands as a person or a script meets them: the real program in a process of its own."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

RECORD = """\
keypeg record 1
board: classic
key pegs: by-hand
one: Ann
two: Bob

secret RD WH BU GN
guess WH YW BU BK
answer 2 0
challenge upheld
reveal RD WH BU GN
close

secret RD WH BU GN
guess RD WH BU GN
answer 40
reveal RD WH BU GN
close

secret YW YW YW YW
guess YW YW YW YW
answer 40
reveal YW YW YW YW
close
"""


def keypeg(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "keypeg", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


def answer(*arguments: str, stdin: str = "") -> str:
    done = keypeg(*arguments, stdin=stdin)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_score_says_the_key_pegs() -> None:
    assert answer("score", "RD WH BU GN", "WH YW BU BK") == "1 black, 1 white\n"


def test_score_answers_machines() -> None:
    assert answer("score", "rwbg", "wybk", "--json") == '{"black":1,"white":1}\n'


def test_score_takes_any_board_and_says_red_on_the_advanced_ones() -> None:
    codes = ("MA OR BU GN BK", "OR YW BU PU WH")
    assert answer("score", *codes, "--board", "advanced") == "1 red, 1 white\n"
    assert answer("score", "--board", "4x10n", "123A", "A123") == "0 red, 4 white\n"


def test_boards_lists_the_official_ones() -> None:
    listed = json.loads(answer("boards", "--json"))
    assert [(b["board"], b["codes"], b["unbroken_points"]) for b in listed] == [
        ("classic", 1_296, 11),
        ("classic-blanks", 2_401, 11),
        ("advanced", 32_768, 13),
        ("advanced-blanks", 59_049, 13),
    ]
    assert "59,049" in answer("boards")


def test_boards_describes_a_custom_one() -> None:
    (described,) = json.loads(answer("boards", "4x10n/7", "--json"))
    assert (described["codes"], described["rows"], described["repeats"]) == (5_040, 7, False)


def test_replay_tells_a_series_row_by_row(tmp_path: Path) -> None:
    file = tmp_path / "series.txt"
    file.write_text(RECORD)
    told = answer("replay", str(file))
    assert "row 1 was answered 2 black, 0 white; right is 1 black, 1 white" in told
    assert "Points: Ann 1, Bob 4" in told
    assert "Bob wins the series." in told


def test_replay_answers_machines_and_reads_standard_input() -> None:
    told = json.loads(answer("replay", "-", "--json", stdin=RECORD))
    assert told["points"] == {"one": 1, "two": 4}
    assert told["winner"] == "two"
    assert told["games"][0]["wrong_answers"] == [
        {"row": 1, "given": {"black": 2, "white": 0}, "right": {"black": 1, "white": 1}}
    ]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("score", "RXBG", "RRRR"), "peg 2 (column 2): 'X' is no peg of this board"),
        (("score", "RRRR"), "Missing argument 'GUESS'"),
        (("score", "RRRR", "RRRR", "--board", "4y6"), "no board '4y6'"),
        (("score", "RRR-", "RRRR"), "blanks are off"),
        (("boards", "1000000000x1000000000"), "no board"),
        (("replay", "no-such-file"), "no-such-file"),
        (("replay", "."), "directory"),
        (("play", "--board", "x"), "no board 'x'"),
        (("nonsense",), "No such command 'nonsense'"),
        (("boards", "--nonsense"), "No such option"),
    ],
)
def test_bad_input_gets_one_line_and_exit_2(arguments: tuple[str, ...], reason: str) -> None:
    done = keypeg(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("keypeg: ")
    assert done.stderr.count("\n") == 1
    assert reason in done.stderr


def test_a_bad_record_is_refused_with_line_and_column() -> None:
    done = keypeg("replay", "-", stdin=RECORD.replace("guess WH", "guess XX"))
    assert done.returncode == 2
    assert "line 8, column 7: peg 1 (column 7): 'XX' is no peg" in done.stderr


def test_a_record_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "noise"
    file.write_bytes(b"keypeg record 1\n\xff\xfe")
    done = keypeg("replay", str(file))
    assert done.returncode == 2
    assert "not UTF-8 text (byte 16)" in done.stderr


PROGRAM = f"{shlex.quote(sys.executable)} -m keypeg"


def shell(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, shell=True, capture_output=True, text=True, errors="replace", check=False
    )


def test_a_closed_pipe_is_no_error_worth_a_traceback() -> None:
    assert shell(f"{PROGRAM} boards | true").stderr == ""


@pytest.mark.parametrize(
    "command",
    [
        "play <&-",
        "play --json <&-",
        "replay - <&-",
        "boards >&-",
        "score RRRR RRRR >&-",
        "boards >/dev/full",
        "play </dev/null >/dev/full",
        "replay /proc/self/mem",
        "score RRRX RRRR 2>/dev/full",
        "replay . 2>&-",
    ],
)
def test_no_state_of_the_streams_brings_a_traceback(command: str) -> None:
    done = shell(f"{PROGRAM} {command}")
    assert done.returncode in (0, 2)
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_no_character_brings_a_traceback(encoding: str) -> None:
    typed = "printf 'RRR\\303\\251\\n\\377\\nRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRR\\n'"
    done = shell(f"{typed} | PYTHONIOENCODING={encoding} {PROGRAM} play")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("Not played") == 3


def test_a_code_may_begin_with_a_blank() -> None:
    assert answer("score", "----", "R---", "--board", "classic-blanks") == "3 black, 0 white\n"
    assert answer("score", "- RD BU GN", "-RBG", "--board", "4x6b") == "4 black, 0 white\n"


def test_alone_it_plays() -> None:
    assert answer(stdin="quit\n").startswith("Break the code")


def test_help_has_an_example_for_every_command() -> None:
    for command in ("boards", "score", "play", "replay"):
        assert answer(command, "--help").count(f"keypeg {command}") > 1


def test_quick_commands_import_nothing_slow() -> None:
    """Start-up time is measured in bench/; here only its cause is kept out."""
    program = (
        "import sys; from keypeg.cli import cli; "
        "cli(['score', 'RRRR', 'RRBB'], standalone_mode=False); "
        "print(sorted({'numba', 'numpy', 'rich', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "2 black, 0 white\n[]\n"

"""The commands as a person or a script meets them: the real program in a process of its own."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from harness.forked import keypeg, talking
from harness.programs import run
from keypeg import cli
from keypeg.commands import boards
from keypeg.commands.exit_status import Stopped, stoppable
from keypeg.server.addresses import own_url
from keypeg.server.process import Started
from keypeg.server.settings import Settings
from keypeg.solver.certificates.shipped import shipped
from keypeg.solver.progress import Cancelled
from keypeg.terminal.qr import qr_lines

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


def answer(*arguments: str, stdin: str = "", status: int = 0) -> str:
    done = keypeg(*arguments, stdin=stdin)
    assert (done.returncode, done.stderr) == (status, "")
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
    assert "Bob wins the series, 4 to 1." in told


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
        (("score", "RXBG", "RRRR"), "peg 2 (column 2): 'X' is not a peg of this board"),
        (("score", "RRRR"), "Missing argument 'GUESS'"),
        (("score", "RRRR", "RRRR", "--board", "4y6"), "'4y6' is not a valid board"),
        (("boards", "1000000000x1000000000"), "is not a valid board"),
        (("replay", "no-such-file"), "no-such-file"),
        (("replay", "."), "directory"),
        (("play", "--board", "x"), "'x' is not a valid board"),
        (("nonsense",), "No such command 'nonsense'"),
        (("suggest", "RRBB"), "row 1: 'RRBB' has no '='"),
        (("suggest", "RRBB=20", "RRBX=20"), "row 2: peg 4"),
        (("suggest", "--level", "genius"), "'genius' is not one of 'beginner'"),
        (("suggest", "--seed", "-1"), "--seed"),
        (("suggest", "--seconds", "-1"), "--seconds"),
        (("suggest", "--seconds", "nan"), "use a number from 0"),
        (("evaluate", "--strategy", "luck"), "no strategy 'luck'"),
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


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("score", "RRR-", "RRRR"), "blanks are off"),
        (("check", "RRBB=31"), "row 1: 3 black and 1 white cannot occur"),
        (("suggest", "RRBB=10", "YYGG=10", "RRBB=20"), "rows 1 and 3 contradict each other"),
        (("evaluate", "--board", "12x20"), "12x20"),
        (("prove", "--board", "12x20"), "12x20"),
        (("prove", "--board", "3x4", "--worst", "2"), "no strategy finds every code in 2 guesses"),
        (("watch", "--board", "12x20", "--strategies", "careful"), "use a sample"),
        (("play", "--join", "http://127.0.0.1:1/table/x"), "cannot be reached"),
    ],
)
def test_what_is_understood_but_refused_gets_one_line_and_exit_1(
    arguments: tuple[str, ...], reason: str
) -> None:
    done = keypeg(*arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("keypeg: ")
    assert done.stderr.count("\n") == 1
    assert reason in done.stderr


def test_a_record_without_a_row_has_no_review() -> None:
    header = RECORD.partition("\n\n")[0] + "\n\n"
    done = keypeg("analyse", "-", stdin=header)
    assert (done.returncode, done.stdout) == (1, "")
    assert "nothing to review" in done.stderr


def test_a_bad_record_is_refused_with_line_and_column() -> None:
    done = keypeg("replay", "-", stdin=RECORD.replace("guess WH", "guess XX"))
    assert done.returncode == 2
    assert "line 8, column 7: peg 1 (column 7): 'XX' is not a peg" in done.stderr


def test_a_record_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "noise"
    file.write_bytes(b"keypeg record 1\n\xff\xfe")
    done = keypeg("replay", str(file))
    assert done.returncode == 2
    assert "not UTF-8 text (byte 16)" in done.stderr


PROGRAM = f"{shlex.quote(sys.executable)} -m keypeg"


def shell(command: str) -> subprocess.CompletedProcess[str]:
    return run(["sh", "-c", command], errors="replace")


def test_a_closed_pipe_has_a_status_and_needs_no_words() -> None:
    for command in (("boards",), ("--help",), ("play", "--json"), ("book", "list")):
        reads, writes = os.pipe()
        os.close(reads)
        try:
            done = run([sys.executable, "-m", "keypeg", *command], stdout=writes)
        finally:
            os.close(writes)
        assert (done.returncode, done.stderr) == (141, ""), command


def test_an_unexpected_error_is_one_line_and_its_traceback_comes_on_request(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise ZeroDivisionError("nothing\nto divide by: db://ann:hidden@host")

    monkeypatch.delenv("KEYPEG_DEBUG", raising=False)
    monkeypatch.setattr(boards.boards, "callback", fail)
    assert cli.run(["boards"]) == 70
    said = capsys.readouterr().err
    assert said.startswith("keypeg: unexpected error: ZeroDivisionError: nothing to divide by: ")
    assert "hidden" not in said
    assert "KEYPEG_DEBUG=1" in said
    assert said.count("\n") == 1
    monkeypatch.setenv("KEYPEG_DEBUG", "1")
    assert cli.run(["boards"]) == 70
    assert capsys.readouterr().err.startswith("Traceback")


@pytest.mark.parametrize(
    "arguments",
    [
        *(("serve", "--host"), ("serve", "--database"), ("serve", "--public-url")),
        *(("prune", "--database"), ("prune", "--older-than", "1", "--export")),
        *(("play", "--database"), ("play", "--join"), ("play", "--name"), ("prove", "--log")),
    ],
)
def test_an_empty_option_is_refused_and_means_no_default(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """As in `--database "$UNSET"`."""
    assert cli.run([*arguments, ""]) == 2
    line = f"Invalid value for '{arguments[-1]}': it is empty; leave it out for the default"
    assert line in capsys.readouterr().err


@pytest.mark.parametrize("stopped", [signal.SIGINT, signal.SIGTERM])
def test_a_search_that_a_signal_stops_early_has_the_status_of_the_signal(
    stopped: signal.Signals,
) -> None:
    def search() -> None:
        with stoppable(None) as stop:
            stop.press(stopped)
            assert stop()
            raise Cancelled("nothing was found")

    with pytest.raises(Stopped, match="nothing was found") as end:
        search()
    assert end.value.status == 128 + stopped


def test_the_network_can_be_told_where_the_server_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(*arguments: str, network: tuple[str, ...] = ()) -> list[str]:
        def serve(
            settings: Settings, announce: Callable[[Started], None], *, browser: bool
        ) -> None:
            announce(Started(own_url(settings, 8000), network))

        monkeypatch.setattr("keypeg.server.process.serve", serve)
        assert cli.run(["serve", *arguments]) == 0
        return capsys.readouterr().out.splitlines()

    monkeypatch.setattr("keypeg.terminal.qr.can_draw", lambda _: True)
    found = ("http://192.168.7.3:8000/", "http://10.8.0.2:8000/")
    lines = told("--host", "0.0.0.0", network=found)
    assert lines[:3] == [
        "keypeg: http://localhost:8000/",
        "Others on your network can open http://192.168.7.3:8000/",
        "or http://10.8.0.2:8000/",
    ]
    assert lines[3:] == [click.unstyle(line) for line in qr_lines(found[0])]
    assert "not on a network" in told("--host", "0.0.0.0")[1]
    assert told()[1].startswith("Only this device can open it.")
    assert len(told("--public-url", "https://a.example")) == 1
    assert json.loads(told("--json", network=found)[0])["network"] == list(found)


def test_a_group_alone_shows_its_help() -> None:
    done = keypeg("book")
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: keypeg book")
    assert "\n  verify " in done.stderr


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
    assert done.returncode in (0, 1, 2)
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


def test_alone_it_serves_the_game_to_a_browser(tmp_path: Path) -> None:
    told = {
        "BROWSER": "true",
        "KEYPEG_PORT": "0",
        "KEYPEG_DATABASE": f"sqlite:///{tmp_path}/keypeg.db",
    }
    with talking(env=told) as server:
        assert server.until("\n").startswith("keypeg: http://127.0.0.1:")
        server.program.send_signal(signal.SIGTERM)
        assert server.program.ends() is not None


def test_help_has_an_example_for_every_command() -> None:
    for command in (
        *("boards", "score", "play", "replay", "suggest", "check", "evaluate", "prove", "analyse"),
        *("assist", "bound", "watch", "puzzle", "unfair"),
        *("book make", "book list", "book show", "book verify"),
        *("race", "duel"),
        *("contest create", "contest play", "contest watch", "contest show"),
    ):
        assert answer(*command.split(), "--help").count(f"keypeg {command}") > 1


def test_suggest_says_a_guess_and_why() -> None:
    assert "splits the 1,296 codes left into 14 groups" in answer("suggest")
    told = json.loads(answer("suggest", "1111=20", "1122=20", "--json"))
    assert (told["candidates"], told["possible"], told["contradicts"]) == (16, False, [1, 2])
    assert told["certainty"] == "proven"


def test_suggest_takes_rows_that_begin_with_a_blank() -> None:
    rows = ("-R-R=11", "--BB=20")
    told = json.loads(answer("suggest", *rows, "--board", "classic-blanks", "--json"))
    assert told["candidates"] > 0


def test_check_answers_machines() -> None:
    told = json.loads(answer("check", "RRBB=10", "RRGG=10", "BBGG=40", "--json", status=1))
    assert (told["consistent"], told["candidates"], told["contradiction"]) == (False, 0, [1, 3])
    assert told["repairs"][0] == {
        "row": 3,
        "black": 0,
        "white": 0,
        "candidates": 54,
        "exact": True,
    }
    told = json.loads(answer("check", "RRBB=10", "--json"))
    assert (told["consistent"], told["contradiction"], told["repairs"]) == (True, None, [])


def test_check_tells_people_which_rows_and_what_they_should_be() -> None:
    told = answer("check", "RRBB=10", "RRGG=10", "BBGG=40", status=1)
    assert "row 1: RD RD BU BU   1 black, 0 white" in told
    assert "row 3 should be 0 black, 0 white, which leaves 54" in told
    assert answer("check", "RRBB=40") == "1 code fits.\n"


def test_check_takes_boards_too_large_to_list() -> None:
    told = json.loads(answer("check", "--board", "12x20", "123456789ABC=0 0", "--json"))
    assert told["candidates"] == 8**12


def test_evaluate_answers_machines() -> None:
    told = json.loads(answer("evaluate", "--strategy", "minimax", "--first", "1122", "--json"))
    assert (told["codes"], told["total"], told["worst"]) == (1_296, 5_801, 5)
    assert sum(told["distribution"].values()) == 1_296


def test_bound_says_what_no_strategy_can_do_and_proves_it(tmp_path: Path) -> None:
    proof = tmp_path / "4x4.certificate"
    told = answer("bound", "--board", "4x4", "--at-least", "904", "--certificate", str(proof))
    assert told.startswith("4x4: no strategy takes fewer than 904 guesses for 256 codes: 3.53125")
    assert f"certificate: {proof}" in told
    assert "no strategy takes fewer than 904 guesses" in answer("certificate", "check", str(proof))


def test_bound_says_that_a_strategy_takes_fewer(tmp_path: Path) -> None:
    done = keypeg("bound", "--board", "4x4", "--at-least", "906", "--log", str(tmp_path / "log"))
    assert done.returncode == 1
    assert "no strategy takes fewer than 905" in done.stdout
    assert "this is the least total" in done.stdout
    assert "906 was not shown" in done.stdout


def test_bound_writes_a_book_of_the_least_total(tmp_path: Path) -> None:
    book = tmp_path / "4x4.book"
    told = json.loads(answer("bound", "--board", "4x4", "--book", str(book), "--json"))
    assert (told["bound"], told["exact"], told["book"]) == (905, True, str(book))
    assert "905 guesses" in answer("book", "verify", str(book))
    other = tmp_path / "other.book"
    told = answer("bound", "--board", "4x4", "--at-least", "900", "--book", str(other))
    assert "no book" in told
    assert not other.exists()


def test_prove_answers_machines() -> None:
    told = json.loads(answer("prove", "--board", "3x4", "--json"))
    assert (told["total"], told["worst"], told["proven"]) == (206, 4, True)
    assert told["nodes"] > 0
    found = {int(guesses): codes for guesses, codes in told["distribution"].items()}
    assert sum(found.values()) == 64
    assert sum(guesses * codes for guesses, codes in found.items()) == 206


def test_one_thread_finds_the_same_every_time(tmp_path: Path) -> None:
    """With two, the number of nodes and the strategy vary."""

    def found(*arguments: str) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(answer(*arguments, "--threads", "1", "--json"))
        return told | {"seconds": None}

    proofs = [found("prove", "--board", "4x5") for _ in range(2)]
    assert proofs[0] == proofs[1]
    books = [tmp_path / "one.book", tmp_path / "other.book"]
    made = [found("book", "make", "4x4", str(book), "--stages", "1") for book in books]
    assert made[0] == made[1]
    assert books[0].read_bytes() == books[1].read_bytes()


def test_books_are_listed_shown_and_verified() -> None:
    listed = {one["board"]: one for one in json.loads(answer("book", "list", "--json"))}
    assert (listed["classic"]["total"], listed["classic"]["status"]) == (5_625, "proven")
    (verified,) = json.loads(answer("book", "verify", "classic", "--json"))
    assert (verified["verified"], verified["total"], verified["worst"]) == (True, 5_625, 6)
    assert verified["lower"] == 5_625
    shown = json.loads(answer("book", "show", "classic", "--json"))
    assert shown["guess"] == "RD RD BU YW"


def test_books_are_compared_with_what_no_strategy_is_below(tmp_path: Path) -> None:
    (advanced,) = json.loads(answer("book", "verify", "advanced", "--json"))
    assert 167_045 <= advanced["lower"] < advanced["total"]
    more = (advanced["total"] - advanced["lower"]) / advanced["lower"]
    told = answer("book", "verify", "advanced")
    assert f"fewer than {advanced['lower']:,}: this one is at most {more:.2%} above" in told
    assert f"{advanced['lower']:,}" in answer("book", "list")
    answer("book", "make", "2x5", str(tmp_path / "own.book"), "--stages", "1")
    (own,) = json.loads(answer("book", "verify", str(tmp_path / "own.book"), "--json"))
    assert own["lower"] is None


def test_a_book_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "noise"
    file.write_bytes(b"noise")
    for command in (("book", "verify", "nonsense"), ("book", "show", str(file))):
        done = keypeg(*command)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1


def test_analyse_reviews_a_record() -> None:
    told = json.loads(answer("analyse", "-", "--json", "--seconds", "60", stdin=RECORD))
    assert [len(game["rows"]) for game in told] == [1, 1, 1]
    assert told[0]["rows"][0]["before"] == 1_296
    right = [game["rows"][0]["right"] for game in told]
    assert right == [{"black": 1, "white": 1}, None, None]
    told = answer("analyse", "-", stdin=RECORD)
    assert "the best play takes 4.340 (proven)" in told
    assert told.count("the answer was wrong; right is 1 black, 1 white") == 1
    assert all(len(line) <= 80 for line in told.splitlines())


def test_a_picture_is_of_the_kind_that_its_name_says(tmp_path: Path) -> None:
    for name in ("x", "x.gif", "x.png.txt"):
        done = keypeg("analyse", "-", "--plot", tmp_path / name, stdin=RECORD)
        assert done.returncode == 2
        assert f"'{name}' must end in .png, .svg or .pdf" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_quick_commands_import_nothing_slow() -> None:
    """Start-up time is measured in bench/; here only its cause is kept out."""
    program = (
        "import sys; from keypeg.cli import cli; "
        "cli(['score', 'RRRR', 'RRBB'], standalone_mode=False); "
        "print(sorted({'numba', 'numpy', 'rich', 'asyncio'} & set(sys.modules)))"
    )
    done = run([sys.executable, "-c", program], check=True)
    assert done.stdout == "2 black, 0 white\n[]\n"


JSON_COMMANDS = {
    "score": "rrbb rrgg",
    "boards": "",
    "suggest": "1122=11",
    "check": "1122=00 3344=00 5566=00",
    "replay": "{record}",
    "analyse": "{record}",
    "evaluate": "--board 2x3 --strategy minimax",
    "prove": "--board 2x3",
    "bound": "--board 2x3",
    "certificate check": "{certificates}/classic.certificate",
    "book make": "2x3 {folder}/new.book --stages 1",
    "book list": "",
    "book show": "classic 1123=11",
    "book verify": "{folder}/new.book",
    "puzzle": "--solution --grade 1 --seed 1",
    "watch": "--board 3x4 --sample 1 --strategies beginner",
}


def test_every_field_of_json_is_documented_and_every_documented_one_is_there(
    tmp_path: Path,
) -> None:
    record = tmp_path / "record.txt"
    record.write_text(RECORD)
    documented = json_fields((Path(__file__).parent.parent / "docs/json.md").read_text())
    for command, arguments in JSON_COMMANDS.items():
        certificates = shipped()[0].parent
        words = arguments.format(record=record, folder=tmp_path, certificates=certificates).split()
        done = keypeg(*command.split(), *words, "--json")
        assert done.returncode in (0, 1), (command, done.stderr)
        found = set(flat(json.loads(done.stdout), documented[command]))
        assert found == documented[command], command


def json_fields(text: str) -> dict[str, set[str]]:
    """The fields of each command, from the table in docs/json.md."""
    fields: dict[str, set[str]] = {}
    commands: list[str] = []
    for line in text.splitlines():
        if line.startswith("| ") and "`" in line:
            first, second = line.split("|")[1:3]
            commands = re.findall("`(.+?)`", first) or commands
            for command in commands:
                fields.setdefault(command, set()).update(re.findall("`(.+?)`", second))
    return fields


def flat(value: Any, leaves: set[str], name: str = "") -> Iterator[str]:
    """The names of all fields; those in `leaves` are not looked into."""
    if name in leaves or not isinstance(value, dict | list):
        yield name
    elif isinstance(value, list):
        for item in value:
            yield from flat(item, leaves, name)
    else:
        for key, item in value.items():
            yield from flat(item, leaves, f"{name}.{key}" if name else key)

"""Searches that take long, as commands: stopped, killed and gone on with."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from harness.descriptors import readable
from harness.forked import keypeg, start, talking
from harness.programs import SECONDS
from keypeg.rules.board import Board
from keypeg.solver.books.book import BookClaim, read_book, shipped
from keypeg.solver.books.verifier import verify

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def told(*arguments: object) -> Any:
    """What a command answers a machine."""
    done = keypeg(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def stopped(how: signal.Signals, lines: int, *arguments: object) -> str:
    """Start a command, send the signal once its log has more than `lines`, give what it said."""
    with talking(*arguments, env={"KEYPEG_TEST_STANDSTILL": str(lines)}) as talk:
        assert talk.program.stands_still(), f"it was done before it could be stopped: {talk}"
        talk.program.send_signal(how)
        talk.program.send_signal(signal.SIGCONT)
        said = talk.to_the_end()
    assert talk.program.returncode == (-9 if how == signal.SIGKILL else 128 + how)
    return said


def wait_for_lines(process: subprocess.Popen[str], log: Path, lines: int) -> None:
    """Wait until the log that a process writes has more than `lines`."""
    patience_ends = time.monotonic() + SECONDS
    while not log.exists() or log.read_bytes().count(b"\n") <= lines:
        assert process.poll() is None, "it was done before it could be stopped"
        assert time.monotonic() < patience_ends, f"not {lines} lines: {log}"
        time.sleep(0.01)


@contextmanager
def started(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A program in an interpreter of its own; it is killed if it has not ended then."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_program_that_a_test_gives_up_on_is_killed() -> None:
    sleeping = [sys.executable, "-c", f"import time; time.sleep({SECONDS})"]
    with pytest.raises(AssertionError, match="given up"), started(sleeping) as process:
        raise AssertionError("given up")
    assert process.returncode == -signal.SIGKILL


def entries(log: Path) -> list[dict[str, Any]]:
    """The whole lines of a log, without its header."""
    return [json.loads(line) for line in log.read_text().rpartition("\n")[0].splitlines()[1:]]


def test_a_killed_book_is_made_as_well_or_better_in_the_end(tmp_path: Path) -> None:
    book, log = tmp_path / "my.book", tmp_path / "my.book.log"
    make = ("book", "make", "5x5", book)
    first = told(*make, "--stages", 1)
    before = log.read_text().count("\n")
    stopped(signal.SIGKILL, before + 3, *make, "--stages", 4)
    kept = entries(log)
    found = told(*make, "--stages", 4)
    assert found["total"] <= first["total"]
    assert not found["proven"]
    assert entries(log)[: len(kept)] == kept
    jobs = [(e["first"], e["answer"], str(e["width"])) for e in entries(log)]
    assert len(set(jobs)) == len(jobs)
    assert verify(book).total == found["total"]


def test_a_killed_proof_ends_with_the_same_total(tmp_path: Path) -> None:
    log, book = tmp_path / "log", tmp_path / "4x7.book"
    prove = ("prove", "--board", "4x7", "--log", log)
    stopped(signal.SIGKILL, 50, *prove)
    kept = entries(log)
    found = told(*prove, "--book", book)
    assert (found["total"], found["proven"]) == (11_228, True)
    assert entries(log)[: len(kept)] == kept
    assert read_book(book).claim == BookClaim(11_228, found["worst"], proven=True)
    assert verify(book).total == 11_228


def test_a_book_interrupted_by_hand_is_written(tmp_path: Path) -> None:
    book, log = tmp_path / "my.book", tmp_path / "elsewhere.log"
    make = ("book", "make", "5x5", book, "--log", log)
    stages_done = 30
    said = stopped(signal.SIGINT, stages_done, *make, "--stages", 4)
    assert "an upper bound" in said
    assert verify(book).board == Board(5, 5)


def test_a_proof_interrupted_by_hand_claims_an_upper_bound(tmp_path: Path) -> None:
    log = tmp_path / "log"
    said = stopped(signal.SIGINT, 1, "prove", "--board", "4x8", "--log", log)
    assert "an upper bound" in said


def test_in_the_background_of_a_script_ctrl_c_is_ignored_and_sigterm_ends_in_order(
    tmp_path: Path,
) -> None:
    log = tmp_path / "log"
    program = [sys.executable, "-m", "keypeg", "prove", "--board", "4x9", "--log", str(log)]
    command = ["sh", "-c", """trap '' INT; exec "$@" """, "sh", *program]
    with started(command) as process:
        wait_for_lines(process, log, 1)
        process.send_signal(signal.SIGINT)
        wait_for_lines(process, log, 3 + log.read_bytes().count(b"\n"))
        process.terminate()
        said, _ = process.communicate(timeout=SECONDS)
    assert process.returncode == 128 + signal.SIGTERM
    assert "an upper bound" in said
    assert "no strategy takes fewer than" in said


def test_time_that_is_up_ends_a_search_with_what_is_there(tmp_path: Path) -> None:
    assert "before any strategy" in refused("prove", "--board", "4x9", "--minutes", 0)
    make = ("book", "make", "4x5", tmp_path / "my.book")
    before = told(*make, "--stages", 1)
    log = (tmp_path / "my.book.log").read_bytes()
    after = told(*make, "--stages", 4, "--minutes", 0)
    assert after["total"] == before["total"]
    assert (tmp_path / "my.book.log").read_bytes() == log


def test_a_proof_begins_with_the_shipped_book() -> None:
    found = told("prove", "--board", "5x7", "--minutes", 0)
    assert (found["total"], found["proven"], found["nodes"]) == (85_645, False, 0)
    assert 80_000 < found["lower"] < found["total"]


def test_a_proof_that_has_no_strategy_yet_answers_in_json_too() -> None:
    done = keypeg("prove", "--board", "4x9", "--minutes", 0, "--json")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    found = json.loads(done.stdout)
    assert (found["board"], found["total"], found["proven"]) == ("4x9", None, False)
    assert 30_000 < found["lower"] < 34_666


def test_a_book_keeps_to_a_worst_case(tmp_path: Path) -> None:
    book = tmp_path / "my.book"
    found = told("book", "make", "4x6", book, "--worst", 5, "--stages", 2)
    assert found["worst"] == 5
    assert read_book(book).claim == BookClaim(found["total"], 5, proven=False, limit=5)


def test_a_better_book_is_left_alone(tmp_path: Path) -> None:
    book = tmp_path / "my.book"
    book.write_bytes(shipped()["classic"].read_bytes())
    told("book", "make", "classic", book, "--stages", 1)
    assert book.read_bytes() == shipped()["classic"].read_bytes()


def refused(*arguments: object, status: int = 1) -> str:
    """The one line that says why."""
    done = keypeg(*arguments)
    assert done.returncode == status
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_a_time_that_is_none_is_not_understood(tmp_path: Path) -> None:
    for minutes in ("nan", "-1", "-nan", "soon"):
        assert "--minutes" in refused("prove", f"--minutes={minutes}", status=2)
        make = ("book", "make", "4x4", tmp_path / "my.book", f"--minutes={minutes}")
        assert "--minutes" in refused(*make, status=2)


def test_a_log_that_cannot_be_one_is_refused(tmp_path: Path) -> None:
    assert "/dev/full is not a regular file" in refused("prove", "--log", "/dev/full", status=2)
    assert str(tmp_path) in refused("prove", "--log", tmp_path, status=2)
    assert "no folder" in refused("prove", "--log", tmp_path / "nowhere" / "log", status=2)
    assert "codes" in refused("prove", "--board", "8x12", "--log", tmp_path / "log")
    assert list(tmp_path.iterdir()) == []


def test_one_guess_is_one() -> None:
    assert "in 1 guess\n" in refused("prove", "--board", "2x2", "--worst", 1)


def test_a_book_of_another_board_is_left_alone(tmp_path: Path) -> None:
    book = tmp_path / "my.book"
    book.write_bytes(shipped()["4x8"].read_bytes())
    assert "is a book of 4x8" in refused("book", "make", "3x4", book)
    assert "is a book of 4x8" in refused("prove", "--board", "4x8", "--worst", 6, "--book", book)
    assert book.read_bytes() == shipped()["4x8"].read_bytes()


def test_a_book_that_cannot_be_written_is_refused_before_the_search(tmp_path: Path) -> None:
    assert "up to 6 holes" in refused("book", "make", "7x2", tmp_path / "my.book")
    nowhere = tmp_path / "nowhere"
    book = nowhere / "my.book"
    assert str(nowhere) in refused("prove", "--board", "4x8", "--book", book, status=2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "seen"),
    [
        (("prove", "--board", "4x7"), ("first guess", "least total 11,2", "left")),
        (("book", "make", "5x5", "my.book", "--stages", "2"), ("stage", "least total 13,", "left")),
    ],
)
def test_a_person_sees_how_far_it_is(
    tmp_path: Path, arguments: tuple[str, ...], seen: tuple[str, ...]
) -> None:
    """On a real terminal: the current total, and an estimate of what is left."""
    ours, theirs = pty.openpty()
    like = {"TERM": "xterm", "COLUMNS": "150", "NO_COLOR": "1"}
    with open(os.devnull, "r+b") as nothing:
        nowhere = nothing.fileno()
        program = start(arguments, [nowhere, nowhere, theirs], cwd=tmp_path, env=like)
    os.close(theirs)
    try:
        screen = shown(ours)
        assert program.ends() == 0, screen
    finally:
        program.kill()
        os.close(ours)
    for words in seen:
        assert words in screen


def shown(terminal: int, seconds: float = SECONDS) -> str:
    """What a terminal shows, until nobody has it any more."""
    screen, patience_ends = b"", time.monotonic() + seconds
    with contextlib.suppress(OSError):  # how Linux says that the other end is closed
        while True:
            silent = not readable(terminal, patience_ends - time.monotonic())
            assert not silent, f"it has not ended after {seconds} s: {screen!r}"
            chunk = os.read(terminal, 4096)
            if not chunk:  # how macOS says it
                break
            screen += chunk
    return screen.decode(errors="replace")


@pytest.mark.timeout(10)
def test_a_screen_ends_with_its_program_and_is_shown_if_it_does_not() -> None:
    ours, theirs = os.pipe()  # which ends as a terminal of macOS does
    os.write(theirs, b"half done")
    with pytest.raises(AssertionError, match="half done"):
        shown(ours, seconds=0.1)
    os.write(theirs, b"all done")
    os.close(theirs)
    assert shown(ours) == "all done"
    os.close(ours)

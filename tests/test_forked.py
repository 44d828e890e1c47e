"""Programs that are forked end as others do, and leave nothing behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from harness.descriptors import many_open, open_descriptors, readable
from harness.forked import ForkServer, Talk, keypeg, talking
from harness.programs import SECONDS, StillRunning, run

STANDS_STILL = {"KEYPEG_TEST_STANDSTILL": "1"}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are forked on Linux")


@pytest.mark.parametrize(
    "program",
    [
        "pass",
        "raise SystemExit",
        "raise SystemExit(3)",
        "raise SystemExit(-1)",
        "raise SystemExit(1 << 40)",
        "raise SystemExit(True)",
        "raise SystemExit('this was wrong')",
        "raise SystemExit(('this', 'was', 'wrong'))",
        "raise ValueError('this was wrong')",
        "raise KeyboardInterrupt",
        "signal.raise_signal(signal.SIGTERM)",
        "atexit.register(print, 'last words'); raise SystemExit(3)",
        "threading.Timer(0.1, print, ['last words']).start(); raise KeyboardInterrupt",
        "print('unheard'); os.close(1)",
        "sys.stdout.close()",
    ],
)
def test_a_program_ends_as_in_an_interpreter_of_its_own(program: str) -> None:
    imports = "import atexit, os, signal, sys, threading"
    lines = f"{imports}\nfrom harness import fork_server\ndef program():\n    {program}\n"
    real = run([sys.executable, "-c", f"{lines}program()"])
    here = run([sys.executable, "-c", f"{lines}fork_server.run_to_the_end(program)"])
    assert here.returncode == real.returncode
    assert here.stdout == real.stdout
    assert here.stderr.splitlines()[-1:] == real.stderr.splitlines()[-1:]


def test_programs_are_heard_by_whoever_has_many_files_open() -> None:
    with many_open():
        assert keypeg("score", "RRBG", "RRRR").returncode == 0
        with talking("--help") as talk:
            assert "Usage" in talk.to_the_end()


def test_a_letter_that_comes_in_two_pieces_is_heard() -> None:
    hears, says = os.pipe()
    with tempfile.TemporaryFile() as errors, talking("--help") as other:
        talk = Talk(other.program, -1, hears, errors)
        for piece in (b"na\xc3", b"\xafve"):
            os.write(says, piece)
            talk._hear(SECONDS)
    os.close(hears)
    os.close(says)
    assert talk.heard == "naïve"


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_talk_that_is_left_early_leaves_nothing_behind(tmp_path: Path) -> None:
    prove = ("prove", "--board", "4x6", "--log", tmp_path / "log")
    keypeg("--version")
    before = open_descriptors()
    with talking(*prove, env=STANDS_STILL) as talk:
        assert talk.program.stands_still(), str(talk)
    assert talk.program.returncode == -signal.SIGKILL
    assert gone(talk.program.pid)
    assert open_descriptors() <= before


def test_a_program_that_takes_too_long_leaves_nothing_behind(tmp_path: Path) -> None:
    prove = ("prove", "--board", "4x6", "--log", tmp_path / "log")
    keypeg("--version")
    before = open_descriptors()
    with pytest.raises(StillRunning, match="ran for"):
        keypeg(*prove, env=STANDS_STILL, seconds=0.05)
    assert open_descriptors() <= before


STOPS_ITSELF = """\
import os, signal
from keypeg import cli
from harness import fork_server
cli.main = lambda: os.kill(os.getpid(), signal.SIGSTOP)
fork_server.main(lambda: None)
"""
DIES_MEANWHILE = """\
import os, sys
from pathlib import Path
from harness.forked import ForkServer
server = ForkServer("stops_itself", {"PYTHONPATH": sys.argv[1]})
with open(os.devnull, "r+b") as nothing:
    program = server.start([], [nothing.fileno()] * 3, Path.cwd(), os.environ)
assert program.stands_still()
print(program.pid, flush=True)
os._exit(1)
"""


def test_programs_do_not_outlive_the_one_who_ordered_them(tmp_path: Path) -> None:
    """As a worker of pytest that is ended in the middle of a test."""
    (tmp_path / "stops_itself.py").write_text(STOPS_ITSELF)
    said = tmp_path / "said"
    with said.open("wb") as output:  # a pipe would be open as long as what it started
        command = [sys.executable, "-c", DIES_MEANWHILE, tmp_path]
        run(command, stdout=output, stderr=output)
    pid = int(said.read_text())
    with contextlib.suppress(ProcessLookupError):  # it is gone already
        ending = os.pidfd_open(pid)
        try:
            assert readable(ending, SECONDS), f"{pid} lives on"
        finally:
            signal.pidfd_send_signal(ending, signal.SIGKILL)
            os.close(ending)


def test_a_fork_server_that_does_not_end_is_killed(tmp_path: Path) -> None:
    (tmp_path / "deaf.py").write_text(f"import time\ntime.sleep({SECONDS})\n")
    server = ForkServer("deaf", {"PYTHONPATH": str(tmp_path)})
    with pytest.raises(subprocess.TimeoutExpired):
        server.close(seconds=0.1)
    assert server._process.returncode == -signal.SIGKILL


def test_a_fork_server_is_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first test that needs one may have gone to a folder of its own."""
    monkeypatch.chdir(tmp_path)
    server = ForkServer("harness.descriptors")
    server.close()
    assert server._process.returncode == 0

"""The real program in a real terminal of 80 columns and 24 rows, typed into and read by tmux."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal

from harness.forked import keypeg
from harness.programs import run
from harness.servers.in_process import Running, running
from keypeg.daily.codes import PURPOSE, Codes
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import Form, format_code
from tests.daily.clocks import SetClock
from tests.web.conftest import serving

PATIENCE = 60.0
DAY = date(2026, 11, 18)


@dataclass
class Terminal:
    """A tmux server of its own, in one folder."""

    folder: Path
    running: bool = False

    @property
    def socket(self) -> str:
        return str(self.folder / "tmux")

    def tmux(self, *arguments: str) -> str:
        command = ["tmux", "-N", "-S", self.socket, *arguments]
        done = run(command)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
        return done.stdout

    def start(self, *arguments: str, **variables: str) -> None:
        """Run keypeg; its exit status is said when it ends."""
        told = {"XDG_DATA_HOME": str(self.folder), "TERM": "xterm-256color", **variables}
        settings = " ".join(f"{name}={value}" for name, value in told.items())
        program = f"env {settings} {sys.executable} -m keypeg {' '.join(arguments)}"
        shell = f"{program}; echo status $?; cat"
        if self.running:
            self.tmux("respawn-pane", "-k", shell)
        else:
            self.tmux("new-session", "-d", "-x", "80", "-y", "24", shell)
        self.running = True

    def type(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    @property
    def screen(self) -> str:
        return self.tmux("capture-pane", "-p")

    def wait_for(self, *texts: str) -> str:
        """The screen, once it shows all `texts`: a screen is drawn in pieces, so that one text
        does not mean that another is there too."""
        patience_ends = time.monotonic() + PATIENCE
        while time.monotonic() < patience_ends:
            screen = self.screen
            if all(text in screen for text in texts):
                return screen
            time.sleep(0.05)
        missing = [text for text in texts if text not in screen]
        raise AssertionError(f"{missing} did not appear:\n{screen}")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    if shutil.which("tmux") is None:
        pytest.fail("tmux is not installed; on Debian or Ubuntu: sudo apt-get install tmux")
    found = Terminal(tmp_path)
    # A server that the first command starts has to become a daemon while that command waits,
    # and may come too late; this one is there before any command.
    command = ["tmux", "-D", "-S", found.socket, "-f", os.devnull]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        try:
            wait_until_served(found.socket, server)
            yield found
        finally:
            server.kill()


def wait_until_served(path: str, server: subprocess.Popen[bytes]) -> None:
    """Wait until somebody answers at a socket."""
    patience_ends = time.monotonic() + PATIENCE
    while time.monotonic() < patience_ends and server.poll() is None:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            return
        time.sleep(0.01)
    server.kill()
    raise AssertionError(f"tmux serves nobody: {server.communicate()[0]!r}")


def test_a_row_is_typed_and_answered_and_the_game_resumed(terminal: Terminal) -> None:
    terminal.start("play", "--role", "breaker")
    terminal.wait_for("fill row 1")
    terminal.type("rrby", "Enter")
    screen = terminal.wait_for("fill row 2", "▐R▌ ▐R▌ ▐B▌ ▐Y▌", "⏎ Check", "? Help")
    lines = screen.splitlines()
    assert len(lines) <= 24
    assert all(len(line) <= 80 for line in lines)
    assert "⏎ Check" in lines[-1]
    assert "? Help" in lines[-1]
    terminal.type("C-c")
    screen = terminal.wait_for("Paused. 'keypeg play --resume' continues from here.", "status 0")
    assert "Traceback" not in screen
    terminal.start("play", "--resume")
    terminal.wait_for("fill row 2", "▐R▌ ▐R▌ ▐B▌ ▐Y▌")
    terminal.type("C-q")
    terminal.wait_for("status 0")


def test_without_colour_the_letters_are_in_brackets(terminal: Terminal) -> None:
    terminal.start("play", "--board", "advanced-blanks", NO_COLOR="1", TERM="xterm")
    terminal.wait_for("fill row 1")
    terminal.type("m", "o", "-", "1", "2")
    screen = terminal.wait_for("(M) (O) (-) (M) [O]", "12")
    assert "12" in screen.splitlines()[2]


def test_a_maker_on_the_first_screen_is_beaten_by_the_computer(terminal: Terminal) -> None:
    terminal.start("play", TERM="xterm")
    terminal.wait_for("by the referee")
    terminal.type("Tab", "Tab", "Enter")
    terminal.wait_for("make the code first")
    terminal.type("Down", "Enter")
    terminal.wait_for("perfect")
    terminal.type("F9")
    terminal.wait_for("set the secret code")
    terminal.type("1234", "Enter")
    terminal.wait_for("Broken in", "Go on to game 2")


def test_plain_prompts_in_a_terminal_do_not_show_a_secret(terminal: Terminal) -> None:
    terminal.start("play", "--plain", "--role", "both", "--name", "Ada", "--name", "Bob")
    terminal.wait_for("Ada, your secret code (not shown):")
    terminal.type("rrbb", "Enter")
    assert "rrbb" not in terminal.wait_for("Bob, row 1 of 10:")
    terminal.type("rrgg", "Enter")
    terminal.wait_for("2 black, 0 white")
    terminal.type("C-c")
    screen = terminal.wait_for("Paused. 'keypeg play --resume' continues from here.", "status 130")
    assert "Traceback" not in screen


def test_time_that_runs_out_at_a_prompt_is_told_and_drops_the_line_begun(
    terminal: Terminal,
) -> None:
    both = ("--role", "both", "--name", "Ada", "--name", "Bob", "--turn-seconds", "3")
    terminal.start("play", "--plain", *both)
    terminal.wait_for("Ada, your secret code (not shown):")
    terminal.type("rrb")
    screen = terminal.wait_for("Time ran out: the referee draws a code.")
    row = next(row for row in range(1, 10) if begun_in_time(terminal, row))
    terminal.type("Enter")
    screen = terminal.wait_for(f"{row + 1}  time ran out")
    assert "Not played" not in screen
    terminal.type("C-d")
    terminal.wait_for("Paused. 'keypeg play --resume'", "status 0")


def begun_in_time(terminal: Terminal, row: int) -> bool:
    """Whether a line was begun in the time of this row; a busy machine may be too slow."""
    terminal.wait_for(f"Bob, row {row} of 10:")
    terminal.type("y", "y")
    return f"row {row} of 10: yy" in terminal.wait_for(f"{row}  time ran out")


def test_a_contest_is_made_broken_and_watched(terminal: Terminal) -> None:
    with serving(terminal.folder) as url:
        made = f"contest create --server {url} --code rbyg --computers perfect --name Cleo"
        terminal.start(*made.split())
        link = terminal.wait_for("/contest/", "status 0").splitlines()[0]
        ann = str(terminal.folder / "ann")
        terminal.start("contest", "play", link, "--name", "Ann", XDG_DATA_HOME=ann)
        terminal.wait_for("Cleo has set 1 code on classic", "Code 1, row 1:")
        terminal.type("rrbb", "Enter")
        terminal.wait_for("Row 1: RD RD BU BU   1 black, 1 white", "Code 1, row 2:")
        terminal.type("C-c")
        assert "Traceback" not in terminal.wait_for("What you have played is saved.", "status 130")
        terminal.start("contest", "play", link, XDG_DATA_HOME=ann)
        terminal.wait_for("Row 1: RD RD BU BU", "Code 1, row 2:")
        terminal.type("rbyg", "Enter")
        screen = terminal.wait_for("Broken in 2 rows.", "1. Ann (you): 2 rows", "status 0")
        assert all(len(line) <= 80 for line in screen.splitlines())
        terminal.start("contest", "watch", link, XDG_DATA_HOME=str(terminal.folder / "bob"))
        terminal.wait_for("You watch: you see the codes", "1. Ann: 2 rows", "status 0")


def test_a_game_killed_at_a_prompt_is_resumed(terminal: Terminal) -> None:
    terminal.start("play", "--plain")
    terminal.wait_for("Row 1 of 10:")
    terminal.type("rrby", "Enter")
    terminal.wait_for("Row 2 of 10:")
    pid = terminal.tmux("list-panes", "-F", "#{pane_pid}").strip()
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    os.kill(int(child), signal.SIGKILL)
    terminal.wait_for("status 137")
    terminal.start("play", "--plain", "--resume")
    terminal.wait_for("1  RD RD BU YW", "Row 2 of 10:")


def test_ctrl_c_while_the_computer_thinks_ends_without_a_traceback(terminal: Terminal) -> None:
    terminal.start("evaluate", "--board", "5x8", "--strategy", "entropy")
    terminal.wait_for("codes ━")
    terminal.type("C-c")
    assert "Traceback" not in terminal.wait_for("status 130")


def test_what_others_do_in_a_race_is_told_above_the_line_that_is_typed(terminal: Terminal) -> None:
    with serving(terminal.folder) as url:
        terminal.start("race", "--open", url, "--name", "Ann")
        screen = terminal.wait_for("A race on classic: 10 rows, 3 minutes", "/match/", "1 of 2")
        link = re.search(rf"{url}/match/\S+", screen)
        assert link is not None
        bob = {"XDG_DATA_HOME": str(terminal.folder / "bob")}
        typed = ["race", "--join", link[0], "--name", "Bob"]
        keypeg(*typed, env=bob)
        terminal.wait_for("Bob has joined.", "The race has begun: Ann (you) and Bob.", "Row 1 of")
        terminal.type("x" * 100)
        terminal.wait_for("Row 1 of 10: " + "x" * 67 + "\n" + "x" * 33)
        terminal.type("C-u")
        terminal.type("1", "1", "x", "BSpace", "Left", "3")
        screen = terminal.wait_for("Row 1 of 10: 113")
        assert screen.count("Row 1 of 10:") == 1, "a line that went on below is taken back whole"
        keypeg(*typed, stdin="5566\n", env=bob)
        screen = terminal.wait_for("Bob, row 1: ", "Row 1 of 10: 113")
        lines = [line for line in screen.splitlines() if line]
        assert lines[-2].startswith("Bob, row 1: ")
        assert lines[-1].strip() == "Row 1 of 10: 113"
        terminal.type("3", "Enter")
        terminal.wait_for("Row 1 of 10: 1133", "Row 1: RD RD YW YW   ", "Row 2 of 10:")
        terminal.type("C-c")
        terminal.wait_for("Your clock runs on.", "To come back: keypeg race --join")
        assert "Traceback" not in terminal.wait_for("status 130")


@pytest.fixture
def day_server(tmp_path: Path) -> Iterator[tuple[Running, SetClock]]:
    """A server in this process, and its clock: it is a minute before midnight."""
    clock = SetClock(f"{DAY} 23:59")
    (tmp_path / "server").mkdir()
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(running(tmp_path / "server")) as server,
    ):
        server.application.services.daily._clock = clock
        yield server, clock


def typed_codes(server: Running, board: Board) -> tuple[str, str]:
    """A wrong code for the day, and the right one, as they are typed."""
    code = Codes(server.application.services.log.derive(PURPOSE)).opening(DAY, board).code
    first, *others = code
    wrong = (first % board.colours + 1, *others)
    return format_code(wrong, board, Form.DIGITS), format_code(code, board, Form.DIGITS)


def test_a_daily_code_at_a_server_is_killed_goes_on_after_midnight_and_is_done(
    terminal: Terminal, day_server: tuple[Running, SetClock]
) -> None:
    server, clock = day_server
    wrong, right = typed_codes(server, PRESETS["classic"])
    terminal.start("daily", "--server", server.url)
    terminal.wait_for(f"of {DAY} on classic", "Row 1:")
    terminal.type(wrong, "Enter")
    terminal.wait_for("3 black", "Row 2:")
    pid = terminal.tmux("list-panes", "-F", "#{pane_pid}").strip()
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    os.kill(int(child), signal.SIGKILL)
    terminal.wait_for("status 137")
    clock.set("2026-11-19 00:01")
    terminal.start("daily", "--server", server.url)
    terminal.wait_for("of 2026-11-19 on classic", f"Continue it with --date {DAY}", "Row 1:")
    terminal.type("C-d")
    terminal.wait_for("What you have played is saved.", "status 0")
    terminal.start("daily", "--server", server.url, "--date", str(DAY))
    terminal.wait_for("3 black", "Row 2:")
    terminal.type(right, "Enter")
    terminal.wait_for("keypeg daily 322: 2 rows", f"board=classic&date={DAY}", "status 0")


def test_midnight_passes_while_an_advanced_daily_code_at_a_server_is_played(
    terminal: Terminal, day_server: tuple[Running, SetClock]
) -> None:
    server, clock = day_server
    wrong, right = typed_codes(server, PRESETS["advanced"])
    terminal.start("daily", "--server", server.url, "--board", "advanced")
    terminal.wait_for(f"of {DAY} on advanced", "Row 1:")
    terminal.type(wrong, "Enter")
    terminal.wait_for("4 red", "Row 2:")
    clock.set("2026-11-19 00:01")
    terminal.type(right, "Enter")
    terminal.wait_for("keypeg daily advanced 322: 2 rows", f"date={DAY}", "status 0")
    terminal.start("daily", "--server", server.url, "--board", "advanced")
    terminal.wait_for("of 2026-11-19 on advanced", "Row 1:")
    terminal.type("C-c")
    assert "Traceback" not in terminal.wait_for("What you have played is saved.", "status ")

"""`keypeg` forked from a process that has loaded everything: it starts quickly.

A program forked here has its own streams, folder and environment, and ends as one that an
interpreter started. Tests of what a start itself does, such as loading no more than it needs or
coping with closed streams, start an interpreter instead. So do tests of what is read while
modules load. `harness.fork_server` is the process that programs are forked from.

KEYPEG_TEST_STANDSTILL=23 stops a search once its log has more than 23 lines: whoever
interrupts it then is never too late. Only programs forked here support it.

This is for Linux: orders and descriptors travel by SOCK_SEQPACKET, and /proc is read.
"""

from __future__ import annotations

import array
import atexit
import codecs
import contextlib
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from harness.descriptors import readable
from harness.fork_server import REPORT_BYTES
from harness.programs import SECONDS, StillRunning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).parent.parent


def keypeg(
    *arguments: object,
    stdin: str = "",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, as `harness.programs.run` does."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        typed = _pipe_with(stdin)
        try:
            program = start(arguments, [typed, output.fileno(), errors.fileno()], cwd=cwd, env=env)
        finally:
            os.close(typed)
        try:
            ended = program.ends(seconds)
        finally:
            program.kill()
        said = [_whole(output), _whole(errors)]
    if ended is None:
        raise StillRunning(f"{program} ran for {seconds} s and wrote:\n{''.join(said)}")
    return subprocess.CompletedProcess(program.words, ended, *said)


def _pipe_with(text: str) -> int:
    """The reading end of a pipe that holds all of `text`; the other end is closed."""
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    with open(writes, "wb", buffering=0) as pipe:
        written = pipe.write(text.encode())
    assert written == len(text.encode()), "more than a pipe holds"
    return reads


def _whole(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


class Program:
    """A program that was forked, by the reports of its supervisor."""

    def __init__(self, words: list[str], reports: int) -> None:
        self.words, self._reports = words, reports
        self.returncode: int | None = None
        try:
            begun = self._report(SECONDS)
            assert begun is not None, f"{self} was not started in {SECONDS} s"
        except BaseException:
            self._close()
            raise
        self.pid = begun

    def __str__(self) -> str:
        return f"keypeg {' '.join(self.words)}"

    def ends(self, seconds: float = SECONDS) -> int | None:
        """Its exit status, as subprocess gives it, once it ends; None if it does not in time."""
        if self.returncode is None and (status := self._report(seconds)) is not None:
            self.returncode = status
            self._close()
        return self.returncode

    def poll(self) -> int | None:
        """Its exit status, if it has ended."""
        return self.ends(0)

    def send_signal(self, sign: int) -> None:
        """Send a signal, as subprocess does: not to one that has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, sign)

    def kill(self) -> None:
        """Kill it if it runs, wait for its end, and release it; to call this twice is harmless."""
        try:
            self.send_signal(signal.SIGKILL)
            if self.ends() is None:
                raise StillRunning(f"{self} was killed and has not ended in {SECONDS} s")
        finally:
            self._close()

    def stands_still(self, seconds: float = SECONDS) -> bool:
        """Whether it has stopped itself; waits until it has, or has ended."""
        patience_ends = time.monotonic() + seconds
        while self.poll() is None and time.monotonic() < patience_ends:
            if self._state() == "T":
                return True
            time.sleep(0.01)
        return False

    def _state(self) -> str | None:
        """Its state, as a letter from /proc; None if it has ended."""
        try:
            return Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return None

    def _report(self, seconds: float) -> int | None:
        """The next number that is reported: its id, then its status, each of one length."""
        if not readable(self._reports, seconds):
            return None
        report = os.read(self._reports, REPORT_BYTES)
        assert report, f"{self}: its supervisor has gone"
        return int(report)

    def _close(self) -> None:
        if self._reports >= 0:
            os.close(self._reports)
        self._reports = -1


class Talk:
    """A program to type to and read from while it runs; `heard` is its output so far."""

    def __init__(self, program: Program, typing: int, saying: int, errors: IO[bytes]) -> None:
        self.program, self.heard = program, ""
        self._typing, self._saying, self._errors = typing, saying, errors
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def __str__(self) -> str:
        return f"{self.program} said {self.heard!r} and {self.errors!r}"

    @property
    def errors(self) -> str:
        """Its standard error so far."""
        return _whole(self._errors)

    def type(self, text: str) -> None:
        """Type something; the program need not have asked."""
        os.write(self._typing, text.encode())

    def until(self, words: str, seconds: float = SECONDS) -> str:
        """All its output, once that contains `words`."""
        patience_ends = time.monotonic() + seconds
        while words not in self.heard:
            assert self._hear(patience_ends - time.monotonic()), f"not {words!r}: {self}"
        return self.heard

    def to_the_end(self, seconds: float = SECONDS) -> str:
        """All its output, once it has ended; its input is closed first."""
        self.hang_up()
        patience_ends = time.monotonic() + seconds
        while self._hear(patience_ends - time.monotonic()):
            pass
        assert self.program.ends(max(0.0, patience_ends - time.monotonic())) is not None, str(self)
        return self.heard

    def hang_up(self) -> None:
        """Close its input."""
        if self._typing >= 0:
            os.close(self._typing)
        self._typing = -1

    def _hear(self, seconds: float) -> bool:
        """Read on; whether there was more output before it ended."""
        assert readable(self._saying, seconds), f"it fell silent: {self}"
        chunk = os.read(self._saying, 4096)
        self.heard += self._decoder.decode(chunk, final=not chunk)
        return bool(chunk)


@contextmanager
def talking(*arguments: object, env: Mapping[str, str] | None = None) -> Iterator[Talk]:
    """A command that runs during the block; it is killed if it has not ended by then."""
    (typed, typing), (saying, said) = os.pipe(), os.pipe()
    with tempfile.TemporaryFile() as errors:
        try:
            program = start(arguments, [typed, said, errors.fileno()], env=env)
        finally:
            os.close(typed)
            os.close(said)
        talk = Talk(program, typing, saying, errors)
        try:
            yield talk
        finally:
            try:
                program.kill()
            finally:
                talk.hang_up()
                os.close(saying)


def start(
    arguments: tuple[object, ...],
    streams: list[int],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Program:
    """Start a command on three descriptors."""
    words = [str(word) for word in arguments]
    return _fork_server().start(words, streams, cwd or Path.cwd(), {**os.environ, **(env or {})})


class ForkServer:
    """A process that runs `module`, which loads everything; programs are ordered from it."""

    def __init__(self, module: str, environment: Mapping[str, str] | None = None) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            number = theirs.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, str(number)],
                cwd=ROOT,  # the test that happens to need it first may be in a folder of its own
                env={**os.environ, **(environment or {})},
                pass_fds=[number],
                start_new_session=True,  # a Ctrl+C ends the tests; this ends with them
            )

    def start(
        self, words: list[str], streams: list[int], folder: Path, environment: Mapping[str, str]
    ) -> Program:
        order = {"arguments": words, "folder": str(folder), "environment": dict(environment)}
        reports, reporting = os.pipe()
        try:
            rights = array.array("i", [*streams, reporting])
            ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
            self._socket.sendmsg([json.dumps(order).encode()], ancillary)
        except BaseException:
            os.close(reports)
            raise
        finally:
            os.close(reporting)
        return Program(words, reports)

    def close(self, seconds: float = SECONDS) -> None:
        """End it, or kill it after a while."""
        self._socket.close()
        try:
            self._process.wait(seconds)
        finally:
            self._process.kill()
            self._process.wait(SECONDS)


@functools.cache
def _fork_server() -> ForkServer:
    server = ForkServer("harness.fork_server")
    atexit.register(server.close)
    return server

"""`keypeg` for tests, forked from a process that has loaded everything: it starts quickly.

A program forked here has its own streams, folder and environment, and ends as one that an
interpreter started. What a start itself does, as to load no more than it needs or to bear closed
streams, is for tests that start an interpreter. So is what is read while modules load.

KEYPEG_TEST_STANDSTILL=23 stops a search once its log has more than 23 lines: whoever
interrupts it then is never too late. It exists here only; no shipped program knows it.

Run as a program, this is the process that others are forked from. It is for Linux: it sends
orders and descriptors by SOCK_SEQPACKET, waits for an end by pidfd and looks into /proc.
"""

from __future__ import annotations

import array
import atexit
import codecs
import contextlib
import functools
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NoReturn, TextIO

from tests.descriptors import readable
from tests.programs import SECONDS, StillRunning

ROOT = Path(__file__).parent.parent
LONGEST_ORDER = 1 << 20
LOST_OUTPUT = 120
"""The status of an interpreter that could not write all that was said."""
LOADED = ("keypeg.terminal.plain", "keypeg.terminal.remote", "keypeg.terminal.local_tables")


def keypeg(
    *arguments: object,
    stdin: str = "",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, as `tests.programs.run` does."""
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
        raise StillRunning(f"{program} ran for {seconds} s and said:\n{''.join(said)}")
    return subprocess.CompletedProcess(program.words, ended, *said)


def _pipe_with(text: str) -> int:
    """The end of a pipe that holds all of `text`, and to which nobody writes any more."""
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
    """One that runs, as its supervisor reports of it."""

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
        """Its exit status, as subprocess has it, once it ends; None if it does not in time."""
        if self.returncode is None and (status := self._report(seconds)) is not None:
            self.returncode = status
            self._close()
        return self.returncode

    def poll(self) -> int | None:
        """Its exit status, if it has ended."""
        return self.ends(0)

    def send_signal(self, sign: int) -> None:
        """As subprocess does: to one that has ended, nothing."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, sign)

    def kill(self) -> None:
        """Kill it if it runs, wait for its end and let go of it; this may be done again."""
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
        """Linux's letter for what it does; none if it has ended."""
        try:
            return Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return None

    def _report(self, seconds: float) -> int | None:
        """The next number that is reported: its id, then its status, each of one length."""
        if not readable(self._reports, seconds):
            return None
        report = os.read(self._reports, len(_number(0)))
        assert report, f"{self}: its supervisor has gone"
        return int(report)

    def _close(self) -> None:
        if self._reports >= 0:
            os.close(self._reports)
        self._reports = -1


def _number(number: int) -> bytes:
    return b"%12d" % number


class Talk:
    """A program that is typed to and listened to while it runs; `heard` is what it said so far."""

    def __init__(self, program: Program, typing: int, saying: int, errors: IO[bytes]) -> None:
        self.program, self.heard = program, ""
        self._typing, self._saying, self._errors = typing, saying, errors
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def __str__(self) -> str:
        return f"{self.program} said {self.heard!r} and {self.errors!r}"

    @property
    def errors(self) -> str:
        """What it said on standard error so far."""
        return _whole(self._errors)

    def type(self, text: str) -> None:
        """Type something; the program need not have asked."""
        os.write(self._typing, text.encode())

    def until(self, words: str, seconds: float = SECONDS) -> str:
        """All that it said, once that has `words`."""
        patience_ends = time.monotonic() + seconds
        while words not in self.heard:
            assert self._hear(patience_ends - time.monotonic()), f"not {words!r}: {self}"
        return self.heard

    def to_the_end(self, seconds: float = SECONDS) -> str:
        """All that it said, once it has ended; nothing more is typed."""
        self.hang_up()
        patience_ends = time.monotonic() + seconds
        while self._hear(patience_ends - time.monotonic()):
            pass
        assert self.program.ends(max(0.0, patience_ends - time.monotonic())) is not None, str(self)
        return self.heard

    def hang_up(self) -> None:
        """Type nothing any more."""
        if self._typing >= 0:
            os.close(self._typing)
        self._typing = -1

    def _hear(self, seconds: float) -> bool:
        """Whether it said something more before it ended."""
        assert readable(self._saying, seconds), f"it fell silent: {self}"
        chunk = os.read(self._saying, 4096)
        self.heard += self._decoder.decode(chunk, final=not chunk)
        return bool(chunk)


@contextmanager
def talking(*arguments: object, env: Mapping[str, str] | None = None) -> Iterator[Talk]:
    """A command that runs meanwhile; it is killed if it has not ended then."""
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
        """Have it end, or kill it after a while."""
        self._socket.close()
        try:
            self._process.wait(seconds)
        finally:
            self._process.kill()
            self._process.wait(SECONDS)


@functools.cache
def _fork_server() -> ForkServer:
    server = ForkServer("tests.forked")
    atexit.register(server.close)
    return server


def serve(orders: socket.socket) -> None:
    """Fork a program for each order, until nobody orders any more."""
    gc.freeze()  # a page that nothing touches is not copied
    while True:
        reap()
        order, rights, _, _ = orders.recvmsg(LONGEST_ORDER, socket.CMSG_SPACE(16))
        if not order:
            return reap()
        descriptors = array.array("i")
        for _level, _kind, data in rights:
            descriptors.frombytes(data)
        if os.fork() == 0:
            orders.close()
            supervise(json.loads(order), list(descriptors))
        for descriptor in descriptors:
            os.close(descriptor)


def reap() -> None:
    """Let go of the supervisors of programs that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def supervise(order: dict[str, object], descriptors: list[int]) -> NoReturn:
    """Fork the program and report its id and, at its end, its status.

    A program is killed once nobody can read the report: whoever ordered it has died.
    """
    *streams, reporting = descriptors
    child = os.fork()
    if child == 0:
        os.close(reporting)
        run_in_child(order, streams)
    for stream in streams:
        os.close(stream)
    with contextlib.suppress(BrokenPipeError):
        os.write(reporting, _number(child))
    if not _ends_while_heard(child, reporting):
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(BrokenPipeError):
        os.write(reporting, _number(os.waitstatus_to_exitcode(status)))
    os._exit(0)


def _ends_while_heard(child: int, reporting: int) -> bool:
    """Wait for the child's end, or for the other end of the pipe to be closed: which was it?"""
    ending = os.pidfd_open(child)
    poller = select.poll()
    poller.register(ending, select.POLLIN)
    poller.register(reporting, 0)  # an error is told even so
    return any(descriptor == ending for descriptor, _ in poller.poll())


def run_in_child(order: dict[str, object], streams: list[int]) -> NoReturn:
    """Be the program, to its end."""
    from keypeg.cli import main  # noqa: PLC0415 - only the process that is forked loads it

    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(  # noqa: SIM115 - they are open as long as the program
        2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False
    )
    os.chdir(str(order["folder"]))
    os.environ.clear()
    os.environ.update(order["environment"])  # type: ignore[call-overload]
    if lines := os.environ.get("KEYPEG_TEST_STANDSTILL"):
        stand_still_after(int(lines))
    sys.argv = ["keypeg", *order["arguments"]]  # type: ignore[misc]
    run_to_the_end(main)


def stand_still_after(lines: int) -> None:
    """Stop this process once a log has more than `lines`."""
    from keypeg.solver.journal import Journal  # noqa: PLC0415 - as above

    add = Journal.add

    def last(self: Journal, entries: Iterable[Mapping[str, object]]) -> None:
        add(self, entries)
        if self.path.read_bytes().count(b"\n") > lines:
            Journal.add = add  # type: ignore[method-assign]
            os.kill(os.getpid(), signal.SIGSTOP)

    Journal.add = last  # type: ignore[method-assign]


def run_to_the_end(program: Callable[[], object]) -> NoReturn:
    """Run and end as an interpreter does, but do not take down what is loaded: that takes long."""
    status, interrupted = 0, False
    try:
        program()
    except SystemExit as ending:
        status = _status(ending.code)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is told
        sys.excepthook(type(error), error, error.__traceback__)
        status, interrupted = 1, isinstance(error, KeyboardInterrupt)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    if not all([_flushed(sys.stdout), _flushed(sys.stderr)]):
        status = LOST_OUTPUT
    if interrupted:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(status)


def _status(code: object) -> int:
    """What is left of what a program gives `sys.exit`; a text is told."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    sys.stderr.write(f"{code}\n")
    return 1


def _flushed(stream: TextIO) -> bool:
    """Whether all that was said has left; if not, it is told why."""
    try:
        if not stream.closed:
            stream.flush()
    except OSError as error:
        with contextlib.suppress(OSError):  # it may be stderr itself
            sys.stderr.write(f"Exception ignored in: {stream!r}\n{type(error).__name__}: {error}\n")
        return False
    return True


def load() -> None:
    """Load what programs need, once for all."""
    from tests.compiling import run_commands  # noqa: PLC0415 - as above

    for module in LOADED:
        importlib.import_module(module)
    run_commands()


def main(load: Callable[[], None]) -> None:
    """Load everything, then fork what is ordered by the socket that the command line names."""
    with socket.socket(fileno=int(sys.argv[1])) as orders:
        load()
        serve(orders)


if __name__ == "__main__":
    main(load)

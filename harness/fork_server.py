"""The process that `harness.forked` forks programs from.

It loads `keypeg` once, then takes orders over a socket until the other end is closed. A supervisor
is forked for each order; it forks the program and reports its id and its exit status.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import threading
from typing import TYPE_CHECKING, NoReturn, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

LONGEST_ORDER = 1 << 20
LOST_OUTPUT = 120
"""The exit status of an interpreter that could not write all of its output."""
LOADED = ("keypeg.terminal.plain", "keypeg.terminal.remote", "keypeg.terminal.local_tables")
REPORT_BYTES = 12
"""A report is a decimal number of this length."""


def _report(number: int) -> bytes:
    return b"%*d" % (REPORT_BYTES, number)


def serve(orders: socket.socket) -> None:
    """Fork a program for each order, until the other end is closed."""
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
    """Reap the supervisors of programs that have ended."""
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
        os.write(reporting, _report(child))
    if not _ends_while_heard(child, reporting):
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(BrokenPipeError):
        os.write(reporting, _report(os.waitstatus_to_exitcode(status)))
    os._exit(0)


def _ends_while_heard(child: int, reporting: int) -> bool:
    """Wait for the child to end or the pipe's reader to go away; whether it was the former."""
    ending = os.pidfd_open(child)
    poller = select.poll()
    poller.register(ending, select.POLLIN)
    poller.register(reporting, 0)  # errors are reported in any case
    return any(descriptor == ending for descriptor, _ in poller.poll())


def run_in_child(order: dict[str, object], streams: list[int]) -> NoReturn:
    """Run the program, to its end."""
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
    """Run and end as an interpreter does, but do not unload modules: that takes long."""
    status, interrupted = 0, False
    try:
        program()
    except SystemExit as ending:
        status = _status(ending.code)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is printed
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
    """The exit status for what a program gives to `sys.exit`; a text is printed."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    sys.stderr.write(f"{code}\n")
    return 1


def _flushed(stream: TextIO) -> bool:
    """Whether all output was written; if not, the error is printed."""
    try:
        if not stream.closed:
            stream.flush()
    except OSError as error:
        with contextlib.suppress(OSError):  # it may be stderr itself
            sys.stderr.write(f"Exception ignored in: {stream!r}\n{type(error).__name__}: {error}\n")
        return False
    return True


def load() -> None:
    """Load what programs need, once for all of them."""
    from harness.compiling import run_commands  # noqa: PLC0415 - as above

    for module in LOADED:
        importlib.import_module(module)
    run_commands()


def main(load: Callable[[], None]) -> None:
    """Load everything, then take orders from the socket whose descriptor is the first argument."""
    with socket.socket(fileno=int(sys.argv[1])) as orders:
        load()
        serve(orders)


if __name__ == "__main__":
    main(load)

"""A pytest plugin: a time limit for every test, and what was running when it passed.

A test whose set-up, call or teardown is not done after `SECONDS` fails with the stacks of all
threads and asyncio tasks, and with the programs it started and the end of their output.
`@pytest.mark.timeout(300)` gives one test another limit. What does not stop even then, such as
compiled code that handles no signals, is killed with its process by pytest's
`faulthandler_timeout` (pyproject.toml).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import stat
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

SECONDS = 120.0
AGAIN_SECONDS = 5.0
"""The alarm rings again after this, in case the test caught the first failure."""
MOST_OUTPUT = 4_000
"""How many bytes of a program's output are shown, from its end."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "timeout(seconds): a limit of its own for a slow test")


# Each phase by itself: what is raised in it becomes its report, and pytest's own work between
# two phases has no limit.
@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    with limited(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with limited(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    with limited(item):
        return (yield)


class NotDone(BaseException):
    """The limit of a test has passed.

    This is not one of pytest's own failures: Hypothesis would take that for a failing example and
    run the example again.
    """


RANG = pytest.StashKey[str]()
"""What was running when the limit passed."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Fail whatever ran out of time, also if it caught what was raised and went on."""
    running = item.stash.get(RANG, None)
    if running is None:
        return (yield)
    del item.stash[RANG]
    # pytest would parse the source of every frame of the traceback, for which CPython 3.11 fails
    # now and then with "AST constructor recursion depth mismatch".
    call.excinfo = _failure(running)
    report: pytest.TestReport = yield  # type: ignore[assignment]
    report.outcome, report.longrepr = "failed", running
    return report  # type: ignore[return-value]


def _failure(message: str) -> pytest.ExceptionInfo[BaseException]:
    """A failure that is shown without its traceback."""
    try:
        pytest.fail(message, pytrace=False)
    except pytest.fail.Exception as failure:
        return pytest.ExceptionInfo.from_exception(failure)


@contextlib.contextmanager
def limited(item: pytest.Item) -> Iterator[None]:
    """Fail what takes longer than the test may."""
    if not hasattr(signal, "setitimer"):  # as on Windows
        yield
        return
    mark = item.get_closest_marker("timeout")
    seconds = float(mark.args[0]) if mark else SECONDS

    def ring(_sign: int, frame: FrameType | None) -> None:
        try:
            if RANG not in item.stash:
                item.stash[RANG] = f"not done after {seconds:g} seconds"
                item.stash[RANG] += f"\n{everything_running(frame)}"
        finally:
            # Not before that: on a slow machine the alarm would interrupt its own report.
            signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
        raise NotDone(item.stash[RANG])

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def everything_running(here: FrameType | None) -> str:
    """The stacks of all threads and tasks, and the last output of all programs below this one."""
    return "\n".join([*_threads(here), *_tasks(), *_programs()])


def _threads(here: FrameType | None) -> Iterator[str]:
    """Each thread's stack, without pytest's own lines; `here` is where this one was."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    for ident, frame in sys._current_frames().items():
        yield f"\n--- thread {names.get(ident, ident)}"
        at = here if ident == threading.get_ident() else frame
        stack = [line for line in traceback.extract_stack(at) if not _is_pytest(line.filename)]
        yield "".join(traceback.format_list(stack))


def _is_pytest(path: str) -> bool:
    return any(name in Path(path).parts for name in ("_pytest", "pluggy", "xdist", "execnet"))


def _tasks() -> Iterator[str]:
    for loop in _running_loops():
        for task in asyncio.all_tasks(loop):
            yield f"\n--- task {task.get_name()}"
            frames = [(frame, frame.f_lineno) for frame in _awaited(task.get_coro())]
            yield "".join(traceback.StackSummary.extract(frames).format())


def _running_loops() -> set[asyncio.AbstractEventLoop]:
    """The event loop of each thread that runs one."""
    loops = set()
    for top in sys._current_frames().values():
        for frame, _ in traceback.walk_stack(top):
            running = frame.f_locals.get("self")
            if isinstance(running, asyncio.AbstractEventLoop):
                loops.add(running)
    return loops


def _awaited(coroutine: object) -> Iterator[FrameType]:
    """The frame of a coroutine, of what it awaits, and so on."""
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None) or getattr(coroutine, "ag_frame", None)
        if frame is not None:
            yield frame
        inner = getattr(coroutine, "cr_await", None) or getattr(coroutine, "ag_await", None)
        coroutine = inner


def _programs() -> Iterator[str]:
    for pid in descendants(os.getpid()):
        with contextlib.suppress(OSError):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
            yield f"\n--- program {pid}: {command.decode(errors='replace')}"
            yield from (_last_output(pid, descriptor) for descriptor in (1, 2))


def descendants(pid: int) -> Iterator[int]:
    """Every process that this one started, and that those started."""
    with contextlib.suppress(OSError):  # it has ended, or this is not Linux
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in map(int, (task / "children").read_text().split()):
                yield child
                yield from descendants(child)


def _last_output(pid: int, descriptor: int) -> str:
    """Output that nobody has read yet, or the end of the file that a program writes to."""
    path = f"/proc/{pid}/fd/{descriptor}"
    kind = Path(path).stat().st_mode
    if not stat.S_ISFIFO(kind) and not stat.S_ISREG(kind):
        return f"({descriptor}: {Path(path).readlink()})"
    with contextlib.suppress(OSError), open(path, "rb", opener=_without_waiting) as output:
        if stat.S_ISREG(kind):
            output.seek(-min(MOST_OUTPUT, os.fstat(output.fileno()).st_size), os.SEEK_END)
        said = output.read(MOST_OUTPUT) or b""
        return f"({descriptor}: {said.decode(errors='replace')!r})"
    return f"({descriptor}: unread)"


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)

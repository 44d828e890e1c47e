"""A test that never ends fails within its limit, and says where it stood."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from harness.programs import run

HANGING = """
import asyncio
import select
import subprocess
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis.strategies import integers

hangs = pytest.mark.timeout(3)
SAYS = "import time; print('my last words', flush=True); time.sleep(600)"
program = subprocess.Popen([sys.executable, "-c", SAYS], stdout=subprocess.PIPE)
select.select([program.stdout], [], [], 60)


@hangs
def test_in_a_wait() -> None:
    threading.Event().wait()


@hangs
@pytest.mark.anyio
async def test_in_a_task() -> None:
    async def never() -> None:
        await deeper()

    async def deeper() -> None:
        await asyncio.Event().wait()

    await asyncio.gather(asyncio.create_task(never()))


@hangs
@pytest.mark.anyio
async def test_in_tasks_that_always_run() -> None:
    async def busy() -> None:
        while True:
            await asyncio.sleep(0)

    await asyncio.gather(busy(), busy())


@hangs
def test_in_the_loop_of_a_thread() -> None:
    async def elsewhere() -> None:
        await asyncio.Future()

    thread = threading.Thread(target=asyncio.run, args=[elsewhere()], daemon=True)
    thread.start()
    thread.join()


@hangs
def test_with_a_program() -> None:
    try:
        program.wait()
    finally:
        program.kill()


@hangs
@given(integers())
def test_in_an_example(number: int) -> None:
    time.sleep(602)


@hangs
def test_that_swallows_everything() -> None:
    try:
        time.sleep(601)
    except BaseException:
        pass


@pytest.fixture
def endless():
    yield
    threading.Semaphore(0).acquire()


@hangs
def test_in_teardown(endless: None) -> None:
    pass


def test_that_is_done() -> None:
    pass
"""
SLOW_REPORTS = """
import time

import pytest

pytest_plugins = ["tests.timeouts"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    if item.name == "test_in_a_wait" and call.when == "call":
        time.sleep(4)  # longer than the limit: the alarm must not ring in pytest itself
    return (yield)
"""
ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest says of those tests."""
    folder = tmp_path_factory.mktemp("hanging")
    (folder / "test_hanging.py").write_text(HANGING)
    (folder / "conftest.py").write_text(SLOW_REPORTS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "anyio",
        "-p",
        "no:cacheprovider",
        f"--rootdir={folder}",
        folder,
    ]
    done = run(command, cwd=ROOT, env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    return done.stdout


def test_each_fails_and_the_others_run(report: str) -> None:
    assert "7 failed, 2 passed, 1 error" in report
    assert report.count("not done after 3 seconds") >= 8


@pytest.mark.parametrize(
    "line",
    [
        "threading.Event().wait()",
        "await asyncio.Event().wait()",
        "await asyncio.sleep(0)",
        "await asyncio.Future()",
        "program.wait()",
        "time.sleep(602)",
        "time.sleep(601)",
        "threading.Semaphore(0).acquire()",
    ],
)
def test_the_line_it_stood_at_is_named(report: str, line: str) -> None:
    lines = HANGING.splitlines()
    number = 1 + next(index for index, text in enumerate(lines) if line in text)
    assert f'test_hanging.py", line {number}, in' in report
    assert line in report


def test_what_a_program_said_is_shown(report: str) -> None:
    assert r"(1: 'my last words\n')" in report

"""A test that never ends fails within its limit, and says where it stood."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.programs import run

HANGING = """
import asyncio
import subprocess
import sys
import threading

import pytest

pytestmark = pytest.mark.timeout(1)
SAYS = "import time; print('my last words', flush=True); time.sleep(600)"


def test_in_a_wait() -> None:
    threading.Event().wait()


@pytest.mark.anyio
async def test_in_a_task() -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    await asyncio.gather(asyncio.create_task(never()))


@pytest.mark.anyio
async def test_in_tasks_that_always_run() -> None:
    async def busy() -> None:
        while True:
            await asyncio.sleep(0)

    await asyncio.gather(busy(), busy())


def test_with_a_program() -> None:
    with subprocess.Popen([sys.executable, "-c", SAYS], stdout=subprocess.PIPE) as program:
        try:
            program.wait()
        finally:
            program.kill()


def test_that_is_done() -> None:
    pass
"""
ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest says of those tests."""
    folder = tmp_path_factory.mktemp("hanging")
    (folder / "test_hanging.py").write_text(HANGING)
    (folder / "conftest.py").write_text("pytest_plugins = ['tests.timeouts']")
    command = [sys.executable, "-m", "pytest", "-p", "anyio", f"--rootdir={folder}", folder]
    done = run(command, cwd=ROOT, env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    return done.stdout


def test_each_fails_and_the_others_run(report: str) -> None:
    assert "4 failed, 1 passed" in report
    assert report.count("not done after 1 seconds") >= 4


@pytest.mark.parametrize(
    "line",
    [
        "threading.Event().wait()",
        "await asyncio.Event().wait()",
        "await asyncio.sleep(0)",
        "program.wait()",
    ],
)
def test_the_line_it_stood_at_is_named(report: str, line: str) -> None:
    number = HANGING.splitlines().index(next(x for x in HANGING.splitlines() if line in x)) + 1
    assert f'test_hanging.py", line {number}, in' in report
    assert line in report


def test_what_a_program_said_is_shown(report: str) -> None:
    assert r"(1: 'my last words\n')" in report

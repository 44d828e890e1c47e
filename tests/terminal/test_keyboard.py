"""Lines typed at a terminal or sent through a pipe: each answers one question, the right one."""

from __future__ import annotations

import asyncio
import os
import pty
import sys
from collections.abc import Iterator

import pytest

from keypeg.terminal.keyboard import LONGEST, Keyboard

pytestmark = pytest.mark.anyio
PATIENCE = 60.0


class Typing:
    """The end of standard input at which somebody types."""

    def __init__(self, typing: int) -> None:
        self._typing = typing

    def type(self, text: str) -> None:
        rest = text.encode()
        while rest:
            rest = rest[os.write(self._typing, rest) :]

    def end(self) -> None:
        os.close(self._typing)


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[Typing]:
    read, typing = os.pipe()
    with open(read, encoding="utf-8") as standard_input:
        monkeypatch.setattr(sys, "stdin", standard_input)
        yield Typing(typing)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Typing]:
    ours, theirs = pty.openpty()
    with open(theirs, encoding="utf-8") as standard_input:
        monkeypatch.setattr(sys, "stdin", standard_input)
        yield Typing(ours)
        os.close(ours)


async def answer(keyboard: Keyboard) -> str:
    async with asyncio.timeout(PATIENCE):
        return await keyboard.ask("? ")


async def begun(keyboard: Keyboard) -> asyncio.Task[str]:
    """A question that waits for its line."""
    asking = asyncio.create_task(keyboard.ask("? "))
    await asyncio.sleep(0)
    return asking


async def withdraw(asking: asyncio.Task[str]) -> None:
    asking.cancel()
    await asyncio.wait([asking])
    assert asking.cancelled()


def line_is_read(keyboard: Keyboard) -> None:
    """Wait, with the loop at a standstill, until the reading thread has the line."""
    assert keyboard._thread is not None
    keyboard._thread.join(PATIENCE)
    assert not keyboard._thread.is_alive(), "nothing is read"


async def test_a_line_read_as_its_question_is_withdrawn_answers_no_other(terminal: Typing) -> None:
    keyboard = Keyboard(talking=True)
    asking = await begun(keyboard)
    terminal.type("rrgg\n")
    line_is_read(keyboard)
    await withdraw(asking)
    asking = await begun(keyboard)
    terminal.type("wwyy\n")
    async with asyncio.timeout(PATIENCE):
        assert await asking == "wwyy"


async def test_a_line_from_a_pipe_outlives_a_withdrawn_question(pipe: Typing) -> None:
    keyboard = Keyboard(talking=False)
    asking = await begun(keyboard)
    pipe.type("rrgg\nww")
    line_is_read(keyboard)
    await withdraw(asking)
    assert await answer(keyboard) == "rrgg"
    asking = await begun(keyboard)
    await withdraw(asking)
    pipe.type("yy\nbb")
    pipe.end()
    assert await answer(keyboard) == "wwyy"
    assert await answer(keyboard) == "bb"
    for _ in range(2):
        with pytest.raises(EOFError):
            await answer(keyboard)


@pytest.mark.parametrize("length", [LONGEST - 1, LONGEST, LONGEST + 1, 3 * LONGEST])
async def test_a_line_that_is_too_long_answers_one_question(pipe: Typing, length: int) -> None:
    keyboard = Keyboard(talking=False)
    pipe.type(f"{'x' * length}rrbb\nwwyy\n")
    assert set(await answer(keyboard)) >= {"x"}
    assert await answer(keyboard) == "wwyy"
    pipe.end()

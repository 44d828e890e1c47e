"""People at the prompt who type what they are told to, and then nothing more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Typist:
    """Types these lines, one for each question; `None` types nothing until called away."""

    def __init__(self, *lines: str | None, talking: bool = False) -> None:
        self.talking = talking
        self.lines = iter(lines)
        self.asked: list[str] = []

    async def ask(self, question: str) -> str:
        self.asked.append(question)
        try:
            line = next(self.lines)
        except StopIteration:
            raise EOFError from None
        if line is None:
            await asyncio.Event().wait()
        return line or ""

    ask_secretly = ask

    def hide(self) -> None:
        self.asked.append("hidden")


def typist(*lines: str) -> Callable[[str], str]:
    """Types these lines at a prompt that is not asynchronous."""
    typed = iter(lines)

    def ask(_question: str) -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    return ask

"""Playing on the terminal's screen: waiting for what must come, and reading what it shows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import textual.app
import textual.pilot
from textual.pilot import Pilot
from textual.widgets import Static

from keypeg.terminal.screen.game import GameScreen

SIZE = (80, 24)
PATIENCE = 60.0


async def all_settled(*_: float) -> None:
    """Wait until nothing in this event loop is ready to run.

    Textual's own pilot waits until the process uses little processor time instead: two fiftieths
    of a second for each key, a second where a thread works, and still too little on a busy machine.
    """
    loop = asyncio.get_running_loop()
    await asyncio.sleep(0)
    while loop._ready:  # type: ignore[attr-defined]
        await asyncio.sleep(0)


textual.app.wait_for_idle = textual.pilot.wait_for_idle = all_settled  # type: ignore[attr-defined, assignment]


async def until(pilot: Pilot[str], what: Callable[[], bool]) -> None:
    """Wait until this is true."""
    patience_ends = time.monotonic() + PATIENCE
    await pilot.pause()
    while not what():
        assert time.monotonic() < patience_ends, f"not so; the screen says {screen_text(pilot)}"
        await pilot.pause(0.01)


async def seated(pilot: Pilot[str]) -> GameScreen:
    """The table, once it is on the screen."""
    await until(pilot, lambda: any(_is_game(screen) for screen in pilot.app.screen_stack))
    await pilot.pause()
    return next(s for s in pilot.app.screen_stack if isinstance(s, GameScreen))


def _is_game(screen: object) -> bool:
    return isinstance(screen, GameScreen) and screen.is_mounted


def said(screen: GameScreen) -> str:
    """The text of the panel."""
    return "\n".join(screen.panel.sentences)


def text_of(pilot: Pilot[str], selector: str) -> str:
    """The text of a widget on the top screen."""
    return str(pilot.app.screen.query_one(selector, Static).content)


def screen_text(pilot: Pilot[str]) -> str:
    """Every line of the screen as it would be drawn."""
    lines = pilot.app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in lines)

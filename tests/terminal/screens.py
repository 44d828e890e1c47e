"""Playing on the screen in tests: waiting for what must come, and reading what is there."""

from __future__ import annotations

from collections.abc import Callable

from textual.pilot import Pilot
from textual.widgets import Static

from keypeg.terminal.screen.game import GameScreen

SIZE = (80, 24)
PATIENCE = 400


async def until(pilot: Pilot[str], what: Callable[[], bool]) -> None:
    """Wait until it is so."""
    for _ in range(PATIENCE):
        await pilot.pause(0.02)
        if what():
            return
    raise AssertionError(f"it did not come about; the screen says {screen_text(pilot)}")


async def seated(pilot: Pilot[str]) -> GameScreen:
    """The table, once it is on the screen."""
    await until(pilot, lambda: any(_is_game(screen) for screen in pilot.app.screen_stack))
    await pilot.pause()
    return next(s for s in pilot.app.screen_stack if isinstance(s, GameScreen))


def _is_game(screen: object) -> bool:
    return isinstance(screen, GameScreen) and screen.is_mounted


def said(screen: GameScreen) -> str:
    """What the panel has said."""
    return "\n".join(screen._said)


def text_of(pilot: Pilot[str], selector: str) -> str:
    """What a widget of the top screen shows."""
    return str(pilot.app.screen.query_one(selector, Static).content)


def screen_text(pilot: Pilot[str]) -> str:
    """Every line of the screen as it would be drawn."""
    lines = pilot.app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in lines)

"""The attacks by name. `@attack` in any module of bench/attack/attacks registers one."""

from __future__ import annotations

import importlib
import pkgutil
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Attack = Callable[["Target"], Awaitable[int]]

ATTACKS: Final[dict[str, Attack]] = {}
"""What each does to the target; it returns how many things it sent, so that none is idle unseen."""


def attack(function: Attack) -> Attack:
    """Register an attack under its name."""
    ATTACKS[function.__name__.replace("_", "-")] = function
    return function


def attacks() -> dict[str, Attack]:
    """All attacks."""
    package = importlib.import_module("bench.attack.attacks")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return ATTACKS


class Target:
    """The server that is attacked, the attacker's address, and the time that is left."""

    def __init__(self, port: int, source: str, seconds: float) -> None:
        self.port, self.source = port, source
        self._seconds = seconds
        self._ends: float | None = None

    def begin(self) -> None:
        """Everything is prepared: from now on the bystanders are measured."""
        if self._ends is None:
            self._ends = time.monotonic() + self._seconds
            print("begun", flush=True)

    def going(self) -> bool:
        """Whether the attack goes on."""
        self.begin()
        return time.monotonic() < (self._ends or 0)

"""Defences with their checks: one passes while its defence is on, and fails while it is off."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import NamedTuple

import pytest

Patch = pytest.MonkeyPatch


class Missed(AssertionError):
    """What a check found that its defence should have prevented."""


def need(holds: object, what: str) -> None:
    if not holds:
        raise Missed(what)


class Defence(NamedTuple):
    check: Callable[[Path], Awaitable[None]]
    off: Callable[[Patch], None]

"""Why something cannot be done at a daily code."""

from __future__ import annotations

from keypeg.rules.errors import KeypegError


class NoSuchDay(KeypegError):
    """There is no code of this day, or not yet."""

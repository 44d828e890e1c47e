"""What long work raises when its caller called it off."""

from __future__ import annotations

from keypeg.rules.errors import KeypegError


class Cancelled(KeypegError):
    """The work was called off; there is no result."""

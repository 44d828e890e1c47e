"""Programs run by tests: each ends within a limit, or the test says what it had said until then."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from typing import Any

SECONDS = 100.0
"""Less than a test's own limit, so that what a program said is told by the one who ran it."""


class StillRunning(AssertionError):
    """A program that did not end in time, with what it said."""


def run(
    command: Sequence[object], *, seconds: float = SECONDS, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end; what it says is kept apart from our own output."""
    options = {"capture_output": True, "text": True, "check": False, **options}
    words = [str(word) for word in command]
    try:
        return subprocess.run(words, timeout=seconds, **options)  # noqa: PLW1510 - see options
    except subprocess.TimeoutExpired as late:
        said = "\n".join(_text(output) for output in (late.stdout, late.stderr) if output)
        raise StillRunning(f"{' '.join(words)} ran for {seconds} s and said:\n{said}") from None


def _text(output: str | bytes) -> str:
    return output if isinstance(output, str) else output.decode(errors="replace")

"""How a command ends: its exit status, and one line that says why it failed."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import click

REFUSED: Final = 1
"""Understood, but not allowed or not possible."""
BAD_INPUT: Final = 2
"""Not understood: options, codes, records."""
INTERRUPTED: Final = 130


class BadFile(click.ClickException):
    """A file that is not what it should be."""

    exit_code = BAD_INPUT


def refuse(message: str, status: int) -> int:
    """Print the reason as one line on standard error; gives the status back."""
    with suppress(OSError):
        click.echo("keypeg: " + " ".join(message.split()), err=True)
    return status

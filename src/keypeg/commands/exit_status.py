"""How a command ends: its exit status, and one line that says why it failed."""

from __future__ import annotations

import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import click

from keypeg.rules.errors import KeypegError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.terminal.progress_bars import Stop

REFUSED: Final = 1
"""Understood, but not allowed or not possible; or the answer is no, as when no code fits."""
BAD_INPUT: Final = 2
"""Not understood: options, codes, records."""
UNEXPECTED: Final = 70
"""A fault in keypeg itself; the number is that of EX_SOFTWARE in sysexits.h."""
CLOSED_PIPE: Final = 141
"""Whoever read the output has closed it. As in a shell: 128 and the number of SIGPIPE."""
INTERRUPTED: Final = 128 + signal.SIGINT
"""Ended by Ctrl+C."""

DEBUG_VARIABLE: Final = "KEYPEG_DEBUG"
"""Set to anything, an unexpected error comes with its traceback."""


class BadFile(click.ClickException):
    """A file that is not what it should be."""

    exit_code = BAD_INPUT


def refuse(message: str, status: int) -> int:
    """Print the reason as one line on standard error; gives the status back."""
    with suppress(OSError):
        click.echo("keypeg: " + " ".join(message.split()), err=True)
    return status


class Stopped(KeypegError):
    """A signal has stopped a search before it found anything."""

    def __init__(self, message: str, sign: int) -> None:
        super().__init__(message)
        self.status = stopped_by(sign)


def stopped_by(sign: int | None) -> int:
    """The status of a command that a signal has stopped in good order; 0 if none has."""
    return 0 if sign is None else 128 + sign


@contextmanager
def stoppable(minutes: float | None) -> Iterator[Stop]:
    """Whether to stop a search: after `minutes`, or when a signal has come."""
    from keypeg.solver.progress import Cancelled
    from keypeg.terminal.progress_bars import until_stopped

    with until_stopped(minutes) as stop:
        try:
            yield stop
        except Cancelled as error:
            if stop.sign is None:
                raise
            raise Stopped(str(error), stop.sign) from None

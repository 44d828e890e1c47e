"""Points in the program at which a test can kill the process.

KEYPEG_FAILPOINT names one of NAMES, with `:N` for the Nth time that the point is reached. If it is
not set, nothing happens.
"""

from __future__ import annotations

import itertools
import os
import signal
from typing import TYPE_CHECKING, Final

from keypeg.rules.errors import CannotRead, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

BEFORE_BEGIN: Final = "before-begin"
AFTER_INSERT: Final = "after-insert"
AFTER_COMMIT: Final = "after-commit"
AFTER_ACK: Final = "after-ack"
BEFORE_HEARTBEAT: Final = "before-heartbeat"
AFTER_HEARTBEAT: Final = "after-heartbeat"
NAMES: Final = (
    BEFORE_BEGIN,
    AFTER_INSERT,
    AFTER_COMMIT,
    AFTER_ACK,
    BEFORE_HEARTBEAT,
    AFTER_HEARTBEAT,
)


def _armed(setting: str) -> Callable[[str], None]:
    name, _, nth = setting.partition(":")
    if name not in NAMES or not (nth or "1").isdecimal():
        raise CannotRead(
            f"KEYPEG_FAILPOINT must be one of {', '.join(NAMES)}, not {quoted(setting)}"
        )
    reached = itertools.count(1)

    def reach(point: str) -> None:
        if point == name and next(reached) == int(nth or 1):
            os.kill(os.getpid(), signal.SIGKILL)

    return reach


def _nothing(point: str) -> None:
    """Used when no failpoint is set."""


_setting = os.environ.get("KEYPEG_FAILPOINT")
reach: Final = _armed(_setting) if _setting else _nothing

"""Places where a kill test may stop the process dead; nothing at all unless one is named.

KEYPEG_FAILPOINT names one of NAMES, with `:N` to die only at the Nth time it is reached.
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
        raise CannotRead(f"KEYPEG_FAILPOINT is one of {', '.join(NAMES)}, not {quoted(setting)}")
    reached = itertools.count(1)

    def reach(place: str) -> None:
        if place == name and next(reached) == int(nth or 1):
            os.kill(os.getpid(), signal.SIGKILL)

    return reach


def _nothing(place: str) -> None:
    """No failpoint is set."""


_setting = os.environ.get("KEYPEG_FAILPOINT")
reach: Final = _armed(_setting) if _setting else _nothing

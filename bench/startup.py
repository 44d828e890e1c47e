"""How soon simple commands answer."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

from bench import Row, bench, best_of

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMANDS = (["--help"], ["score", "RWBG", "WYBK"], ["boards"])


@bench
def startup() -> Iterator[Row]:
    """Whole processes, from start to end."""
    for command in COMMANDS:
        program = [sys.executable, "-m", "keypeg", *command]
        run = partial(subprocess.run, program, capture_output=True, check=True, timeout=60)
        yield Row("keypeg " + command[0], best_of(5, run), 0.3)

"""`keypeg` that always draws the same secret, so that no test depends on luck.

Otherwise the first row of a test would break the code once in 1,296 games. Given to a ServerProcess
as its prefix, this runs in place of harness/servers/program.py.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code


def dealt(board: Board) -> Code:
    """A code that no test plays by chance, and that is found soon by trying codes in order."""
    from keypeg.draw import draw_code  # noqa: PLC0415 - see below

    if not board.repeats or board.holes < 3 or board.colours < 3:
        return draw_code(board)
    return (2, 3, *(1,) * (board.holes - 2))


def main() -> None:
    """Run `keypeg` with the words after `python -m harness.servers.program`."""
    # Not above: the solver's workers import this file too, and need neither.
    from keypeg import cli  # noqa: PLC0415
    from keypeg.matches import computers, decisions  # noqa: PLC0415
    from keypeg.table import computer  # noqa: PLC0415

    computer.draw_code = dealt  # type: ignore[assignment, attr-defined]
    computers.draw_code = dealt  # type: ignore[assignment, attr-defined]
    decisions.opening.__kwdefaults__ = {"draw": dealt}
    _python, _option, _module, *arguments = sys.argv[1:]
    sys.argv = ["keypeg", *arguments]
    cli.main()


if __name__ == "__main__":
    main()
elif __name__ == "__mp_main__":
    # A worker of the solver: on a machine busy with tests it would wait for ever at a lower
    # priority.
    os.nice = lambda _less: 0

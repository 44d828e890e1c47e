"""`keypeg` whose computer always hides the same code, so that no test depends on luck.

The first row of a test would else be the code once in 1,296 games, and end what it began. Used
as the program that tests/server/process.py is run under.
"""

from __future__ import annotations

import runpy
import sys

from keypeg.draw import draw_code
from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.table import computer


def dealt(board: Board) -> Code:
    """A code that no test plays by chance, and that is soon found in order."""
    if not board.repeats or board.holes < 3 or board.colours < 3:
        return draw_code(board)
    return (2, 3, *(1,) * (board.holes - 2))


if __name__ == "__main__":
    computer.draw_code = dealt  # type: ignore[assignment, attr-defined]
    _python, _option, module, *arguments = sys.argv[1:]
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)

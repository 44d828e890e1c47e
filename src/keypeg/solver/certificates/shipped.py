"""The certificates that come with keypeg, and what they say of its books."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Final

from keypeg.rules.board import Board
from keypeg.solver.certificates.checker import read_file

SUFFIX: Final = ".certificate"


def shipped() -> list[Path]:
    """Their files, named after their boards."""
    folder = Path(str(resources.files("keypeg.solver.certificates")))
    return sorted(folder.glob(f"*{SUFFIX}"))


def lower_bound(board: Board) -> int | None:
    """What no strategy for the board is below, by a certificate; None if there is none."""
    kind = _kind(board)
    alike = (path for path in shipped() if _kind(Board.parse(path.stem)) == kind)
    return next((read_file(path).bound for path in alike), None)


def _kind(board: Board) -> tuple[int, int, bool]:
    return board.holes, len(board.symbols), board.repeats

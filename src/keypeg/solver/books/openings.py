"""Exact totals after every first row, for the boards where the best play is proven.

After one row these positions are too large to search while a player waits, but by symmetry there
are few of them. `openings.json` holds for each kind of first guess and each answer the
least total of what is left and a guess that reaches it. `python -m keypeg.solver.books.openings`
prints it again.
"""

from __future__ import annotations

import json
import sys
from functools import lru_cache
from importlib.resources import files
from itertools import permutations
from typing import TYPE_CHECKING, Final, NamedTuple

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.keypegs import KeyPegs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from keypeg.rules.code import Code

BOARDS: Final = ("classic", "classic-blanks")
"""The boards whose openings are stored."""


class Continuation(NamedTuple):
    """The total of the best play over all codes that an answer leaves, and its next guess."""

    total: int
    guess: Code


class OpeningKind(NamedTuple):
    """A first guess up to symmetry, and how to map codes back to the guess itself."""

    code: tuple[int, ...]
    """Its colours numbered as they are met, in the order of holes that makes it smallest."""
    holes: tuple[int, ...]
    colours: tuple[int, ...]

    def back(self, code: Iterable[int]) -> Code:
        """`code`, played after the kind, as it is played after the guess itself."""
        pegs = [0] * len(self.holes)
        for hole, colour in zip(self.holes, code, strict=True):
            pegs[hole] = self.colours[colour]
        return tuple(pegs)


def kind_of(guess: Code, board: Board) -> OpeningKind:
    """The kind of a first guess: guesses of one kind are equivalent."""
    return min(_as_met(guess, holes, board) for holes in permutations(range(board.holes)))


def _as_met(guess: Code, holes: tuple[int, ...], board: Board) -> OpeningKind:
    met = list(dict.fromkeys(guess[hole] for hole in holes))
    colours = (*met, *(peg for peg in board.symbols if peg not in met))
    return OpeningKind(tuple(met.index(guess[hole]) for hole in holes), holes, colours)


def openings(board: Board, first: Code) -> dict[KeyPegs, Continuation] | None:
    """What each answer to `first` leaves to be done; None where that is not stored.

    The answer that ends the game leaves nothing, and is left out.
    """
    kept = _stored().get((board.holes, len(board.symbols), board.repeats))
    if kept is None:
        return None
    kind = kind_of(first, board)
    return {
        KeyPegs(black, white): Continuation(total, kind.back(guess))
        for black, white, total, guess in kept["".join(map(str, kind.code))]
    }


def best_opening(board: Board) -> Continuation | None:
    """The least total of the whole board and a first guess that reaches it, if stored."""
    kept = _stored().get((board.holes, len(board.symbols), board.repeats))
    if kept is None:
        return None
    totals = {kind: sum(total for _, _, total, _ in cells) for kind, cells in kept.items()}
    best = min(totals, key=lambda kind: (totals[kind], kind))
    return Continuation(board.codes + totals[best], tuple(int(met) + 1 for met in best))


_Cells = list[tuple[int, int, int, list[int]]]


@lru_cache(maxsize=1)
def _stored() -> dict[tuple[int, int, bool], dict[str, _Cells]]:
    """By holes, symbols and repeats: for each kind its cells as black, white, total, guess."""
    written = json.loads(files("keypeg.solver.books").joinpath("openings.json").read_text())
    boards = {name: PRESETS[name] for name in BOARDS}
    return {
        (board.holes, len(board.symbols), board.repeats): written[name]
        for name, board in boards.items()
    }


def work_out(board: Board) -> dict[str, _Cells]:
    """The openings of `board`, searched exactly."""
    from keypeg.solver.codes.codespace import codespace  # noqa: PLC0415 - reading needs no compiling
    from keypeg.solver.codes.symmetry import Symmetry  # noqa: PLC0415
    from keypeg.solver.exact.positions import solver_of  # noqa: PLC0415
    from keypeg.solver.playing.onestep import partitioned  # noqa: PLC0415

    space, solver = codespace(board), solver_of(board)
    kinds: dict[str, _Cells] = {}
    for first in Symmetry(space).canonical.tolist():
        kind = kind_of(space.code(first), board)
        met = dict(zip(kind.colours, range(len(kind.colours)), strict=True))
        symmetry = Symmetry(space).after(first)
        cells: _Cells = []
        for answer, codes in partitioned(space, space.everything, first):
            solved = solver.best(codes, symmetry)
            assert solved is not None  # noqa: S101 - nobody asked it to stop
            following = space.code(solved.guess)
            keys = space.answers.key_pegs[answer]
            guess = [met[following[hole]] for hole in kind.holes]
            cells.append((keys.black, keys.white, solved.total, guess))
        kinds["".join(map(str, kind.code))] = cells
    return kinds


if __name__ == "__main__":
    json.dump({name: work_out(PRESETS[name]) for name in BOARDS}, sys.stdout, separators=(",", ":"))

"""The boards of the atlas, with the best totals that others have published."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from keypeg.rules.board import LIMITS, Board
from keypeg.solver.books.book import shipped
from keypeg.solver.certificates.shipped import shipped as shipped_certificates
from keypeg.solver.codes.codespace import Answers
from keypeg.solver.exact.workspace import KINDS

if TYPE_CHECKING:
    from pathlib import Path

MOST_CODES: Final = 10_000
"""The atlas has every board of at least two holes with up to this many codes."""


class Published(NamedTuple):
    """The best total that others have published."""

    total: int
    worst: int | None
    who: str
    proven: bool = True


class Game(NamedTuple):
    """A board of the atlas, and the command that finds its total.

    `prove`: the exact search. `book`: the shipped book is verified, since a proof takes too long.
    `tree` and `gpu`: a one-step strategy, with a certain first guess or the best one. Without a
    command, the board is only listed.
    """

    board: Board
    how: str
    first: str = ""
    published: Published | None = None

    @property
    def name(self) -> str:
        """Holes x colours; every board of the atlas is written so, presets too."""
        return name_of(self.board)


def name_of(board: Board) -> str:
    """Holes x kinds of pegs: a blank counts as a colour, and the rows do not matter."""
    return f"{board.holes}x{len(board.symbols)}{'' if board.repeats else 'n'}"


def books() -> dict[str, Path]:
    """The shipped books by the names that their boards have here."""
    return {name_of(Board.parse(name)): file for name, file in shipped().items()}


def certificates() -> dict[str, Path]:
    """The shipped certificates in the same way. They are about bounds, not always about totals."""
    return {name_of(Board.parse(file.stem)): file for file in shipped_certificates()}


def _small() -> list[Board]:
    """Every board with up to `MOST_CODES` codes, and two holes or more."""
    (_, most_holes), (fewest, most) = LIMITS["holes"], LIMITS["colours"]
    numbers = [(h, c) for h in range(2, most_holes + 1) for c in range(fewest, most + 1)]
    repeated = [Board(h, c) for h, c in numbers if c**h <= MOST_CODES]
    return repeated + [
        Board(h, c, repeats=False) for h, c in numbers if c >= h and math.perm(c, h) <= MOST_CODES
    ]


_BOTH: Final = "fancidev, arfst23"
_MIKEMAG: Final = "mikemag"


def _proven(
    holes: int, flag: str, totals: dict[int, tuple[int, int]], who: str
) -> dict[str, Published]:
    """Published totals by colours."""
    return {
        f"{holes}x{colours}{flag}": Published(total, worst, who)
        for colours, (total, worst) in totals.items()
    }


_THREE: Final = dict(
    enumerate([(206, 4), (451, 5), (854, 5), (1474, 6), (2359, 6), (3596, 7), (5242, 7)], 4)
)
_FIVE: Final = dict(enumerate([(97, 4), (816, 5), (3954, 6), (13496, 6)], 2))
_NO_REPEATS: Final = dict(enumerate([(462, 5), (1446, 5), (3639, 6), (7817, 6), (14914, 7)], 5))

PUBLISHED: Final = {
    **_proven(3, "", _THREE, "fancidev"),
    **_proven(4, "", {2: (44, 4), 3: (246, 4), 4: (905, 5), 5: (2463, 6)}, "fancidev"),
    "4x6": Published(5625, 6, "Koyama and Lai 1993; fancidev; arfst23"),
    "4x7": Published(11228, 6, "Ville 2013; fancidev; arfst23"),
    "4x8": Published(20471, 7, _BOTH),
    "4x9": Published(34921, 7, "fancidev / mikemag", proven=False),
    "4x10": Published(56225, 8, "fancidev / mikemag", proven=False),
    **_proven(5, "", _FIVE, "fancidev"),
    "5x6": Published(37089, 7, "fancidev, entropy", proven=False),
    "5x7": Published(86406, 7, "mikemag, entropy", proven=False),
    "5x8": Published(179274, None, "supermastermind", proven=False),
    "5x9": Published(342916, 8, "mikemag, entropy", proven=False),
    "5x10": Published(610748, 8, _MIKEMAG, proven=False),
    **_proven(6, "", {2: (224, 5), 3: (2649, 5)}, "fancidev"),
    "6x6": Published(242465, 7, "fancidev, entropy", proven=False),
    "6x7": Published(658296, 8, _MIKEMAG, proven=False),
    "6x8": Published(1560667, 8, _MIKEMAG, proven=False),
    "6x9": Published(3339961, 9, _MIKEMAG, proven=False),
    "7x7": Published(5013700, 9, _MIKEMAG, proven=False),
    "7x10": Published(71290798, 10, _MIKEMAG, proven=False),
    "8x8": Published(120031735, 12, _MIKEMAG, proven=False),
    **_proven(3, "n", {6: (436, 5), 8: (1449, 6), 10: (3575, 7)}, "fancidev"),
    **_proven(4, "n", _NO_REPEATS, _BOTH),
    "4x10n": Published(26274, 7, "Tanaka 1996; fancidev; arfst23"),
    **_proven(5, "n", {5: (535, 6), 6: (3434, 7)}, "fancidev"),
}
"""The best published totals, by board."""

PUBLISHED_WITHIN: Final = {
    ("4x6", 5): Published(5626, 5, "Koyama and Lai 1993; arfst23"),
    ("4x8", 6): Published(20473, 6, "arfst23"),
}
"""The same for the least total with at most this many guesses."""

_LARGE: Final = (
    *(("prove", name, "") for name in ("6x5", "5x9n")),
    *(("book", name, "") for name in ("5x7", "5x8", "5x9", "6x6")),
    ("tree", "5x10", "11234"),
    ("tree", "6x7", "112234"),
    ("gpu", "6x8", "112233"),
    ("gpu", "6x9", "112234"),
    ("gpu", "7x7", "1122334"),
    ("gpu", "7x10", "1122334"),
    ("gpu", "8x8", "11223344"),
)
"""Boards with more codes: how their totals are found, and the first guesses of the one-step
strategies, which `evaluate` finds if none is given; they are given to save that time."""


TRIES: Final = {"7x10": 250_000, "8x8": 250_000}
"""Of how many guesses `evaluate --gpu` takes the best, on boards where all would take too long."""


def _searched(board: Board) -> bool:
    """Whether the exact search can take a board: it has a limit on the number of answers."""
    return Answers(board.holes).many <= KINDS


def _halves(board: Board) -> Game:
    """One step ahead, after a first guess of two colours in as many holes, if that is possible."""
    twos = board.holes // 2
    return Game(board, "tree", "1" * (board.holes - twos) + "2" * twos)


def _games() -> dict[str, Game]:
    games = [
        *(Game(board, "prove") if _searched(board) else _halves(board) for board in _small()),
        *(Game(Board.parse(name), how, first) for how, name, first in _LARGE),
    ]
    games.sort(key=lambda game: (not game.board.repeats, game.board.holes, game.board.colours))
    return {game.name: game._replace(published=PUBLISHED.get(game.name)) for game in games}


GAMES: Final = _games()
"""Every game of the atlas by its name, in the order of the table."""

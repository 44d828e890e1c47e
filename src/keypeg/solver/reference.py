"""Slow and obvious versions that every fast part of the solver is tested against.

Pure Python over the rules' own codes and `score`. Nothing here is used to play.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import permutations, product
from math import inf
from typing import TYPE_CHECKING

from keypeg.rules.keypegs import KeyPegs, score, solved

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code

Row = tuple["Code", KeyPegs]
Cost = Callable[["list[int]", bool], float]
"""What a guess costs: given the sizes of its cells and whether it may be the secret."""


def codes(board: Board) -> list[Code]:
    """Every code of `board`, in lexicographic order."""
    if board.repeats:
        return list(product(board.symbols, repeat=board.holes))
    return list(permutations(board.symbols, board.holes))


def answers(board: Board) -> list[KeyPegs]:
    """Every answer two codes can have, by pegs in common and then by black: all black is last."""
    holes = board.holes
    pairs = [(black, common - black) for common in range(holes + 1) for black in range(common + 1)]
    return [KeyPegs(*pair) for pair in pairs if pair != (holes - 1, 1)]


def partition(guess: Code, secrets: Iterable[Code]) -> dict[KeyPegs, list[Code]]:
    """The secrets by the answer `guess` gets, in their order."""
    cells: dict[KeyPegs, list[Code]] = {}
    for secret in secrets:
        cells.setdefault(score(secret, guess), []).append(secret)
    return cells


def consistent(board: Board, history: Sequence[Row]) -> list[Code]:
    """The codes that would have given every answer of `history`."""
    return [
        code for code in codes(board) if all(score(code, guess) == keys for guess, keys in history)
    ]


def choose(board: Board, remaining: Sequence[Code], cost: Cost) -> Code:
    """The best guess by definition: the cheapest, then a possible secret, then the smallest."""

    def rank(guess: Code) -> tuple[float, bool, Code]:
        sizes = [len(cell) for cell in partition(guess, remaining).values()]
        return cost(sizes, guess in remaining), guess not in remaining, guess

    return min(codes(board), key=rank)


def distribution(
    board: Board, remaining: Sequence[Code], player: Callable[[Sequence[Code]], Code]
) -> Counter[int]:
    """How many of `remaining` are found with each number of guesses when `player` guesses."""
    found: Counter[int] = Counter()
    for keys, cell in partition(player(remaining), remaining).items():
        if keys == solved(board):
            found[1] += len(cell)
            continue
        deeper = distribution(board, cell, player)
        found.update({guesses + 1: many for guesses, many in deeper.items()})
    return found


def total(found: Counter[int]) -> int:
    """Guesses summed over every secret, the winning one included."""
    return sum(guesses * many for guesses, many in found.items())


def least(board: Board, remaining: Iterable[Code], rows: int | None = None) -> int | None:
    """The least total of any strategy for `remaining`, by trying every guess on every region.

    With `rows`, of strategies that need at most that many guesses; None if none does.
    """
    every = codes(board)

    @cache
    def value(region: frozenset[Code], left: float) -> float:
        if left == 0:
            return inf
        best = inf
        for guess in every:
            cells = partition(guess, region)
            cells.pop(solved(board), None)
            if all(len(cell) < len(region) for cell in cells.values()):
                rest = sum(value(frozenset(cell), left - 1) for cell in cells.values())
                best = min(best, len(region) + rest)
        return best

    found = value(frozenset(remaining), inf if rows is None else rows)
    return None if found == inf else int(found)


def same_partition(guess: Code, other: Code, secrets: Sequence[Code]) -> bool:
    """Whether two guesses make the same partition of the secrets, whatever the answers are."""
    cells, others = ({tuple(c) for c in partition(g, secrets).values()} for g in (guess, other))
    return cells == others and (guess in secrets) == (other in secrets)


def orbit(board: Board, history: Sequence[Code], guess: Code) -> set[Code]:
    """Every guess that a symmetry of the guessed rows turns `guess` into."""
    images = set()
    for holes in permutations(range(board.holes)):
        for colours in permutations(board.symbols):
            relabel = dict(zip(board.symbols, colours, strict=True))

            def image(
                code: Code, holes: tuple[int, ...] = holes, relabel: dict[int, int] = relabel
            ) -> Code:
                return tuple(relabel[code[hole]] for hole in holes)

            if all(image(row) == row for row in history):
                images.add(image(guess))
    return images

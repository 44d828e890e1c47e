"""Which guesses are equivalent, so that only one of them need be tried.

There are three reasons: a symmetry of the rows guessed so far, colours that no possible secret
has, and different guesses with equal partitions. For each the lexicographically smallest guess is
kept, so together they never lose the smallest of the best.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import permutations
from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.solver.codes.compiled import kernel
from keypeg.solver.codes.kernels import fingerprints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from keypeg.solver.codes.codespace import CodeSpace

MOST_PERMUTED: Final = 8
"""On boards with more holes than this, symmetries of holes are ignored: 9! is too many."""

_FREE: Final = 255


class Symmetry:
    """The symmetries of a list of guesses: permutations of holes, each with its colour map.

    A permutation belongs if some map of the guessed colours then gives back every guess. The
    colours never guessed may be exchanged freely. Answers do not matter, so one object serves
    every branch below the same guesses.
    """

    def __init__(
        self,
        space: CodeSpace,
        guesses: tuple[int, ...] = (),
        parent: Symmetry | None = None,
    ) -> None:
        self.space = space
        self.guesses = guesses
        if parent is None:
            self.holes = _permutations(space.holes)
            self.colours = np.full((len(self.holes), space.symbols), _FREE, np.uint8)
        else:
            row = space.pegs[guesses[-1]]
            self.holes, self.colours = _stabiliser(row, parent.holes, parent.colours)

    @classmethod
    def of(cls, space: CodeSpace, guesses: tuple[int, ...]) -> Symmetry:
        """The symmetry of `guesses`, given as places among all codes."""
        symmetry = cls(space)
        for guess in guesses:
            symmetry = symmetry.after(guess)
        return symmetry

    def after(self, guess: int) -> Symmetry:
        """What is left of the symmetry when `guess` is played too."""
        return Symmetry(self.space, (*self.guesses, guess), self)

    @property
    def free(self) -> int:
        """The colours never guessed, as a set of bits; all but these are mapped by identity."""
        return sum(1 << int(c) for c in np.flatnonzero(self.colours[0] == _FREE))

    @property
    def trivial(self) -> bool:
        """Whether no two guesses are equivalent any more."""
        return len(self.holes) == 1 and self.free.bit_count() < 2

    @cached_property
    def canonical(self) -> NDArray[np.int32]:
        """The smallest guess of each orbit, in lexicographic order."""
        if self.trivial:
            return self.space.everything
        return _canonical(self.space.pegs, self.holes, self.colours)


def useful(
    space: CodeSpace, guesses: NDArray[np.int32], remaining: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Those of `guesses` that use no absent colour where a smaller absent one would do.

    Colours that no code of `remaining` has are equivalent: with repeats the smallest represents
    all, without repeats a guess with k of them uses the k smallest.
    """
    absent = ~int(np.bitwise_or.reduce(space.colours[remaining])) & ((1 << space.symbols) - 1)
    if absent.bit_count() < 2:
        return guesses
    return guesses[smallest_used(space.colours[guesses], np.int64(absent), space.repeats)]


@kernel
def smallest_used(colours: NDArray[np.uint32], alike: np.int64, repeats: bool) -> NDArray[np.bool_]:
    """Of each set of colours, whether those of `alike` in it are the smallest of `alike`."""
    out = np.empty(len(colours), np.bool_)
    least = alike & -alike
    for i in range(len(colours)):
        used = np.int64(colours[i]) & alike
        if repeats:
            out[i] = used == 0 or used == least
        else:
            out[i] = prefix(used, alike)
    return out


@kernel
def prefix(used: np.int64, alike: np.int64) -> bool:
    """Whether no colour of `alike` below the largest of `used` is left out."""
    missing = alike & ~used
    return bool((missing & -missing) > used or missing == 0)


def distinct(
    space: CodeSpace, guesses: NDArray[np.int32], remaining: NDArray[np.int32]
) -> NDArray[np.int32]:
    """The first of each kind of guess: a kind makes one partition of `remaining`.

    A guess that may be the secret and one that may not are never of the same kind.
    """
    marks = fingerprints(space.gather(guesses), space.gather(remaining), space.holes)
    _, first = np.unique(marks, return_index=True)
    return guesses[np.sort(first)]


@lru_cache(maxsize=16)
def _permutations(holes: int) -> NDArray[np.uint8]:
    """Every order of the holes, the identity first."""
    if holes > MOST_PERMUTED:
        return np.arange(holes, dtype=np.uint8)[None, :]
    return np.array(list(permutations(range(holes))), np.uint8)


@kernel
def _stabiliser(
    row: NDArray[np.uint8], holes: NDArray[np.uint8], colours: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The permutations, with colour maps extended, that also give back `row`."""
    maps = colours.copy()
    kept = np.zeros(len(holes), np.bool_)
    for i in range(len(holes)):
        image = maps[i]
        taken = np.int64(0)
        for colour in range(len(image)):
            if image[colour] != _FREE:
                taken |= np.int64(1) << np.int64(image[colour])
        kept[i] = True
        for hole in range(len(row)):
            source, target = row[holes[i, hole]], row[hole]
            if image[source] == _FREE and not taken >> np.int64(target) & 1:
                image[source] = target
                taken |= np.int64(1) << np.int64(target)
            elif image[source] != target:
                kept[i] = False
                break
    return holes[kept], maps[kept]


@kernel
def _canonical(
    pegs: NDArray[np.uint8], holes: NDArray[np.uint8], colours: NDArray[np.uint8]
) -> NDArray[np.int32]:
    """The codes that no permutation with its colour map makes smaller."""
    symbols = colours.shape[1]
    free = np.empty(symbols, np.uint8)
    frees = 0
    for colour in range(symbols):
        if colours[0, colour] == _FREE:
            free[frees] = colour
            frees += 1
    image = np.empty(symbols, np.uint8)
    out = np.empty(len(pegs), np.int32)
    found = 0
    for code in range(len(pegs)):
        smallest = True
        for i in range(len(holes)):
            image[:] = colours[i]
            met = 0
            for hole in range(pegs.shape[1]):
                source = pegs[code, holes[i, hole]]
                if image[source] == _FREE:  # new colours in the order they are met
                    image[source] = free[met]
                    met += 1
                if image[source] != pegs[code, hole]:
                    smallest = image[source] > pegs[code, hole]
                    break
            if not smallest:
                break
        if smallest:
            out[found] = code
            found += 1
    return out[:found].copy()

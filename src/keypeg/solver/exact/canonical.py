"""Regions that are alike: exchanging holes or colours makes one the image of the other.

That changes no answer, so a region and its images take the same total. One image stands for
all: holes and colours are put in the order of marks that say what part they have in the codes.
The table holds what is known of that image under its ordinary key. This needs no trust in the
marks: whatever their order, the image is one. Where they are equal without a symmetry, as in a
few of a hundred regions, two alike may miss each other, which costs time alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.solver.codes.compiled import part, popcount, whole
from keypeg.solver.exact.desk import ALIKE, Desk, Game, region_tag, salted
from keypeg.solver.exact.transposition import (
    guess_of,
    keep,
    lower,
    probe,
    stirred,
    tag_of,
    twice_stirred,
    upper,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Words = NDArray[np.uint64]

_SINGLED_OUT: Final = 0x9E3779B97F4A7C14


@part
def has_image(game: Game, n: int) -> bool:
    """Whether regions of this size are looked up by their image.

    Not where a beam leaves guesses out: its totals depend on their order.
    """
    if not (game.rules.alike and game.rules.table):
        return False
    return bool(ALIKE <= n <= game.whole and game.pool >= len(game.keys))


@part
def recall(game: Game, desk: Desk, level: int, n: int, depth: int, key: np.uint64) -> np.uint64:
    """What the table holds on the image of a region on the desk, noted under its `key` too."""
    find_image(game, desk, level, n)
    data = probe(game.table, salted(game, desk.image_key[level], n, depth))
    if data == 0 or tag_of(data) != desk.image_tag[level]:
        return np.uint64(0)
    guess = original(game, desk, level, guess_of(data))
    key, tag = salted(game, key, n, depth), region_tag(desk, level, n)
    keep(game.table, key, tag, lower(data), upper(data) > 0, guess, game.count_bits)
    return data


@part
def find_image(game: Game, desk: Desk, level: int, n: int) -> None:
    """Choose the image of a region on the desk; `image` and `original` know the way then."""
    holes, colours = desk.hole_mark, desk.colour_mark
    for hole in range(game.holes):
        holes[hole] = 1
    for colour in range(game.symbols):
        colours[colour] = 0
    for i in range(n):
        for hole in range(game.holes):
            colours[game.pegs[desk.codes[level, i], hole]] += np.uint64(1)
    for colour in range(game.symbols):
        colours[colour] = stirred(colours[colour])
    before = 0
    while True:
        refine(game, desk, level, n)
        kinds = different(holes) + different(colours)
        if kinds == game.holes + game.symbols:
            break
        if kinds == before and not single_out(holes):
            single_out(colours)
        before = kinds
    rank(holes, desk.hole_rank[level])
    rank(colours, desk.colour_rank[level])
    key = total = np.uint64(0)
    for i in range(n):
        word = game.keys[image(game, desk, level, whole(desk.codes[level, i]))]
        key += word
        total += twice_stirred(word)
    desk.image_key[level] = key
    desk.image_tag[level] = tag_of(total)


@part
def refine(game: Game, desk: Desk, level: int, n: int) -> None:
    """Let the marks of holes and colours say more: with which others they meet in codes."""
    holes, colours = desk.hole_mark, desk.colour_mark
    more_holes, more_colours = desk.hole_more, desk.colour_more
    for hole in range(game.holes):
        more_holes[hole] = 0
    for colour in range(game.symbols):
        more_colours[colour] = 0
    for i in range(n):
        pegs = game.pegs[desk.codes[level, i]]
        code = np.uint64(0)
        for hole in range(game.holes):
            code += holes[hole] * colours[pegs[hole]]
        code = stirred(code)
        for hole in range(game.holes):
            more_holes[hole] += stirred(code ^ colours[pegs[hole]])
            more_colours[pegs[hole]] += stirred(code + holes[hole])
    for hole in range(game.holes):
        holes[hole] = stirred(holes[hole] + more_holes[hole]) | np.uint64(1)
    for colour in range(game.symbols):
        if colours[colour] != 0:
            colours[colour] = stirred(colours[colour] + more_colours[colour]) | np.uint64(1)


@part
def different(marks: Words) -> int:
    """How many marks no later one equals; 0 marks the absent, who equal nobody."""
    found = len(marks)
    for i in range(len(marks)):
        for j in range(i + 1, len(marks)):
            if marks[j] == marks[i] and marks[i] != 0:
                found -= 1
                break
    return found


@part
def single_out(marks: Words) -> bool:
    """Give one of the least equal marks another value, if there are any."""
    found = -1
    for i in range(len(marks)):
        for j in range(i + 1, len(marks)):
            if marks[j] == marks[i] and marks[i] != 0:
                if found < 0 or marks[i] < marks[found]:
                    found = i
                break
    if found >= 0:
        marks[found] ^= np.uint64(_SINGLED_OUT)
    return found >= 0


@part
def rank(marks: Words, ranks: Bytes) -> None:
    """The place of each in the order of marks; the absent come first, as they are."""
    for i in range(len(marks)):
        before = 0
        for j in range(len(marks)):
            before += marks[j] < marks[i] or (marks[j] == marks[i] and j < i)
        ranks[i] = before


@part
def image(game: Game, desk: Desk, level: int, code: int) -> int:
    """What a code is in the region's image; -1, no code, stays what it is."""
    if code < 0:
        return whole(-1)
    for hole in range(game.holes):
        colour = desk.colour_rank[level, game.pegs[code, hole]]
        desk.pegs[desk.hole_rank[level, hole]] = colour
    return place(game, desk.pegs)


@part
def original(game: Game, desk: Desk, level: int, code: int) -> int:
    """The code whose image `code` is; -1 stays what it is."""
    if code < 0:
        return whole(-1)
    for hole in range(game.holes):
        peg = game.pegs[code, desk.hole_rank[level, hole]]
        for colour in range(game.symbols):
            if desk.colour_rank[level, colour] == peg:
                desk.pegs[hole] = colour
    return place(game, desk.pegs)


@part
def place(game: Game, pegs: Bytes) -> int:
    """Where a code stands among all codes, which are in lexicographic order."""
    found, used = whole(0), np.uint64(0)
    for hole in range(game.holes):
        peg = whole(pegs[hole])
        if game.repeats:
            found = found * game.symbols + peg
        else:
            bit = np.uint64(1) << np.uint64(peg)
            found = found * (game.symbols - hole) + peg
            found -= whole(popcount(used & (bit - np.uint64(1))))
            used |= bit
    return found

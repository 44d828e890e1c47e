"""Equivalent regions: exchanging holes or colours makes one the image of the other.

That changes no answer, so a region and its images take the same total. One image represents all:
holes and colours are put in the order of marks that describe where they occur in the codes. The
table holds what is known of that image under its ordinary key. This is sound whatever the marks
are, since any order gives an image. Where marks are equal without a symmetry, as in a few regions
in a hundred, two equivalent regions may get different images, which only costs time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from keypeg.solver.codes.compiled import part, popcount, whole
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
from keypeg.solver.exact.workspace import ALIKE, SearchData, Workspace, region_tag, salted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Words = NDArray[np.uint64]

_SINGLED_OUT: Final = 0x9E3779B97F4A7C14


@part
def has_image(data: SearchData, n: int) -> bool:
    """Whether regions of this size are looked up by their image.

    Not where a beam leaves guesses out: its totals depend on their order.
    """
    if not (data.shortcuts.alike and data.shortcuts.table):
        return False
    return bool(ALIKE <= n <= data.whole and data.pool >= len(data.keys))


@part
def recall(
    data: SearchData, workspace: Workspace, level: int, n: int, depth: int, key: np.uint64
) -> np.uint64:
    """What the table holds on the image of a region on the workspace, noted under its `key` too."""
    find_image(data, workspace, level, n)
    entry = probe(data.table, salted(data, workspace.image_key[level], n, depth))
    if entry == 0 or tag_of(entry) != workspace.image_tag[level]:
        return np.uint64(0)
    guess = original(data, workspace, level, guess_of(entry))
    key, tag = salted(data, key, n, depth), region_tag(workspace, level, n)
    keep(data.table, key, tag, lower(entry), upper(entry) > 0, guess, data.count_bits)
    return entry


@part
def find_image(data: SearchData, workspace: Workspace, level: int, n: int) -> None:
    """Choose the image of a region on the workspace; then `image` and `original` map codes."""
    holes, colours = workspace.hole_mark, workspace.colour_mark
    for hole in range(data.holes):
        holes[hole] = 1
    for colour in range(data.symbols):
        colours[colour] = 0
    for i in range(n):
        for hole in range(data.holes):
            colours[data.pegs[workspace.codes[level, i], hole]] += np.uint64(1)
    for colour in range(data.symbols):
        colours[colour] = stirred(colours[colour])
    before = 0
    while True:
        refine(data, workspace, level, n)
        kinds = different(holes) + different(colours)
        if kinds == data.holes + data.symbols:
            break
        if kinds == before and not single_out(holes):
            single_out(colours)
        before = kinds
    rank(holes, workspace.hole_rank[level])
    rank(colours, workspace.colour_rank[level])
    key = total = np.uint64(0)
    for i in range(n):
        word = data.keys[image(data, workspace, level, whole(workspace.codes[level, i]))]
        key += word
        total += twice_stirred(word)
    workspace.image_key[level] = key
    workspace.image_tag[level] = tag_of(total)


@part
def refine(data: SearchData, workspace: Workspace, level: int, n: int) -> None:
    """Refine the marks of holes and colours by which others they occur with in codes."""
    holes, colours = workspace.hole_mark, workspace.colour_mark
    more_holes, more_colours = workspace.hole_more, workspace.colour_more
    for hole in range(data.holes):
        more_holes[hole] = 0
    for colour in range(data.symbols):
        more_colours[colour] = 0
    for i in range(n):
        pegs = data.pegs[workspace.codes[level, i]]
        code = np.uint64(0)
        for hole in range(data.holes):
            code += holes[hole] * colours[pegs[hole]]
        code = stirred(code)
        for hole in range(data.holes):
            more_holes[hole] += stirred(code ^ colours[pegs[hole]])
            more_colours[pegs[hole]] += stirred(code + holes[hole])
    for hole in range(data.holes):
        holes[hole] = stirred(holes[hole] + more_holes[hole]) | np.uint64(1)
    for colour in range(data.symbols):
        if colours[colour] != 0:
            colours[colour] = stirred(colours[colour] + more_colours[colour]) | np.uint64(1)


@part
def different(marks: Words) -> int:
    """How many different marks there are; 0 marks a colour that is absent, and counts each time."""
    found = len(marks)
    for i in range(len(marks)):
        for j in range(i + 1, len(marks)):
            if marks[j] == marks[i] and marks[i] != 0:
                found -= 1
                break
    return found


@part
def single_out(marks: Words) -> bool:
    """Change one of the least of the equal marks, if there are any."""
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
    """The place of each in the order of marks; absent ones come first, in their own order."""
    for i in range(len(marks)):
        before = 0
        for j in range(len(marks)):
            before += marks[j] < marks[i] or (marks[j] == marks[i] and j < i)
        ranks[i] = before


@part
def image(data: SearchData, workspace: Workspace, level: int, code: int) -> int:
    """The code that a code becomes in the region's image; -1, for no code, stays -1."""
    if code < 0:
        return whole(-1)
    for hole in range(data.holes):
        colour = workspace.colour_rank[level, data.pegs[code, hole]]
        workspace.pegs[workspace.hole_rank[level, hole]] = colour
    return place(data, workspace.pegs)


@part
def original(data: SearchData, workspace: Workspace, level: int, code: int) -> int:
    """The code whose image `code` is; -1 stays -1."""
    if code < 0:
        return whole(-1)
    for hole in range(data.holes):
        peg = data.pegs[code, workspace.hole_rank[level, hole]]
        for colour in range(data.symbols):
            if workspace.colour_rank[level, colour] == peg:
                workspace.pegs[hole] = colour
    return place(data, workspace.pegs)


@part
def place(data: SearchData, pegs: Bytes) -> int:
    """The place of a code among all codes, which are in lexicographic order."""
    found, used = whole(0), np.uint64(0)
    for hole in range(data.holes):
        peg = whole(pegs[hole])
        if data.repeats:
            found = found * data.symbols + peg
        else:
            bit = np.uint64(1) << np.uint64(peg)
            found = found * (data.symbols - hole) + peg
            found -= whole(popcount(used & (bit - np.uint64(1))))
            used |= bit
    return found

"""The memory of a search: data that all threads share, and a workspace for each thread.

Compiled code gets them as named tuples of arrays. A region is laid on a workspace at a level, the
number of guesses made; its codes, keys and words lie side by side there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from keypeg.solver.codes.compiled import part
from keypeg.solver.exact.transposition import tag_of, twice_stirred

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Ints = NDArray[np.int32]
    Longs = NDArray[np.int64]
    Words = NDArray[np.uint64]

LEVELS: Final = 24
"""The deepest line of play that is searched, in guesses."""

KINDS: Final = 64
"""The most answers a board may have."""

SQUARE: Final = 128
"""Regions up to this size keep the answers between their own codes in a square."""

BLOCK: Final = 2048
"""Guesses counted at a time, so that their counts stay in the nearest cache."""

STRIP: Final = 512
"""Guesses whose answers are counted side by side."""

SMALL: Final = 20
"""Regions up to this size are looked at guess by guess, larger ones strip by strip."""

ALIKE: Final = 8
"""Regions from this size on are looked up by their image too."""

SAMPLE: Final = 200
"""Guesses looked at to separate the cheap ones from the expensive ones."""

STATE: Final = 0
NEXT: Final = 1
"""Places in `SearchData.control`: the state of the search, and the next job."""

RUNNING: Final = 0
STOPPED: Final = 1
OVER_BUDGET: Final = 2
TOO_DEEP: Final = 3
"""States of a search: at work; stopped by the caller; the cells take more than their budget; a
line of play needs more than LEVELS guesses."""

NODES: Final = 0
STAMP: Final = 1
"""Places in `Workspace.counters`: regions looked at, and stamps given out."""


class Shortcuts(NamedTuple):
    """The shortcuts of the search. Each only saves work: no total depends on it."""

    seed: bool = True
    """Begin with the total of a quick beam search as the one to beat."""
    symmetry: bool = True
    """Of second guesses equivalent under a symmetry of the first guess, try one."""
    dedupe: bool = True
    """Of guesses that make the same partition, try one."""
    complete: bool = True
    """Bound cells by a complete tree, and not only by one guess right and the rest next."""
    spread: bool = True
    """Bound cells by the most cells any guess makes of the region."""
    perfect: bool = True
    """Look for a code that distinguishes all of its cell before searching the cell."""
    members: bool = True
    """Bound larger cells by what their own codes leave of them as guesses."""
    table: bool = True
    """Remember regions in the transposition table."""
    alike: bool = True
    """Look up regions also by the image that represents all equivalent under holes and colours."""
    colours: bool = True
    """Colours never guessed appear in increasing order."""
    cells: bool = True
    """Reject guesses by how many cells they make, before looking at the cells."""
    slack: bool = True
    """Search a cell only as far as its guess can still be the best."""
    least: bool = True
    """Stop at a guess that reaches the lower bound of the region."""


class SearchData(NamedTuple):
    """What all threads of one search share."""

    words: Words
    pegs: Bytes
    keys: Words
    floor: Ints
    cost: Ints
    table: Words
    salts: Words
    widths: Longs
    control: Longs
    holes: int
    symbols: int
    repeats: bool
    kinds: int
    count_bits: int
    whole: int
    pool: int
    shortcuts: Shortcuts


class Workspace(NamedTuple):
    """One thread's working space; most arrays have a row for each level."""

    codes: Ints
    keys: Words
    positions: Words
    counts: Words
    at: Ints
    guesses: Ints
    low: Ints
    heap: Longs
    order: Ints
    start: Ints
    answer: Ints
    cell_low: Longs
    cell_key: Words
    known: Bytes
    pool: Longs
    pool_codes: Ints
    pool_words: Words
    columns: Bytes
    has_columns: Longs
    square: Bytes
    squared: Bytes
    spread: Longs
    used: Longs
    found: Longs
    image_key: Words
    image_tag: Words
    hole_rank: Bytes
    colour_rank: Bytes
    hole_mark: Words
    hole_more: Words
    colour_mark: Words
    colour_more: Words
    pegs: Bytes
    inside: Longs
    line: Bytes
    seen: NDArray[np.unsignedinteger]
    split: Bytes
    sums: Words
    few: Bytes
    many: NDArray[np.uint16]
    weights: Ints
    marks: Words
    stamps: Longs
    sample: Longs
    counters: Longs
    learned: Longs


def new_control() -> Longs:
    """The control of a search that has not begun."""
    return np.zeros(2, np.int64)


def new_workspace(codes: int, kinds: int, holes: int, symbols: int, room: int) -> Workspace:
    """A workspace for a board with these numbers of codes, answers, holes and colours.

    It has `room` bytes for columns.
    """
    slots = 1 << max(8, (2 * codes).bit_length())
    return Workspace(
        codes=np.empty((LEVELS, codes), np.int32),
        keys=np.empty((LEVELS, codes), np.uint64),
        positions=np.empty((LEVELS, codes), np.uint64),
        counts=np.empty((LEVELS, codes), np.uint64),
        at=np.empty((LEVELS, codes), np.int32),
        guesses=np.empty((LEVELS, codes), np.int32),
        low=np.empty((LEVELS, codes), np.int32),
        heap=np.empty((LEVELS, codes), np.int64),
        order=np.empty((LEVELS, codes), np.int32),
        start=np.empty((LEVELS, KINDS + 1), np.int32),
        answer=np.empty((LEVELS, KINDS), np.int32),
        cell_low=np.empty((LEVELS, KINDS), np.int64),
        cell_key=np.empty((LEVELS, KINDS), np.uint64),
        known=np.empty((LEVELS, KINDS), np.uint8),
        pool=np.zeros(LEVELS, np.int64),
        pool_codes=np.empty(codes, np.int32),
        pool_words=np.empty((2, codes), np.uint64),
        columns=np.empty(room, np.uint8),
        has_columns=np.zeros(LEVELS, np.int64),
        square=np.empty((LEVELS, SQUARE * SQUARE), np.uint8),
        squared=np.zeros(LEVELS, np.uint8),
        spread=np.zeros(LEVELS, np.int64),
        used=np.zeros(LEVELS, np.int64),
        found=np.zeros(LEVELS, np.int64),
        image_key=np.zeros(LEVELS, np.uint64),
        image_tag=np.zeros(LEVELS, np.uint64),
        hole_rank=np.empty((LEVELS, holes), np.uint8),
        colour_rank=np.empty((LEVELS, symbols), np.uint8),
        hole_mark=np.empty(holes, np.uint64),
        hole_more=np.empty(holes, np.uint64),
        colour_mark=np.empty(symbols, np.uint64),
        colour_more=np.empty(symbols, np.uint64),
        pegs=np.empty(holes, np.uint8),
        inside=np.zeros(codes, np.int64),
        line=np.empty(max(codes, BLOCK), np.uint8),
        seen=np.empty(BLOCK, np.uint32 if kinds <= 32 else np.uint64),
        split=np.empty(codes + BLOCK, np.uint8),
        sums=np.zeros(KINDS, np.uint64),
        few=np.zeros((kinds, STRIP), np.uint8),
        many=np.zeros((kinds, STRIP), np.uint16),
        weights=np.zeros((4, STRIP), np.int32),
        marks=np.empty(slots, np.uint64),
        stamps=np.zeros(slots, np.int64),
        sample=np.empty(SAMPLE, np.int64),
        counters=np.zeros(4, np.int64),
        learned=np.zeros((2, codes + 1), np.int64),
    )


@part
def lay_out(data: SearchData, workspace: Workspace, level: int, codes: Ints, n: int) -> None:
    """Lay a region on the workspace at a level, from the list of all codes."""
    for i in range(n):
        code = codes[i]
        workspace.codes[level, i] = code
        workspace.at[level, i] = code
        workspace.keys[level, i] = data.keys[code]
        workspace.positions[level, i] = data.words[0, code]
        workspace.counts[level, i] = data.words[1, code]
    workspace.has_columns[level] = 0
    workspace.pool[level] = 0


@part
def lower_to(workspace: Workspace, level: int, first: int, size: int, used: int) -> None:
    """Lay a cell of the region on the workspace one level below."""
    below = level + 1
    order = workspace.order[level]
    for i in range(size):
        place = order[first + i]
        workspace.at[below, i] = workspace.at[level, place]
        workspace.codes[below, i] = workspace.codes[level, place]
        workspace.keys[below, i] = workspace.keys[level, place]
        workspace.positions[below, i] = workspace.positions[level, place]
        workspace.counts[below, i] = workspace.counts[level, place]
    workspace.used[below] = used
    workspace.has_columns[below] = workspace.has_columns[level]
    workspace.pool[below] = workspace.pool[level]


@part
def region_key(workspace: Workspace, level: int, n: int) -> np.uint64:
    """The key of a region on the workspace."""
    key = np.uint64(0)
    for i in range(n):
        key += workspace.keys[level, i]
    return key


@part
def region_tag(workspace: Workspace, level: int, n: int) -> np.uint64:
    """The tag of a region on the workspace."""
    total = np.uint64(0)
    for i in range(n):
        total += twice_stirred(workspace.keys[level, i])
    return tag_of(total)


@part
def cell_tag(workspace: Workspace, level: int, first: int, size: int) -> np.uint64:
    """The tag of a cell of the region on the workspace."""
    total = np.uint64(0)
    for i in range(first, first + size):
        total += twice_stirred(workspace.keys[level, workspace.order[level, i]])
    return tag_of(total)


@part
def salted(data: SearchData, key: np.uint64, n: int, depth: int) -> np.uint64:
    """The table's key of a region, which differs for every limit on depth or width."""
    key ^= data.salts[depth]
    if n > data.whole or data.pool < len(data.keys):
        key ^= data.salts[len(data.salts) - 1]
    return key


@part
def learn(workspace: Workspace, size: int, value: int) -> None:
    """Note what a solved cell took."""
    workspace.learned[0, size] += value
    workspace.learned[1, size] += 1

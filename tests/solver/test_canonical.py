from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.solver.codes.compiled import kernel, whole
from keypeg.solver.codes.kernels import matrix
from keypeg.solver.exact.canonical import find_image, image, original
from keypeg.solver.exact.engine import Engine
from keypeg.solver.exact.workspace import ALIKE, SearchData, Workspace, lay_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes = NDArray[np.int32]

BOARDS = ("3x5", "4x4", "4x6", "5x4", "4x6n", "5x7n", "2x9")


@lru_cache
def engine(name: str) -> Engine:
    return Engine(Board.parse(name), threads=1)


@kernel
def images(data: SearchData, workspace: Workspace, codes: Codes) -> tuple[np.uint64, Codes, Codes]:
    """The key of a region's image, the image of each code, and where each came from."""
    top = whole(1)  # as in the search, whose compiled code this then is
    lay_out(data, workspace, top, codes, len(codes))
    find_image(data, workspace, top, len(codes))
    there, back = codes.copy(), codes.copy()
    for i in range(len(codes)):
        there[i] = image(data, workspace, top, whole(codes[i]))
        back[i] = original(data, workspace, top, whole(there[i]))
    return workspace.image_key[1], there, back


def image_of(name: str, codes: Codes) -> tuple[np.uint64, Codes, Codes]:
    board = engine(name)
    return images(board.data, board.workspaces[0], codes)


def left(name: str, random: np.random.Generator) -> Codes:
    """The codes that fit two or three guesses at a secret."""
    space = engine(name).space
    *guesses, secret = random.integers(len(space), size=random.integers(3, 5)).tolist()
    answers = matrix(space.gather(np.array(guesses)), engine(name).data.words, space.holes)
    fits = (answers == answers[:, secret : secret + 1]).all(axis=0)
    return np.flatnonzero(fits).astype(np.int32)


@lru_cache
def places_of(name: str) -> dict[bytes, int]:
    """Where in its space each code is."""
    pegs = np.asarray(engine(name).space.pegs)
    return {code.tobytes(): number for number, code in enumerate(pegs)}


def exchanged(name: str, codes: Codes, random: np.random.Generator) -> Codes:
    """The same codes with their holes and colours exchanged, in another order."""
    space = engine(name).space
    place = places_of(name)
    colours = random.permutation(space.symbols).astype(np.uint8)
    pegs = np.ascontiguousarray(colours[space.pegs[codes]][:, random.permutation(space.holes)])
    return np.array([place[row.tobytes()] for row in pegs], np.int32)[::-1].copy()


@pytest.mark.parametrize("name", ["4x6", "4x7", "5x5", "4x6n"])
def test_nearly_all_regions_alike_meet_in_one_image(name: str) -> None:
    random = np.random.default_rng(1971)
    regions = [codes for _ in range(500) if len(codes := left(name, random)) >= ALIKE]
    met = 0
    for codes in regions:
        one, there, _ = image_of(name, codes)
        other, elsewhere, _ = image_of(name, exchanged(name, codes, random))
        assert (one == other) == (sorted(there) == sorted(elsewhere))
        met += int(one == other)
    assert met >= 0.97 * len(regions) >= 100


@given(st.data(), st.sampled_from(BOARDS))
def test_an_image_is_as_hard_as_its_region(data: st.DataObject, name: str) -> None:
    """Of any codes: no answer between two of them changes, and each is found again."""
    space = engine(name).space
    places = st.integers(0, len(space) - 1)
    codes = np.array(sorted(data.draw(st.sets(places, min_size=1, max_size=40))), np.int32)
    key, there, back = image_of(name, codes)
    assert back.tolist() == codes.tolist()
    before, after = space.gather(codes), space.gather(there)
    assert (matrix(before, before, space.holes) == matrix(after, after, space.holes)).all()
    assert key == engine(name).data.keys[there].sum(dtype=np.uint64)

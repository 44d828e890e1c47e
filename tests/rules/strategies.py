"""What the property tests draw from: boards, codes, agreements, secrets."""

from __future__ import annotations

from hypothesis import strategies as st

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import Code
from keypeg.rules.commitment import Opening
from keypeg.rules.errors import KeypegError
from keypeg.rules.keypegs import KeyPegs, check_key_pegs
from keypeg.rules.terms import KeyPegMode, Scoring, Terms


@st.composite
def boards(draw: st.DrawFn, most_holes: int = 16, most_colours: int = 20) -> Board:
    holes = draw(st.integers(1, most_holes))
    blanks = draw(st.booleans())
    colours = draw(st.integers(2, most_colours))
    repeats = draw(st.booleans()) or colours + blanks < holes
    return Board(holes, colours, draw(st.integers(1, 99)), blanks, repeats)


official_boards = st.sampled_from(list(PRESETS.values()))


@st.composite
def codes(draw: st.DrawFn, board: Board) -> Code:
    pegs = st.sampled_from(list(board.symbols))
    unique = not board.repeats
    return tuple(draw(st.lists(pegs, min_size=board.holes, max_size=board.holes, unique=unique)))


def key_pegs(board: Board) -> st.SearchStrategy[KeyPegs]:
    def possible(keys: KeyPegs) -> bool:
        try:
            check_key_pegs(keys, board)
        except KeypegError:
            return False
        return True

    every = [KeyPegs(b, w) for b in range(board.holes + 1) for w in range(board.holes + 1)]
    return st.sampled_from([keys for keys in every if possible(keys)])


@st.composite
def openings(draw: st.DrawFn, board: Board) -> Opening:
    nonce = draw(st.none() | st.binary(min_size=32, max_size=32))
    return Opening(draw(codes(board)), nonce)


def terms(board: st.SearchStrategy[Board]) -> st.SearchStrategy[Terms]:
    return st.builds(
        Terms,
        board,
        st.integers(1, 3).map(lambda pairs: 2 * pairs),
        st.sampled_from(KeyPegMode),
        st.sampled_from(Scoring),
        st.none() | st.integers(1, 86_400),
    )

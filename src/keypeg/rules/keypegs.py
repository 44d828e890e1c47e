"""Key pegs: the answer to a guess, and the function that computes it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from keypeg.rules.errors import AgainstTheRules, CannotRead, quoted

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code


class KeyPegs(NamedTuple):
    """Black: right colour, right hole. White: right colour, wrong hole.

    In the advanced edition the black key peg is red; `black` counts it too.
    """

    black: int
    white: int


def score(secret: Code, guess: Code) -> KeyPegs:
    """The right answer to `guess`. One key peg answers one code peg, black before white."""
    black = sum(mine == theirs for mine, theirs in zip(secret, guess, strict=True))
    # The loop is over the guess, so that the time it takes reveals nothing about the secret.
    both = sum(min(secret.count(peg), guess.count(peg)) for peg in set(guess))
    return KeyPegs(black, both - black)


def solved(board: Board) -> KeyPegs:
    """The answer to the right code: a black key peg for every hole."""
    return KeyPegs(board.holes, 0)


def check_key_pegs(keys: KeyPegs, board: Board) -> None:
    """Raise an error if no guess can get this answer on this board."""
    if type(keys) is not KeyPegs or any(type(pegs) is not int or pegs < 0 for pegs in keys):
        raise CannotRead("the number of key pegs is a whole number, 0 or more")
    black, white = keys
    dark, holes = board.dark_key_peg, board.holes
    if black > holes or white > holes:
        raise AgainstTheRules(f"a row of {holes} takes at most {holes} key pegs")
    if black + white > holes:
        raise AgainstTheRules(
            f"{black} {dark} and {white} white are {black + white} key pegs; "
            f"a row of {holes} takes at most {holes}"
        )
    if (black, white) == (holes - 1, 1):
        raise AgainstTheRules(
            f"{black} {dark} and 1 white cannot occur: with {black} in place, "
            "the last peg has no other hole to go to"
        )


def parse_key_pegs(text: str, board: Board) -> KeyPegs:
    """Read key pegs: `21`, `2 1`, `2b1w`, or `2r1w` if the dark key peg is red."""
    match = _FORMS.fullmatch(text.strip().lower()) if len(text) <= 40 else None
    if match is None:
        dark = board.dark_key_peg[0]
        raise CannotRead(
            f"{quoted(text)} is not a valid answer; write {board.dark_key_peg} then white "
            f"key pegs, as in 21, 2 1 or 2{dark}1w"
        )
    if (match["dark"] or "b").startswith("r") and board.dark_key_peg != "red":
        raise CannotRead(f"{quoted(text)}: this board's key pegs are black and white, not red")
    black = match["b"] or match["b2"] or match["b3"]
    white = match["w"] or match["w2"] or match["w3"]
    keys = KeyPegs(int(black or 0), int(white or 0))
    check_key_pegs(keys, board)
    return keys


def format_key_pegs(keys: KeyPegs, board: Board) -> str:
    """Write key pegs: `2b1w`, or `2r1w` in the advanced edition."""
    return f"{keys.black}{board.dark_key_peg[0]}{keys.white}w"


def describe_key_pegs(keys: KeyPegs, board: Board) -> str:
    """The answer in words: `2 black, 1 white`."""
    return f"{keys.black} {board.dark_key_peg}, {keys.white} white"


_FORMS = re.compile(
    r"""(?P<b>[0-9])(?P<w>[0-9])
      | (?P<b2>[0-9]{1,2})[\s,]+(?P<w2>[0-9]{1,2})
      | (?=.*[0-9])(?:(?P<b3>[0-9]{1,2})\s*(?P<dark>b|black|r|red))?[\s,]*
             (?:(?P<w3>[0-9]{1,2})\s*(?:w|white))?
    """,
    re.VERBOSE,
)

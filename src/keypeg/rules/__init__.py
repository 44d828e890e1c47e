"""The game itself: pure functions over frozen values.

It uses only the standard library: no clock, no randomness, no input or output. Everything about
the game, such as what a white key peg means, is defined here and nowhere else.
"""

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import Code, format_code, parse_code
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError, NotYourTurn
from keypeg.rules.keypegs import KeyPegs, format_key_pegs, parse_key_pegs, score

__all__ = [
    "PRESETS",
    "AgainstTheRules",
    "Board",
    "CannotRead",
    "Code",
    "KeyPegs",
    "KeypegError",
    "NotYourTurn",
    "format_code",
    "format_key_pegs",
    "parse_code",
    "parse_key_pegs",
    "score",
]

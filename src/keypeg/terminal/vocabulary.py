"""What can be typed at the prompt: the commands with their help, and codes told apart from them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from keypeg.rules.code import parse_code
from keypeg.rules.errors import CannotRead, quoted
from keypeg.rules.game import Phase
from keypeg.rules.keypegs import parse_key_pegs
from keypeg.table.commands import Answer, Command, Guess, SetSecret
from keypeg.table.options import TableOption

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.game import Game

HELP: Final = {
    TableOption.SET_SECRET: ("A CODE: your secret", "random: draw one for me"),
    TableOption.GUESS: ("A CODE: play it in the next row",),
    TableOption.ANSWER: ("KEY PEGS: black, then white: 21, 2 1 or 2b1w",),
    TableOption.HINT: (
        "hint [left | may CODE | clash CODE | good | best]: a hint; its use is recorded",
    ),
    TableOption.NEXT_GAME: ("Enter or next: go on",),
    TableOption.CHALLENGE: ("challenge: say that an answer was wrong",),
    TableOption.REMATCH: ("rematch: play another series",),
    TableOption.CLAIM: ("claim: win the series, if the opponent has left",),
    TableOption.OFFER_TIME: ("more [SECONDS]: give the opponent more time",),
    TableOption.ACCEPT_LIMIT: ("accept: accept the proposed time limit",),
    TableOption.DECLINE_LIMIT: ("decline: decline the proposed time limit",),
    TableOption.WITHDRAW_LIMIT: ("withdraw: withdraw your proposal",),
    TableOption.PROPOSE_LIMIT: ("limit MINUTES or limit none: propose a time limit for each turn",),
    TableOption.RESIGN: ("resign: give up this game",),
}
"""What can be typed while an option is open."""
ALWAYS: Final = (
    "rows, last, row N: read the board",
    "score, time: the score, and the time left",
    "sheet, record: the whole series, to read, or to save for 'keypeg analyse'",
    "review: what each row of a finished game was worth",
    "peek: see your own secret",
    "quit: stop here",
)

_FORMS: Final = {
    "row": "'row' needs the number of a row, as in 'row 2'",
    "more": "'more' takes a number of seconds, as in 'more 60'",
    "limit": "'limit' takes minutes, minutes:seconds or none, as in 'limit 3' or 'limit 1:30'",
    "undo": "a row cannot be taken back once it is played",
}
"""What is wrong with a line that begins with one of these words, if it is not a code."""
_LIMIT: Final = re.compile(r"none|([0-9]{1,4})(?::([0-5][0-9]))?")
_ALONE: Final = (
    *("quit", "q", "exit", "help", "resign", "challenge", "rematch", "claim", "peek", "random"),
    *("draw", "rows", "board", "last", "score", "time", "sheet", "record", "review", "next"),
    *("accept", "decline", "withdraw"),
)
"""Commands to which nothing is added."""


def read_move(typed: str, game: Game) -> Command:
    """A line as the move that the game waits for; refuses what was meant as a command as such."""
    try:
        if game.phase is Phase.ANSWER:
            return Answer(parse_key_pegs(typed, game.board))
        code = parse_code(typed, game.board)
    except CannotRead as error:
        raise _complaint(typed, game.board) or error from None
    return SetSecret(code) if game.phase is Phase.SECRET else Guess(code)


def read_limit(typed: str) -> int | None:
    """A turn limit in seconds, typed as `3`, `1:30` or `none`."""
    found = _LIMIT.fullmatch(typed)
    if found is None:
        raise CannotRead(_FORMS["limit"])
    minutes, seconds = found.groups(default="0")
    return None if typed == "none" else 60 * int(minutes) + int(seconds)


def _complaint(typed: str, board: Board) -> CannotRead | None:
    """What is wrong with a line that is meant as a command; None if it is not."""
    word, _, rest = typed.lower().partition(" ")
    if word in _FORMS:
        return CannotRead(_FORMS[word])
    if word in _ALONE:
        if rest:
            return CannotRead(f"'{word}' is typed alone, without {quoted(rest)}")
        return CannotRead(f"'{word}' is not possible now; 'help' lists what can be typed")
    return no_such_command(word, board)


def no_such_command(word: str, board: Board) -> CannotRead | None:
    """The complaint about a word without a peg in it, which cannot be meant as a code."""
    pegs = {colour.letter.lower() for colour in board.palette} | {"b", "w"}
    if len(word) > 2 and word.isalpha() and not pegs & set(word.lower()):
        return CannotRead(f"there is no command {quoted(word)}; 'help' lists what can be typed")
    return None

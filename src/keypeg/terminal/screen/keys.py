"""The keys, as data: what the footer shows and the help lists."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from textual.binding import Binding, BindingType

from keypeg.rules.colours import BLANK, digit

if TYPE_CHECKING:
    from keypeg.rules.board import Board

ENTER: Final = {
    "check": "Check",
    "set": "Set code",
    "answer": "Place",
    "next": "Next game",
    "replay": "Replay game",
    "close": "See result",
    "anew": "New series",
    "wait": "",
}
"""What Enter may do, and how the footer and the button call it; while waiting, it says for what."""

GAME: Final[list[BindingType]] = [
    *(
        Binding("enter", f"check('{deed}')", label, show=bool(label), key_display="⏎")
        for deed, label in ENTER.items()
    ),
    Binding("h,f2", "hint", "Hint", key_display="h", tooltip="a hint, recorded; also F2"),
    Binding("question_mark,f1", "help", "Help", key_display="?", tooltip="this help; also F1"),
    Binding(
        "space", "edit('hold')", "Hold", key_display="␣", tooltip="keep a peg for the next row"
    ),
    Binding("ctrl+z", "edit('undo')", "Undo", key_display="^z", tooltip="undo in the row"),
    Binding("ctrl+d", "copy", "Copy", key_display="^d", tooltip="copy the previous row"),
    Binding("l,f3", "last", "Last", key_display="l", tooltip="read the last row; also F3"),
    Binding(
        "L",
        "labels",
        "Labels",
        show=False,
        key_display="L",
        tooltip="letters, two letters or digits",
    ),
    Binding("f4", "peek", "Peek", key_display="F4", tooltip="see your own secret"),
    Binding("f5,v", "review", "Review", key_display="F5", tooltip="what each row was worth"),
    Binding("f6", "challenge", "Challenge", key_display="F6", tooltip="an answer was wrong"),
    Binding("f7", "rematch", "Rematch", key_display="F7", tooltip="another series"),
    Binding("f8", "resign", "Resign", show=False, key_display="F8", tooltip="give up this game"),
    Binding("f9", "claim", "Claim", key_display="F9", tooltip="the opponent has left"),
    Binding("f10", "more_time", "More time", key_display="F10", tooltip="give them a minute"),
    Binding("ctrl+t", "answer_limit", "Limit?", key_display="^t", tooltip="reply to a time limit"),
    Binding(
        "ctrl+t", "limit", "Limit", show=False, key_display="^t", tooltip="propose a time limit"
    ),
    Binding("left", "edit('left')", "Left", show=False, key_display="←", tooltip="previous hole"),
    Binding("right", "edit('right')", "Right", show=False, key_display="→", tooltip="next hole"),
    Binding("up", "edit('next')", "Up", show=False, key_display="↑", tooltip="next colour"),
    Binding(
        "down", "edit('previous')", "Down", show=False, key_display="↓", tooltip="previous colour"
    ),
    Binding(
        "backspace", "edit('clear')", "Back", show=False, key_display="⌫", tooltip="take a peg out"
    ),
    Binding(
        "delete",
        "edit('clear-here')",
        "Clear",
        show=False,
        key_display="Del",
        tooltip="take this peg out",
    ),
]
"""A letter that is a peg of the board places that peg instead; the F-keys always work."""

LETTERED: Final[list[BindingType]] = [
    replace(key, key_display=key.key.rpartition(",")[2].upper())
    if isinstance(key, Binding) and key.action in ("hint", "last")
    else key
    for key in GAME
]
"""The same where h and l are pegs: the footer shows the F-keys."""

APP: Final[list[BindingType]] = [
    Binding(
        "ctrl+q,ctrl+c",
        "leave",
        "Leave",
        key_display="^q",
        priority=True,
        tooltip="leave; resume later",
    ),
]

CHARACTERS: Final = frozenset(" hlLv?")
"""The characters above that are keys where they are not pegs."""


def peg_keys(board: Board) -> dict[str, int]:
    """Which characters place which peg: digits and letters, and - or 0 for a blank."""
    keys = {}
    for peg, colour in enumerate(board.palette, 1):
        keys[digit(peg, board.palette).lower()] = peg
        keys[colour.letter.lower()] = peg
    if board.blanks:
        keys["-"] = keys["0"] = BLANK
    return keys


def key_lines() -> list[tuple[str, str]]:
    """Every key with what it does, for the help."""
    bindings = [binding for binding in (*GAME, *APP) if isinstance(binding, Binding)]
    lines = [(key.key_display or key.description, key.tooltip) for key in bindings if key.tooltip]
    return [("⏎", "play the row, or go on"), *lines]

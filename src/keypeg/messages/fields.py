"""The values that messages are made of, and the range of each."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from keypeg.rules.board import LIMITS, PRESETS
from keypeg.rules.terms import LONGEST_TURN
from keypeg.table.names import LONGEST_NAME
from keypeg.table.options import TableOption

MOST_SEQ: Final = 2**53 - 1

Peg = Annotated[int, Meta(ge=0, le=LIMITS["colours"][1])]
Pegs = Annotated[
    tuple[Peg, ...],
    Meta(
        min_length=1,
        max_length=LIMITS["holes"][1],
        description="A peg for each hole: 1 is the board's first colour, 0 a blank.",
    ),
]
Keys = Annotated[int, Meta(ge=0, le=LIMITS["holes"][1])]
CommandId = Annotated[
    str,
    Meta(
        # Python's $ would let a line break follow.
        pattern=r"^[A-Za-z0-9_-]{1,64}(?!\n)$",
        description="Made by the client, new for every command, the same when it is repeated.",
    ),
]
Retry = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_-]{43}(?!\n)$",
        description="256 random bits of the client's own in base64url, new for every seat, and as "
        "secret as its token. The same request with the same bits gets the same seat again.",
    ),
]
Limit = Annotated[
    Annotated[int, Meta(ge=1, le=LONGEST_TURN)] | None,
    Meta(description="A turn limit in seconds, or null for none."),
]
Seq = Annotated[int, Meta(ge=0, le=MOST_SEQ)]
Ticket = Annotated[str, Meta(min_length=1, max_length=64)]
Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
BoardName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=40,
        description="A preset (classic, classic-blanks, advanced, advanced-blanks) or holes x "
        "colours: 4x6, 5x8b with blanks, 4x10n without repeats, 4x6/8 with 8 rows.",
        examples=["classic", "5x8b"],
        # Not checked here: `Board.parse` gives a better error message.
        extra_json_schema={
            "pattern": rf"^\s*(?:{'|'.join(PRESETS)}|"
            r"[0-9]{1,9}x[0-9]{1,9}(?:b|n|bn|nb)?(?:/[0-9]{1,9})?)\s*$"
        },
    ),
]
Options = Annotated[
    tuple[TableOption, ...],
    Meta(description="What the reader's seat may do now, in the order to be shown."),
]
Level = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,19}(?!\n)$", examples=["perfect"])]

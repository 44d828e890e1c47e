"""What `--json` sends: docs/terminal.md describes every event, field by field."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import takewhile
from pathlib import Path

import pytest

from keypeg.rules.board import PRESETS
from keypeg.rules.terms import KeyPegMode
from keypeg.terminal.assist import Teller, assist_breaker, assist_maker
from keypeg.terminal.choices import Part, SeriesChoices
from keypeg.terminal.local_tables import MEMORY, seated
from keypeg.terminal.narration import JsonNarrator
from keypeg.terminal.plain import converse
from tests.terminal.typist import Typist, typist

PAGE = Path(__file__).parents[2] / "docs" / "terminal.md"
CLASSIC = PRESETS["classic"]
Sent = dict[str, object]
Fields = dict[str, set[str]]


def documented(heading: str) -> Fields:
    """The events and their fields in the table after a line that begins so."""
    after = PAGE.read_text().partition(f"\n{heading}")[2].splitlines()[2:]
    found: Fields = {}
    event = ""
    for row in list(takewhile(lambda line: line.startswith("|"), after))[2:]:
        names = [re.sub("[` ]", "", cell) for cell in row.split("|")[1:3]]
        event = names[0] or event
        found.setdefault(event, set()).update(filter(None, names[1:]))
    return found


def played(*lines: str | None, **wish: object) -> list[Sent]:
    """What a program is sent that plays so."""
    said: list[str] = []
    choices = SeriesChoices(**{"part": Part.BOTH, **wish})  # type: ignore[arg-type]
    converse(seated(MEMORY, choices), Typist(*lines), JsonNarrator(said.append))
    return [json.loads(line) for line in said]


def assisted(*lines: str, maker: bool = False) -> list[Sent]:
    """What a program is sent that is helped so."""
    said: list[str] = []
    ask = typist(*lines)
    teller = Teller(said.append, as_json=True)
    if maker:
        assist_maker(CLASSIC, ask, ask, teller)
    else:
        assist_breaker(CLASSIC, "careful", ask, teller)
    return [json.loads(line) for line in said]


def check(sent: Iterable[Sent], described: Fields) -> None:
    """Every event was sent, and each with exactly the fields that are described."""
    for event in sent:
        assert set(event) - {"event"} == described[str(event["event"])], event
        assert isinstance(event.get("text", ""), str)
    assert {event["event"] for event in sent} == described.keys()


def test_what_a_playing_program_is_sent_is_documented() -> None:
    hints = [f"hint {kind}" for kind in ("left", "may rrbb", "clash rrbb", "good")]
    by_hand = played(
        *(
            "rrbb",
            "limit 3",
            "decline",
            "rrgg",
            "20",
            *hints,
            "help",
            "sheet",
            "nonsense",
            "wwyy",
            "10",
            "challenge",
        ),
        key_pegs=KeyPegMode.BY_HAND,
        hints=True,
    )
    timed = played("rrbb", None, "quit", turn_seconds=1)
    said: list[str] = []
    JsonNarrator(said.append).invite("http://host:8000/table/ID")
    check([*by_hand, *timed, json.loads(said[0])], documented("`keypeg play --json`"))
    told = [event for event in by_hand if event["event"] == "hint"]
    assert [event["possible"] for event in told[:3]] == [None, True, True]
    assert [event["contradicts"] for event in told[:3]] == [None, None, []]
    assert [event["guess"] is None for event in told] == [True, True, True, False]


def test_what_an_assisted_program_is_sent_is_documented() -> None:
    breaker = assisted("rrbb=20", "next", "list", "rows", "rrbb=10", "help", "nonsense")
    maker = assisted("rrbb", "rrgg", "rows", "peek", "help", maker=True)
    check([*breaker, *maker], documented("`keypeg assist breaker --json`"))


def test_a_program_is_told_of_its_turn_at_every_row() -> None:
    sent = played("rrbb", "wwyy", "zzzz", "wwyy", "rrbb")
    turns = [event["row"] for event in sent if event["event"] == "turn"]
    assert turns == [None, 1, 2, 3, None]


@pytest.mark.parametrize("typed", ["undo", "row x", "row", "sheet 2", "hlep", "rematch"])
def test_a_mistyped_command_is_told_apart_from_a_code(typed: str) -> None:
    sent = played("rrbb", typed)
    (error,) = [str(event["error"]) for event in sent if event["event"] == "error"]
    assert "peg" not in error

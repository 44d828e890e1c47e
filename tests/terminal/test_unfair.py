"""`keypeg unfair`: the openly unfair maker at a prompt and for programs, and its records."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.forked import keypeg
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import Form, format_code
from keypeg.rules.notation import parse_record
from keypeg.rules.unfair import fewest_rows
from keypeg.terminal.assist import Teller
from keypeg.terminal.unfair import ANNOUNCED, NO_SEAL, fewest_words, play_unfair
from tests.terminal.test_json import check, documented
from tests.terminal.typist import typist

CLASSIC = PRESETS["classic"]


def shortest(board: Board = CLASSIC) -> list[str]:
    found = fewest_rows(board)
    assert found is not None
    return [format_code(guess, board, Form.DIGITS) for guess in found.play]


def played(*lines: str, board: Board = CLASSIC) -> list[str]:
    said: list[str] = []
    play_unfair(board, (), typist(*lines), Teller(said.append, as_json=False))
    return said


def sent(*lines: str, board: Board = CLASSIC) -> list[dict[str, Any]]:
    said: list[str] = []
    play_unfair(board, (), typist(*lines), Teller(said.append, as_json=True))
    return [json.loads(line) for line in said]


def test_it_says_that_it_is_unfair_before_the_first_row() -> None:
    said = played("1122")
    assert said[0] == ANNOUNCED
    assert "openly unfair" in said[0]
    assert "no seal is made" in said[0]
    assert said[1].endswith(fewest_words(CLASSIC))
    assert "at least 5 rows, and 5 can be enough: both are proven" in said[1]
    assert said[2] == "Row 1: RD RD BU BU   0 black, 0 white   256 of 1,296 codes left"
    assert said[-1] == "This game again: keypeg unfair --board classic 1122"


def test_a_shortest_play_ends_it_and_there_is_a_record_and_a_text_to_share() -> None:
    said = played("record", *shortest(), "record", "shortest", "new", "quit")
    assert said[2] == "Not done: this is shown when the game is over"
    end = said.index("The maker gave in: broken in 5 rows.")
    assert said[end + 1].startswith(NO_SEAL)
    assert said[end + 2].startswith("keypeg unfair: 5 rows\n")
    record = next(line for line in said if line.startswith("keypeg record 1"))
    assert parse_record(record).unfair
    assert f"# {NO_SEAL}" in record.splitlines()
    assert sum(line.startswith("  ") for line in said) == 5
    assert said[-1].startswith("classic: 4 holes")


def test_an_unbroken_game_names_a_code_that_fits_and_says_how_many_do() -> None:
    said = played("1111", "2222", board=Board(4, 6, 2))
    (end,) = [line for line in said if line.startswith("Not broken: ")]
    assert end == "Not broken: 256 codes still fit all rows, and the maker now says YW YW YW YW."
    over = played("1111", "2222", "3333", board=Board(4, 6, 2))
    assert "Not done: the game is over" in over


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("rrb", "Not done: a code on this board has 4 pegs"),
        ("hlep", "Not done: there is no command 'hlep'"),
        ("shortest", "Not done: this is shown when the game is over"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(typed: str, reason: str) -> None:
    assert any(line.startswith(reason) for line in played(typed))


def test_what_a_program_is_sent_is_documented() -> None:
    events = sent("help", "nonsense", *shortest(), "rows")
    check(events, documented("`keypeg unfair --json`"))
    (done,) = [event for event in events if event["event"] == "done"]
    assert (done["broken"], done["left"]) == (True, 1)
    assert parse_record(str(done["record"])).unfair
    first, *_, last = [event for event in events if event["event"] == "game"]
    assert (first["sealed"], first["least"], first["enough"], first["rows"]) == (False, 5, 5, [])
    assert [row["left"] for row in last["rows"]] == [256, 46, 6, 1, 1]
    unknown = sent(board=Board(3, 5))[0]
    assert (unknown["least"], unknown["enough"]) == (None, None)


def test_the_command_begins_with_the_rows_given_and_replay_reads_the_record() -> None:
    play = shortest()
    done = keypeg("unfair", *play[:-1], "--json", stdin=play[-1])
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout.splitlines()[-2])["record"]
    told = keypeg("replay", "-", stdin=record)
    assert told.returncode == 0, told.stderr
    assert "No seal was made: the maker is openly unfair; " in told.stdout
    assert json.loads(keypeg("replay", "-", "--json", stdin=record).stdout)["unfair"] is True
    false = record.replace("answer 0b0w", "answer 1b0w", 1)
    refused = keypeg("replay", "-", stdin=false)
    assert "the unfair maker does not answer 1 black, 0 white" in refused.stderr
    assert keypeg("unfair", "--board", "6x7").returncode == 1
    assert keypeg("unfair", "12").returncode == 2


def test_a_gap_between_what_is_proven_and_what_is_known_is_told() -> None:
    words = fewest_words(PRESETS["advanced"])
    assert words.startswith("Every play needs at least 6 rows, which is proven. 7 can be enough")
    assert "not been worked out" in fewest_words(Board(3, 5))

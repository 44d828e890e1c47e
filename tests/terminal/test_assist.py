from __future__ import annotations

import json
from typing import Any

import pytest

from harness.forked import keypeg
from keypeg.rules.board import PRESETS
from keypeg.terminal.assist import Teller, assist_breaker, assist_maker
from tests.terminal.typist import typist

CLASSIC = PRESETS["classic"]


def helped(*lines: str) -> list[str]:
    said: list[str] = []
    ask = typist(*lines)
    assist_breaker(CLASSIC, "perfect", ask, Teller(said.append, as_json=False))
    return said


def told(*lines: str) -> list[dict[str, Any]]:
    said: list[str] = []
    ask = typist(*lines)
    assist_breaker(CLASSIC, "perfect", ask, Teller(said.append, as_json=True))
    return [json.loads(line) for line in said][1:]


def kept(*lines: str) -> list[str]:
    said: list[str] = []
    ask = typist(*lines)
    assist_maker(CLASSIC, ask, ask, Teller(said.append, as_json=False))
    return said


def test_rows_are_noted_in_either_form_and_counted() -> None:
    first, second = told("rrbb=10", "RD RD GN GN 2b0w")
    assert first["candidates"] == 256
    assert second["candidates"] < 256
    assert second["consistent"]


@pytest.mark.parametrize(
    "typed", ["rrbg=21", "rrbg 21", "rrbg 2 1", "1 1 2 4 2 1", "RD RD BU GN 2b1w"]
)
def test_key_pegs_may_be_written_as_beside_the_board(typed: str) -> None:
    assert helped(typed)[-1] == "40 codes fit."


def test_an_answer_that_is_all_black_is_no_proof_against_the_other_rows() -> None:
    *_, last = told("rrbb=10", "bbgg=40")
    assert (last["solved"], last["contradiction"]) == (False, [1, 2])
    assert "No code fits." in helped("rrbb=10", "bbgg=40")
    assert helped("rrbb=20", "rrgg=40")[-1] == "Every peg is right: that is the code."


def test_few_codes_are_listed_and_all_on_request() -> None:
    (left,) = told("1123=31", "1123 40")[1:]
    assert left["codes"] == ["RD RD BU YW"]
    assert left["solved"]
    listed = told("rrbb 10", "list")[-1]
    assert (len(listed["codes"]), listed["complete"]) == (200, False)


def test_the_next_guess_comes_with_its_reason() -> None:
    said = helped("", "1123=11", "next")
    assert any("splits the 1,296 codes left" in line for line in said)
    assert any("code" in line and "splits" in line for line in said[-3:])


def test_a_contradiction_names_the_rows_and_what_they_should_have_been() -> None:
    said = helped("rrbb=10", "yygg=10", "rrbb=20", "")
    assert "These rows contradict each other:" in said
    assert "  row 1: RD RD BU BU   1 black, 0 white" in said
    assert any(line.startswith("  row 3 should be 1 black, 0 white") for line in said)
    assert said.count("No code fits.") == 2


def test_rows_are_undone_ignored_and_corrected() -> None:
    events = told("rrbb=10", "rrbb=20", "ignore 1", "ignore 1", "correct 2 10", "undo", "new")
    assert [event["candidates"] > 0 for event in events] == [
        *(True, False, True, False, True, False, True)
    ]
    assert events[-1]["candidates"] == 1296
    corrected = told("rrbb=10", "correct 1 yygg=02", "rows")[-1]
    assert corrected["rows"] == [{"row": "YW YW GN GN=0b2w", "ignored": False}]


def test_row_numbers_stay_those_of_the_sheet_when_a_row_is_ignored() -> None:
    (*_, last) = told("kkkk=40", "ignore 1", "rrbb=10", "rrbb=20")
    assert last["contradiction"] == [2, 3]
    assert {repair["row"] for repair in last["repairs"]} == {2, 3}


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("rrbb", "has no '='"),
        ("rrbb=31", "cannot occur"),
        ("ignore 7", "there is no row 7"),
        ("ignore x", "not a row number"),
        ("undo", "nothing to undo"),
        ("correct 1 10", "no rows yet"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_reason(typed: str, reason: str) -> None:
    (event,) = told(typed)
    assert event["event"] == "error"
    assert reason in event["error"]


def test_the_maker_is_told_the_right_key_pegs() -> None:
    said = kept("rrr", "rwbg", "wybk", "peek", "rwbg", "rows", "new", "yyyy", "yyyy", "quit")
    assert said[0] == "Not done: a code of this board is 4 of RD BU YW GN WH BK"
    assert "   1  WH YW BU BK   1 black, 1 white" in said
    assert "Your secret: RD WH BU GN." in said
    assert "Broken in 2 rows!" in said
    assert "Broken in 1 row!" in said


def test_a_drawn_secret_is_kept_as_well() -> None:
    assert any("4 black" not in line for line in kept("random", "rrrr", "help"))


def test_the_breaker_is_helped_through_a_pipe() -> None:
    done = keypeg("assist", "--json", stdin="1123=11\nnext\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events] == ["note", "left", "guess"]


def test_a_series_is_refereed_through_a_pipe_with_its_score_sheet() -> None:
    typed = "rrbb\nrrgg\nrrbb\n\nwwyy\nhint\nwwyy\nsheet\nrecord\n"
    done = keypeg("assist", "referee", "--name", "Ada", "--name", "Bob", stdin=typed)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Ada wins the series, 2 to 1." in done.stdout
    assert "Game 2: Bob makes the code" in done.stdout
    assert "Points: Ada 2, Bob 1" in done.stdout
    record = done.stdout[done.stdout.index("keypeg record 1") :]
    assert "Points: Ada 2, Bob 1" in keypeg("replay", "-", stdin=record).stdout


def test_a_peek_before_others_lasts_until_enter() -> None:
    said, seen, lines = list[str](), list[str](), typist("rrbb", "peek", "")

    def ask(question: str) -> str:
        seen.append(question)
        return lines(question)

    teller = Teller(said.append, as_json=False)
    assist_maker(CLASSIC, ask, ask, teller, lambda: seen.append("hidden"))
    shown = seen.index("Your secret: RD RD BU BU. Press Enter to hide it. ")
    assert seen[shown + 1] == "hidden"
    assert not any("RD RD" in line for line in said)

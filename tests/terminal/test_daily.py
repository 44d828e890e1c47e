"""`keypeg daily`: alone and at a server, at a prompt and for programs."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from keypeg.daily.codes import PURPOSE, Codes
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import Code, Form, format_code
from keypeg.store.vault import Vault
from keypeg.terminal.assist import Teller
from keypeg.terminal.daily import play_daily
from keypeg.terminal.daily_sources import daily_alone, daily_at
from keypeg.terminal.saved_daily import FILE, SavedDaily
from tests.daily.clocks import SetClock
from tests.terminal.test_json import check, documented
from tests.terminal.typist import typist
from tests.web.conftest import serving

CLASSIC = PRESETS["classic"]
DAY = date(2026, 11, 18)
KEY = "5a" * 32
Sent = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYPEG_KEY", KEY)


def secret(day: date = DAY, board: Board = CLASSIC) -> Code:
    return Codes(Vault(bytes.fromhex(KEY)).derive(PURPOSE)).opening(day, board).code


def wrong(board: Board = CLASSIC, day: date = DAY) -> str:
    first, *others = secret(day, board)
    return format_code((first % 6 + 1, *others), board, Form.DIGITS)


def right(board: Board = CLASSIC, day: date = DAY) -> str:
    return format_code(secret(day, board), board, Form.DIGITS)


def alone(
    folder: Path, *lines: str, at: str = f"{DAY} 12:00", day: str | None = None, json_: bool = True
) -> list[str]:
    """What is said to somebody who types these lines."""
    said: list[str] = []
    saved = SavedDaily(folder / FILE)
    source = daily_alone(f"sqlite:///{folder}/keypeg.db", saved, SetClock(at))
    play_daily(source, saved, day, CLASSIC, typist(*lines), Teller(said.append, as_json=json_))
    return said


def sent(said: list[str]) -> Sent:
    return [json.loads(line) for line in said]


def test_a_day_is_left_continued_and_done(tmp_path: Path) -> None:
    day, row, note = sent(alone(tmp_path, wrong()))
    assert (day["number"], day["counts"], day["rows"]) == (322, True, [])
    assert (row["row"], row["black"]) == (1, 3)
    assert "saved" in note["text"]
    day, row, done = sent(alone(tmp_path, right()))
    assert len(day["rows"]) == 1
    assert (row["row"], row["black"]) == (2, 4)
    assert (done["broken"], done["verified"], done["streak"]) == (True, True, 1)
    assert done["distribution"] == [{"rows": 2, "players": 1}]
    assert [one["loss"] >= 0 for one in done["review"]["rows"]] == [True, True]
    assert done["share"].startswith("keypeg daily 322: 2 rows\n⚫⚫⚫▫️\n")
    # A day that is done is shown again, and not played again.
    assert [one["event"] for one in sent(alone(tmp_path, right()))] == ["day", "done"]


def test_what_a_program_is_sent_is_documented(tmp_path: Path) -> None:
    lines = ("help", "seal", "rrxx", wrong(), "rows", right())
    check(sent(alone(tmp_path, *lines)), documented("`keypeg daily --json`"))


def test_a_person_reads_rows_everybodys_result_the_optimum_and_the_seal(tmp_path: Path) -> None:
    text = "\n".join(alone(tmp_path, wrong(), right(), json_=False))
    for line in (
        "Daily code 322 of 2026-11-18 on classic: 4 holes, 6 colours, 10 rows.",
        "Broken in 2 rows.",
        "The seal is verified",
        "1 player so far:",
        "The strategy book needs",
        "the best play takes 4.340 (proven).",
    ):
        assert line in text


def test_days_in_a_row_make_a_streak_and_the_archive_does_not(tmp_path: Path) -> None:
    for number in (16, 18):
        day = date(2026, 11, number)
        done = sent(alone(tmp_path, right(day=day), at=f"{day} 09:00"))[-1]
    assert done["streak"] == 2
    earlier = date(2026, 11, 17)
    archive = sent(alone(tmp_path, right(day=earlier), at="2026-11-18 10:00", day=str(earlier)))
    assert (archive[0]["counts"], archive[-1]["streak"], archive[-1]["distribution"]) == (
        False,
        2,
        [],
    )
    later = sent(alone(tmp_path, at="2026-11-21 00:00"))
    assert later[0]["number"] == 325


def test_a_game_begun_before_midnight_is_continued_by_its_date(tmp_path: Path) -> None:
    alone(tmp_path, wrong(), at=f"{DAY} 23:59")
    after = sent(alone(tmp_path, at="2026-11-19 00:01"))
    assert (after[0]["number"], after[0]["rows"]) == (323, [])
    assert "the code of 2026-11-18. Continue it with --date 2026-11-18" in after[1]["text"]
    named = sent(alone(tmp_path, at="2026-11-19 00:01", day="2026-11-19"))
    assert "is not done" not in named[1]["text"]
    assert "is not done" not in sent(alone(tmp_path, at="2026-11-20 00:00"))[1]["text"]
    day, _, done = sent(alone(tmp_path, right(), at="2026-11-19 00:02", day=str(DAY)))
    assert (day["counts"], done["distribution"]) == (True, [{"rows": 2, "players": 1}])


def test_a_day_that_ends_while_it_is_played_goes_on_and_counts(tmp_path: Path) -> None:
    clock = SetClock(f"{DAY} 23:59")
    lines = iter([(f"{DAY} 23:59", wrong()), ("2026-11-19 00:01", wrong()), ("", right())])
    said: list[str] = []

    def ask(_question: str) -> str:
        time, line = next(lines)
        if time:
            clock.set(time)
        return line

    saved = SavedDaily(tmp_path / FILE)
    source = daily_alone(f"sqlite:///{tmp_path}/keypeg.db", saved, clock)
    play_daily(source, saved, None, CLASSIC, ask, Teller(said.append, as_json=True))
    day, *rows, done = sent(said)
    assert (day["date"], len(rows)) == (str(DAY), 3)
    assert (done["distribution"], done["streak"]) == ([{"rows": 3, "players": 1}], 1)


def test_the_token_is_readable_only_by_its_owner_and_stays_the_same(tmp_path: Path) -> None:
    saved = SavedDaily(tmp_path / "new" / FILE)
    token = saved.token("here")
    assert SavedDaily(tmp_path / "new" / FILE).token("here") == token != saved.token("there")
    assert (tmp_path / "new" / FILE).stat().st_mode & 0o077 == 0
    saved.keep("here", "classic", 5, 3)
    assert saved.done("here", "classic") == {5: 3}
    assert saved.done("nowhere", "classic") == {}


def test_a_day_at_a_server_is_the_one_that_pages_play(tmp_path: Path) -> None:
    saved = SavedDaily(tmp_path / FILE)
    (tmp_path / "server").mkdir()
    with serving(tmp_path / "server") as url:

        def play(*lines: str) -> Sent:
            said: list[str] = []
            teller = Teller(said.append, as_json=True)
            play_daily(
                daily_at(url, saved), saved, None, PRESETS["advanced"], typist(*lines), teller
            )
            return sent(said)

        (day, _) = play()
        code = right(PRESETS["advanced"], date.fromisoformat(day["date"]))
        played = play(wrong(PRESETS["advanced"], date.fromisoformat(day["date"])), code)
        assert [one["event"] for one in played] == ["day", "row", "row", "done"]
        assert played[-1]["share"].endswith(f"\n{url}/daily?board=advanced&date={day['date']}")
        assert play(code)[-1]["distribution"] == [{"rows": 2, "players": 1}]

"""The harnesses run, as small as can be; what they measure is for bench/results.md alone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bench import BENCHES, Row, secrecy
from bench import __main__ as running
from bench.load import scenarios
from bench.load.parts import server


def test_every_section_of_the_results_names_its_command() -> None:
    for name, section in running.kept().items():
        harness = name.partition("-")[0]
        named = harness if harness in running.HARNESSES else name
        assert f"\nBy `python -m bench {named}" in section


def test_what_is_written_names_the_command_that_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "RESULTS", tmp_path / "results.md")
    monkeypatch.setitem(BENCHES, "nothing", lambda: [Row("nothing", 0, 0)])
    running.main(["nothing"])
    assert "## nothing\n\nBy `python -m bench nothing`.\n" in running.RESULTS.read_text()
    assert running.said(["faults", "--state", "/a/b.jsonl"]).endswith("faults --state b.jsonl")


def test_every_load_can_be_tried_in_small() -> None:
    only = [f"--only={name}" for name in ("crowd", "storm", "resume", "audience", "hostile")]
    options = ["--scale", "0.002", "--seconds", "1", "--no-write"]
    told = subprocess.run(
        [sys.executable, "-m", "bench", "load", *options, *only],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    ).stdout
    for promise in ("G1", "G2", "G3", "G6", "G7", "G8", "G9", "G11"):
        assert f"  {promise}: " in told
    assert "G9: event loop late while 20 sockets arrive" in told
    for nothing in (
        "G2: moves refused, lost or unanswered: 0 ",
        "G6: clients that did not come back: 0 ",
        "G7: reloads: 0 ",
        "G8: moves not shown to somebody who reads: 0 ",
    ):
        assert nothing in told, told


def test_a_search_for_leaks_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "secrecy.jsonl"
    monkeypatch.setattr(secrecy, "ROUND", 20)
    tried = []

    def stopped(number: int, count: int) -> secrecy.Note:
        tried.append(number)
        if len(tried) == 3:
            raise KeyboardInterrupt
        return a_round(number, count)

    a_round = secrecy._round
    monkeypatch.setattr(secrecy, "_round", stopped)
    with pytest.raises(KeyboardInterrupt):
        secrecy._rounds(90, state)
    done = secrecy._rounds(90, state)
    assert tried == [0, 1, 2, 2, 3, 4]
    assert [row.value for row in secrecy._rows(done)] == [90, 0, 0]


def test_a_database_that_never_died_has_not_come_back(
    shared_address: str, postgresql: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scenarios, "kill", lambda _: None)
    with server(shared_address, KEYPEG_KEY="5a" * 32) as loaded:
        seconds, lost = asyncio.run(scenarios._through_restart(loaded.port, postgresql))
    assert (seconds, lost) == (scenarios.NEVER, 0)

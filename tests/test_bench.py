"""The benches run, as small as can be; what they measure is only for bench/results.md."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import BENCHES, Row, rounds, secrecy
from bench import __main__ as running
from bench.load import scenarios
from bench.load.measured import server
from harness.programs import run


def test_every_section_of_the_results_names_its_command() -> None:
    for name, section in running.kept().items():
        command = name.partition("-")[0]
        named = command if command in running.COMMANDS else name
        assert f"\nBy `python -m bench {named}" in section


def test_every_promise_is_gathered_from_its_section() -> None:
    assert running.RESULTS.read_text("utf-8") == running.whole(running.kept())
    gathered = running.promises(running.kept().values())
    for number in (*range(1, 14), 15, 16):
        assert f"| G{number}: " in gathered


def test_a_figure_that_misses_its_target_is_gathered_too() -> None:
    slow, promise = "| slow | 2 s | ≤ 1 s | no | - |", "| G1: y | 1 | ≤ 1 | yes | - |"
    section = f"## x\n\nBy `python -m bench x`.\n\n{slow}\n{promise}\n"
    promised, _, missed = running.promises([section]).partition("miss their target")
    assert "| G1: y | 1 | ≤ 1 | yes | `python -m bench x` |" in promised
    assert missed.endswith("|\n| slow | 2 s | ≤ 1 s | no | `python -m bench x` |\n")
    assert "slow" not in promised
    assert "miss" not in running.promises([section.replace("| no |", "| yes |")])


def test_what_is_written_names_the_command_that_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "RESULTS", tmp_path / "results.md")
    monkeypatch.setitem(BENCHES, "nothing", lambda: [Row("nothing", 0, 0)])
    running.main(["nothing"])
    assert "## nothing\n\nBy `python -m bench nothing`.\n" in running.RESULTS.read_text()
    assert running.said(["faults", "--state", "/a/b.jsonl"]).endswith("faults --state b.jsonl")


PRINTED = {
    "crowd": (
        "G1: connected sockets: 20 ",
        "G2: moves refused, lost or unanswered: 0 ",
        "G3: ",
        "G9: event loop late while 20 sockets arrive",
    ),
    "busy": ("G4: moves refused, lost or unanswered: 0 ",),
    "storm": ("G6: clients that did not come back: 0 ",),
    "resume": ("G7: reloads: 0 ",),
    "audience": ("G8: moves not shown to somebody who reads: 0 ",),
    "churn": ("F21: memory ", "F21: connects that failed: 0 "),
    "hostile": ("G11: ",),
    "database": ("G13: from ", "G13: acknowledged moves lost: 0 "),
    "contest": (
        "a contest with 10 breakers at once: missing in the results: 0 ",
        "a contest with 10 breakers at once: rows answered wrongly: 0 ",
    ),
    "race": ("1 races of 8 at once, 60 rows a second: rows that somebody did not see: 0 ",),
    "neighbours": ("G12: moves that failed without Redis: 0 ",),
}


def test_two_checkouts_are_compared() -> None:
    small = ["--rounds", "1", "--sockets", "4", "--rate", "20", "--seconds", "1", "--no-write"]
    command = [sys.executable, "-m", "bench", "versions", ".", *small]
    output = run(command, check=True, seconds=100).stdout
    assert re.findall(r"^  round (\d), (\w+): ", output, re.MULTILINE) == [
        ("1", "there"),
        ("1", "here"),
    ]
    assert output.count(" 0 failed") == 2


def test_an_attack_can_be_tried_in_small() -> None:
    options = ["--only", "refused", "--seconds", "0.5", "--no-write"]
    output = run([sys.executable, "-m", "bench", "attack", *options], check=True).stdout
    assert "\n  at rest: a bystander's move, p50: " in output
    assert re.search(r"\n  refused \([1-9][0-9,]* sent\): moves lost, turns taken: ", output)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", scenarios.SCENARIOS)
def test_every_load_can_be_tried_in_small(name: str) -> None:
    options = ["--only", name, "--scale", "0.002", "--seconds", "1", "--no-write"]
    # That several share the work is shown by one load; to start each takes longer than the rest.
    options += ["--clients", "2" if name == "crowd" else "1"]
    command = [sys.executable, "-m", "bench", "load", *options]
    output = run(command, check=True, seconds=280).stdout
    for line in PRINTED[name]:
        assert f"\n  {line}" in output


def test_a_search_for_leaks_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "secrecy.jsonl"
    monkeypatch.setattr(secrecy, "ROUND", 20)
    tried = []

    def stopped(number: int, count: int) -> rounds.Note:
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

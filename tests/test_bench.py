"""The load harness runs, as small as can be; what it measures is for bench/results.md alone."""

from __future__ import annotations

import subprocess
import sys


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
    for nothing in (
        "G2: moves refused, lost or unanswered: 0 ",
        "G6: clients that did not come back: 0 ",
        "G7: reloads: 0 ",
        "G8: moves not shown to somebody who reads: 0 ",
    ):
        assert nothing in told, told

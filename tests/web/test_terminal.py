"""One seat in a browser, the other in a terminal of 80x24: both the real programs."""

from __future__ import annotations

from playwright.sync_api import expect

from harness.browser import open_table
from harness.servers.processes import ServerProcess
from tests.terminal.test_tmux import Terminal, terminal
from tests.web import playing
from tests.web.playing import headline, in_hand, points
from tests.web.test_together import Arrive, arrive

__all__ = ["arrive", "terminal"]  # fixtures


def test_a_browser_and_a_terminal_play_a_series(
    server: ServerProcess, arrive: Arrive, terminal: Terminal
) -> None:
    ann = arrive()
    path = open_table(ann)
    ann.goto(path)
    terminal.start("play", "--join", f"{server.url}{path}", "--name", "Bob")
    in_hand(ann, "secret")
    terminal.wait_for("Waiting for Ann to set the secret code")
    playing.by_mouse(ann, (1, 1, 2, 2))
    terminal.wait_for("Bob: fill row 1")
    terminal.type("rrgg", "Enter")
    expect(ann.get_by_role("log")).to_contain_text("Row 1: red, red, green, green. 2 black")
    terminal.wait_for("Bob: fill row 2")
    terminal.type("rrbb", "Enter")
    terminal.wait_for("Broken in 2 rows!")
    expect(headline(ann)).to_contain_text("Bob broke your code")
    terminal.type("Enter")
    terminal.wait_for("Bob: set the secret code")
    terminal.type("ggww", "Enter")
    in_hand(ann, "guess")
    playing.by_mouse(ann, (4, 4, 5, 5))
    terminal.wait_for("Ann wins the series, 2 to 1.")
    assert points(ann) == ["2", "1"]
    terminal.type("C-q")
    assert "Traceback" not in terminal.wait_for("status 0")

"""How soon a puzzle is on the page: made from its seed, drawn, and laid out."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import CDPSession, Page, sync_playwright

from bench import Row, bench, percentile
from harness.browser import FLAGS, chromium
from harness.servers.processes import ServerProcess
from keypeg.puzzles import GRADES

if TYPE_CHECKING:
    from collections.abc import Iterator

SEEDS = 40
BOARDS = {"3x4": GRADES[:3], "classic": GRADES, "classic-blanks": GRADES, "advanced": GRADES}
PREPARED = """async (board) => {
    const script = document.querySelector("script[src*='/pages/']").src;
    const load = (path) => import(new URL(`../${path}`, script));
    const [{ makePuzzle }, { parseBoard }, { PuzzleView }] = await Promise.all(
        ["game/puzzles/puzzle.js", "game/board.js", "view/puzzle.js"].map(load));
    const view = new PuzzleView({ finished() {} });
    document.querySelector("#puzzle").replaceChildren(view.element);
    window.show = (grade, seed) => {
        view.show(makePuzzle(parseBoard(board), grade, seed));
        return document.body.offsetHeight;
    };
}"""


@bench
def puzzle_page() -> Iterator[Row]:
    """Processor time of the page's thread, the 95th percentile for each board and grade."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ServerProcess(f"sqlite:///{folder}/keypeg.db", Path(folder)) as server,
        sync_playwright() as tools,
    ):
        browser = tools.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_context(base_url=server.url).new_page()
        metrics = page.context.new_cdp_session(page)
        metrics.send("Performance.enable", {"timeDomain": "threadTicks"})
        for board, grades in BOARDS.items():
            page.goto("/puzzle")
            page.evaluate(PREPARED, board)
            for grade in grades:
                times = [_seconds(page, metrics, grade, seed) for seed in range(SEEDS)]
                what = f"{board}, grade {grade}: made and shown, p95 of {SEEDS}"
                yield Row(what, percentile(times, 0.95), 0.2)
        browser.close()


def _seconds(page: Page, metrics: CDPSession, grade: int, seed: int) -> float:
    before = _busy(metrics)
    page.evaluate("([grade, seed]) => window.show(grade, seed)", [grade, seed])
    return _busy(metrics) - before


def _busy(metrics: CDPSession) -> float:
    """Processor time that the page's thread has used for its tasks."""
    told = metrics.send("Performance.getMetrics")["metrics"]
    return float(next(one["value"] for one in told if one["name"] == "TaskDuration"))

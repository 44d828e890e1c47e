"""The review of a finished game, computed in a thread and shown as text, worst row in view."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, ClassVar, Final

from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static
from textual.worker import get_current_worker

from keypeg.rules.errors import KeypegError
from keypeg.solver.analysis import analysis
from keypeg.solver.progress import Cancelled
from keypeg.terminal.review import as_lines, mark

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from keypeg.rules.game import Game
    from keypeg.solver.analysis import GameAnalysis, RowAnalysis

BAR: Final = 24
"""Columns of the longest bar in the chart of codes left."""

MARK_STYLES: Final = {"wasted": "bold red", "poor": "red", "could be better": "yellow"}


class ReviewScreen(ModalScreen[None]):
    """Computes in a thread, then shows, what each row was worth."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,f5,v", "dismiss", "Back to the board")
    ]

    def __init__(self, game: Game) -> None:
        super().__init__()
        self._game = game

    def compose(self) -> ComposeResult:
        """Where the review will be."""
        with VerticalScroll(classes="dialog wide"):
            yield Static("Thinking. The first time takes a minute.", id="review")

    def on_mount(self) -> None:
        """Begin to compute."""
        self.run_worker(self._think, thread=True, exclusive=True)

    def _think(self) -> None:
        worker = get_current_worker()
        try:
            found = analysis(
                self._game,
                progress=lambda done, of: self._tell(f"Row {done} of {of} is done."),
                cancelled=lambda: worker.is_cancelled,
            )
        except Cancelled:
            return
        except KeypegError as error:
            self._tell(f"No review: {error}")
            return
        if not worker.is_cancelled:
            self.app.call_from_thread(self._show, found)

    def _tell(self, words: str) -> None:
        if not get_current_worker().is_cancelled:
            self.app.call_from_thread(self.query_one("#review", Static).update, words)

    def _show(self, found: GameAnalysis) -> None:
        text, worst = review_text(self._game, found)
        self.query_one("#review", Static).update(text)
        scroll = self.query_one(VerticalScroll)
        self.call_after_refresh(scroll.scroll_to, y=max(0, worst - 2), animate=False)


def review_text(game: Game, found: GameAnalysis) -> tuple[Text, int]:
    """The review as it is shown, and the line where its worst row begins."""
    chart = [_bar(row, found.rows[0]) for row in found.rows]
    lines = list(as_lines([(game, found)]))
    text = Text("Codes left after each row (each step of the bar halves or doubles)\n")
    text.append_text(Text("\n").join(chart)).append("\n\n")
    text.append("\n".join(lines))
    worst = max(found.rows, key=lambda row: row.loss, default=None)
    before = text.plain.splitlines()
    named = f"  {worst.row:>2}  " if worst is not None and worst.loss > 0 else "never"
    found_at = [n for n, line in enumerate(before) if n > len(chart) and line.startswith(named)]
    return text, found_at[0] if found_at else 0


def _bar(row: RowAnalysis, first: RowAnalysis) -> Text:
    """How many codes a row left, on a logarithmic scale, marked by what it lost."""
    whole = log(max(first.before.value, 2))
    left = round(BAR * log(row.after.value) / whole) if row.after.value > 1 else 0
    word = mark(row.loss)
    style = MARK_STYLES.get(word, "green")
    line = Text(f"{row.row:>4}  ")
    line.append("█" * left + "·" * (BAR - left), Style.parse(style))
    return line.append(f"  {row.after!s:>7}  {word}")

"""The panel beside the board: whose turn it is, what to place or press, and what was said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.text import Text
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Input, Static

from keypeg.terminal.screen.tray import TrayColour

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from keypeg.rules.board import Board
    from keypeg.terminal.screen.layout import Layout

MOST_SENTENCES: Final = 30
BUTTONS: Final = {
    "check": "Check",
    "hint": "Hint",
    "challenge": "Challenge",
    "review": "Review",
    "rematch": "Rematch",
    "answer_limit": "Time limit?",
}
"""The actions that have a button, and what it says."""
LETTER_KEYS: Final = {"l": "last", "L": "labels", "?": "help"}
"""The actions of letters that are typed where key pegs are expected."""


class KeyPegField(Input):
    """Where key pegs are typed; letters that are keys of the game stay keys."""

    async def on_key(self, event: events.Key) -> None:
        """Keys of the game are not part of an answer."""
        action = LETTER_KEYS.get(event.character or "")
        if action is not None:
            event.stop()
            event.prevent_default()
            await self.app.run_action(f"screen.{action}")


class Talk(VerticalScroll):
    """The latest sentences; scrolls, so that the newest is in sight."""

    def __init__(self) -> None:
        super().__init__(id="talk", can_focus=False)
        self.sentences: list[str] = []

    def compose(self) -> ComposeResult:
        """One text of all sentences."""
        yield Static(id="said")

    def say(self, sentence: str) -> None:
        """Add a sentence below the others; the oldest go."""
        self.sentences = [*self.sentences, sentence][-MOST_SENTENCES:]
        *earlier, last = self.sentences
        lines = Text("\n".join(earlier), "dim")
        self.query_one("#said", Static).update(
            Text.assemble(lines, "\n" if earlier else "", (last, "bold"))
        )
        self.on_resize()

    def on_resize(self) -> None:
        """Keep the newest sentence in sight."""
        self.call_after_refresh(self.scroll_end, animate=False)


@dataclass(frozen=True, slots=True)
class Controls:
    """What the panel offers now."""

    answering: bool
    """Whether key pegs are to be typed."""
    over: bool
    """Whether the game on the board is over."""
    enter: str
    """What Enter is called now; empty while there is nothing to do."""
    ready: bool
    """Whether Enter would do something."""
    actions: frozenset[str]
    """Those of `BUTTONS` that are shown."""


class Panel(Vertical):
    """Shows `Controls` and the latest sentences; what is pressed are actions of the screen."""

    def __init__(self, board: Board) -> None:
        super().__init__(id="panel")
        self._board = board

    def compose(self) -> ComposeResult:
        """From the top: the call, key pegs or the tray, the buttons, the sentences."""
        yield Static(id="call")
        with Horizontal(id="answer"):
            yield Static("Key pegs", id="answer-label")
            yield KeyPegField(placeholder="21, 2 1 or 2b1w", id="keys", compact=True)
        with Vertical(id="tray"):
            symbols = [*range(1, self._board.colours + 1), *([0] * self._board.blanks)]
            for peg in symbols:
                yield TrayColour(peg, self._board)
        with Horizontal(id="buttons"):
            for action, label in BUTTONS.items():
                button = Button(label, id=action, action=f"screen.{action}", compact=True)
                button.can_focus = False
                yield button
        yield Talk()

    def lay_out(self, found: Layout) -> None:
        """Lay the tray out for the room there is."""
        self.query_one("#tray").styles.grid_size_columns = found.tray_columns
        for colour in self.query(TrayColour):
            colour.show(named=found.named)

    def call(self, words: Text) -> None:
        """Say what the table waits for."""
        self.query_one("#call", Static).update(words)

    def say(self, sentence: str) -> None:
        """Add a sentence below the others."""
        self.query_one(Talk).say(sentence)

    @property
    def sentences(self) -> list[str]:
        """What was said last."""
        return self.query_one(Talk).sentences

    def show(self, controls: Controls) -> None:
        """Show what can be done now."""
        self.query_one("#answer").display = controls.answering
        self.query_one("#tray").display = not controls.answering and not controls.over
        for action in BUTTONS:
            self.query_one(f"#{action}").display = action in controls.actions
        check = self.query_one("#check", Button)
        check.label = controls.enter or BUTTONS["check"]
        check.disabled = not controls.ready
        self._focus_field(answering=controls.answering)

    def _focus_field(self, *, answering: bool) -> None:
        field = self.query_one("#keys", Input)
        if answering and not field.has_focus:
            field.value = ""
            field.focus()
        elif not answering and field.has_focus:
            self.screen.set_focus(None)

    async def submit_key_pegs(self) -> None:
        """Do as if Enter had been pressed in the field."""
        await self.query_one("#keys", Input).action_submit()

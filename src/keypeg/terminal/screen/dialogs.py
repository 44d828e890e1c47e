"""What covers the board for a while: the curtain, the choice of a hint, a question, the help."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, ClassVar, Final

from rich.table import Table
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from keypeg.terminal.hints import HINTS, HintKind
from keypeg.terminal.screen.keys import key_lines
from keypeg.terminal.wording import limit_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.app import ComposeResult


MINUTES: Final = (3, 4, 1, 2, 5, 10)
"""The turn limits to choose from, those of the rule books first."""
RULES = (
    "The breaker fills the rows from the bottom. A black key peg (red on the advanced board) is "
    "a right colour in its right hole, a white one a right colour in a wrong hole."
)
HANDLING = (
    "Digits and letters place a peg and move on; - is a blank. Mouse: click a colour to place it, "
    "or a hole to move there; double-click an earlier row to copy it. Esc goes back."
)


def _choices(words: str, offers: Iterable[str], how: str) -> ComposeResult:
    """A list to choose from, below what it is about and above how to choose."""
    with Vertical(classes="dialog"):
        yield Static(words, classes="words")
        yield OptionList(*offers)
        yield Static(how, classes="how")


class Curtain(ModalScreen[None]):
    """Covers the whole screen while the terminal changes hands."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "dismiss", "Lift the curtain")]

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = words

    def compose(self) -> ComposeResult:
        """The sentence, and how to go on."""
        with Vertical(id="curtain"):
            yield Static(self._words, classes="words")
            yield Static("Press Enter to lift the curtain.", classes="how")

    def on_click(self) -> None:
        """A click lifts it too."""
        self.dismiss()


class HintChoice(ModalScreen[HintKind | None]):
    """Which hint to give, from the least helpful to the most."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "No hint"),
        *(Binding(str(n), f"take({n})", show=False) for n in range(1, len(HINTS) + 1)),
    ]

    def compose(self) -> ComposeResult:
        """The grades, each with its number."""
        offers = [f"{number}  {hint.offer}" for number, hint in enumerate(HINTS, 1)]
        words = "Choose a hint. That you used one is recorded."
        yield from _choices(words, offers, "1 to 5 or Enter chooses, Esc cancels.")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """One was chosen."""
        self.action_take(event.option_index + 1)

    def action_take(self, number: int) -> None:
        """The hint of this number."""
        self.dismiss(HINTS[number - 1])


@dataclass(frozen=True, slots=True)
class ChosenLimit:
    """A turn limit in seconds; None is no limit."""

    seconds: int | None


class LimitChoice(ModalScreen[ChosenLimit | None]):
    """Which turn limit to propose."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Nothing")]

    def __init__(self, present: int | None) -> None:
        super().__init__()
        offers = (*(60 * minutes for minutes in MINUTES), None)
        self._offers = [seconds for seconds in offers if seconds != present]

    def compose(self) -> ComposeResult:
        """The limits, one of which is chosen."""
        words, offers = "Propose a time limit, from the next turn.", map(limit_words, self._offers)
        yield from _choices(words, offers, "Enter proposes, Esc cancels.")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """One was chosen."""
        self.dismiss(ChosenLimit(self._offers[event.option_index]))


class LimitReply(ModalScreen[bool | None]):
    """Whether to accept a proposed turn limit; or neither, and the proposal stays open."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "Later")]

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = words

    def compose(self) -> ComposeResult:
        """The limit, and the replies."""
        how = "Enter chooses, Esc leaves it open."
        yield from _choices(self._words, ("Accept", "Decline"), how)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """One was chosen."""
        self.dismiss(event.option_index == 0)


class Confirmation(ModalScreen[bool]):
    """Yes or no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes"),
        Binding("n,escape", "answer(False)", "No"),
    ]

    def __init__(self, words: str) -> None:
        super().__init__()
        self._words = words

    def compose(self) -> ComposeResult:
        """The question, and its answers."""
        with Vertical(classes="dialog"):
            yield Static(self._words, classes="words")
            yield OptionList("Yes (y)", "No (n)")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """One was chosen."""
        self.dismiss(event.option_index == 0)

    def action_answer(self, yes: bool) -> None:
        """One was typed."""
        self.dismiss(yes)


class Help(ModalScreen[None]):
    """The keys, and the rules in short."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,question_mark,f1", "dismiss", "Back to the board")
    ]

    def compose(self) -> ComposeResult:
        """The table of keys."""
        table = Table.grid(padding=(0, 2))
        lines = key_lines()
        half = (len(lines) + 1) // 2
        for left, right in zip_longest(lines[:half], lines[half:], fillvalue=("", "")):
            table.add_row(*left, *right)
        with VerticalScroll(classes="dialog wide"):
            yield Static(RULES, classes="words")
            yield Static(table)
            yield Static(HANDLING, classes="how")

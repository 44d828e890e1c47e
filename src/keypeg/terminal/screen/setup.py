"""Before the game: resume an unfinished series, or choose a new one."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Grid, Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import Button, Footer, Input, Label, OptionList, Select, Static

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.errors import KeypegError
from keypeg.rules.terms import KeyPegMode, Scoring
from keypeg.solver.levels import LEVELS
from keypeg.terminal.choices import Part, SeriesChoices
from keypeg.terminal.wording import score_sentence

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from keypeg.terminal.local_tables import Unfinished

PARTS = (
    ("break the code first", Part.BREAKER),
    ("make the code first", Part.MAKER),
    ("both: two people here", Part.BOTH),
)
KEY_PEGS = (
    ("by the referee", KeyPegMode.REFEREE),
    ("by the maker, checked", KeyPegMode.CHECKED),
    ("by hand: may be challenged", KeyPegMode.BY_HAND),
)
TIMES = (("none", 0), ("1 minute", 60), ("3 minutes", 180), ("4 minutes", 240))
GAMES = tuple((str(games), games) for games in (2, 4, 6, 8, 10))
SCORING = (("each row played", Scoring.ROWS), ("each key peg", Scoring.KEY_PEGS))
OTHER = "other"
_Value = TypeVar("_Value")


class SetupScreen(Screen["SeriesChoices | Unfinished"]):
    """Dismissed with what to play."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,f9", "start", "Play", key_display="F9")
    ]

    def __init__(self, unfinished: list[Unfinished]) -> None:
        super().__init__()
        self._unfinished = unfinished

    def compose(self) -> ComposeResult:
        """The unfinished ones, then the choices."""
        boards = [(name, name) for name in PRESETS] + [("other: holes x colours", OTHER)]
        yield Static(" keypeg   a complete Mastermind", id="score")
        with VerticalScroll(id="setup", can_focus=False):
            if self._unfinished:
                yield Label("Resume")
                yield OptionList(*(_line(one) for one in self._unfinished[:5]), id="unfinished")
            with Grid(id="choices"):
                yield from self._choice("Board", "board", boards, "classic")
                yield from self._field("Other board", "other", "4x6, 5x8b, 4x10n, 4x6/8")
                yield from self._choice("I", "part", PARTS, Part.BREAKER)
                levels = [(level.name, level.name) for level in LEVELS]
                yield from self._choice("Computer", "level", levels, "perfect")
                yield from self._choice("Games", "games", GAMES, 2)
                yield from self._choice("Key pegs", "keypegs", KEY_PEGS, KeyPegMode.REFEREE)
                yield from self._choice("A point for", "scoring", SCORING, Scoring.ROWS)
                yield from self._choice("Time a turn", "time", TIMES, 0)
                yield from self._field("Names", "names", "Ada, Bob")
            with Horizontal(id="start-line"):
                yield Button("Play", id="start", variant="primary", compact=True)
                yield Static("", id="refusal")
        yield Footer(compact=True, show_command_palette=False)

    def _choice(self, label: str, name: str, options: object, value: object) -> ComposeResult:
        yield Label(label)
        yield Select(options, value=value, allow_blank=False, compact=True, id=name)  # type: ignore[arg-type]

    def _field(self, label: str, name: str, example: str) -> ComposeResult:
        yield Label(label)
        yield Input(placeholder=example, compact=True, id=name)

    @on(OptionList.OptionSelected, "#unfinished")
    def _go_on(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._unfinished[event.option_index])

    @on(Button.Pressed, "#start")
    def _pressed(self) -> None:
        self.action_start()

    def action_start(self) -> None:
        """Play what is chosen, or say why it cannot be played."""
        try:
            chosen = self._chosen()
            _ = chosen.settings
        except KeypegError as error:
            self.query_one("#refusal", Static).update(f"  {error}")
            return
        self.dismiss(chosen)

    def _chosen(self) -> SeriesChoices:
        typed = self.query_one("#other", Input).value.strip()
        named = self._value("board", str)
        names = self.query_one("#names", Input).value.split(",")
        return SeriesChoices(
            board=Board.parse(typed if typed or named == OTHER else named),
            part=self._value("part", Part),
            level=self._value("level", str),
            games=self._value("games", int),
            key_pegs=self._value("keypegs", KeyPegMode),
            scoring=self._value("scoring", Scoring),
            turn_seconds=self._value("time", int) or None,
            called=tuple(name.strip() for name in names if name.strip())[:2],
        )

    def _value(self, name: str, kind: type[_Value]) -> _Value:
        value = self.query_one(f"#{name}", Select).value
        assert isinstance(value, kind)  # noqa: S101 - each is filled from a table above
        return value


def _line(one: Unfinished) -> str:
    """An unfinished series in a line."""
    when = datetime.fromtimestamp(one.changed / 1000).strftime("%d %b %H:%M")
    return f"{when}  {one.state.settings.terms.board}  {score_sentence(one.state)}"

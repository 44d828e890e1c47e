"""The board on the screen: the shield, the rows, the row being filled, and clicks on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.style import Style
from rich.text import Text
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Static

from keypeg.rules.code import Form
from keypeg.rules.game import Phase
from keypeg.rules.keypegs import format_key_pegs
from keypeg.terminal.screen.pegs import WIDTH, draw_covered, draw_key_pegs, draw_peg

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from keypeg.rules.board import Board
    from keypeg.rules.game import Game
    from keypeg.terminal.draft import Draft

MARGIN: Final = 5
"""Columns before the first peg: a pointer and the row's number."""
ABOVE: Final = 6
"""Lines of the board kept in view above the row that is played, where there is room."""
SIGNS_UP_TO: Final = 6
"""Holes up to which key pegs are drawn as signs beside their numbers."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What the board shows: the game, the row being filled, and whether the shield is lifted."""

    game: Game
    draft: Draft | None = None
    covered: bool = False
    """Whether the pegs of the secret being set are hidden."""
    lifted: bool = False
    form: Form = Form.LETTERS


class BoardView(Static):
    """Draws a Sight, one line for each row, the first at the bottom; reports clicks."""

    @dataclass
    class HolePicked(Message):
        """A hole of the row being filled was clicked."""

        hole: int

    @dataclass
    class RowPicked(Message):
        """An earlier row was double-clicked."""

        row: int

    def __init__(self) -> None:
        super().__init__(id="board")
        self._sight: Sight | None = None

    def show(self, sight: Sight) -> None:
        """Draw this."""
        self._sight = sight
        self.styles.width = columns_of(sight.game.board)
        self.update(Text("\n").join(_lines(sight)))

    @property
    def active_line(self) -> int:
        """The line of the row that is being played, for scrolling to it."""
        if self._sight is None or self._sight.game.phase is Phase.SECRET:
            return 0
        game = self._sight.game
        return 1 + game.board.rows - min(len(game.rows) + 1, game.board.rows)

    def on_click(self, event: events.Click) -> None:
        """Report which hole or row was clicked."""
        sight, offset = self._sight, event.get_content_offset(self)
        if sight is None or offset is None:
            return
        row = sight.game.board.rows + 1 - offset.y
        hole = (offset.x - MARGIN) // _cell(sight.game.board)
        if sight.draft is not None and offset.y == self.active_line:
            if 0 <= hole < sight.game.board.holes:
                self.post_message(self.HolePicked(hole))
        elif event.chain > 1 and 1 <= row <= len(sight.game.rows):
            self.post_message(self.RowPicked(row))


class Slab(VerticalScroll):
    """Where the board is; scrolls, so that the row that is played is in sight."""

    def __init__(self) -> None:
        super().__init__(id="slab", can_focus=False)

    def compose(self) -> ComposeResult:
        """The board alone."""
        yield BoardView()

    def show(self, sight: Sight) -> None:
        """Draw this."""
        self.query_one(BoardView).show(sight)
        self.call_after_refresh(self._follow)

    def on_resize(self) -> None:
        """Keep the row in sight."""
        self.call_after_refresh(self._follow)

    def _follow(self) -> None:
        """Scroll to the row that is played, with most of the room for the rows below it."""
        above = min(ABOVE, (self.size.height - 1) // 3)
        line = self.query_one(BoardView).active_line
        self.scroll_to(y=max(0, line - above), animate=False)


def _cell(board: Board) -> int:
    return WIDTH + (board.holes <= 8)


def columns_of(board: Board) -> int:
    """How wide a board is drawn, its padding included."""
    signs = board.holes + 1 if board.holes <= SIGNS_UP_TO else 0
    answer = 1 + signs + len(f"{board.holes}b{board.holes}w")
    return MARGIN + _cell(board) * board.holes + answer + 2


def _lines(sight: Sight) -> list[Text]:
    game = sight.game
    rows = range(game.board.rows, 0, -1)
    return [_shield(sight), *(_row(sight, number) for number in rows)]


def _shield(sight: Sight) -> Text:
    game, board = sight.game, sight.game.board
    filling = game.phase is Phase.SECRET and sight.draft is not None
    line = Text()
    line.append("▶    " if filling else "code ", Style(bold=filling, dim=not filling))
    for hole in range(board.holes):
        line.append_text(_secret_peg(sight, hole))
        line.append(" " * (_cell(board) - WIDTH))
    return line


def _secret_peg(sight: Sight, hole: int) -> Text:
    game, draft = sight.game, sight.draft
    if game.opening is not None and (sight.lifted or game.revealed):
        return draw_peg(game.opening.code[hole], game.board, sight.form)
    if game.phase is Phase.SECRET and draft is not None:
        peg = draft.pegs[hole]
        hidden = sight.covered and peg is not None
        drawn = draw_covered() if hidden else draw_peg(peg, game.board, sight.form)
        return _pointed(drawn, here=hole == draft.cursor)
    return draw_covered() if game.secret_set else draw_peg(None, game.board)


def _row(sight: Sight, number: int) -> Text:
    game, board = sight.game, sight.game.board
    active = game.phase is Phase.GUESS and number == len(game.rows) + 1
    waiting = game.phase is Phase.ANSWER and number == len(game.rows)
    line = Text()
    line.append("▶ " if active or waiting else "  ", Style(bold=True))
    line.append(f"{number:>2} ", Style(bold=active, dim=not active))
    for hole in range(board.holes):
        line.append_text(_row_peg(sight, number, hole, active=active))
        line.append(" " * (_cell(board) - WIDTH))
    line.append(" ")
    return _with_answer(line, game, number)


def _row_peg(sight: Sight, number: int, hole: int, *, active: bool) -> Text:
    game, draft = sight.game, sight.draft
    if number <= len(game.rows):
        guess = game.rows[number - 1].guess
        return draw_peg(guess[hole], game.board, sight.form) if guess else Text(" – ")
    if not active or draft is None:
        return draw_peg(None, game.board)
    drawn = draw_peg(draft.pegs[hole], game.board, sight.form)
    if hole in draft.held:
        drawn.stylize(Style(underline=True))
    return _pointed(drawn, here=hole == draft.cursor)


def _pointed(drawn: Text, *, here: bool) -> Text:
    """The hole under the cursor is in brackets, so that it shows without colour too."""
    if not here:
        return drawn
    return Text.assemble(("[", "bold"), drawn[1:2], ("]", "bold"))


def _with_answer(line: Text, game: Game, number: int) -> Text:
    board = game.board
    row = game.rows[number - 1] if number <= len(game.rows) else None
    if board.holes <= SIGNS_UP_TO:
        line.append_text(draw_key_pegs(None if row is None else row.keys, board))
        line.append(" ")
    if row is not None and row.guess is None:
        line.append("time", Style(italic=True))
    elif row is not None and row.keys is not None:
        line.append(format_key_pegs(row.keys, board))
    return line

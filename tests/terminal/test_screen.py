"""The game on the screen, played with keys and mouse by Textual's pilot."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial, partialmethod
from pathlib import Path

import pytest
from textual.app import App
from textual.widgets import Button

from harness.tables import table_of
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.game import Ending, Phase
from keypeg.rules.series import Points, Seat
from keypeg.rules.terms import KeyPegMode
from keypeg.table.commands import ProposeLimit
from keypeg.table.options import TableOption
from keypeg.terminal.choices import Part, SeriesChoices
from keypeg.terminal.local_tables import MEMORY, way_back
from keypeg.terminal.local_tables import seated as at_table
from keypeg.terminal.screen.app import KeypegApp, play_on_screen
from keypeg.terminal.screen.board import BoardView, Slab
from keypeg.terminal.screen.dialogs import Curtain, Help, HintChoice
from keypeg.terminal.screen.game import GameScreen
from keypeg.terminal.screen.layout import layout
from keypeg.terminal.screen.panel import Talk
from keypeg.terminal.screen.review import ReviewScreen
from keypeg.terminal.screen.setup import SetupScreen
from keypeg.terminal.screen.tray import TrayColour
from keypeg.terminal.sitting import LocalSitting
from tests.terminal.screens import SIZE, said, screen_text, seated, text_of, until

pytestmark = pytest.mark.anyio
ONE_HOLE = Board(1, 3)
LARGEST, SMALLEST = Board(16, 20, rows=99), Board(1, 2, rows=1)
TWO = SeriesChoices(part=Part.BOTH, called=("Ada", "Bob"))


def test_an_unexpected_error_is_raised_and_shows_no_variables(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(_app: KeypegApp) -> None:
        secret = "red, red, blue, blue"
        raise ZeroDivisionError(len(secret))

    monkeypatch.setattr(KeypegApp, "on_mount", fail)
    monkeypatch.setattr(KeypegApp, "run", partialmethod(App.run, headless=True))
    with pytest.raises(ZeroDivisionError):
        play_on_screen(MEMORY, None)
    assert capfd.readouterr().err == ""


async def test_the_breaker_fills_rows_and_the_referee_answers() -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices()))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: table.filling)
        await pilot.press(*"rrbb", "enter")
        await until(pilot, lambda: len(table.game.rows) == 1)
        assert table.game.rows[0].guess == (1, 1, 2, 2)
        assert "Row 1: red, red, blue, blue." in said(table)
        assert "fill row 2" in text_of(pilot, "#call")
        await pilot.press("l")
        assert said(table).count("Row 1: red") == 2


async def test_a_breaker_who_tries_every_code_wins_and_makes_the_next() -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices(ONE_HOLE, level="careful")))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: table.filling)
        for key in "123":
            if table.game.phase is Phase.GUESS:
                await pilot.press(key, "enter")
        await until(pilot, lambda: table.game.phase is Phase.OVER)
        assert "Broken in" in said(table)
        await pilot.press("enter")
        await until(pilot, lambda: table.game.phase is Phase.SECRET)
        await pilot.press("2", "enter")
        await until(pilot, lambda: table.state.series.over)
        assert "series" in said(table)
        assert enter_in_footer(table) == ["New series"]
        await pilot.press("f7")
        await until(pilot, lambda: not table.state.series.over)
        assert len(table.state.finished) == 1


async def test_after_a_series_enter_leads_to_a_new_one(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/games.db"
    app = KeypegApp(address, at_table(address, SeriesChoices(ONE_HOLE, part=Part.BOTH)))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        for following in ("Next game", "New series"):
            await until(pilot, lambda: isinstance(app.screen, Curtain))
            await pilot.press("enter")
            await until(pilot, lambda: app.screen is table)
            assert enter_in_footer(table) == ["Set code"]
            await pilot.press("1", "enter")
            await until(pilot, lambda: isinstance(app.screen, Curtain))
            await pilot.press("enter")
            await until(pilot, lambda: app.screen is table and table.filling)
            assert enter_in_footer(table) == ["Check"]
            await pilot.press("1", "enter")
            await until(pilot, lambda: table.game.phase is Phase.OVER)
            assert enter_in_footer(table) == [following]
            assert str(table.query_one("#check", Button).label) == following
            await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SetupScreen))
        await until(pilot, lambda: "by the referee" in screen_text(pilot))
        assert "Resume" not in screen_text(pilot)
        await pilot.press("f9")
        assert (await seated(pilot)).board == PRESETS["classic"]


def enter_in_footer(table: GameScreen) -> list[str]:
    """What the footer says of Enter."""
    bindings = (active.binding for active in table.active_bindings.values())
    return [key.description for key in bindings if key.key == "enter" and key.show]


async def test_the_maker_sees_the_computer_break_the_code() -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices(part=Part.MAKER, level="careful")))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await pilot.press(*"1234", "enter")
        await until(pilot, lambda: table.game.phase is Phase.OVER)
        assert table.game.outcome is not None
        assert table.game.outcome.ending is Ending.BROKEN
        assert table.state.series.points.one == len(table.game.rows)


async def test_two_people_play_a_series_behind_a_curtain() -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, TWO))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        for secret, guesses in (("rrbb", ("rrgg", "rrbb")), ("wwyy", ("wwyy",))):
            await until(pilot, lambda: isinstance(app.screen, Curtain))
            assert "look away" in screen_text(pilot)
            await pilot.press("enter")
            await until(pilot, lambda: app.screen is table)
            await pilot.press(*secret)
            assert not any(letter in text_of(pilot, "#board") for letter in "RBWY")
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, Curtain))
            await pilot.press("enter")
            for guess in guesses:
                await until(pilot, lambda: app.screen is table and table.filling)
                await pilot.press(*guess, "enter")
            await until(pilot, lambda: table.game.phase is Phase.OVER)
            if not table.state.series.over:
                await pilot.press("enter")
        assert table.state.series.points == Points(2, 1)
        assert "Ada wins the series, 2 to 1." in said(table)


async def test_wrong_key_pegs_by_hand_are_challenged() -> None:
    by_hand = SeriesChoices(part=Part.BOTH, called=("Ada", "Bob"), key_pegs=KeyPegMode.BY_HAND)
    app = KeypegApp(MEMORY, at_table(MEMORY, by_hand))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: isinstance(app.screen, Curtain))
        await pilot.press("enter")
        await pilot.press(*"rrbb", "enter")
        await until(pilot, lambda: isinstance(app.screen, Curtain))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is table)
        await pilot.press(*"rrgg", "enter")
        await until(pilot, lambda: table.game.phase is Phase.ANSWER)
        await pilot.press("3", "l", "question_mark")
        await until(pilot, lambda: isinstance(app.screen, Help))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is table)
        assert "Row 1: red, red, green, green. Not answered yet." in said(table)
        await pilot.press("1", "enter")
        assert "cannot occur" in said(table)
        await pilot.press("backspace", "backspace", "1", "0", "enter")
        await until(pilot, lambda: table.game.phase is Phase.GUESS)
        await pilot.press("f6")
        await until(pilot, lambda: table.game.phase is Phase.OVER)
        assert "Challenge upheld" in said(table)
        assert table.state.series.points == Points(0, 3)
        assert "played again" in text_of(pilot, "#call")


async def test_the_maker_may_peek_when_nobody_looks() -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, TWO))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: isinstance(app.screen, Curtain))
        await pilot.press("enter", *"ggkk", "enter")
        await until(pilot, lambda: isinstance(app.screen, Curtain))
        await pilot.press("enter", "f4")
        await until(pilot, lambda: isinstance(app.screen, Curtain))
        assert "Only Ada may look" in screen_text(pilot)
        assert "shown for 4 seconds" in screen_text(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: "G" in text_of(pilot, "#board"))
        assert "any key hides it" in text_of(pilot, "#call")
        await pilot.press("r")
        assert "G" not in text_of(pilot, "#board")
        assert set(table.draft.pegs) == {None}
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(app.screen, Curtain))
        await pilot.press("enter")
        await until(pilot, lambda: "G" in text_of(pilot, "#board"))
        await until(pilot, lambda: "G" not in text_of(pilot, "#board"))
        assert table.game.opening is None


async def test_a_paused_series_is_resumed(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/games.db"
    app = KeypegApp(address, at_table(address, SeriesChoices()))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: table.filling)
        await pilot.press(*"rrbb", "enter")
        await until(pilot, lambda: len(table.game.rows) == 1)
        await pilot.press("ctrl+q")
    assert app.return_value == f"Paused. {way_back(address)}"
    assert address in app.return_value
    app = KeypegApp(address)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: isinstance(app.screen, SetupScreen))
        await until(pilot, lambda: "by the referee" in screen_text(pilot))
        assert "game 1 of 2" in screen_text(pilot)
        await pilot.press("enter")
        table = await seated(pilot)
        assert table.game.rows[0].guess == (1, 1, 2, 2)
        assert "Row 1: red, red, blue, blue." in said(table)
    app = KeypegApp(address, at_table(address, None))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        assert len(table.game.rows) == 1


async def test_nothing_to_resume_is_a_refusal_and_no_screen() -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, None))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: app.refusal is not None)
    assert "no unfinished series" in str(app.refusal)


async def test_a_hint_is_chosen_by_grade_and_recorded() -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices()))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: table.filling)
        await pilot.press("h")
        await until(pilot, lambda: isinstance(app.screen, HintChoice))
        await pilot.press("1")
        await until(pilot, lambda: "1,296 codes are left." in said(table))
        assert table.state.hints == 1


async def test_a_finished_game_is_reviewed() -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices(Board(2, 3))))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: table.filling)
        await pilot.press("1", "2", "enter")
        await until(pilot, lambda: len(table.game.rows) == 1)
        if table.game.phase is not Phase.OVER:
            await pilot.press("f8")
            await pilot.press("y")
            await until(pilot, lambda: table.game.phase is Phase.OVER)
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))
        await until(pilot, lambda: "In all:" in text_of(pilot, "#review"))


async def test_time_that_runs_out_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices(turn_seconds=1)))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: bool(table.game.rows))
        assert table.game.rows[0].expired
        assert "Row 1: time ran out." in said(table)
        assert "0:0" in text_of(pilot, "#call")


async def test_every_refusal_has_a_reason() -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices(Board(3, 6, repeats=False))))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: table.filling)
        await pilot.press("r", "enter")
        assert "2 holes are empty." in said(table)
        await pilot.press("r", "b", "enter")
        assert "repeats are off on this board" in said(table)
        await pilot.press("x")
        assert "x is not a peg of this board" in said(table)


async def test_the_row_is_edited_with_arrows_undo_hold_and_copy() -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices()))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: table.filling)
        await pilot.press("r", "up", "right", "down", "ctrl+z", "left", "left", "space")
        assert list(table.draft.pegs) == [1, 1, None, None]
        assert table.draft.held == {0}
        await pilot.press("r", "b", "b", "delete", "b", "enter")
        await until(pilot, lambda: len(table.game.rows) == 1)
        assert list(table.draft.pegs) == [1, None, None, None]
        await pilot.press("ctrl+d")
        assert table.draft.code == table.game.rows[0].guess
        await pilot.press("backspace", "L")
        assert "RD" in text_of(pilot, "#board")
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Help))


async def test_the_mouse_places_pegs_and_checks() -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices()))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: table.filling)
        colours = list(table.query(TrayColour))
        for colour in colours[:4]:
            await pilot.click(colour)
        assert table.draft.code == (1, 2, 3, 4)
        await pilot.click("#board", offset=(10, 10))
        assert table.draft.cursor == 1
        await pilot.click(colours[5])
        await pilot.click("#check")
        await until(pilot, lambda: len(table.game.rows) == 1)
        assert table.game.rows[0].guess == (1, 6, 3, 4)
        await pilot.click("#board", offset=(10, 10), times=2)
        assert table.draft.code == (1, 6, 3, 4)


async def test_letters_that_are_pegs_place_them_on_large_boards() -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices(Board(4, 20), level="careful")))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: table.filling)
        await pilot.press("h", "l", "1")
        assert list(table.draft.pegs) == [17, 8, 1, None]
        shown = [app.get_key_display(active.binding) for active in table.active_bindings.values()]
        assert {"F2", "F3"} <= set(shown)
        assert not {"h", "l"} & set(shown)
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, HintChoice))


async def test_a_new_series_is_chosen_on_the_first_screen() -> None:
    app = KeypegApp(MEMORY)
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: isinstance(app.screen, SetupScreen))
        await until(pilot, lambda: "by the referee" in screen_text(pilot))
        await pilot.press("tab", *"4x99", "f9")
        assert "a board has 2 to 20 colours" in text_of(pilot, "#refusal")
        await pilot.press("backspace", "backspace", *"8b", "f9")
        table = await seated(pilot)
        assert str(table.board) == "4x8b"
        await until(pilot, lambda: table.filling)
        await pilot.press("-", "0", "1", "2")
        assert table.draft.code == (0, 0, 1, 2)


@pytest.mark.parametrize(
    "board", [PRESETS["advanced-blanks"], Board(16, 20, rows=99), Board(1, 2, rows=1)]
)
async def test_every_board_fits_80_columns(board: Board) -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices(board, level="careful")))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: table.filling)
        row = table.query_one("#board").region
        assert row.right <= 64
        for widget in ("#call", "#check"):
            assert table.query_one(widget).region.right <= SIZE[0]
        assert isinstance(app.screen, GameScreen)


@pytest.mark.parametrize(
    ("board", "size"),
    [(Board(12, 20), (60, 20)), (Board(4, 6), (40, 20)), (Board(12, 20), (120, 40))],
)
async def test_tray_and_check_are_in_sight_on_narrow_screens(
    board: Board, size: tuple[int, int]
) -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices(board, level="careful")))
    async with app.run_test(size=size) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: table.filling)
        await pilot.pause()
        for widget in (table.query_one("#check"), *table.query(TrayColour)):
            assert widget.region.width >= 3
            assert widget.region.right <= size[0]
            assert widget.region.bottom < size[1]
        assert table.query_one("#slab").region.height >= 5


def has_rows(table: GameScreen, rows: int) -> bool:
    return len(table.game.rows) == rows


@pytest.mark.parametrize("board", [PRESETS["classic"], Board(5, 20, blanks=True, rows=99)])
async def test_row_tray_and_message_are_in_sight_at_every_size(board: Board) -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices(board, part=Part.BOTH)))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: isinstance(app.screen, Curtain))
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is table)
        await pilot.press(*["3"] * board.holes, "enter")
        await until(pilot, lambda: isinstance(app.screen, Curtain))
        await pilot.press("enter")
        for row in range(1, 4):
            await until(pilot, lambda: app.screen is table and table.filling)
            await pilot.press(*["1"] * board.holes, "enter")
            await until(pilot, partial(has_rows, table, row))
        for size in ((80, 24), (60, 20), (40, 16), (40, 12), (120, 12)):
            await pilot.resize_terminal(*size)
            await until(pilot, partial(in_sight, table, size))
        await pilot.resize_terminal(30, 8)
        await until(
            pilot, lambda: "40 columns and 12 lines" in " ".join(screen_text(pilot).split())
        )
        await pilot.press("1", "enter")
        await pilot.resize_terminal(40, 12)
        await until(pilot, lambda: in_sight(table, (40, 12)))
        assert len(table.game.rows) == 3
        assert set(table.draft.pegs) == {None}


def in_sight(table: GameScreen, size: tuple[int, int]) -> bool:
    """Whether the row being filled, the tray and the newest message can be seen."""
    slab, talk = table.query_one(Slab), table.query_one(Talk)
    line = slab.query_one(BoardView).active_line - round(slab.scroll_y)
    widgets = (table.query_one("#call"), slab, talk, *table.query(TrayColour))
    return (
        table.size == size
        and 0 <= line < slab.size.height
        and round(talk.scroll_y) == talk.max_scroll_y
        and talk.size.height > 1
        and all(w.region.width >= 3 and w.region.height >= 1 for w in widgets)
        and all(w.region.right <= size[0] and w.region.bottom < size[1] for w in widgets)
    )


def test_a_wide_board_needs_a_wider_window() -> None:
    assert layout(Board(4, 6), 40, 12).complaint == ""
    assert "45 columns and 12 lines are needed" in layout(Board(6, 9), 40, 30).complaint
    assert "it has 80 columns and 9 lines" in layout(Board(4, 6), 80, 9).complaint


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_the_help_fits_the_screen(size: tuple[int, int]) -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices(level="careful")))
    async with app.run_test(size=size) as pilot:
        await seated(pilot)
        await pilot.press("f1")
        await until(pilot, lambda: isinstance(app.screen, Help))
        dialog = app.screen.query_one(".dialog").region
        assert dialog.right <= size[0]
        assert dialog.bottom <= size[1]


async def test_a_refused_secret_is_not_repeated_before_the_other_player() -> None:
    both = SeriesChoices(Board(3, 6, repeats=False), part=Part.BOTH)
    app = KeypegApp(MEMORY, at_table(MEMORY, both))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: isinstance(app.screen, Curtain))
        await pilot.press("enter", *"rrb", "enter")
        await until(pilot, lambda: "Not done" in said(table))
        assert "none of them twice" in said(table)
        assert "red" not in said(table)


async def test_a_time_limit_is_chosen_and_the_computer_accepts() -> None:
    app = KeypegApp(MEMORY, at_table(MEMORY, SeriesChoices()))
    async with app.run_test(size=SIZE) as pilot:
        table = await seated(pilot)
        await until(pilot, lambda: table.filling)
        await pilot.press("ctrl+t", "down", "enter")
        await until(pilot, lambda: table.state.series.next_limit == 240)
        assert "Agreed: 4 minutes for each turn, from the next turn." in said(table)
        await pilot.press(*"rrbb", "enter")
        await until(pilot, lambda: len(table.game.rows) == 1)
        assert table.sitting.seconds_left is not None


async def test_a_proposed_time_limit_gets_a_reply() -> None:
    async with table_of() as playing:
        sitting = LocalSitting(playing.table, playing.clock, (Seat.ONE,), "")
        app = KeypegApp(MEMORY, given(sitting))
        async with app.run_test(size=SIZE) as pilot:
            table = await seated(pilot)
            await playing.ask(Seat.TWO, ProposeLimit(180))
            await until(pilot, lambda: table.may(TableOption.ACCEPT_LIMIT))
            await until(pilot, lambda: "Bob proposes 3 minutes" in said(table))
            assert "Time limit?" in screen_text(pilot)
            await pilot.press("ctrl+t", "escape")
            assert playing.table.state.series.proposal is not None
            await pilot.press("ctrl+t", "down", "enter")
            await until(pilot, lambda: playing.table.state.series.proposal is None)
            assert "The proposed time limit is declined." in said(table)
            assert playing.table.state.series.next_limit is None
            await pilot.press("ctrl+t", "enter")
            await until(pilot, lambda: playing.table.state.series.proposal is not None)
            await pilot.press("ctrl+t", "y")
            await until(pilot, lambda: playing.table.state.series.proposal is None)
            assert "The proposed time limit is withdrawn." in said(table)


@asynccontextmanager
async def given(sitting: LocalSitting) -> AsyncIterator[LocalSitting]:
    yield sitting

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from keypeg.rules.board import Board
from keypeg.terminal.draft import Draft

BOARD = Board(4, 6)
EMPTY = Draft.empty(BOARD)


def filled(*pegs: int) -> Draft:
    row = EMPTY
    for peg in pegs:
        row = row.place(peg)
    return row


def test_a_peg_goes_in_at_the_cursor_which_moves_to_the_next_empty_hole() -> None:
    row = filled(1, 2)
    assert (row.pegs, row.cursor) == ((1, 2, None, None), 2)
    assert row.point(0).clear().point(3).place(4).cursor == 0


def test_a_full_row_is_a_code_and_others_say_what_they_lack() -> None:
    assert filled(1, 2, 3, 4).code == (1, 2, 3, 4)
    assert filled(1, 2, 3).code is None
    assert filled(1, 2, 3).lacking == "1 hole is empty."
    assert filled(1).lacking == "3 holes are empty."
    assert filled(1, 2, 3, 4).lacking is None


def test_backspace_takes_the_last_peg_out_again_and_again() -> None:
    row = filled(1, 2)
    assert row.back().back().pegs == EMPTY.pegs
    assert EMPTY.back().pegs == EMPTY.pegs
    assert filled(1, 2, 3, 4).back().back().pegs == (1, 2, None, None)


def test_the_cursor_stops_at_the_ends_of_the_row() -> None:
    full = filled(1, 2, 3, 4)
    assert full.cursor == full.move(1).cursor == 3
    assert full.place(5).pegs == (1, 2, 3, 5)
    assert EMPTY.move(-1).cursor == 0


def test_colours_are_changed_in_place_round_the_ends() -> None:
    assert EMPTY.change(1, BOARD).pegs[0] == 1
    assert EMPTY.change(-1, BOARD).pegs[0] == 6
    assert filled(6).point(0).change(1, BOARD).pegs[0] == 1
    assert Draft.empty(Board(4, 6, blanks=True)).change(1, Board(4, 6, blanks=True)).pegs[0] == 0


def test_what_is_held_stays_for_the_next_row() -> None:
    row = filled(1, 2, 3, 4).point(2).hold()
    assert row.following().pegs == (None, None, 3, None)
    assert row.hold().following().pegs == EMPTY.pegs


def test_an_empty_hole_is_not_held_and_clearing_lets_a_peg_go() -> None:
    assert EMPTY.hold() == EMPTY
    row = filled(1, 2, 3, 4).hold()
    assert row.held == {3}
    assert not row.clear().held
    assert row.clear().undo() == row


def test_a_copied_row_can_be_undone() -> None:
    row = filled(1).copy((4, 3, 2, 1))
    assert row.code == (4, 3, 2, 1)
    assert row.undo().pegs == (1, None, None, None)
    assert EMPTY.undo() == EMPTY


@given(st.lists(st.sampled_from(["place", "back", "clear", "left", "right", "up"])))
def test_undoing_everything_leaves_an_empty_row(steps: list[str]) -> None:
    row = EMPTY
    for number, step in enumerate(steps):
        row = {
            "place": row.place(number % 6 + 1),
            "back": row.back(),
            "clear": row.clear(),
            "left": row.move(-1),
            "right": row.move(1),
            "up": row.change(1, BOARD),
        }[step]
        assert 0 <= row.cursor < 4
    while row.before:
        row = row.undo()
    assert row.pegs == EMPTY.pegs

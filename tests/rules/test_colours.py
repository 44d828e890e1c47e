import pytest

from keypeg.rules.colours import BLANK, digit, palette


def test_the_classic_pegs_have_the_books_names() -> None:
    assert [colour.short for colour in palette(6)] == ["RD", "BU", "YW", "GN", "WH", "BK"]


def test_the_advanced_pegs_have_the_books_names() -> None:
    shorts = [colour.short for colour in palette(8)]
    assert shorts == ["MA", "OR", "BU", "PU", "YW", "WH", "GN", "BK"]


@pytest.mark.parametrize("colours", range(2, 21))
def test_no_two_colours_of_a_board_share_a_way_to_be_written(colours: int) -> None:
    pegs = palette(colours)
    assert len(pegs) == colours
    written = [
        {name.lower() for name in (*colour, digit(peg, pegs))} for peg, colour in enumerate(pegs, 1)
    ]
    assert len(set.union(*written)) == sum(map(len, written))
    assert digit(BLANK, pegs) == "0"


def test_digits_go_on_with_letters_after_nine() -> None:
    assert "".join(digit(peg, palette(20)) for peg in range(1, 21)) == "123456789ABCDEFGHIJK"

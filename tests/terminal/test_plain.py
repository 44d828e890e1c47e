import json
from collections.abc import Callable, Iterator

import pytest

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import parse_code
from keypeg.rules.commitment import Opening, opens
from keypeg.rules.game import Ending, Game
from keypeg.terminal.plain import JsonVoice, Voice, break_a_code

CLASSIC = PRESETS["classic"]


def typist(*lines: str) -> Callable[[str], str]:
    typed: Iterator[str] = iter(lines)

    def ask(_prompt: str) -> str:
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    return ask


def played(*lines: str, board: Board = CLASSIC) -> tuple[Game, list[str]]:
    said: list[str] = []
    return break_a_code(board, typist(*lines), Voice(said.append)), said


def test_the_seal_is_shown_before_and_opens_after() -> None:
    said: list[str] = []
    game = break_a_code(CLASSIC, typist("rrbb"), JsonVoice(said.append))
    first, *_, last = (json.loads(line) for line in said)
    assert first["event"] == "sealed"
    opening = Opening(parse_code(last["secret"], CLASSIC), bytes.fromhex(last["nonce"]))
    assert opens(first["seal"], CLASSIC, first["game"], opening)
    assert game.outcome is not None
    assert game.outcome.ending is Ending.BREAKER_RESIGNED


def test_every_row_is_answered_and_the_last_one_ends_the_game() -> None:
    board = Board(4, 6, rows=3)
    game, said = played(*["rrrr"] * 4, board=board)
    while game.opening is not None and game.opening.code == (1, 1, 1, 1):
        game, said = played(*["rrrr"] * 4, board=board)
    assert game.outcome is not None
    assert game.outcome.ending is Ending.UNBROKEN
    assert len(game.rows) == 3
    assert "Not broken: all 3 rows are used." in said


def test_trying_every_code_breaks_a_small_board() -> None:
    board = Board(1, 3)
    game, said = played("1", "2", "3", board=board)
    assert game.outcome is not None
    assert game.outcome.ending is Ending.BROKEN
    assert any(line.startswith("Broken in ") for line in said)


def test_a_row_that_cannot_be_read_is_not_played() -> None:
    game, said = played("rrbx", "rrb", "quit")
    assert game.rows == ()
    assert sum(line.startswith("Not played: ") for line in said) == 2


@pytest.mark.parametrize("word", ["quit", "Q", "exit", "resign"])
def test_giving_up_reveals_the_code(word: str) -> None:
    _, said = played(word)
    assert "Given up." in said
    assert any(line.startswith("The code was ") for line in said)


def test_help_and_rows_may_be_asked_for() -> None:
    _, said = played("help", "rows", "rrbb", "rows")
    assert "No row is played yet." in said
    assert sum("RD RD BU BU" in line for line in said) == 2


def test_the_legend_tells_what_may_be_typed() -> None:
    _, said = played(board=Board(4, 6, blanks=True, repeats=False))
    assert "A vacant hole is written -" in said
    assert "No colour occurs twice." in said
    assert any("RD or R red" in line for line in said)

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from itertools import islice

import pytest

from keypeg.daily.codes import BOARDS, Codes, game_id
from keypeg.daily.days import FIRST_DAY
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import check_code
from keypeg.rules.commitment import opens

KEY = bytes(range(32))
DAY = date(2026, 11, 18)


def test_a_day_has_one_code_on_each_board_whoever_asks() -> None:
    for board in BOARDS:
        opening = Codes(KEY).opening(DAY, board)
        check_code(opening.code, board)
        assert Codes(KEY).opening(DAY, board) == opening
        assert Codes(KEY).seal(DAY, board) == Codes(KEY).seal(DAY, board)


def test_codes_are_those_they_have_always_been() -> None:
    """Golden: another drawing would change codes that players have begun."""
    codes = Codes(KEY)
    assert codes.opening(DAY, PRESETS["classic"]).code == (4, 4, 1, 3)
    assert codes.opening(DAY, PRESETS["advanced"]).code == (4, 5, 4, 3, 4)


def test_the_seal_of_a_day_is_opened_by_its_code_alone() -> None:
    codes = Codes(KEY)
    for board in BOARDS:
        sealed = codes.seal(DAY, board)
        assert opens(sealed, board, game_id(DAY), codes.opening(DAY, board))
        tomorrow = DAY + timedelta(days=1)
        assert not opens(sealed, board, game_id(DAY), codes.opening(tomorrow, board))
        assert not opens(sealed, board, game_id(tomorrow), codes.opening(DAY, board))


def test_days_boards_and_keys_have_codes_and_nonces_of_their_own() -> None:
    openings = {
        (opening.code, opening.nonce)
        for key in (KEY, bytes(32))
        for board in (PRESETS["classic"], PRESETS["classic-blanks"])
        for day in range(50)
        for opening in [Codes(key).opening(FIRST_DAY + timedelta(days=day), board)]
    }
    assert len(openings) == len({nonce for _, nonce in openings}) == 200


def test_every_code_is_equally_likely() -> None:
    """Chi-square over 16 codes: the 1 in 10,000 quantile with 15 degrees of freedom is 42.3."""
    board, days = Board(2, 4), 8_000
    drawn = Counter(
        Codes(KEY).opening(FIRST_DAY + timedelta(days=day), board).code for day in range(days)
    )
    expected = days / board.codes
    assert sum((drawn[code] - expected) ** 2 / expected for code in drawn) < 42.3
    assert len(drawn) == board.codes


def test_what_would_favour_small_numbers_is_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    codes, below = Codes(KEY), 1296
    fair = 2**64 // below * below
    draws = iter([fair, 2**64 - 1, fair - 1])
    monkeypatch.setattr(codes, "_draws", lambda purpose: draws)
    assert codes._number("", below) == below - 1


def test_draws_go_on() -> None:
    assert len(set(islice(Codes(KEY)._draws("x"), 5))) == 5


def test_nothing_of_the_key_is_printed() -> None:
    assert repr(Codes(KEY)) == "Codes(hidden)"

"""QR codes in a terminal."""

from __future__ import annotations

import segno

from keypeg.terminal.qr import BORDER, qr_lines

URL = "http://192.168.100.100:65535/"


def test_a_qr_code_has_two_rows_of_modules_in_a_line() -> None:
    rows: list[list[int]] = []
    for line in qr_lines(URL):
        assert line.startswith("\x1b[30;107m")
        assert line.endswith("\x1b[0m")
        halves = line.removeprefix("\x1b[30;107m").removesuffix("\x1b[0m")
        rows.append([int(half in "▀█") for half in halves])
        rows.append([int(half in "▄█") for half in halves])
    drawn = [list(map(bool, row)) for row in segno.make(URL).matrix_iter(border=BORDER)]
    assert rows[: len(drawn)] == drawn
    assert not any(map(any, rows[len(drawn) :]))


def test_a_qr_code_of_an_address_fits_a_small_terminal() -> None:
    lines = list(qr_lines(URL))
    assert len(lines) <= 20
    assert all(line.count("") < 60 for line in lines)

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from keypeg.rules.errors import CannotRead
from keypeg.solver.journal import Journal

if TYPE_CHECKING:
    from pathlib import Path

HEADER = {"board": "classic", "worst": None}
ENTRIES = [{"cell": 1}, {"cell": 2}]


def written(path: Path) -> bytes:
    Journal(path, HEADER).add(ENTRIES)
    return path.read_bytes()


def test_entries_are_found_again(tmp_path: Path) -> None:
    path = tmp_path / "log"
    written(path)
    assert Journal(path, HEADER).entries == ENTRIES


def test_a_kill_at_any_byte_costs_the_last_line_at_most(tmp_path: Path) -> None:
    path = tmp_path / "log"
    whole = written(path)
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        journal = Journal(path, HEADER)
        assert len(journal.entries) == max(0, whole[:length].count(b"\n") - 1)
        journal.add([{"cell": 3}])
        assert Journal(path, HEADER).entries == [*journal.entries, {"cell": 3}]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"board": "4x7", "worst": null}\n', "4x7"),
        (b"no JSON\n", "line 1"),
        (b'{"board": "classic", "worst": null}\n[]\n', "line 2"),
        (b"somebody's only copy", "no log"),
        (b"\xff\xfe\n", "line 1"),
    ],
)
def test_another_file_is_refused_and_left_as_it_is(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "log"
    path.write_bytes(content)
    with pytest.raises(CannotRead, match=reason):
        Journal(path, HEADER)
    assert path.read_bytes() == content

from __future__ import annotations

import os
import re
import resource
from pathlib import Path

import pytest

from keypeg.rules.errors import CannotRead
from keypeg.solver.journal import InUse, Journal

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
        journal.close()
        assert Journal(path, HEADER).entries == [*journal.entries, {"cell": 3}]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"board": "4x7", "worst": null}\n', "4x7"),
        (b"no JSON\n", "line 1"),
        (b'{"board": "classic", "worst": null}\n{"cell": 1}\n', "no checksums"),
        (b"somebody's only copy", "not the log"),
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


def test_any_damage_before_the_last_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log"
    whole = written(path)
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        if place == len(whole) - 1:  # no line feed: as if the last line had been torn
            assert Journal(path, HEADER).entries == ENTRIES[:1]
            break
        damaged = path.read_bytes()
        with pytest.raises(CannotRead, match=re.escape(str(path))):
            Journal(path, HEADER)
        assert path.read_bytes() == damaged


def test_a_line_taken_out_put_in_or_moved_is_refused_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "log"
    head, one, two = written(path).splitlines(keepends=True)
    for lines, number in (([head, two], 2), ([head, two, one], 2), ([head, one, one, two], 3)):
        path.write_bytes(b"".join(lines))
        with pytest.raises(CannotRead, match=f"line {number}: damaged or edited.*remove"):
            Journal(path, HEADER)


def test_two_cannot_write_one_log(tmp_path: Path) -> None:
    path = tmp_path / "log"
    journal = Journal(path, HEADER)
    with pytest.raises(InUse, match="running"):
        Journal(path, HEADER)
    journal.add(ENTRIES)
    journal.close()
    assert Journal(path, HEADER).entries == ENTRIES


def test_only_a_regular_file_can_be_a_log(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/null"), tmp_path, tmp_path / "pipe"):
        with pytest.raises(CannotRead, match="not a regular file"):
            Journal(path, HEADER)
    with pytest.raises(CannotRead, match="no folder"):
        Journal(tmp_path / "nowhere" / "log", HEADER)


def test_a_full_disk_is_reported_with_the_name_of_the_log(tmp_path: Path) -> None:
    path = tmp_path / "log"
    journal = Journal(path, HEADER)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 50, hard))
        with pytest.raises(OSError, match=re.escape(str(path))):
            journal.add(ENTRIES)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    journal.close()
    assert Journal(path, HEADER).entries == ENTRIES[:1]

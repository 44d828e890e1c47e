from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from keypeg.files import AlreadyExists, atomic_file, lock, make_folder


def test_a_new_file_appears_complete_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "new"
    with atomic_file(path) as temporary:
        temporary.write_text("all of it")
        assert not path.exists()
    assert path.read_text() == "all of it"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_an_existing_file_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text("old")
    with pytest.raises(AlreadyExists, match="does not overwrite"), atomic_file(path):
        pytest.fail("there is nothing to be written")
    assert path.read_text() == "old"


def test_of_two_that_create_a_file_the_first_succeeds(tmp_path: Path) -> None:
    path = tmp_path / "new"
    with pytest.raises(AlreadyExists), atomic_file(path):
        path.write_text("first")
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_is_replaced_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_text("old")
    with atomic_file(path, replace=True, mode=0o666) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
    umask = os.umask(0)
    os.umask(umask)
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("replace", [False, True])
def test_whoever_fails_leaves_everything_as_it_was(tmp_path: Path, replace: bool) -> None:
    path = tmp_path / "new"
    with pytest.raises(FileNotFoundError), atomic_file(path, replace=replace) as temporary:
        temporary.write_text((tmp_path / "missing").read_text())
    assert not list(tmp_path.iterdir())


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "no folder" / "new"
    with pytest.raises(FileNotFoundError) as error, atomic_file(path):
        pytest.fail("there is no folder to write to")
    assert error.value.filename == str(path)


def test_folders_are_made_with_those_above_them(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such lock")
def test_a_lock_is_held_against_other_processes_until_the_file_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "locked"
    program = f"""
import os
from keypeg.files import lock
print(lock(os.open({str(path)!r}, os.O_RDWR | os.O_CREAT)))
"""
    held = os.open(path, os.O_RDWR | os.O_CREAT)
    assert lock(held)
    assert _output(program) == "False"
    os.close(held)
    assert _output(program) == "True"


def _output(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from sqlalchemy import make_url

from harness.programs import run
from keypeg.store.paths import data_folder, default_database, find_key
from keypeg.store.vault import key_from


@pytest.mark.skipif(sys.platform != "linux", reason="XDG is Linux's way")
def test_the_data_folder_is_where_xdg_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "keypeg"
    assert default_database() == f"sqlite:///{tmp_path}/keypeg/keypeg.db"


def test_the_key_of_the_environment_comes_first(tmp_path: Path) -> None:
    url = make_url(f"sqlite:///{tmp_path}/keypeg.db")
    assert find_key(url, {"KEYPEG_KEY": "ab" * 32}) == b"\xab" * 32
    assert not list(tmp_path.iterdir())


def test_a_sqlite_database_has_its_key_beside_it(tmp_path: Path) -> None:
    url = make_url(f"sqlite:///{tmp_path}/keypeg.db")
    assert find_key(url, {}) == key_from(tmp_path / "keypeg.key")


def test_the_key_of_a_database_elsewhere_is_in_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("keypeg.store.paths.data_folder", lambda: tmp_path)
    assert find_key(make_url("postgresql://a@b/c"), {}) == key_from(tmp_path / "keypeg.key")


_SHOWN = """
import os, subprocess, sys
from pathlib import Path
from keypeg.store import paths
from keypeg.store.engines import parse_address

def shown():
    return int(b"KEYPEG_KEY" in Path("/proc/self/environ").read_bytes())

if sys.argv[1] == "True":
    paths.withdraw_key()
start = "import os, sys; sys.exit('KEYPEG_KEY' in os.environ)"
started = subprocess.run([sys.executable, "-c", start]).returncode
child = os.fork()
if child == 0:
    os._exit(shown())
forked = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
found = paths.find_key(parse_address("sqlite:////nowhere/x.db")).hex()
print(shown(), started, forked, found == "5a" * 32, os.environ["LAST"])
"""


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="not Linux")
@pytest.mark.parametrize("defended", [True, False])
def test_a_key_that_was_withdrawn_is_in_no_environment(defended: bool) -> None:
    """Neither in that of this process, nor in that of a process it starts or forks."""
    environment = {**os.environ, "KEYPEG_KEY": "5a" * 32, "LAST": "here"}
    done = run([sys.executable, "-c", _SHOWN, str(defended)], env=environment)
    seen = "0 0 0" if defended else "1 1 1"
    assert done.stdout.strip() == f"{seen} True here", done.stderr

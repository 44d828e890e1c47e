from __future__ import annotations

import sys
from pathlib import Path

import pytest
from sqlalchemy import make_url

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

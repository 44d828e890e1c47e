from __future__ import annotations

import stat
from pathlib import Path

import pytest

from keypeg.store.errors import WrongKey
from keypeg.store.vault import Vault, key_from, new_key, parse_key


def test_what_is_locked_is_unlocked_in_its_place_only() -> None:
    vault = Vault(new_key())
    locked = vault.lock(b"clear", b"here")
    assert vault.unlock(locked, b"here") == b"clear"
    with pytest.raises(WrongKey):
        vault.unlock(locked, b"there")


def test_locking_twice_gives_different_texts() -> None:
    vault = Vault(new_key())
    assert vault.lock(b"clear", b"") != vault.lock(b"clear", b"")


@pytest.mark.parametrize("locked", [b"", b"short", bytes(28)])
def test_what_was_never_locked_is_refused(locked: bytes) -> None:
    with pytest.raises(WrongKey):
        Vault(new_key()).unlock(locked, b"")


def test_a_vault_does_not_show_its_key() -> None:
    assert repr(Vault(bytes(32))) == "Vault(hidden)"


def test_a_key_file_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "keypeg.key"
    key = key_from(path)
    assert key_from(path) == key
    assert len(key) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [found.name for found in path.parent.iterdir()] == ["keypeg.key"]


def test_a_key_file_open_to_others_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "keypeg.key"
    key_from(path)
    path.chmod(0o644)
    with pytest.raises(WrongKey, match="chmod 600"):
        key_from(path)


@pytest.mark.parametrize("text", ["", "00", "zz" * 32, "0" * 63, "0" * 66])
def test_what_is_no_key_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(WrongKey, match="64 hexadecimal digits") as refusal:
        parse_key(text)
    assert not text or text not in str(refusal.value)

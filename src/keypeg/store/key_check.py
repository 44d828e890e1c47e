"""The key check: a value in the database that only the right key can read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, insert, select

from keypeg.store.chain import add_macs
from keypeg.store.errors import Altered, WrongKey
from keypeg.store.schema import facts, tables

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from keypeg.store.chain import Chain
    from keypeg.store.vault import Vault

_KEY_CHECK: Final = "key-check"
_OLD_KEY_CHECK: Final = b"key-check"
_NEW_KEY_CHECK: Final = b"key-check 2"
"""What a database is marked with in which every entry has a MAC."""


def check_key(connection: Connection, vault: Vault, chain: Chain) -> int:
    """Check the key, or raise WrongKey. In a new database, store the key check.

    In a database from before there were MACs, give every entry its MAC. Returns how many entries
    got one.
    """
    given = 0
    found = connection.scalar(select(facts.c.value).where(facts.c.name == _KEY_CHECK))
    if found is None:
        if connection.scalar(select(tables.c.id).limit(1)) is not None:
            raise Altered(f"the database has tables, and its {_KEY_CHECK} is missing from facts")
    elif _is_new(found, vault):
        return 0
    else:
        # Nobody can make the old form without the key, so it shows that the database is old.
        vault.unlock(found, _OLD_KEY_CHECK)
        given = add_macs(connection, chain)
        connection.execute(delete(facts).where(facts.c.name == _KEY_CHECK))
    check = vault.lock(b"keypeg", _NEW_KEY_CHECK)
    connection.execute(insert(facts), {"name": _KEY_CHECK, "value": check})
    return given


def _is_new(found: bytes, vault: Vault) -> bool:
    try:
        vault.unlock(found, _NEW_KEY_CHECK)
    except WrongKey:
        return False
    return True

"""The names under which browsers find this server.

A page of another name that leads here (DNS rebinding) could otherwise read what is here, and the
name is written into invitations.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from keypeg.server.addresses import is_loopback

if TYPE_CHECKING:
    from collections.abc import Iterable

_HOST: Final = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")


def name_in(host: str) -> str | None:
    """The name in a Host header, without its port; None if it is not valid."""
    found = _HOST.fullmatch(host)
    return found and found[1].lower().rstrip(".")


class Hosts:
    """Those of the origins whose pages may talk to this server, and this device's own."""

    def __init__(self, origins: Iterable[str]) -> None:
        found = (name_in(urlsplit(origin).netloc) for origin in origins)
        self._names = frozenset(name for name in found if name)

    def allow(self, name: str, here: str | None) -> bool:
        """Whether the server answers to `name`; `here` is the address that was connected to."""
        return name in self._names or is_loopback(name) or name.strip("[]") == here

"""The server's settings: options and `KEYPEG_*` variables, checked once."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Annotated, Final, get_args, get_type_hints

import msgspec
from msgspec import Meta

from keypeg.rules.errors import CannotRead, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX: Final = "KEYPEG_"

LOG_LEVELS: Final = ("debug", "info", "warning", "error")

Port = Annotated[int, Meta(ge=0, le=65535)]
Count = Annotated[int, Meta(ge=1, le=1_000_000)]
Rate = Annotated[float, Meta(gt=0, le=1_000_000)]


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that can be set, and what holds when it is not."""

    host: str = "127.0.0.1"
    port: Port = 8000
    database: str | None = None
    """A SQLAlchemy URL; None is a SQLite file in the user's data folder."""
    workers: Annotated[int, Meta(ge=1, le=64)] = 1
    """Processes that serve; more than one needs PostgreSQL."""
    redis: str | None = None
    """Where processes on one database hint to each other that a table has moved on."""
    public_url: str | None = None
    """Where browsers find the server when a proxy stands in front of it."""
    origins: tuple[str, ...] = ()
    """Pages that may talk to this server, besides its own."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses whose X-Forwarded-For is believed."""
    log_level: Annotated[str, Meta(pattern=rf"^({'|'.join(LOG_LEVELS)})(?!\n)$")] = "info"

    sockets: Count = 20_000
    sockets_per_address: Count = 50
    connections_per_address: Count = 200
    """Besides those that have become sockets."""
    requests_per_second: Rate = 20.0
    requests_at_once: Count = 60
    tables_per_minute: Rate = 30.0
    tables_at_once: Count = 20
    messages_per_second: Rate = 20.0
    messages_at_once: Count = 40
    spectator_messages_per_second: Rate = 5.0
    entries_per_day: Annotated[int, Meta(ge=1, le=1_000_000_000)] = 500_000
    """Moves and the like that one address may write, at the tables it opened."""
    idle_mebibytes: Count = 64
    """Memory for tables that nobody uses, and as much for races and duels."""
    thinking_seconds: Annotated[float, Meta(gt=0, le=600)] = 5.0
    computer_row_seconds: Annotated[float, Meta(ge=0, le=600)] = 8.0
    """How long the computer takes for a row of a race or a duel, so that people can race it."""

    def __post_init__(self) -> None:
        named = [("KEYPEG_ORIGINS", origin) for origin in self.origins]
        if self.public_url is not None:
            named.append(("--public-url or KEYPEG_PUBLIC_URL", self.public_url))
        for name, origin in named:
            if not _ORIGIN.fullmatch(origin):
                raise CannotRead(
                    f"{name}: {quoted(origin, 60)} is not valid; use http(s)://host[:port]"
                )
        for proxy in self.trusted_proxies:
            if not _is_network(proxy):
                raise CannotRead(
                    f"KEYPEG_TRUSTED_PROXIES: {quoted(proxy, 60)} is not valid; use an IP "
                    "address, a network such as 10.0.0.0/8, or * for every address"
                )
        if not (self.database or "").startswith("postgresql"):
            self._refuse_several_processes()

    def _refuse_several_processes(self) -> None:
        """One process alone may use a SQLite file.

        The log would stay whole with several, but nothing would wake the others when one
        writes, nor tell them who is connected.
        """
        if self.workers > 1:
            raise CannotRead(
                f"{self.workers} workers need PostgreSQL: a SQLite file serves one process. "
                "Say --database postgresql://user@host/name, or set workers (--workers, "
                "KEYPEG_WORKERS) to 1"
            )
        if self.redis is not None:
            raise CannotRead(
                "Redis is for several processes on PostgreSQL; one process on SQLite needs none"
            )

    @property
    def https(self) -> bool:
        """Whether browsers reach the server encrypted, so that cookies may insist on it."""
        return self.public_url is not None and self.public_url.startswith("https:")


_ORIGIN = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?")
_LISTS: Final = ("origins", "trusted_proxies")


def read_settings(environment: Mapping[str, str], options: Mapping[str, object]) -> Settings:
    """The settings that the options give, then the environment, then the defaults."""
    values: dict[str, object] = {}
    for field in get_type_hints(Settings):
        text = environment.get(PREFIX + field.upper())
        if text:
            values[field] = _listed(text) if field in _LISTS else text
    given = {name: value for name, value in options.items() if value is not None}
    values |= given
    try:
        return msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        field = str(error).partition(" - at `$.")[2].rstrip("`")
        if field not in values:
            raise CannotRead(str(error)) from None
        name = "--" + field.replace("_", "-") if field in given else PREFIX + field.upper()
        raise CannotRead(f"{name}: {_refused(field, values[field])}") from None


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _refused(field: str, value: object) -> str:
    """What is wrong with a value, and which values are right."""
    kind, limits = get_args(get_type_hints(Settings, include_extras=True)[field])
    wrong = f"{quoted(str(value))} is not valid; use"
    if kind is str:
        return f"{wrong} {', '.join(LOG_LEVELS[:-1])} or {LOG_LEVELS[-1]}"
    if limits.gt is not None:
        return f"{wrong} a number above {limits.gt:,}, and at most {limits.le:,}"
    return f"{wrong} a whole number from {limits.ge:,} to {limits.le:,}"


def _is_network(text: str) -> bool:
    """Whether it is an address, or several, in the form that uvicorn knows."""
    try:
        return text == "*" or bool(ipaddress.ip_network(text))
    except ValueError:
        return False

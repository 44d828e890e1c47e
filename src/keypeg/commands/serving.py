"""`serve`, `backup`, `restore` and `prune`: run a server, and maintain its database."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from keypeg.commands.exit_status import REFUSED, refuse
from keypeg.commands.options import WholeNumber, json_option, option, tell
from keypeg.rules.errors import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.maintenance import Verified
    from keypeg.server.process import Started
    from keypeg.server.settings import Settings

DAYS: Final = WholeNumber(1, 36_500)
"""An age of tables; a century is the most."""


@click.command()
@option("--host", help="Address to listen on: 127.0.0.1, or 0.0.0.0 for the whole network.")
@option("--port", type=int, help="Port to listen on; 0 picks a free one.  [default: 8000]")
@option("--database", help="sqlite:///path or postgresql://user@host/name.")
@option("--workers", type=int, help="Processes to serve with; PostgreSQL only.  [default: 1]")
@option("--redis", help="redis://host:port, through which several processes wake each other.")
@option("--public-url", help="Where browsers find the server, if not at its own address.")
@option("--log-level", help="debug, info, warning or error.")
@option("--open/--no-open", "browser", default=False, help="Open a browser on it.")
@json_option
def serve(browser: bool, as_json: bool, **options: object) -> None:
    """Serve tables to browsers and programs.

    Every option except --open and --json can also be set as a variable: KEYPEG_LOG_LEVEL for
    --log-level. The option takes precedence. An empty variable counts as not set.

    These can only be set as variables: KEYPEG_KEY, the key for encrypting secrets, 64 hexadecimal
    digits; KEYPEG_ORIGINS and KEYPEG_TRUSTED_PROXIES, lists separated by commas; and the limits
    KEYPEG_SOCKETS, KEYPEG_SOCKETS_PER_ADDRESS, KEYPEG_CONNECTIONS_PER_ADDRESS,
    KEYPEG_REQUESTS_PER_SECOND, KEYPEG_REQUESTS_AT_ONCE, KEYPEG_TABLES_PER_MINUTE,
    KEYPEG_TABLES_AT_ONCE, KEYPEG_MESSAGES_PER_SECOND, KEYPEG_MESSAGES_AT_ONCE,
    KEYPEG_SPECTATOR_MESSAGES_PER_SECOND, KEYPEG_ENTRIES_PER_DAY, KEYPEG_IDLE_MEBIBYTES,
    KEYPEG_THINKING_SECONDS and KEYPEG_COMPUTER_ROW_SECONDS.

    \b
    keypeg serve --open
    KEYPEG_PORT=80 keypeg serve --host 0.0.0.0
    keypeg serve --workers 4 --database postgresql://keypeg@db/keypeg --redis redis://db
    """
    from keypeg.server.process import serve as run_server
    from keypeg.server.settings import read_settings

    settings = read_settings(os.environ, options)

    # Only the kind of database: an address may contain a password.
    kind = (settings.database or "sqlite").partition(":")[0]

    def started(server: Started) -> None:
        data = {"url": server.url, "network": server.network, "database": kind}
        tell(data, _welcome(settings, server), as_json)

    run_server(settings, started, browser=browser)


def _welcome(settings: Settings, server: Started) -> Iterator[str]:
    """Where the server is found, by whom; with a QR code for phones where one can be drawn."""
    from keypeg.server.addresses import is_everywhere, is_loopback
    from keypeg.terminal.qr import can_draw, qr_lines

    yield f"keypeg: {server.url}"
    if settings.public_url is not None:
        return
    if is_loopback(settings.host):
        yield "Only this device can open it. With --host 0.0.0.0, others on your network can too."
    elif is_everywhere(settings.host) and not server.network:
        yield "This device is not on a network, so only it can open the address."
    for number, url in enumerate(server.network):
        yield f"{'or' if number else 'Others on your network can open'} {url}"
    if server.network and can_draw(sys.stdout):
        yield from qr_lines(server.network[0])


def _address(database: str | None) -> str:
    """The database that an option, the environment or the default names."""
    from keypeg.store.paths import default_database

    return database or os.environ.get("KEYPEG_DATABASE") or default_database()


_database_option = option(
    "--database", help="sqlite:///path or postgresql://user@host/name.  [default: as for serve]"
)


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@_database_option
@json_option
def backup(file: Path, database: str | None, as_json: bool) -> None:
    """Write a verified backup of every table into a new FILE, even while the server runs.

    It does not contain the key that encrypts the secrets of running games: keep keypeg.key, or
    the value of KEYPEG_KEY, somewhere else.

    \b
    keypeg backup keypeg-monday.backup
    keypeg backup keypeg-monday.backup --database postgresql://keypeg@db/keypeg
    """
    import asyncio

    from keypeg import maintenance
    from keypeg.terminal.progress_bars import stages_bar

    with stages_bar() as progress:
        verified = asyncio.run(maintenance.backup(_address(database), file, progress))
    line = f"{file}: {_counts(verified)}, verified; without the key"
    tell({"file": str(file), **verified._asdict()}, [line], as_json)


def _counts(verified: Verified) -> str:
    tables = counted(verified.tables, "table")
    attempts = f", {counted(verified.attempts, 'daily attempt')}" if verified.attempts else ""
    contests = f", {counted(verified.contests, 'contest')}" if verified.contests else ""
    matches = f", {counted(verified.matches, 'match', 'matches')}" if verified.matches else ""
    entries = counted(verified.entries, "entry", "entries")
    return f"{tables}, {entries}{attempts}{contests}{matches}"


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_database_option
@json_option
def restore(file: Path, database: str | None, as_json: bool) -> None:
    """Restore a backup into an empty database, of either kind, and verify it there.

    Stop the server first: a database that a server has open is refused.

    The key of the database that was backed up is needed: set KEYPEG_KEY, or put keypeg.key beside
    the SQLite file.

    \b
    keypeg restore keypeg-monday.backup
    keypeg restore keypeg-monday.backup --database postgresql://keypeg@db/keypeg
    """
    import asyncio

    from keypeg import maintenance
    from keypeg.terminal.progress_bars import stages_bar

    with stages_bar() as progress:
        verified = asyncio.run(maintenance.restore(file, _address(database), progress))
    line = f"{_counts(verified)}, restored and verified"
    tell(verified._asdict(), [line], as_json)


@click.command()
@option(
    "--abandoned",
    type=DAYS,
    default=30,
    show_default=True,
    metavar="DAYS",
    help="Remove unfinished tables, public or not, that nobody has played at for this long.",
)
@option(
    "--older-than",
    type=DAYS,
    metavar="DAYS",
    help="Also remove tables that were finished this long ago.  [default: none]",
)
@option(
    "--export",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="First write the series of finished tables into this folder, as text records.",
)
@option(
    "--daily",
    type=DAYS,
    default=90,
    show_default=True,
    metavar="DAYS",
    help="Remove attempts at daily codes that nobody has continued for this long.",
)
@option(
    "--contests",
    type=DAYS,
    default=90,
    show_default=True,
    metavar="DAYS",
    help="Remove contests that nobody has played in for this long; open ones only without an end.",
)
@option(
    "--matches",
    type=DAYS,
    default=90,
    show_default=True,
    metavar="DAYS",
    help="Remove races and duels in which nothing has happened for this long, and no clock runs.",
)
@option(
    "--refused",
    is_flag=True,
    help="Also remove tables and matches whose log was changed without the key.",
)
@option("--dry-run", is_flag=True, help="Only say what would be removed.")
@_database_option
@json_option
def prune(
    abandoned: int,
    older_than: int | None,
    daily: int,
    contests: int,
    matches: int,
    folder: Path | None,
    refused: bool,
    dry_run: bool,
    database: str | None,
    as_json: bool,
) -> int:
    """Remove old tables, attempts at daily codes, contests and matches; the server may run.

    Nothing else removes them, and nothing brings them back. Run it daily, for example with cron or
    a systemd timer. How many players needed how many rows for a daily code is kept.

    A table whose series cannot be exported is kept and named, and the exit status is 1.

    With --refused, every table is checked as in a backup. Together with --dry-run, this lists the
    tables that are refused.

    \b
    keypeg prune --dry-run
    keypeg prune --refused --dry-run
    keypeg prune --abandoned 90 --older-than 365 --export finished
    """
    import asyncio

    from keypeg import maintenance
    from keypeg.terminal.progress_bars import stages_bar

    if folder is not None and older_than is None:
        raise click.UsageError("--export writes finished tables: it needs --older-than")
    address = _address(database)
    with stages_bar() as progress:
        work = maintenance.prune(
            address,
            older_than,
            abandoned,
            folder,
            progress,
            daily=daily,
            contests=contests,
            matches=matches,
            refused=refused,
            only_look=dry_run,
        )
        done = asyncio.run(work)
    said = "would be removed" if dry_run else "removed"
    line = (
        f"{done.finished:,} finished and {done.abandoned:,} abandoned tables {said}, "
        f"{done.exported:,} exported; {counted(done.attempts, 'daily attempt')}, "
        f"{counted(done.contests, 'contest')} and "
        f"{counted(done.matches, 'match', 'matches')} {said}"
    )
    lines = [line, *(f"{said}: {reason}" for reason in done.refused)]
    tell({**done._asdict(), "dry_run": dry_run}, lines, as_json)
    for reason in done.not_exported:
        refuse(reason, REFUSED)
    return REFUSED if done.not_exported else 0

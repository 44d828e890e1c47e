"""`certificate`: proofs that others can check; `prove --certificate` makes them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from keypeg.commands.exit_status import BadFile
from keypeg.commands.options import WholeNumber, json_option, option, tell
from keypeg.rules.errors import CannotRead, KeypegError, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from keypeg.rules.board import Board
    from keypeg.solver.exact.engine import Engine
    from keypeg.solver.exact.lower_bounds import Bounds
    from keypeg.terminal.results import Checked


class FalseCertificate(KeypegError):
    """A certificate that does not prove what it claims."""


@click.group()
def certificate() -> None:
    """Check proofs that no strategy has a lower total.

    'keypeg prove --certificate FILE' makes them, and 'keypeg bound --certificate FILE'.
    """


@certificate.command("check")
@click.argument("files", nargs=-1, metavar="[FILE]...", type=click.Path(path_type=Path))
@option(
    "--processes",
    type=WholeNumber(1, 64),
    default=2,
    show_default=True,
    help="How many cores to check with.",
)
@json_option
def check_certificates(files: tuple[Path, ...], processes: int, as_json: bool) -> None:
    """Check certificates, claim by claim, without the search that made them.

    By default it checks those that come with keypeg. The checker is one file that needs only Python
    and NumPy, and can also be run alone.

    \b
    keypeg certificate check
    keypeg certificate check 4x7.certificate
    """
    from keypeg.solver.certificates.shipped import shipped
    from keypeg.terminal import results

    checked = []
    for file in files or shipped():
        checked.append(_checked(file, processes))
        if not as_json:
            tell(None, results.certificate_lines(*checked[-1]), as_json)
    if as_json:
        tell([results.certificate_data(*each) for each in checked], (), as_json)


def _checked(file: Path, processes: int) -> Checked:
    from keypeg.solver.certificates.checker import Rejected, check, read_file
    from keypeg.terminal.progress_bars import progress_bar
    from keypeg.terminal.results import Checked

    began = time.perf_counter()
    try:
        found = read_file(file)
    except Rejected as error:
        raise BadFile(f"{file}: {error}") from None
    try:
        with progress_bar(f"{file.name}: claims") as progress:
            check(found, processes, progress)
    except Rejected as error:
        raise FalseCertificate(f"{file}: {error}") from None
    return Checked(file, found, time.perf_counter() - began)


def check_writable(file: Path, board: Board) -> None:
    """Refuse a board or a file for a certificate before the work."""
    from keypeg.solver.certificates.checker import MAGIC, MOST_CODES

    if board.codes > MOST_CODES:
        raise CannotRead(
            f"{board} has {board.codes:,} codes; certificates are for up to {MOST_CODES:,}"
        )
    if not file.parent.is_dir():
        raise CannotRead(f"{file}: there is no folder {file.parent}")
    if not os.access(file.parent, os.W_OK):
        raise CannotRead(f"{file}: the folder {file.parent} cannot be written to")
    if file.exists():
        head = b""
        if file.is_file():
            with file.open("rb") as opened:
                head = opened.read(len(MAGIC))
        if head != MAGIC:
            raise CannotRead(f"{quoted(str(file))} is not a certificate; it is not replaced")


def write_certificate(
    engine: Engine,
    bound: int,
    file: Path,
    cancelled: Callable[[], bool] | None = None,
    bounds: Bounds | None = None,
) -> str | None:
    """Make and write the certificate of a bound; why not, if there is none."""
    from keypeg.files import atomic_file
    from keypeg.solver.certificates.checker import write
    from keypeg.solver.certificates.writer import certify
    from keypeg.solver.exact.engine import TooLarge
    from keypeg.solver.progress import Cancelled
    from keypeg.terminal.progress_bars import progress_bar

    try:
        with progress_bar("certificate: claims") as progress:
            made = certify(engine, bound, progress, cancelled, bounds)
        with atomic_file(file.resolve(), replace=True, mode=0o666) as temporary:
            temporary.write_bytes(write(made))
    except OSError as error:
        return f"{file}: {error.strerror or error}"
    except (Cancelled, TooLarge) as error:
        return str(error)
    return None

"""The library that gives servers and databases a worse disk or another clock, from library.c."""

from __future__ import annotations

import atexit
import functools
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).with_suffix(".c")
SECONDS: Final = 100.0


class Impossible(Exception):
    """This machine cannot do this; the message says why."""


@functools.cache
def compiled() -> str:
    """Its path, for LD_PRELOAD; compiled once, so that all servers load the same."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise Impossible("a C compiler is missing")
    folder = Path(tempfile.mkdtemp(prefix="keypeg-faults-"))
    atexit.register(shutil.rmtree, folder)
    folder.chmod(0o755)  # also for the user that PostgreSQL runs as
    library = str(folder / "faults.so")
    command = [compiler, "-shared", "-fPIC", "-o", library, str(SOURCE), "-ldl"]
    subprocess.run(command, check=True, timeout=SECONDS)
    return library

"""The library that gives servers and databases a worse disk or another clock: library.c."""

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
    """This machine cannot do this, and why."""


@functools.cache
def compiled() -> str:
    """Where it is, to be loaded before all others; made once, so that all servers have the same."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise Impossible("there is no C compiler")
    folder = Path(tempfile.mkdtemp(prefix="keypeg-faults-"))
    atexit.register(shutil.rmtree, folder)
    folder.chmod(0o755)  # also for the user that PostgreSQL runs as
    library = str(folder / "faults.so")
    command = [compiler, "-shared", "-fPIC", "-o", library, str(SOURCE), "-ldl"]
    subprocess.run(command, check=True, timeout=SECONDS)
    return library

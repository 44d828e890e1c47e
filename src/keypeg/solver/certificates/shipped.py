"""The certificates that come with keypeg: those of proven boards that are small enough."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Final

SUFFIX: Final = ".certificate"


def shipped() -> list[Path]:
    """Their files, named after their boards."""
    folder = Path(str(resources.files("keypeg.solver.certificates")))
    return sorted(folder.glob(f"*{SUFFIX}"))

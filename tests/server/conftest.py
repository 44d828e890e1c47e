"""What tests of the server share."""

import subprocess
import sys

import pytest


@pytest.fixture(scope="session", autouse=True)
def compiled_solver() -> None:
    """The solver compiled and cached, so that no worker is a minute late with its first answer."""
    program = "from keypeg.solver.warmup import warm; warm()"
    subprocess.run([sys.executable, "-c", program], check=True)

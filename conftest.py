"""What every test has: a time limit, signals as at a terminal, and an order."""

from __future__ import annotations

import os
import random
import signal

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.timeouts"]

# No result depends on how busy the machine is: neither on the time that an example takes nor on
# how quickly examples are drawn. A failing example is printed so that it can be run again.
settings.register_profile(
    "keypeg", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("keypeg")


def pytest_configure() -> None:
    """Restore SIGINT and SIGHUP, in case they are ignored here.

    A script's shell ignores SIGINT for what it runs in the background, and nohup ignores SIGHUP.
    Every program started by a test would inherit that, and tests interrupt programs and close their
    terminals as a person would.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    hangup = getattr(signal, "SIGHUP", None)  # not on Windows
    if hangup is not None and signal.getsignal(hangup) is signal.SIG_IGN:
        signal.signal(hangup, signal.SIG_DFL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shuffle by the seed KEYPEG_TEST_ORDER: folders, the files in each, the tests in each.

    A folder's tests stay together, so that their fixtures are set up once.
    """
    seed = os.environ.get("KEYPEG_TEST_ORDER")
    if seed:
        items.sort(key=lambda item: _place(seed, item))


def _place(seed: str, item: pytest.Item) -> tuple[float, ...]:
    steps = (str(item.path.parent), item.path.name, item.nodeid)
    return tuple(random.Random(f"{seed} {step}").random() for step in steps)

"""What every test stands on, wherever it lies: a time limit, signals as at a terminal, an order."""

from __future__ import annotations

import os
import random
import signal

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.timeouts"]

# No verdict depends on how busy the machine is: neither on the time that an example takes nor on
# how quickly examples are drawn. What fails is printed so that it can be run again.
settings.register_profile(
    "keypeg", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("keypeg")


def pytest_configure() -> None:
    """Take back SIGINT and SIGHUP, where whoever started the tests had them ignored.

    A script's shell does so with SIGINT for what it runs in the background, and nohup with SIGHUP.
    Every program started by a test would inherit that; tests that interrupt programs, or close
    their terminal, do what a person at a terminal does.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    hangup = getattr(signal, "SIGHUP", None)  # not on Windows
    if hangup is not None and signal.getsignal(hangup) is signal.SIG_IGN:
        signal.signal(hangup, signal.SIG_DFL)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shuffle by the seed KEYPEG_TEST_ORDER: folders, the files in each, the tests in each.

    A folder's tests stay together, so that what they share is not set up again and again.
    """
    seed = os.environ.get("KEYPEG_TEST_ORDER")
    if seed:
        items.sort(key=lambda item: _place(seed, item))


def _place(seed: str, item: pytest.Item) -> tuple[float, ...]:
    steps = (str(item.path.parent), item.path.name, item.nodeid)
    return tuple(random.Random(f"{seed} {step}").random() for step in steps)

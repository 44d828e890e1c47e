"""What every test stands on, wherever it lies: a time limit, and Ctrl+C as at a terminal."""

from __future__ import annotations

import signal

pytest_plugins = ["tests.timeouts"]


def pytest_configure() -> None:
    """Take SIGINT out of the ignored signals, where whoever started the tests put it there.

    A shell does so for what it runs in the background, and every program started by a test
    would inherit it; tests that interrupt programs do what a person at a terminal does.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)

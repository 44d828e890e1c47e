"""Makes sure that Ctrl+C is not lost in code that ignores exceptions, and is not followed by noise.

An exception cannot leave some functions, such as callbacks of the compiler. Python then drops the
KeyboardInterrupt. And an object whose making was interrupted may fail again when it is freed.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

AGAIN_SECONDS: Final = 0.05


def insist() -> None:
    """From now on, interrupt the program again when a KeyboardInterrupt was dropped."""
    usual = sys.unraisablehook

    def hook(lost: UnraisableHookArgs) -> None:
        if _is_half_made(lost):
            return
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            usual(lost)
            return
        again = threading.Timer(AGAIN_SECONDS, _interrupt)
        again.daemon = True
        again.start()

    sys.unraisablehook = hook


def _is_half_made(lost: UnraisableHookArgs) -> bool:
    """Whether an object of the compiler cannot be freed, as Ctrl+C came while it was being made."""
    module = getattr(lost.object, "__module__", None)
    return issubclass(lost.exc_type, AttributeError) and module == "llvmlite.binding.ffi"


def _interrupt() -> None:
    """Interrupt the main thread, even in a blocking call, which `interrupt_main` does not end."""
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

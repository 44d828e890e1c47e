"""Ports that stay reserved while nobody listens on them, as when a server is started again.

A socket that is bound and does not listen keeps its port: the system gives it to no other socket,
whether that asks for any free port or connects. A server that sets SO_REUSEADDR, as all servers
started here do, may listen beside it.
"""

from __future__ import annotations

import os
import socket
import sys
import weakref


class Port:
    """A port of 127.0.0.1, kept for as long as this object lives."""

    def __init__(self) -> None:
        keeper = socket.socket()
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("127.0.0.1", 0))
        self.number: int = keeper.getsockname()[1]
        if sys.platform == "linux":
            weakref.finalize(self, os.close, keeper.detach())
        else:
            keeper.close()  # elsewhere nobody could listen beside it

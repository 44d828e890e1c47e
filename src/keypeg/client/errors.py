"""What can go wrong between a client and a server, as types."""

from __future__ import annotations

from keypeg.rules.errors import KeypegError


class Refused(KeypegError):
    """The server refused a request; `code` says why, in a word for programs."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ConnectionLost(KeypegError):
    """The server closed the connection for good, or could not be reached for too long."""


class Unreachable(ConnectionLost):
    """The server did not answer a request; its cause is the error of the network."""

"""What can go wrong, as types. Each message says what was wrong, where, and what would be right."""


class KeypegError(Exception):
    """Anything keypeg refuses; its message is meant for the person who asked."""


class CannotRead(KeypegError, ValueError):
    """A text or value that is not what it should be: nothing was understood, nothing was done.

    `column` is where in the line it goes wrong, if that is known.
    """

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.column = column


class AgainstTheRules(KeypegError):
    """Understood, but the rules do not allow it."""


class NotYourTurn(AgainstTheRules):
    """Allowed by the rules, but not to this player, or not now."""


def quoted(text: str, most: int = 24) -> str:
    """`text` as it may stand in a message: short, on one line, nothing hidden in it."""
    shown = text if len(text) <= most else text[: most - 1] + "…"
    return "'" + "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in shown) + "'"

"""The types of errors. Each message says what was wrong, where, and what would be right."""


class KeypegError(Exception):
    """The base of all refusals; the message is written for the user."""


class CannotRead(KeypegError, ValueError):
    """A text or value that is not valid, so nothing was done.

    `column` is where the error is in its line, if known.
    """

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.column = column


class AgainstTheRules(KeypegError):
    """A valid request that the rules do not allow."""


class NotYourTurn(AgainstTheRules):
    """Something the rules allow, but not for this player, or not now."""


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """A number of things for a message: `1 table`, `2,000 tables`."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def quoted(text: str, most: int = 24) -> str:
    """`text` in quotes for a message: shortened, on one line, nothing unprintable."""
    shown = text if len(text) <= most else text[: most - 1] + "…"
    return "'" + "".join(c if c.isprintable() else "\ufffd" for c in shown) + "'"

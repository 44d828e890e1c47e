"""A prompt: a command or a code on each line, until one of them, or the end of input, ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from keypeg.rules.errors import CannotRead, KeypegError
from keypeg.terminal.vocabulary import no_such_command

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from keypeg.rules.board import Board


class Listener(Protocol):
    """Whoever does what is typed."""

    @property
    def board(self) -> Board:
        """The board whose codes can be typed."""

    def hear(self, typed: str) -> bool:
        """Do what a line asks for. Returns False to stop."""


def listen(
    listener: Listener,
    commands: Collection[str],
    ask: Callable[[str], str],
    complain: Callable[[KeypegError], None],
) -> None:
    """Pass on line after line; `complain` is called with what is wrong with one."""
    going = True
    while going:
        typed = ""
        try:
            typed = ask("> ")
            going = listener.hear(typed)
        except EOFError:
            return
        except CannotRead as error:
            word = typed.strip().partition(" ")[0].lower()
            unknown = None if word in commands else no_such_command(word, listener.board)
            complain(unknown or error)
        except KeypegError as error:
            complain(error)

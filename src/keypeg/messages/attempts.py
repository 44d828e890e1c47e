"""What daily codes and contests share: tokens of those who play alone, their guesses and rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from keypeg.messages.fields import CommandId, Pegs, Retry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from keypeg.rules.code import Code
    from keypeg.rules.keypegs import KeyPegs


class AskToken(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody who wants to break codes alone, and has no token for that yet."""

    retry: Retry | None = None


class TokenOut(msgspec.Struct, frozen=True, kw_only=True):
    """The token that attempts belong to. Pages get it as a cookie."""

    token: str | None


class AttemptGuess(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A guess. The same id with the same code is answered once."""

    id: CommandId
    code: Pegs


class AttemptRow(msgspec.Struct, frozen=True, kw_only=True):
    """A guess with its answer."""

    code: tuple[int, ...]
    black: int
    white: int


def rows_out(rows: Iterable[tuple[Code, KeyPegs]]) -> tuple[AttemptRow, ...]:
    """Rows as they are sent."""
    return tuple(AttemptRow(code=code, **keys._asdict()) for code, keys in rows)

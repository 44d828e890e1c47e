"""What clients note of a run: each command, when it was sent, and what became of it.

`harness.checker` compares these notes with the log.
"""

from __future__ import annotations

import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.messages import EntryOut, Options, Status, TableOut
    from keypeg.rules.series import Seat


class Outcome(Enum):
    """What a client knows of a command."""

    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(slots=True)
class Op:
    """One command: when it was first sent, in how many copies, and what was answered.

    A refusal is not remembered by the server, so another copy may be carried out after it: a
    command has failed when every copy was refused.
    """

    table: str
    seat: Seat
    id: str
    sent: float
    sent_utc: int
    sent_again_utc: int = 0
    copies: int = 0
    outcome: Outcome = Outcome.UNKNOWN
    answered: float | None = None
    seq: int | None = None
    code: str = ""
    knew: int | None = None
    """The last entry of the table that its sender had heard of."""

    @property
    def answered_utc(self) -> int:
        return self.sent_utc + round(1000 * ((self.answered or self.sent) - self.sent))


@dataclass
class History:
    """All that the clients of one run noted."""

    ops: list[Op] = field(default_factory=list)
    seen: dict[tuple[str, Seat | None, int], list[EntryOut]] = field(default_factory=dict)
    """The entries that each socket received, in order, by table, seat and socket."""
    statuses: list[tuple[str, Status]] = field(default_factory=list)
    """The statuses that were sent, by table."""
    options: list[tuple[tuple[str, Seat | None, int], Options]] = field(default_factory=list)
    """The options that were sent, by table, seat and seq."""
    tables: list[TableOut] = field(default_factory=list)
    """Whole tables as they were sent."""
    resumed_at: dict[tuple[str, Seat | None, int], int] = field(default_factory=dict)
    acknowledged: int = 0
    gone: set[str] = field(default_factory=set)
    """Tables that a server no longer had, or without a seat that was taken."""
    troubles: Counter[str] = field(default_factory=Counter)
    """Reasons for refusals after which a command may be repeated, and how often each came."""
    disturbed: list[tuple[int, int]] = field(default_factory=list)
    """Spans in milliseconds of UTC in which a server may have read late what came in time."""

    @contextmanager
    def disturbance(self) -> Iterator[None]:
        """Note that servers are stopped, or wait for their database, during this block."""
        begun = time.time_ns() // 1_000_000
        try:
            yield
        finally:
            self.disturbed.append((begun, time.time_ns() // 1_000_000))

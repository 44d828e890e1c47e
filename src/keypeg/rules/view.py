"""What one seat may see of a log: the only place where events of the game are redacted.

For each kind of event, the visible version is built from the fields that may be shown. A new kind
is refused until this module says who may see it. What has been shown never changes: the secret
stays hidden in the event that set it, and becomes visible in the event that reveals it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from keypeg.rules.events import (
    Abandoned,
    Answered,
    Challenged,
    Closed,
    Event,
    Guessed,
    LimitAccepted,
    LimitDeclined,
    LimitProposed,
    LimitWithdrawn,
    Resigned,
    Revealed,
    RowExpired,
    SecretSet,
)
from keypeg.rules.series import Seat, Series, play_on

if TYPE_CHECKING:
    from collections.abc import Iterable


def view(start: Series, events: Iterable[Event], seat: Seat | None) -> tuple[Event, ...]:
    """The events as `seat`, or a spectator (None), may see them.

    Replaying them gives the state that this seat sees.
    """
    shown = []
    series = start
    for event in events:
        shown.append(visible(event, is_maker=seat is series.maker))
        series = play_on(series, event)
    return tuple(shown)


def visible(event: Event, *, is_maker: bool) -> Event:
    """One event as the maker of its game may see it, or as everybody else may."""
    match event:
        case SecretSet(opening, seal, expired):
            return SecretSet(opening if is_maker else None, seal, expired)
        case Guessed(code):
            return Guessed(code)
        case Answered(keys, expired):
            return Answered(keys, expired)
        case Challenged(upheld):
            return Challenged(upheld)
        case Revealed(opening):
            return Revealed(opening)
        case LimitProposed(role, seconds):
            return LimitProposed(role, seconds)
        case LimitAccepted(seconds):
            return LimitAccepted(seconds)
        case RowExpired() | Closed() | LimitDeclined() | LimitWithdrawn():
            return event
        case Resigned(role):
            return Resigned(role)
        case Abandoned(role):
            return Abandoned(role)
        case _:
            assert_never(event)

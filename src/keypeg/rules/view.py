"""What one seat may see of a log: the only redaction in the program.

It builds what is shown, kind by kind, rather than striking out what is not; a new kind of
event is refused until somebody decides here who may see it. What was shown once never
changes: the secret stays hidden in the event that set it, and is shown by its reveal.
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
    Resigned,
    Revealed,
    RowExpired,
    SecretSet,
)
from keypeg.rules.series import Seat, Series, play_on

if TYPE_CHECKING:
    from collections.abc import Iterable


def view(start: Series, events: Iterable[Event], seat: Seat | None) -> tuple[Event, ...]:
    """The log as `seat` may see it; None is a spectator. Fold it to get the state they see."""
    shown = []
    series = start
    for event in events:
        shown.append(visible(event, is_maker=seat is series.maker))
        series = play_on(series, event)
    return tuple(shown)


def visible(event: Event, *, is_maker: bool) -> Event:
    """One event as the maker of its game sees it, or as everybody else does."""
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
        case RowExpired() | Closed():
            return event
        case Resigned(role):
            return Resigned(role)
        case Abandoned(role):
            return Abandoned(role)
        case _:
            assert_never(event)

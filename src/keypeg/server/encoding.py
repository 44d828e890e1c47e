"""From what somebody may see of a table to what they are sent. Hides nothing: that was done.

A table as one seat sees it was folded from the entries as that seat sees them, so a secret
that is not in them cannot be in it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from keypeg import messages as out
from keypeg.messages.events import nonce_out
from keypeg.messages.tables import board_out
from keypeg.rules.series import Points, Proposal, Result, Seat
from keypeg.table.options import TableOption, options

if TYPE_CHECKING:
    from keypeg.rules.game import Game, Row
    from keypeg.table.options import TableOptions
    from keypeg.table.state import State
    from keypeg.table.table import Table
    from keypeg.table.view import Seen

_encoder = msgspec.json.Encoder()


def as_text(message: out.ClientOut) -> str:
    """A message as it is sent."""
    return _encoder.encode(message).decode()


class UpdateEncoder:
    """Updates of one entry for its readers: what several of them are sent is encoded once."""

    def __init__(self, now: int, state: State, due: int | None) -> None:
        self._now, self._state = now, state
        self._status = _encoded(status_out(state, due))
        self._entry: tuple[Seen, Any] | None = None

    def text(self, seen: Seen, seat: Seat | None) -> str:
        """The update for `seat`, who sees the entry as `seen`."""
        if self._entry is None or self._entry[0] is not seen:
            self._entry = seen, _encoded(entry_out(seen))
        entry, options = self._entry[1], options_out(self._state, seat)
        return as_text(out.Update(self._now, entry, self._status, options))


def _encoded(part: msgspec.Struct) -> Any:  # Any: it stands for the part in a message
    return msgspec.Raw(_encoder.encode(part))


def entry_out(seen: Seen) -> out.EntryOut:
    """An entry, as somebody saw it."""
    events = tuple(map(out.event_out, seen.events))
    return out.EntryOut(seq=seen.seq, at=seen.at, by=seen.seat, events=events)


def status_out(state: State, due: int | None) -> out.Status:
    """Where a table is; `due` is when its turn ends, as the wall clock stands now."""
    series = state.series
    return out.Status(
        seq=state.seq,
        stage=state.stage,
        number=series.number,
        maker=series.maker,
        phase=None if series.game is None else series.game.phase,
        turn=series.turn if state.ready else None,
        waits_for=state.waits_for,
        points=_points(series.points),
        score_line=_points(series.score_line),
        totals=_points(state.totals),
        challengeable=series.challengeable,
        result=_result(series.result),
        rematch=state.rematch,
        due=due,
        limit=series.terms.turn_seconds,
        next_limit=series.next_limit,
        proposal=_proposal(series.proposal),
    )


def options_out(state: State, seat: Seat | None) -> out.Options:
    """What `seat` may do now, in the order to be shown; nothing for a spectator."""
    return _in_order(options(state, seat))


@cache
def _in_order(open_now: TableOptions) -> out.Options:
    return tuple(option for option in TableOption if option in open_now)


def table_out(table: Table, seat: Seat | None, now: int) -> out.TableOut:
    """A whole table, as `seat` may see it."""
    state = table.shown(seat)
    return state_out(state, seat, now, table.due(state))


def state_out(state: State, seat: Seat | None, now: int, due: int | None) -> out.TableOut:
    """The same from a state that was folded from what `seat` saw."""
    settings, terms = state.settings, state.settings.terms
    return out.TableOut(
        id=state.table_id,
        seat=seat,
        now=now,
        board=board_out(terms.board),
        games_agreed=terms.games,
        key_pegs=terms.key_pegs,
        scoring=terms.scoring,
        turn_seconds=terms.turn_seconds,
        public=settings.public,
        hints_allowed=settings.hints_allowed,
        hints_used=state.hints,
        one=_holder(state, Seat.ONE),
        two=_holder(state, Seat.TWO),
        status=status_out(state, due),
        options=options_out(state, seat),
        games=tuple(_game(maker, game) for maker, game in state.series.makers()),
    )


def turn_out(table: Table, seat: Seat | None, now: int) -> out.TurnOut:
    """Whose turn it is at a table, in short; for everybody the same, except for `seat`."""
    state = table.state
    return out.TurnOut(
        id=table.id,
        seat=seat,
        now=now,
        since=table.seen(None, table.seq).at,
        board=str(state.settings.terms.board),
        games_agreed=state.settings.terms.games,
        one=_holder(state, Seat.ONE),
        two=_holder(state, Seat.TWO),
        status=status_out(state, table.due(state)),
    )


def _holder(state: State, seat: Seat) -> out.SeatHolder:
    sitter = state.sitter(seat)
    name = None if sitter is None else sitter.name
    return out.SeatHolder(taken=state.taken(seat), name=name, level=state.settings.level(seat))


def _game(maker: Seat, game: Game) -> out.GameOut:
    outcome, opening = game.outcome, game.opening
    return out.GameOut(
        id=game.id,
        maker=maker,
        rows=tuple(_row(row) for row in game.rows),
        seal=game.seal,
        secret=None if opening is None else opening.code,
        nonce=None if opening is None else nonce_out(opening),
        revealed=game.revealed,
        ending=None if outcome is None else outcome.ending,
        void=outcome is not None and outcome.void,
    )


def _row(row: Row) -> out.RowOut:
    black, white = (None, None) if row.keys is None else row.keys
    return out.RowOut(row.guess, black, white)


def _points(points: Points) -> out.PointsOut:
    return out.PointsOut(points.one, points.two)


def _proposal(proposal: Proposal | None) -> out.ProposalOut | None:
    return None if proposal is None else out.ProposalOut(proposal.seat, proposal.seconds)


def _result(result: Result | None) -> out.ResultOut | None:
    return None if result is None else out.ResultOut(result.winner, _points(result.points))

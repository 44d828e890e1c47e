"""What one player of a match, or a spectator, may see: the only place where it is redacted.

Nothing is removed from a match: what is shown is built from what may be shown. Before the end
that is: a player's own rows; of others whether they are done or have filled the row that all fill
together, and, if that was agreed on, their key pegs row by row, but never their pegs. In a duel
with key pegs placed by hand, whoever answers a row sees its pegs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from keypeg.rules.events import Answered, Guessed, RowExpired
from keypeg.rules.game import Phase
from keypeg.rules.match.events import ClockCredited, InGame, Task
from keypeg.rules.match.options import options
from keypeg.rules.match.standing import standing
from keypeg.rules.match.state import MatchStage

if TYPE_CHECKING:
    from keypeg.rules.code import Code
    from keypeg.rules.commitment import Opening
    from keypeg.rules.game import Row
    from keypeg.rules.keypegs import KeyPegs
    from keypeg.rules.match.events import MatchEvent
    from keypeg.rules.match.options import MatchOptions
    from keypeg.rules.match.standing import Place
    from keypeg.rules.match.state import Match, Objection, Player
    from keypeg.rules.match.terms import MatchTerms


@dataclass(frozen=True, slots=True)
class RowView:
    """A row as it is seen: its pegs and key pegs, each None if they are hidden or not there."""

    code: Code | None
    keys: KeyPegs | None
    expired: bool


@dataclass(frozen=True, slots=True)
class ToAnswer:
    """A row that the reader is to answer by hand, and until when."""

    row: int
    code: Code
    due: int | None


@dataclass(frozen=True, slots=True)
class PlayerView:
    """A player as they are seen."""

    number: int
    game: str | None
    """The id that is sealed with the code of this player alone, in a duel."""
    seal: str | None
    done: bool
    filled: bool
    gave_up: bool
    due: int | None
    rows: tuple[RowView, ...] | None
    """None where not even their number is to be known."""
    ending: str | None
    place: Place | None
    to_answer: ToAnswer | None


@dataclass(frozen=True, slots=True)
class CodeView:
    """A code that was revealed, and who broke or should have broken it; 0 is everybody."""

    player: int
    opening: Opening


@dataclass(frozen=True, slots=True)
class MatchView:
    """A match as it is seen by one player; `you` is None for a spectator."""

    id: str
    terms: MatchTerms
    you: int | None
    stage: MatchStage
    begun: int | None
    row: int | None
    """The row that everybody fills together."""
    options: MatchOptions
    game: str | None
    """The id that is sealed with the code of a race."""
    seal: str | None
    players: tuple[PlayerView, ...]
    secret: Code | None
    """The code that the reader set for the other player of a duel."""
    codes: tuple[CodeView, ...] | None
    objections: tuple[Objection, ...]
    next: str | None


def view(match: Match, reader: int | None) -> MatchView:
    """The match as the player with this number sees it; None is a spectator."""
    reader = reader if match.has(reader) else None
    over = match.stage is MatchStage.OVER
    places = {place.player: place for place in standing(match)} if over else {}
    return MatchView(
        id=match.id,
        terms=match.terms,
        you=reader,
        stage=match.stage,
        begun=match.begun,
        row=match.row if match.together and match.begun is not None else None,
        options=options(match, reader),
        game=None if match.blank is None else match.blank.id,
        seal=None if match.blank is None else match.blank.seal,
        players=tuple(
            _player(match, player, reader, places.get(player.number)) for player in match.players
        ),
        secret=_secret(match, reader),
        codes=_codes(match) if over else None,
        objections=match.objections,
        next=match.next,
    )


def _player(match: Match, player: Player, reader: int | None, place: Place | None) -> PlayerView:
    own, over, duel = player.number == reader, place is not None, match.blank is None
    open_ = own or over or match.terms.keys_shown
    return PlayerView(
        number=player.number,
        game=player.game.id if duel else None,
        seal=player.game.seal if duel else None,
        done=player.done,
        filled=match.stage is MatchStage.PLAYING and not player.done and match.filled(player),
        gave_up=open_ and player.gave_up,
        due=_due(match, player, Task.ROW, Task.SECRET, Task.CLOSE)
        if open_ or not match.terms.discreet
        else None,
        rows=_rows(match, player, reader, over=over) if open_ else None,
        ending=_ending(match, player, over=over) if open_ else None,
        place=place,
        to_answer=_to_answer(match, player, reader),
    )


def _rows(match: Match, player: Player, reader: int | None, *, over: bool) -> tuple[RowView, ...]:
    answered_by_reader = match.terms.by_hand and reader not in (None, player.number)
    pegs = over or player.number == reader or answered_by_reader
    return tuple(_row(row, pegs=pegs) for row in player.game.rows)


def _row(row: Row, *, pegs: bool) -> RowView:
    return RowView(row.guess if pegs else None, row.keys, row.guess is None)


def _due(match: Match, player: Player, *tasks: Task) -> int | None:
    """When the player's time for one of these ends."""
    mine = (clock for clock in match.clocks if clock.turn.player == player.number)
    return next((clock.due for clock in mine if clock.turn.task in tasks), None)


def _to_answer(match: Match, player: Player, reader: int | None) -> ToAnswer | None:
    """The row of this player that the reader is to answer."""
    game = player.game
    answers = match.terms.by_hand and reader not in (None, player.number)
    if not answers or game.phase is not Phase.ANSWER or reader is None:
        return None
    guess = game.rows[-1].guess
    assert guess is not None  # noqa: S101 - an empty row needs no answer
    return ToAnswer(len(game.rows), guess, _due(match, match.player(reader), Task.ANSWER))


def _ending(match: Match, player: Player, *, over: bool) -> str | None:
    """How it ended for a player: `wrong-information` for whoever lost by that."""
    if over and match.liar is not None and match.liar.number == player.number:
        return "wrong-information"
    if not player.done:
        return None
    if player.broken:
        return "broken"
    return "gave-up" if player.gave_up else "unbroken"


def _secret(match: Match, reader: int | None) -> Code | None:
    if match.blank is not None or reader is None or len(match.players) != match.terms.places:
        return None
    opening = match.opponent(reader).game.opening
    return None if opening is None else opening.code


def _codes(match: Match) -> tuple[CodeView, ...]:
    if match.blank is not None:
        opening = match.players[0].game.opening
        return () if opening is None else (CodeView(0, opening),)
    return tuple(
        CodeView(player.number, player.game.opening)
        for player in match.players
        if player.game.opening is not None
    )


def is_seen(
    before: Match, after: Match, events: tuple[MatchEvent, ...], reader: int | None
) -> bool:
    """Whether these events may have changed what a reader sees.

    Where not even the number of others' rows is to be known, most of theirs change nothing; nobody
    may notice by a count of updates that there were any.
    """
    if not after.terms.discreet or before.stage is not after.stage:
        return True
    done = [player.done for player in before.players] != [p.done for p in after.players]
    return done or not all(_is_private(event, reader) for event in events)


def _is_private(event: MatchEvent, reader: int | None) -> bool:
    """Whether an event of a discreet match is another player's affair."""
    if isinstance(event, ClockCredited):
        return event.player != reader
    if not isinstance(event, InGame) or event.player == reader:
        return False
    return isinstance(event.event, Guessed | Answered | RowExpired)

"""The races and duels at servers that were joined from here and are not over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from keypeg.client import Client, Refused
from keypeg.rules.errors import KeypegError
from keypeg.rules.match.options import MatchOption
from keypeg.rules.match.state import MatchStage
from keypeg.terminal.match_narration import called, listed, others
from keypeg.terminal.my_tables import MOST_ASKED
from keypeg.terminal.remote import read_server

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from keypeg.messages import MatchOut
    from keypeg.terminal.saved_daily import SavedDaily
    from keypeg.terminal.saved_matches import SavedMatch, SavedMatches

GONE: Final = "no-such-match"
_MOVES: Final = frozenset(
    (MatchOption.SECRET, MatchOption.GUESS, MatchOption.ANSWER, MatchOption.CLOSE)
)


class MyMatch(NamedTuple):
    """A match with a place of ours, and what its server said, or why it said nothing."""

    link: str
    kind: str
    view: MatchOut | None
    error: str | None = None

    @property
    def is_mine(self) -> bool:
        """Whether the match waits for us."""
        return self.view is not None and not _MOVES.isdisjoint(self.view.options)


async def my_matches(
    saved: SavedMatches, tokens: SavedDaily, server: str | None = None
) -> list[MyMatch]:
    """The matches that are not over, those first that wait for us.

    Those that are over, or that a server no longer has, are removed from the file.
    """
    url = None if server is None else read_server(server)
    wanted = [one for one in saved.at_servers() if url in (None, one.address)][:MOST_ASKED]
    found, away = [], dict[str, str]()
    for one in wanted:
        match = await _look(one, saved, tokens, away)
        found += [] if match is None else [match]
    return sorted(found, key=lambda one: not one.is_mine)


async def _look(
    saved: SavedMatch, matches: SavedMatches, tokens: SavedDaily, away: dict[str, str]
) -> MyMatch | None:
    """One match; `away` has the servers that could not be reached, which are asked only once."""
    link = f"{saved.address}/match/{saved.match}"
    if saved.address in away:
        return MyMatch(link, saved.kind, None, away[saved.address])
    try:
        async with Client(saved.address) as client:
            view = await client.match(saved.match, tokens.token(saved.address)).look()
    except Refused as refused:
        if refused.code == GONE:
            matches.drop(saved)
            return None
        return MyMatch(link, saved.kind, None, str(refused))
    except KeypegError as error:
        away[saved.address] = str(error)
        return MyMatch(link, saved.kind, None, str(error))
    if view.you is None or view.stage in (MatchStage.OVER, MatchStage.CANCELLED):
        matches.drop(saved)
        return None
    return MyMatch(link, saved.kind, view)


def as_lines(matches: Sequence[MyMatch]) -> Iterator[str]:
    """Each match in two lines: its link, and whether it waits for us."""
    for match in matches:
        yield match.link
        yield f"  {match.error}" if match.view is None else f"  {_told(match, match.view)}"


def _told(match: MyMatch, view: MatchOut) -> str:
    against = listed([called(view, one.number) for one in others(view)]) or "nobody yet"
    return f"{_whose(match, view)}: a {match.kind} on {view.board.name}, against {against}"


def _whose(match: MyMatch, view: MatchOut) -> str:
    if match.is_mine:
        return "your turn"
    if view.stage is MatchStage.WAITING:
        return f"waiting, {len(view.players)} of {view.places} are here"
    return "the others play"


def as_data(matches: Sequence[MyMatch]) -> list[dict[str, Any]]:
    """The same for a program, in the form of tables."""
    return [_data(match, match.view) for match in matches]


def _data(match: MyMatch, view: MatchOut | None) -> dict[str, Any]:
    nothing = dict.fromkeys(("seat", "games", "game", "one", "two", "since"))
    return {
        **nothing,
        "link": match.link,
        "kind": match.kind,
        "board": view and view.board.name,
        "stage": view and view.stage.value,
        "mine": match.is_mine,
        "error": match.error,
    }

"""The HTTP interface of races and duels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, RawBody

from keypeg.matches import commands as asked
from keypeg.matches.errors import NoPlace
from keypeg.messages import (
    AnotherMatch,
    AskMatchTicket,
    AskToken,
    JoinMatch,
    MatchAnswer,
    MatchCommand,
    MatchOut,
    NewMatch,
    TicketOut,
    TokenOut,
    read_body,
)
from keypeg.messages.matches import match_command_in, match_out, match_terms
from keypeg.server.asgi import waited
from keypeg.server.holders import (
    AnyRequest,
    charged,
    client_of,
    give_token,
    holder_needed,
    holder_of,
    may_begin,
)
from keypeg.server.security import MATCH_COOKIE, TICKET_SECONDS
from keypeg.server.services import Services
from keypeg.table.names import read_name

if TYPE_CHECKING:
    from keypeg.matches.live_match import LiveMatch

Parts = NamedDependency[Services]
_MATCH: Final = "/{match:str}"


class MatchApi(Controller):
    """Races and duels: everybody breaks at the same time."""

    path = "/api/matches"
    tags = ("matches",)

    @post("/tokens", opt={"reads": AskToken, "problems": (422,)})
    async def token(
        self, request: AnyRequest, services: Parts, body: RawBody
    ) -> Response[TokenOut]:
        """A token to open and join matches with; a page that has one keeps it."""
        return give_token(request, services, body, MATCH_COOKIE, "/api/matches")

    @post("/", opt={"reads": NewMatch, "problems": (401, 409, 422, 503)})
    async def open(self, request: AnyRequest, services: Parts, body: RawBody) -> MatchOut:
        """Open a race or a duel; you are player 1."""
        wanted = read_body(body, NewMatch)
        holder, begin = holder_needed(request, MATCH_COOKIE), may_begin(request, services)
        with charged(request, services):
            match = await services.matches.open(wanted.id, _open(wanted, holder), begin)
        if wanted.computers:
            services.opponents.start()
        return _sent(request, match)

    @get(_MATCH, opt={"problems": (401, 404, 503)})
    async def look(self, request: AnyRequest, services: Parts, match: FromPath[str]) -> MatchOut:
        """A match as you see it."""
        found = await services.matches.get(match)
        # What it costs must not depend on rows that may not be noticed.
        reader = found.state.number_of(holder_of(request, MATCH_COOKIE))
        await services.reading.spend(client_of(request), found.state.seq_for(reader))
        return _sent(request, found)

    @post(
        f"{_MATCH}/players",
        status_code=200,
        opt={"reads": JoinMatch, "problems": (401, 404, 409, 422, 503)},
    )
    async def join(
        self, request: AnyRequest, services: Parts, match: FromPath[str], body: RawBody
    ) -> MatchOut:
        """Join a match before it begins, or take another name in it."""
        wanted = read_body(body, JoinMatch)
        holder = holder_needed(request, MATCH_COOKIE)
        found = await services.matches.get(match)
        with charged(request, services):
            await found.join(holder, _name(wanted.name))
        return _sent(request, found)

    @post(
        f"{_MATCH}/commands",
        status_code=200,
        opt={"reads": MatchCommand, "problems": (401, 404, 409, 422, 503)},
    )
    async def command(
        self, request: AnyRequest, services: Parts, match: FromPath[str], body: RawBody
    ) -> MatchAnswer:
        """Do something; the answer comes when it is on disk. The same id is carried out once."""
        matches = services.matches
        received = matches.clock.now() - waited(request.scope)
        wanted: MatchCommand = read_body(body, MatchCommand)  # type: ignore[arg-type]
        holder = holder_needed(request, MATCH_COOKIE)
        found = await matches.get(match)
        player = found.state.known_as(holder)
        if player is None:
            raise NoPlace("only the players of this match can do this; join it first")
        with charged(request, services):
            if isinstance(wanted, AnotherMatch):
                begin = may_begin(request, services)
                seq = await matches.another(found, player, wanted.id, received, begin)
            else:
                seq = await found.handle(player, wanted.id, match_command_in(wanted), received)
        return MatchAnswer(seq=seq, match=_sent(request, found))

    @post(
        f"{_MATCH}/tickets",
        opt={"reads": AskMatchTicket, "problems": (401, 404, 422, 503)},
    )
    async def ticket(
        self, request: AnyRequest, services: Parts, match: FromPath[str], body: RawBody
    ) -> TicketOut:
        """A ticket for one socket, on which the match is sent whenever it changes."""
        read_body(body, AskMatchTicket)
        found = await services.matches.get(match)
        player = found.state.number_of(holder_of(request, MATCH_COOKIE))
        ticket = services.tickets.issue_for_match(found.id, player, client_of(request))
        return TicketOut(ticket=ticket, seconds=int(TICKET_SECONDS))


def _sent(request: AnyRequest, match: LiveMatch) -> MatchOut:
    """A match as whoever asks sees it. Asking counts as being there."""
    match.visit(client_of(request))
    return match_out(match.seen(match.state.number_of(holder_of(request, MATCH_COOKIE))))


def _open(wanted: NewMatch, holder: str) -> asked.Open:
    return asked.Open(match_terms(wanted), holder, _name(wanted.name), wanted.computers)


def _name(name: str | None) -> str | None:
    return None if name is None else read_name(name)

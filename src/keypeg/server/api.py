"""The HTTP interface: one short handler for each thing that can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from litestar import Controller, MediaType, Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter, RawBody
from msgspec import UNSET

from keypeg import __version__
from keypeg.messages import (
    Ack,
    AskHint,
    AskTicket,
    Choices,
    CommandIn,
    HealthOut,
    HintOut,
    ListedTable,
    NewTable,
    Question,
    RepairOut,
    Review,
    ReviewedRow,
    Seated,
    TableOut,
    TakeSeat,
    TicketOut,
    TurnOut,
    command_in,
    read_body,
)
from keypeg.messages.tables import board_out
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import check_code
from keypeg.rules.errors import AgainstTheRules, CannotRead
from keypeg.rules.keypegs import KeyPegs, check_key_pegs
from keypeg.rules.series import Seat
from keypeg.rules.terms import Terms
from keypeg.server.asgi import client_address, waited, while_connected
from keypeg.server.budget import network_of
from keypeg.server.encoding import table_out, turn_out
from keypeg.server.problems import Degraded, Outdated
from keypeg.server.security import (
    TICKET_SECONDS,
    Credentials,
    read_credentials,
    seat_cookie,
)
from keypeg.server.services import Services, seat_needed, seat_shown
from keypeg.server.solver_worker import Asker, Busy
from keypeg.store.events import Computer, Grade, Holder, Person, Settings
from keypeg.store.log import Stage
from keypeg.table.commands import Open, UseHint
from keypeg.table.commands import TakeSeat as SitDown
from keypeg.table.errors import Conflict, Stale
from keypeg.table.names import read_name
from keypeg.table.tokens import hashed

if TYPE_CHECKING:
    from keypeg.rules.game import Game
    from keypeg.server.solver_worker import Rows
    from keypeg.table.table import Table

Parts = NamedDependency[Services]
AnyRequest = Request[Any, Any, Any]
Choice = Annotated[
    Seat | None,
    QueryParameter(description="The seat to act for, when more than one is held."),
]
Number = Annotated[int | None, QueryParameter(ge=1, le=10_000)]

AT_ONCE: Final = 3
"""Questions of one network address: there may be several people behind it."""


class TablesApi(Controller):
    """Tables: open, find, look at, sit down, play."""

    path = "/api/tables"
    tags = ("tables",)

    @post("/", opt={"reads": NewTable, "problems": (409, 422, 503)})
    async def open_table(
        self, request: AnyRequest, services: Parts, body: RawBody
    ) -> Response[Seated]:
        """Open a table, and sit down at it if a seat is named."""
        wanted = read_body(body, NewTable)
        if not await services.may_open(_client(request)):
            raise Busy("too many new tables; wait a little")
        grant = services.grant(wanted.retry)
        table = await services.tables.open(_opening(wanted, grant.token), grant.table)
        table.account = _client(request)
        services.quota.charge(table.account)
        if wanted.opponent is not None:
            services.opponents.start()
        return _seated(request, services, table.id, wanted.seat, grant.token)

    @get("/")
    async def list_tables(
        self, services: Parts, stage: FromQuery[Stage | None] = None
    ) -> list[ListedTable]:
        """The public tables, the latest changed first."""
        found = await services.tables.log.listed(stage)
        return [ListedTable(id=one.table_id, stage=one.stage, changed=one.changed) for one in found]

    @get("/{table_id:str}", opt={"problems": (401, 404, 429)})
    async def read_table(
        self, request: AnyRequest, services: Parts, table_id: FromPath[str], seat: Choice = None
    ) -> TableOut:
        """A table as your seat sees it, or as a spectator does."""
        table = await services.table(table_id)
        viewer = seat_shown(table, _credentials(request), seat)
        services.visit(table, viewer, _client(request))
        await services.reading.spend(_client(request), table.seq)
        await table.prepare(viewer)
        return table_out(table, viewer, services.tables.clock.utc())

    @get("/{table_id:str}/turn", opt={"problems": (401, 404, 429)})
    async def read_turn(
        self, request: AnyRequest, services: Parts, table_id: FromPath[str], seat: Choice = None
    ) -> TurnOut:
        """Whose turn it is, and since when. Whoever asks this does not count as being there."""
        table = await services.table(table_id)
        viewer = seat_shown(table, _credentials(request), seat)
        await services.reading.spend(_client(request), table.seq)
        return turn_out(table, viewer, services.tables.clock.utc())

    @post("/{table_id:str}/seats", opt={"reads": TakeSeat, "problems": (404, 409, 422, 503)})
    async def take_seat(
        self, request: AnyRequest, services: Parts, table_id: FromPath[str], body: RawBody
    ) -> Response[Seated]:
        """Take a free seat. Its token is sent once, and again to a repeat with the same `retry`."""
        wanted = read_body(body, TakeSeat)
        table = await services.table(table_id)
        grant = services.grant(wanted.retry)
        command = SitDown(read_name(wanted.name), hashed(grant.token))
        await table.handle(wanted.seat, grant.command, command, services.tables.clock.now())
        return _seated(request, services, table.id, wanted.seat, grant.token)

    @post("/{table_id:str}/tickets", opt={"reads": AskTicket, "problems": (401, 404, 422)})
    async def issue_ticket(
        self, request: AnyRequest, services: Parts, table_id: FromPath[str], body: RawBody
    ) -> TicketOut:
        """A ticket for one socket, good once and for half a minute."""
        wanted = read_body(body, AskTicket)
        table = await services.table(table_id)
        seat = seat_shown(table, _credentials(request), wanted.seat)
        ticket = services.tickets.issue(table.id, seat, _client(request))
        return TicketOut(ticket=ticket, seconds=int(TICKET_SECONDS))

    @post(
        "/{table_id:str}/commands",
        status_code=200,
        opt={"reads": CommandIn, "problems": (401, 404, 409, 422)},
    )
    async def command(
        self,
        request: AnyRequest,
        services: Parts,
        table_id: FromPath[str],
        body: RawBody,
        seat: Choice = None,
    ) -> Ack:
        """Do something at the table; the answer comes when it is on disk."""
        received = services.tables.clock.now() - waited(request.scope)
        message: CommandIn = read_body(body, CommandIn)  # type: ignore[arg-type]
        table = await services.table(table_id)
        actor = seat_needed(table, _credentials(request), seat)
        services.visit(table, actor, _client(request))
        expected = None if message.seq is UNSET else message.seq
        try:
            command = command_in(message)
            asked = (table, actor, message.id, command, received, expected)
            reply = await services.ask(*asked, client=_client(request))
        except Conflict as error:
            raise await _outdated(request, services, table, actor, error) from None
        return Ack(message.id, reply.seq)

    @post(
        "/{table_id:str}/hints",
        status_code=200,
        opt={"reads": AskHint, "problems": (401, 403, 404, 409, 422, 503)},
    )
    async def hint(
        self,
        request: AnyRequest,
        services: Parts,
        table_id: FromPath[str],
        body: RawBody,
        seat: Choice = None,
    ) -> HintOut:
        """A hint for the breaker, on the breaker's turn. It is recorded before it is sent."""
        received = services.tables.clock.now() - waited(request.scope)
        wanted = read_body(body, AskHint)
        table = await services.table(table_id)
        actor = seat_needed(table, _credentials(request), seat)
        services.visit(table, actor, _client(request))
        grade = wanted.grade or Grade.BEST
        services.quota.check(_client(request))
        table.check(actor, wanted.id, UseHint(grade))
        game = table.state.series.game
        assert game is not None  # noqa: S101 - or it would be nobody's turn
        asker = Asker(f"{table.id} {actor.value}", address=_client(request))
        found = await _hint(request, services, asker, game.board, game.answered)
        try:
            await _charge(table, actor, wanted.id, grade, game, received)
            services.quota.charge(_client(request))
        except Conflict as error:
            raise await _outdated(request, services, table, actor, error) from None
        return found if grade is Grade.BEST else _count_alone(found, grade)

    @get("/{table_id:str}/review", opt={"problems": (404, 409, 503)})
    async def review(
        self, request: AnyRequest, services: Parts, table_id: FromPath[str], game: Number = None
    ) -> Review:
        """What each row of a finished game was worth; by default, of the last one."""
        table = await services.table(table_id)
        finished = [one for one in table.state.series.games if one.outcome is not None]
        if not finished:
            raise AgainstTheRules("no game is finished yet, and only such a one is reviewed")
        number = game or len(finished)
        if not 1 <= number <= len(finished):
            raise AgainstTheRules(
                f"game {number} is not finished; the last that is: {len(finished)}"
            )
        chosen = finished[number - 1]
        return await _review(request, services, chosen.board, chosen.answered)

    @get(
        "/{table_id:str}/record",
        media_type=MediaType.TEXT,
        opt={"problems": (404, 409)},
    )
    async def record(
        self, request: AnyRequest, services: Parts, table_id: FromPath[str], series: Number = None
    ) -> str:
        """The text record of a finished series; by default, of the last one."""
        table = await services.table(table_id)
        last = len(table.state.finished) + 1
        if (series or last) == last and not table.state.series.over:
            raise AgainstTheRules("this series is not finished; its record comes at the end")
        if (series or last) > last:
            raise AgainstTheRules(f"this table has series 1 to {last}, no series {series}")
        await services.reading.spend(_client(request), table.seq)
        return await services.records.of(table, series or last)


class ThinkingApi(Controller):
    """The assistant: questions about a board and the rows on it, with no table behind them."""

    path = "/api"
    tags = ("thinking",)

    @get("/choices")
    async def choices(self, services: Parts) -> Choices:
        """The official boards, and the levels at which the computer plays."""
        boards = tuple(board_out(board) for board in PRESETS.values())
        return Choices(boards=boards, levels=services.tables.player.levels)

    @post("/hints", status_code=200, opt={"reads": Question, "problems": (409, 422, 503)})
    async def ask_hint(self, request: AnyRequest, services: Parts, body: RawBody) -> HintOut:
        """How many codes fit, and the best guess with its reason; or which rows are wrong."""
        board, rows = _question(read_body(body, Question))
        return await _hint(request, services, _address(request), board, rows)

    @post("/reviews", status_code=200, opt={"reads": Question, "problems": (409, 422, 503)})
    async def ask_review(self, request: AnyRequest, services: Parts, body: RawBody) -> Review:
        """What each row was worth, up to where no code fits: an answer there must be wrong."""
        board, rows = _question(read_body(body, Question))
        return await _review(request, services, board, rows)


@get("/healthz", tags=["operation"], opt={"problems": (503,)})
async def health(services: Parts) -> HealthOut:
    """Whether the server answers, its database can be read, and the last write succeeded."""
    services.log.look()
    await services.log.last_heartbeat()
    if services.log.trouble is not None:
        raise Degraded(f"tables can be looked at, but nothing is written: {services.log.trouble}")
    return HealthOut("ok", __version__)


@get("/metrics", media_type="text/plain; version=0.0.4", tags=["operation"])
async def metrics(services: Parts) -> bytes:
    """Figures for Prometheus."""
    return services.metrics.text()


def _client(request: AnyRequest) -> str:
    """Whoever asks, as far as limits go."""
    return network_of(client_address(cast("dict[str, Any]", request.scope)))


def _address(request: AnyRequest) -> Asker:
    return Asker(_client(request), AT_ONCE, _client(request))


def _credentials(request: AnyRequest) -> Credentials:
    return read_credentials(request.headers, request.cookies)


def _opening(wanted: NewTable, token: str) -> Open:
    board = Board.parse(wanted.board)
    terms = Terms(board, wanted.games, wanted.key_pegs, wanted.scoring, wanted.turn_seconds)
    holders: dict[Seat, Holder] = dict.fromkeys(Seat, Person())
    if wanted.opponent is not None:
        if wanted.seat is None:
            raise CannotRead("against the computer, say which seat is yours")
        holders[wanted.seat.other] = Computer(wanted.opponent)
    settings = Settings(
        terms,
        holders[Seat.ONE],
        holders[Seat.TWO],
        wanted.first_maker,
        wanted.public,
        wanted.hints,
    )
    return Open(settings, wanted.seat, read_name(wanted.name), hashed(token))


def _seated(
    request: AnyRequest, services: Services, table_id: str, seat: Seat | None, token: str
) -> Response[Seated]:
    """A page gets the token as a cookie that its scripts cannot read, a program as text."""
    if seat is None:
        return Response(Seated(table=table_id, seat=None, token=None))
    if "origin" not in request.headers:
        return Response(Seated(table=table_id, seat=seat, token=token))
    headers = {"Set-Cookie": seat_cookie(table_id, seat, token, secure=services.settings.https)}
    return Response(Seated(table=table_id, seat=seat, token=None), headers=headers)


def _question(question: Question) -> tuple[Board, Rows]:
    board = Board.parse(question.board)
    rows = []
    for row in question.rows:
        check_code(row.code, board)
        keys = KeyPegs(row.black, row.white)
        check_key_pegs(keys, board)
        rows.append((row.code, keys))
    return board, tuple(rows)


async def _charge(
    table: Table, seat: Seat, hint_id: str, grade: Grade, game: Game, received: float
) -> None:
    """Write down a hint for `game` as it is; the same hint again is not charged again."""
    while table.state.series.game == game:
        try:
            reply = await table.handle(seat, hint_id, UseHint(grade), received, expected=table.seq)
        except Stale:
            continue
        if table.moved_since(reply.seq):
            raise AgainstTheRules("this hint was for an earlier row; ask again with a new id")
        return
    raise Stale("the game has moved on while the hint was computed; ask again", table.seq)


async def _outdated(
    request: AnyRequest, services: Services, table: Table, seat: Seat, error: Conflict
) -> Outdated:
    """The refusal, with the table as it is."""
    await services.reading.spend(_client(request), table.seq)
    await table.prepare(seat)
    return Outdated(error, table_out(table, seat, services.tables.clock.utc()))


async def _hint(
    request: AnyRequest, services: Services, asker: Asker, board: Board, rows: Rows
) -> HintOut:
    with services.metrics.thinking.labels("hint").time():
        asking = services.advice.hint(asker, board, rows)
        found = await while_connected(request.receive, asking)
    repairs = tuple(RepairOut(*repair) for repair in found.repairs)
    return HintOut(**{**found._asdict(), "repairs": repairs}, grade=Grade.BEST)


def _count_alone(found: HintOut, grade: Grade) -> HintOut:
    """A hint of less than the best: whatever the log says was given, it was no more than that."""
    return HintOut(grade=grade, codes_left=found.codes_left, exact=found.exact)


async def _review(request: AnyRequest, services: Services, board: Board, rows: Rows) -> Review:
    with services.metrics.thinking.labels("review").time():
        asking = services.advice.review(_address(request), board, rows)
        found = await while_connected(request.receive, asking)
    reviewed = tuple(ReviewedRow(**row._asdict()) for row in found.rows)
    return Review(**{**found._asdict(), "rows": reviewed})

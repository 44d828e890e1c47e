"""Wiring only: a server's parts put together."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from litestar import Litestar, Request, Response
from litestar.di import Provide
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi import OpenAPIConfig

from keypeg import __version__
from keypeg.contests.game import Contests
from keypeg.daily.game import Daily
from keypeg.draw import new_id
from keypeg.matches.matches import Matches
from keypeg.messages import Problem
from keypeg.rules.errors import KeypegError
from keypeg.server.api import TablesApi, ThinkingApi, health, metrics
from keypeg.server.asgi import Disconnected
from keypeg.server.bus import MATCHES, Bus
from keypeg.server.contest_api import ContestApi
from keypeg.server.daily_api import DailyApi
from keypeg.server.documentation import Document
from keypeg.server.door import Door
from keypeg.server.guard import Guard
from keypeg.server.live import Live
from keypeg.server.match_api import MatchApi
from keypeg.server.opponent import Opponent
from keypeg.server.pages import page_routes
from keypeg.server.problems import Outdated, kind_of
from keypeg.server.rates import PURPOSE as RATES
from keypeg.server.rates import SharedRates
from keypeg.server.security import Tickets
from keypeg.server.services import Services
from keypeg.server.sharing import NotifyingLog, Sharing
from keypeg.server.solver_answers import SolverAnswers
from keypeg.server.solver_worker import SolverWorker
from keypeg.server.tickets import PURPOSE as TICKETS
from keypeg.server.tickets import SignedTickets
from keypeg.store.paths import default_database
from keypeg.store.sql import SqlLog
from keypeg.table.clock import SystemClock
from keypeg.table.outages import Outages
from keypeg.table.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from keypeg.server.asgi import App
    from keypeg.server.rooms import Room
    from keypeg.server.settings import Settings
    from keypeg.server.solver_worker import Solver

_log = logging.getLogger("keypeg.app")


class Application:
    """One server, without its process: what answers requests, and what must be put away."""

    def __init__(self, services: Services, origins: Iterable[str]) -> None:
        self.services = services
        self.live = Live(services)
        settings, metrics = services.settings, services.metrics
        self.door = Door(settings, services.budget, metrics)
        self.asgi: App = Guard(
            _http(services),
            self.live,
            settings,
            {*origins, *settings.origins},
            metrics,
            services.budget,
            services.rates,
        )
        self.door.arrivals.start()
        self._probe = asyncio.get_running_loop().create_task(services.metrics.probe_lag())

    async def drain(self, seconds: float) -> None:
        """Take no more commands, and answer those under way."""
        await self.live.drain(seconds)

    async def close(self) -> None:
        """Put everything away."""
        self.door.arrivals.stop()
        self._probe.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._probe
        await self.services.close()


async def open_application(
    settings: Settings, origins: Iterable[str], solver: Solver | None = None
) -> Application:
    """A server on its database, its clocks running."""
    services = await open_services(settings, solver or SolverAnswers())
    await services.tables.start()
    await services.contest_computers.start(services.tables.clock.utc())
    public = [settings.public_url] if settings.public_url else []
    application = Application(services, [*origins, *public])
    if services.sharing is not None:
        await services.sharing.start()
    return application


async def open_services(settings: Settings, solver: Solver) -> Services:
    """The parts of a server: one alone, or one of several on its database."""
    log = await SqlLog.open(settings.database or default_database(), alone=True)
    rates = SharedRates(settings.redis, log.derive(RATES)) if settings.redis else None
    bus = Bus(settings.redis) if settings.redis and log.shared else None
    opponents = SolverWorker(solver, settings.thinking_seconds)
    written = log if bus is None else NotifyingLog(log, bus)
    clock = SystemClock()
    outages = Outages(clock)
    notify = None if bus is None else partial(bus.say, MATCHES)
    player = Opponent(opponents)
    idle_bytes = settings.idle_mebibytes * 1024 * 1024
    matches = Matches(
        log,
        clock,
        player,
        outages,
        shared=log.shared,
        notify=notify,
        idle_bytes=idle_bytes,
        computer_seconds=settings.computer_row_seconds,
    )
    tables = Tables(
        written,
        clock,
        player,
        shared=log.shared,
        idle_bytes=idle_bytes,
        companion=matches,
        outages=outages,
    )
    rooms: dict[str, Room] = {}
    tickets: Tickets | SignedTickets = Tickets()
    sharing = None
    if log.shared:
        processes = log.processes(new_id())
        tickets = SignedTickets(log.derive(TICKETS), processes, tables.clock.utc)
        sharing = Sharing(processes, tables, rooms, bus, matches)
    return Services(
        settings=settings,
        log=log,
        tables=tables,
        daily=Daily(log, tables.clock),
        contests=Contests(log, tables.clock),
        matches=matches,
        advice=SolverWorker(solver, settings.thinking_seconds),
        opponents=opponents,
        tickets=tickets,
        rooms=rooms,
        sharing=sharing,
        rates=rates,
    )


def _http(services: Services) -> Any:
    return Litestar(
        [TablesApi, DailyApi, ContestApi, MatchApi, ThinkingApi, health, metrics, *page_routes()],
        dependencies={"services": Provide(lambda: services, sync_to_thread=False)},
        exception_handlers={
            KeypegError: _refused,
            Outdated: _outdated,
            Disconnected: _unheard,
            HTTPException: _misdirected,
            Exception: _failed,
        },
        openapi_config=OpenAPIConfig(
            title="keypeg",
            version=__version__,
            summary="Mastermind, the code-breaking board game",
            description="Bodies are JSON in UTF-8, of at most 16 KiB, and have a Content-Length. A "
            "key is given once, and a whole number is written without a fraction: 10, not 10.0.",
            render_plugins=[Document()],
        ),
        logging_config=None,
    )


def _refused(_request: Request[Any, Any, Any], error: KeypegError) -> Response[Problem]:
    kind = kind_of(error)
    return Response(Problem(code=kind.code, message=str(error)), status_code=kind.status)


def _outdated(_request: Request[Any, Any, Any], error: Outdated) -> Response[Problem]:
    kind = kind_of(error.conflict)
    problem = Problem(code=kind.code, message=str(error), table=error.table)
    return Response(problem, status_code=kind.status)


def _unheard(_request: Request[Any, Any, Any], _error: Disconnected) -> Response[Problem]:
    """The client has disconnected; nobody reads this."""
    return Response(Problem(code="gone", message="the client disconnected"), status_code=408)


def _misdirected(_request: Request[Any, Any, Any], error: HTTPException) -> Response[Problem]:
    """What the framework refuses: an unknown address or method, or a bad parameter."""
    if isinstance(error, ValidationException):
        _forget_causes(error)
        return Response(Problem(code="cannot-read", message=_parameters(error)), status_code=400)
    code, message = _NOT_HERE.get(error.status_code, ("refused", "this cannot be done"))
    problem = Problem(code=code, message=message)
    return Response(problem, status_code=error.status_code, headers=error.headers)


_NOT_HERE = {
    404: ("not-found", "there is nothing at this address; /schema lists what there is"),
    405: ("method", "this method is not allowed here; see /schema"),
}


def _forget_causes(error: ValidationException) -> None:
    """Break the reference cycle between the framework's errors and the frame that lists them."""
    trace = error.__cause__.__traceback__ if error.__cause__ is not None else None
    while trace is not None:
        for value in trace.tb_frame.f_locals.values():
            if isinstance(value, Exception):
                value.__traceback__ = value.__context__ = None
        trace = trace.tb_next


def _parameters(error: ValidationException) -> str:
    extra = error.extra if isinstance(error.extra, list) else []
    return "; ".join(f"{one.get('key')}: {one.get('message')}" for one in extra)[:200]


def _failed(_request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    _log.error("request failed", exc_info=error)
    return Response(Problem(code="failed", message="the server failed; sorry"), status_code=500)

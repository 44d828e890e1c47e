"""What the handlers work with, and who is asking."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final

from keypeg.rules.series import Seat
from keypeg.server.addresses import network_addresses
from keypeg.server.budget import Budget
from keypeg.server.contest_computers import ContestComputers
from keypeg.server.contest_losses import Losses
from keypeg.server.limits import Buckets
from keypeg.server.metrics import Metrics
from keypeg.server.quota import Quota
from keypeg.server.read_budget import ReadBudget
from keypeg.server.record_texts import RecordTexts
from keypeg.server.refusals import Refusals
from keypeg.server.security import (
    Credentials,
    Grant,
    NotAllowed,
    Tickets,
    new_grant,
    repeated_grant,
)
from keypeg.server.visits import Visits
from keypeg.table.commands import ClaimAbsent, Rematch
from keypeg.table.errors import NoSuchTable, TooEarly
from keypeg.table.tokens import hashed

if TYPE_CHECKING:
    from keypeg.contests.game import Contests
    from keypeg.daily.game import Daily
    from keypeg.matches.matches import Matches
    from keypeg.server.match_rooms import MatchRoom
    from keypeg.server.rates import SharedRates
    from keypeg.server.rooms import Room
    from keypeg.server.settings import Settings
    from keypeg.server.sharing import Sharing
    from keypeg.server.solver_worker import SolverWorker
    from keypeg.server.tickets import SignedTickets
    from keypeg.store.sql import SqlLog
    from keypeg.table.commands import Command
    from keypeg.table.handler import Reply
    from keypeg.table.table import Table
    from keypeg.table.tables import Tables

_ID: Final = re.compile(r"[A-Za-z0-9_-]{22}")


class Services:
    """The parts of one server, put together once by `app.open_services`.

    Not a dataclass: Litestar would take one for data to be checked with every request.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        log: SqlLog,
        tables: Tables,
        daily: Daily,
        contests: Contests,
        matches: Matches,
        advice: SolverWorker,
        opponents: SolverWorker,
        tickets: Tickets | SignedTickets,
        rooms: dict[str, Room],
        sharing: Sharing | None,
        rates: SharedRates | None,
    ) -> None:
        self.settings: Final = settings
        self.log: Final = log
        self.tables: Final = tables
        self.daily: Final = daily
        self.contests: Final = contests
        self.matches: Final = matches
        self.match_rooms: Final[dict[str, MatchRoom]] = {}
        """Those who watch matches, by match."""
        self.advice: Final = advice
        self.losses: Final = Losses(contests.store, advice)
        self.contest_computers: Final = ContestComputers(contests, tables.player)
        self.opponents: Final = opponents
        """A worker of its own: whoever asks for much advice cannot make others' opponents wait."""
        self.tickets: Final = tickets
        self.rooms: Final = rooms
        """Those who watch, by table."""
        self.sharing: Final = sharing
        """None where this is the only process."""
        self.rates: Final = rates
        """None without Redis."""
        self.records: Final = RecordTexts()
        self.reading: Final = ReadBudget()
        """How much of long tables each client may still read."""
        self.visits: Final = Visits(tables.clock, rooms)
        """Those who are at a table without a socket."""
        self.network: Final = network_addresses(settings.host)
        """Where others on the network find this server, if it listens on all addresses."""
        self.metrics: Final = Metrics()
        self.budget: Final = Budget(settings, Refusals(self.metrics))
        """What each address may ask for."""
        self.quota: Final = Quota(settings.entries_per_day, self.budget.refusals)
        """What each client may still have written today."""
        self.openings: Final = Buckets(settings.tables_per_minute / 60, settings.tables_at_once)
        """How many tables, daily codes, contests and matches each client may still begin."""

    async def close(self) -> None:
        """Put everything away."""
        if self.sharing is not None:
            await self.sharing.close()
        if self.rates is not None:
            await self.rates.close()
        await self.tables.close()
        await self.matches.close()
        await self.losses.close()
        await self.contest_computers.close()
        await asyncio.gather(self.advice.close(), self.opponents.close())
        await self.log.close()

    def grant(self, retry: str | None) -> Grant:
        """What a request for a seat is given; the same again if it says that it may be repeated."""
        return new_grant() if retry is None else repeated_grant(self.log.derive, retry)

    async def may_open(self, client: str) -> bool:
        """Whether a client may open one more table, or begin something else, now."""
        may = not self.quota.spent(client) and self.openings.of(client).take()
        if may and self.rates is not None:
            settings = self.settings
            rate, burst = settings.tables_per_minute / 60, settings.tables_at_once
            may = not await self.rates.wait("tables", client, rate, burst)
        if not may:
            self.budget.refusals.note("tables", client)
        return may

    async def ask(
        self,
        table: Table,
        seat: Seat,
        id_: str,
        command: Command,
        at: float,
        expected: int | None,
        *,
        client: str,
        shielded: bool = True,
    ) -> Reply:
        """Carry out what a seat asks, knowing who is connected to other processes if it matters.

        `client` is charged for what is written. `shielded` as in `Table.handle`.
        """
        if isinstance(command, ClaimAbsent):
            self._refuse_claim_of_who_is_kept_out(table, seat.other)
            if self.sharing is not None:
                await self.sharing.look([table.id])
        self.quota.check(client, begins=isinstance(command, Rematch))
        before = table.seq
        reply = await table.handle(seat, id_, command, at, expected=expected, shielded=shielded)
        if reply.seq > before:
            self.quota.charge(client, _written(table, before, reply.seq))
        return reply

    def _refuse_claim_of_who_is_kept_out(self, table: Table, seat: Seat) -> None:
        """Refuse a claim while a player may be away because others at the same address flood us."""
        address = table.addresses.get(seat)
        if address is not None and self.budget.refusals.lately(address):
            raise TooEarly(
                "too much comes from your opponent's address, and part of it is refused; claim a "
                "minute after that has ended"
            )

    def heard_from(self, table: Table, seat: Seat | None, client: str) -> None:
        """Note from which address somebody is at a table."""
        table.account = table.account or client
        if seat is not None:
            table.addresses[seat] = client

    def visit(self, table: Table, seat: Seat | None, client: str) -> None:
        """Note that a seat, or a spectator, has asked something about this table."""
        self.heard_from(table, seat, client)
        self.visits.note(table, seat)

    async def table(self, table_id: str) -> Table:
        """The table of this name. Whoever knows the name of an unlisted one may look at it."""
        if not _ID.fullmatch(table_id):
            raise NoSuchTable("there is no such table")
        return await self.tables.get(table_id)


def _written(table: Table, before: int, seq: int) -> int:
    """How many entries are charged with the one at `seq`: also those of the computer before it."""
    if not table.state.settings.with_computer:
        return 1
    since, table.charged_until = table.charged_until or before, seq
    return seq - since


def seat_shown(table: Table, shown: Credentials, wanted: Seat | None) -> Seat | None:
    """The seat that the credentials are valid for: the wanted one, or the first, or None."""
    if shown.bearer is not None:
        held = {table.state.seat_of(hashed(shown.bearer))}
        if held == {None}:
            raise NotAllowed("this token does not belong to a seat at this table")
    else:
        held = {
            seat
            for seat, token in shown.cookies.items()
            if table.state.seat_of(hashed(token)) is seat
        }
    if wanted is not None and wanted not in held:
        raise NotAllowed("this seat is not yours")
    return wanted or next((seat for seat in Seat if seat in held), None)


def seat_needed(table: Table, shown: Credentials, wanted: Seat | None) -> Seat:
    """The same, for what a spectator may not do."""
    seat = seat_shown(table, shown, wanted)
    if seat is None:
        raise NotAllowed("this needs the token of a seat, as a cookie or a bearer token")
    return seat

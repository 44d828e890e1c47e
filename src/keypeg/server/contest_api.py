"""The HTTP interface of contests."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, RawBody

from keypeg.contests.game import Plan
from keypeg.messages import (
    AskToken,
    AttemptGuess,
    ContestAnswer,
    ContestOut,
    ContestResults,
    EnterContest,
    EntrantRows,
    NewContest,
    TokenOut,
    WatchContest,
    read_body,
)
from keypeg.messages.contests import contest_out, entrant_rows, results_out
from keypeg.rules.board import Board
from keypeg.rules.errors import CannotRead
from keypeg.server.holders import (
    AnyRequest,
    charged,
    client_of,
    give_token,
    holder_needed,
    holder_of,
    may_begin,
)
from keypeg.server.security import CONTEST_COOKIE
from keypeg.server.services import Services
from keypeg.solver.levels import level_named
from keypeg.table.names import read_name

if TYPE_CHECKING:
    from keypeg.contests.game import Results

Parts = NamedDependency[Services]
_CONTEST: Final = "/{contest:str}"
_CODE: Final = "/{contest:str}/codes/{number:int}"


class ContestApi(Controller):
    """Contests: codes that many break, each alone and whenever they like."""

    path = "/api/contests"
    tags = ("contests",)

    @post("/tokens", opt={"reads": AskToken, "problems": (422,)})
    async def token(
        self, request: AnyRequest, services: Parts, body: RawBody
    ) -> Response[TokenOut]:
        """A token to make and enter contests with; a page that has one keeps it."""
        return give_token(request, services, body, CONTEST_COOKIE, "/api/contests")

    @post("/", opt={"reads": NewContest, "problems": (401, 409, 422, 503)})
    async def create(self, request: AnyRequest, services: Parts, body: RawBody) -> ContestOut:
        """Make a contest, with codes that you choose, or that are drawn at random."""
        wanted = read_body(body, NewContest)
        holder, plan = holder_needed(request, CONTEST_COOKIE), _plan(wanted)
        check, client = may_begin(request, services), client_of(request)

        async def begin() -> None:
            await check()
            services.quota.charge(client, _computer_rows(plan))

        with charged(request, services):
            seen = await services.contests.create(holder, wanted.id, plan, begin)
        if plan.computers:
            services.contest_computers.want(seen.contest.id)
        return contest_out(seen)

    @get(_CONTEST, opt={"problems": (401, 404, 503)})
    async def look(
        self, request: AnyRequest, services: Parts, contest: FromPath[str]
    ) -> ContestOut:
        """A contest as you see it: its seals and your rows, and what you may know of its codes."""
        holder = holder_of(request, CONTEST_COOKIE)
        return contest_out(await services.contests.look(contest, holder))

    @post(
        f"{_CONTEST}/entrants",
        status_code=200,
        opt={"reads": EnterContest, "problems": (401, 404, 409, 422, 503)},
    )
    async def enter(
        self, request: AnyRequest, services: Parts, contest: FromPath[str], body: RawBody
    ) -> ContestOut:
        """Enter a contest, or take another name in it."""
        wanted = read_body(body, EnterContest)
        holder, begin = holder_needed(request, CONTEST_COOKIE), may_begin(request, services)
        with charged(request, services):
            seen = await services.contests.enter(contest, holder, _name(wanted.name), begin)
        return contest_out(seen)

    @post(
        f"{_CONTEST}/spectators",
        status_code=200,
        opt={"reads": WatchContest, "problems": (401, 404, 409, 422, 503)},
    )
    async def watch(
        self, request: AnyRequest, services: Parts, contest: FromPath[str], body: RawBody
    ) -> ContestOut:
        """Watch a contest: see its codes at once, and never enter it."""
        read_body(body, WatchContest)
        holder, begin = holder_needed(request, CONTEST_COOKIE), may_begin(request, services)
        with charged(request, services):
            seen = await services.contests.watch(contest, holder, begin)
        return contest_out(seen)

    @post(
        f"{_CODE}/guesses",
        status_code=200,
        opt={"reads": AttemptGuess, "problems": (401, 404, 409, 422, 503)},
    )
    async def guess(
        self,
        request: AnyRequest,
        services: Parts,
        contest: FromPath[str],
        number: FromPath[int],
        body: RawBody,
    ) -> ContestAnswer:
        """Guess; the answer comes when it is on disk."""
        wanted = read_body(body, AttemptGuess)
        holder, guess = holder_needed(request, CONTEST_COOKIE), (wanted.id, wanted.code)
        with charged(request, services):
            row, seen = await services.contests.guess(contest, number, holder, guess)
        return ContestAnswer(row=row, contest=contest_out(seen))

    @get(f"{_CODE}/results", opt={"problems": (401, 404, 409, 503)})
    async def results(
        self,
        request: AnyRequest,
        services: Parts,
        contest: FromPath[str],
        number: FromPath[int],
    ) -> ContestResults:
        """How everybody who is done with a code has fared; for those who are done themselves."""
        holder = holder_of(request, CONTEST_COOKIE)
        charge = partial(services.reading.spend, client_of(request))
        found = await services.contests.results(contest, number, holder, charge)
        return _sent(request, services, found)

    @get(f"{_CONTEST}/standing", opt={"problems": (401, 404, 409, 503)})
    async def standing(
        self, request: AnyRequest, services: Parts, contest: FromPath[str]
    ) -> ContestResults:
        """The standing over all codes that you are done with."""
        holder = holder_of(request, CONTEST_COOKIE)
        charge = partial(services.reading.spend, client_of(request))
        found = await services.contests.standing(contest, holder, charge)
        return _sent(request, services, found)

    @get(f"{_CODE}/entrants/{{entrant:int}}", opt={"problems": (401, 404, 409, 503)})
    async def rows(
        self,
        request: AnyRequest,
        services: Parts,
        contest: FromPath[str],
        number: FromPath[int],
        entrant: FromPath[int],
    ) -> EntrantRows:
        """What one of those who are done has played; for those who are done themselves."""
        holder = holder_of(request, CONTEST_COOKIE)
        found = await services.contests.rows(contest, number, entrant, holder)
        return entrant_rows(number, *found)


def _sent(request: AnyRequest, services: Services, results: Results) -> ContestResults:
    """Results as they are sent; losses that are missing are computed from now on."""
    rating = services.losses.want(results.board, results.unrated, client_of(request))
    return results_out(results, rating=rating)


def _plan(wanted: NewContest) -> Plan:
    if wanted.codes is not None and wanted.count != 1:
        raise CannotRead("give either codes, or how many are to be drawn")
    codes = wanted.count if wanted.codes is None else wanted.codes
    levels = tuple(level_named(name).name for name in wanted.computers)
    if len({*levels}) < len(levels):
        raise CannotRead("give each level of the computer once")
    return Plan(Board.parse(wanted.board), codes, _name(wanted.name), wanted.seconds, levels)


def _computer_rows(plan: Plan) -> int:
    """The most rows that computer players may write."""
    codes = plan.codes if isinstance(plan.codes, int) else len(plan.codes)
    return len(plan.computers) * codes * plan.board.rows


def _name(name: str | None) -> str | None:
    return None if name is None else read_name(name)

"""The HTTP interface of the daily code, and who its players are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from litestar import Controller, Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, RawBody

from keypeg.daily.codes import BOARDS, daily_board, game_id
from keypeg.daily.days import DAY, FIRST_DAY, begins, number_of, parse_day
from keypeg.messages import (
    AskDailyToken,
    DailyAnswer,
    DailyDay,
    DailyDays,
    DailyGuess,
    DailyOut,
    DailySeal,
    DailyToken,
    read_body,
)
from keypeg.messages.daily import daily_out
from keypeg.messages.events import nonce_out
from keypeg.server.security import DAILY_COOKIE, NotAllowed, daily_cookie, read_bearer
from keypeg.server.services import Services
from keypeg.server.solver_worker import Busy
from keypeg.table.tokens import hashed

if TYPE_CHECKING:
    from datetime import date

    from keypeg.daily.game import Daily
    from keypeg.rules.board import Board
    from keypeg.rules.commitment import Opening

Parts = NamedDependency[Services]
AnyRequest = Request[Any, Any, Any]
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")
_CODE: Final = "/{day:str}/{board:str}"


class DailyApi(Controller):
    """The daily code: one a day on each of two boards, the same for everybody."""

    path = "/api/daily"
    tags = ("daily",)

    @get("/", opt={"problems": (404,)})
    async def days(self, services: Parts) -> DailyDays:
        """Today's number, when the next day begins, and the seals of today and tomorrow."""
        daily = services.daily
        today = daily.today()
        return DailyDays(
            now=daily.now(),
            next=begins(today + DAY),
            first=str(FIRST_DAY),
            today=_day(daily, today),
            tomorrow=_day(daily, today + DAY),
        )

    @post("/tokens", opt={"reads": AskDailyToken, "problems": (422,)})
    async def token(
        self, request: AnyRequest, services: Parts, body: RawBody
    ) -> Response[DailyToken]:
        """A token to play with; a page that has one keeps it. Nothing is stored."""
        wanted = read_body(body, AskDailyToken)
        if "origin" not in request.headers:
            token = services.grant(wanted.retry).token
            return Response(DailyToken(token=token))
        token = _cookie(request) or services.grant(wanted.retry).token
        cookie = daily_cookie(token, secure=services.settings.https)
        return Response(DailyToken(token=None), headers={"Set-Cookie": cookie})

    @get(_CODE, opt={"problems": (401, 404, 422, 503)})
    async def look(
        self, request: AnyRequest, services: Parts, day: FromPath[str], board: FromPath[str]
    ) -> DailyOut:
        """A day's code as you see it: your rows, and once you are done, everything else."""
        daily = services.daily
        seen = await daily.look(parse_day(day), daily_board(board), _holder(request))
        return daily_out(seen, daily.now())

    @get(f"{_CODE}/seal", opt={"problems": (401, 404, 422, 503)})
    async def seal(
        self, request: AnyRequest, services: Parts, day: FromPath[str], board: FromPath[str]
    ) -> DailySeal:
        """The seal of a day's code; it is opened when you are done, and to all a day later."""
        asked, on = parse_day(day), daily_board(board)
        opening = await services.daily.opened(asked, on, _holder(request))
        return _seal(services.daily, asked, on, opening)

    @post(
        f"{_CODE}/guesses",
        status_code=200,
        opt={"reads": DailyGuess, "problems": (401, 404, 409, 422, 503)},
    )
    async def guess(
        self,
        request: AnyRequest,
        services: Parts,
        day: FromPath[str],
        board: FromPath[str],
        body: RawBody,
    ) -> DailyAnswer:
        """Guess; the answer comes when it is on disk."""
        wanted = read_body(body, DailyGuess)
        holder = _holder(request)
        if holder is None:
            raise NotAllowed("this needs a token, as a cookie or a bearer; ask for one first")
        client = request.client.host if request.client else "?"
        services.quota.check(client)

        async def may_begin() -> None:
            if not await services.may_open(client):
                raise Busy("too many new attempts; wait a little")

        daily, guess = services.daily, (wanted.id, wanted.code)
        row, seen = await daily.guess(parse_day(day), daily_board(board), holder, guess, may_begin)
        services.quota.charge(client)
        return DailyAnswer(row=row, day=daily_out(seen, daily.now()))


def _day(daily: Daily, day: date) -> DailyDay:
    seals = tuple(_seal(daily, day, board, None) for board in BOARDS)
    return DailyDay(date=str(day), number=number_of(day), seals=seals)


def _seal(daily: Daily, day: date, board: Board, opening: Opening | None) -> DailySeal:
    return DailySeal(
        game=game_id(day),
        board=str(board),
        seal=daily.seal(day, board),
        code=None if opening is None else opening.code,
        nonce=None if opening is None else nonce_out(opening),
    )


def _holder(request: AnyRequest) -> str | None:
    """Whose attempts these are: the hash of a token; None without a token."""
    bearer = read_bearer(request.headers)
    if bearer is not None and not _TOKEN.fullmatch(bearer):
        raise NotAllowed("this is not a token; ask for one")
    token = bearer or _cookie(request)
    return None if token is None else hashed(token)


def _cookie(request: AnyRequest) -> str | None:
    """The token in a page's cookie. If it was cut short it is ignored: the page gets another."""
    token = request.cookies.get(DAILY_COOKIE)
    return token if token is not None and _TOKEN.fullmatch(token) else None

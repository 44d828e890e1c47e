"""The HTTP interface of the daily code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, RawBody

from keypeg.daily.codes import BOARDS, daily_board, game_id
from keypeg.daily.days import DAY, FIRST_DAY, begins, number_of, parse_day
from keypeg.messages import (
    AskToken,
    AttemptGuess,
    DailyAnswer,
    DailyDay,
    DailyDays,
    DailyOut,
    DailySeal,
    TokenOut,
    read_body,
)
from keypeg.messages.daily import daily_out
from keypeg.messages.events import nonce_out
from keypeg.server.holders import (
    AnyRequest,
    charged,
    give_token,
    holder_needed,
    holder_of,
    may_begin,
)
from keypeg.server.security import DAILY_COOKIE
from keypeg.server.services import Services

if TYPE_CHECKING:
    from datetime import date

    from keypeg.daily.game import Daily
    from keypeg.rules.board import Board
    from keypeg.rules.commitment import Opening

Parts = NamedDependency[Services]
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

    @post("/tokens", opt={"reads": AskToken, "problems": (422,)})
    async def token(
        self, request: AnyRequest, services: Parts, body: RawBody
    ) -> Response[TokenOut]:
        """A token to play with; a page that has one keeps it. Nothing is stored."""
        return give_token(request, services, body, DAILY_COOKIE, "/api/daily")

    @get(_CODE, opt={"problems": (401, 404, 422, 503)})
    async def look(
        self, request: AnyRequest, services: Parts, day: FromPath[str], board: FromPath[str]
    ) -> DailyOut:
        """A day's code as you see it: your rows, and once you are done, everything else."""
        daily = services.daily
        seen = await daily.look(
            parse_day(day), daily_board(board), holder_of(request, DAILY_COOKIE)
        )
        return daily_out(seen, daily.now())

    @get(f"{_CODE}/seal", opt={"problems": (401, 404, 422, 503)})
    async def seal(
        self, request: AnyRequest, services: Parts, day: FromPath[str], board: FromPath[str]
    ) -> DailySeal:
        """The seal of a day's code; it is opened when you are done, and to all a day later."""
        asked, on = parse_day(day), daily_board(board)
        opening = await services.daily.opened(asked, on, holder_of(request, DAILY_COOKIE))
        return _seal(services.daily, asked, on, opening)

    @post(
        f"{_CODE}/guesses",
        status_code=200,
        opt={"reads": AttemptGuess, "problems": (401, 404, 409, 422, 503)},
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
        wanted = read_body(body, AttemptGuess)
        holder, begin = holder_needed(request, DAILY_COOKIE), may_begin(request, services)
        daily, guess = services.daily, (wanted.id, wanted.code)
        with charged(request, services):
            row, seen = await daily.guess(parse_day(day), daily_board(board), holder, guess, begin)
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

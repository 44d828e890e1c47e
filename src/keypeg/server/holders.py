"""Who plays alone: the holders of tokens for daily codes and for contests."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from litestar import Request, Response

from keypeg.messages import AskToken, TokenOut, read_body
from keypeg.server.asgi import client_address
from keypeg.server.budget import network_of
from keypeg.server.security import NotAllowed, lasting_cookie, read_bearer
from keypeg.server.solver_worker import Busy
from keypeg.table.tokens import hashed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from keypeg.server.services import Services

AnyRequest = Request[Any, Any, Any]
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def give_token(
    request: AnyRequest, services: Services, body: bytes, cookie: str, path: str
) -> Response[TokenOut]:
    """A token; a page gets it as a cookie for this path, and keeps the one that it has."""
    wanted = read_body(body, AskToken)
    if "origin" not in request.headers:
        return Response(TokenOut(token=services.grant(wanted.retry).token))
    token = _cookie(request, cookie) or services.grant(wanted.retry).token
    header = lasting_cookie(cookie, token, path, secure=services.settings.https)
    return Response(TokenOut(token=None), headers={"Set-Cookie": header})


def holder_of(request: AnyRequest, cookie: str) -> str | None:
    """Whose attempts these are: the hash of a token; None without a token."""
    bearer = read_bearer(request.headers)
    if bearer is not None and not _TOKEN.fullmatch(bearer):
        raise NotAllowed("this is not a token; ask for one")
    token = bearer or _cookie(request, cookie)
    return None if token is None else hashed(token)


def holder_needed(request: AnyRequest, cookie: str) -> str:
    """The same, for what nobody may do without a token."""
    holder = holder_of(request, cookie)
    if holder is None:
        raise NotAllowed("this needs a token, as a cookie or a bearer; ask for one first")
    return holder


def client_of(request: AnyRequest) -> str:
    """Whoever asks, as far as limits go."""
    return network_of(client_address(request.scope))  # type: ignore[arg-type]


def may_begin(request: AnyRequest, services: Services) -> Callable[[], Awaitable[None]]:
    """Raises an error if whoever asks has begun too much of late."""

    async def check() -> None:
        if not await services.may_open(client_of(request)):
            raise Busy("too much is begun at once; wait a little")

    return check


@contextmanager
def charged(request: AnyRequest, services: Services) -> Iterator[None]:
    """What is written meanwhile counts for whoever asks, who may not have written too much."""
    client = client_of(request)
    services.quota.check(client)
    yield
    services.quota.charge(client)


def _cookie(request: AnyRequest, name: str) -> str | None:
    """The token in a page's cookie. If it was cut short it is ignored: the page gets another."""
    token = request.cookies.get(name)
    return token if token is not None and _TOKEN.fullmatch(token) else None

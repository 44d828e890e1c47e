"""Who may do what: seat tokens, socket tickets, origins, and the headers every answer carries.

A token is 256 random bits that only its holder has; we keep its hash. It travels in an
HttpOnly cookie or as a bearer, never in an address. A ticket is a token that lives for
half a minute, opens one socket once, and stands for one seat at one table.
"""

from __future__ import annotations

import base64
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, NamedTuple

from keypeg.draw import new_id
from keypeg.rules.errors import KeypegError
from keypeg.rules.series import Seat
from keypeg.table.tokens import TOKEN_BYTES, hashed, new_token

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

TICKET_SECONDS: Final = 30.0
MOST_TICKETS: Final = 10_000
COOKIE: Final = {Seat.ONE: "keypeg_seat_one", Seat.TWO: "keypeg_seat_two"}
COOKIE_SECONDS: Final = 30 * 24 * 60 * 60
DAILY_COOKIE: Final = "keypeg_daily"
CONTEST_COOKIE: Final = "keypeg_contest"
MATCH_COOKIE: Final = "keypeg_match"
LASTING_COOKIE_SECONDS: Final = 400 * 24 * 60 * 60
"""As long as browsers keep a cookie: players come back."""
COOKIES: Final = (*COOKIE.values(), DAILY_COOKIE, CONTEST_COOKIE, MATCH_COOKIE)

HEADERS: Final = (
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        b"font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; "
        b"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    ),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
)
NO_STORE: Final = (b"cache-control", b"no-store")
"""For every answer that does not say otherwise: it may show a secret or a token."""
_NOTHING: Final = (b"permissions-policy", b"camera=(), geolocation=(), microphone=()")
_CAMERA: Final = (b"permissions-policy", b"camera=(self), geolocation=(), microphone=()")
_CAMERA_PAGE: Final = "/progress"
"""It reads QR codes; the browser asks the user first."""
OPENER: Final = (b"cross-origin-opener-policy", b"same-origin")
"""Only for HTTPS and this machine itself: elsewhere browsers ignore it, and report an error."""
LOOPBACK: Final = ("127.0.0.1", "[::1]", "localhost")
STRICT_TRANSPORT: Final = (b"strict-transport-security", b"max-age=31536000")


def permissions(path: str) -> tuple[bytes, bytes]:
    """The header that says what of the device the page at `path` may ask for."""
    return _CAMERA if path == _CAMERA_PAGE else _NOTHING


class NotAllowed(KeypegError):
    """The request has no valid token or ticket for this."""


class Grant(NamedTuple):
    """What whoever asks for a seat is given: a name for the table, if it is new, and a token."""

    table: str
    command: str
    """The id under which the seat is taken."""
    token: str


def new_grant() -> Grant:
    """A grant like no other."""
    return Grant(new_id(), new_id(), new_token())


def repeated_grant(derive: Callable[[str, str], bytes], retry: str) -> Grant:
    """The grant of a request that may be repeated: always the same for the same `retry`.

    It follows from our key too, so a page that knows what it sent does not know its token.
    """

    def text(purpose: str, count: int) -> str:
        return base64.urlsafe_b64encode(derive(purpose, retry)[:count]).rstrip(b"=").decode()

    return Grant(text("table", 16), text("command", 16), text("token", TOKEN_BYTES))


class Credentials(NamedTuple):
    """The tokens a request carries, not yet believed."""

    bearer: str | None
    cookies: Mapping[Seat, str]


def read_credentials(headers: Mapping[str, str], cookies: Mapping[str, str]) -> Credentials:
    """The tokens of a request: the bearer, if there is one, else the seats' cookies."""
    bearer = read_bearer(headers)
    held = {seat: cookies[name] for seat, name in COOKIE.items() if cookies.get(name)}
    return Credentials(bearer, {} if bearer else held)


def read_bearer(headers: Mapping[str, str]) -> str | None:
    """The bearer token of a request, if there is one."""
    scheme, _, value = headers.get("authorization", "").partition(" ")
    return value.strip() if scheme.lower() == "bearer" and value.strip() else None


class Pass(NamedTuple):
    """What a ticket stands for: a table, and the seat there, or None for a spectator."""

    table: str
    seat: Seat | None


class MatchPass(NamedTuple):
    """What a ticket for a match stands for: the player's number, or None for a spectator."""

    match: str
    player: int | None


class _Issued(NamedTuple):
    """A ticket that is not used yet: when it ends, what it stands for, who asked for it."""

    ends: float
    admitted: Pass | MatchPass
    address: str


class Tickets:
    """One-time passes to the socket, kept in memory: a restart makes clients ask again.

    Where there are too many, those of the address that has most give way.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._issued: OrderedDict[str, _Issued] = OrderedDict()
        self._held: dict[str, OrderedDict[str, None]] = {}
        """The tickets of each address; the oldest is first here too."""

    def issue(self, table: str, seat: Seat | None, address: str = "") -> str:
        """A new ticket for this table and seat."""
        return self._issue(Pass(table, seat), address)

    def issue_for_match(self, match: str, player: int | None, address: str = "") -> str:
        """A new ticket for this match and player."""
        return self._issue(MatchPass(match, player), address)

    def _issue(self, admitted: Pass | MatchPass, address: str) -> str:
        now = self._clock()
        while self._issued and next(iter(self._issued.values())).ends < now:
            self._take(next(iter(self._issued)))
        if len(self._issued) >= MOST_TICKETS:
            most = max(self._held, key=lambda address: len(self._held[address]))
            self._take(next(iter(self._held[most])))
        ticket = new_token()
        name = hashed(ticket)
        self._issued[name] = _Issued(now + TICKET_SECONDS, admitted, address)
        self._held.setdefault(address, OrderedDict())[name] = None
        return ticket

    async def redeem(self, ticket: str) -> Pass | MatchPass:
        """What the ticket stands for; it is used up."""
        name = hashed(ticket)
        issued = self._take(name) if name in self._issued else None
        if issued is None or issued.ends < self._clock():
            raise NotAllowed("this ticket is unknown, used or too old; ask for a new one")
        return issued.admitted

    def _take(self, name: str) -> _Issued:
        issued = self._issued.pop(name)
        held = self._held[issued.address]
        del held[name]
        if not held:
            del self._held[issued.address]
        return issued


class Origins:
    """The pages that may talk to this server, each matched whole."""

    def __init__(self, allowed: Iterable[str]) -> None:
        self._allowed = frozenset(allowed)

    def allow(self, origin: str | None, *, has_cookie: bool) -> bool:
        """Whether a request from this page may pass.

        Programs send no origin; browsers always do where it matters. So none is fine, but
        not together with a cookie, which only a browser would bring.
        """
        return not has_cookie if origin is None else origin in self._allowed


def seat_cookie(table: str, seat: Seat, token: str, *, secure: bool) -> str:
    """The header value that hands a browser its seat, for this table's addresses only."""
    return _cookie(COOKIE[seat], token, f"/api/tables/{table}", COOKIE_SECONDS, secure=secure)


def lasting_cookie(name: str, token: str, path: str, *, secure: bool) -> str:
    """The header value that hands a browser its attempts at daily codes, or in contests."""
    return _cookie(name, token, path, LASTING_COOKIE_SECONDS, secure=secure)


def _cookie(name: str, token: str, path: str, seconds: int, *, secure: bool) -> str:
    parts = [f"{name}={token}", f"Path={path}", f"Max-Age={seconds}", "HttpOnly", "SameSite=Lax"]
    return "; ".join([*parts, "Secure"] if secure else parts)

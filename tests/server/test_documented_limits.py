"""The table of limits in docs/security.md is that of the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from keypeg.contests import game as contests
from keypeg.matches.decisions import MOST_RENAMES
from keypeg.rules.match.state import MOST_JOINS
from keypeg.rules.match.terms import MOST_PLAYERS
from keypeg.server import api, budget, door, guard, heads, limits, live, outbox, places, process
from keypeg.server import connections as http
from keypeg.server import read_budget as reading
from keypeg.server import security as tickets
from keypeg.server import solver_worker as solver
from keypeg.server.frames import FrameLimits
from keypeg.server.match_rooms import GATHERING_SECONDS
from keypeg.server.refusals import Limit
from keypeg.server.settings import Settings
from keypeg.table import options

TEXT = (Path(__file__).parents[2] / "docs" / "security.md").read_text("utf-8")
S, FRAMES = Settings(), FrameLimits.of(Settings())
SOCKETS, PLAYERS = S.sockets_per_address, budget.MESSAGE_SOCKETS


def kib(count: float) -> str:
    return f"{count / 1024:g} KiB"


def rate(each: float, at_once: float) -> str:
    return f"{each:,g}/s, {at_once:,.0f} at once"


def of(name: str) -> str:
    """The limit on a kind of request."""
    [times] = [
        kind.times
        for kind in (*budget.KINDS, budget.TICKETS, budget.ARRIVALS, budget.PIECES)
        if kind.name == name
    ]
    return rate(times * S.requests_per_second, times * S.requests_at_once)


ROWS = [
    ("a socket", f"{kib(FRAMES.bytes_per_second)}/s, {kib(FRAMES.bytes_at_once)} at once"),
    ("a socket", rate(FRAMES.frames_per_second, FRAMES.frames_at_once)),
    ("a socket", f"{process.FRAME_BYTES:,} bytes; {http.MOST_FRAGMENTS}"),
    (
        "a socket",
        f"{S.messages_per_second:g}/s, {S.spectator_messages_per_second:g}/s; "
        f"{S.messages_at_once} at once",
    ),
    ("a socket", f"{live.HELLO_SECONDS:g} s"),
    ("a socket", f"{live.MOST_ERRORS}"),
    ("a socket", f"{outbox.MOST_MESSAGES} messages, {kib(outbox.MOST_CHARACTERS)}"),
    (
        "a request",
        f"{kib(heads.HEAD_BYTES)}, {heads.HEADERS} headers, {http.REQUEST_SECONDS:g} s",
    ),
    (
        "a request",
        f"{kib(heads.BODY_BYTES)} with a `Content-Length`, {guard.BODY_SECONDS:g} s",
    ),
    ("a request", f"{http.UNREAD_SECONDS:g} s"),
    ("a socket", rate(budget.OWN_PIECES_PER_SECOND, budget.OWN_PIECES_AT_ONCE)),
    ("an address", of("pieces")),
    ("an address", of("arrivals")),
    ("an address", f"{S.connections_per_address}"),
    ("an address", f"{SOCKETS}, {SOCKETS}, {places.SEATS_TIMES * SOCKETS}"),
    ("an address", rate(PLAYERS * S.messages_per_second, PLAYERS * S.messages_at_once)),
    ("a seat", rate(budget.OWN_PER_SECOND, budget.OWN_AT_ONCE)),
    ("an address", of("requests")),
    ("an address", of("tickets")),
    ("an address", f"{of('handshakes')}, each"),
    ("an address", of("files")),
    ("an address", of("figures")),
    ("an address", f"{S.tables_per_minute:g} a minute, {S.tables_at_once} at once"),
    ("an address", f"{S.entries_per_day:,} a day, as many again in series that have begun"),
    ("an address", f"{reading.ENTRIES_PER_SECOND:,}/s, {reading.ENTRIES_AT_ONCE:,} at once"),
    ("an address", f"{api.AT_ONCE} at once, {solver.MOST_WAITING_EACH} in the queue"),
    ("the solver", f"{S.thinking_seconds:g} s; {solver.MOST_WAITING}"),
    ("a table", f"{options.MOST_ENTRIES:,}"),
    (
        "a contest",
        f"{contests.MOST_CODES}; {contests.MOST_ENTRANTS:,}; {contests.MOST_SPECTATORS:,}",
    ),
    ("a match", f"{MOST_PLAYERS}; {MOST_JOINS}; {MOST_RENAMES}"),
    ("a match", f"one in {GATHERING_SECONDS:g} s"),
    ("a turn", f"{options.MOST_OFFERS}; {options.MOST_HINTS}; 1"),
    ("the server", f"{S.sockets:,}, the last tenth for seats"),
    ("the server", f"the limit on open files, less {places.RESERVED_FILES}"),
    ("the server", f"{tickets.MOST_TICKETS:,}, for {tickets.TICKET_SECONDS:g} s"),
    ("the server", f"{S.idle_mebibytes} MiB"),
    ("the server", f"{limits.MOST_REMEMBERED:,}"),
]
"""What has a limit, and how much that is, in the order of the table."""


def test_the_table_of_limits_is_that_of_the_code() -> None:
    chapter = TEXT.partition("\n## Limits\n")[2]
    lines = re.findall(r"^\| .+ \|$", chapter, re.MULTILINE)[1:]
    assert [(row[0], row[2]) for row in (line[2:].split(" | ") for line in lines)] == ROWS
    assert of("handshakes") == of("health"), "they are in one row"
    least, least_at_once = budget.LEAST_ARRIVALS
    assert of("arrivals") == rate(max(least, 80), max(least_at_once, 240))
    assert places.WATCHERS_SHARE == 0.9
    assert door.CUT_COSTS == {"heads": 1, "pieces": 2, "frames": 8}, (
        "as the row of new connections says"
    )


def test_everything_that_refuses_is_named_for_the_operator() -> None:
    named = TEXT.partition("the limits are\n")[2].partition(". `keypeg_connections`")[0]
    assert set(re.findall(r"`([\w-]+)`", named)) == set(get_args(Limit))

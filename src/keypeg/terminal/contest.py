"""Contests in a terminal: making one, breaking its codes at a prompt, and the results."""

from __future__ import annotations

import asyncio
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from keypeg.client import Client
from keypeg.rules.board import Board
from keypeg.rules.code import describe_code, format_code, parse_code
from keypeg.rules.commitment import Opening, opens
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError, counted, quoted
from keypeg.terminal.attempt_rows import row_data, row_sentence
from keypeg.terminal.remote import read_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from keypeg.client import Contest
    from keypeg.messages import ContestCode, ContestOut, ContestResults, StandingLine
    from keypeg.terminal.assist import Teller
    from keypeg.terminal.saved_daily import SavedDaily

HELP: Final = (
    "A CODE (rrbg, 1124 or RD RD BU GN): your next row",
    "rows: the rows so far; seal: the seal of this code; quit: leave, and continue later",
)
_LINK: Final = re.compile(r"(https?://.+)/contest/([A-Za-z0-9_-]{22})/?")


class ContestTerminal:
    """A server's contests, as seen with the token that is saved for the server."""

    def __init__(self, runner: asyncio.Runner, client: Client, saved: SavedDaily) -> None:
        self._run, self._client, self._token = runner.run, client, saved.token(client.url)

    def create(self, **wanted: Any) -> dict[str, Any]:
        """Make a contest; gives what is said of it."""
        made = self._run(self._client.create_contest(self._token, **wanted))
        return _contest_data(made.link, self._run(made.look()))

    def play(
        self, id_: str, name: str | None, number: int | None, ask: Callable[[str], str], to: Teller
    ) -> None:
        """Enter if that was not done, and break the code of this number, or the next."""
        contest = self._client.contest(id_, self._token)
        seen = self._run(contest.look())
        if seen.entrant is None or name is not None:
            seen = self._run(contest.enter(name))
        waiting = [code.number for code in seen.codes if not code.done]
        chosen = number or (waiting[0] if waiting else 1)
        if not 1 <= chosen <= len(seen.codes):
            raise AgainstTheRules(f"this contest has codes 1 to {len(seen.codes)}, no {chosen}")
        to.tell("contest", _contest_data(contest.link, seen), _about(seen))
        _Breaking(self._run, contest, chosen, to).play(seen, ask)

    def watch(self, id_: str) -> dict[str, Any]:
        """Watch from now on; gives what `show` gives."""
        self._run(self._client.contest(id_, self._token).watch())
        return self.show(id_)

    def show(self, id_: str) -> dict[str, Any]:
        """A contest with the results of all codes that may be known, and its standing."""
        contest = self._client.contest(id_, self._token)
        seen = self._run(contest.look())
        known = [code.number for code in seen.codes if code.ending is not None]
        results = [self._run(contest.results(number)) for number in known]
        lines = self._run(contest.standing()).lines if known else ()
        return {
            **_contest_data(contest.link, seen),
            "results": [
                {
                    "code": one.codes[0],
                    "secret": _secret(seen, one.codes[0]),
                    "under_way": one.under_way,
                    "book": None if one.book is None else len(one.book),
                    "lines": [_line_data(line) for line in one.lines],
                }
                for one in results
            ],
            "standing": [_line_data(line) for line in lines],
        }


class _Breaking:
    """One code of a contest at the prompt."""

    def __init__(
        self, run: Callable[..., Any], contest: Contest, number: int, teller: Teller
    ) -> None:
        self._run, self._contest, self._number, self._teller = run, contest, number, teller

    def play(self, seen: ContestOut, ask: Callable[[str], str]) -> None:
        """Ask for rows until the code is done or the input ends."""
        board, code = Board.parse(seen.board.name), self._code(seen)
        for number, row in enumerate(code.rows, 1):
            self._teller.note(row_sentence(row, number, board))
        while not code.done:
            try:
                typed = ask(f"Code {self._number}, row {len(code.rows) + 1}: ").strip()
            except EOFError:
                typed = "quit"
            except KeyboardInterrupt:
                self._leave()
                raise
            if typed in ("quit", "exit", "q"):
                self._leave()
                return
            try:
                code = self._obey(typed, code, board)
            except KeypegError as error:
                self._teller.error(error)
        self._finish(code, board)

    def _leave(self) -> None:
        self._teller.note("What you have played is saved. The same command continues.")

    def _obey(self, typed: str, code: ContestCode, board: Board) -> ContestCode:
        """Do what a line asks for. Returns the code as it is then."""
        match typed:
            case "" | "help" | "?":
                self._teller.note(*HELP)
            case "rows":
                rows = enumerate(code.rows, 1)
                self._teller.note(*(row_sentence(row, number, board) for number, row in rows))
            case "seal":
                self._teller.note(f"The seal: {code.seal}")
            case _:
                guess = parse_code(typed, board)
                answer = self._run(self._contest.guess(self._number, guess))
                code, row = self._code(answer.contest), answer.row
                data = {"row": row, **row_data(code.rows[row - 1], board)}
                self._teller.tell("row", data, [row_sentence(code.rows[row - 1], row, board)])
        return code

    def _code(self, seen: ContestOut) -> ContestCode:
        return seen.codes[self._number - 1]

    def _finish(self, code: ContestCode, board: Board) -> None:
        ending = code.ending
        assert ending is not None  # noqa: S101 - it is sent to whoever is done
        opening = Opening(ending.code, bytes.fromhex(ending.nonce))
        verified = opens(code.seal, board, code.game, opening)
        results = self._run(self._contest.results(self._number))
        data = {
            "broken": ending.broken,
            "code": format_code(ending.code, board),
            "nonce": ending.nonce,
            "verified": verified,
            "lines": [_line_data(line) for line in results.lines],
        }
        fixed = "verified: the code was fixed from the start" if verified else "NOT verified"
        rows = counted(len(code.rows), "row")
        lines = [
            f"Broken in {rows}." if ending.broken else "All rows are used.",
            f"The code: {describe_code(ending.code, board)}. The seal is {fixed}.",
            *_table(results),
        ]
        self._teller.tell("done", data, lines)


@contextmanager
def contests_at(server: str, saved: SavedDaily) -> Iterator[ContestTerminal]:
    """The contests of a server."""
    with asyncio.Runner() as runner:
        client = Client(read_server(server))
        try:
            yield ContestTerminal(runner, client, saved)
        finally:
            runner.run(client.__aexit__())


def parse_link(link: str) -> tuple[str, str]:
    """The server and the id in the link of a contest."""
    found = _LINK.fullmatch(link)
    if found is None:
        raise CannotRead(
            f"{quoted(link, 80)} is not the link of a contest; use http://host:port/contest/... "
            "as 'keypeg contest create' prints it"
        )
    return found[1], found[2]


def show_lines(shown: dict[str, Any]) -> Iterator[str]:
    """What `show` gives, for a person."""
    yield f"{shown['link']}: {counted(shown['codes'], 'code')} on {shown['board']}"
    if shown["watching"]:
        yield "You watch: you see the codes, and cannot enter."
    elif not shown["results"]:
        yield "You see everybody's rows once you are done with a code."
    for one in shown["results"]:
        yield f"Code {one['code']}, {one['secret']}:"
        yield from _lines(one["lines"])
        if one["under_way"]:
            yield f"  {counted(one['under_way'], 'attempt')} not done yet"
    if len(shown["results"]) > 1:
        yield "The standing:"
        yield from _lines(shown["standing"])


def _contest_data(link: str, seen: ContestOut) -> dict[str, Any]:
    return {
        "link": link,
        "board": seen.board.name,
        "codes": len(seen.codes),
        "setter": seen.setter,
        "drawn": seen.drawn,
        "closes": seen.closes,
        "seals": [code.seal for code in seen.codes],
        "computers": list(seen.computers),
        "watching": seen.watching,
    }


def _about(seen: ContestOut) -> list[str]:
    who = seen.setter or "Somebody"
    what = counted(len(seen.codes), "code")
    act = f"had the server draw {what}" if seen.drawn else f"has set {what}"
    lines = [f"{who} {act} on {seen.board.name}: {seen.board.rows} rows for each."]
    if seen.computers:
        lines.append(f"The computer plays too: {', '.join(seen.computers)}.")
    return lines


def _secret(seen: ContestOut, number: int) -> str:
    ending = seen.codes[number - 1].ending
    assert ending is not None  # noqa: S101 - its results may be known
    return format_code(ending.code, Board.parse(seen.board.name))


def _line_data(line: StandingLine) -> dict[str, Any]:
    return {
        "place": line.place,
        "player": line.entrant,
        "name": line.name,
        "level": line.level,
        "you": line.you,
        "rows": line.rows,
        "seconds": line.seconds,
        "loss": line.loss,
        "codes": list(line.codes),
    }


def _table(results: ContestResults) -> Iterator[str]:
    yield from _lines([_line_data(line) for line in results.lines])
    if results.book is not None:
        yield f"The strategy book needs {counted(len(results.book), 'row')}."


def _lines(lines: list[dict[str, Any]]) -> Iterator[str]:
    for line in lines:
        name = line["name"] or f"Player {line['player']}"
        if line["level"]:
            name = f"Computer ({line['level']})"
        you = " (you)" if line["you"] else ""
        rows = counted(line["rows"], "row")
        yield f"  {line['place']:>3}. {name}{you}: {rows}, {line['seconds']:,} s"

"""A daily code at a plain prompt: the rows so far, guesses, and what is shown when it is done."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from keypeg.daily.days import DAY, FIRST_DAY, day_at, number_of, parse_day
from keypeg.daily.sharing import shared
from keypeg.daily.streak import streak
from keypeg.draw import new_id
from keypeg.rules.code import describe_code, format_code, parse_code
from keypeg.rules.commitment import Opening, opens
from keypeg.rules.errors import KeypegError, counted
from keypeg.rules.game import Game, Row
from keypeg.rules.terms import Terms
from keypeg.solver.analysis import analysis
from keypeg.terminal import review
from keypeg.terminal.attempt_rows import keys_of, row_data, row_sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractAsyncContextManager

    from keypeg.messages import DailyOut
    from keypeg.messages.daily import DailyEnding
    from keypeg.rules.board import Board
    from keypeg.terminal.assist import Teller
    from keypeg.terminal.daily_sources import DailySource
    from keypeg.terminal.saved_daily import SavedDaily

HELP: Final = (
    "A CODE (rrbg, 1124 or RD RD BU GN): your next row",
    "rows: the rows so far; seal: the seal of this code; quit: leave, and continue later",
)
WIDEST: Final = 30
"""The characters of the longest bar."""


class DailySitting:
    """One game of a day's code at the prompt."""

    def __init__(
        self, runner: asyncio.Runner, source: DailySource, saved: SavedDaily, teller: Teller
    ) -> None:
        self._runner, self._source, self._saved, self._teller = runner, source, saved, teller

    def play(self, date: str | None, board: Board, ask: Callable[[str], str]) -> None:
        """Ask for rows until the code is done or the input ends."""
        run, source = self._runner.run, self._source
        if date is not None:
            parse_day(date)  # raises before anybody is asked
        day = run(source.look(date or run(source.today()), board))
        self._tell_day(day, board)
        if date is None:
            self._remind(day, board)
        while day.ending is None:
            try:
                typed = ask(f"Row {len(day.rows) + 1}: ").strip()
            except EOFError:
                typed = "quit"
            except KeyboardInterrupt:
                self._leave(day)
                raise
            if typed in ("quit", "exit", "q"):
                self._leave(day)
                return
            try:
                day = self._obey(typed, day, board)
            except KeypegError as error:
                self._teller.error(error)
        self._finish(day, board, day.ending)

    def _leave(self, day: DailyOut) -> None:
        later = f"after midnight in UTC, add --date {day.date}"
        self._teller.note(f"What you have played is saved. The same command continues; {later}.")

    def _remind(self, today: DailyOut, board: Board) -> None:
        """Say if yesterday's code was begun and is not done: until midnight it still counts."""
        yesterday = parse_day(today.date) - DAY
        if yesterday < FIRST_DAY:
            return
        day = self._runner.run(self._source.look(str(yesterday), board))
        if day.rows and day.ending is None and day.counts:
            self._teller.note(
                f"You have not finished the code of {day.date}. Continue it with "
                f"--date {day.date}: it counts if you finish by midnight in UTC."
            )

    def _obey(self, typed: str, day: DailyOut, board: Board) -> DailyOut:
        """Do what a line asks for. Returns the day as it is then."""
        match typed:
            case "" | "help" | "?":
                self._teller.note(*HELP)
            case "rows":
                self._teller.note(*(_sentence(day, number, board) for number in _numbers(day)))
            case "seal":
                self._teller.note(f"The seal: {day.seal}")
            case _:
                code = parse_code(typed, board)
                day = self._runner.run(self._source.guess(day.date, board, new_id(), code))
                self._tell_row(day, len(day.rows), board)
        return day

    def _tell_day(self, day: DailyOut, board: Board) -> None:
        counts = "" if day.counts or day.ending else " It is from the archive, and does not count."
        about = f"{counted(board.holes, 'hole')}, {board.colours} colours, {board.rows} rows"
        lines = [
            f"Daily code {day.number} of {day.date} on {board}: {about}.{counts}",
            *(_sentence(day, number, board) for number in _numbers(day)),
        ]
        data = {
            "number": day.number,
            "date": day.date,
            "board": str(board),
            "counts": day.counts,
            "seal": day.seal,
            "rows": [row_data(row, board) for row in day.rows],
        }
        self._teller.tell("day", data, lines)

    def _tell_row(self, day: DailyOut, number: int, board: Board) -> None:
        data = {"row": number, **row_data(day.rows[number - 1], board)}
        self._teller.tell("row", data, [_sentence(day, number, board)])

    def _finish(self, day: DailyOut, board: Board, ending: DailyEnding) -> None:
        needed, source = len(day.rows) if ending.broken else 0, self._source
        if day.counts:
            self._saved.keep(source.name, str(board), day.number, needed)
        done = self._saved.done(source.name, str(board))
        length = streak(done, number_of(day_at(day.now)))
        opening = Opening(ending.code, bytes.fromhex(ending.nonce))
        verified = opens(day.seal, board, day.game, opening)
        game = _game(day, board)
        found = analysis(game)
        link = source.link and f"{source.link}?board={board}&date={day.date}"
        text = shared(day.number, board, [keys_of(row) for row in day.rows], link)
        data = {
            "broken": ending.broken,
            "code": format_code(ending.code, board),
            "nonce": ending.nonce,
            "verified": verified,
            "distribution": [
                {"rows": one.rows, "players": one.players} for one in ending.distribution
            ],
            "optimum": [row_data(row, board) for row in ending.optimum],
            "review": review.as_data([(game, found)])[0],
            "streak": length,
            "share": text,
        }
        fixed = "verified: the code was fixed before the day" if verified else "NOT verified"
        lines = [
            f"Broken in {counted(needed, 'row')}." if needed else "All rows are used.",
            f"The code: {describe_code(ending.code, board)}. The seal is {fixed}.",
            *_distribution(ending),
            f"The strategy book needs {counted(len(ending.optimum), 'row')}.",
            *([f"{length} days played; one missed day is forgiven."] if length > 1 else []),
            *review.as_lines([(game, found)]),
            text,
        ]
        self._teller.tell("done", data, lines)


def play_daily(
    source: AbstractAsyncContextManager[DailySource],
    saved: SavedDaily,
    date: str | None,
    board: Board,
    ask: Callable[[str], str],
    teller: Teller,
) -> None:
    """Play the code of a day; None is today."""
    with asyncio.Runner() as runner:
        entered = runner.run(source.__aenter__())
        try:
            DailySitting(runner, entered, saved, teller).play(date, board, ask)
        finally:
            runner.run(source.__aexit__(None, None, None))


def _numbers(day: DailyOut) -> range:
    return range(1, len(day.rows) + 1)


def _sentence(day: DailyOut, number: int, board: Board) -> str:
    return row_sentence(day.rows[number - 1], number, board)


def _game(day: DailyOut, board: Board) -> Game:
    return Game(day.game, Terms(board), tuple(Row(row.code, keys_of(row)) for row in day.rows))


def _distribution(ending: DailyEnding) -> Iterator[str]:
    """How many players needed how many rows, as bars."""
    players = sum(one.players for one in ending.distribution)
    if not players:
        yield "Nobody played this code on its day."
        return
    yield f"{counted(players, 'player')} so far:"
    most = max(one.players for one in ending.distribution)
    for one in sorted(ending.distribution, key=lambda count: count.rows or 100):
        label = "not broken" if one.rows is None else counted(one.rows, "row")
        yield f"  {label:>10}  {'#' * max(1, WIDEST * one.players // most)} {one.players:,}"

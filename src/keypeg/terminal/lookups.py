"""What players look up at the prompt: help, rows, the score, the time, a review, the record."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from keypeg.rules.errors import counted
from keypeg.rules.notation import format_record
from keypeg.table.options import TableOption
from keypeg.terminal import scoresheet
from keypeg.terminal.sitting import current_game, record_of, who_may
from keypeg.terminal.vocabulary import ALWAYS, HELP
from keypeg.terminal.wording import row_sentence, score_sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from keypeg.rules.game import Game
    from keypeg.table import State
    from keypeg.terminal.narration import Narrator
    from keypeg.terminal.sitting import Sitting


class Lookups:
    """Answers the lines that ask about the game and change nothing in it."""

    def __init__(
        self, sitting: Sitting, narrator: Narrator, review: Callable[[Game], Iterator[str]]
    ) -> None:
        self._sitting, self._narrator, self._lines_of_review = sitting, narrator, review

    def answer(self, typed: str, state: State) -> bool:
        """Say what a line asks for. False if it asks for nothing that is known here."""
        game = current_game(state)
        match typed.lower().split():
            case ["help"] | ["?"]:
                self._help(state)
            case ["rows"] | ["board"]:
                self._narrator.rows(game)
            case ["last"] | ["l"]:
                self._row(game, len(game.rows))
            case ["row", number] if number.isdecimal() and len(number) < 9:
                self._row(game, int(number))
            case ["score"]:
                self._narrator.note(score_sentence(state))
            case ["time"]:
                self._narrator.note(self._time())
            case ["review"]:
                self._review(state)
            case ["sheet"]:
                self._narrator.note("\n".join(scoresheet.as_lines(record_of(self._sitting))))
            case ["record"]:
                self._narrator.note(format_record(record_of(self._sitting)))
            case _:
                return False
        return True

    def _help(self, state: State) -> None:
        seats = self._sitting.seats
        offered = (HELP[option] for option in TableOption if who_may(state, seats, option))
        for line in (*chain.from_iterable(offered), *ALWAYS):
            self._narrator.note(line)

    def _row(self, game: Game, number: int) -> None:
        if 1 <= number <= len(game.rows):
            self._narrator.note(row_sentence(game, number))
        else:
            self._narrator.note(
                "No row is played yet." if not game.rows else "There is no such row."
            )

    def _time(self) -> str:
        left = self._sitting.seconds_left
        if left is None:
            return "No clock is running."
        return f"{counted(round(left), 'second')} left in this turn."

    def _review(self, state: State) -> None:
        games = [game for game in state.series.games if game.outcome is not None and game.rows]
        if not games:
            self._narrator.note("A review needs a finished game.")
            return
        for line in self._lines_of_review(games[-1]):
            self._narrator.note(line)

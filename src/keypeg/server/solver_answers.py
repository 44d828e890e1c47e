"""What the solver says to the server's questions; lives in the worker process."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from keypeg.rules.game import Game, Row
from keypeg.rules.terms import Terms
from keypeg.server.solver_worker import GameReview, Hint, Patience, Repair, RowReview

if TYPE_CHECKING:
    from collections.abc import Sequence

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.server.solver_worker import AnsweredRow
    from keypeg.solver.analysis import RowAnalysis
    from keypeg.solver.fitting.contradiction import Contradiction
    from keypeg.solver.history import History

SEARCH_SECONDS: Final = 0.5
"""What an exact search may take before a guess is judged one row ahead instead."""
HINT_SHARE: Final = 1 / 20
"""The share of the time that a search for a hint may take.

To name rows that contradict each other takes up to ten times as long, and there is more to do.
"""
GUESS_SHARE: Final = 1 / 3
"""The same for the computer's guess, which is all that is asked for then."""


class SolverAnswers:
    """The real solver. It is sent to the worker, and imports the solver there."""

    def warm(self) -> None:
        """Compile what the answers need."""
        from keypeg.solver.warmup import warm  # noqa: PLC0415 - the server itself never compiles

        warm()

    def hint(self, board: Board, rows: Sequence[AnsweredRow], patience: Patience) -> Hint:
        """The best guess and why, or why there is none."""
        from keypeg.solver.suggest import Contradicted, suggest  # noqa: PLC0415

        history = _history(rows)
        seconds = min(SEARCH_SECONDS, HINT_SHARE * patience.seconds)
        try:
            found = suggest(board, history, seconds=seconds, cancelled=patience.over)
        except Contradicted as error:
            return _contradicted(board, history, error.found, str(error), patience)
        return Hint(
            codes_left=found.left.value,
            exact=found.left.exact,
            guess=found.guess,
            why=found.why,
            possible=found.possible,
            contradicts=found.breaks,
            groups=found.groups,
            largest=found.largest.value,
            expected_guesses=found.cost,
            certainty=found.certainty and found.certainty.value,
        )

    def review(self, board: Board, rows: Sequence[AnsweredRow], patience: Patience) -> GameReview:
        """Every row against the best guess, and luck told apart from skill."""
        from keypeg.solver.analysis import analysis  # noqa: PLC0415

        game = Game("review", Terms(board), tuple(Row(guess, keys) for guess, keys in rows))
        found = analysis(
            game, seconds=SEARCH_SECONDS, within=patience.seconds, cancelled=patience.gone
        )
        return GameReview(
            rows=tuple(_reviewed(row) for row in found.rows),
            loss=found.loss,
            luck=found.luck,
            start=found.start,
            certainty=found.certainty.value,
            start_certainty=found.start_certainty.value,
            complete=found.complete,
        )

    def guess(
        self, board: Board, rows: Sequence[AnsweredRow], patience: Patience, level: str
    ) -> Code | None:
        """What a player of `level` plays; random choices get a new seed each time."""
        from keypeg.solver.suggest import next_guess  # noqa: PLC0415

        return next_guess(
            board,
            _history(rows),
            level,
            seconds=min(1.0, GUESS_SHARE * patience.seconds),
            seed=secrets.randbits(32),
            cancelled=patience.over,
        )


def _history(rows: Sequence[AnsweredRow]) -> History:
    from keypeg.solver.history import Clue  # noqa: PLC0415

    return tuple(Clue(guess, keys) for guess, keys in rows)


def _contradicted(
    board: Board, history: History, found: Contradiction, why: str, patience: Patience
) -> Hint:
    from keypeg.solver.fitting.contradiction import repairs  # noqa: PLC0415

    mended = tuple(
        Repair(repair.row, repair.keys.black, repair.keys.white, repair.codes.value)
        for repair in repairs(board, history, found, cancelled=patience.over)
    )
    return Hint(0, exact=True, guess=None, why=why, contradiction=found.rows, repairs=mended)


def _reviewed(row: RowAnalysis) -> RowReview:
    return RowReview(
        row=row.row,
        before=row.before.value,
        after=row.after.value,
        exact=row.before.exact and row.after.exact,
        bits=row.bits,
        possible=row.possible,
        contradicts=row.breaks,
        loss=row.loss,
        luck=row.luck,
        best=row.best,
        certainty=row.certainty.value,
    )

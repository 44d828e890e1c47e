"""What happens at the table, told beside the board in few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from keypeg.terminal.sitting import current_game
from keypeg.terminal.voice import Voice
from keypeg.terminal.wording import (
    ending_sentence,
    names_of,
    result_sentence,
    row_sentence,
    secret_sentence,
)

if TYPE_CHECKING:
    from keypeg.rules.game import Game
    from keypeg.table import State


class Story(Voice):
    """The same story in few words: the board shows the rest."""

    def begin(self, state: State) -> None:
        """The secret is set."""
        self.write(f"{names_of(state)[state.series.maker]} set the code. It is sealed.")

    def guessed(self, game: Game) -> None:
        """The board shows it."""

    def row(self, game: Game, number: int) -> None:
        """The row, read aloud."""
        self.write(row_sentence(game, number))

    def end(self, state: State) -> None:
        """How it ended."""
        game = current_game(state)
        self.write(ending_sentence(game))
        if game.revealed:
            self.write(secret_sentence(game))
        if state.series.over:
            self.write(result_sentence(state))

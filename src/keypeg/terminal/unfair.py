"""The openly unfair maker at a prompt: rows in, key pegs and the number of codes left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from keypeg.daily.sharing import result_text
from keypeg.rules.code import Form, format_code, parse_code
from keypeg.rules.errors import AgainstTheRules, counted
from keypeg.rules.keypegs import describe_key_pegs
from keypeg.rules.notation import Comment, Record, format_record
from keypeg.rules.terms import Terms
from keypeg.rules.unfair import UnfairGame, as_events, fewest_rows
from keypeg.terminal.prompt import listen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.terminal.assist import Teller

ANNOUNCED: Final = (
    "This maker is openly unfair. It has no code yet, and no seal is made. To every row it gives "
    "the answer that leaves the most codes; of several, the one with the fewest dark key pegs, "
    "and then the fewest white ones. It never lies: at the end there is a code that fits."
)
NO_SEAL: Final = (
    "No seal was made: the maker had no code, and always gave the answer that left the most codes."
)
"""As in web/game/unfair.js."""
HELP: Final = (
    "A CODE (rrbg, 1124 or RD RD BU GN): your next row",
    "rows: the rows so far; new: begin again; quit: leave",
    "record: the record of the finished game; shortest: a play with few rows",
)
COMMANDS: Final = ("rows", "new", "record", "shortest", "quit", "help")
NOT_OVER: Final = "this is shown when the game is over"


def fewest_words(board: Board) -> str:
    """How few rows can be enough, in a sentence; as in web/game/unfair.js."""
    found = fewest_rows(board)
    if found is None:
        return "How few rows can be enough has not been worked out for this board."
    least, most = found.least, len(found.play)
    if found.proven:
        return (
            f"Every play needs at least {least} rows, and {least} can be enough: both are proven."
        )
    return (
        f"Every play needs at least {least} rows, which is proven. "
        f"{most} can be enough; whether fewer can is not known."
    )


def share_text(game: UnfairGame) -> str:
    """A finished game to share, without a peg of the code; as in web/game/unfair.js."""
    board = game.board
    name = "keypeg unfair" if str(board) == "classic" else f"keypeg unfair {board}"
    needed = counted(len(game.rows), "row") if game.broken else f"not broken in {board.rows} rows"
    keys = [row.keys for row in game.rows]
    return result_text(f"{name}: {needed}", board, keys, fewest_words(board))


def record_text(game: UnfairGame) -> str:
    """The record of a game, which says that no seal was made; as in web/game/unfair.js."""
    entries = (Comment(NO_SEAL), *as_events(game))
    return format_record(Record(Terms(game.board), entries, series_id="unfair", unfair=True))


class UnfairPrompt:
    """One game after the other against the unfair maker."""

    def __init__(self, board: Board, guesses: Sequence[Code], teller: Teller) -> None:
        self.board = board
        self._teller = teller
        self._start = self._game = UnfairGame.start(board)
        self._tell_game()
        for guess in guesses:
            self._play(guess)

    @property
    def guesses(self) -> str:
        """The rows played, as arguments of the command."""
        rows = self._game.rows
        return " ".join(format_code(row.guess, self.board, Form.DIGITS) for row in rows)

    def hear(self, typed: str) -> bool:
        """Do what a line asks for. Returns False to stop."""
        match typed.strip().lower():
            case "quit" | "q" | "exit":
                return False
            case "help" | "?" | "":
                self._teller.note(*HELP)
            case "rows":
                self._tell_game()
            case "new":
                self._game = self._start
                self._tell_game()
            case "record":
                self._teller.note(record_text(self._finished()))
            case "shortest":
                self._tell_shortest()
            case _:
                self._play(parse_code(typed, self.board))
        return True

    def _play(self, guess: Code) -> None:
        self._game = self._game.after(guess)
        self._teller.tell("row", self._row_data(-1), [self._row_line(len(self._game.rows))])
        if self._game.over:
            self._tell_end()

    def _finished(self) -> UnfairGame:
        if not self._game.over:
            raise AgainstTheRules(NOT_OVER)
        return self._game

    def _tell_shortest(self) -> None:
        found = fewest_rows(self._finished().board)
        plays = () if found is None else found.play
        lines = (format_code(guess, self.board) for guess in plays)
        self._teller.note(fewest_words(self.board), *(f"  {line}" for line in lines))

    def _tell_game(self) -> None:
        board, rows = self.board, self._game.rows
        found = fewest_rows(board)
        data = {
            "board": str(board),
            "codes": board.codes,
            "sealed": False,
            "least": found and found.least,
            "enough": found and len(found.play),
            "rows": [self._row_data(number) for number in range(len(rows))],
        }
        size = f"{counted(board.holes, 'hole')}, {board.colours} colours, {board.rows} rows"
        lines = [
            *([] if rows else [ANNOUNCED]),
            f"{board}: {size}, {board.codes:,} codes. {fewest_words(board)}",
            *(self._row_line(number) for number in range(1, len(rows) + 1)),
        ]
        self._teller.tell("game", data, lines)

    def _tell_end(self) -> None:
        game = self._game
        needed = counted(len(game.rows), "row")
        code, left = format_code(game.code, self.board), counted(len(game.left), "code")
        share = share_text(game)
        data = {
            "broken": game.broken,
            "code": format_code(game.code, self.board),
            "left": len(game.left),
            "record": record_text(game),
            "share": share,
        }
        lines = [
            f"The maker gave in: broken in {needed}."
            if game.broken
            else f"Not broken: {left} still fit all rows, and the maker now says {code}.",
            f"{NO_SEAL} {fewest_words(self.board)}",
            share,
            "'record' shows the record, 'shortest' a play with few rows, 'new' begins again.",
        ]
        self._teller.tell("done", data, lines)

    def _row_data(self, number: int) -> dict[str, Any]:
        guess, keys, left = self._game.rows[number]
        return {"guess": format_code(guess, self.board), **keys._asdict(), "left": left}

    def _row_line(self, number: int) -> str:
        guess, keys, left = self._game.rows[number - 1]
        before = self.board.codes if number == 1 else self._game.rows[number - 2].left
        told = f"{format_code(guess, self.board)}   {describe_key_pegs(keys, self.board)}"
        return f"Row {number}: {told}   {left:,} of {counted(before, 'code')} left"


def play_unfair(
    board: Board, guesses: Sequence[Code], ask: Callable[[str], str], teller: Teller
) -> None:
    """Play until the end of input, or until the player leaves."""
    prompt = UnfairPrompt(board, guesses, teller)
    listen(prompt, COMMANDS, ask, teller.error)
    if prompt.guesses:
        teller.note(f"This game again: keypeg unfair --board {board} {prompt.guesses}")

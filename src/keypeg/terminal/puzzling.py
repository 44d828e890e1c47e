"""Puzzles at the prompt: the rows, tries, hints, the answer, and the next one. Lines in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from keypeg.puzzles import Puzzle, hints, make_puzzle, wrong_try
from keypeg.rules.code import format_code, parse_code
from keypeg.rules.errors import CannotRead, counted, quoted
from keypeg.rules.keypegs import describe_key_pegs
from keypeg.terminal.prompt import listen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from keypeg.rules.board import Board

HELP: Final = (
    "A CODE: try it, as in rrbg or RD RD BU GN",
    "hint: the next deduction",
    "answer: give up, and see the code",
    "steps: all deductions, once the puzzle is over",
    "rows: the rows again",
    "next: another puzzle; 'next 4': of grade 4",
    "quit: stop here",
)
COMMANDS: Final = ("hint", "answer", "steps", "rows", "next", "quit", "help")


def puzzle_data(puzzle: Puzzle, *, solution: bool) -> dict[str, Any]:
    """A puzzle for programs."""
    board = puzzle.board
    data: dict[str, Any] = {
        "board": str(board),
        "grade": puzzle.grade,
        "seed": puzzle.seed,
        "rows": [
            {"guess": format_code(guess, board), **keys._asdict()} for guess, keys in puzzle.rows
        ],
    }
    return {**data, "code": format_code(puzzle.code, board)} if solution else data


def puzzle_lines(puzzle: Puzzle) -> Iterator[str]:
    """A puzzle for people."""
    board, grade, seed = puzzle.board, puzzle.grade, puzzle.seed
    yield f"Puzzle {seed} of grade {grade} on {board}: exactly one code fits these rows."
    for number, (guess, keys) in enumerate(puzzle.rows, 1):
        code = format_code(guess, board)
        yield f"  {number:>2}  {code}   {describe_key_pegs(keys, board)}"


def command_for(puzzle: Puzzle) -> str:
    """The command that shows this puzzle again."""
    return f"keypeg puzzle --board {puzzle.board} --grade {puzzle.grade} --seed {puzzle.seed}"


class PuzzlePrompt:
    """One puzzle after the other."""

    def __init__(
        self, puzzle: Puzzle, new_seed: Callable[[], int], write: Callable[[str], None]
    ) -> None:
        self._new_seed, self._write = new_seed, write
        self._begin(puzzle)

    @property
    def board(self) -> Board:
        """The board of the puzzles."""
        return self.puzzle.board

    def _begin(self, puzzle: Puzzle) -> None:
        self.puzzle = puzzle
        self._hints: list[str] = []
        self._given = self._tries = 0
        self._over = False
        self._tell(*puzzle_lines(puzzle))

    def hear(self, typed: str) -> bool:
        """Do what a line asks for. Returns False to stop."""
        word, _, rest = typed.strip().lower().partition(" ")
        match word, rest.strip():
            case (("quit" | "q" | "exit"), ""):
                return False
            case (("help" | "?"), ""):
                self._tell(*HELP)
            case "rows", "":
                self._tell(*puzzle_lines(self.puzzle))
            case "hint", "":
                self._hint()
            case "answer", "":
                self._answer()
            case "steps", "":
                self._steps()
            case "", "" if self._over:
                self._next("")
            case "", "":
                pass
            case "next", grade:
                self._next(grade)
            case _:
                self._try(typed)
        return True

    def _try(self, typed: str) -> None:
        puzzle = self.puzzle
        code = parse_code(typed, puzzle.board)
        self._tries += 1
        if wrong := wrong_try(puzzle, code):
            self._tell(wrong)
            return
        again = "" if self._tries == 1 else f" in {counted(self._tries, 'try', 'tries')}"
        helped = f" with {counted(self._given, 'hint')}" if self._given else ""
        self._end(f"Solved{again}{helped}.")

    def _hint(self) -> None:
        self._hints = self._hints or hints(self.puzzle)
        if self._given < len(self._hints):
            self._given += 1
        self._tell(f"{self._given}. {self._hints[self._given - 1]}")

    def _answer(self) -> None:
        code = format_code(self.puzzle.code, self.puzzle.board)
        self._end(f"The code is {code}.")

    def _steps(self) -> None:
        if not self._over:
            self._tell("First solve the puzzle, or give up with 'answer'.")
            return
        self._tell(*(f"{step}. {told}" for step, told in enumerate(hints(self.puzzle), 1)))

    def _next(self, typed: str) -> None:
        if typed and not (typed.isdecimal() and len(typed) == 1):
            raise CannotRead(f"{quoted(typed)} is not a grade; write it as in 'next 4'")
        grade = int(typed) if typed else self.puzzle.grade
        self._begin(make_puzzle(self.puzzle.board, grade, self._new_seed()))

    def _end(self, words: str) -> None:
        self._over = True
        self._tell(f"{words} 'steps' shows how it follows, 'next' another puzzle.")

    def _tell(self, *lines: str) -> None:
        for line in lines:
            self._write(line)


def play_puzzles(
    puzzle: Puzzle,
    new_seed: Callable[[], int],
    ask: Callable[[str], str],
    write: Callable[[str], None],
) -> None:
    """Play until the end of input, or until the player leaves."""
    prompt = PuzzlePrompt(puzzle, new_seed, write)
    write("Type the code, 'hint', 'answer', 'next', 'quit' or 'help'.")
    listen(prompt, COMMANDS, ask, lambda error: write(f"Not done: {error}"))
    write(f"This puzzle again: {command_for(prompt.puzzle)}")

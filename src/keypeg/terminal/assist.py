"""Beside a real board: help for the breaker, and right key pegs for the maker. Lines in and out."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from keypeg.draw import draw_code
from keypeg.rules.code import format_code, parse_code
from keypeg.rules.errors import AgainstTheRules, CannotRead, KeypegError, quoted
from keypeg.rules.keypegs import describe_key_pegs, score, solved
from keypeg.solver.fitting.consistent import codes, count
from keypeg.solver.fitting.contradiction import contradiction, repairs
from keypeg.solver.history import Clue, format_clue, parse_clue
from keypeg.solver.suggest import suggest
from keypeg.terminal import advice
from keypeg.terminal.prompt import listen
from keypeg.terminal.wording import broken_sentence, discreet_refusal
from keypeg.terminal.worksheet import Worksheet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from keypeg.rules.board import Board
    from keypeg.rules.code import Code

    Ask = Callable[[str], str]
    """A question to its answer; raises EOFError when input ends."""

FEW: Final = 12
"""The most codes that are listed without being asked for."""
MOST_LISTED: Final = 200
"""The most codes that 'list' shows."""

BREAKER_HELP: Final = (
    "GUESS=KEYS or GUESS KEYS: enter a row, such as rrbg=21 or rrbg 2b1w",
    "Enter or next: the next guess, and why",
    "list: the codes that are left",
    "undo: undo the last change",
    "ignore N: leave row N out, or use it again",
    "correct N KEYS, correct N GUESS=KEYS: change row N",
    "rows, new, quit",
)
MAKER_HELP: Final = (
    "A CODE: what the breaker played; shows the right key pegs",
    "peek: see the secret; new: another secret; rows, quit",
)
COMMANDS: Final = frozenset(
    ("quit", "exit", "help", "next", "list", "undo", "new", "ignore", "correct", "rows", "peek")
)
NO_ROWS: Final = "There are no rows yet."


class Teller:
    """Writes each answer as lines for a person, or as one JSON object for a machine."""

    def __init__(self, write: Callable[[str], None], *, as_json: bool) -> None:
        self._write, self._as_json = write, as_json

    def tell(self, event: str, data: dict[str, Any], lines: Iterable[str]) -> None:
        """One answer, both ways."""
        if self._as_json:
            self._write(json.dumps({"event": event, **data}))
            return
        for line in lines:
            self._write(line)

    def note(self, *lines: str) -> None:
        """Sentences that answer no question."""
        self.tell("note", {"text": "\n".join(lines)}, lines)

    def error(self, error: KeypegError) -> None:
        """Why nothing was done."""
        self.tell("error", {"error": str(error)}, [f"Not done: {error}"])


class BreakerAssistant:
    """Counts what is left, suggests what to play, and finds what was answered wrongly."""

    def __init__(self, board: Board, level: str, teller: Teller) -> None:
        self.sheet = Worksheet(board)
        self._level, self._teller = level, teller

    @property
    def board(self) -> Board:
        """The board that is played on."""
        return self.sheet.board

    def hear(self, typed: str) -> bool:
        """Do what a line asks for; False to stop."""
        word, _, rest = typed.strip().partition(" ")
        match word.lower(), rest.strip():
            case (("quit" | "q" | "exit"), ""):
                return False
            case (("help" | "?"), ""):
                self._teller.note(*BREAKER_HELP)
            case (("" | "next"), ""):
                self._suggest()
            case "list", "":
                self._list()
            case "rows", "":
                self._rows()
            case _:
                self._change(typed.strip(), word.lower(), rest.strip())
        return True

    def _change(self, typed: str, word: str, rest: str) -> None:
        board = self.sheet.board
        match word:
            case "undo":
                self.sheet = self.sheet.undo()
            case "new":
                self.sheet = Worksheet(board)
            case "ignore":
                self.sheet = self.sheet.ignore(_number(rest))
            case "correct":
                number, _, anew = rest.partition(" ")
                self.sheet = self.sheet.correct(_number(number), anew)
            case _:
                self.sheet = self.sheet.add(_read_answer(typed, board))
        self._take_stock()

    def _take_stock(self) -> None:
        """Say how many codes are left; which, if they are few; why, if there are none."""
        sheet, board = self.sheet, self.sheet.board
        left = count(board, sheet.history)
        found = None if left.value else contradiction(board, sheet.history)
        mended = () if found is None else repairs(board, sheet.history, found)
        renumbered = found and sheet.contradiction(found)
        result = (left, renumbered, sheet.repairs(mended))
        data = advice.check_data(*result)
        lines = list(advice.check_lines(*result, sheet.answers, board))
        data["codes"] = None
        if found is None and left.value <= FEW:
            listed = [format_code(code, board) for code in codes(board, sheet.history, FEW).codes]
            data["codes"] = listed
            lines.extend(f"  {code}" for code in listed)
        broken = any(answer.keys == solved(board) for answer in sheet.history)
        if broken and found is None:
            lines = ["Every peg is right: that is the code."]
        self._teller.tell("left", {**data, "solved": broken and found is None}, lines)

    def _suggest(self) -> None:
        sheet = self.sheet
        if not count(sheet.board, sheet.history).value:
            self._take_stock()
            return
        found = sheet.suggestion(suggest(sheet.board, sheet.history, self._level))
        data = advice.suggestion_data(found, sheet.board)
        self._teller.tell("guess", data, advice.suggestion_lines(found, sheet.board))

    def _list(self) -> None:
        board = self.sheet.board
        listing = codes(board, self.sheet.history, MOST_LISTED)
        written = [format_code(code, board) for code in listing.codes]
        more = [] if listing.complete else ["  and more"]
        data = {"codes": written, "complete": listing.complete}
        self._teller.tell("codes", data, [*(f"  {code}" for code in written), *more])

    def _rows(self) -> None:
        board, lines = self.sheet.board, self.sheet.lines
        rows = [
            _row_line(number, line.answer, board) + ("   ignored" if line.ignored else "")
            for number, line in enumerate(lines, 1)
        ]
        data = [{"row": format_clue(line.answer, board), "ignored": line.ignored} for line in lines]
        self._teller.tell("rows", {"rows": data}, rows or [NO_ROWS])


class MakerAssistant:
    """Stores the maker's secret and gives the right key pegs.

    With `hide`, which removes the last question from the screen, a peek lasts until Enter.
    """

    def __init__(
        self, board: Board, ask_secretly: Ask, teller: Teller, hide: Callable[[], None] | None
    ) -> None:
        self.board = board
        self._ask, self._teller, self._hide = ask_secretly, teller, hide
        self._rows: list[Clue] = []
        self._secret: Code | None = None

    def prepare(self) -> None:
        """Ask for the secret; 'random' draws one."""
        while self._secret is None:
            typed = self._ask("Your secret code (not shown; or 'random'): ").strip()
            try:
                drawn = typed.lower() == "random"
                self._secret = draw_code(self.board) if drawn else parse_code(typed, self.board)
            except KeypegError:
                self._teller.error(KeypegError(discreet_refusal(self.board)))
        self._rows = []
        self._teller.tell("secret", {}, ["The secret is stored. Type what the breaker plays."])

    def hear(self, typed: str) -> bool:
        """Do what a line asks for; False to stop."""
        match typed.strip().lower():
            case "quit" | "q" | "exit":
                return False
            case "help" | "?":
                self._teller.note(*MAKER_HELP)
            case "new":
                self._secret = None
                self.prepare()
            case "peek":
                self._peek(format_code(self._held, self.board))
            case "rows":
                self._tell_rows()
            case "":
                pass
            case _:
                self._answer(parse_code(typed, self.board))
        return True

    def _peek(self, secret: str) -> None:
        if self._hide is None:
            self._teller.tell("peek", {"secret": secret}, [f"Your secret: {secret}."])
            return
        try:
            self._ask(f"Your secret: {secret}. Press Enter to hide it. ")
        finally:
            self._hide()

    @property
    def _held(self) -> Code:
        if self._secret is None:
            raise AgainstTheRules("no secret is stored yet")
        return self._secret

    def _answer(self, guess: Code) -> None:
        keys = score(self._held, guess)
        self._rows.append(Clue(guess, keys))
        broken, number = keys == solved(self.board), len(self._rows)
        written = format_code(guess, self.board)
        data = {"row": number, "guess": written, **keys._asdict(), "broken": broken}
        ending = [broken_sentence(number)] if broken else []
        line = _row_line(number, self._rows[-1], self.board)
        self._teller.tell("answer", data, [line, *ending])

    def _tell_rows(self) -> None:
        board = self.board
        data = [{"row": format_clue(row, board), "ignored": False} for row in self._rows]
        lines = [_row_line(number, row, board) for number, row in enumerate(self._rows, 1)]
        self._teller.tell("rows", {"rows": data}, lines or [NO_ROWS])


def _row_line(number: int, row: Clue, board: Board) -> str:
    pegs = describe_key_pegs(row.keys, board)
    return f"  {number:>2}  {format_code(row.guess, board)}   {pegs}"


def assist_breaker(board: Board, level: str, ask: Ask, teller: Teller) -> None:
    """Help somebody break a code on a real board."""
    teller.note(f"Helping the breaker on {board}: {board.codes:,} codes.", *BREAKER_HELP[:2])
    listen(BreakerAssistant(board, level, teller), COMMANDS, ask, teller.error)


def assist_maker(
    board: Board,
    ask: Ask,
    ask_secretly: Ask,
    teller: Teller,
    hide: Callable[[], None] | None = None,
) -> None:
    """Help somebody place the right key pegs on a real board."""
    assistant = MakerAssistant(board, ask_secretly, teller, hide)
    try:
        assistant.prepare()
    except EOFError:
        return
    listen(assistant, COMMANDS, ask, teller.error)


def _read_answer(typed: str, board: Board) -> Clue:
    """A row with its key pegs after `=`, or as the last word, or as the last two: `rrbg 2 1`."""
    words = typed.split()
    if "=" not in typed and len(words) > 2 and words[-2].isdecimal():
        with suppress(KeypegError):
            return parse_clue(f"{' '.join(words[:-2])}={' '.join(words[-2:])}", board)
    guess, _, keys = typed.rpartition(" ")
    return parse_clue(f"{guess}={keys}" if guess and "=" not in typed else typed, board)


def _number(text: str) -> int:
    if not text.isdecimal() or len(text) > 4:
        raise CannotRead(f"{quoted(text)} is not a row number; write it as in 'ignore 2'")
    return int(text)

"""Records: a whole series as text that people can read and write.

A record begins with header lines, of which only `board` is required. Then each event has one line.
`#` begins a comment, on a line of its own or after an event. Blank lines are ignored.

    keypeg record 1
    board: classic
    games: 2

    secret RD WH BU GN
    guess WH YW BU BK
    answer 1b1w
    # ... more rows; then, at the end of the game:
    reveal RD WH BU GN
    close
"""

from __future__ import annotations

import re
import string
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from itertools import takewhile
from typing import TYPE_CHECKING, Final, TypeVar, assert_never
from unicodedata import category

from keypeg.rules.board import Board
from keypeg.rules.code import format_code, parse_code
from keypeg.rules.commitment import Opening
from keypeg.rules.errors import CannotRead, KeypegError, quoted
from keypeg.rules.events import (
    Abandoned,
    Answered,
    Challenged,
    Closed,
    Event,
    Guessed,
    LimitAccepted,
    LimitDeclined,
    LimitProposed,
    LimitWithdrawn,
    Resigned,
    Revealed,
    Role,
    RowExpired,
    SecretSet,
)
from keypeg.rules.keypegs import format_key_pegs, parse_key_pegs
from keypeg.rules.series import Seat, Series, play_on, replay
from keypeg.rules.terms import KeyPegMode, Scoring, Terms
from keypeg.rules.unfair import UnfairGame, check_board, follow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FIRST_LINE: Final = "keypeg record 1"
MOST_CHARACTERS: Final = 2_000_000
MOST_LINES: Final = 50_000
LONGEST_LINE: Final = 600
LONGEST_RECORDED_NAME: Final = 40
"""More than a table allows (`table.names`): records are also written by hand."""


class RecordRefused(CannotRead):
    """A record that is not valid, with the line and column of the error."""

    column: int

    def __init__(self, line: int, column: int, reason: str) -> None:
        super().__init__(f"line {line}, column {column}: {reason}", column)
        self.line, self.reason = line, reason


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment in a record. It has no effect."""

    text: str

    def __post_init__(self) -> None:
        if not _is_one_line(self.text) or len(self.text) > LONGEST_LINE - 2:
            raise CannotRead("a comment is one short line of text")


@dataclass(frozen=True, slots=True)
class Record:
    """A series as text: what was agreed on, the players' names, events and comments."""

    terms: Terms
    entries: tuple[Event | Comment, ...] = ()
    series_id: str = "record"
    first_maker: Seat = Seat.ONE
    players: tuple[str, str] = ("", "")
    unfair: bool = False
    """Whether the maker of the only game was the openly unfair one, who made no seal."""

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.series_id):
            raise CannotRead(
                f"{quoted(self.series_id)} is not a valid series id; use 1 to 64 of a-z A-Z 0-9 _ -"
            )
        if type(self.players) is not tuple or len(self.players) != len(Seat):
            raise CannotRead("a record has the names of two players; a name may be ''")
        for name in self.players:
            if not _is_name(name):
                raise CannotRead(
                    f"{quoted(name)} is not a valid name; "
                    f"use at most {LONGEST_RECORDED_NAME} printable characters"
                )
        if self.unfair:
            check_board(self.terms.board)

    @property
    def events(self) -> tuple[Event, ...]:
        """The entries without the comments."""
        return tuple(entry for entry in self.entries if not isinstance(entry, Comment))

    @property
    def start(self) -> Series:
        """The series before its first event."""
        return Series.start(self.terms, self.series_id, self.first_maker)

    def replay(self) -> Series:
        """The series after its last event."""
        return replay(self.start, self.events)


def format_record(record: Record) -> str:
    """Write a record; `parse_record` reads it back."""
    terms = record.terms
    lines = [
        FIRST_LINE,
        f"series: {record.series_id}",
        f"board: {terms.board}",
        f"games: {terms.games}",
        f"key pegs: {terms.key_pegs.value}",
        f"scoring: {terms.scoring.value}",
        f"turn limit: {_format_limit(terms.turn_seconds)}",
        f"first maker: {record.first_maker.value}",
        *(f"{seat.value}: {name}" for seat, name in zip(Seat, record.players, strict=True) if name),
        *([f"maker: {_UNFAIR}"] if record.unfair else []),
        "",
    ]
    for entry in record.entries:
        if isinstance(entry, Comment):
            lines.append(f"# {entry.text}".rstrip())
        else:
            lines.append(format_event(entry, terms.board))
            if isinstance(entry, Closed):
                lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def format_event(event: Event, board: Board) -> str:
    """Write an event as a line of a record."""
    match event:
        case SecretSet(opening, seal, expired):
            secret = "hidden" if opening is None else _format_opening(opening, board)
            sealed = "" if seal is None else f" seal {seal}"
            return f"secret {secret}{sealed}{_EXPIRED * expired}"
        case Guessed(code):
            return f"guess {format_code(code, board)}"
        case Answered(keys, expired):
            return f"answer {format_key_pegs(keys, board)}{_EXPIRED * expired}"
        case RowExpired():
            return "expire"
        case Challenged(upheld):
            return "challenge upheld" if upheld else "challenge rejected"
        case Resigned(role):
            return f"resign {role.value}"
        case Abandoned(role):
            return f"abandon {role.value}"
        case Revealed(opening):
            return f"reveal {_format_opening(opening, board)}"
        case Closed():
            return "close"
        case LimitProposed(role, seconds):
            return f"limit proposed {role.value} {_format_limit(seconds)}"
        case LimitAccepted(seconds):
            return f"limit accepted {_format_limit(seconds)}"
        case LimitDeclined():
            return "limit declined"
        case LimitWithdrawn():
            return "limit withdrawn"
        case _:
            assert_never(event)


_EXPIRED = " expired"


def _format_limit(seconds: int | None) -> str:
    return "none" if seconds is None else f"{seconds}"


def _format_opening(opening: Opening, board: Board) -> str:
    nonce = "" if opening.nonce is None else f" nonce {opening.nonce.hex()}"
    return format_code(opening.code, board) + nonce


def parse_record(text: str) -> Record:
    """Read a record and check it by the rules.

    Raises RecordRefused, with line, column and reason, if it is not valid.
    """
    lines = _numbered_lines(text.removeprefix("\ufeff"))
    number, first = lines[0] if lines else (1, "")
    if first.strip() != FIRST_LINE:
        raise RecordRefused(
            number, 1, f"a record begins with {quoted(FIRST_LINE)}, not {quoted(first)}"
        )
    header = list(takewhile(lambda numbered: _HEADER.match(numbered[1]), lines[1:]))
    record = _parse_header([line for line in header if not _is_comment(line[1])])
    body = [line for line in header if _is_comment(line[1])] + lines[1 + len(header) :]
    series = record.start
    unfair = UnfairGame.start(record.terms.board) if record.unfair else None
    entries: list[Event | Comment] = []
    for number, line in body:
        content, mark, comment = line.partition("#")
        if content.strip():
            with _errors_at(number, _columns(content)[1]):
                event = parse_event(content, record.terms.board)
            with _errors_at(number, _columns(content)[0]):
                series = play_on(series, event)
                unfair = unfair and follow(unfair, event)
            entries.append(event)
        if mark:
            with _errors_at(number, len(content) + 1):
                entries.append(Comment(comment.strip()))
    return replace(record, entries=tuple(entries))


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")


def parse_event(line: str, board: Board) -> Event:
    """Read the event in a line of a record."""
    words = line.split() or [""]
    keyword, arguments = words[0].lower(), words[1:]
    begin, column = _columns(line)
    rest = line[column - 1 :]
    match keyword, [word.lower() for word in arguments]:
        case "secret", _:
            return _parse_secret(rest, column, board)
        case "guess", _:
            return Guessed(parse_code(rest, board, column))
        case "answer", [*_, "expired"]:
            keys = rest[: rest.lower().rindex("expired")]
            return Answered(parse_key_pegs(keys, board), expired=True)
        case "answer", _:
            return Answered(parse_key_pegs(rest, board))
        case "expire", []:
            return RowExpired()
        case "challenge", ["upheld" | "rejected" as verdict]:
            return Challenged(verdict == "upheld")
        case "resign", ["maker" | "breaker" as role]:
            return Resigned(Role(role))
        case "abandon", ["maker" | "breaker" as role]:
            return Abandoned(Role(role))
        case "reveal", _:
            return _parse_reveal(rest, column, board)
        case "close", []:
            return Closed()
        case "limit", ["proposed", "maker" | "breaker" as role, limit]:
            return LimitProposed(Role(role), _seconds(limit))
        case "limit", ["accepted", limit]:
            return LimitAccepted(_seconds(limit))
        case "limit", ["declined"]:
            return LimitDeclined()
        case "limit", ["withdrawn"]:
            return LimitWithdrawn()
    expected = _GRAMMAR.get(keyword)
    if expected is None:
        known = ", ".join(_GRAMMAR)
        raise CannotRead(f"{quoted(words[0])} is not an event; use one of {known}", begin)
    raise CannotRead(f"{quoted(line.strip())} should read: {expected}")


_GRAMMAR: Final = {
    "secret": "secret CODE|hidden [nonce HEX] [seal HEX] [expired]",
    "guess": "guess CODE",
    "answer": "answer KEYS [expired]",
    "expire": "expire",
    "challenge": "challenge upheld|rejected",
    "resign": "resign maker|breaker",
    "abandon": "abandon maker|breaker",
    "reveal": "reveal CODE [nonce HEX]",
    "close": "close",
    "limit": "limit proposed maker|breaker SECONDS|none, limit accepted SECONDS|none, "
    "limit declined or limit withdrawn",
}

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_HEX_256 = re.compile(r"[0-9a-f]{64}")
_OPTION = re.compile(r"\s(nonce|seal|expired)\b", re.ASCII | re.IGNORECASE)


def _parse_secret(text: str, column: int, board: Board) -> SecretSet:
    code, options = _options(text, "secret")
    opening = None
    if code.strip().lower() != "hidden":
        opening = _opening(code, options.get("nonce"), column, board)
    elif "nonce" in options:
        raise CannotRead("a hidden secret has no nonce; leave it out")
    seal = _hex(options["seal"], "a seal") if "seal" in options else None
    return SecretSet(opening, seal, expired="expired" in options)


def _parse_reveal(text: str, column: int, board: Board) -> Revealed:
    code, options = _options(text, "reveal")
    if options.keys() - {"nonce"}:
        raise CannotRead(f"{quoted(text.strip())} should read: {_GRAMMAR['reveal']}")
    return Revealed(_opening(code, options.get("nonce"), column, board))


def _options(text: str, keyword: str) -> tuple[str, dict[str, str]]:
    """The code of a `secret` or `reveal` line, and the options after it, in any order."""
    first = _OPTION.search(text)
    code, rest = (text, "") if first is None else (text[: first.start()], text[first.start() :])
    options: dict[str, str] = {}
    words = iter(rest.split())
    for word in words:
        name = word.lower()
        value = "" if name == "expired" else next(words, "")
        if name in options or name not in ("nonce", "seal", "expired"):
            raise CannotRead(f"{quoted(text.strip())} should read: {_GRAMMAR[keyword]}")
        options[name] = value
    return code, options


def _opening(code: str, nonce: str | None, column: int, board: Board) -> Opening:
    nonce_bytes = None if nonce is None else bytes.fromhex(_hex(nonce, "a nonce"))
    return Opening(parse_code(code, board, column), nonce_bytes)


def _hex(text: str, what: str) -> str:
    if not _HEX_256.fullmatch(text.lower()):
        raise CannotRead(f"{what} is 64 hexadecimal digits, not {quoted(text)}")
    return text.lower()


def _parse_header(lines: list[tuple[int, str]]) -> Record:
    """Read the header: a record without entries."""
    fields: dict[str, tuple[int, int, str]] = {}
    for number, line in lines:
        name, _, value = line.partition(":")
        key = " ".join(name.lower().split())
        with _errors_at(number):
            if key not in _FIELDS:
                raise CannotRead(f"{quoted(key)} is not a header field; use {', '.join(_FIELDS)}")
            if key in fields:
                raise CannotRead(f"{quoted(key)} is given twice")
        fields[key] = (number, len(line) - len(value.lstrip()) + 1, value.strip())
    if "board" not in fields:
        raise RecordRefused(2, 1, "a record needs a header line like 'board: classic'")

    def read(field: str, default: str, parse: Callable[[str], _Value]) -> _Value:
        number, column, value = fields.get(field, (1, 1, default))
        with _errors_at(number, column):
            return parse(value)

    terms = Terms(read("board", "", Board.parse))
    key_pegs = read("key pegs", "referee", _choice(KeyPegMode))
    terms = replace(terms, key_pegs=key_pegs, scoring=read("scoring", "rows", _choice(Scoring)))
    terms = read("games", "2", lambda text: replace(terms, games=_whole_number(text)))
    terms = read("turn limit", "none", lambda text: replace(terms, turn_seconds=_seconds(text)))
    record = Record(terms, first_maker=read("first maker", "one", _choice(Seat)))
    record = read("series", "record", lambda text: replace(record, series_id=text))
    record = read("one", "", lambda text: replace(record, players=(text, "")))
    record = read("two", "", lambda text: replace(record, players=(record.players[0], text)))
    return read("maker", "", lambda text: replace(record, unfair=_is_unfair(text)))


def _is_unfair(text: str) -> bool:
    if text.lower() not in ("", _UNFAIR):
        raise CannotRead(f"{quoted(text)} is not a kind of maker; use {_UNFAIR}, or leave it out")
    return text != ""


_Value = TypeVar("_Value")
_FIELDS: Final = (
    "series",
    "board",
    "games",
    "key pegs",
    "scoring",
    "turn limit",
    "first maker",
    "one",
    "two",
    "maker",
)
_UNFAIR: Final = "unfair"
_HEADER = re.compile(r"\s*([A-Za-z][A-Za-z ]*:|#)")


def _choice(kind: type[_Choice]) -> Callable[[str], _Choice]:
    """A function that reads a value of an enumeration."""

    def read(text: str) -> _Choice:
        try:
            return kind(text.lower())
        except ValueError:
            names = ", ".join(member.value for member in kind)
            raise CannotRead(f"{quoted(text)} is not one of {names}") from None

    return read


_Choice = TypeVar("_Choice", bound=Enum)


def _seconds(text: str) -> int | None:
    return None if text.lower() == "none" else _whole_number(text)


def _whole_number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise CannotRead(f"{quoted(text)} is not a whole number")
    return int(text)


def _columns(line: str) -> tuple[int, int]:
    """The column of the first word of a line, and the column of what follows it."""
    word = len(line) - len(line.lstrip())
    rest = line[word:].lstrip(string.ascii_letters)
    return word + 1, len(line) - len(rest.lstrip()) + 1


def _is_name(text: str) -> bool:
    """Whether a name is printable. Joiners are allowed, because some scripts need them."""
    shown = text.replace("\u200c", "").replace("\u200d", "").replace("\xa0", " ")
    return text == text.strip() and shown.isprintable() and len(text) <= LONGEST_RECORDED_NAME


def _is_one_line(text: str) -> bool:
    """Whether a text has no line breaks, control characters or lone surrogates."""
    bad = ("Cc", "Cs", "Zl", "Zp")
    return text == text.strip() and all(c == "\t" or category(c) not in bad for c in text)


def _numbered_lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, each with its number."""
    if len(text) > MOST_CHARACTERS:
        reason = f"a record has at most {MOST_CHARACTERS:,} characters, not {len(text):,}"
        raise RecordRefused(1, 1, reason)
    lines = text.split("\n")
    if len(lines) > MOST_LINES + 1:
        raise RecordRefused(MOST_LINES + 1, 1, f"a record has at most {MOST_LINES:,} lines")
    numbered = []
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE:
            reason = f"a line has at most {LONGEST_LINE} characters, not {len(line):,}"
            raise RecordRefused(number, LONGEST_LINE + 1, reason)
        if line.strip():
            numbered.append((number, line.rstrip()))
    return numbered


@contextmanager
def _errors_at(number: int, column: int = 1) -> Iterator[None]:
    """Add this line and column to errors raised in this block."""
    try:
        yield
    except KeypegError as error:
        known = error.column if isinstance(error, CannotRead) else None
        raise RecordRefused(number, known or column, str(error)) from None

"""Sentences about a table, the same at the prompt and on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, assert_never

from keypeg.rules.code import Form, describe_code, format_code
from keypeg.rules.errors import counted
from keypeg.rules.events import (
    LimitAccepted,
    LimitDeclined,
    LimitEvent,
    LimitProposed,
    LimitWithdrawn,
    Role,
)
from keypeg.rules.game import Ending, Phase
from keypeg.rules.keypegs import describe_key_pegs
from keypeg.rules.series import Seat
from keypeg.table.options import TableOption, options
from keypeg.terminal.sitting import called, current_game

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.game import Game
    from keypeg.rules.keypegs import KeyPegs
    from keypeg.rules.series import Series
    from keypeg.table import State

BLACK, WHITE, NONE = "●", "○", "·"
"""Key pegs as signs: a filled disc, a ring, and a dot for none."""

YOU: Final = "You"
"""The default name of somebody who plays alone."""

_ENDINGS: Final = {
    Ending.BROKEN: "Broken in {rows}!",
    Ending.UNBROKEN: "Not broken: all {rows} are used.",
    Ending.BREAKER_RESIGNED: "The breaker gave up.",
    Ending.BREAKER_ABANDONED: "The breaker left.",
    Ending.MAKER_RESIGNED: "The maker gave up.",
    Ending.MAKER_ABANDONED: "The maker left.",
    Ending.WRONG_INFORMATION: "Void: the maker gave wrong information. The breaker gets 3 points.",
}


def names_of(state: State) -> dict[Seat, str]:
    """What to call the players of a table."""
    return distinct_names(called(state, Seat.ONE), called(state, Seat.TWO))


def distinct_names(one: str, two: str) -> dict[Seat, str]:
    """What to call two players; equal names get their seats added, an empty one is "Player one"."""
    if one == two != "":
        return {Seat.ONE: f"{one} (one)", Seat.TWO: f"{two} (two)"}
    return {Seat.ONE: one or "Player one", Seat.TWO: two or "Player two"}


def signs(keys: KeyPegs, board: Board) -> str:
    """Key pegs as signs, sorted, as many as the board has holes."""
    none = board.holes - keys.black - keys.white
    return BLACK * keys.black + WHITE * keys.white + NONE * none


def row_sentence(game: Game, number: int) -> str:
    """A row read out: `Row 3: red, red, blue, green. 2 black, 1 white.`"""
    row = game.rows[number - 1]
    if row.guess is None:
        return f"Row {number}: time ran out."
    read = f"Row {number}: {describe_code(row.guess, game.board)}."
    if row.keys is None:
        return f"{read} Not answered yet."
    return f"{read} {describe_key_pegs(row.keys, game.board)}."


def row_line(game: Game, number: int, form: Form = Form.SHORT) -> str:
    """A row in short: its number, its pegs and its answer."""
    row = game.rows[number - 1]
    if row.guess is None:
        return f"  {number:>2}  time ran out"
    answer = "" if row.keys is None else describe_key_pegs(row.keys, game.board)
    return f"  {number:>2}  {format_code(row.guess, game.board, form)}   {answer}".rstrip()


def ending_sentence(game: Game) -> str:
    """How a finished game ended."""
    if game.outcome is None:
        return "The game is not over."
    return _ending(game.outcome.ending, len(game.rows))


def broken_sentence(rows: int) -> str:
    """How a game ended in which the code was broken."""
    return _ending(Ending.BROKEN, rows)


def _ending(ending: Ending, rows: int) -> str:
    return _ENDINGS[ending].format(rows="1 row" if rows == 1 else f"{rows} rows")


def secret_sentence(game: Game) -> str:
    """What the secret was, if it is known."""
    if game.opening is None:
        return "No code was set."
    code = game.opening.code
    return f"The code was {format_code(code, game.board)} ({describe_code(code, game.board)})."


def limit_words(seconds: int | None) -> str:
    """A turn limit in words: `3 minutes for each turn`."""
    if seconds is None:
        return "no time limit"
    minutes, rest = divmod(seconds, 60)
    amount = counted(seconds, "second") if rest else counted(minutes, "minute")
    return f"{amount} for each turn"


def limit_sentence(state: State, event: LimitEvent) -> str:
    """What somebody said about the turn limit; `state` is the table after it."""
    names = names_of(state)
    match event:
        case LimitProposed(role, seconds):
            maker = state.series.maker
            name = names[maker if role is Role.MAKER else maker.other]
            return f"{name} {'propose' if name == YOU else 'proposes'} {limit_words(seconds)}."
        case LimitAccepted(seconds):
            return f"Agreed: {limit_words(seconds)}, from the next turn."
        case LimitDeclined():
            return "The proposed time limit is declined."
        case LimitWithdrawn():
            return "The proposed time limit is withdrawn."
        case _:
            assert_never(event)


def score_sentence(state: State) -> str:
    """The score: `Ada 7, Bob 3; game 1 of 2.`"""
    names, points = names_of(state), state.series.score_line
    standing = ", ".join(f"{names[seat]} {points.of(seat)}" for seat in Seat)
    return f"{standing}; game {state.series.number} of {state.series.terms.games}."


def result_sentence(series: Series, names: dict[Seat, str]) -> str:
    """Who won the series, and by how much."""
    result = series.result
    if result is None:
        return "The series is not over."
    points = f"{result.points.one} to {result.points.two}"
    if result.winner is None:
        return f"The series is a tie, {points}."
    if result.winner is Seat.TWO:
        points = f"{result.points.two} to {result.points.one}"
    verb = "win" if names[result.winner] == YOU else "wins"
    return f"{names[result.winner]} {verb} the series, {points}."


def discreet_refusal(board: Board) -> str:
    """Why a secret was refused, without giving it away to somebody who looks on."""
    pegs = " ".join(colour.short for colour in board.palette) + (" -" if board.blanks else "")
    once = "" if board.repeats else ", none of them twice"
    return f"a code of this board is {board.holes} of {pegs}{once}"


def call_sentence(state: State, seat: Seat | None) -> str:
    """What the table waits for, addressed to the player in `seat`."""
    game, names = current_game(state), names_of(state)
    if not state.ready:
        return "Waiting for the other player to sit down."
    if state.series.over:
        return result_sentence(state.series, names)
    turn = state.series.turn
    if game.phase is Phase.OVER or turn is None:
        return _after_the_game(state, seat)
    deed = _DEEDS[game.phase].format(row=len(game.rows) + (game.phase is Phase.GUESS))
    if turn is seat:
        return f"{_called(names[turn])}{deed}"
    return f"Waiting for {names[turn]} to {deed}"


_DEEDS: Final = {
    Phase.SECRET: "set the secret code.",
    Phase.GUESS: "fill row {row}.",
    Phase.ANSWER: "place the key pegs for row {row}.",
}


def _called(name: str) -> str:
    return "Your turn: " if name == YOU else f"{name}: "


def _after_the_game(state: State, seat: Seat | None) -> str:
    if _void(current_game(state)):
        return f"Go on: game {state.series.number} is played again."
    number = state.series.number + 1
    following = "close the game" if number > state.series.terms.games else f"go on to game {number}"
    if seat is None:
        return f"Waiting for {names_of(state)[state.series.maker.other]} to go on or challenge."
    challenge = "challenge, or " if TableOption.CHALLENGE in options(state, seat) else ""
    return f"{challenge}{following}.".capitalize()


def _void(game: Game) -> bool:
    return game.outcome is not None and game.outcome.void

"""One game: its immutable state, and `apply`, which computes the state after an event.

A state that is computed from what one player may see does not contain the secret. `apply` then
skips the checks that need the secret, so that the referee and the players use the same function.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, NoReturn, assert_never

from keypeg.rules.code import check_code, format_code
from keypeg.rules.commitment import opens
from keypeg.rules.errors import AgainstTheRules, NotYourTurn
from keypeg.rules.events import (
    Abandoned,
    Answered,
    Challenged,
    GameEvent,
    Guessed,
    Resigned,
    Revealed,
    Role,
    RowExpired,
    SecretSet,
)
from keypeg.rules.keypegs import check_key_pegs, describe_key_pegs, score, solved
from keypeg.rules.terms import KeyPegMode, Terms

if TYPE_CHECKING:
    from keypeg.rules.board import Board
    from keypeg.rules.code import Code
    from keypeg.rules.commitment import Opening
    from keypeg.rules.keypegs import KeyPegs


class Phase(Enum):
    """What a game is waiting for."""

    SECRET = "secret"  # noqa: S105 - a phase, not a password
    GUESS = "guess"
    ANSWER = "answer"
    OVER = "over"

    __hash__ = object.__hash__
    """Compared as one object, as `Seat` is, which is faster."""


class Ending(Enum):
    """How a game ended."""

    BROKEN = "broken"
    UNBROKEN = "unbroken"
    BREAKER_RESIGNED = "breaker-resigned"
    BREAKER_ABANDONED = "breaker-abandoned"
    MAKER_RESIGNED = "maker-resigned"
    MAKER_ABANDONED = "maker-abandoned"
    WRONG_INFORMATION = "wrong-information"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a game. `series` computes the points for it."""

    ending: Ending

    @property
    def void(self) -> bool:
        """Whether the game does not count and is to be replayed."""
        return self.ending is Ending.WRONG_INFORMATION

    @property
    def forfeited(self) -> bool:
        """Whether the maker gets nothing for the game."""
        return self.ending in _FORFEITED

    @property
    def unbroken(self) -> bool:
        """Whether the maker scores as if the code was not broken."""
        return not self.forfeited and self.ending is not Ending.BROKEN


_FORFEITED = (Ending.WRONG_INFORMATION, Ending.MAKER_RESIGNED, Ending.MAKER_ABANDONED)


@dataclass(frozen=True, slots=True)
class Row:
    """A row: the guess, or None if time ran out, and its answer, or None if there is none yet."""

    guess: Code | None
    keys: KeyPegs | None = None
    expired: bool = False
    """Whether time ran out, either for the guess or for the answer, which the referee then gave."""


@dataclass(frozen=True, slots=True)
class Game:
    """The state of one game. A player's view of it may lack the secret."""

    id: str
    terms: Terms
    rows: tuple[Row, ...] = ()
    secret_set: bool = False
    seal: str | None = None
    opening: Opening | None = None
    outcome: Outcome | None = None
    revealed: bool = False
    cleared: int = 0
    """The number of rows, from the first, whose answers a rejected challenge has confirmed."""

    @property
    def board(self) -> Board:
        """The board of the game."""
        return self.terms.board

    @property
    def phase(self) -> Phase:
        """What the game is waiting for."""
        if self.outcome is not None:
            return Phase.OVER
        if not self.secret_set:
            return Phase.SECRET
        if self.rows and self.rows[-1].guess is not None and self.rows[-1].keys is None:
            return Phase.ANSWER
        return Phase.GUESS

    @property
    def turn(self) -> Role | None:
        """Whose turn it is. None if the game is over, or if the referee answers next."""
        phase = self.phase
        if phase is Phase.SECRET:
            return Role.MAKER
        if phase is Phase.GUESS:
            return Role.BREAKER
        by_maker = phase is Phase.ANSWER and self.terms.key_pegs is not KeyPegMode.REFEREE
        return Role.MAKER if by_maker else None

    @property
    def settled(self) -> bool:
        """Whether the game is over and its secret, if any, is revealed."""
        return self.outcome is not None and (self.revealed or not self.secret_set)

    @property
    def questionable(self) -> bool:
        """Whether there is an answer given by hand that no challenge has confirmed yet."""
        by_hand = self.terms.key_pegs is KeyPegMode.BY_HAND
        return by_hand and any(row.keys is not None for row in self.rows[self.cleared :])

    @property
    def answered(self) -> tuple[tuple[Code, KeyPegs], ...]:
        """The guesses that have been answered, with their answers."""
        return tuple(
            (row.guess, row.keys)
            for row in self.rows
            if row.guess is not None and row.keys is not None
        )


def apply(game: Game, event: GameEvent) -> Game:
    """The game after `event`. Raises an error if the rules do not allow it."""
    match event:
        case SecretSet():
            return _set_secret(game, event)
        case Guessed(code):
            return _guess(game, code)
        case Answered():
            return _answer(game, event)
        case RowExpired():
            return _expire_row(game)
        case Challenged(upheld):
            return _challenge(game, upheld)
        case Resigned(role):
            return _give_up(game, _RESIGNED[role])
        case Abandoned(role):
            return _give_up(game, _ABANDONED[role])
        case Revealed(opening):
            return _reveal(game, opening)
        case _:
            assert_never(event)


_RESIGNED = {Role.MAKER: Ending.MAKER_RESIGNED, Role.BREAKER: Ending.BREAKER_RESIGNED}
_ABANDONED = {Role.MAKER: Ending.MAKER_ABANDONED, Role.BREAKER: Ending.BREAKER_ABANDONED}


def _set_secret(game: Game, event: SecretSet) -> Game:
    if game.secret_set:
        raise AgainstTheRules("the secret has already been set")
    _expect(game, Phase.SECRET)
    _need_time_limit(game, event.expired)
    if event.opening is not None:
        check_code(event.opening.code, game.board)
        _check_seal(game, event.seal, event.opening)
    return replace(game, secret_set=True, opening=event.opening, seal=event.seal)


def _guess(game: Game, code: Code) -> Game:
    _expect(game, Phase.GUESS)
    check_code(code, game.board)
    return replace(game, rows=(*game.rows, Row(code)))


def _answer(game: Game, event: Answered) -> Game:
    _expect(game, Phase.ANSWER)
    _need_time_limit(game, event.expired)
    check_key_pegs(event.keys, game.board)
    guess = game.rows[-1].guess
    if guess is not None and game.opening is not None:
        right = score(game.opening.code, guess)
        may_err = game.terms.key_pegs is KeyPegMode.BY_HAND and not event.expired
        if event.keys != right and not may_err:
            raise AgainstTheRules(
                f"row {len(game.rows)}: {describe_key_pegs(event.keys, game.board)} is wrong; "
                f"{format_code(guess, game.board)} gets {describe_key_pegs(right, game.board)}"
            )
    answered = replace(game, rows=(*game.rows[:-1], Row(guess, event.keys, event.expired)))
    if event.keys == solved(game.board):
        return replace(answered, outcome=Outcome(Ending.BROKEN))
    return _end_if_full(answered)


def _expire_row(game: Game) -> Game:
    _expect(game, Phase.GUESS)
    _need_time_limit(game, expired=True)
    return _end_if_full(replace(game, rows=(*game.rows, Row(None, expired=True))))


def _challenge(game: Game, upheld: bool) -> Game:
    if game.terms.key_pegs is not KeyPegMode.BY_HAND:
        raise AgainstTheRules(
            "only key pegs placed by hand can be challenged; here every answer was checked"
        )
    if not game.secret_set:
        raise AgainstTheRules("there is no answer to challenge before the secret is set")
    found_out = upheld and game.outcome == Outcome(Ending.MAKER_RESIGNED)
    if game.outcome is not None and game.outcome.forfeited and not found_out:
        raise AgainstTheRules("the maker already gets nothing for this game")
    if not game.questionable:
        raise AgainstTheRules("there is no new answer to challenge")
    if game.opening is not None and upheld != bool(wrong_rows(game)):
        right = "rejected: every answer is right" if upheld else "upheld: an answer is wrong"
        raise AgainstTheRules(f"this challenge must be {right}")
    if upheld:
        return replace(game, outcome=Outcome(Ending.WRONG_INFORMATION))
    return replace(game, cleared=len(game.rows) - (game.phase is Phase.ANSWER))


def _give_up(game: Game, ending: Ending) -> Game:
    if game.outcome is not None:
        raise AgainstTheRules("the game is over; there is nothing to give up")
    return replace(game, outcome=Outcome(ending))


def _reveal(game: Game, opening: Opening) -> Game:
    if game.outcome is None:
        raise AgainstTheRules("the shield stays closed until the game is over")
    if not game.secret_set:
        raise AgainstTheRules("no secret was set in this game")
    if game.revealed:
        raise AgainstTheRules("the secret has already been revealed")
    check_code(opening.code, game.board)
    if game.opening is not None and opening != game.opening:
        raise AgainstTheRules("this is not the secret that was set")
    _check_seal(game, game.seal, opening)
    revealed = replace(game, opening=opening, revealed=True)
    _check_referee(revealed)
    return revealed


def wrong_rows(game: Game) -> tuple[int, ...]:
    """The numbers of the rows with a wrong answer. The secret must be known."""
    if game.opening is None:
        raise AgainstTheRules("answers can be checked only against a known secret")
    secret = game.opening.code
    return tuple(
        number
        for number, row in enumerate(game.rows, 1)
        if row.guess is not None and row.keys is not None and row.keys != score(secret, row.guess)
    )


def _check_referee(game: Game) -> None:
    """Check all answers, since those given while the secret was hidden could not be checked."""
    wrong = wrong_rows(game)
    for number in wrong:
        by_maker = game.terms.key_pegs is KeyPegMode.BY_HAND and not game.rows[number - 1].expired
        if number <= game.cleared or not by_maker:
            raise AgainstTheRules(f"row {number} was answered wrongly for this secret")
    void = game.outcome is not None and game.outcome.void
    if void and not wrong:
        raise AgainstTheRules("a challenge was upheld, but every answer is right for this secret")


def _end_if_full(game: Game) -> Game:
    full = len(game.rows) == game.board.rows
    return replace(game, outcome=Outcome(Ending.UNBROKEN)) if full else game


def _check_seal(game: Game, seal: str | None, opening: Opening) -> None:
    if seal is None and opening.nonce is not None:
        raise AgainstTheRules("a nonce belongs to a seal, and this game has no seal")
    if seal is not None and not opens(seal, game.board, game.id, opening):
        raise AgainstTheRules("the code and nonce do not open the seal of this game")


def _need_time_limit(game: Game, expired: bool) -> None:
    if expired and game.terms.turn_seconds is None:
        raise AgainstTheRules("time cannot run out: no turn limit was agreed on")


def _expect(game: Game, phase: Phase) -> None:
    if game.phase is not phase:
        _refuse(game)


def _refuse(game: Game) -> NoReturn:
    if game.phase is Phase.OVER:
        raise AgainstTheRules("the game is over")
    waits = {
        Phase.SECRET: "the maker must set the secret first",
        Phase.GUESS: f"the breaker must play row {len(game.rows) + 1} first",
        Phase.ANSWER: f"row {len(game.rows)} must be answered first",
    }
    raise NotYourTurn(waits[game.phase])

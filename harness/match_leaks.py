"""Leaks at matches: bytes sent to a player or a spectator that depend on what they may not know.

A story says what a reader may know of a match: their own rows, and of others what is shown. It is
told twice, with other codes, other pegs of the other players, and, where key pegs are hidden at
one's own pace, other numbers of rows, other times and other ends. What the reader is sent must be
the same to the last byte, apart from the seals.
"""

from __future__ import annotations

import itertools
import random
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from harness.leaks import SEAL
from keypeg.matches import commands as asked
from keypeg.matches.decisions import decide, opening
from keypeg.matches.seen import Seen
from keypeg.matches.state import begin, fold
from keypeg.messages import MatchUpdate
from keypeg.messages.matches import match_out
from keypeg.rules.board import Board
from keypeg.rules.errors import KeypegError
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.match.state import MatchStage
from keypeg.rules.match.terms import MatchKind, MatchTerms, Pace
from keypeg.rules.match.view import view
from keypeg.rules.terms import KeyPegMode
from keypeg.server.encoding import as_text
from keypeg.store.matches import MatchEntry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.matches.commands import AnyCommand
    from keypeg.rules.code import Code

BOARD: Final = Board(3, 4)
CODES: Final = tuple(itertools.product(BOARD.symbols, repeat=BOARD.holes))
ID: Final = "m" * 22
OTHERS: Final = (2, 3)
STEP: Final = 1_000
"""Milliseconds between two things that the reader may know of."""


class Step(NamedTuple):
    """Something that the reader may know of: by whom, and with which pegs or key pegs."""

    player: int
    kind: str
    code: Code = ()
    keys: KeyPegs = KeyPegs(0, 0)


class Story(NamedTuple):
    """What a reader may know of a match up to its end; the reader is player 1, or looks on."""

    terms: MatchTerms
    watches: bool
    steps: tuple[Step, ...]
    own: tuple[Code, ...]
    """The codes that player 1 plays."""
    set_by_reader: Code
    answers: tuple[KeyPegs, ...]
    """What the reader's rows are answered."""


class MatchCase(NamedTuple):
    """A story told twice."""

    story: Story
    one: list[str]
    two: list[str]

    @property
    def leaks(self) -> bool:
        """Whether the reader could tell the two from each other."""
        return self.one != self.two


class Telling:
    """A match in which a story is told."""

    def __init__(self, story: Story, secret: Code, rng: random.Random) -> None:
        self.story, self.secret, self.rng = story, secret, rng
        self.now = STEP
        self.sent: list[str] = []
        places = story.terms.places
        wanted = asked.Open(story.terms, "1" * 64, "Ann")
        events = opening(wanted, ID, draw=lambda _: secret)
        self.state = begin(ID, MatchEntry(1, self.now, 0, "open", events))
        self.show()
        for number in range(2, places + 1):
            self.write(number, asked.Join(f"{number:064}"))
        if story.terms.kind is MatchKind.DUEL:
            self.write(1, asked.SetSecret(story.set_by_reader))
            self.write(2, asked.SetSecret(secret))

    @property
    def reader(self) -> int | None:
        return None if self.story.watches else 1

    def write(self, player: int, command: AnyCommand) -> None:
        """Carry out a command, and send the reader what is seen of it."""
        before = self.state
        events = decide(before, player, command, self.now, self.now)
        self.state = fold(
            before, MatchEntry(before.seq + 1, self.now, player, f"c{before.seq}", events)
        )
        if self.state.seq_for(self.reader) != before.seq_for(self.reader):
            self.show()

    def show(self) -> None:
        self.sent.append(SEAL.sub("seal", as_text(MatchUpdate(match=match_out(self.seen())))))

    def seen(self) -> Seen:
        state = self.state
        shown = view(state.match, self.reader)
        seq = state.seq_for(self.reader)
        return Seen(shown, seq, self.now, state.created, state.people, frozenset())

    def tell(self) -> list[str]:
        """Everything that the reader is sent before the end, with refusals and look-ups."""
        for number, step in enumerate(self.story.steps, 2):
            self.hidden(until=number * STEP)
            self.now = number * STEP
            self.do(step)
            if self.state.match.stage is MatchStage.OVER:
                break
            self.show()
            self.sent.append(self.refusal())
        return self.sent

    def refusal(self) -> str:
        """What the reader is told who asks for something that may not be done."""
        try:
            decide(self.state, 1, asked.Guess(99, CODES[0]), self.now, self.now)
        except KeypegError as error:
            return str(error)
        return "allowed"

    def hidden(self, until: int) -> None:
        """Where that is not to be known, others play some rows before something is seen."""
        if not self.story.terms.discreet:
            return
        for player in self.others():
            while self.rng.random() < 0.6 and not self.player_is_done(player, leave=1):
                self.now = self.rng.randrange(self.now, until)
                self.guess(player)

    def others(self) -> list[int]:
        return [number for number in OTHERS if self.state.match.has(number)]

    def player_is_done(self, number: int, leave: int = 0) -> bool:
        player = self.state.match.player(number)
        return player.done or len(player.game.rows) + leave >= BOARD.rows

    def do(self, step: Step) -> None:
        rows = self.state.match.player(step.player).game.rows
        match step.kind:
            case "own":
                self.write(1, asked.Guess(len(rows) + 1, step.code))
            case "shown":
                self.guess(step.player, step.keys)
            case "filled":
                self.guess(step.player)
            case "pegs":
                self.write(step.player, asked.Guess(len(rows) + 1, step.code))
            case "answered":
                other = self.state.match.opponent(step.player).game.rows
                self.write(step.player, asked.Answer(len(other), step.keys))
            case "done":
                self.end(step.player)

    def end(self, number: int) -> None:
        """Somebody is done: nobody may know how."""
        row = len(self.state.match.player(number).game.rows) + 1
        secret = self.broken_by(number)
        if self.rng.random() < 0.5 and self.story.terms.kind is MatchKind.RACE:
            self.write(number, asked.Guess(row, secret))
        else:
            self.write(number, asked.GiveUp())

    def broken_by(self, number: int) -> Code:
        """The code that this player breaks."""
        duel = self.story.terms.kind is MatchKind.DUEL
        return self.story.set_by_reader if duel and number != 1 else self.secret

    def guess(self, number: int, keys: KeyPegs | None = None) -> None:
        """Some row of another player that gets these key pegs, or does not break the code."""
        row = len(self.state.match.player(number).game.rows) + 1
        codes = _fitting(self.broken_by(number), keys)
        self.write(number, asked.Guess(row, self.rng.choice(codes)))


@cache
def _fitting(secret: Code, keys: KeyPegs | None) -> tuple[Code, ...]:
    """The codes that get these key pegs for a secret; None stands for all but the code itself."""
    if keys is None:
        return tuple(code for code in CODES if code != secret)
    return tuple(code for code in CODES if score(secret, code) == keys)


def match_cases(rng: random.Random) -> Iterator[MatchCase]:
    """Stories of all kinds, each told twice."""
    while True:
        story = _story(rng)
        alike = [code for code in CODES if _answers(code, story.own) == story.answers]
        alike = [code for code in alike if _can_be_told(story, code)]
        if len(alike) < 2:
            continue
        one, two = rng.sample(alike, 2)
        yield MatchCase(
            story,
            Telling(story, one, random.Random(rng.random())).tell(),
            Telling(story, two, random.Random(rng.random())).tell(),
        )


def _answers(secret: Code, codes: tuple[Code, ...]) -> tuple[KeyPegs, ...]:
    return tuple(score(secret, code) for code in codes)


def _can_be_told(story: Story, secret: Code) -> bool:
    """Whether some row gets each answer that others are seen to get."""
    duel = story.terms.kind is MatchKind.DUEL
    breakers = (1,) if duel else (1, *OTHERS)
    shown = {step.keys for step in story.steps if step.kind == "shown" and step.player in breakers}
    return all(_fitting(secret, keys) for keys in shown)


def _story(rng: random.Random) -> Story:
    terms, watches = _terms(rng), rng.random() < 0.3
    secret, mine = rng.choice(CODES), rng.choice(CODES)
    own = tuple(code for code in rng.sample(CODES, 3) if score(secret, code).black < BOARD.holes)
    steps = [*_steps(terms, rng, own, secret, mine, watches=watches)]
    if watches and not terms.by_hand:
        # Of player 1 too a spectator knows key pegs at most.
        own = ()
    return Story(terms, watches, tuple(steps), own, mine, _answers(secret, own))


def _terms(rng: random.Random) -> MatchTerms:
    duel, pace = rng.random() < 0.4, rng.choice(list(Pace))
    by_hand = duel and pace is Pace.OWN and rng.random() < 0.5
    return MatchTerms(
        MatchKind.DUEL if duel else MatchKind.RACE,
        BOARD,
        pace,
        keys_shown=by_hand or rng.random() < 0.5,
        key_pegs=KeyPegMode.BY_HAND if by_hand else KeyPegMode.REFEREE,
        row_seconds=86_400,
        places=2 if duel else 3,
    )


def _steps(
    terms: MatchTerms,
    rng: random.Random,
    own: tuple[Code, ...],
    secret: Code,
    mine: Code,
    *,
    watches: bool,
) -> Iterator[Step]:
    others = OTHERS[: terms.places - 1]
    if terms.discreet:
        rest = [*(Step(1, "own", code) for code in own), *(Step(one, "done") for one in others)]
        rng.shuffle(rest)
        yield from ([step for step in rest if step.kind != "own"] if watches else rest)
        return
    broken = mine if terms.kind is MatchKind.DUEL else secret
    for code in own:
        row = [*_row(terms, code, secret, watches=watches)]
        for other in others:
            theirs = rng.choice(_fitting(broken, None))
            if terms.by_hand:
                row += [Step(other, "pegs", theirs), Step(1, "answered", keys=score(mine, theirs))]
            elif terms.keys_shown:
                row.append(Step(other, "shown", keys=score(broken, theirs)))
            else:
                row.append(Step(other, "filled"))
        if not terms.by_hand:
            rng.shuffle(row)
        yield from row


def _row(terms: MatchTerms, code: Code, secret: Code, *, watches: bool) -> Iterator[Step]:
    """A row of player 1, as the reader knows it."""
    keys = score(secret, code)
    if terms.by_hand:
        yield Step(1, "own", code)
        yield Step(2, "answered", keys=keys)
    elif not watches:
        yield Step(1, "own", code)
    elif terms.keys_shown:
        yield Step(1, "shown", keys=keys)
    else:
        yield Step(1, "filled")

"""A match as a small independent model: plain lists, no events, no seals, no redaction."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

Code = tuple[int, ...]
Keys = tuple[int, int]
HOLES = 2
ROWS = 3


class Refused(Exception):
    """The model does not allow it."""


def keys_for(secret: Code, guess: Code) -> Keys:
    black = sum(a == b for a, b in zip(secret, guess, strict=True))
    return black, sum((Counter(secret) & Counter(guess)).values()) - black


@dataclass
class Row:
    code: Code | None
    keys: Keys | None = None
    late: bool = False


@dataclass
class Person:
    rows: list[Row] = field(default_factory=list)
    end: str | None = None
    idle: int = 0
    confirmed: int = 0
    """Rows, from the first, that a rejected challenge has shown to be right."""
    closed: bool = False
    took: int | None = None

    def waits_for_answer(self) -> bool:
        if self.end or not self.rows:
            return False
        return self.rows[-1].code is not None and self.rows[-1].keys is None


class Model:
    """What should be. Times are in milliseconds; `due` is by player and what they are to do."""

    def __init__(
        self,
        *,
        duel: bool,
        together: bool,
        by_hand: bool,
        by_time: bool,
        places: int,
        limit: int,
        secret: Code,
    ) -> None:
        self.duel, self.together, self.by_hand, self.by_time = duel, together, by_hand, by_time
        self.places, self.limit = places, limit
        self.people: dict[int, Person] = {1: Person()}
        self.joins = 1
        self.secrets: dict[int, Code] = {}
        self.race_secret = secret
        self.begun: int | None = None
        self.cancelled = self.over = self.followed = False
        self.liar: int | None = None
        self.due: dict[tuple[int, str, int], int] = {}

    def other(self, who: int) -> int:
        return next(one for one in self.people if one != who)

    def secret(self, who: int) -> Code:
        return self.secrets[who] if self.duel else self.race_secret

    @property
    def stage(self) -> str:
        if self.cancelled:
            return "cancelled"
        if self.begun is None:
            return "waiting"
        if self.duel and len(self.secrets) < 2:
            return "setting"
        return "over" if self.over else "playing"

    def row_together(self) -> int:
        """The row that all fill: the first that is not complete for somebody who plays on."""
        complete = [
            len(one.rows) - one.waits_for_answer() for one in self.people.values() if not one.end
        ]
        return min(complete, default=0) + 1

    def may_guess(self, who: int) -> bool:
        one = self.people[who]
        if one.end or one.waits_for_answer():
            return False
        return not self.together or len(one.rows) < self.row_together()

    def doubts(self, who: int) -> bool:
        one = self.people[who]
        answered = any(row.keys is not None for row in one.rows[one.confirmed :])
        return self.by_hand and answered and not one.closed

    def options(self, who: int) -> set[str]:
        stage = self.stage
        if stage == "waiting":
            if who not in self.people:
                return {"join"} if len(self.people) < self.places and self.joins < 32 else set()
            starts = who == 1 and not self.duel and len(self.people) >= 2
            return {"leave", "start"} if starts else {"leave"}
        if who not in self.people or stage == "cancelled":
            return set()
        if stage == "setting":
            return set() if self.other(who) in self.secrets else {"secret"}
        if stage == "over":
            return set() if self.followed else {"another"}
        found = set()
        if not self.people[who].end:
            found.add("give-up")
            if self.may_guess(who):
                found.add("guess")
        if self.by_hand and self.people[self.other(who)].waits_for_answer():
            found.add("answer")
        if self.doubts(who):
            found.add("challenge")
            if self.people[who].end:
                found.add("close")
        return found

    def do(self, who: int, kind: str, now: int, code: Code = (), keys: Keys = (0, 0)) -> None:
        if kind not in self.options(who):
            raise Refused
        if who in self.people and kind in ("guess", "answer", "challenge"):
            self.people[who].idle = 0
        match kind:
            case "join":
                self.joins += 1
                self.people[self.joins] = Person()
                if len(self.people) == self.places:
                    self.begun = now
            case "start":
                self.begun = now
            case "leave":
                self.cancelled = who == 1
                if who != 1:
                    del self.people[who]
            case "secret":
                self.secrets[self.other(who)] = code
            case "guess":
                self.people[who].rows.append(Row(code))
                self.people[who].took = now
            case "answer":
                self.people[self.other(who)].rows[-1].keys = keys
            case "challenge":
                self.challenge(who)
            case "close":
                self.people[who].closed = True
            case "give-up":
                self.people[who].end = "gave-up"
            case "another":
                self.followed = True
        self.settle(now)

    def challenge(self, who: int) -> None:
        one = self.people[who]
        if self.wrong(who):
            self.liar = self.other(who)
        else:
            one.confirmed = len(one.rows) - one.waits_for_answer()

    def wrong(self, who: int) -> bool:
        secret = self.secrets[who]
        return any(
            row.code is not None and row.keys not in (None, keys_for(secret, row.code))
            for row in self.people[who].rows
        )

    def expire(self, now: int) -> None:
        """All clocks that have run out, the earliest first, then in the order of players."""
        late = [(when, key) for key, when in self.due.items() if when <= now]
        if not late:
            raise Refused
        for _, (who, task, row) in sorted(late, key=lambda one: one[0]):
            if (who, task, row) in self.due:
                self.run_out(who, task)
                self.settle(now)

    def run_out(self, who: int, task: str) -> None:
        one = self.people[who]
        if task == "row":
            one.rows.append(Row(None, None, late=True))
            one.idle += 1
        elif task == "answer":
            self.answer_rightly(self.other(who))
            one.idle += 1
        elif task == "close":
            one.closed = True
        else:
            raise AssertionError(task)

    def answer_rightly(self, who: int) -> None:
        row = self.people[who].rows[-1]
        assert row.code is not None
        row.keys = keys_for(self.secret(who), row.code)

    def settle(self, now: int) -> None:
        """What follows, again and again until nothing does; then the clocks."""
        while self.stage == "playing" and self.step():
            pass
        wanted = self.awaited()
        kept = {key: when for key, when in self.due.items() if key in wanted}
        self.due = {key: kept.get(key, now + self.limit) for key in wanted}

    def step(self) -> bool:
        return (
            self.answers()
            or self.ends()
            or self.leaves()
            or self.evades()
            or self.decides()
            or self.finishes()
        )

    def answers(self) -> bool:
        for who, one in self.people.items():
            if not one.waits_for_answer():
                continue
            if self.by_hand:
                maker = self.people[self.other(who)]
                if maker.end == "gave-up" or maker.idle >= 3:
                    self.answer_rightly(who)
                    maker.idle += 1
                    return True
            elif not self.together or self.all_filled():
                self.answer_rightly(who)
                return True
        return False

    def all_filled(self) -> bool:
        playing = [one for one in self.people.values() if not one.end]
        most = max(len(one.rows) for one in playing)
        return all(len(one.rows) == most for one in playing)

    def ends(self) -> bool:
        for one in self.people.values():
            if one.end or one.waits_for_answer() or not one.rows:
                continue
            if one.rows[-1].keys == (HOLES, 0):
                one.end = "broken"
                return True
            if len(one.rows) == ROWS:
                one.end = "unbroken"
                return True
        return False

    def leaves(self) -> bool:
        for one in self.people.values():
            if one.idle >= 3 and not one.end:
                one.end = "gave-up"
                return True
        return False

    def evades(self) -> bool:
        if not self.by_hand or self.liar is not None:
            return False
        for who, one in self.people.items():
            if (
                one.end == "gave-up"
                and self.doubts(self.other(who))
                and self.wrong(self.other(who))
            ):
                self.liar = who
                return True
        return False

    def decides(self) -> bool:
        if not self.duel:
            return False
        for who, one in self.people.items():
            rival = self.people[self.other(who)]
            beaten = rival.end == "broken" and (
                len(one.rows) - one.waits_for_answer() >= len(rival.rows)
            )
            if not one.end and (beaten or self.liar is not None):
                one.end = "unbroken"
                return True
        return False

    def finishes(self) -> bool:
        doubts = self.liar is None and any(self.doubts(who) for who in self.people)
        if doubts or not all(one.end for one in self.people.values()):
            return False
        self.over = True
        return True

    def awaited(self) -> list[tuple[int, str, int]]:
        if self.stage == "setting":
            return [
                (who, "secret", 0) for who in self.people if self.other(who) not in self.secrets
            ]
        if self.stage != "playing":
            return []
        found = []
        for who, one in self.people.items():
            if self.may_guess(who):
                found.append((who, "row", len(one.rows) + 1))
            if self.by_hand and one.waits_for_answer():
                found.append((self.other(who), "answer", len(one.rows)))
            if one.end and self.doubts(who):
                found.append((who, "close", 0))
        return found

    def places_now(self) -> dict[int, int]:
        """Who is better than whom: everybody is compared with everybody."""
        return {who: 1 + sum(self.beats(b, who) for b in self.people) for who in self.people}

    def beats(self, a: int, b: int) -> bool:
        if self.liar is not None:
            return b == self.liar and a != b
        one, two = self.people[a], self.people[b]
        if one.end != "broken" or two.end != "broken":
            return one.end == "broken" and two.end != "broken"
        if self.by_time:
            return (one.took or 0) < (two.took or 0)
        return len(one.rows) < len(two.rows)

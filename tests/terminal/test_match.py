"""`keypeg race` and `keypeg duel`: played at prompts by several, at a server and alone."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from harness.forked import keypeg
from harness.servers.in_process import Running, running
from keypeg.client import Client, Refused
from keypeg.rules.errors import CannotRead
from keypeg.rules.match.terms import MatchKind, Pace
from keypeg.terminal import match
from keypeg.terminal.assist import Teller
from keypeg.terminal.local_matches import matches_alone
from keypeg.terminal.match import play_matches
from keypeg.terminal.match_sources import (
    MatchSource,
    RemoteMatches,
    parse_match_link,
    saved_matches,
    saved_tokens,
)
from keypeg.terminal.my_matches import as_data, as_lines, my_matches
from keypeg.terminal.saved_daily import SavedDaily
from keypeg.terminal.saved_matches import SavedMatch, SavedMatches
from tests.terminal.test_json import check, documented

pytestmark = pytest.mark.anyio
SECONDS: Final = 60.0
A, B, WRONG = "1234", "4321", "5566"
Line = str | Callable[[], Awaitable[str]]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Running]:
    async with running(tmp_path / "server") as server:
        yield server


class Person:
    """Types these lines, some of them once something has happened, and then ends the input."""

    talking = False

    def __init__(self, *lines: Line) -> None:
        self._lines = [*lines]
        self.asked: list[str] = []

    async def ask(self, question: str) -> str:
        self.asked.append(question)
        if not self._lines:
            raise EOFError
        line = self._lines[0]
        typed = line if isinstance(line, str) else await line()
        # Not before: the question may have been withdrawn meanwhile.
        self._lines.pop(0)
        return typed


class Sitter:
    """Somebody at a prompt of their own, and what they are told."""

    def __init__(self, folder: Path, url: str) -> None:
        self._folder, self._url = folder, url
        self.lines: list[str] = []

    @property
    def told(self) -> str:
        return "\n".join(self.lines)

    @property
    def sent(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]

    def names(self) -> list[str]:
        return [one["event"] for one in self.sent]

    @asynccontextmanager
    async def _source(self) -> AsyncIterator[MatchSource]:
        saved = SavedDaily(self._folder / "daily.json")
        matches = SavedMatches(self._folder / "matches.json")
        async with Client(self._url) as client:
            yield RemoteMatches(client, saved, matches)

    async def plays(
        self,
        *lines: Line,
        id_: str | None = None,
        name: str | None = None,
        as_json: bool = False,
        watching: bool = False,
        **wanted: Any,
    ) -> Person:
        person = Person(*lines)
        teller = Teller(self.lines.append, as_json=as_json)
        playing = play_matches(
            self._source(), id_, name, person, teller, watching=watching, **wanted
        )
        async with asyncio.timeout(SECONDS):
            await playing
        return person

    async def end(self) -> str:
        """An empty line, once a match is over."""
        await until(lambda: " is over: " in self.told or '"end"' in self.told)
        return ""

    async def link(self) -> str:
        """The id of the match that was opened, once it is known."""
        await until(lambda: "/match/" in self.told)
        return self.told.partition("/match/")[2][:22]


@pytest.fixture
def people(server: Running, tmp_path: Path) -> dict[str, Sitter]:
    return {name: Sitter(tmp_path / name, server.url) for name in ("ann", "bob", "cleo")}


async def right(server: Running, id_: str) -> str:
    """The code of a race, as it is typed."""
    found = server.application.services.matches.at_hand(id_)
    assert found is not None
    opening = found.state.match.players[0].game.opening
    assert opening is not None
    return "".join(map(str, opening.code))


async def test_two_race_and_somebody_watches(server: Running, people: dict[str, Sitter]) -> None:
    ann, bob, cleo = people.values()
    opening = ann.plays(
        *("help", "rows", "nonsense", "55", WRONG, "seal", "players", "time"),
        lambda: right(server, id_),
        "",
        name="Ann",
        kind="race",
    )
    async with asyncio.TaskGroup() as group:
        group.create_task(opening)
        id_ = await ann.link()
        group.create_task(cleo.plays(id_=id_, watching=True))
        await until(lambda: "Players: Ann." in cleo.told)
        group.create_task(bob.plays(WRONG, "give up", "", id_=id_, name="Bob"))
    for line in (
        "A race on classic: 10 rows, 3 minutes for each.",
        "Everybody breaks the same code; fewer rows win.",
        "Players: Ann (you).",
        "Bob has joined.",
        "The race has begun: Ann (you) and Bob.",
        "A CODE (rrbg, 1124 or RD RD BU GN): your next row",
        "You have no rows yet.",
        "Not done: there is no command 'nonsense'; 'help' lists what can be typed",
        "Not done: a code on this board has 4 pegs; '55' has 2",
        "Bob has given up.",
        "You have broken the code in 2 rows.",
        "The race is over: you win.",
        "  2. Bob: gave up",
        "  The seal is verified: it was fixed from the start.",
    ):
        assert line in ann.lines, line
    assert any(line.startswith("Row 1: WH WH BK BK   ") for line in ann.lines)
    assert any(line.startswith("Bob, row 1: ") and "WH" not in line for line in ann.lines)
    assert any(line.startswith("  1. Ann (you): broken in 2 rows, ") for line in ann.lines)
    assert any(line.startswith("You have 2:5") or "3:00" in line for line in ann.lines)
    for told in (bob.told, cleo.told):
        assert "Ann has broken the code in 2 rows." in told
        assert re.search("Ann, row 1: . black, . white\n", told)
        assert re.search("Ann, row 2: .*   4 black, 0 white\n", told)
    assert "The race is over: Ann wins." in cleo.lines
    with pytest.raises(Refused, match="the match is over"):
        await Sitter(cleo._folder / "late", cleo._url).plays(id_=id_)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(SECONDS):
        while not condition():
            await asyncio.sleep(0.01)


async def test_a_duel_by_hand_with_a_challenge_and_another_one(people: dict[str, Sitter]) -> None:
    """Ann's code is 1234, Bob's 4321. Bob answers wrongly, and Ann says so."""
    ann, bob, _ = people.values()
    async with asyncio.TaskGroup() as group:
        playing = ann.plays(
            *(A, "code", "1122", "21", "challenge", "another", "leave"),
            name="Ann",
            kind="duel",
            key_pegs="by-hand",
        )
        group.create_task(playing)
        id_ = await ann.link()
        group.create_task(bob.plays(B, "1122", "00", bob.end, id_=id_, name="Bob"))
    assert "Your code: red, blue, yellow, green." in ann.lines
    assert "Your code is set: GN YW BU RD." in bob.lines
    assert "You place the key pegs for each other." in ann.lines
    assert "Bob, row 1: RD RD BU BU   2 black, 1 white" in ann.lines
    challenged = "You challenge the answers. The challenge is upheld: an answer was wrong."
    assert challenged in ann.lines
    assert "The duel is over: Ann wins." in bob.lines
    assert "  2. Bob (you): gave a wrong answer, and loses" in bob.lines
    assert "The code that you had to break: red, blue, yellow, green." in bob.lines
    assert ann.told.count("A duel on classic") == 2
    assert ann.lines[-1] == "You have left."


async def test_rows_are_answered_together_and_hidden_until_the_end(
    people: dict[str, Sitter],
) -> None:
    """Whoever has filled the row waits for the others; nobody is told how they do."""
    ann, bob, _ = people.values()
    async with asyncio.TaskGroup() as group:
        wanted: dict[str, Any] = {
            "kind": "race",
            "pace": Pace.TOGETHER,
            "keys_shown": False,
            "board": "4x6/2",
        }
        ann_plays = ann.plays(WRONG, "players", WRONG, "", name="Ann", **wanted)
        asking = group.create_task(ann_plays)
        id_ = await ann.link()
        await until(lambda: "Ann" in ann.told)
        bob_plays = bob.plays(WRONG, WRONG, "rows", "", id_=id_, name="Ann")
        group.create_task(bob_plays)
    person = asking.result()
    assert "Each row is answered when all have filled it." in ann.lines
    assert "The others' key pegs are hidden until the end." in ann.lines
    assert "Row 1: WH WH BK BK   not answered yet" in ann.lines
    assert not any("row 1" in line for line in ann.lines)
    assert "The race has begun: Ann (1) (you) and Ann (2)." in ann.lines
    assert any(question.startswith("Waiting for Ann (2)") for question in person.asked)
    assert "Ann (1), row 1: WH WH BK BK" in bob.told


async def test_what_programs_are_sent_is_documented(people: dict[str, Sitter]) -> None:
    ann, bob, _ = people.values()
    async with asyncio.TaskGroup() as group:
        playing = ann.plays(
            *(A, "x", "code", "1122", "21", "challenge", "another", "leave"),
            name="Ann",
            kind="duel",
            key_pegs="by-hand",
            as_json=True,
        )
        group.create_task(playing)
        id_ = await ann.link()
        group.create_task(bob.plays(B, "1122", "00", bob.end, id_=id_, name="Bob", as_json=True))
    check([*ann.sent, *bob.sent], documented("`keypeg race --json`,"))
    turns = [(one["do"], one["row"]) for one in ann.sent if one["event"] == "turn"]
    assert turns[0] == ("secret", None)
    assert {("guess", 1), ("answer", 1), ("another", None)} <= set(turns)
    (asked,) = [one for one in ann.sent if one.get("do") == "answer"]
    assert (asked["code"], asked["seconds"] > 100) == ("RD RD BU BU", True)
    first, second = [one for one in ann.sent if one["event"] == "end"]
    assert first["codes"][0] == {**first["codes"][0], "player": 1, "verified": True}
    assert [one["place"] for one in first["players"]] == [1, 2]
    assert second == {"event": "end", "cancelled": True, "players": [], "codes": []}


async def test_my_matches_say_where_it_is_my_turn(server: Running) -> None:
    tokens, saved = saved_tokens(), saved_matches()
    async with Client(server.url) as client:
        token = tokens.token(client.url)
        waiting = await client.open_match(token, kind="race", places=3, name="Ann")
        mine = await client.open_match(token, kind="race", places=2, computers=["perfect"])
        await mine.start()
        gone = await client.open_match(token, kind="duel", name="Ann")
        await gone.leave()
        for one, kind in ((waiting, "race"), (mine, "race"), (gone, "duel")):
            saved.keep(SavedMatch(client.url, one.id, kind))
        saved.keep(SavedMatch(client.url, "x" * 22, "duel"))
        saved.keep(SavedMatch("http://127.0.0.1:1", "y" * 22, "duel"))
        found = await my_matches(saved, tokens)
        assert [one.is_mine for one in found] == [True, False, False]
        assert [one.match for one in saved.all(client.url)] == [mine.id, waiting.id]
        lines = [*as_lines(found)]
        assert lines[:2] == [
            mine.link,
            "  your turn: a race on classic, against Computer (perfect)",
        ]
        assert "  waiting, 1 of 3 are here: a race on classic, against nobody yet" in lines
        assert "  http://127.0.0.1:1 cannot be reached" in lines
        first, *_ = as_data(found)
        assert (first["kind"], first["mine"], first["stage"]) == ("race", True, "playing")
        listed = await asyncio.to_thread(keypeg, "tables", client.url, "--mine")
        assert f"{mine.link}\n  your turn" in listed.stdout
        assert "no open table" not in listed.stdout


def test_against_computers_nothing_but_this_machine_is_needed() -> None:
    """A race is left, continued, and ended; then there is another."""
    begun = keypeg("race", "--computers", "perfect", "--name", "Ann", stdin="1122\n\n1122\n")
    assert "Not done: it has not begun: Enter starts it" in begun.stdout
    assert "Row 1: RD RD BU BU   " in begun.stdout
    assert begun.stdout.endswith("To come back: keypeg race --resume\n")
    resumed = keypeg("race", "--resume", stdin="rows\ngive up\nanother\n\n")
    assert "Row 1: RD RD BU BU   " in resumed.stdout
    assert "The race is over: Computer (perfect) wins." in resumed.stdout
    assert resumed.stdout.count("Players: Ann (you) and Computer (perfect).") == 2
    refused = keypeg("duel", "--resume")
    assert (refused.returncode, "there is no duel to continue" in refused.stderr) == (1, True)


async def alone(
    folder: Path, told: list[str], *lines: Line, talking: bool, **wanted: Any
) -> Person:
    """Play against the computer in this process; a program is sent JSON."""
    person = Person(*lines)
    person.talking = talking
    source = matches_alone(f"sqlite:///{folder}/keypeg.db")
    teller = Teller(told.append, as_json=not talking)
    async with asyncio.timeout(SECONDS):
        await play_matches(source, None, None, person, teller, **wanted)
    return person


async def test_whoever_dallies_is_warned_and_a_line_that_was_begun_is_not_played_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match, "WARNINGS", (1,))
    told: list[str] = []

    async def late() -> str:
        await until(lambda: "Row 1: time ran out" in told)
        return "give up"

    wanted: dict[str, Any] = {"kind": MatchKind.RACE, "computers": ("perfect",), "row_seconds": 2}
    found = await alone(tmp_path, told, "", late, "", talking=True, **wanted)
    assert told.index("1 second left.") < told.index("Row 1: time ran out")
    assert "You have given up." in told
    assert found.asked[1:3] == ["Row 1 of 10: ", "Row 2 of 10: "]


async def test_a_duel_against_the_computer_is_played_to_the_end_by_a_program(
    tmp_path: Path,
) -> None:
    told: list[str] = []
    wanted: dict[str, Any] = {"kind": MatchKind.DUEL, "computers": ("perfect",), "board": "4x6/1"}
    await alone(tmp_path, told, A, WRONG, "", talking=False, **wanted)
    sent = [json.loads(line) for line in told]
    assert [one["do"] for one in sent if one["event"] == "turn"] == ["secret", "guess", "another"]
    (end,) = [one for one in sent if one["event"] == "end"]
    assert [one["verified"] for one in end["codes"]] == [True, True]
    assert end["codes"][1]["code"] == "RD BU YW GN"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("race", "or computer players (--computers)"),
        ("duel --computers strong,strong", "--computers names 2; a duel has 1 at most"),
        ("race --computers strong --places 5", "nobody else can join without a server"),
        ("race --join x --open y", "--open has no effect with --join"),
        ("race --resume --name Ann", "--name has no effect with --resume"),
        ("race --computers strong --goal time --pace together", "at one's own pace, not together"),
        ("duel --computers strong --key-pegs by-hand --hide-keys", "they are shown"),
        ("race --join x", "is not the link of a match"),
    ],
)
def test_what_cannot_be_done_is_said(typed: str, said: str) -> None:
    refused = keypeg(*typed.split())
    assert refused.returncode in (1, 2)
    assert said in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_the_link_of_a_match_or_the_id_of_one_joined_before_is_read() -> None:
    id_ = "x" * 22
    assert parse_match_link(f"https://host:1/match/{id_}/") == ("https://host:1", id_)
    saved_matches().keep(SavedMatch("https://host:2", "y" * 22, "race"))
    assert parse_match_link("y" * 22) == ("https://host:2", "y" * 22)
    for wrong in ("", "x", f"http://host/table/{id_}", f"http://host/match/{id_}x"):
        with pytest.raises(CannotRead):
            parse_match_link(wrong)

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from harness.tables import Playing, table_of
from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import parse_code
from keypeg.rules.commitment import Opening, opens
from keypeg.rules.game import Ending, Game
from keypeg.rules.series import Points, Seat
from keypeg.rules.terms import KeyPegMode
from keypeg.table import State
from keypeg.table.commands import Command, Resign, SetSecret
from keypeg.terminal.choices import Part, SeriesChoices
from keypeg.terminal.local_tables import MEMORY, NothingToResume, seated
from keypeg.terminal.narration import JsonNarrator, Narrator
from keypeg.terminal.plain import Conversation, converse
from keypeg.terminal.review import review_lines
from keypeg.terminal.sitting import LocalSitting, current_game
from tests.terminal.typist import Typist

CLASSIC = PRESETS["classic"]
BOTH = SeriesChoices(part=Part.BOTH, called=("Ada", "Bob"))


def talked(
    *lines: str | None,
    wished: SeriesChoices | None = None,
    address: str = MEMORY,
    resume: bool = False,
) -> tuple[State, list[str]]:
    said: list[str] = []
    chosen = None if resume else wished or SeriesChoices()
    state = converse(seated(address, chosen), Typist(*lines), Narrator(said.append))
    return state, said


def played(*lines: str, board: Board = CLASSIC) -> tuple[Game, list[str]]:
    state, said = talked(*lines, wished=SeriesChoices(board))
    return current_game(state), said


def test_the_seal_is_shown_before_and_opens_after() -> None:
    said: list[str] = []
    state = converse(seated(MEMORY, SeriesChoices()), Typist("rrbb"), JsonNarrator(said.append))
    first, *_, last = (json.loads(line) for line in said)
    assert first["event"] == "sealed"
    opening = Opening(parse_code(last["secret"], CLASSIC), bytes.fromhex(last["nonce"]))
    assert opens(first["seal"], CLASSIC, first["game"], opening)
    outcome = current_game(state).outcome
    assert outcome is not None
    assert outcome.ending is Ending.BREAKER_RESIGNED


def test_every_row_is_answered_and_the_last_one_ends_the_game() -> None:
    board = Board(4, 6, rows=3)
    game, said = played(*["rrrr"] * 3, board=board)
    while game.opening is not None and game.opening.code == (1, 1, 1, 1):
        game, said = played(*["rrrr"] * 3, board=board)
    assert game.outcome is not None
    assert game.outcome.ending is Ending.UNBROKEN
    assert len(game.rows) == 3
    assert "Not broken: all 3 rows are used." in said


def test_trying_every_code_breaks_a_small_board() -> None:
    state, said = talked(*"123", wished=SeriesChoices(Board(1, 3)))
    game = state.series.games[0]
    assert game.outcome is not None
    assert game.outcome.ending is Ending.BROKEN
    assert any(line.startswith("Broken in ") for line in said)


@pytest.mark.parametrize("typed", ["rrr", "RRRX", "no such thing", "row " + "9" * 5000])
def test_what_cannot_be_read_is_refused_with_the_reason(typed: str) -> None:
    game, said = played(typed)
    assert not game.rows
    assert any(line.startswith("Not played: ") for line in said)


@pytest.mark.parametrize("lines", [("quit",), ("resign", "quit"), ()])
def test_giving_up_reveals_the_code(lines: tuple[str, ...]) -> None:
    _, said = played(*lines)
    assert "The breaker gave up." in said
    assert any(line.startswith("The code was ") for line in said)


def test_help_rows_and_a_single_row_may_be_asked_for() -> None:
    _, said = played("help", "rows", "last", "guess rrbb", "rows", "last", "row 1", "row 7")
    assert said.count("No row is played yet.") == 2
    assert sum("RD RD BU BU" in line for line in said) == 2
    assert sum(line.startswith("Row 1: red, red, blue, blue.") for line in said) == 2
    assert "There is no such row." in said
    assert "resign: give up this game" in said


def test_the_legend_tells_what_may_be_typed() -> None:
    _, said = played(board=Board(4, 6, blanks=True, repeats=False))
    assert "A blank is written -" in said
    assert "No colour occurs twice." in said
    assert any("RD or R red" in line for line in said)


def test_hints_come_by_grade_and_are_recorded() -> None:
    asked = ("hint", "hint may rrbb", "hint clash rrbb", "hint best", "hint nonsense", "score")
    state, said = talked("1122", *asked)
    assert state.hints == 4
    assert any(line.endswith("codes are left.") for line in said)
    assert any("may be the code" in line or "cannot be the code" in line for line in said)
    assert any("splits the" in line for line in said)
    assert any("no hint 'nonsense'" in line for line in said)


def test_the_log_says_of_which_grade_a_hint_was(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/games.db"
    talked("hint best", "hint may", "hint 2 rrbb", "quit", address=address)
    with closing(sqlite3.connect(tmp_path / "games.db")) as base:
        kept = b"".join(bytes(row[0]) for row in base.execute("SELECT payload FROM entries"))
    assert kept.count(b'"is":"hint"') == 2
    assert b'"grade":"best"' in kept
    assert b'"grade":"may"' in kept


def test_a_hint_about_a_row_that_is_not_there_is_not_noted() -> None:
    state, said = talked("hint may", "hint clash")
    assert state.hints == 0
    assert sum("fill the row first" in line for line in said) == 2


def test_the_sheet_and_the_record_name_the_computer() -> None:
    _, said = talked("sheet", "record", wished=SeriesChoices(level="careful", called=("Ada",)))
    assert any("Ada and Computer (careful): 2 games" in line for line in said)
    assert any("\ntwo: Computer (careful)\n" in line for line in said)


def test_score_and_sheet_agree_in_the_middle_of_a_game() -> None:
    _, said = talked("rrbb", "rrgg", "wwyy", "score", "sheet", wished=BOTH)
    assert "Ada 2, Bob 0; game 1 of 2." in said
    (sheet,) = [line for line in said if line.startswith("Ada and Bob: ")]
    assert "Not finished: Ada has 2 points for it so far." in sheet
    assert "Points: Ada 2, Bob 0" in sheet


def test_the_computer_breaks_what_a_person_makes() -> None:
    state, said = talked("rrbb", wished=SeriesChoices(part=Part.MAKER))
    game = state.series.games[0]
    assert game.outcome is not None
    assert game.outcome.ending is Ending.BROKEN
    assert any(line.startswith("Broken in ") for line in said)
    assert state.series.points == Points(len(game.rows), 0)


def test_a_drawn_secret_serves_a_maker_without_ideas() -> None:
    state, said = talked(
        "random", wished=SeriesChoices(part=Part.MAKER, key_pegs=KeyPegMode.CHECKED)
    )
    assert state.series.games[0].secret_set
    assert "The maker gave up." in said


def test_two_people_play_a_series_and_may_play_again() -> None:
    lines = ("rrbb", "rrgg", "rrbb", "", "wwyy", "wwyy", "review", "rematch", "kkkk")
    state, said = talked(*lines, wished=BOTH)
    assert "Bob wins the series, 1 to 2." not in said
    assert "Ada wins the series, 2 to 1." in said
    assert any("In all: " in line for line in said)
    assert len(state.finished) == 1
    assert state.series.games[0].secret_set


def test_wrong_key_pegs_are_challenged() -> None:
    wished = SeriesChoices(part=Part.BOTH, called=("Ada", "Bob"), key_pegs=KeyPegMode.BY_HAND)
    state, said = talked("rrbb", "rrgg", "peek", "10", "challenge", "", wished=wished)
    assert "Your secret: RD RD BU BU." in said
    assert "Challenge upheld: an answer was wrong." in said
    assert state.series.points == Points(0, 3)
    assert (state.series.number, state.series.attempt) == (1, 2)


def test_a_turn_that_took_too_long_is_refused_at_a_prompt_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("keypeg.terminal.sitting.LocalSitting.ask", late(after=2))
    wished = SeriesChoices(part=Part.BOTH, called=("Ada", "Bob"), turn_seconds=180)
    state, said = talked("time", "rrbb", "rrgg", wished=wished)
    assert any("your time had run out" in line for line in said)
    assert "   1  time ran out" in said
    assert any(line.endswith("left in this turn.") for line in said)
    assert state.series.games[0].rows[0].expired


def test_time_that_runs_out_at_a_prompt_is_told_and_the_question_withdrawn() -> None:
    wished = SeriesChoices(part=Part.BOTH, called=("Ada", "Bob"), turn_seconds=1)
    state, said = talked(None, None, "quit", wished=wished)
    assert "Time ran out: the referee draws a code." in said
    assert "   1  time ran out" in said
    assert not any(line.startswith("Not played") for line in said)
    assert state.series.games[0].rows[0].expired


def test_time_that_runs_out_on_key_pegs_is_told() -> None:
    wished = SeriesChoices(part=Part.BOTH, turn_seconds=1, key_pegs=KeyPegMode.BY_HAND)
    _, said = talked("rrbb", "rrgg", None, "quit", wished=wished)
    told = said.index("Time ran out: the referee places the key pegs.")
    assert said[told + 1] == "   1  RD RD GN GN   2 black, 0 white"


def test_a_peek_before_the_other_player_is_hidden_again() -> None:
    wished = SeriesChoices(part=Part.BOTH, called=("Ada", "Bob"), key_pegs=KeyPegMode.BY_HAND)
    person, said = Typist("rrbb", "peek", "rrgg", "peek", "", "20", talking=True), list[str]()
    converse(seated(MEMORY, wished), person, Narrator(said.append))
    assert not any("Your secret: " in line for line in said)
    shown = person.asked.index("Your secret: RD RD BU BU. Press Enter to hide it. ")
    assert person.asked[shown + 1] == "hidden"
    assert any("you have no secret to peek at" in line for line in said)


class Eager(Typist):
    """Types a line in the very moment in which the other player moves."""

    def __init__(self, at: Playing, *lines: str, talking: bool, moves: tuple[Command, ...]) -> None:
        super().__init__(*lines, talking=talking)
        self.at, self.moves = at, iter(moves)

    async def ask(self, question: str) -> str:
        for move in self.moves:
            await self.at.ask(Seat.ONE, move)
            break
        return await super().ask(question)


def talked_while_the_other_moves(
    *lines: str, talking: bool, moves: tuple[Command, ...] = (SetSecret((1, 1, 2, 2)),)
) -> tuple[State, list[str]]:
    said: list[str] = []
    with asyncio.Runner() as runner:
        place = table_of()
        playing = runner.run(place.__aenter__())
        sitting = LocalSitting(playing.table, playing.clock, (Seat.TWO,), "")
        person = Eager(playing, *lines, talking=talking, moves=moves)
        state = Conversation(runner, sitting, person, Narrator(said.append), review_lines).hold()
        runner.run(place.__aexit__(None, None, None))
    return state, said


def test_a_line_from_a_pipe_that_comes_as_the_table_goes_on_is_the_next_answer() -> None:
    state, said = talked_while_the_other_moves("rrgg", "wwyy", talking=False)
    assert not any(line.startswith("Not played") for line in said)
    guesses = [row.guess for row in state.series.games[0].rows]
    assert guesses == [(1, 1, 4, 4), (5, 5, 3, 3)]


def test_a_line_typed_at_the_old_question_is_not_played_in_the_new_one() -> None:
    state, said = talked_while_the_other_moves("rrgg", "wwyy", talking=True)
    assert any("too late: the table had moved on" in line for line in said)
    assert [row.guess for row in state.series.games[0].rows] == [(5, 5, 3, 3)]


def test_what_happens_as_a_pipe_ends_is_told() -> None:
    moves = (SetSecret((1, 1, 2, 2)), Resign())
    _, said = talked_while_the_other_moves("rrgg", talking=False, moves=moves)
    assert "The maker gave up." in said


def late(after: int) -> Callable[..., object]:
    """Asking that, from the third time on, comes five minutes later."""
    asks = iter(range(100))

    async def ask(self: LocalSitting, seat: object, command: object) -> None:
        delay = 300.0 if next(asks) >= after else 0.0
        now = self._clock.now() + delay
        await self.table.handle(seat, f"id-{now}", command, now)  # type: ignore[arg-type]

    return ask


def test_a_paused_series_is_resumed_where_it_was(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path}/games.db"
    _, said = talked("rrbb", "rrgg", "quit", wished=BOTH, address=address)
    there = f"--database {address}"
    assert said[-1] == f"Paused. 'keypeg play --resume {there}' continues from here."
    _, said = talked("rrbb", "", "wwyy", "wwyy", "", address=address, resume=True)
    assert "   1  RD RD GN GN   2 black, 0 white" in said
    assert "Ada wins the series, 2 to 1." in said
    with pytest.raises(NothingToResume, match="no unfinished series"):
        talked(address=address, resume=True)


def test_a_refused_secret_is_not_repeated_before_the_other_player() -> None:
    board = Board(4, 6, repeats=False)
    _, said = talked("claim", "rrbb", "rbyx", "rbyg", wished=SeriesChoices(board, part=Part.BOTH))
    refused = [line for line in said if line.startswith("Not played: ")]
    assert refused.pop(0).startswith("Not played: the opponent is at this terminal")
    told = "Not played: a code of this board is 4 of RD BU YW GN WH BK, none of them twice"
    assert refused == [told, told]


def test_two_at_one_terminal_agree_on_a_time_limit() -> None:
    state, said = talked("limit 3", "rrbb", "time", "limit 3", "limit none", wished=BOTH)
    assert state.series.next_limit is None
    assert "Ada proposes 3 minutes for each turn." in said
    assert "Agreed: 3 minutes for each turn, from the next turn." in said
    assert "Not played: this is the turn limit already; propose another" in said
    assert "Agreed: no time limit, from the next turn." in said
    assert any(line.endswith("seconds left in this turn.") for line in said)


@pytest.mark.parametrize("typed", ["limit", "limit soon", "limit 3:60", "limit 1.5"])
def test_a_time_limit_that_cannot_be_read_is_refused_with_an_example(typed: str) -> None:
    _, said = played(typed)
    assert any("as in 'limit 3' or 'limit 1:30'" in line for line in said)


def test_the_computer_accepts_a_time_limit_and_programs_are_told() -> None:
    said: list[str] = []
    lines = Typist("limit 4", "accept", "rrbb")
    converse(seated(MEMORY, SeriesChoices()), lines, JsonNarrator(said.append))
    told = [json.loads(line) for line in said]
    limits = [line for line in told if line["event"] == "limit"]
    assert [(line["what"], line["seconds"]) for line in limits] == [
        ("proposed", 240),
        ("accepted", 240),
    ]
    assert any(line.get("error") == "no turn limit is proposed now" for line in told)

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.tables import (
    BY_HAND,
    CHECKED,
    CLASSIC,
    SECRET,
    TIMED,
    WRONG,
    ConsistentPlayer,
    Playing,
    ScriptedPlayer,
    table_of,
)
from keypeg.rules.board import Board
from keypeg.rules.code import Code
from keypeg.rules.errors import NotYourTurn
from keypeg.rules.events import Challenged, Role
from keypeg.rules.game import Ending
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.rules.series import Points
from keypeg.rules.terms import Terms
from keypeg.table import Computer, Seat
from keypeg.table.commands import (
    Answer,
    Guess,
    NextGame,
    OfferTime,
    Rematch,
    Resign,
    SetSecret,
)
from tests.rules.strategies import boards, codes

pytestmark = pytest.mark.anyio
ONE, TWO = Seat.ONE, Seat.TWO
EXPERT = Computer("expert")
PATIENCE = 60.0
"""Seconds in which anything that is waited for must come, on the busiest of machines."""


async def settled(playing: Playing) -> None:
    async with asyncio.timeout(PATIENCE):
        while playing.table._tasks:
            await asyncio.gather(*playing.table._tasks, return_exceptions=True)
            await asyncio.sleep(0)


async def test_a_series_against_the_computer_is_played_to_the_end() -> None:
    async with table_of(two=EXPERT) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await settled(playing)
        first = playing.table.state.series.games[0]
        assert first.outcome is not None
        await playing.ask(ONE, NextGame())
        await settled(playing)
        opening = playing.table.state.series.games[1].opening
        assert opening is not None
        await playing.ask(ONE, Guess(opening.code))
        assert playing.table.state.series.over
        reply = await playing.ask(ONE, Rematch())
        assert len(reply.entry.events) == 2
        await settled(playing)
        assert playing.table.state.series.games[0].secret_set


async def test_two_computers_play_a_series_by_themselves() -> None:
    for terms in (CLASSIC, BY_HAND):
        async with table_of(terms, EXPERT, EXPERT) as playing:
            await settled(playing)
            assert len(playing.table.state.series.games) == 2
            assert all(game.settled for game in playing.table.state.series.games)


async def test_the_computer_answers_rightly_where_the_maker_places_the_key_pegs() -> None:
    for terms in (CHECKED, BY_HAND):
        async with table_of(terms, one=EXPERT) as playing:
            await settled(playing)
            await playing.ask(TWO, Guess(WRONG))
            await settled(playing)
            game = playing.table.state.series.games[0]
            assert game.opening is not None
            assert game.rows[0].keys == score(game.opening.code, WRONG)


async def test_the_computer_breaks_with_what_everybody_sees() -> None:
    player = ScriptedPlayer(WRONG, (6, 5, 6, 5))
    async with table_of(two=EXPERT, player=player) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await settled(playing)
        board, none = CLASSIC.board, KeyPegs(0, 0)
        assert player.asked[0] == (board, (), "expert")
        assert player.asked[1] == (board, ((WRONG, none),), "expert")
        assert player.asked[2] == (board, ((WRONG, none), ((6, 5, 6, 5), none)), "expert")


async def test_the_computer_challenges_when_no_code_fits() -> None:
    player = ScriptedPlayer((1, 1, 1, 1), (1, 1, 1, 1))
    async with table_of(BY_HAND, two=EXPERT, player=player) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await settled(playing)
        await playing.ask(ONE, Answer(KeyPegs(1, 0)))
        await settled(playing)
        await playing.ask(ONE, Answer(KeyPegs(2, 0)))
        await settled(playing)
        assert playing.table.view(None)[-1].events[0] == Challenged(upheld=True)
        assert playing.table.state.totals == Points(0, 3)


async def test_the_computer_challenges_what_the_reveal_shows_to_be_wrong() -> None:
    player = ScriptedPlayer(WRONG, SECRET)
    async with table_of(BY_HAND, two=EXPERT, player=player) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await settled(playing)
        await playing.ask(ONE, Answer(KeyPegs(1, 0)))
        await settled(playing)
        await playing.ask(ONE, Answer(KeyPegs(4, 0)))
        await settled(playing)
        outcome = playing.table.state.series.games[0].outcome
        assert outcome is not None
        assert outcome.ending is Ending.WRONG_INFORMATION


async def test_a_person_goes_on_though_the_computer_might_have_challenged() -> None:
    player = ScriptedPlayer(SECRET)
    async with table_of(BY_HAND, two=EXPERT, player=player) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await settled(playing)
        await playing.ask(ONE, Answer(KeyPegs(4, 0)))
        await settled(playing)
        await playing.ask(ONE, NextGame())
        assert playing.table.state.series.role(ONE) is Role.BREAKER


async def test_a_maker_does_not_go_on_before_the_computer_has_challenged() -> None:
    player = ScriptedPlayer(WRONG, SECRET)
    async with table_of(BY_HAND, two=EXPERT, player=player) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await settled(playing)
        await playing.ask(ONE, Answer(KeyPegs(1, 0)))
        await settled(playing)
        answer, go_on = Answer(KeyPegs(4, 0)), NextGame()
        both = (playing.ask(ONE, answer), playing.ask(ONE, go_on))
        _, refused = await asyncio.gather(*both, return_exceptions=True)
        assert isinstance(refused, NotYourTurn)
        await settled(playing)
        assert playing.table.state.series.points.two == 3


class Confused:
    """A player who cannot play."""

    levels = ("expert",)
    needs_company = False

    def __init__(self, guess: Code | None) -> None:
        self._guess = guess

    async def guess(self, board: Board, rows: object, level: str, account: str = "") -> Code | None:
        if self._guess is None:
            raise RuntimeError("out of memory")
        return self._guess


@pytest.mark.parametrize("guess", [None, (1, 2), (9, 9, 9, 9)])
async def test_a_thinker_who_fails_does_not_stop_the_game(guess: Code | None) -> None:
    async with table_of(two=EXPERT, player=Confused(guess)) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await settled(playing)
        assert playing.table.state.series.games[0].outcome is not None


class Pondering:
    """A player who thinks until called off."""

    levels = ("expert",)
    needs_company = False

    def __init__(self) -> None:
        self.began, self.called_off = asyncio.Event(), asyncio.Event()

    async def guess(self, board: Board, rows: object, level: str, account: str = "") -> Code | None:
        self.began.set()
        try:
            return await asyncio.Future()
        except asyncio.CancelledError:
            self.called_off.set()
            raise


async def test_the_computer_stops_thinking_when_the_game_goes_on_without_it() -> None:
    player = Pondering()
    async with table_of(two=EXPERT, player=player) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await asyncio.wait_for(player.began.wait(), PATIENCE)
        await playing.ask(ONE, Resign())
        await asyncio.wait_for(player.called_off.wait(), PATIENCE)
        await settled(playing)


async def test_the_computer_thinks_on_when_something_happens_around_the_game() -> None:
    player = Pondering()
    async with table_of(TIMED, two=EXPERT, player=player) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await asyncio.wait_for(player.began.wait(), PATIENCE)
        await playing.ask(ONE, OfferTime(60))
        assert not player.called_off.is_set()


async def test_a_thinker_who_fails_is_replaced_by_what_fits() -> None:
    small = Terms(Board(3, 3))
    async with table_of(small, two=EXPERT, player=Confused(None)) as playing:
        await playing.ask(ONE, SetSecret((1, 2, 3)))
        await settled(playing)
        rows = playing.table.state.series.games[0].answered
        for number, (guess, _) in enumerate(rows):
            assert all(score(guess, earlier) == keys for earlier, keys in rows[:number])


async def test_a_restart_lets_the_computer_go_on() -> None:
    async with table_of(TIMED, two=EXPERT) as playing:
        await playing.ask(ONE, SetSecret(SECRET))
        await playing.restart()
        await settled(playing)
        assert playing.table.state.series.games[0].outcome is not None
        entries = await playing.log.read(playing.table.id)
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))


@given(st.data())
def test_the_stand_in_plays_only_what_fits(data: st.DataObject) -> None:
    board = data.draw(boards(3, 4))
    secret = data.draw(codes(board))
    guesses = data.draw(st.lists(codes(board), max_size=3))
    rows = tuple((guess, score(secret, guess)) for guess in guesses)
    found = ConsistentPlayer()._fitting(board, rows)
    assert found is not None
    assert all(score(found, guess) == keys for guess, keys in rows)


async def test_the_stand_in_knows_when_nothing_fits_and_plays_anything_on_huge_boards() -> None:
    player, board = ConsistentPlayer(), Board(2, 2)
    rows = (((1, 1), KeyPegs(0, 0)), ((2, 2), KeyPegs(0, 0)))
    assert await player.guess(board, rows, "expert") is None
    huge = Board(12, 20)
    guess = await player.guess(huge, (((1,) * 12, KeyPegs(0, 0)),), "expert")
    assert guess is not None
    assert len(guess) == 12

import pytest

from keypeg.rules.board import PRESETS, Board
from keypeg.rules.code import Code
from keypeg.rules.keypegs import KeyPegs, score
from keypeg.solver import choice
from keypeg.solver.books.book import book_of
from keypeg.solver.choice import best_guess, choose, cost_at_start
from keypeg.solver.history import Clue, History
from keypeg.solver.levels import LEVELS, Level
from keypeg.solver.position import Position
from keypeg.solver.progress import Cancelled
from keypeg.solver.valuation import Aftermath, Certainty, Cost

CLASSIC = PRESETS["classic"]


def history(secret: Code, *guesses: Code) -> History:
    return tuple(Clue(guess, score(secret, guess)) for guess in guesses)


def test_while_the_rows_follow_the_book_its_guess_and_cost_are_taken() -> None:
    for board in PRESETS.values():
        book = book_of(board)
        assert book is not None
        best = best_guess(Position(board))
        assert best.guess == book.guess()
        assert best.cost.guesses == pytest.approx(book.claim.total / board.codes)


def test_after_a_first_guess_of_ones_own_the_stored_openings_go_on() -> None:
    rows = history((1, 5, 2, 4), (6, 6, 5, 5))
    best = best_guess(Position(CLASSIC, rows, seconds=0))
    assert best.cost.certainty is Certainty.PROVEN


def test_a_search_that_has_no_time_leaves_the_guess_to_be_judged() -> None:
    rows = history((1, 5, 2, 4), (6, 6, 5, 5), (1, 1, 2, 3))
    assert best_guess(Position(CLASSIC, rows, seconds=60)).cost.certainty is Certainty.PROVEN
    assert best_guess(Position(CLASSIC, rows, seconds=0)).cost.certainty is Certainty.ESTIMATE


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
@pytest.mark.parametrize("text", ["classic", "8x12"])
def test_a_cost_is_computed_only_when_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, text: str, level: Level
) -> None:
    asked: list[Code] = []

    def noted(position: Position, guess: Code) -> Aftermath:
        asked.append(guess)
        return Aftermath({}, Certainty.ESTIMATE)

    monkeypatch.setattr(choice, "judged_after", noted)
    board = Board.parse(text)
    secret = tuple(board.symbols[hole % 5] for hole in range(board.holes))
    rows = history(secret, tuple(board.symbols[-1 - hole % 3] for hole in range(board.holes)))
    chosen = choose(Position(board, rows), level)
    assert not asked
    costs = {chosen.cost, chosen.cost}
    assert len(costs) == 1
    assert len(asked) <= 1


def test_cancelling_stops_a_search() -> None:
    rows = history((1, 5, 2, 4), (1, 1, 2, 2), (3, 3, 4, 4))
    with pytest.raises(Cancelled):
        best_guess(Position(CLASSIC, rows, cancelled=lambda: True))


def test_one_or_two_codes_left_have_a_proven_cost() -> None:
    rows = tuple(Clue((peg,) * 4, KeyPegs(0, 0)) for peg in range(1, 6))
    found = choice.judged_guess(Position(CLASSIC, rows))
    assert (found.guess, found.cost) == ((6, 6, 6, 6), Cost(1.0, Certainty.PROVEN))


def test_the_cost_of_a_game_is_proven_where_it_is() -> None:
    assert cost_at_start(CLASSIC) == (5_625 / 1_296, Certainty.PROVEN)
    assert cost_at_start(Board(8, 12)).certainty is Certainty.ESTIMATE

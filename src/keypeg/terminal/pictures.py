"""Pictures of results; they need the `plot` extra."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from keypeg.rules.errors import KeypegError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from keypeg.rules.board import Board
    from keypeg.rules.game import Game
    from keypeg.solver.analysis import GameAnalysis
    from keypeg.solver.tournament import Standing

LOSS, LUCK, LEFT = "#a81905", "#19a07e", "#0026be"
WIDE, TALL = 6.0, 3.2
"""Inches of one chart."""
BAR: Final = 0.38


class NoPictures(KeypegError):
    """The picture cannot be drawn or written."""


def draw_standings(board: Board, standings: Sequence[Standing], file: Path) -> None:
    """A histogram: how many of a hundred secrets each strategy needs how many guesses for."""
    figure = _figure(WIDE + 2, TALL + 1)
    axes = figure.subplots()
    width = 0.8 / len(standings)
    for number, standing in enumerate(standings):
        guesses = [n + (number - (len(standings) - 1) / 2) * width for n in standing.distribution]
        shares = [100 * many / standing.secrets for many in standing.distribution.values()]
        axes.bar(guesses, shares, width, label=f"{standing.name} ({standing.average:.3f})")
    axes.set(title=str(board), xlabel="guesses", ylabel="% of the secrets")
    axes.set_xticks(range(1, max(standing.worst for standing in standings) + 1))
    axes.legend(title="strategy (average)")
    _save(figure, file)


def draw_reviews(reviews: Sequence[tuple[Game, GameAnalysis]], file: Path) -> None:
    """For each game the codes left by row, and each row's loss and luck."""
    if not reviews:
        raise NoPictures("there is no row to draw")
    figure = _figure(WIDE * 2, TALL * len(reviews))
    grid = figure.subplots(len(reviews), 2, squeeze=False)
    for (game, review), (left, right) in zip(reviews, grid, strict=True):
        _draw_left(left, game, review)
        _draw_loss_and_luck(right, review)
    _save(figure, file)


def _draw_left(axes: Axes, game: Game, review: GameAnalysis) -> None:
    rows = [0, *(row.row for row in review.rows)]
    left = [review.rows[0].before.value, *(row.after.value for row in review.rows)]
    axes.step(rows, left, where="post", color=LEFT)
    axes.plot(rows, left, "o", color=LEFT)
    axes.set_yscale("symlog", linthresh=1)
    axes.set(title=f"Game {game.id.rpartition('/')[2]} on {game.board}", xlabel="row")
    axes.set(ylabel="codes left", xticks=rows, ylim=(0, None))


def _draw_loss_and_luck(axes: Axes, review: GameAnalysis) -> None:
    rows = [row.row for row in review.rows]
    loss = [row.loss for row in review.rows]
    luck = [row.luck or 0.0 for row in review.rows]
    axes.bar([n - BAR / 2 for n in rows], loss, BAR, color=LOSS, label="loss")
    axes.bar([n + BAR / 2 for n in rows], luck, BAR, color=LUCK, label="luck")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.legend()
    axes.set(xlabel="row", ylabel="guesses", xticks=rows)


def _figure(width: float, height: float) -> Figure:
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra
    except ImportError:
        raise NoPictures(
            "pictures need matplotlib, which is not installed: pip install 'keypeg[plot]'"
        ) from None
    return Figure(figsize=(width, height), layout="constrained")


def _save(figure: Figure, file: Path) -> None:
    try:
        figure.savefig(file)
    except ValueError as error:
        # matplotlib names the file types that it can write.
        raise NoPictures(f"{file.name}: {error}") from None

"""The pictures of docs/results.md. They have their own background, for dark pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from bench.atlas.boards import GAMES
from bench.atlas.finding import PROVEN
from keypeg.rules.board import PRESETS
from keypeg.solver.books.book import book_of
from keypeg.solver.codes.codespace import Answers

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from bench.atlas.boards import Game
    from bench.atlas.records import Record
    from keypeg.solver.books.book import Book

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#aa3377", "#56719a", "#e69f00", "#555555")
"""Distinguishable with every kind of colour vision (after Okabe and Ito)."""

MARKS: Final = "osD^vPX"
OFFICIAL: Final = tuple(PRESETS)

KINDS: Final = {
    "proven, as by others before": ("#cfe3f1", ""),
    "proven, no proof by others known": ("#bfe5d6", "///"),
    "upper bound, below the best published": ("#fbe3b5", "..."),
    "upper bound": ("#f4f4f4", ""),
}
"""The kinds of results on the map, with their colours and hatches."""


def draw(records: dict[str, Record], folder: Path) -> None:
    """All pictures."""
    mpl.rcParams.update({"svg.hashsalt": "keypeg", "font.size": 10, "axes.grid": True})
    mpl.rcParams.update({"grid.color": "#dddddd", "axes.axisbelow": True, "hatch.linewidth": 0.4})
    found = [(GAMES[name], record) for name, record in records.items() if "total" in record]
    for name, figure in (
        ("map", draw_map(found)),
        ("average", draw_averages(found)),
        ("published", draw_published(found)),
        ("guesses", draw_guesses()),
        ("left", draw_left()),
    ):
        figure.savefig(folder / f"results-{name}.svg", metadata={"Date": None})


def new_figure(width: float = 8, height: float = 4.5) -> tuple[Figure, Any]:
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    return figure, figure.subplots()


def two_panels(height: float) -> tuple[Figure, Iterator[tuple[bool, Axes]]]:
    """A figure with a panel for boards with repeats, and one for those without."""
    figure = Figure(figsize=(12, height), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2)
    left.set_title("with repeats")
    right.set_title("without repeats")
    return figure, iter(((True, left), (False, right)))


def draw_map(found: list[tuple[Game, Record]]) -> Figure:
    """A field for each board: the average number of guesses, on the colour of the kind."""
    figure, panels = two_panels(5.2)
    for repeats, axes in panels:
        for game, record in found:
            if game.board.repeats == repeats:
                draw_field(axes, game, record)
        axes.set(xlim=(1.5, 20.5), ylim=(13.5, 1.5), xticks=range(2, 21), yticks=range(2, 14))
        axes.set(xlabel="colours, a blank among them", ylabel="holes")
        axes.grid(visible=False)
    patches = [
        Patch(facecolor=colour, hatch=hatch, edgecolor="#777777", label=kind)
        for kind, (colour, hatch) in KINDS.items()
    ]
    figure.legend(handles=patches, loc="outside lower center", ncols=len(patches))
    return figure


def draw_field(axes: Axes, game: Game, record: Record) -> None:
    holes, colours = game.board.holes, game.board.colours
    colour, hatch = KINDS[kind(game, record)]
    corner = (colours - 0.5, holes - 0.5)
    axes.add_patch(Rectangle(corner, 1, 1, facecolor=colour, edgecolor="#777777", hatch=hatch))
    average = f"{record['total'] / game.board.codes:.2f}"
    box = {"facecolor": colour, "edgecolor": "none", "pad": 0.5}
    axes.text(colours, holes, average, ha="center", va="center", fontsize=7, bbox=box)


def kind(game: Game, record: Record) -> str:
    """Which of the kinds of the map a result is."""
    earlier, (before, here, better, other) = game.published, KINDS
    if record["status"] == PROVEN:
        return before if earlier is not None and earlier.proven else here
    return better if earlier is not None and record["total"] < earlier.total else other


def draw_averages(found: list[tuple[Game, Record]]) -> Figure:
    figure, panels = two_panels(4.5)
    for repeats, axes in panels:
        lines: dict[int, list[tuple[int, float]]] = {}
        for game, record in found:
            if game.board.repeats == repeats and game.board.holes <= len(MARKS):
                average = record["total"] / game.board.codes
                lines.setdefault(game.board.holes, []).append((game.board.colours, average))
        for (holes, points), colour, mark in zip(lines.items(), COLOURS, MARKS, strict=False):
            axes.plot(
                *zip(*points, strict=True),
                marker=mark,
                color=colour,
                label=f"{holes} holes",
                markersize=4,
            )
        axes.set(xlabel="colours, a blank among them", xticks=range(2, 21, 2))
        axes.set(ylabel="guesses on average")
        axes.legend(fontsize=9, loc="upper left")
    return figure


def draw_published(found: list[tuple[Game, Record]]) -> Figure:
    """How far the published averages are from ours, where they are not the same."""
    differences = {
        game.name: 100 * (1 - record["total"] / game.published.total)
        for game, record in reversed(found)
        if game.published is not None and game.published.total != record["total"]
    }
    figure, axes = new_figure(height=4)
    colours = [COLOURS[0] if value > 0 else COLOURS[1] for value in differences.values()]
    bars = axes.barh(list(differences), list(differences.values()), color=colours)
    axes.bar_label(
        bars, [f"{value:.2f} %" for value in differences.values()], fontsize=8, padding=2
    )
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(title="Fewer guesses than the best published", xlabel="%")
    axes.margins(x=0.2)
    axes.grid(visible=False, axis="y")
    return figure


def shelf() -> dict[str, Book]:
    """The books of the official boards."""
    books = {name: book_of(PRESETS[name]) for name in OFFICIAL}
    return {name: book for name, book in books.items() if book is not None}


def draw_guesses() -> Figure:
    figure, axes = new_figure()
    width = 0.4
    for place, name in enumerate(("advanced", "advanced-blanks")):
        book = shelf()[name]
        found = [int(wins.sum()) for _, wins in levels(book)]
        shares = [100 * many / book.board.codes for many in found]
        rows = np.arange(1, len(found) + 1) + (place - 0.5) * width
        average = book.claim.total / book.board.codes
        label = f"{name}: {average:.3f} on average ({book.claim.status})"
        bars = axes.bar(rows, shares, width, color=COLOURS[place], label=label)
        axes.bar_label(bars, [f"{many:,}" for many in found], fontsize=7, padding=2)
    axes.set(xlabel="guesses", ylabel="% of the secrets")
    axes.set_title("How many guesses the shipped books take")
    axes.margins(y=0.12)
    axes.grid(visible=False, axis="x")
    axes.legend()
    return figure


def draw_left() -> Figure:
    figure, axes = new_figure()
    for (name, book), colour, mark in zip(shelf().items(), COLOURS, MARKS, strict=False):
        left = expected_left(book)
        axes.plot(range(len(left)), left, marker=mark, color=colour, label=name, markersize=5)
    axes.set_yscale("log")
    axes.set(xlabel="rows played", ylabel="codes left, on average")
    axes.set_title("How fast the codes run out")
    axes.legend()
    return figure


def levels(book: Book) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Row by row, the sizes of the book's nodes and which of their guesses can win."""
    solved = Answers(book.board.holes).solved
    wins = (book.masks >> np.uint32(solved)).astype(np.int64) & 1
    leads = np.bitwise_count(book.masks & np.uint32((1 << solved) - 1)).astype(np.int64)
    sizes = wins.copy()
    for node in range(len(sizes) - 1, -1, -1):
        first = book.children[node]
        sizes[node] += sizes[first : first + leads[node]].sum()
    rows, start, end = [], 0, 1
    while start < end:
        rows.append((sizes[start:end], wins[start:end]))
        start, end = end, end + int(leads[start:end].sum())
    return rows


def expected_left(book: Book) -> list[float]:
    """Codes that still fit before each row, on average over the secrets not found by then."""
    return [float((sizes**2).sum() / sizes.sum()) for sizes, _ in levels(book)]

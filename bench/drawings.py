"""The pictures of docs/results.md. They have their own background, for dark pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from keypeg.rules.board import PRESETS
from keypeg.solver.books.book import book_of
from keypeg.solver.codes.codespace import Answers

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from keypeg.solver.books.book import Book

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#aa3377", "#56719a", "#e69f00", "#555555")
"""Distinguishable with every kind of colour vision (after Okabe and Ito)."""

Point = tuple[int, float, float | None]
"""Colours, our average, the published one."""

MARKS: Final = "osD^vPX"
OFFICIAL: Final = tuple(PRESETS)


def draw(averages: dict[str, list[Point]], folder: Path) -> None:
    """All pictures."""
    mpl.rcParams.update({"svg.hashsalt": "keypeg", "font.size": 10, "axes.grid": True})
    mpl.rcParams.update({"grid.color": "#dddddd", "axes.axisbelow": True})
    for name, figure in (
        ("average", draw_averages(averages)),
        ("guesses", draw_guesses()),
        ("left", draw_left()),
    ):
        figure.savefig(folder / f"results-{name}.svg", metadata={"Date": None})


def new_figure() -> tuple[Figure, Any]:
    figure = Figure(figsize=(8, 4.5), layout="constrained", facecolor="white")
    return figure, figure.subplots()


def draw_averages(averages: dict[str, list[Point]]) -> Figure:
    figure = Figure(figsize=(10, 4.5), layout="constrained", facecolor="white")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    for (label, points), colour, mark in zip(
        sorted(averages.items()), COLOURS, MARKS, strict=False
    ):
        colours, ours, _ = zip(*points, strict=True)
        style = "--" if "no repeats" in label else "-"
        left.plot(colours, ours, style, marker=mark, color=colour, label=label, markersize=5)
    left.set(xlabel="colours, a blank among them", ylabel="guesses on average")
    left.set(title="Average number of guesses", xticks=range(2, 11))
    left.legend(fontsize=9)
    draw_differences(right, averages)
    return figure


def draw_differences(axes: Axes, averages: dict[str, list[Point]]) -> None:
    """How far the published averages are from ours, where they are not the same."""
    differences = {
        f"{label[0]}x{colours}{'n' * ('no repeats' in label)}": 100 * (theirs - ours) / theirs
        for label, points in sorted(averages.items(), reverse=True)
        for colours, ours, theirs in reversed(points)
        if theirs is not None and abs(theirs - ours) > 1e-9
    }
    colours = [COLOURS[0] if value > 0 else COLOURS[1] for value in differences.values()]
    bars = axes.barh(list(differences), list(differences.values()), color=colours)
    axes.bar_label(
        bars, [f"{value:.2f} %" for value in differences.values()], fontsize=8, padding=2
    )
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(title="Fewer guesses than the best published", xlabel="%")
    axes.margins(x=0.2)
    axes.grid(visible=False, axis="y")


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

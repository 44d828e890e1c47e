"""The colours in use: far enough apart for everybody, and readable labels on them.

CIEDE2000: Sharma, Wu, Dalal, Color Research & Application 30(1), 2005. Colour vision:
Machado, Oliveira, Fernandes, IEEE TVCG 15(6), 2009, severity 1.0.
"""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.web.test_modules import GAME, told_by

Array = NDArray[np.float64]

VISION = {
    "normal": np.eye(3),
    "protan": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deutan": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritan": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
OKABE_ITO = 10.9
"""The smallest distance in the palette most often called safe."""


def linear(colour: str) -> Array:
    values = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(light: Array) -> Array:
    x, y, z = np.clip(light, 0, 1) @ XYZ.T / WHITE
    f = [np.cbrt(v) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def ciede2000(one: Array, two: Array) -> float:
    (l1, a1, b1), (l2, a2, b2) = one, two
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 0.5 * (1 - np.sqrt(mean**7 / (mean**7 + 25**7)))
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = h2 - h1 if abs(h2 - h1) <= 180 else h2 - h1 - 360 * np.sign(h2 - h1)
    dh = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    hm = (h1 + turn / 2) % 360
    lm, cm = (l1 + l2) / 2, (c1 + c2) / 2
    t = (
        1
        - 0.17 * np.cos(np.radians(hm - 30))
        + 0.24 * np.cos(np.radians(2 * hm))
        + 0.32 * np.cos(np.radians(3 * hm + 6))
        - 0.20 * np.cos(np.radians(4 * hm - 63))
    )
    sl = 1 + 0.015 * (lm - 50) ** 2 / np.sqrt(20 + (lm - 50) ** 2)
    sc, sh = 1 + 0.045 * cm, 1 + 0.015 * cm * t
    rotation = np.radians(60 * np.exp(-(((hm - 275) / 25) ** 2)))
    rt = -2 * np.sqrt(cm**7 / (cm**7 + 25**7)) * np.sin(rotation)
    dl, dc, dh = (l2 - l1) / sl, (c2 - c1) / sc, dh / sh
    return float(np.sqrt(dl**2 + dc**2 + dh**2 + rt * dc * dh))


def in_use(colours: int) -> dict[str, str]:
    """The palette of a board, as the browser has it."""
    names = told_by("colours.js", f"m.coloursOf({colours}).map(c => c.name)")
    palette = told_by("../look/palettes.js", f"m.safePalette({colours})")
    assert isinstance(names, list)
    assert isinstance(palette, dict)
    return {name: palette[name] for name in names}


def test_the_distance_is_the_published_one() -> None:
    """The first pair of Sharma's test data."""
    pair = np.array([50.0, 2.6772, -79.7751]), np.array([50.0, 0.0, -82.7485])
    assert ciede2000(*pair) == pytest.approx(2.0425, abs=1e-4)


@pytest.mark.parametrize(("colours", "least"), [(6, 25), (8, 21), (9, 21), (20, 9)])
def test_colours_are_far_apart_for_every_kind_of_eye(colours: int, least: float) -> None:
    palette = in_use(colours)
    for kind, matrix in VISION.items():
        seen = {name: lab(matrix @ linear(colour)) for name, colour in palette.items()}
        nearest = min(ciede2000(seen[a], seen[b]) for a, b in combinations(seen, 2))
        assert nearest > least, kind
    assert least > OKABE_ITO or colours > 9


@pytest.mark.parametrize("colours", [6, 9, 20])
def test_every_letter_can_be_read_on_its_peg(colours: int) -> None:
    for name, colour in in_use(colours).items():
        ink = told_by("../look/palettes.js", f"m.inkOn('{colour}')")
        assert contrast(colour, str(ink)) >= 4.5, name


def contrast(one: str, two: str) -> float:
    dark, light = sorted(float(linear(colour) @ XYZ[1]) for colour in (one, two))
    return (light + 0.05) / (dark + 0.05)


TOKENS = (GAME.parent / "style/tokens.css").read_text()
PAGE = (GAME.parent / "style/page.css").read_text()
TEXT_ON = {
    "ink": ("paper", "card"),
    "faint-ink": ("paper", "card"),
    "accent": ("paper", "card"),
    "on-accent": ("accent",),
    "alarm": ("paper", "card"),
    "slab-ink": ("slab", "slab-light", "lifted"),
    "on-curtain": ("curtain",),
}
"""Which tokens colour text, and what that text stands on."""
RINGS_ON = {"accent": ("dish", "lifted", "slab"), "ring": ("dish", "slab")}
"""Which tokens colour rings, and what those are drawn on."""


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_and_rings_keep_their_contrast_in_both_themes(theme: int) -> None:
    found = re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", TOKENS)
    tokens = {name: (light, dark)[theme] for name, light, dark in found}
    for text, grounds in TEXT_ON.items():
        for ground in grounds:
            assert contrast(tokens[text], tokens[ground]) >= 4.5, f"{text} on {ground}"
    for ring, grounds in RINGS_ON.items():
        for ground in grounds:
            assert contrast(tokens[ring], tokens[ground]) >= 3, f"{ring} on {ground}"
    assert "::placeholder { color: var(--faint-ink); opacity: 1; }" in PAGE


def test_every_colour_of_every_board_has_its_shape() -> None:
    names = {str(one) for one in in_use(20)} | set(in_use(6))
    shapes = told_by("../look/shapes.js", "Object.keys(m.SHAPES)")
    assert isinstance(shapes, list)
    assert names == set(shapes)


def test_only_the_tokens_set_the_colours_of_surfaces() -> None:
    """Styles take their colours from the tokens; what is left is ink, chalk and shadow."""
    for sheet in Path(GAME.parent / "style").glob("*.css"):
        if sheet.name != "tokens.css":
            colours = set(re.findall(r"#[0-9a-f]{3,8}\b", sheet.read_text()))
            assert colours <= {"#000", "#111", "#1a1a1a", "#fff"}, sheet.name

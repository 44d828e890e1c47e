"""The page's own QR codes are those that segno makes."""

from __future__ import annotations

import json
import random

import segno

from tests.web.test_modules import GAME, in_node

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:"
FULL = (20, 38, 61, 90, 122, 154, 178, 221, 262, 311, 366, 419, 483, 528, 600)
"""The most characters of versions 1 to 15 with level M (ISO/IEC 18004, table 7)."""
SHORTER = (1, 6, 100, 200, 375, 591)
"""Of texts that leave room. segno adds an empty byte where a terminator ends a byte; none does."""


def test_codes_have_the_modules_that_segno_gives_them() -> None:
    drawn = random.Random(3)
    texts = ["".join(drawn.choice(ALPHABET) for _ in range(size)) for size in (*FULL, *SHORTER)]
    program = f"""
        import {{ capacity, qrCode }} from '{(GAME.parent / "transfer/qr.js").as_uri()}';
        const capacities = Array.from({{ length: 15 }}, (_, at) => capacity(at + 1));
        console.log(JSON.stringify([capacities, {json.dumps(texts)}.map(qrCode)]));
    """
    capacities, codes = json.loads(in_node("--input-type=module", "--eval", program))
    assert tuple(capacities) == FULL
    assert [code["version"] for code in codes[: len(FULL)]] == list(range(1, 16))
    for text, code in zip(texts, codes, strict=True):
        wanted = segno.make(
            text,
            error="m",
            version=code["version"],
            mode="alphanumeric",
            mask=code["mask"],
            boost_error=False,
        )
        assert [[bool(module) for module in row] for row in wanted.matrix] == code["modules"]

from __future__ import annotations

from keypeg.daily.sharing import shared
from keypeg.rules.board import PRESETS
from keypeg.rules.keypegs import KeyPegs


def test_a_result_is_shared_in_emoji_and_in_words() -> None:
    rows = [KeyPegs(1, 2), KeyPegs(0, 0), KeyPegs(4, 0)]
    assert shared(322, PRESETS["classic"], rows, "https://example.org/daily") == (
        "keypeg daily 322: 3 rows\n"
        "⚫⚪⚪▫️\n"
        "▫️▫️▫️▫️\n"
        "⚫⚫⚫⚫\n"
        "In words: 1 black, 2 white; 0 black, 0 white; 4 black, 0 white.\n"
        "https://example.org/daily"
    )


def test_a_code_that_was_not_broken_is_shared_too() -> None:
    text = shared(1, PRESETS["advanced"], [KeyPegs(1, 1)] * 12)
    assert text.startswith("keypeg daily advanced 1: not broken in 12 rows\n🔴⚪▫️▫️▫️\n")
    assert text.endswith("1 red, 1 white.")

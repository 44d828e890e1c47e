from __future__ import annotations

from tests.web.event_types import FILE, typescript


def test_the_page_knows_every_event_as_it_is_sent() -> None:
    assert FILE.read_text(encoding="utf-8") == typescript(), "run: make event-types"

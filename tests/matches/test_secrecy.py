"""Nothing that is sent of a match depends on what its reader may not know.

KEYPEG_TEST_CASES sets how many pairs are tried; `python -m bench secrecy` tries more.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from itertools import islice

import pytest
from msgspec.structs import replace

from harness import match_leaks
from harness.match_leaks import match_cases
from keypeg.matches.seen import Seen
from keypeg.messages import MatchOut
from keypeg.messages.matches import match_out

CASES = int(os.environ.get("KEYPEG_TEST_CASES", "3000")) // 15


def test_no_byte_depends_on_what_a_reader_may_not_know() -> None:
    kinds: Counter[object] = Counter()
    for case in islice(match_cases(random.Random(31)), CASES):
        assert not case.leaks, case.story
        terms = case.story.terms
        kinds[terms.kind, terms.pace, terms.keys_shown, terms.by_hand, case.story.watches] += 1
    assert len(kinds) >= 14, "every kind of match, for players and for spectators"


def test_a_byte_that_depends_on_it_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(seen: Seen) -> MatchOut:
        return replace(match_out(seen), seq=seen.people[1].name and tellings[-1].state.seq)

    tellings: list[match_leaks.Telling] = []
    told = match_leaks.Telling.seen

    def seen(telling: match_leaks.Telling) -> Seen:
        tellings.append(telling)
        return told(telling)

    monkeypatch.setattr(match_leaks.Telling, "seen", seen)
    monkeypatch.setattr(match_leaks, "match_out", shown)
    discreet = (case for case in match_cases(random.Random(31)) if case.story.terms.discreet)
    assert sum(case.leaks for case in islice(discreet, 20)) > 10

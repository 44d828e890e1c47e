"""Races and duels: matches of several players who break codes at the same time.

`commands` and `decisions` say what may be asked and what it causes; `state` is the fold of a log;
`match` is one live match, with its clocks and the computer as player; `matches` has all of them.
"""

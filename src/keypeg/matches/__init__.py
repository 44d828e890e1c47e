"""Races and duels: matches of several players who break codes at the same time.

`commands` and `decisions` say what may be asked and what it causes; `state` is the fold of a log;
`live_match` is one match in this process, with its clocks, `log_writer` its log, `computers` the
computer as player; `matches` has all of them; `soundness` checks stored ones.
"""

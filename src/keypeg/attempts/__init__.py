"""Attempts at a code by a breaker who plays alone, whatever kind of code it is.

`answers` adds a row with its answer, `soundness` checks stored rows, `optimum` is what the strategy
book would have needed. `daily` and `contests` say whose attempts there are, and who may see what.
"""

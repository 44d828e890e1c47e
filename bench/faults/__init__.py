"""Faults, one after another, for as long as it takes: `python -m bench faults --help`.

Each round starts servers of its own, lets guests play at random through one kind of fault, and
holds what they noted against the log. tests/server/test_scenarios.py runs each round once, short.
"""

"""Faults, each a coroutine that plays through it and checks what is left: `scenarios` names them.

`python -m bench faults` runs them at length, tests/server/test_scenarios.py each one briefly.
`races` sets moves against the ends of their turns, on tables without a server.
"""

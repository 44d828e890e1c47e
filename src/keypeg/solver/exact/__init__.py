"""Exact search: the strategy with the least guesses, and the proof that it is."""

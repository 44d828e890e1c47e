"""Exact search: the strategy with the fewest guesses, and the proof that none has fewer."""

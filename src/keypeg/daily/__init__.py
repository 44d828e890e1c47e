"""The daily code: a code a day for everybody, on each of two boards.

`days` numbers the days, `codes` draws and seals their codes, `game` takes guesses and says what
whoever guesses may see; `streak` and `sharing` are what players make of their results. Attempts
are stored by `store.daily_attempts`.
"""

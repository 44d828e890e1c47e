"""keypeg: Mastermind, the code-breaking board game, complete.

`keypeg.rules` is the game itself and needs nothing but the standard library.
"""

__version__ = "0.1.0"

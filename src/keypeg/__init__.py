"""keypeg: Mastermind, the code-breaking board game, complete.

`keypeg.rules` is the game itself and needs nothing but the standard library. Programs use it,
`keypeg.solver` and `keypeg.client`; what else is here serves the commands and may change.
"""

__version__ = "0.1.0"

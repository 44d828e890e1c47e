"""The game itself: pure functions over frozen values.

Standard library only; no clock, no randomness, no input or output. A reader who wants to
know what a white key peg is finds it here and needs to look nowhere else.
"""

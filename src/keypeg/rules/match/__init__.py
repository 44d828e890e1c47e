"""Races and duels: matches, in which several players break codes at the same time.

`state` has the match and what each event does to it; `referee` what follows by itself; `options`
what a player may do now; `standing` the places; `view` what a player or a spectator may see.
"""

"""Contests: codes that many break, each alone and whenever they like; then a table of all.

`game` makes contests, takes guesses and decides who may see what; `standing` ranks those who are
done; `soundness` checks what is stored. Contests are stored by `store.contests`.
"""

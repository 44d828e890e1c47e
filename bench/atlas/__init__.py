"""The atlas: what keypeg finds on every small board, and on every board with a published total.

`make atlas` runs the commands of whatever is missing in bench/atlas/atlas.json, one after the
other, keeps each result at once, and writes docs/results.md. Only the published totals in
bench/atlas/boards.py are typed by hand; they are listed there with their sources.
"""

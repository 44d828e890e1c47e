"""A server under attack from one address: `python -m bench attack`, on this machine alone.

While each attack runs, two pairs of bystanders play in a process and at addresses of their own. The
attacks are in bench/attack/attacks: each is a function, run in another process for a few seconds.
"""

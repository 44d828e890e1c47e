"""Clients of a server, from one message at a time to a crowd.

`sockets` sends what a test tells it to. `light` costs little, so that thousands fit in a process.
`guests` play at random and note everything in a `diary`.
"""

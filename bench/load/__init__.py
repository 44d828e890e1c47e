"""A real server under load: `python -m bench load` measures the promises G1 to G13.

Clients are processes of their own, each with thousands of sockets that are a few lines of asyncio:
a client that costs more than the server would measure itself.
"""

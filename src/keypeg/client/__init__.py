"""A client for programs: opens tables, takes seats, and plays whole series over the network.

    async with Client("http://127.0.0.1:8000") as client:
        player = await client.open_table(board="classic", opponent="perfect", name="Robby")
        async with player.connect() as table:
            result = await play_series(table, MyBreaker())

A lost connection is resumed where it broke off. A command whose answer was lost is sent again
under the same id, so that it is carried out once.
"""

from keypeg.client.connection import Connection
from keypeg.client.contest import Contest
from keypeg.client.errors import ConnectionLost, Refused, Unreachable
from keypeg.client.http import Client, Player
from keypeg.client.match import LiveView, Match
from keypeg.client.series import Breaker, Rows, play_series

__all__ = [
    "Breaker",
    "Client",
    "Connection",
    "ConnectionLost",
    "Contest",
    "LiveView",
    "Match",
    "Player",
    "Refused",
    "Rows",
    "Unreachable",
    "play_series",
]

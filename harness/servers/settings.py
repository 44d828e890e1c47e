"""Settings of the servers: a key, and limits that nobody reaches by accident."""

from __future__ import annotations

from typing import Final

KEY: Final = "5a" * 32
ROOMY: Final = {
    "requests_per_second": 10_000.0,
    "requests_at_once": 10_000,
    "tables_per_minute": 100_000.0,
    "tables_at_once": 10_000,
    "messages_per_second": 10_000.0,
    "messages_at_once": 10_000,
    "spectator_messages_per_second": 10_000.0,
    "sockets_per_address": 5_000,
    "connections_per_address": 5_000,
    "entries_per_day": 1_000_000_000,
    "thinking_seconds": 300.0,
    "computer_row_seconds": 0.0,
}
"""By the names of the settings; tests of a limit set their own."""

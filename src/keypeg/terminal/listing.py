"""The tables of a server, for a person or a program to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from keypeg.store.log import Stage
from keypeg.terminal.remote import link_to

if TYPE_CHECKING:
    from collections.abc import Iterator

    from keypeg.messages import TableOut


def as_lines(server: str, tables: list[TableOut]) -> Iterator[str]:
    """Each table in two lines: its link, and what is played there."""
    if not tables:
        yield "No public table is open; 'keypeg play --open SERVER --public' opens one."
    for table in tables:
        yield link_to(server, table.id)
        yield f"  {table.board.name}, {table.games_agreed} games: {_players(table)}"


def _players(table: TableOut) -> str:
    named = [
        seat.name or f"Computer ({seat.level})" for seat in (table.one, table.two) if seat.taken
    ]
    if table.status.stage is Stage.WAITING:
        return f"{' and '.join(named) or 'nobody'} there, a seat is free; --join takes it"
    return f"{' and '.join(named)} play game {table.status.number}; --watch shows it"


def as_data(server: str, tables: list[TableOut]) -> list[dict[str, Any]]:
    """The same for a program."""
    return [
        {
            "link": link_to(server, table.id),
            "board": table.board.name,
            "games": table.games_agreed,
            "stage": table.status.stage.value,
            "game": table.status.number,
            "one": table.one.name,
            "two": table.two.name,
        }
        for table in tables
    ]

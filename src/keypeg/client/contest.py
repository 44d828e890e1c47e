"""A contest, as a program takes part in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from keypeg import messages as wire
from keypeg.draw import new_id

if TYPE_CHECKING:
    import msgspec

    from keypeg.client.http import Client
    from keypeg.rules.code import Code

_T = TypeVar("_T")


class Contest:
    """A contest at a server, seen by the holder of a token; None only looks."""

    def __init__(self, client: Client, id_: str, token: str | None) -> None:
        self.client, self.id, self._token = client, id_, token

    def __repr__(self) -> str:
        return f"Contest({self.id!r})"

    @property
    def link(self) -> str:
        """Where the contest is in a browser."""
        return f"{self.client.url}/contest/{self.id}"

    async def look(self) -> wire.ContestOut:
        """The seals, your rows, and what you may know of the codes."""
        return await self._get("", wire.ContestOut)

    async def enter(self, name: str | None = None) -> wire.ContestOut:
        """Enter, or take another name."""
        return await self._post("/entrants", wire.EnterContest(name=name), wire.ContestOut)

    async def watch(self) -> wire.ContestOut:
        """Watch instead: see the codes and who is done, and never enter with this token."""
        return await self._post("/spectators", wire.WatchContest(), wire.ContestOut)

    async def guess(self, number: int, code: Code) -> wire.ContestAnswer:
        """Guess at a code. When this returns, the row is stored."""
        wanted = wire.AttemptGuess(id=new_id(), code=code)
        return await self._post(f"/codes/{number}/guesses", wanted, wire.ContestAnswer)

    async def results(self, number: int) -> wire.ContestResults:
        """How everybody who is done with a code has fared, once you are done with it."""
        return await self._get(f"/codes/{number}/results", wire.ContestResults)

    async def standing(self) -> wire.ContestResults:
        """The standing over all codes that you are done with."""
        return await self._get("/standing", wire.ContestResults)

    async def rows(self, number: int, entrant: int) -> wire.EntrantRows:
        """What one of those who are done has played."""
        return await self._get(f"/codes/{number}/entrants/{entrant}", wire.EntrantRows)

    async def _get(self, path: str, kind: type[_T]) -> _T:
        return await self.client.get(f"/api/contests/{self.id}{path}", kind, self._token)

    async def _post(self, path: str, body: msgspec.Struct, kind: type[_T]) -> _T:
        return await self.client.insist(f"/api/contests/{self.id}{path}", body, kind, self._token)

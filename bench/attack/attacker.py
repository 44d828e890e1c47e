"""The attacker's process: `NAME PORT SOURCE SECONDS`; says when it has begun, and what it sent."""

from __future__ import annotations

import asyncio
import json
import sys

import uvloop

from bench.attack.registry import Target, attacks
from harness.clients.light import raise_limits

PREPARATION_SECONDS = 240
"""An attack that takes longer to begin has failed."""


async def main(name: str, port: int, source: str, seconds: float) -> None:
    target = Target(port, source, seconds)
    async with asyncio.timeout(PREPARATION_SECONDS + 4 * seconds):
        sent = await attacks()[name](target)
    print(json.dumps({"sent": sent}), flush=True)


if __name__ == "__main__":
    raise_limits()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        name, port, source, seconds = sys.argv[1:]
        runner.run(main(name, int(port), source, float(seconds)))

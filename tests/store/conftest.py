"""A log on each database."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from keypeg.store.sql import SqlLog
from tests.store.entries import KEY


@pytest.fixture
async def log(address: str) -> AsyncIterator[SqlLog]:
    log = await SqlLog.open(address, KEY)
    yield log
    await log.close()

"""Whether a database can be used: the last failure of a write, and whether the disk has failed."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from keypeg.store.errors import Broken, StoreError, Unavailable
from keypeg.store.faults import FAULTS, diagnose

if TYPE_CHECKING:
    from collections.abc import Iterator

_log = logging.getLogger(__name__)


class Health:
    """What is known of one database. Each change is logged once."""

    def __init__(self) -> None:
        self.trouble: str | None = None
        """Why the last write failed, or None if it succeeded."""
        self.broken: Broken | None = None
        """How the disk failed, after which nothing can be trusted until a restart."""

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Turn a fault of the database into an error that says what is wrong."""
        try:
            yield
        except FAULTS as fault:
            raise self._note(diagnose(fault)) from fault

    @contextmanager
    def writing(self) -> Iterator[None]:
        """The same, and note whether the write succeeded."""
        try:
            yield
        except FAULTS as fault:
            # Not kept in a variable: the error's traceback refers to this frame.
            raise self.failed(diagnose(fault)) from fault
        except Broken as error:
            self.failed(error)
            raise
        if self.trouble is not None:
            _log.info("the database accepts writes again")
            self.trouble = None

    def failed(self, error: StoreError) -> StoreError:
        """Note that nothing can be written, and why."""
        if self.trouble is None and isinstance(error, Unavailable):
            _log.warning("nothing can be written", extra={"reason": str(error)})
        self.trouble = str(error)
        return self._note(error)

    def _note(self, error: StoreError) -> StoreError:
        if isinstance(error, Broken) and self.broken is None:
            _log.error("the database is broken: %s", error)
            self.broken = error.alone()
        return error

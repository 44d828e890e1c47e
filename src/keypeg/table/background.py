"""Loops that the process cannot do without: what goes wrong in one round does not end them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from keypeg.store.errors import StoreError

if TYPE_CHECKING:
    import logging
    from collections.abc import Iterator


@contextmanager
def logging_failures(log: logging.Logger, event: str) -> Iterator[None]:
    """Let the loop survive a failed round. Errors other than the store's are logged."""
    try:
        yield
    except StoreError:
        pass  # whoever called the store got the error; the next round tries again
    except Exception as error:
        log.error(event, exc_info=error)

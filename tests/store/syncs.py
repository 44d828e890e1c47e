"""Counting the syncs of SQLite, from inside its file system layer.

Killing a process does not test them: what it wrote survives, synced or not.
"""

from __future__ import annotations

import _sqlite3
import contextlib
import ctypes
from collections.abc import Callable, Iterator
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_void_p
from typing import Any

_Sync = CFUNCTYPE(c_int, c_void_p, c_int)


class _Methods(Structure):
    """sqlite3_io_methods: what can be done with an open file."""

    _fields_ = (
        ("version", c_int),
        ("before", c_void_p * 4),  # close, read, write, truncate
        ("sync", _Sync),
        ("after", c_void_p * 13),
    )


class _File(Structure):
    _fields_ = (("methods", POINTER(_Methods)),)


_Open = CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(_File), c_int, c_void_p)


class _FileSystem(Structure):
    """sqlite3_vfs, as far as its way to open a file."""

    _fields_ = (
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", _Open),
    )


class Syncs:
    """A counter."""

    def __init__(self) -> None:
        self.count = 0
        self._kept: list[object] = []

    def opening(self, ours: Callable[..., int]) -> Any:
        """A way to open files that counts how often they are synced."""

        def open_file(system: int, name: int, file: object, flags: int, flags_out: int) -> int:
            status = ours(system, name, file, flags, flags_out)
            if status == 0:
                self._watch(file)
            return status

        return _Open(open_file)

    def _watch(self, file: object) -> None:
        opened = file.contents  # type: ignore[attr-defined]
        if not opened.methods:
            return
        methods = _Methods()
        ctypes.memmove(ctypes.byref(methods), opened.methods, ctypes.sizeof(methods))
        sync = _Sync(_address(methods.sync))

        def counted(which: int, flags: int) -> int:
            self.count += 1
            done: int = sync(which, flags)
            return done

        methods.sync = _Sync(counted)
        self._kept += [methods, methods.sync, sync]
        opened.methods = ctypes.pointer(methods)


def _address(function: object) -> int:
    """The address of a function: what is read from a structure would change with it."""
    found = ctypes.cast(function, c_void_p).value  # type: ignore[arg-type]
    assert found is not None
    return found


_counters: list[Syncs] = []
"""Kept for good: a file that is still open would call freed memory."""


@contextlib.contextmanager
def counted_syncs() -> Iterator[Syncs]:
    """Count the syncs of all files that SQLite opens during the block."""
    library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))
    library.sqlite3_vfs_find.restype = POINTER(_FileSystem)
    system = library.sqlite3_vfs_find(None).contents
    syncs, ours = Syncs(), _Open(_address(system.open))
    _counters.append(syncs)
    watching = syncs.opening(ours)
    syncs._kept += [ours, watching]
    system.open = watching
    try:
        yield syncs
    finally:
        system.open = ours

"""How Python is compiled here: Numba's decorators and a few instructions, typed in one place.

Compiled code is cached beside the source, or in the user's cache folder if that cannot be
written, or not at all. Kernels call each other across files, but Numba's cache looks only at a
kernel's own file, and it fails on code that was cached with a type that has since been renamed. So
cached code is valid only as long as no file with a kernel has changed.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import numba
import numpy as np
from numba.extending import intrinsic

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., object]")
SOLVER: Final = Path(__file__).parent.parent


def kernel(function: F) -> F:
    """Compile `function` on its first call, without the interpreter lock, cached on disk."""
    return _compiled(function, {})


def part(function: F) -> F:
    """Compile `function` for calls from kernels only; it must neither make nor keep arrays.

    So it needs no wrapper for calls from Python, which would unpack every array, and no reference
    counting. Compiling takes half the time, and calls are cheaper.
    """
    bare: dict[str, Any]  # Any: options that Numba has but does not declare
    bare = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
    return _compiled(function, bare)


def _compiled(function: F, options: dict[str, Any]) -> F:
    try:
        compiled = numba.njit(nogil=True, cache=True, **options)(function)
    except RuntimeError:  # no folder at all can be written: compile in every process
        return cast("F", numba.njit(nogil=True, **options)(function))
    if hasattr(compiled, "_cache"):  # not with NUMBA_DISABLE_JIT
        # Numba ignores what another version of Numba cached, without looking further into it.
        compiled._cache._cache_file._version = f"{numba.__version__} {sources()}"
    return cast("F", compiled)


@cache
def sources() -> str:
    """A digest of all files with kernels, and of those from which they may take constants."""
    found = {Path(__file__)}
    for path in SOLVER.rglob("*.py"):
        content = path.read_bytes()
        if b"codes.compiled import" in content:
            found.add(path)
            found.update(SOLVER.joinpath(*name.split(".")) for name in _imported(content))
    files = filter(Path.is_file, sorted(path.with_suffix(".py") for path in found))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _imported(content: bytes) -> list[str]:
    return re.findall(r"^from keypeg\.solver\.([\w.]+) import", content.decode(), re.MULTILINE)


def _popcount(_: Any, word: Any) -> tuple[Any, Any]:  # Any: Numba's typing and LLVM's builders
    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return word(word), codegen


popcount = cast("Callable[[np.uint64], np.uint64]", intrinsic(_popcount))
"""How many bits of a word are set: one instruction, which LLVM turns into vector code."""


def _with_bit(_: Any, word: Any, bit: Any) -> tuple[Any, Any]:
    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        one = arguments[0].type(1)
        return builder.or_(arguments[0], builder.shl(one, builder.zext(arguments[1], one.type)))

    return word(word, bit), codegen


with_bit = cast("Callable[[np.unsignedinteger[Any], np.uint8], Any]", intrinsic(_with_bit))
"""A word with one more bit set, in its own width: Numba alone would widen it to 64 bits."""


@part
def whole(value: int | np.integer[Any]) -> int:
    """A 64-bit integer: an int for the type checker, and always the same type for Numba."""
    return np.int64(value)  # type: ignore[return-value]  # that is the point of it

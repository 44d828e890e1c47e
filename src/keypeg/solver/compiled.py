"""How Python becomes machine code here: one decorator and one instruction, typed in one place.

Compiled code is kept beside the source, or in the user's cache folder where that cannot be
written, or not at all. Numba notices a change in a kernel's own file only: after editing a
kernel that other files call, delete the `*.nbi` files in `__pycache__`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

import numba
import numpy as np
from numba.extending import intrinsic

if TYPE_CHECKING:
    from collections.abc import Callable

F = TypeVar("F", bound="Callable[..., object]")


def kernel(function: F) -> F:
    """Compile `function` on its first call, without the interpreter lock, cached on disk."""
    try:
        return cast("F", numba.njit(nogil=True, cache=True)(function))
    except RuntimeError:  # no folder at all can be written: compile in every process
        return cast("F", numba.njit(nogil=True)(function))


def _popcount(_: Any, word: Any) -> tuple[Any, Any]:  # Any: Numba's typing and LLVM's builders
    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return word(word), codegen


popcount = cast("Callable[[np.uint64], np.uint64]", intrinsic(_popcount))
"""How many bits of a word are set: one instruction, which LLVM turns into vector code."""


@kernel
def whole(value: int | np.integer[Any]) -> int:
    """A 64-bit integer: to the type checker an int, to Numba always the same type."""
    return np.int64(value)  # type: ignore[return-value]  # that is the point of it

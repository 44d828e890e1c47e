"""The kinds of NumPy array the solver passes about, by name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]
Places = NDArray[np.int32]
Reals = NDArray[np.float64]
Words = NDArray[np.uint64]

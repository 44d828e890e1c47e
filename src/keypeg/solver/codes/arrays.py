"""Names for the kinds of NumPy array that the solver uses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]
Places = NDArray[np.int32]
Reals = NDArray[np.float64]
Words = NDArray[np.uint64]

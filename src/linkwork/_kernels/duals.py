"""Numbers with slopes: eight partial derivatives beside a value, for kernels compiled again from the same source.

An array of them is an ordinary numpy array whose items hold a value `v` and slopes `d`. Tables, state and workspace of
a call are lifted as a whole; what is varied gets a slope of one, each in a direction of its own.

>>> import numpy as np
>>> from linkwork._kernels.duals import lift
>>> x = lift(np.array([3.0, 4.0]))
>>> x["d"][1, 0] = 1.0
>>> x["v"].tolist(), x["d"][:, 0].tolist()
([3.0, 4.0], [0.0, 1.0])
"""

from __future__ import annotations

from typing import Any

import numpy as np

WITH_SLOPES = " with slopes"  # of an entry, in the library of kernels
SLOPES = 8  # directions that a number knows at once: a register of AVX-512
DUAL = np.dtype([("v", "f8"), ("d", "f8", (SLOPES,))])


def lift(value: Any) -> Any:
    """The same with arrays of numbers with slopes, all zero; other arrays and plain numbers stay as they are."""
    if isinstance(value, np.ndarray):
        if value.dtype != np.float64:
            return value
        lifted = np.zeros(value.shape, DUAL)
        lifted["v"] = value
        return lifted
    if hasattr(value, "_fields"):
        return type(value)(*map(lift, value))
    return tuple(map(lift, value)) if type(value) is tuple else value

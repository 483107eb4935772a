"""What rounding leaves of nothing: a zero, that keeps its slopes where numbers have them."""

from __future__ import annotations

from linkwork._jit import intrinsic, small


def _value(x):
    return x


@intrinsic(_value, in_loops=False)
def value(typing_context, x):
    """x without slopes."""
    from numba import types

    from linkwork._kernels.dual_types import is_dual

    def generate(context, builder, signature, arguments):
        return builder.extract_value(arguments[0], 0) if is_dual(x) else arguments[0]

    return (types.float64 if is_dual(x) else x)(x), generate


@small
def vanished(x):
    """Zero in place of x, which is rounding here: it changes as x does.

    >>> vanished(1e-17)
    0.0
    """
    return x - value(x)

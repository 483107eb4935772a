"""Laws inside the compiled loop: constants, cosines, tables, and the user's own compiled functions by their address."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from linkwork._jit import intrinsic, kernel
from linkwork.spatial.codes import CONSTANT, COSINE, FUNCTION, LOOKED, RATE, SEEING, SERVO, VELOCITY_SERVO

CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p)


def _call_address(address, t, law_input, out):
    """Call the C function void(double t, double *input, double *out) at `address`; both arrays are addresses too.

    With slopes it is another function, void(dual *t, dual *input, dual *out).
    """
    CALLBACK(int(address))(t, law_input, out)


@intrinsic(_call_address, in_loops=False)
def call_address(typing_context, address, t, law_input, out):
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils

    from linkwork._kernels.dual_types import is_dual

    lifted = is_dual(t)

    def generate(context, builder, signature, arguments):
        pointer = ir.DoubleType().as_pointer()
        time = arguments[1]
        if lifted:
            time = builder.bitcast(cgutils.alloca_once_value(builder, time), pointer)
        kind = ir.FunctionType(ir.VoidType(), [time.type, pointer, pointer])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        told_at = builder.inttoptr(arguments[2], pointer)
        out_at = builder.inttoptr(arguments[3], pointer)
        builder.call(function, [time, told_at, out_at])
        return context.get_dummy_value()

    return types.void(types.int64, t if lifted else types.float64, types.uintp, types.uintp), generate


def law_scratch(laws: Any) -> Any:
    """law_input: room for what a law is evaluated at, and behind it for what laws see."""
    return np.zeros(LOOKED + laws.seen_kind.size)


@kernel
def evaluate(laws, k, t, law_input, out):
    """out[0:3] = value, rate and acceleration of law k at time t; a function fills out as it likes.

    Of a motor that gives way, whose joint is at law_input[0] and moves with law_input[1], out[0] is its torque.
    """
    kind = laws.law_kind[k]
    if kind != SERVO and kind != VELOCITY_SERVO:
        evaluate_law(laws, k, t, law_input, out)
        return
    evaluate_law(laws, int(laws.law_param[k, 3]), t, law_input, out)
    Q = laws.law_param[k, 1] * ((out[1] if kind == SERVO else out[0]) - law_input[1])
    if kind == SERVO:
        Q += laws.law_param[k, 0] * (out[0] - law_input[0])
    most = laws.law_param[k, 2]
    out[0] = min(max(Q, -most), most)


@kernel
def evaluate_law(laws, k, t, law_input, out):
    """The same of a law that is no motor."""
    kind = laws.law_kind[k]
    if kind == CONSTANT:
        out[0] = laws.law_param[k, 0]
        out[1] = 0.0
        out[2] = 0.0
    elif kind == COSINE:
        amplitude = laws.law_param[k, 0]
        omega = 2.0 * math.pi * laws.law_param[k, 1]
        angle = omega * t + laws.law_param[k, 2]
        out[0] = amplitude * math.cos(angle) + laws.law_param[k, 3]
        out[1] = -amplitude * omega * math.sin(angle)
        out[2] = -amplitude * omega * omega * math.cos(angle)
    elif kind == FUNCTION:
        call_address(laws.law_address[k], t, law_input.ctypes.data, out.ctypes.data)
    elif kind == SEEING:
        block = int(laws.law_param[k, 0])
        call_address(laws.law_address[k], t, law_input[block:].ctypes.data, out.ctypes.data)
    elif kind == RATE:
        # the state x stands in the block before its rate; its slide moves with x / scale
        block = int(laws.law_param[k, 0])
        x = block + 2 * int(laws.law_param[k, 1])
        kept = law_input[x]
        law_input[x] = laws.law_param[k, 2] * law_input[1]
        call_address(laws.law_address[k], t, law_input[block:].ctypes.data, out.ctypes.data)
        law_input[x] = kept
        out[0] = law_input[x + 1] / laws.law_param[k, 2] - laws.law_param[k, 3]
    else:
        low = laws.law_start[k]
        last = laws.law_start[k + 1] - 1
        high = last
        if t < laws.law_time[low] or t > laws.law_time[high]:
            end = low if t < laws.law_time[low] else high
            out[0] = laws.law_value[end, 0]
            out[1] = 0.0
            out[2] = 0.0
            return
        while high - low > 1:  # bisection
            middle = (low + high) // 2
            if laws.law_time[middle] <= t:
                low = middle
            else:
                high = middle
        x = t - laws.law_time[low]
        a = laws.law_value[low, 0]
        b = laws.law_value[low, 1]
        c = laws.law_value[low, 2]
        d = laws.law_value[low, 3]
        out[0] = a + x * (b + x * (c + x * d)) if t < laws.law_time[last] else laws.law_value[last, 0]
        out[1] = b + x * (2.0 * c + 3.0 * x * d)
        out[2] = 2.0 * c + 6.0 * x * d

"""Compiled controllers (`@lw.compiled`) called between steps without a way through Python. Needs numba, as they do.

One compiled function takes steps by the loop of the method, gathers what controllers see, calls them and sets inputs.
The same is done by `SampledRun` in Python, to the same bits.
"""

from __future__ import annotations

import ctypes
import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import carray, cfunc, njit, types
from numba.core.errors import NumbaError
from numba.extending import intrinsic

from linkwork._kernels.packing import fill_argument
from linkwork.formulations.explicit.stepping import HISTORY, ExplicitMethod
from linkwork.model.checked import LARGEST
from linkwork.simulation.structure.events import SAME

if TYPE_CHECKING:
    from linkwork.simulation.sampled.controls import SampledController
    from linkwork.simulation.sampled.sampled_run import SampledRun

RESULTS = 3  # at its end: steps done, rows kept, status
NUMBERS = types.CPointer(types.float64)
SIGNATURE = types.int64(types.float64, NUMBERS, NUMBERS, NUMBERS)


@intrinsic
def call_block(typing_context, function, block):  # type: ignore[no-untyped-def]
    """int64 function(int64 *block), both by their addresses."""
    from llvmlite import ir

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        whole = ir.IntType(64)
        kind = ir.FunctionType(whole, [whole.as_pointer()])
        at = builder.inttoptr(arguments[1], whole.as_pointer())
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [at])

    return types.int64(types.int64, types.int64), generate


@intrinsic
def call_controller(typing_context, function, t, seen, memory, out):  # type: ignore[no-untyped-def]
    """int64 function(double t, double *seen, double *memory, double *out), all but t by their addresses."""
    from llvmlite import ir

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        number = ir.DoubleType()
        kind = ir.FunctionType(ir.IntType(64), [number, *[number.as_pointer()] * 3])
        places = [builder.inttoptr(each, number.as_pointer()) for each in arguments[2:]]
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1], *places])

    given = (types.int64, types.float64, types.int64, types.int64, types.int64)
    return types.int64(*given), generate


@intrinsic
def number_at(typing_context, address):  # type: ignore[no-untyped-def]
    """The number at an address."""
    from llvmlite import ir

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.load(builder.inttoptr(arguments[0], ir.DoubleType().as_pointer()))

    return types.float64(types.int64), generate


class Order(NamedTuple):
    """What the compiled function is given, but for the numbers of a call."""

    words: Any  # the block of the loop's arguments as whole numbers, and as numbers
    reals: Any
    places: Any  # (7,) its numbers, its results; addresses: loop, block, observation, its block; 1 where it is needed
    t: Any
    row: Any
    history: Any  # its first number is put to zero where inputs have changed
    every: Any  # (controller,) s
    count: Any  # (controller,) samples so far
    function: Any  # (controller,) address
    memory: Any  # (controller,) address
    seen_start: Any  # (controller + 1,)
    seen_at: Any  # (seen,) addresses
    seen: Any
    out_start: Any  # (controller + 1,)
    out: Any
    out_row: Any  # (out,) rows of laws
    param: Any
    told: Any  # (5,) steps done, rows kept, status, 1 + the controller that failed, 1 where inputs have changed


@njit(error_model="numpy")
def steps_with_samples(order, origin, first, h, steps, keep):  # type: ignore[no-untyped-def]  # pragma: no cover
    """Take at most so many steps, and keep every `keep`-th; fewer where an instant lies within a step. Fills `told`."""
    words, reals, told = order.words, order.reals, order.told
    a, r, loop, block = order.places[0], order.places[1], order.places[2], order.places[3]
    observe, observe_block, looks = order.places[4], order.places[5], order.places[6]
    done = kept = status = 0
    changed = told[4]
    told[3] = 0
    while done < steps and status == 0 and told[3] == 0:
        due = math.inf
        for i in range(order.every.size):
            due = min(due, order.count[i] * order.every[i])
        more = min(steps - done, math.floor((due - (origin + (first + done) * h)) / h + SAME))
        if more <= 0:
            break
        if changed != 0:  # accelerations anew; the row that this writes is written over
            changed = 0
            order.history[HISTORY] = 0.0
            reals[a], words[a + 1], reals[a + 2], words[a + 3], words[a + 4] = order.t[0], -1, h, 1, 1
            call_block(loop, block)
        reals[a], words[a + 1], reals[a + 2], words[a + 3], words[a + 4] = origin, first + done, h, more, keep
        if call_block(loop, block) != 0:
            told[3] = -1
            break
        done += words[r]
        kept += words[r + 1]
        status = words[r + 2]
        order.row[0] = kept
        if status != 0:
            break
        now = order.t[0]
        latest = now + SAME * h
        looked = False
        for i in range(order.every.size):
            if order.count[i] * order.every[i] > latest or told[3] != 0:
                continue
            if looks != 0 and not looked:
                call_block(observe, observe_block)
                looked = True
            b, e = order.seen_start[i], order.seen_start[i + 1]
            for k in range(b, e):
                order.seen[k] = number_at(order.seen_at[k])
            c, d = order.out_start[i], order.out_start[i + 1]
            failed = call_controller(
                order.function[i], now, order.seen[b:].ctypes.data, order.memory[i], order.out[c:].ctypes.data
            )
            for k in range(c, d):
                if not abs(order.out[k]) < LARGEST:
                    failed = 1
            if failed != 0:
                told[3] = 1 + i
                continue
            for k in range(c, d):
                if order.param[order.out_row[k], 0] != order.out[k]:
                    order.param[order.out_row[k], 0] = order.out[k]
                    changed = 1
            order.count[i] += 1
    told[0], told[1], told[2], told[4] = done, kept, status, changed


@lru_cache(maxsize=64)
def controller_function(function: Any, seen: int, memory: int, outputs: int) -> Any:
    """The controller as a C function; None where it cannot be one."""
    f = function

    def one(t, seen_at, memory_at, out):  # type: ignore[no-untyped-def]
        try:
            out[0] = f(t, carray(seen_at, (seen,)))
        except Exception:
            return 1
        return 0

    def one_that_remembers(t, seen_at, memory_at, out):  # type: ignore[no-untyped-def]
        try:
            out[0] = f(t, carray(seen_at, (seen,)), carray(memory_at, (memory,)))
        except Exception:
            return 1
        return 0

    def several(t, seen_at, memory_at, out):  # type: ignore[no-untyped-def]
        try:
            found = f(t, carray(seen_at, (seen,)))
            if len(found) != outputs:
                return 1
            for k in range(outputs):
                out[k] = found[k]
        except Exception:
            return 1
        return 0

    def several_that_remember(t, seen_at, memory_at, out):  # type: ignore[no-untyped-def]
        try:
            found = f(t, carray(seen_at, (seen,)), carray(memory_at, (memory,)))
            if len(found) != outputs:
                return 1
            for k in range(outputs):
                out[k] = found[k]
        except Exception:
            return 1
        return 0

    plain, remembering = (one, one_that_remembers) if outputs == 1 else (several, several_that_remember)
    try:
        return cfunc(SIGNATURE)(remembering if memory else plain)
    except NumbaError:  # it returns something that only Python takes
        return None


class CompiledSampling:
    """The controllers of a `SampledRun`, called by compiled code."""

    def __init__(self, run: SampledRun, items: list[SampledController], functions: list[Any]) -> None:
        self.run, self.items, self._functions = run, items, functions
        stepper = run.stepper
        loop: Any = stepper.method.bind(stepper.tables, stepper.workspace, stepper.state, run.buffer)
        words = np.frombuffer(loop.block, dtype=np.int64)
        readers: list[Any] = [item.reader if item.columns else None for item in items]
        observe = [reader.observation() for reader in readers if reader is not None]
        looks = next((call for call in observe if call is not None), None)
        address = ctypes.cast(loop.function, ctypes.c_void_p).value
        places = [_first_number(loop), words.size - RESULTS, address, loop.address, 0, 0, 0]
        if looks is not None:
            places[4:7] = [ctypes.cast(looks.function, ctypes.c_void_p).value, looks.address, 1]
        self._calls = (loop, looks)  # their blocks stay alive
        self._kept = [reader.places() if reader is not None else [] for reader in readers]
        seen = [[number for place in kept for number in _addresses(place)] for kept in self._kept]
        rows = [[stepper.inputs.place(name) for name in item.sets] for item in items]
        self.order = Order(
            words=words,
            reals=words.view(np.float64),
            places=np.array(places, dtype=np.int64),
            t=stepper.state.t,
            row=stepper.state.row,
            history=stepper.workspace.steps.persistent if isinstance(stepper.method, ExplicitMethod) else np.zeros(1),
            every=np.array([item.every for item in items]),
            count=np.zeros(len(items), dtype=np.int64),
            function=np.array([each.address for each in functions], dtype=np.int64),
            memory=np.array([item.memory.ctypes.data for item in items], dtype=np.int64),
            seen_start=np.cumsum([0, *map(len, seen)]).astype(np.int64),
            seen_at=np.array([each for some in seen for each in some], dtype=np.int64),
            seen=np.zeros(sum(map(len, seen)) + 1),
            out_start=np.cumsum([0, *map(len, rows)]).astype(np.int64),
            out=np.zeros(sum(map(len, rows))),
            out_row=np.array([each for some in rows for each in some], dtype=np.int64),
            param=stepper.tables.laws.law_param,
            told=np.zeros(5, dtype=np.int64),
        )

    def go(self, steps: int, keep: int) -> tuple[int, int]:
        """As `SampledRun.go`."""
        stepper, order = self.run.stepper, self.order
        order.count[:] = [item.count for item in self.items]
        order.told[4] = stepper.inputs.changed
        steps_with_samples(order, stepper.origin, stepper.steps, stepper.h, steps, keep)
        done, kept, status, failed, changed = (int(each) for each in order.told)
        for item, count in zip(self.items, order.count, strict=True):
            item.count = int(count)
        stepper.inputs.changed = bool(changed)
        stepper.steps += done
        self.run.kept += kept
        self.run.controls.planned()
        if failed < 0:
            raise RuntimeError("the loop raised an error inside compiled code")
        if failed:
            self.items[failed - 1].fail(stepper.time)
        return done, status


def compiled_sampling(run: SampledRun) -> CompiledSampling | None:
    """Controllers in compiled code, where all that is sampled can be."""
    items = run.controls.items
    functions = []
    for item in items:
        function = getattr(getattr(item, "part", None), "function", None)
        if not hasattr(function, "py_func") or not item.alone:
            return None
        found = controller_function(function, item.seen, item.memory.size, len(item.sets))
        if found is None or (item.columns and item.reader.worked_out):
            return None
        functions.append(found)
    return CompiledSampling(run, items, functions)


def _first_number(loop: Any) -> int:
    """The slot of begin in the block of a loop; first, dt, steps and every follow it."""
    slots: list[int] = []
    for argument in loop.kept[0]:
        if isinstance(argument, float):
            break
        fill_argument(argument, slots, [])
    return len(slots)


def _addresses(place: Any) -> list[int]:
    """Where the numbers of a view are in memory."""
    base = int(place.__array_interface__["data"][0])
    offsets = np.zeros(place.shape, dtype=np.int64)
    for axis, (size, stride) in enumerate(zip(place.shape, place.strides, strict=True)):
        offsets += (np.arange(size) * stride).reshape(-1, *(1,) * (place.ndim - axis - 1))
    return [base + int(each) for each in offsets.reshape(-1)]

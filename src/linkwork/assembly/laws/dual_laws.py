"""Laws of the user for numbers with slopes: compiled ones once more, those that Python runs by differences."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from linkwork._kernels.duals import DUAL, SLOPES
from linkwork.assembly.laws.law_functions import CALLBACK
from linkwork.assembly.system import System
from linkwork.assembly.tables import Tables
from linkwork.errors import RunError
from linkwork.model import PythonLaw
from linkwork.spatial import codes

DUAL_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
RESULTS = 3  # numbers that a function may return
STEP = 1e-4  # of what a law is told, or of 1: differences are extrapolated once
ROUGH = 1e-4  # of a slope: differences that disagree by more are told


class DualLaws:
    """The laws of a system that are functions, for tables that are lifted."""

    def __init__(self, system: System, tables: Tables) -> None:
        self.system = system
        self.rough: set[str] = set()  # whose differences disagree: the law jumps, or is no function of what it is told
        laws = tables.laws
        self.address = laws.law_address.copy()
        self.alive: list[Any] = []
        functions = (item for item in (system.alive or {}).items() if isinstance(item[1][0], PythonLaw))
        made = {kept[-1]: (key, kept) for key, kept in functions}
        done: dict[int, int] = {}
        for k, kind in enumerate(laws.law_kind):
            if kind in (codes.FUNCTION, codes.SEEING, codes.RATE):
                address = int(laws.law_address[k])
                if address not in done:
                    (_, part, motion), (law, _, _, seen, size, _) = made[address]
                    exact = self._compiled(law, size, motion, seen) if law.compiled else 0
                    done[address] = exact or self._differences(address, part, seen or codes.LOOKED)
                self.address[k] = done[address]

    def put_in(self, tables: Any) -> Any:
        """The lifted tables with the addresses of these functions."""
        return tables._replace(laws=tables.laws._replace(law_address=self.address))

    def check(self) -> None:
        """Raise what a law of the user did wrong."""
        faults = self.system.faults.noted
        if faults:
            fault = faults[0]
            raise RunError(f"the law of {fault.part} fails ({fault.what}); correct the law, or give another state")

    def _compiled(self, law: PythonLaw, size: int, motion: bool, seen: int) -> int:
        """The address of a law that is compiled for numbers with slopes; 0 where it cannot be."""
        from linkwork.assembly.laws.compiled_laws import dual_function  # here: it needs numba

        try:
            handle = dual_function(law, size, motion, seen)
        except Exception:  # it does what numbers with slopes cannot
            return 0
        self.alive.append(handle)
        return int(handle.address)

    def _differences(self, address: int, part: str, told: int) -> int:
        """A function void(dual *t, dual *input, dual *out) of differences of the one at an address."""
        function = CALLBACK(address)

        def call(t_at: int, input_at: int, out_at: int) -> None:
            x = np.concatenate([_duals(t_at, 1), _duals(input_at, told)])
            out = _duals(out_at, RESULTS)
            out["v"], out["d"] = self._at(function, x["v"]), 0.0
            for k in range(SLOPES):
                way = x["d"][:, k]
                if way.any():
                    out["d"][:, k] = self._slope(function, part, x["v"], way)

        made = DUAL_CALLBACK(call)
        self.alive.append((function, made))
        return int(ctypes.cast(made, ctypes.c_void_p).value or 0)

    def _at(self, function: Any, x: Any) -> Any:
        told, out = np.ascontiguousarray(x[1:]), np.zeros(4)
        pointer = ctypes.POINTER(ctypes.c_double)
        function(float(x[0]), told.ctypes.data_as(pointer), out.ctypes.data_as(pointer))
        return out[:RESULTS]

    def _slope(self, function: Any, part: str, x: Any, way: Any) -> Any:
        h = STEP * max(1.0, float(np.abs(x[way != 0.0]).max())) / float(np.abs(way).max())
        coarse, fine = (
            (self._at(function, x + s * way) - self._at(function, x - s * way)) / (2.0 * s) for s in (h, 0.5 * h)
        )
        found = (4.0 * fine - coarse) / 3.0
        size = float(np.abs(found).max())
        if not float(np.abs(fine - coarse).max()) <= ROUGH * size:
            self.rough.add(part)
        return found


def _duals(address: int, count: int) -> Any:
    """Numbers with slopes in memory."""
    raw: Any = (ctypes.c_char * (count * DUAL.itemsize)).from_address(address)
    return np.frombuffer(raw, DUAL)

"""Which level of code the CPU of this machine can run."""

from __future__ import annotations

import contextlib
import functools
import importlib
import platform
import sys
from pathlib import Path

# what numpy and the system call the features that decide; a CPU with these has the rest of the level too
NUMPY = {
    "x86-64-v4": ("AVX512F", "AVX512_SKX", "AVX2", "FMA3"),
    "x86-64-v3": ("AVX2", "FMA3", "F16C"),
    "x86-64-v2": ("SSE42", "POPCNT"),
}
LINUX = {
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl", "avx2", "bmi2", "fma"),
    "x86-64-v3": ("avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"),
    "x86-64-v2": ("sse4_2", "popcnt", "ssse3"),
}


def system_name() -> str:
    """The system and kind of machine, as names of libraries carry it: "linux-x86_64"."""
    machine = platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    return f"{sys.platform}-{machine}"


@functools.cache
def levels() -> tuple[str, ...]:
    """Levels of code that this CPU can run, the best first."""
    if not system_name().endswith("x86_64"):
        return ("generic",)
    has = _numpy_features()
    if has is not None:
        return tuple(level for level, names in NUMPY.items() if all(has.get(name, False) for name in names))
    listed = _listed_features()
    return tuple(level for level, names in LINUX.items() if listed.issuperset(names))


def _numpy_features() -> dict[str, bool] | None:
    """What numpy asked the CPU itself; None where this numpy keeps it elsewhere."""
    for place in ("numpy._core._multiarray_umath", "numpy.core._multiarray_umath"):
        with contextlib.suppress(ImportError, AttributeError):
            found: dict[str, bool] = importlib.import_module(place).__cpu_features__
            if "AVX2" in found:
                return found
    return None


def _listed_features() -> frozenset[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return frozenset()
    return frozenset(next((line.split() for line in lines if line.startswith("flags")), []))

"""How much code a step passes, and over how many floors an idea lies: counted by running kernels as plain Python.

python tools/trace.py        functions and files of one step, and the hops of a spring's stiffness
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

import linkwork as lw
from linkwork._kernels.kernel import plain_python

SOURCE = str(Path(lw.__file__).parent)
TRIES = 3
STIFFNESS = 1234.5  # a number that nothing else has


class Trace(NamedTuple):
    """What was passed: `functions` as (file, name), each once, in the order in which they were first called."""

    functions: list[tuple[str, str]]

    @property
    def files(self) -> int:
        """In how many files these functions stand."""
        return len({file for file, _ in self.functions})


def passed(do: Callable[[], Any], wanted: Callable[[FrameType], bool] | None = None) -> Trace:
    """The functions of linkwork that `do` passes; of them those that a frame at its return is `wanted` for."""
    found: dict[tuple[str, str], None] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != ("call" if wanted is None else "return") or not code.co_filename.startswith(SOURCE):
            return
        if code.co_name.startswith("<"):
            return
        key = (code.co_filename[len(SOURCE) + 1 :], code.co_qualname)
        if key not in found and (wanted is None or wanted(frame)):
            found[key] = None

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        do()
    finally:
        sys.setprofile(before)
    return Trace(list(found))


def pendulum() -> lw.Model:
    """A rod on a hinge."""
    model = lw.Model("pendulum")
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), com=(0, 0, -0.5))
    model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.5)
    return model


def resting_box() -> lw.Model:
    """A box on a floor."""
    model, rubber = lw.Model("resting box"), lw.Material(friction=0.5)
    model.plane("floor", material=rubber)
    box = model.body("box", mass=1.0, shape=lw.Box((1, 1, 1)), position=(0, 0, 0.5), material=rubber)
    model.free("free", "ground", box)
    return model


def cord() -> lw.Model:
    """A mass on a spring."""
    model = lw.Model("cord")
    mass = model.body("mass", mass=1.0, inertia=(1, 1, 1), position=(0, 0, -1))
    model.prismatic("way", "ground", mass, at=(0, 0, 0), axis=(0, 0, 1))
    model.spring("cord", "ground", mass, stiffness=STIFFNESS, length=1.0)
    return model


def of_a_step(model: lw.Model, method: str) -> Trace:
    """What a step of a model passes."""
    plain_python.note = lambda entry, kinds: None
    try:
        sim = lw.Simulation(model, method=method, dt=1e-3)
        sim.step(2)
        # on a busy machine a call looks at the clock and at Ctrl-C in between
        return min((passed(sim.step) for _ in range(TRIES)), key=lambda trace: len(trace.functions))
    finally:
        plain_python.note = None


def of_the_stiffness(method: str = "recursive") -> Trace:
    """What a spring's stiffness passes from the model to the column of its force."""
    plain_python.note = lambda entry, kinds: None

    def do() -> None:
        run = lw.simulate(cord(), until=2e-3, dt=1e-3, method=method, record=["cord.force"])
        assert "cord.force" in run

    try:
        return passed(do, _holds_stiffness)
    finally:
        plain_python.note = None


def _holds_stiffness(frame: FrameType) -> bool:
    """Whether a function had the stiffness as a number, or in an array or tuple, among its variables."""
    return any(_is_in(value) for value in frame.f_locals.values())


def _is_in(value: Any, depth: int = 2) -> bool:
    if isinstance(value, float):
        return value == STIFFNESS
    if isinstance(value, np.ndarray):
        return value.dtype == float and value.size < 1000 and bool(np.any(value == STIFFNESS))
    if isinstance(value, tuple | list) and depth > 0 and len(value) < 100:
        return any(_is_in(each, depth - 1) for each in value)
    return False


def counted() -> dict[str, Trace]:
    """All traces by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "resting box, impulse": of_a_step(resting_box(), "impulse"),
            "pendulum, impulse": of_a_step(pendulum(), "impulse"),
            "pendulum, recursive": of_a_step(pendulum(), "recursive"),
            "stiffness of a spring": of_the_stiffness(),
        }


if __name__ == "__main__":
    for name, trace in counted().items():
        print(f"{name:24} {len(trace.functions):4} functions in {trace.files} files")
        if "-v" in sys.argv:
            for file, function in trace.functions:
                print(f"    {file}: {function}")

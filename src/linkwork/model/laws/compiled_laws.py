"""Laws that are compiled, so that they run inside the compiled loop: `compiled`, and `compiled_state` with states."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from linkwork.errors import ModelError, ModelWarning
from linkwork.model import checked
from linkwork.model.laws.laws import PythonLaw

Function = TypeVar("Function", bound=Callable[..., Any])


@overload
def compiled(function: Function) -> Function: ...
@overload
def compiled(*, sees: Sequence[str]) -> Callable[[Callable[..., Any]], PythonLaw]: ...


@overload
def compiled(function: Callable[..., Any], *, sees: Sequence[str]) -> PythonLaw: ...


def compiled(function: Any = None, *, sees: Sequence[str] = ()) -> Any:
    """Compile a law so that it runs inside the compiled loop, at full speed.

    Use it as a decorator on a function of `(t)`, `(t, position, velocity)` for a joint or
    `(t, position, rotation, velocity, angular_velocity)` for a body. Functions that it calls need the decorator too (or
    `numba.njit`) and may have any parameters. It may use numbers, tuples, arrays and `math`. Variables of the module
    keep the values they have when the law is first used.

    With `sees` it is a function of `(t, seen)`: see `lw.PythonLaw`.

    >>> import math
    >>> @lw.compiled(sees=["elbow.position", "elbow.velocity"])
    ... def hold(t, seen):
    ...     return -50.0 * seen[0] - 2.0 * seen[1]
    >>> @lw.compiled
    ... def smooth_sign(speed, width):
    ...     return math.tanh(speed / width)
    >>> @lw.compiled
    ... def brake(t, position, velocity):
    ...     return -3.0 * smooth_sign(velocity, 0.01)
    >>> brake(0.0, 0.0, 2.0)
    -3.0
    """
    if function is None:
        return lambda given: _signal_law(given, sees, (), None)
    if len(sees):
        return _signal_law(function, sees, (), None)
    if hasattr(function, "py_func"):
        return function
    if not inspect.isfunction(function):
        raise ModelError(
            f"compiled: {checked.shown(function)} is not a Python function; "
            "put @lw.compiled above a def, or give a lambda"
        )
    try:
        import numba  # here, so that models can be built without waiting for it
    except ImportError:
        warnings.warn(
            f"the law '{function.__name__}' runs in Python, many times slower than compiled: numba is not installed; "
            'pip install "linkwork[laws]"',
            ModelWarning,
            stacklevel=2,
        )
        function.compiled_law = True  # type: ignore[attr-defined]  # it would be
        return function
    return numba.njit(boundscheck=True)(function)  # beyond the end of an array lies anything


def compiled_state(
    *, start: Sequence[float], sees: Sequence[str] = (), scale: Sequence[float] | None = None
) -> Callable[[Callable[..., Any]], PythonLaw]:
    """Compile a law with states of its own, which every method integrates together with the motion.

    Use it as a decorator on a function of `(t, x, seen, dx)`: `x` are the states, which begin with `start`, `seen` the
    numbers of the columns `sees`; it writes the rates of the states into `dx` and returns the value of the law.
    `scale` are sizes of the states, by default one each. The states are columns: `name.state`, `name` being that of
    the torque or force.

    >>> @lw.compiled_state(start=[0.0], sees=["shoulder.velocity"])
    ... def motor(t, x, seen, dx):
    ...     dx[0] = (24.0 - 0.5 * x[0] - 0.1 * seen[0]) / 2e-3  # current, A
    ...     return 0.1 * x[0]
    >>> model = lw.Model("arm")
    >>> arm = model.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
    >>> shoulder = model.revolute("shoulder", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0))
    >>> drive = model.torque("drive", shoulder, motor)
    >>> run = lw.simulate(model, until=0.01, dt=1e-4)
    >>> bool(run["drive.state"][-1] > 30.0)
    True
    """
    if not len(start):
        raise ModelError("compiled_state: start is empty; give the value of each state at the start, or use compiled")
    return lambda given: _signal_law(given, sees, start, scale)


def _signal_law(function: Any, sees: Sequence[str], start: Sequence[float], scale: Sequence[float] | None) -> PythonLaw:
    made = compiled(function)
    return PythonLaw(made, hasattr(made, "py_func"), sees, start, scale)

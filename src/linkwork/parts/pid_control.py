"""PID control without windup: sampled, and as a law with a state."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from linkwork.errors import ModelError
from linkwork.model import Joint, PythonLaw, checked, compiled
from linkwork.model.laws.laws import LawLike
from linkwork.parts.signals import Signal, name_of, signal

MEMORY = (0.0, 0.0, 0.0, 0.0)  # of the sampled one: integral, derivative, last measured, whether there was one


def pid(
    *,
    every: float,
    kp: float,
    ki: float = 0.0,
    kd: float = 0.0,
    goal: float = 0.0,
    low: float = -math.inf,
    high: float = math.inf,
    smooth: float = 0.0,
    tracking: float | None = None,
) -> dict[str, Any]:
    """A sampled PID controller: the keywords `function`, `every` and `memory` of `model.controller`.

    The first column that it `sees` is measured, m; a second one, where there is one, is the goal instead of `goal`.
    With e = goal - m its output is kp e + ki times the integral of e - kd times the rate of m, kept between `low` and
    `high`. `every` (s) is its period; `smooth` (s) is the time constant of a filter on the rate.

    While the output is at an end the integral does not wind up: it stands still where e would drive it further
    (clamping), or with `tracking` (s) it is led back with this time constant (back-calculation).

    >>> model = lw.Model("arm")
    >>> arm = model.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
    >>> shoulder = model.revolute("shoulder", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0))
    >>> drive = model.torque("drive", shoulder, 0.0)
    >>> pid = lw.parts.pid(every=1e-3, kp=40.0, ki=60.0, kd=8.0, goal=0.5, low=-12.0, high=12.0)
    >>> model.controller("pid", **pid, sees=["shoulder.position"], sets=["drive"])
    <controller 'pid'>
    >>> run = lw.simulate(model, until=4.0, method="recursive", dt=1e-3)
    >>> round(float(run["shoulder.position"][-1]), 3)
    0.5
    """
    what = "pid"
    ends = _ends(what, low, high)
    numbers = [checked.number(each, what, name) for name, each in (("kp", kp), ("ki", ki), ("kd", kd), ("goal", goal))]
    period = checked.positive(every, what, "every", "seconds")
    delay = checked.not_negative(smooth, what, "smooth", "seconds")
    back = 0.0 if tracking is None else checked.positive(tracking, what, "tracking", "seconds")
    return {"function": _pid(period, *numbers, *ends, delay, back), "every": period, "memory": MEMORY}


@lru_cache(maxsize=256)
def _pid(
    every: float,
    kp: float,
    ki: float,
    kd: float,
    goal: float,
    low: float,
    high: float,
    smooth: float,
    tracking: float,
) -> Callable[..., float]:
    def control(t: float, seen: Any, memory: Any) -> float:
        integral, derivative, last, started = memory.tolist()
        measured = float(seen[0])
        error = (float(seen[1]) if len(seen) > 1 else goal) - measured
        if started:
            derivative = (smooth * derivative + measured - last) / (smooth + every)
        wanted = kp * error + integral - kd * derivative
        output = float(min(max(wanted, low), high))
        if tracking:
            integral += every * (ki * error + (output - wanted) / tracking)
        elif (wanted - output) * ki * error <= 0.0:
            integral += every * ki * error
        memory[:] = integral, derivative, measured, 1.0
        return output

    return control


def pid_law(
    joint: Joint | str,
    *,
    kp: float,
    ki: float,
    kd: float = 0.0,
    goal: LawLike | str = 0.0,
    low: float = -math.inf,
    high: float = math.inf,
    tracking: float | None = None,
) -> PythonLaw:
    """A PID controller that is not sampled: a law for `model.torque`, with its integral as a state.

    It measures the position (rad, m) and the velocity of a joint; `goal` is a number, a law of time, or the name of a
    column. With e = goal - position its output is kp e + ki times the integral of e - kd velocity, kept between `low`
    and `high`. While it is at an end the integral is led back with the time constant `tracking` (s), by default
    kp / ki. The integral, times ki, is the column `name.state`.

    >>> model = lw.Model("arm")
    >>> arm = model.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
    >>> shoulder = model.revolute("shoulder", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0))
    >>> law = lw.parts.pid_law("shoulder", kp=40.0, ki=60.0, kd=8.0, goal=0.5, low=-12.0, high=12.0)
    >>> drive = model.torque("drive", shoulder, law)
    >>> run = lw.simulate(model, until=4.0, method="recursive", dt=1e-3)
    >>> round(float(run["shoulder.position"][-1]), 3)
    0.5
    """
    what = "pid_law"
    gains = [checked.number(each, what, name) for name, each in (("kp", kp), ("ki", ki), ("kd", kd))]
    if gains[1] == 0.0:
        raise ModelError(f"{what}: ki is 0, so that it needs no state; use stiffness= and damping= of the joint")
    usual = abs(gains[0] / gains[1]) or 1.0
    back = usual if tracking is None else checked.positive(tracking, what, "tracking", "seconds")
    columns, wanted = signal(goal, 2, what, "goal")
    function = _pid_law(*gains, *_ends(what, low, high), back, wanted)
    name = name_of(joint, what)
    return PythonLaw(function, hasattr(function, "py_func"), [f"{name}.position", f"{name}.velocity", *columns], [0.0])


@lru_cache(maxsize=256)
def _pid_law(
    kp: float, ki: float, kd: float, low: float, high: float, tracking: float, goal: Signal
) -> Callable[..., float]:
    @compiled
    def law(t: float, x: Any, seen: Any, dx: Any) -> float:
        error = goal(t, seen) - seen[0]
        wanted = kp * error + x[0] - kd * seen[1]
        output = min(max(wanted, low), high)
        dx[0] = ki * error + (output - wanted) / tracking
        return float(output)

    return law


def _ends(what: str, low: float, high: float) -> tuple[float, float]:
    ends = []
    for name, value in (("low", low), ("high", high)):
        number = checked.real(value)
        if number is None or math.isnan(number):
            raise ModelError(f"{what}: {name} is {checked.shown(value)}; give a number")
        ends.append(number)
    if ends[0] >= ends[1]:
        raise ModelError(f"{what}: low is {ends[0]:g} and high is {ends[1]:g}; give high= a larger number")
    return ends[0], ends[1]

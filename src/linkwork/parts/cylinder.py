"""A hydraulic cylinder with its valve: the pressures in both chambers are states."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from linkwork.errors import ModelError
from linkwork.model import Joint, PythonLaw, checked, compiled
from linkwork.model.laws.laws import LawLike
from linkwork.parts.signals import Signal, name_of, signal

SCALE = 1e7  # Pa, of pressures
SOFT = 0.25  # of the rated drop: below it the flow of an orifice goes over from the root to a straight line


def hydraulic_cylinder(
    joint: Joint | str,
    *,
    bore: float,
    rod: float,
    stroke: float,
    flow: float,
    valve: LawLike | str = 0.0,
    supply: float = 2.1e7,
    tank: float = 0.0,
    drop: float = 1e6,
    retracted: float = 0.0,
    pressures: tuple[float, float] | None = None,
    bulk_modulus: float = 1.4e9,
    dead_volume: float | None = None,
    leakage: float = 0.0,
    buffer: float = 0.0,
) -> PythonLaw:
    """A double-acting cylinder along a prismatic joint, with its four-way valve: a law for `model.torque`.

    `bore`, `rod` and `stroke` are the diameters of piston and rod and the way of the piston (m); at the joint's
    position `retracted` (m) the piston is at the bottom, and positive velocities extend it. `valve` opens from -1 to 1
    (larger numbers count as that): a number, a law of time, or the name of a column, such as an input. Positive
    openings join the bottom to `supply` and the rod side to `tank` (Pa), negative ones the other way round. Through a
    full opening flows `flow` (m3/s) at a pressure difference of `drop` (Pa), else with the root of the difference.
    `leakage` (m3/s/Pa) passes the piston, `dead_volume` (m3, by default a twentieth of the volume swept) is in each
    chamber at the end of the stroke. Check valves fill a chamber from the tank before its pressure falls much below.

    The pressures (Pa, over that of the air) at the bottom and on the rod side start with `pressures`, by default half
    the supply at the bottom and what balances it on the rod side. They are the column `name.state`; the force that
    extends the cylinder is `name.torque`, N. Beyond the ends of the stroke `buffer` (N/m) pushes back; or give the
    joint `limits`.

    >>> model = lw.Model("jack")
    >>> load = model.body("load", mass=2000.0, shape=lw.Box((1, 1, 1)))
    >>> slide = model.prismatic("slide", model.ground, load, axis=(0, 0, 1), position=0.1, damping=2e4)
    >>> valve = model.input("valve", 0.0)
    >>> size = {"bore": 0.08, "rod": 0.05, "stroke": 0.6}
    >>> law = lw.parts.hydraulic_cylinder("slide", **size, flow=1e-3, valve="valve")
    >>> jack = model.torque("jack", slide, law)
    >>> sim = lw.Simulation(model, "hybrid", dt=1e-3)
    >>> sim.inputs["valve"] = 0.5
    >>> sim.step(1000)
    >>> print(f"{sim['slide.position']:.3f} m at {sim['slide.velocity']:.3f} m/s")
    0.453 m at 0.356 m/s
    """
    what = "hydraulic_cylinder"
    A = 0.25 * math.pi * checked.positive(bore, what, "bore", "metres") ** 2
    B = A - 0.25 * math.pi * checked.not_negative(rod, what, "rod", "metres") ** 2
    if B <= 0.0:
        raise ModelError(f"{what}: the rod of {rod:g} m does not fit into the bore of {bore:g} m; correct rod=")
    swept = A * checked.positive(stroke, what, "stroke", "metres")
    dead = 0.05 * swept if dead_volume is None else checked.positive(dead_volume, what, "dead_volume", "m3")
    high, low = checked.number(supply, what, "supply", "pascal"), checked.number(tank, what, "tank", "pascal")
    if high <= low:
        raise ModelError(
            f"{what}: the supply has {high:g} Pa and the tank {low:g} Pa; give supply= the higher pressure"
        )
    numbers = (
        checked.positive(flow, what, "flow", "m3/s") / math.sqrt(checked.positive(drop, what, "drop", "pascal")),
        SOFT * drop,
        checked.positive(bulk_modulus, what, "bulk_modulus", "pascal"),
        checked.not_negative(leakage, what, "leakage", "m3/s/Pa"),
        checked.number(retracted, what, "retracted", "metres"),
        checked.not_negative(buffer, what, "buffer", "N/m"),
    )
    columns, opening = signal(valve, 2, what, "valve")
    name = name_of(joint, what)
    function = _cylinder(A, B, float(stroke), dead, high, low, *numbers, opening)
    start = (0.5 * high, 0.5 * high * A / B) if pressures is None else pressures
    first = checked.vector(start, what, "pressures", 2, "pascal").tolist()
    sees = [f"{name}.position", f"{name}.velocity", *columns]
    return PythonLaw(function, hasattr(function, "py_func"), sees, first, [SCALE] * 2)


@compiled
def orifice(gain: float, difference: float, soft: float) -> float:
    """Flow (m3/s) through an orifice: `gain` (m3/s/Pa^0.5) times the root of the `difference` (Pa), with its sign.

    >>> from linkwork.parts.cylinder import orifice
    >>> round(orifice(1e-6, -4e6, 1.0), 9)
    -0.002
    """
    return float(gain * difference / (difference * difference + soft * soft) ** 0.25)


@lru_cache(maxsize=256)
def _cylinder(
    A: float,
    B: float,
    stroke: float,
    dead: float,
    supply: float,
    tank: float,
    gain: float,
    soft: float,
    bulk: float,
    leakage: float,
    retracted: float,
    buffer: float,
    opening: Signal,
) -> Callable[..., float]:
    @compiled
    def law(t: float, p: Any, seen: Any, dp: Any) -> float:
        u = min(max(opening(t, seen), -1.0), 1.0)
        drawn, v = seen[0] - retracted, seen[1]
        x = min(max(drawn, 0.0), stroke)
        # each side joined to the supply or to the tank, and filled by its check valve
        q_a = orifice(gain * u, supply - p[0] if u > 0.0 else p[0] - tank, soft)
        q_b = orifice(-gain * u, p[1] - tank if u > 0.0 else supply - p[1], soft)
        q_a += orifice(gain, max(tank - p[0], 0.0), soft)
        q_b += orifice(gain, max(tank - p[1], 0.0), soft)
        past = leakage * (p[0] - p[1])
        dp[0] = bulk * (q_a - past - A * v) / (dead + A * x)
        dp[1] = bulk * (q_b + past + B * v) / (dead + B * (stroke - x))
        return float(A * p[0] - B * p[1] - buffer * (drawn - x))  # N

    return law

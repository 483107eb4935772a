"""An electric motor with brushes: its current is a state."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from linkwork.model import Joint, PythonLaw, checked, compiled
from linkwork.model.laws.laws import LawLike
from linkwork.parts.signals import Signal, name_of, signal


def dc_motor(
    joint: Joint | str,
    *,
    resistance: float,
    inductance: float,
    constant: float,
    voltage: LawLike | str = 0.0,
    ratio: float = 1.0,
    current: float = 0.0,
) -> PythonLaw:
    """A direct-current motor on a joint, with `resistance` (ohm) and `inductance` (H): a law for `model.torque`.

    `constant` is its torque for a current (N m/A), which is also its voltage for a speed, the back EMF (V s/rad).
    `voltage` (V) is a number, a law of time, or the name of a column, such as an input. Behind a gear the motor turns
    `ratio` times as fast as the joint. `current` (A) is that at the start. With the current i and the speed w of the
    joint, the rate of i is (voltage - resistance i - constant ratio w) / inductance and the torque on the joint is
    ratio constant i. The current is the column `name.state`, A; the torque `name.torque`, N m.

    On a slide with a rack of pitch radius r (m) give `ratio` = 1 / r.

    >>> model = lw.Model("drive")
    >>> wheel = model.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> shaft = model.revolute("shaft", model.ground, wheel, at=(0, 0, 0), axis=(0, 1, 0))
    >>> motor = lw.parts.dc_motor("shaft", resistance=0.5, inductance=5e-5, constant=0.1, voltage=24.0)
    >>> torque = model.torque("motor", shaft, motor)
    >>> run = lw.simulate(model, until=0.5, method="hybrid", dt=1e-3)
    >>> print(f"{run['motor.state'][-1]:.2f} A, {run['shaft.velocity'][-1]:.2f} rad/s")
    43.43 A, 22.84 rad/s

    This current settles within inductance / resistance = 0.1 ms, a tenth of a step: the implicit methods ("hybrid",
    "semi-recursive", "global") stay stable, explicit ones refuse and name the state.
    """
    what = "dc_motor"
    numbers = (
        checked.positive(resistance, what, "resistance", "ohm"),
        checked.positive(inductance, what, "inductance", "henry"),
        checked.number(constant, what, "constant", "N m/A"),
        checked.number(ratio, what, "ratio"),
    )
    columns, feed = signal(voltage, 1, what, "voltage")
    sees = [f"{name_of(joint, what)}.velocity", *columns]
    function = _motor(*numbers, feed)
    return PythonLaw(function, hasattr(function, "py_func"), sees, [checked.number(current, what, "current", "ampere")])


@lru_cache(maxsize=256)
def _motor(R: float, L: float, K: float, ratio: float, feed: Signal) -> Callable[..., float]:
    @compiled
    def law(t: float, x: Any, seen: Any, dx: Any) -> float:
        dx[0] = (feed(t, seen) - R * x[0] - K * ratio * seen[0]) / L  # A/s
        return float(ratio * K * x[0])  # N m

    return law

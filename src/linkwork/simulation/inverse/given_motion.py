"""What rigid motors ask of their joints: position, rate and acceleration at any time."""

from __future__ import annotations

import math

import numpy as np

from linkwork.assembly.system import JointPlace, System
from linkwork.errors import OptionError
from linkwork.model import Constant, Cosine, Law, Motor, Step, Table
from linkwork.model.laws import law_value

STENCIL = 5  # points of a difference formula
FINE = 0.25  # of dt: their distance
GAUSS = np.polynomial.legendre.leggauss(6)


class GivenMotion:
    """The motion that one motor gives to its joint. `start` is the joint's position there, for a given velocity."""

    def __init__(self, motor: Motor, place: JointPlace, dt: float, start: float) -> None:
        self.motor, self.place = motor, place
        law = motor.position if motor.position is not None else motor.velocity
        assert law is not None
        self.law: Law = law
        self.distance = FINE * dt
        self.formed = not isinstance(law, (Constant, Cosine, Step, Table))
        self._pieces = _pieces(law)
        self._time, self._position = 0.0, start

    def at(self, t: float) -> tuple[float, float, float]:
        """Position, rate and acceleration of the joint at t (s)."""
        x, rate, bend = self._law(t)
        if self.motor.position is not None:
            return x, rate, bend
        return self._position + self._way(self._time, t), x, rate

    def passed(self, t: float) -> None:
        """The run has come to t: given velocities are summed up from here."""
        if self.motor.position is None:
            self._position, self._time = self._position + self._way(self._time, t), t

    def _way(self, begin: float, end: float) -> float:
        """Integral of the law, by Gauss' rule between its knots."""
        if end == begin:
            return 0.0
        knots = [] if self._pieces is None else [x for x in self._pieces[0] if begin < x < end]
        total = 0.0
        for a, b in zip([begin, *knots], [*knots, end], strict=True):
            points, weights = GAUSS
            values = [self._value(0.5 * (a + b) + 0.5 * (b - a) * float(p)) for p in points]
            total += 0.5 * (b - a) * float(weights @ values)
        return total

    def _value(self, t: float) -> float:
        return law_value(self.law, t) if self._pieces is None else _polynomial(*self._pieces, t)[0]

    def _law(self, t: float) -> tuple[float, float, float]:
        """The law and its two derivatives, exact where it is made of known functions."""
        law = self.law
        if isinstance(law, Constant):
            return float(law.value), 0.0, 0.0
        if isinstance(law, Cosine):
            w = 2.0 * math.pi * law.frequency
            c, s = math.cos(w * t + law.phase), math.sin(w * t + law.phase)
            return law.amplitude * c + law.offset, -law.amplitude * w * s, -law.amplitude * w * w * c
        if self._pieces is not None:
            return _polynomial(*self._pieces, t)
        # differences around t, none before the start
        d = self.distance
        first = max(t - (STENCIL // 2) * d, 0.0)
        offsets = first + d * np.arange(STENCIL) - t
        scaled = offsets / d
        values = np.array([law_value(law, t + float(x)) for x in offsets])
        power = np.linalg.solve(np.vander(scaled, increasing=True), values)
        return law_value(law, t), float(power[1]) / d, 2.0 * float(power[2]) / d**2


def given_motions(system: System, dt: float, positions: dict[str, float]) -> list[GivenMotion]:
    """Those of all motors of the system, which must hold rigidly; `positions` of their joints at the start."""
    places = {place.name: place for place in (*system.joints, *system.cuts)}
    found = []
    for motor in system.motors:
        if motor.softness is not None or motor.max_torque < math.inf:
            raise OptionError(
                f"motor '{motor.path}' gives way, so that it does not tell where joint '{motor.joint.path}' is; leave "
                "out its max_torque= and softness="
            )
        found.append(GivenMotion(motor, places[motor.joint.path], dt, positions[motor.joint.path]))
    return found


def _pieces(law: Law) -> tuple[np.ndarray, np.ndarray] | None:
    """Times and cubics (piece, 4) of a law that is made of them, from the constant up; the last row is the end."""
    if isinstance(law, Step):
        times, cubics = law.pieces()
        return np.asarray(times), np.asarray(cubics[0])
    if not isinstance(law, Table):
        return None
    rows = np.zeros((len(law.times), 4))
    rows[:, 0] = law.values
    if law.kind == "cubic":
        from scipy.interpolate import CubicSpline  # here, because it takes a third of a second

        rows[:-1] = CubicSpline(law.times, law.values).c[::-1].T
    else:
        rows[:-1, 1] = np.diff(law.values) / np.diff(law.times)
    return law.times, rows


def _polynomial(times: np.ndarray, rows: np.ndarray, t: float) -> tuple[float, float, float]:
    """As the compiled loop evaluates tables: at rest outside of them."""
    if t < times[0] or t > times[-1]:
        return float(rows[0 if t < times[0] else -1, 0]), 0.0, 0.0
    k = min(int(np.searchsorted(times, t, side="right")) - 1, len(times) - 2)
    x = t - float(times[k])
    a, b, c, d = (float(number) for number in rows[k])
    return a + x * (b + x * (c + x * d)), b + x * (2 * c + 3 * x * d), 2 * c + 6 * x * d

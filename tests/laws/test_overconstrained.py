"""Linkages that move although they have rows too many: Bennett's and Sarrus's, against an equation of one freedom.

Their rows depend on each other only where the loop is closed, and which of them are left over changes as it moves.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwork as lw
from case_choice import rest_long
from known_methods import EXPLICIT, IMPLICIT

ALL = [*EXPLICIT, *IMPLICIT, "impulse", "maximal"]


class Bennett:
    """Four bars of two lengths and two twists (rad); pin 1 turns from the angle `start` at `speed`. SI."""

    def __init__(self, length=0.3, twists=(30.0, 60.0), start=1.0, mass=1.0, speed=3.0):
        self.twists = np.radians(twists)
        self.lengths = length, length * np.sin(self.twists[1]) / np.sin(self.twists[0])
        self.start, self.mass, self.speed, self.radius = start, mass, speed, length / 30

    def places(self, angle):
        """(4, 4, 4) frames of the pins, z along their axes, where pin 1 has turned to this angle."""
        a, b = self.twists
        second = 2 * np.arctan(np.sin((b + a) / 2) / np.sin((b - a) / 2) / np.tan(angle / 2))
        found = [np.eye(4)]
        for k, t in enumerate((angle, second, 2 * np.pi - angle)):
            c, s, ct, st = np.cos(t), np.sin(t), np.cos(self.twists[k % 2]), np.sin(self.twists[k % 2])
            l = self.lengths[k % 2]
            bar = np.array([[c, -s * ct, s * st, l * c], [s, c * ct, -c * st, l * s], [0, st, ct, 0], [0, 0, 0, 1]])
            found.append(found[-1] @ bar)
        return np.array(found)

    def model(self):
        """The same, of parts."""
        pins = self.places(self.start)
        points, axes = pins[:, :3, 3], pins[:, :3, 2]
        model = lw.Model("bennett", gravity=(0, 0, 0))
        bars = [
            model.link(f"bar {k + 1}", points[k], points[k + 1], mass=self.mass, radius=self.radius) for k in range(3)
        ]
        for k, (a, b) in enumerate(zip([model.ground, *bars], [*bars, model.ground], strict=True)):
            speed = {"velocity": self.speed} if k == 0 else {}
            model.revolute(f"pin {k + 1}", a, b, at=points[k], axis=axes[k], **speed)
        return model

    def inertia(self, angle):
        """Of all bars as pin 1 feels them, kg m2."""
        step = 1e-3
        pins = self.places(angle)
        rates = sum(
            c * (self.places(angle + k * step) - self.places(angle - k * step)) / step
            for k, c in ((1, 0.75), (2, -0.15), (3, 1 / 60))
        )
        total = 0.0
        for k in range(3):
            along = pins[k + 1][:3, 3] - pins[k][:3, 3]
            length = np.linalg.norm(along)
            W = rates[k + 1][:3, :3] @ pins[k + 1][:3, :3].T
            turn = np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2
            spin = turn @ along / length
            speed = (rates[k][:3, 3] + rates[k + 1][:3, 3]) / 2
            across = length**2 / 12 + self.radius**2 / 4
            total += self.mass * (speed @ speed + self.radius**2 / 2 * spin**2 + across * (turn @ turn - spin**2))
        return total

    def turned(self, until):
        """By how much pin 1 has turned then, from the kinetic energy alone."""
        energy = self.inertia(self.start) * self.speed**2

        def rate(t, y):
            return [np.sqrt(energy / self.inertia(y[0]))]

        return solve_ivp(rate, (0, until), [self.start], rtol=1e-11, atol=1e-12, method="DOP853").y[0, -1] - self.start


def sarrus(length=0.3, start=0.6, mass=1.0, speed=-1.0, legs=2, between=90.0):
    """A platform on legs of two links in upright planes; links stand at `start` (rad) from the horizontal."""
    model = lw.Model("sarrus", gravity=(0, 0, -9.81))
    height, radius, up = 2 * length * np.sin(start), length / 2, np.array([0, 0, 1])
    platform = model.body("platform", mass=mass, shape=lw.Cylinder(radius, length / 15), position=(0, 0, height))
    for k in range(legs):
        angle = np.radians(between * k)
        out, axis = np.array([np.cos(angle), np.sin(angle), 0]), np.array([np.sin(angle), -np.cos(angle), 0])
        base, top = radius * out, radius * out + height * up
        knee = (base + top) / 2 + length * np.cos(start) * out
        lower = model.link(f"lower {k + 1}", base, knee, mass=mass)
        upper = model.link(f"upper {k + 1}", knee, top, mass=mass)
        turning = {"velocity": speed} if k == 0 else {}
        model.revolute(f"base {k + 1}", model.ground, lower, at=base, axis=axis, **turning)
        model.revolute(f"knee {k + 1}", lower, upper, at=knee, axis=axis)
        model.revolute(f"top {k + 1}", upper, platform, at=top, axis=axis)
    return model


def sarrus_height(until, length=0.3, start=0.6, speed=-1.0, legs=2):
    """Height of the platform then, from Lagrange's equation for the angle of the links. Masses are all alike."""
    own = length**2 / 12 + (length / 50) ** 2 / 4
    cos2, sin2 = 4 + legs * 2.5, legs * 0.5  # platform 4; links 9/4 + 1/4, and 1/4 + 1/4
    pull = 9.81 * length * (2 + legs * 2)

    def rate(t, y):
        c, s = np.cos(y[0]), np.sin(y[0])
        inertia = length**2 * (cos2 * c * c + sin2 * s * s) + 2 * legs * own
        slope = 2 * length**2 * (sin2 - cos2) * s * c
        return [y[1], (-pull * c - slope * y[1] ** 2 / 2) / inertia]

    end = solve_ivp(rate, (0, until), [start, speed], rtol=1e-12, atol=1e-13, method="DOP853").y[0, -1]
    return 2 * length * np.sin(end)


# how far an angle of some rad may be off after 2 s at 1 ms: by the order of the rule
BENNETT_ERROR = {"impulse": 1e-2} | dict.fromkeys(["maximal", *IMPLICIT], 1e-4) | dict.fromkeys(EXPLICIT, 1e-9)


GEOMETRIES = [((30.0, 60.0), 1.0), ((50.0, 70.0), 2.0), ((20.0, 100.0), 0.7)]


@pytest.mark.parametrize("geometry", rest_long(GEOMETRIES, GEOMETRIES[:1]))
@pytest.mark.parametrize("method", ALL)
def test_bennett_linkage(method, geometry):
    linkage = Bennett(twists=geometry[0], start=geometry[1])
    run = lw.simulate(linkage.model(), until=2.0, dt=1e-3, method=method)
    assert run["pin 1.position"][-1] == pytest.approx(linkage.turned(2.0), abs=BENNETT_ERROR[method])


@pytest.mark.parametrize(("length", "mass"), [(3e-4, 1e-6), (300.0, 1e6)])
@pytest.mark.parametrize("method", ALL)
def test_bennett_linkage_of_any_size(method, length, mass):
    linkage = Bennett(length=length, mass=mass)
    run = lw.simulate(linkage.model(), until=2.0, dt=1e-3, method=method)
    assert run["pin 1.position"][-1] == pytest.approx(linkage.turned(2.0), abs=BENNETT_ERROR[method])


def test_auto_on_a_bennett_linkage():
    """At a coarse step too: the rows that open loops seem to have are none."""
    linkage = Bennett()
    run = lw.simulate(linkage.model(), until=2.0, dt=2e-2)
    assert run["pin 1.position"][-1] == pytest.approx(linkage.turned(2.0), abs=1e-4)
    assert run.certificate.rank_min == run.certificate.rank_max


SARRUS_ERROR = {"impulse": 2e-3, "maximal": 2e-3, "global": 2e-4, "hybrid": 2e-4} | dict.fromkeys(EXPLICIT, 1e-6)


LEGS = [(2, 90.0), (2, 60.0), (3, 120.0)]


@pytest.mark.parametrize("stand", rest_long(LEGS, LEGS[:1]))
@pytest.mark.parametrize("method", SARRUS_ERROR)
def test_sarrus_linkage(method, stand):
    """Up and down through the stretched positions at both ends, where legs could part."""
    legs, between = stand
    run = lw.simulate(sarrus(legs=legs, between=between), until=1.0, dt=1e-3, method=method)
    place = run["platform.position"]
    assert place[-1, 2] == pytest.approx(sarrus_height(1.0, legs=legs), abs=SARRUS_ERROR[method])
    assert np.abs(place[:, :2]).max() < 1e-6

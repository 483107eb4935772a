"""Mechanisms that motors and gears drive, by every method: positions of the closed form, efforts of virtual work.

With one coordinate x(t) given, the kinetic energy is J(x) x'^2 / 2 and the effort is J x'' + J' x'^2 / 2 + V'. J, J'
and V' come from closed forms of the places of all bodies, differentiated by complex steps.
"""

import cmath
import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.methods import ALL

GRAVITY = 9.81
SPEED = 2.0 * math.pi  # rad/s: 60 rpm
EXACT = ("recursive", "absolute", "component", "joint components", "hybrid", "semi-recursive", "global")
IMPULSES = ("impulse", "maximal")
STEP = 1e-30


def method_of(name: str) -> Any:
    return lw.Components(coordinates="joint") if name == "joint components" else name


def test_every_method_is_here() -> None:
    assert {*EXACT, *IMPULSES} - {"joint components"} == set(ALL)


class Linkage:
    """A planar mechanism in x and z that one angle moves: bodies with a place and an angle as functions of it."""

    name = ""
    start = 0.0

    def model(self) -> lw.Model:
        raise NotImplementedError

    def places(self, x: complex) -> list[tuple[complex, complex, complex, float, float]]:
        """x, z, angle, mass and inertia of every body, at its centre of mass."""
        raise NotImplementedError

    def effort(self, x: float, rate: float, acceleration: float) -> float:
        """Virtual work."""
        slopes = self._slopes(x)
        inertia = sum(m * (a * a + b * b) + i * c * c for a, b, c, m, i in slopes)
        h = 1e-4
        around = [
            sum(m * (a * a + b * b) + i * c * c for a, b, c, m, i in self._slopes(x + k * h)) for k in (-2, -1, 1, 2)
        ]
        bend = (around[0] - 8 * around[1] + 8 * around[2] - around[3]) / (12 * h)
        return inertia * acceleration + 0.5 * bend * rate**2 + sum(m * GRAVITY * b for _, b, _, m, _ in slopes)

    def _slopes(self, x: float) -> list[tuple[float, float, float, float, float]]:
        return [(a.imag / STEP, b.imag / STEP, c.imag / STEP, m, i) for a, b, c, m, i in self.places(complex(x, STEP))]


def angle(z: complex, x: complex) -> complex:
    """atan2 for complex steps."""
    return math.atan2(z.real, x.real) + 1j * (z.imag * x.real - z.real * x.imag) / (x.real**2 + z.real**2)


def meet(a: tuple[complex, complex], b: tuple[complex, complex], r: float, s: float, side: float) -> tuple[Any, Any]:
    """Where circles of radius r about a and s about b meet, on one side of the line from a to b."""
    dx, dz = b[0] - a[0], b[1] - a[1]
    d2 = dx * dx + dz * dz
    along = (r * r - s * s + d2) / (2.0 * d2)
    across = side * cmath.sqrt(r * r / d2 - along * along)
    return a[0] + along * dx - across * dz, a[1] + along * dz + across * dx


def bar(model: lw.Model, name: str, a: Any, b: Any, mass: float) -> lw.Body:
    """A uniform bar from a to b, (x, z) at the start, with its frame in a."""
    (ax, az), (bx, bz) = ([complex(c).real for c in end] for end in (a, b))
    length = math.hypot(bx - ax, bz - az)
    half = -math.atan2(bz - az, bx - ax) / 2
    inertia = mass * length**2 / 12.0
    return model.body(
        name,
        mass=mass,
        inertia=(1e-6 + inertia / 100, inertia, inertia),
        com=(length / 2, 0, 0),
        position=(ax, 0, az),
        rotation=(math.cos(half), 0, math.sin(half), 0),
    )


def pin(model: lw.Model, name: str, a: Any, b: Any, at: Any, **options: Any) -> lw.Joint:
    place = (complex(at[0]).real, 0.0, complex(at[1]).real)
    return model.revolute(name, a, b, at=place, axis=(0, -1, 0), **options)


def of_bar(a: Any, b: Any, mass: float) -> tuple[complex, complex, complex, float, float]:
    length = math.hypot((b[0] - a[0]).real, (b[1] - a[1]).real)
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, angle(b[1] - a[1], b[0] - a[0]), mass, mass * length**2 / 12.0


class SliderCrank(Linkage):
    r, l, start = 0.1, 0.3, 0.3

    def points(self, x: complex) -> list[Any]:
        knee = self.r * cmath.cos(x), self.r * cmath.sin(x)
        return [(0j, 0j), knee, (knee[0] + cmath.sqrt(self.l**2 - knee[1] ** 2), 0j)]

    def places(self, x: complex) -> Any:
        o, knee, wrist = self.points(x)
        return [of_bar(o, knee, 0.5), of_bar(knee, wrist, 0.4), (*wrist, 0j, 0.8, 0.0)]

    def model(self) -> lw.Model:
        model = lw.Model("slider crank")
        o, knee, wrist = self.points(self.start)
        crank, rod = bar(model, "crank", o, knee, 0.5), bar(model, "rod", knee, wrist, 0.4)
        slider = model.body("slider", mass=0.8, inertia=(1e-3,) * 3, position=(wrist[0].real, 0, 0))
        pin(model, "main", "ground", crank, o)
        pin(model, "knee", crank, rod, knee)
        pin(model, "wrist", rod, slider, wrist)
        model.prismatic("guide", "ground", slider, axis=(1, 0, 0))
        return model


class FourBar(Linkage):
    start = 0.7
    tip = 0.4, 0.0

    def points(self, x: complex) -> list[Any]:
        knee = 0.1 * cmath.cos(x), 0.1 * cmath.sin(x)
        return [(0j, 0j), knee, meet(knee, self.tip, 0.35, 0.25, 1.0), self.tip]

    def places(self, x: complex) -> Any:
        o, knee, far, tip = self.points(x)
        return [of_bar(o, knee, 0.5), of_bar(knee, far, 0.6), of_bar(tip, far, 0.4)]

    def model(self) -> lw.Model:
        model = lw.Model("four bar")
        o, knee, far, tip = self.points(self.start)
        crank, coupler = bar(model, "crank", o, knee, 0.5), bar(model, "coupler", knee, far, 0.6)
        rocker = bar(model, "rocker", tip, far, 0.4)
        pin(model, "main", "ground", crank, o)
        pin(model, "knee", crank, coupler, knee)
        pin(model, "foot", "ground", rocker, tip)
        pin(model, "far", coupler, rocker, far)
        return model


class Peaucellier(Linkage):
    """Its far corner moves on a straight line: x = (4 r a) … of the closed form by circles."""

    start = 0.2
    short, long, side, radius = 0.1, 0.3, 0.14, 0.1

    def points(self, x: complex) -> list[Any]:
        pole, centre = (0j, 0j), (self.radius + 0j, 0j)
        near = centre[0] + self.radius * cmath.cos(x), self.radius * cmath.sin(x)
        up, down = (meet(pole, near, self.long, self.side, side) for side in (1.0, -1.0))
        far = up[0] + down[0] - near[0], up[1] + down[1] - near[1]
        return [pole, centre, near, up, down, far]

    def bars(self, x: complex) -> list[Any]:
        pole, centre, near, up, down, far = self.points(x)
        return [(centre, near, 0.3), (pole, up, 0.5), (pole, down, 0.5), (near, up, 0.2), (near, down, 0.2)] + [
            (up, far, 0.2),
            (down, far, 0.2),
        ]

    def places(self, x: complex) -> Any:
        return [of_bar(*each) for each in self.bars(x)]

    def model(self) -> lw.Model:
        model = lw.Model("Peaucellier")
        names = ("crank", "upper arm", "lower arm", "near up", "near down", "far up", "far down")
        bars = {name: bar(model, name, *each) for name, each in zip(names, self.bars(self.start), strict=True)}
        pole, centre, near, up, down, far = self.points(self.start)
        pin(model, "main", "ground", bars["crank"], centre)
        for arm in ("upper arm", "lower arm"):
            pin(model, f"{arm} foot", "ground", bars[arm], pole)
        for name in ("near up", "near down"):
            pin(model, f"{name} near", bars["crank"], bars[name], near)
        pin(model, "up 1", bars["upper arm"], bars["near up"], up)
        pin(model, "down 1", bars["lower arm"], bars["near down"], down)
        pin(model, "up 2", bars["upper arm"], bars["far up"], up)
        pin(model, "down 2", bars["lower arm"], bars["far down"], down)
        pin(model, "far", bars["far up"], bars["far down"], far)
        return model


class FiveBar(Linkage):
    """Two cranks, the second geared to the first, and two couplers that meet."""

    start, ratio = 0.4, -2.0

    def points(self, x: complex) -> list[Any]:
        y = 2.2 + self.ratio * (x - self.start)
        left, right = (0.08 * cmath.cos(x), 0.08 * cmath.sin(x)), (0.3 + 0.06 * cmath.cos(y), 0.06 * cmath.sin(y))
        return [(0j, 0j), left, meet(left, right, 0.3, 0.28, 1.0), right, (0.3 + 0j, 0j)]

    def bars(self, x: complex) -> list[Any]:
        a, left, top, right, b = self.points(x)
        return [(a, left, 0.3), (left, top, 0.4), (right, top, 0.4), (b, right, 0.2)]

    def places(self, x: complex) -> Any:
        return [of_bar(*each) for each in self.bars(x)]

    def model(self) -> lw.Model:
        model = lw.Model("five bar")
        a, left, top, right, b = self.points(self.start)
        one, two, three, four = (
            bar(model, name, *each)
            for name, each in zip(("crank", "long", "short", "other crank"), self.bars(self.start), strict=True)
        )
        pin(model, "main", "ground", one, a)
        pin(model, "second", "ground", four, b)
        pin(model, "left", one, two, left)
        pin(model, "right", four, three, right)
        pin(model, "top", two, three, top)
        model.gear("mesh", "main", "second", ratio=self.ratio)
        return model


LINKAGES = (SliderCrank, FourBar, Peaucellier, FiveBar)


def driven(linkage: Linkage, **law: Any) -> lw.Model:
    model = linkage.model()
    model.motor("drive", "main", **law)
    return model


def rocking(start: float) -> tuple[lw.Cosine, Any]:
    """A crank that rocks: law of its joint, and its angle and the two rates of that over time."""
    amplitude, omega = 0.5, 4.0
    law = lw.Cosine(amplitude, omega / (2 * math.pi), -math.pi / 2)

    def motion(t: Any) -> tuple[Any, Any, Any]:
        s, c = np.sin(omega * t), np.cos(omega * t)
        return start + amplitude * s, amplitude * omega * c, -amplitude * omega**2 * s

    return law, motion


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("linkage", LINKAGES)
def test_positions_and_efforts(linkage: type[Linkage], name: str) -> None:
    """Not a step of the integrator is in them: they are those of the closed form."""
    shape = linkage()
    law, motion = rocking(shape.start)
    run = lw.simulate(driven(shape, position=law), until=0.2, dt=2e-3, every=10, method=method_of(name))
    x, rate, acceleration = motion(run.time)
    assert run["main.position"] == pytest.approx(x - shape.start, abs=1e-12)
    names = [body.path for body in shape.model().all_bodies()]
    for row, angle_now in enumerate(x):
        places = shape.places(complex(angle_now))
        for body, (px, pz, *_) in zip(names, places, strict=True):
            found = run[f"{body}.position"][row] + _half(shape, body) * _direction(run[f"{body}.rotation"][row])
            assert found[[0, 2]] == pytest.approx([px.real, pz.real], abs=1e-8)
    wanted = [shape.effort(*each) for each in zip(x, rate, acceleration, strict=True)]
    assert run["drive.effort"] == pytest.approx(wanted, abs=1e-6 * np.abs(wanted).max())
    assert run["drive.torque"] == pytest.approx(run["drive.effort"])
    assert run["drive.power"] == pytest.approx(run["drive.effort"] * rate, abs=1e-5)
    assert run.certificate.worst_drift_position < 1e-11
    order2 = name in ("hybrid", "semi-recursive", "global")
    assert np.abs(run.energy["balance"]).max() < (1e-3 if order2 else 1e-7) * np.abs(run.energy["work"]).max()


def _direction(e: Any) -> Any:
    """x of a body, world axes."""
    w, x, y, z = e
    return np.array([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)])


def _half(shape: Linkage, body: str) -> float:
    return next(float(each.com[0]) for each in shape.model().all_bodies() if each.path == body)


@pytest.mark.parametrize("name", IMPULSES)
@pytest.mark.parametrize("linkage", LINKAGES)
def test_so_do_impulses_within_their_order(linkage: type[Linkage], name: str) -> None:
    shape = linkage()
    law, motion = rocking(shape.start)
    errors = []
    for dt in (2e-3, 1e-3):
        run = lw.simulate(driven(shape, position=law), until=0.2, dt=dt, every=round(0.02 / dt), method=name)
        x, rate, acceleration = motion(run.time)
        assert run["main.position"] == pytest.approx(x - shape.start, abs=1e-8)
        wanted = np.array([shape.effort(*each) for each in zip(x, rate, acceleration, strict=True)])
        errors.append(np.abs(run["drive.effort"] - wanted)[1:].max() / np.abs(wanted).max())
    assert errors[1] < 0.6 * errors[0] < 0.06


@pytest.mark.parametrize("name", EXACT)
def test_a_given_velocity_is_a_given_position(name: str) -> None:
    runs = [
        lw.simulate(driven(SliderCrank(), **law), until=0.1, dt=1e-3, every=10, method=method_of(name))
        for law in (
            {"velocity": SPEED},
            {"position": lw.Table((0, 10), (0, 10 * SPEED))},
            {"velocity": lambda t: SPEED},
            {"position": lambda t: (SPEED * t, SPEED, 0.0)},
        )
    ]
    for run in runs[1:]:
        for column in ("main.position", "drive.effort", "guide.position", "guide.acceleration"):
            assert run[column] == pytest.approx(runs[0][column], abs=1e-8)


@pytest.mark.parametrize("name", EXACT)
def test_a_loop_closing_joint_is_driven_too(name: str) -> None:
    """The same rocker, driven at a tree joint or at the one that closes the loop: the same motion."""
    shape = FourBar()
    positions = []
    for cut in ("foot", "main"):
        model = lw.Model("four bar")
        o, knee, far, tip = shape.points(shape.start)
        crank, coupler = bar(model, "crank", o, knee, 0.5), bar(model, "coupler", knee, far, 0.6)
        rocker = bar(model, "rocker", tip, far, 0.4)
        pin(model, "main", "ground", crank, o, cut=cut == "main")
        pin(model, "knee", crank, coupler, knee)
        pin(model, "foot", "ground", rocker, tip, cut=cut == "foot")
        pin(model, "far", coupler, rocker, far)
        model.motor("drive", "main", position=lw.Cosine(0.4, 1.0, -math.pi / 2))
        run = lw.simulate(model, until=0.1, dt=1e-3, every=10, method=method_of(name))
        positions.append(np.column_stack([run["foot.velocity"], run["drive.effort"]]))
    assert positions[0] == pytest.approx(positions[1], abs=1e-8)


@pytest.mark.parametrize("name", [*EXACT, *IMPULSES])
def test_the_length_of_a_rod_is_driven(name: str) -> None:
    """A boom on a jack without mass: its length is given, its force follows from virtual work."""
    model = lw.Model("boom")
    boom = model.body("boom", mass=20.0, inertia=(0.1, 2, 2), com=(0.5, 0, 0))
    model.revolute("pivot", "ground", boom, at=(0, 0, 0), axis=(0, -1, 0))
    jack = model.distance("jack", "ground", boom, at_a=(0.3, 0, -0.4), at_b=(0.6, 0, 0))
    model.motor("drive", jack, position=lw.Cosine(0.05, 0.5, -math.pi / 2, 0.5))
    run = lw.simulate(model, until=0.1, dt=1e-3, method=method_of(name))
    x = run["pivot.position"]
    length = np.sqrt(0.61 - 1.2 * (0.3 * np.cos(x) - 0.4 * np.sin(x)))
    first_order = name in IMPULSES
    assert length == pytest.approx(0.5 + 0.05 * np.sin(math.pi * run.time), abs=1e-8 if first_order else 1e-12)
    lever = 0.6 * (0.3 * np.sin(x) + 0.4 * np.cos(x)) / length
    force = (7.0 * run["pivot.acceleration"] + 98.1 * np.cos(x)) / lever
    close = 1e-3 if first_order else 1e-8
    assert run["drive.effort"][1:] == pytest.approx(force[1:], rel=close)
    assert np.linalg.norm(run["jack.reaction"][1:, :3], axis=1) == pytest.approx(np.abs(force[1:]), rel=close)
    assert run["drive.power"] == pytest.approx(
        run["drive.effort"] * 0.05 * math.pi * np.cos(math.pi * run.time), rel=2e-2 if first_order else 1e-8
    )
    assert np.abs(run.energy["balance"]).max() < 1e-3 * np.abs(run.energy["work"]).max()
    assert run.unit("drive.effort") == "N"

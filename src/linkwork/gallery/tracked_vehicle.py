"""A tracked vehicle: two closed tracks of forty shoes run around sprockets, idlers and road wheels.

Sizes and masses are ours, those of a small carrier of 250 kg. A shoe is a plate with a lug on its inner side. The
sprocket, at the rear, is a cage of bars that grip the lugs. Idler and road wheels are pairs of discs, and the lugs run
between the two, which keeps the track on its wheels. The road wheels hang on trailing arms with torsion bars, and a
spring pushes the idler forward to tension the track. Nothing but contact connects the tracks with the vehicle. Each
track is one loop of forty hinges: 43 degrees of freedom and three redundant rows.

You can drive it: on the page of `linkwork view tracked_vehicle` the keys I, K, J, L go forward, back, left and right.

What it must show: the vehicle drives as fast as its sprockets move the tracks, climbs over the beam in its way, and the
tracks neither open nor come off; one track faster than the other turns it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import linkwork as lw
from linkwork.errors import ModelError
from linkwork.model.checked import whole

TITLE = "tracked vehicle on two loops of forty shoes, over a beam"
PAPER = "our numbers"
UNTIL = 6.0
METHOD = {"method": "impulse", "dt": 2e-3, "every": 10}
PLOTS = ["hull.position", "* tensioner.position", "* sprocket axle.velocity", "energy"]

Y = (0.0, 1.0, 0.0)
SIDES = {"left": 1.0, "right": -1.0}
TRACK = 0.40  # m, from the middle of the vehicle to that of a track
PITCH, THICK, WIDE = 0.1, 0.024, 0.22  # m, from pin to pin; of a plate
LUG = (0.04, 0.04, 0.034)  # m
SHOE_MASS = 0.8  # kg
TEETH, BAR = 10, 0.012  # bars of the sprocket, and their radius, m
SPROCKET = PITCH / (2 * math.sin(math.pi / TEETH))  # m, of the pins around it
IDLER, WHEEL = 0.12, 0.1  # m, radii
DISC, BESIDE = 0.05, 0.055  # m, how thick discs are, and how far their middle is beside that of the track
ROAD = (-0.42, -0.14, 0.14, 0.42)  # m, places of the road wheels
REAR, HIGH = -0.72, 0.30  # m, place of the sprocket
FRONT = (0.6, 1.0), 0.28  # m, between which places the idler is, and its height
ARM, SLANT = 0.13, 0.45  # m from hinge to axle, rad below level
HULL, CENTRE = (1.3, 0.5, 0.2), (0.05, 0.0, 0.34)  # m, and where its middle is
BESIDE_TRACK = TRACK - WIDE / 2 - 0.02  # m, from the middle of the vehicle to its arms and forks
WHEEL_MASS, ARM_MASS, SPROCKET_MASS, IDLER_MASS = 3.0, 1.5, 6.0, 5.0  # kg
SLOPE = 150.0  # N m s/rad, by which a motor loses torque with speed


def _keys(left: float, right: float) -> dict[str, float]:
    return {"left motor": left, "right motor": right}


KEYS = {"I": _keys(5.0, 5.0), "K": _keys(-5.0, -5.0), "J": _keys(-2.0, 4.0), "L": _keys(4.0, -2.0)}


class Round(NamedTuple):
    """A circle on which pins run: its middle in x and z, and its radius, m."""

    x: float
    z: float
    r: float


def build(
    *,
    speed: float = 0.6,
    turn: float = 0.0,
    mass: float = 120.0,
    shoes: int = 40,
    beam: float = 0.1,
    friction: float = 0.8,
    tension: float = 600.0,
    stiffness: float = 20e3,
    damping: float = 800.0,
    torque: float = 150.0,
    rubber: float = 1.0,
    gravity: float = 9.81,
) -> lw.Model:
    """The vehicle before a beam of the height `beam` (m; 0 leaves it out); it drives towards +x with `speed` (m/s).

    `turn` (m/s) is added to the speed of the right track and subtracted from that of the left one. `mass` (kg) is that
    of the "hull", `shoes` the number of shoes of each track, `friction` that of shoes on the ground. `tension` (N) is
    the force of each idler's spring; `stiffness` (N/m) and `damping` (N s/m) of each road wheel's suspension are those
    at the wheel, `torque` (N m) is the largest of a motor; `rubber` (N m s/rad) is the damping of the bushing in each
    pin, `gravity` in m/s2. Joints: "left pin 1" and so on, "left sprocket axle"; motors: "left motor", "right motor".

    >>> len(lw.gallery.tracked_vehicle.build().bodies)
    103
    """
    shoes = whole(shoes, "tracked_vehicle", "shoes", "shoes")
    idler, pins = track(shoes)
    model = lw.Model("tracked vehicle", gravity=(0, 0, -gravity))
    ground, steel = lw.Material(friction=friction), lw.Material(friction=0.2)
    model.plane("floor", material=ground)
    if beam > 0.0:
        shape = lw.Box((0.25, 2.0, beam), pose=lw.Frame((1.6, 0, beam / 2)))
        model.collider("beam", "ground", shape, material=ground)
    hull = model.body("hull", shape=lw.Box(HULL), mass=mass, position=CENTRE, material=steel, group="vehicle")
    model.free("drive", "ground", hull)
    above = mass + 2 * (SPROCKET_MASS + IDLER_MASS)
    load = gravity * (above / 8 + ARM_MASS / 2)  # on each torsion bar, at the wheel
    for side, sign in SIDES.items():
        _sprocket(model, side, sign, speed - sign * turn, torque, steel)
        _idler(model, side, sign, idler, tension, steel)
        for k, x in enumerate(ROAD):
            _road_wheel(model, f"{side} {k + 1}", sign, x, load, stiffness, damping, steel)
        _shoes(model, side, sign, pins, ground, rubber)
    return model


def _sprocket(model: lw.Model, side: str, sign: float, speed: float, torque: float, steel: lw.Material) -> None:
    """A cage of bars, each under a pin of the track."""
    at = (REAR, sign * TRACK, HIGH)
    step = math.pi / TEETH
    out = SPROCKET - (THICK / 2 + BAR) / math.cos(step)  # m, of the bars: they touch both plates
    spin = SPROCKET_MASS * out**2
    bars = []
    for k in range(TEETH):
        angle = math.pi + 2 * k * step
        place = (out * math.cos(angle), 0.0, out * math.sin(angle))
        bars.append(lw.Capsule(BAR, WIDE - 2 * BAR, pose=lw.Frame.along(Y, place)))
    wheel = model.body(
        f"{side} sprocket",
        shape=bars[0],
        mass=SPROCKET_MASS,
        com=(0, 0, 0),
        inertia=(0.6 * spin, spin, 0.6 * spin),
        position=at,
        material=steel,
        group="vehicle",
    )
    for k, bar in enumerate(bars[1:], 2):
        model.collider(f"{side} bar {k}", wheel, bar, material=steel, group="vehicle")
    for end in (-1, 1):
        rim = lw.Cylinder(out, 0.01, pose=lw.Frame.along(Y, (0, end * (WIDE / 2 - 0.005), 0)))
        model.visual(f"{side} rim {end}", wheel, rim)
    model.revolute(f"{side} sprocket axle", "hull", wheel, at=at, axis=Y)
    rate = 2 * math.pi * speed / (TEETH * PITCH)
    motor = {"velocity": rate, "max_torque": torque, "softness": lw.Soft(damping=SLOPE)}
    model.motor(f"{side} motor", f"{side} sprocket axle", **motor)  # type: ignore[arg-type]


def _discs(
    model: lw.Model, name: str, mass: float, radius: float, at: tuple[float, float, float], steel: lw.Material
) -> lw.Body:
    """Two discs side by side; the lugs run between them."""
    spin, over = mass * radius**2 / 2, mass * (radius**2 / 4 + BESIDE**2)
    discs = [lw.Cylinder(radius, DISC, pose=lw.Frame.along(Y, (0, y, 0))) for y in (-BESIDE, BESIDE)]
    wheel = model.body(
        name,
        shape=discs[0],
        mass=mass,
        com=(0, 0, 0),
        inertia=(over, spin, over),
        position=at,
        material=steel,
        group="vehicle",
    )
    model.collider(f"{name} second disc", wheel, discs[1], material=steel, group="vehicle")
    return wheel


def _idler(model: lw.Model, side: str, sign: float, x: float, tension: float, steel: lw.Material) -> None:
    """The front wheel, on a fork that a spring pushes forward."""
    at = (x, sign * TRACK, FRONT[1])
    wheel = _discs(model, f"{side} idler", IDLER_MASS, IDLER, at, steel)
    fork = model.body(
        f"{side} fork",
        shape=lw.Box((0.2, 0.03, 0.05)),
        mass=2.0,
        position=(x - 0.1, sign * BESIDE_TRACK, FRONT[1]),
    )
    model.prismatic(f"{side} tensioner", "hull", fork, axis=(1, 0, 0), limits=(-0.04, 0.04))
    model.revolute(f"{side} idler axle", fork, wheel, at=at, axis=Y)
    k, back = tension / 0.1, 0.25  # N/m: pressed in by 0.1 m
    model.spring(
        f"{side} tension",
        "hull",
        fork,
        at_a=(x - 0.1 - back - CENTRE[0], sign * BESIDE_TRACK, FRONT[1] - CENTRE[2]),
        at_b=(0, 0, 0),
        stiffness=k,
        damping=0.05 * k,
        length=back + tension / k,
    )


def _road_wheel(
    model: lw.Model, name: str, sign: float, x: float, load: float, stiffness: float, damping: float, steel: lw.Material
) -> None:
    """A wheel on a trailing arm with a torsion bar that carries `load` (N) at the wheel."""
    at = (x, sign * TRACK, _axle(x))
    wheel = _discs(model, f"{name} wheel", WHEEL_MASS, WHEEL, at, steel)
    lever = ARM * math.cos(SLANT)
    pivot = (x + lever, sign * BESIDE_TRACK, at[2] + ARM * math.sin(SLANT))
    back = lw.Frame.along((-math.cos(SLANT), 0, -math.sin(SLANT)), (-lever / 2, 0, (at[2] - pivot[2]) / 2))
    arm = model.body(f"{name} arm", shape=lw.Capsule(0.02, ARM, pose=back), mass=ARM_MASS, position=pivot)
    hinge = model.revolute(f"{name} hinge", "hull", arm, at=pivot, axis=Y, limits=(-0.6, 0.6))
    model.revolute(f"{name} axle", arm, wheel, at=at, axis=Y)
    k, c = stiffness * lever**2, damping * lever**2
    model.torsion_spring(f"{name} torsion bar", hinge, stiffness=k, damping=c, angle=-load * lever / k)


def _shoes(
    model: lw.Model, side: str, sign: float, pins: list[tuple[float, float]], material: lw.Material, rubber: float
) -> None:
    """A closed track with its hinges at these places in x and z."""
    names = [f"{side} shoe {k + 1}" for k in range(len(pins))]
    y = sign * TRACK
    for k, (x, z) in enumerate(pins):
        to_x, to_z = pins[(k + 1) % len(pins)]
        half = math.atan2(to_z - z, to_x - x) / 2
        shoe = model.body(
            names[k],
            shape=lw.Box((0.9 * PITCH, WIDE, THICK)),
            mass=SHOE_MASS,
            position=((x + to_x) / 2, y, (z + to_z) / 2),
            rotation=(math.cos(half), 0, -math.sin(half), 0),
            material=material,
            group="shoes",
        )
        lug = lw.Box(LUG, pose=lw.Frame((0, 0, (THICK + LUG[2]) / 2)))
        model.collider(f"{side} lug {k + 1}", shoe, lug, material=lw.Material(friction=0.2), group="shoes")
        model.no_contact("hull", shoe)
    model.free(f"{side} loose", "ground", names[0])
    for k, (x, z) in enumerate(pins):
        model.revolute(f"{side} pin {k + 1}", names[k - 1], names[k], at=(x, y, z), axis=Y, damping=rubber)


# ---- where the pins are ----------------------------------------------------------------------------------------------


def _around(radius: float) -> float:
    """Radius of the pins around a wheel: the middles of plates touch it."""
    return math.hypot(radius + THICK / 2, PITCH / 2)


def _axle(x: float) -> float:
    """Height of a road wheel: the first and the last hang higher, since the track bends around them."""
    return THICK / 2 + (_around(WHEEL) if x in (ROAD[0], ROAD[-1]) else WHEEL + THICK / 2)


def track(shoes: int) -> tuple[float, list[tuple[float, float]]]:
    """Place x of the idler where so many shoes just fit around the wheels, and the places of the pins, x and z in m.

    >>> x, pins = track(40)
    >>> 0.6 < x < 1.0, len(pins)
    (True, 40)
    >>> all(abs(math.dist(a, b) - PITCH) < 1e-12 for a, b in zip(pins, pins[1:] + pins[:1]))
    True
    """
    low, high = FRONT[0]
    if _left_over(low, shoes)[0] < 0.0 or _left_over(high, shoes)[0] > 0.0:
        raise ModelError(f"tracked_vehicle: {shoes} shoes do not fit around its wheels; correct shoes=, 40 do")
    for _ in range(60):
        x = (low + high) / 2
        low, high = (x, high) if _left_over(x, shoes)[0] > 0.0 else (low, x)
    return x, _left_over(x, shoes)[1]


def _left_over(x: float, shoes: int) -> tuple[float, list[tuple[float, float]]]:
    """Pins at their distances from each other along the curve around all wheels; how far the last passes the first."""
    curve = _Curve(
        [
            Round(REAR, HIGH, SPROCKET),
            Round(ROAD[0], _axle(ROAD[0]), _around(WHEEL)),
            Round(ROAD[-1], _axle(ROAD[-1]), _around(WHEEL)),
            Round(x, FRONT[1], _around(IDLER)),
        ]
    )
    s = curve.start
    pins = []
    for _ in range(shoes):
        here = curve.point(s)
        pins.append(here)
        low, high = s + PITCH, s + 1.5 * PITCH
        for _ in range(60):
            s = (low + high) / 2
            low, high = (s, high) if math.dist(here, curve.point(s)) < PITCH else (low, s)
    return s - curve.start - curve.length, pins


class _Curve:
    """A belt around circles, against the clock in x and z; `start` is where it passes the rear of the first one."""

    def __init__(self, circles: list[Round]) -> None:
        angles = []  # of the outward normal, from each circle to the next
        for a, b in zip(circles, circles[1:] + circles[:1], strict=True):
            way = math.atan2(b.z - a.z, b.x - a.x)
            angles.append(way + math.asin((a.r - b.r) / math.hypot(b.x - a.x, b.z - a.z)) - math.pi / 2)
        self.pieces: list[tuple[float, Round, float, float]] = []  # length, circle, angle at its begin, radius or 0
        for k, a in enumerate(circles):
            b = circles[(k + 1) % len(circles)]
            bend = (angles[k] - angles[k - 1]) % (2 * math.pi)
            straight = math.sqrt((b.x - a.x) ** 2 + (b.z - a.z) ** 2 - (a.r - b.r) ** 2)
            self.pieces += [(a.r * bend, a, angles[k - 1], a.r), (straight, a, angles[k], 0.0)]
        self.length = sum(piece[0] for piece in self.pieces)
        self.start = circles[0].r * ((math.pi - angles[-1]) % (2 * math.pi))

    def point(self, s: float) -> tuple[float, float]:
        s %= self.length
        k = 0
        while k < len(self.pieces) - 1 and s > self.pieces[k][0]:
            s -= self.pieces[k][0]
            k += 1
        _, circle, angle, radius = self.pieces[k]
        if radius > 0.0:
            angle += s / radius
            s = 0.0
        x, z = math.cos(angle), math.sin(angle)
        return circle.x + circle.r * x - s * z, circle.z + circle.r * z + s * x

"""A motorcycle engine from its first turn to idling: four pistons on one crankshaft, all, two or one of them firing.

The example of VK section 5, a Yamaha YZF-R1: crankshaft, 4 connecting rods, 4 pistons and the engine block, which is
the ground (the paper counts it as the tenth body); 13 joints as listed there: 4 cylindrical between rods and pistons, 4
cylindrical between pistons and block, 4 revolute between crankshaft and rods, 1 revolute between crankshaft and block.
One row of each small end is redundant. z is along the cylinders, x along the crankshaft.

Printed and used: bore, stroke, compression ratio, idling speed (Table 1), starter (53), gas (54)-(55), friction (57).
Not printed, our assumptions: all masses and moments of inertia (the crankshaft's includes a flywheel, as the paper
says), length of the rods, distance and lean of the cylinders, firing order 1-2-4-3, ratio of heats 1.4, start at
mid-stroke (where engines come to rest), and which cylinders are left when two or one fire.

Corrected:
  (55) gives gauge pressure for compression and expansion but absolute pressure for intake, and (54) takes the
       atmosphere off once more. Here (55) is absolute throughout: (54) is then the force of the gas less that of the
       air below the piston, and vanishes when both are alike. The work of a cycle is the same either way. The exhaust
       stroke, which is not listed, is at the pressure of the atmosphere like the intake.
  (56) 4 pi v_d p_t is 1200 N m at rest, fifty times the starter. A mean effective pressure is the work of a cycle by
       the displacement, and a cycle is 4 pi of crank angle: the torque is v_d p_t / (4 pi), 8 to 9 N m.
  (57) Heywood's correlation has 0.05 (v_N / 1000)^2; the printed 0.05 v_N^2 / 1000 makes 50 bar at idling.
  (53) "until the crankshaft reaches 400 rpm" has a memory; here the starter is strong whenever the crankshaft is
       slower, and weakens over some 40 rpm: a jump would leave no solution while compression holds the speed there.
Ignition at 50 atmospheres, printed as that of idling, gives four cylinders 21 N m against 9 N m of friction: they would
run up to 4600 rpm, and a single one would stall. Where `ignition` is not given it is what holds the idling speed of
Table 1 with the cylinders that fire: 40, 48 and 64 atmospheres for four, two and one.

A cylinder works from its first whole intake stroke on; what it held before has leaked away. The gas depends on the
crank angle over two turns, which the law of a force on a piston is not told: so it acts, by virtual work, as a torque
(p - p_a) dv / d angle on the crankshaft, with the volume at the piston's place. The motion is that of forces on the
pistons; the reactions of pins and bores show weight and inertia only.

What it must show (figures 3 and 4, Runge-Kutta 2, dt = 2 ms): the starter turns the crankshaft to 400 rpm, the first
charge fires in the second turn, after five turns the engine runs by itself and comes to idle near 1000 rpm, the less
evenly the fewer cylinders fire; the drift stays constant. A step of 2 ms is 13 degrees of crank angle at idling: the
mean speed is right to 1 %, but the crank is a sixth of a turn off after 2 s, 1 % of the energy is missing, and only the
successive projection lasts. So the piece by itself takes steps of 1 ms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

import linkwork as lw
from linkwork.errors import ModelError

TITLE = "motorcycle engine started and idling, four cylinders"
PAPER = "VK section 5"
UNTIL = 2.0
METHOD = {"method": "absolute", "integrator": "rk2", "dt": 1e-3, "every": 2}
PRINTED = {"method": "absolute", "integrator": "rk2", "dt": 2e-3}  # those of the figures
PLOTS = ["main bearing.velocity", "bore *.position", "energy", "drift"]

X = (1.0, 0.0, 0.0)

# Table 1, SI
BORE, STROKE, RATIO = 0.074, 0.058, 11.8
IDLE = (104.7, 115.2)  # rad/s
CYLINDERS = 4
AREA = math.pi / 4 * BORE**2
CRANK = STROKE / 2
DISPLACEMENT = CYLINDERS * AREA * STROKE  # v_d, 9.98e-4 m3
V_MIN = AREA * STROKE / (RATIO - 1)
V_MAX = RATIO * V_MIN

# section 5
ATMOSPHERE = 101325.0  # Pa
STARTER, STARTER_FAST, FAST = 22.0, 11.0, 41.89  # N m, N m, rad/s
STARTER_TURNS = 5

# ours
ROD = 0.100  # m, between its ends
SPACING = 0.082  # m, between cylinders
HEATS = 1.4
ORDER = (1, 2, 4, 3)
WORKING = {4: (1, 2, 3, 4), 2: (1, 4), 1: (1,)}  # cylinders that fire
CREEP = 1.0  # rad/s, below which friction fades out
BLEND = 2.0  # rad/s, over which the starter weakens
CYCLE = 4 * math.pi
# crank angle at which each cylinder begins its first expansion; its piston is up there
FIRES = {number: math.pi * place for place, number in enumerate(ORDER)}


def build(
    *,
    firing: int = 4,
    ignition: float | None = None,
    start: float = math.pi / 2,
    flywheel: float = 0.08,
    lean: float = 0.7,
    gravity: float = 9.81,
) -> lw.Model:
    """The engine at rest with its crankshaft at `start` (rad, zero where pistons 1 and 4 are up).

    `firing` is the number of cylinders in which gas works: 4, 2 (numbers 1 and 4), 1, or 0; `ignition` the pressure at
    ignition in atmospheres, that of idling when not given. `flywheel` is the moment of inertia of the crankshaft (kg
    m2), `lean` of the cylinders forward from the vertical (rad), `gravity` in m/s2. Joints: "main bearing" (whose
    position counts turns), "big end 1", "small end 1" and "bore 1" (turn and distance) to 4.

    >>> model = lw.gallery.engine.build(firing=2)
    >>> len(model.bodies), len(model.joints)
    (9, 13)
    """
    if firing not in (0, *WORKING):
        raise ModelError(f"engine: {firing!r} cylinders cannot fire; give firing=4, 2, 1 or 0")
    # in the engine's axes it is gravity that leans
    model = lw.Model("engine", gravity=(0, gravity * math.sin(lean), -gravity * math.cos(lean)))
    crankshaft = model.body(
        "crankshaft",
        mass=9.0,
        inertia=(flywheel, 0.16 + flywheel / 2, 0.16 + flywheel / 2),
        shape=lw.Box((4.3 * SPACING, 0.016, STROKE + 0.016)),  # the throws lie in one plane
        rotation=_turn(start),
    )
    bearing = model.revolute(
        "main bearing", model.ground, crankshaft, frame_a=lw.Frame.along(X), frame_b=lw.Frame.along(X), position=start
    )
    for number in range(1, CYLINDERS + 1):
        x = (number - (CYLINDERS + 1) / 2) * SPACING
        up = math.cos(FIRES[number])  # the crank's throw at angle zero: 1 up, -1 down
        angle = start - FIRES[number]
        tilt = math.asin(CRANK / ROD * math.sin(angle))
        height = CRANK * math.cos(angle) + ROD * math.cos(tilt)
        rod = model.body(
            f"rod {number}",
            mass=0.35,
            inertia=(4.5e-4, 4.2e-4, 6e-5),
            com=(0, 0, 0.032),
            shape=lw.Box((0.018, 0.024, ROD + 0.02), pose=lw.Frame((0, 0, ROD / 2))),
            position=(x, -CRANK * math.sin(angle), CRANK * math.cos(angle)),
            rotation=_turn(-tilt),
        )
        piston = model.body(
            f"piston {number}",
            mass=0.25,
            shape=lw.Cylinder(BORE / 2, 0.044, pose=lw.Frame((0, 0, 0.004))),
            position=(x, 0, height),
        )
        big, end = lw.Frame.along(X, (x, 0, CRANK * up)), lw.Frame.along(X, (0, 0, ROD))
        model.revolute(f"big end {number}", crankshaft, rod, frame_a=big, frame_b=lw.Frame.along(X))
        model.cylindrical(f"small end {number}", rod, piston, frame_a=end, frame_b=lw.Frame.along(X))
        model.cylindrical(f"bore {number}", model.ground, piston, frame_a=lw.Frame((x, 0, 0)), frame_b=lw.Frame())
    _draw(model)
    pressure = ignition if ignition is not None else idling(firing)
    model.torque("starter", bearing, cranking(float(start)))
    model.torque("friction", bearing, drag())
    if firing:
        model.torque("gas", bearing, gas(firing, float(pressure), float(start)))
    return model


def _draw(model: lw.Model) -> None:
    """A crankshaft with its flywheel, rods with two eyes, pistons with grooves for their rings."""
    looks, journal = lw.looks, 0.016
    places = [(number - (CYLINDERS + 1) / 2) * SPACING for number in range(1, CYLINDERS + 1)]
    throws = [(x, 0.0 if math.cos(FIRES[k]) > 0.0 else math.pi) for k, x in enumerate(places, 1)]
    end = places[-1] + 0.075
    axes = lw.Frame.axes((0, 0, 1), (0, -1, 0))  # along x, with throws in z
    shaft = looks.crankshaft(throws, CRANK, journal=journal, web=0.012, ends=(-end, end), pose=axes)
    model.visual("shaft", "crankshaft", shaft, colour=looks.STEEL)
    wheel = looks.flywheel(0.062, 0.018, pose=lw.Frame.along(X, (end, 0, 0)))
    model.visual("flywheel", "crankshaft", wheel, colour=looks.BLUE)
    for number in range(1, CYLINDERS + 1):
        eyes = [
            looks.turned([(a, -w), (b, -w), (b, w), (a, w)], pose=lw.Frame.along(X, (0, 0, z)))
            for a, b, w, z in ((0.92 * journal, 1.5 * journal, 0.010, 0.0), (0.006, 0.012, 0.009, ROD))
        ]
        beam = looks.rounded_box((0.010, 0.018, ROD - 0.030), 0.003, pose=lw.Frame((0, 0, ROD / 2 + 0.003)))
        model.visual(f"forging {number}", f"rod {number}", looks.joined(*eyes, beam), colour=looks.BRASS)
        r, low, high = BORE / 2, -0.018, 0.026
        profile = [(0.0, high - 0.008), (0.9 * r, high - 0.008), (0.9 * r, low), (r, low)]
        for z in (0.006, 0.012, 0.018):
            profile += [(r, z - 0.001), (0.94 * r, z - 0.001), (0.94 * r, z + 0.001), (r, z + 0.001)]
        crown = looks.turned([*profile, (r, high), (0.0, high)])
        model.visual(f"crown {number}", f"piston {number}", crown, colour=looks.ALUMINIUM)


def volume(angle: float) -> float:
    """Volume of a combustion chamber (m3) at a crank `angle` (rad) after its piston was up.

    >>> lw.gallery.engine.volume(np.pi) / lw.gallery.engine.volume(0.0)
    11.8...
    """
    height = CRANK * math.cos(angle) + math.sqrt(ROD**2 - (CRANK * math.sin(angle)) ** 2)
    return V_MIN + AREA * (CRANK + ROD - height)


def opening(angle: float) -> float:
    """The rate of `volume` with the crank angle, m3/rad.

    >>> lw.gallery.engine.opening(0.0)
    0.0
    """
    s, c = CRANK * math.sin(angle), CRANK * math.cos(angle)
    return AREA * (s + s * c / math.sqrt(ROD**2 - s**2))


def pressure(angle: float, space: float, ignition: float) -> float:
    """Absolute pressure (Pa) of the gas in a chamber of volume `space` (m3), (55).

    `angle` (rad) counts from the start of the expansion over the two turns of a cycle, `ignition` in atmospheres.

    >>> lw.gallery.engine.pressure(0.0, lw.gallery.engine.V_MIN, 50.0) / 101325.0
    50.0
    """
    stroke = angle % CYCLE
    if stroke < math.pi:
        return ignition * ATMOSPHERE * math.pow(space / V_MIN, -HEATS)
    if stroke < 3 * math.pi:  # exhaust and intake
        return ATMOSPHERE
    return ATMOSPHERE * math.pow(space / V_MAX, -HEATS)


def starter(_t: float, position: float, velocity: float) -> float:
    """Torque of the starter (N m) after it has turned the crankshaft by `position` (rad), (53).

    >>> lw.gallery.engine.starter(0.0, 1.0, 0.0), lw.gallery.engine.starter(0.0, 1.0, 50.0)
    (22.0, 11.0...)
    """
    if position > 2 * math.pi * STARTER_TURNS:
        return 0.0
    return STARTER_FAST + (STARTER - STARTER_FAST) * 0.5 * (1.0 - math.tanh((velocity - FAST) / BLEND))


def friction(_t: float, _position: float, velocity: float) -> float:
    """Torque of friction (N m) against the motion, (56)-(57).

    >>> round(lw.gallery.engine.friction(0.0, 0.0, 104.7), 2)
    -9.29
    """
    thousands = abs(velocity) * 30 / math.pi / 1000  # of revolutions per minute
    mean = 1e5 * (0.97 + 0.15 * thousands + 0.05 * thousands**2)
    return -DISPLACEMENT * mean / CYCLE * math.tanh(velocity / CREEP)


def idling(firing: int) -> float:
    """Pressure at ignition, in atmospheres, at which `firing` cylinders hold the idling speed of Table 1.

    Work of the gas over a cycle = work of friction at that speed.

    >>> [round(lw.gallery.engine.idling(n), 1) for n in (4, 2, 1)]
    [39.7, 47.7, 63.8]
    """
    if firing == 0:
        return 1.0
    lost = -friction(0.0, 0.0, sum(IDLE) / 2) * CYCLE / firing
    compression = ATMOSPHERE * V_MAX * (math.pow(RATIO, HEATS - 1) - 1) / (HEATS - 1)
    return (lost + compression) / (ATMOSPHERE * V_MIN * (1 - math.pow(RATIO, 1 - HEATS)) / (HEATS - 1))


def speed(run: lw.Trajectory) -> NDArray[Any]:
    """Speed of the crankshaft over the run, in revolutions per minute as in figure 3.

    >>> run = lw.simulate(lw.gallery.engine.build(), until=0.1, dt=2e-3, method="absolute", integrator="rk2")
    >>> bool(lw.gallery.engine.speed(run)[-1] > 0)
    True
    """
    return run["main bearing.velocity"] * 30 / math.pi


Torque = Callable[[float, float, float], float]


@lw.law_factory
def cranking(start: float) -> Torque:
    """Torque of the starter on the crankshaft, whose turn counts from `start` (rad), compiled.

    >>> lw.gallery.engine.cranking(0.5)(0.0, 1.5, 0.0) == lw.gallery.engine.starter(0.0, 1.0, 0.0)
    True
    """
    turn = lw.compiled(starter)

    @lw.compiled
    def law(t: float, position: float, velocity: float) -> float:
        return turn(t, position - start, velocity)

    return law


@lw.law_factory
def drag() -> Torque:
    """Torque of friction on the crankshaft, compiled.

    >>> lw.gallery.engine.drag() is lw.gallery.engine.drag()
    True
    """
    return lw.compiled(friction)


@lw.law_factory
def gas(firing: int, ignition: float, start: float) -> Torque:
    """Torque of the gas in the cylinders that fire, on the crankshaft that begins at `start` (rad), compiled.

    >>> lw.gallery.engine.gas(4, 40.0, 0.0)(0.0, 0.1, 0.0)
    0.0
    """
    fires = tuple(FIRES[number] for number in WORKING.get(firing, (1,)))
    # the first compression after a whole intake, which begins a turn after the expansion
    begins = tuple(f + 3 * math.pi + CYCLE * math.ceil((start - f) / CYCLE - 0.5) for f in fires)
    space, slope, content = lw.compiled(volume), lw.compiled(opening), lw.compiled(pressure)

    @lw.compiled
    def law(_t: float, position: float, _velocity: float) -> float:
        torque = 0.0
        for k in range(len(fires)):
            if position > begins[k]:
                angle = position - fires[k]
                torque += (content(angle, space(angle), ignition) - ATMOSPHERE) * slope(angle)
        return torque

    return law


def _turn(angle: float) -> tuple[float, float, float, float]:
    """The quaternion of a turn about x."""
    return math.cos(angle / 2), math.sin(angle / 2), 0.0, 0.0

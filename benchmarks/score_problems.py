"""Published problems: what is printed, how we measure it, and by which methods.

A problem is a name, its source, the methods with their options and tolerances, and a function that measures. A
tolerance fits the order and the step of the method, or the digits that are printed. `AT_MOST` marks numbers that are
errors, of which ours must not be larger; where a source does not print its data, so that no digits can be compared, a
note says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.gallery import (
    andrews,
    car,
    chain,
    double_four_bar,
    engine,
    iltis,
    iltis_suspension,
    manipulator,
    n_four_bar,
    peaucellier,
    pendulum,
    puma,
)
from linkwork.simulation.methods import ALL

ANY = tuple(name for name, kind in ALL.items() if "rk4" in kind.orders)  # explicit, of order 4 here
AT_MOST = -1.0  # in the place of a tolerance
NOTES = {
    "double four-bar, Table 1 (global)": "the paper prints neither its penalty nor its iterations: the pattern is "
    "there, not the digits",
    "Iltis suspension, Table 2": "the paper prints neither the start nor the road nor where energies are counted from",
    "scenes, Table 1": "the paper prints no sizes, masses or friction of its scenes",
}  # problems whose digits cannot be the same, and why

Numbers = list[tuple[str, float, float]]  # quantity, published, ours
Problem = tuple[str, str, dict[str, tuple[dict[str, Any], float]], Callable[[dict[str, Any]], Numbers]]


def pendulum_after_ten(options: dict[str, Any]) -> Numbers:
    run = lw.simulate(pendulum.build(), until=10.0, **options)
    x, _, y = run["bob.position"][-1]
    return [("x of the bob at 10 s, m", -0.2750874626, x), ("y at 10 s, m", -0.9614192051, y)]


def four_bars(n: int, wanted: tuple[float, ...]) -> Callable[[dict[str, Any]], Numbers]:
    def measure(options: dict[str, Any]) -> Numbers:
        run = lw.simulate(n_four_bar.build(n=n), until=10.0, record="coupler 1.*", **options)
        found = n_four_bar.tip(run)[-1]
        return [
            (f"{what} of B0 at 10 s", w, f) for what, w, f in zip(("x", "y", "vx", "vy"), wanted, found, strict=True)
        ]

    return measure


def squeezer(options: dict[str, Any]) -> Numbers:
    run = lw.simulate(andrews.build(), until=0.03, record="*.position", **options)
    beta, theta = andrews.angles(run)[-1, :2]
    return [("beta at 0.03 s, rad", 15.81077119629904, beta), ("Theta at 0.03 s, rad", -15.75637105984298, theta)]


def table_1(options: dict[str, Any]) -> Numbers:
    found = []
    for dt, printed in ((0.01, -0.01), (0.05, -0.34), (0.1, -1.34)):
        run = lw.simulate(double_four_bar.build(), until=10.0, **{**options, "dt": dt})
        change = run.energy["total"] - run.energy["total"][0]
        found.append((f"energy error at dt {dt:g} s, J", printed, round(float(change[np.argmax(np.abs(change))]), 2)))
    return found


def iltis_forces(options: dict[str, Any]) -> Numbers:
    start = lw.simulate(iltis.build(manoeuvre="bump"), until=1e-3, **options)
    wanted = {"leaf.force": -2728.9, "shock.force": -128.0, "tyre.load": 3829.6}
    found = [(f"front {name}, N", value, float(start[f"front left {name}"][0])) for name, value in wanted.items()]
    return [*found, ("rear tyre.load, N", 3593.6, float(start["rear left tyre.load"][0]))]


def top(options: dict[str, Any]) -> Numbers:
    model = lw.Model("heavy top")
    body = model.body("top", mass=15.0, inertia=(0.234375, 0.46875, 0.234375), com=(0, 1, 0))
    model.ball("tip", model.ground, body, at=(0, 0, 0), velocity=(0, 150, -4.61538))
    found = lw.simulate(model, until=0.2, **options)["top.rotation"][-1]
    found = found if found[1] > 0 else -found
    printed = (-0.70828, 0.43878, 0.54573, 0.0894)
    return [(f"e{k} at 0.2 s", w, f) for k, (w, f) in enumerate(zip(printed, found, strict=True))]


@lru_cache
def at_rest(manoeuvre: str) -> lw.Equilibrium:
    return lw.equilibrium(iltis.build(manoeuvre=manoeuvre, road=lw.FlatRoad()))


def iltis_bump(options: dict[str, Any]) -> Numbers:
    """Motion within 0.2 % of its range: 0.286 mm in z, 0.488 mrad in pitch; scaled so that one tolerance fits."""
    run = lw.simulate(iltis.build(manoeuvre="bump"), until=2.5, start=at_rest("bump"), **options)
    found: Numbers = []
    for t, z, pitch in ((0.5, 0.6780459, -0.1092014), (1.0, 0.653619, 0.1312549), (2.5, 0.5628287, 0.003081072)):
        row = int(np.argmin(np.abs(run.time - t)))
        R = lw.Frame(rotation=run["chassis.rotation"][row]).matrix
        found.append((f"height of the chassis at {t:g} s, m", z, float(run["chassis.position"][row, 2])))
        found.append((f"pitch at {t:g} s, rad", pitch, math.atan2(R[0, 2], R[2, 2])))
    return found


def iltis_steer(options: dict[str, Any]) -> Numbers:
    run = lw.simulate(iltis.build(manoeuvre="steer"), until=5.0, start=at_rest("steer"), **options)
    R = lw.Frame(rotation=run["chassis.rotation"][-1]).matrix
    x, y, _ = run["chassis.position"][-1]
    yaw = math.atan2(R[1, 0], R[1, 1])
    return [("x at 5 s, m", 49.2909, x), ("y at 5 s, m", -6.75406, y), ("yaw at 5 s, rad", -0.290895, yaw)]


def suspension(options: dict[str, Any]) -> Numbers:
    """Lost gravitational less dissipated energy; only how it changes with the step can be compared."""
    lost = []
    for dt in (0.001, 0.01):
        energy = lw.simulate(iltis_suspension.build(), until=7.0, **{**options, "dt": dt}).energy
        lost.append(float(energy["potential"][0] - energy["potential"][-1] - energy["dissipated"][-1]))
    return [("change of the lost energy from dt 1 to 10 ms, J", -0.75, lost[1] - lost[0])]


def global_table_1(options: dict[str, Any]) -> Numbers:
    found = []
    for dt, printed in ((0.01, -0.21), (0.05, -9.03)):
        run = lw.simulate(double_four_bar.build(), until=10.0, **{**options, "dt": dt})
        change = run.energy["total"] - run.energy["total"][0]
        found.append((f"energy error at dt {dt:g} s, J", printed, float(change[np.argmax(np.abs(change))])))
    return found


def puma_back(options: dict[str, Any]) -> Numbers:
    tables = {"hybrid": {0.01: 0.34, 0.05: 1.8}, "semi-recursive": {0.01: 0.26, 0.05: 1.5, 0.1: 3.2}}
    printed = tables[options["method"]]
    runs = {dt: lw.simulate(puma.build(), until=8.0, **{**options, "dt": dt}) for dt in printed}
    return [(f"hand from where it began at dt {dt:g} s, mm", printed[dt], puma.error(run)) for dt, run in runs.items()]


def puma_masses(options: dict[str, Any]) -> Numbers:
    found = np.diag(lw.mass_matrix(lw.assemble(puma.build()), [0, math.pi / 4, math.pi, 0, math.pi / 4, 0]))
    printed = (3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941)
    return [(f"M{k}{k} at qn, kg m2", w, f) for k, (w, f) in enumerate(zip(printed, found, strict=True), 1)]


def straight_line(options: dict[str, Any]) -> Numbers:
    x = peaucellier.pen(lw.simulate(peaucellier.build(), until=5.0, **options))[:, 0]
    worst = float(x[np.argmax(np.abs(x - peaucellier.line()))])
    return [("x of the pen where it is worst, m", peaucellier.line(), worst)]


def idle(options: dict[str, Any]) -> Numbers:
    run = lw.simulate(engine.build(), until=20.0, record="main bearing.*", **options)
    turns = run["main bearing.position"] / (4 * math.pi)
    last = turns > turns[-1] - 8
    return [("idling speed, rpm (1000 to 1100)", 1050.0, float(60 * 2 * np.ptp(turns[last]) / np.ptp(run.time[last])))]


@lru_cache
def exact_car() -> Any:
    return lw.simulate(car.build(), until=1.5, method="recursive", dt=2.5e-4, every=400)["car body.position"]


def two_programs_car(options: dict[str, Any]) -> Numbers:
    run = lw.simulate(car.build(), until=1.5, every=round(0.1 / options["dt"]), **options)
    return [("from another program, m", 1.4e-8, float(np.abs(run["car body.position"] - exact_car()).max()))]


def two_integrators(options: dict[str, Any]) -> Numbers:
    columns = [f"link {k}.motor.shaft.acceleration" for k in (1, 2, 3)]
    runs = [
        lw.simulate(manipulator.build(), until=2.0, integrator=name, every=100, record=columns, **options)
        for name in ("abm4", "rk4")
    ]
    apart = max(float(np.abs(runs[0][name] - runs[1][name]).max()) for name in columns)
    return [("accelerations by two programs, rad/s2", 1.4e-8, apart)]


def _rough(friction: float, restitution: float = 0.0) -> lw.Material:
    return lw.Material(friction=friction, restitution=restitution)


def rolling(options: dict[str, Any]) -> Numbers:
    angle, found = math.radians(15), []
    normal = np.array([math.sin(angle), 0.0, math.cos(angle)])
    wheel = lw.Cylinder(0.05, 0.1, pose=lw.Frame.along((0, 1, 0)))
    for what, shape, wanted in (("ball", lw.Sphere(0.05), 1.813586), ("wheel", wheel, 1.692681)):
        model = lw.Model("ramp")
        model.plane("ramp", normal=normal, material=_rough(1.0))
        model.body("body", shape=shape, mass=0.1, position=0.05 * normal, material=_rough(1.0))
        run = lw.simulate(model, until=1.0, **options)
        found.append((f"{what}: speed after 1 s, m/s", wanted, float(np.linalg.norm(run["body.velocity"][-1]))))
    return found


def head_on(options: dict[str, Any]) -> Numbers:
    found: Numbers = []
    for e in (0.0, 0.5, 1.0):
        model = lw.Model("heads", gravity=(0, 0, 0))
        for name, side in (("a", -1.0), ("b", 1.0)):
            ball = {"shape": lw.Sphere(0.1), "mass": 1.0, "material": _rough(0.0, e), "position": (0.3 * side, 0, 0)}
            model.free(f"throw {name}", "ground", model.body(name, **ball), velocity=(-side, 0, 0, 0, 0, 0))
        run = lw.simulate(model, until=0.4, **options)
        apart = float(run["b.velocity"][-1, 0] - run["a.velocity"][-1, 0])
        found.append((f"e = {e:g}: speed apart, m/s", 2.0 * e, apart))
    return found


def slope(options: dict[str, Any]) -> Numbers:
    angle = math.radians(20)
    normal = np.array([math.sin(angle), 0.0, math.cos(angle)])
    turn, along = (math.cos(angle / 2), 0, math.sin(angle / 2), 0), np.array((math.cos(angle), 0, -math.sin(angle)))
    found: Numbers = []
    for part in (0.9, 1.1):
        mu = part * math.tan(angle)
        model = lw.Model("slope")
        model.plane("slope", normal=normal, material=_rough(mu))
        box = lw.Box((0.4, 0.3, 0.1))
        model.body("body", shape=box, mass=0.1, position=0.05 * normal, rotation=turn, material=_rough(mu))
        run = lw.simulate(model, until=1.0, **options)
        wanted = max(0.0, 9.81 * (math.sin(angle) - mu * math.cos(angle)))
        found.append((f"mu = {part:g} tan 20: speed after 1 s, m/s", wanted, float(run["body.velocity"][-1] @ along)))
    return found


def mat(options: dict[str, Any]) -> Numbers:
    model = lw.Model("mat")
    model.plane("mat", material=lw.Material(softness=lw.Soft(stiffness=1e4, damping=200.0)))
    model.body("ball", shape=lw.Sphere(0.1), mass=2.0, position=(0, 0, 0.1), material=_rough(0.5))
    run = lw.simulate(model, until=1.0, **options)
    return [("depth m g / k, m", 2.0 * 9.81 / 1e4, 0.1 - float(run["ball.position"][-1, 2]))]


def sweeps(options: dict[str, Any]) -> Numbers:
    """Sweeps over the rows a step until impulses change by less than 1e-6."""
    printed = {"maximal": (100.0, 2300.0), "impulse": (6.0, 40.0)}[options["method"]]
    models = {"chain": chain.build(damping=0.0, friction=0.2), "peaucellier": peaucellier.build(drive="motor")}
    runs = [(name, lw.simulate(model, until=2.0, **options)) for name, model in models.items()]
    return [
        (f"{name}: sweeps a step", w, run.certificate.sweeps_per_step)
        for w, (name, run) in zip(printed, runs, strict=True)
    ]


def soft_spring(options: dict[str, Any]) -> Numbers:
    """Implicit Euler by hand: v+ = (v - h k x / m) / (1 + h c / m + h^2 k / m), x+ = x + h v+."""
    m, k, c, h, x, v = 2.0, 1e4, 10.0, options["dt"], 0.1, 0.0
    model = lw.Model("spring", gravity=(0, 0, 0))
    body = model.body("body", mass=m, inertia=(1, 1, 1))
    slide = model.prismatic("slide", model.ground, body, axis=(1, 0, 0), position=x)
    model.motor("hold", slide, position=0.0, softness=lw.Soft(stiffness=k, damping=c))
    run = lw.simulate(model, until=10 * h, **options)
    for _ in range(10):
        v = (v - h * k * x / m) / (1 + h * c / m + h * h * k / m)
        x += h * v
    return [("x after ten steps, m", x, float(run["slide.position"][-1]))]


def sliding(options: dict[str, Any]) -> Numbers:
    model = lw.Model("block")
    rough = lw.Material(friction=0.5)
    model.plane("floor", material=rough)
    block = model.body("block", shape=lw.Box((0.4, 0.3, 0.2)), mass=2.0, material=rough, position=(0, 0, 0.1))
    model.free("throw", "ground", block, velocity=(5, 0, 0, 0, 0, 0))
    run = lw.simulate(model, until=1.3, **options)
    return [("way to rest from 5 m/s, m", 2.548420, float(run["block.position"][-1, 0]))]


def explicit(dt: float, tolerance: float) -> dict[str, tuple[dict[str, Any], float]]:
    return {name: ({"method": name, "integrator": "rk4", "dt": dt}, tolerance) for name in ANY}


def implicit(dt: float, tolerance: float, *which: str, **more: Any) -> dict[str, tuple[dict[str, Any], float]]:
    return {name: ({"method": name, "dt": dt, **more}, tolerance) for name in which}


TWO = (0.328458112, 0.944518538, 1.423051470, -0.494868845)
FORTY = (0.180512227, 0.983572741, 1.148441277, -0.210770067)
PROBLEMS: list[Problem] = [
    (
        "pendulum",
        "IFToMM A01",
        explicit(1e-3, 1e-9) | implicit(1e-3, 2e-4, "hybrid", "semi-recursive", "global"),
        pendulum_after_ten,
    ),
    (
        "double four-bar",
        "IFToMM A02, N = 2",
        explicit(1e-3, 2e-8) | implicit(1e-3, 5e-6, "hybrid") | implicit(1e-3, 2e-4, "semi-recursive", "global"),
        four_bars(2, TWO),
    ),
    (
        "40 four-bars",
        "IFToMM A02, N = 40",
        {"recursive": explicit(1e-2, 1e-6)["recursive"]} | implicit(2.5e-3, 2e-5, "hybrid", penalty=1e11),
        four_bars(40, FORTY),
    ),
    (
        "Andrews' squeezer",
        "IFToMM A03, IVP test set",
        explicit(1e-5, 5e-9) | implicit(1e-5, 5e-4, "hybrid", "semi-recursive"),
        squeezer,
    ),
    ("double four-bar, Table 1", "CD03, column Hybrid", implicit(0.01, 0.0, "hybrid"), table_1),
    ("heavy top", "printed Euler parameters", explicit(1e-4, 5.1e-6), top),
    ("Iltis, design position", "IAVSD benchmark", implicit(1e-3, 0.1001, "hybrid"), iltis_forces),
    ("double four-bar, Table 1 (global)", "CD03, column Global", implicit(0.01, 0.0, "global"), global_table_1),
    ("Iltis suspension, Table 2", "CD03, column Hybrid", implicit(0.01, 0.0, "hybrid"), suspension),
    ("PUMA, Table 3", "CD03, at most", implicit(0.01, AT_MOST, "hybrid", "semi-recursive"), puma_back),
    ("PUMA 560, mass matrix", "Robotics Toolbox", {"numbers": ({}, 5.1e-5)}, puma_masses),
    ("car", "V06 chapter 7, at most", explicit(5e-4, AT_MOST), two_programs_car),
    (
        "manipulator",
        "V06 chapter 8, at most",
        {"recursive": ({"method": "recursive", "dt": 1e-4}, AT_MOST)},
        two_integrators,
    ),
    ("engine", "VK Table 1", {"absolute": ({"method": "absolute", "integrator": "rk4", "dt": 1e-3}, 50.0)}, idle),
    ("Peaucellier's line", "(A^2 - C^2) / 2 B", explicit(2e-3, 1e-11), straight_line),
    (
        "Iltis over a bump",
        "IAVSD benchmark by Robotran",
        {"recursive": explicit(1e-3, 4.9e-4)["recursive"]} | implicit(1e-2, 4.9e-4, "hybrid"),
        iltis_bump,
    ),
    (
        "Iltis, ramp steer",
        "IAVSD benchmark by Robotran",
        {"recursive": explicit(2.5e-4, 0.029)["recursive"]} | implicit(1e-2, 0.029, "hybrid"),
        iltis_steer,
    ),
    (
        "scenes, Table 1",
        "MST17, SIMMC and SIMGC",
        implicit(0.01, 0.0, "maximal", "impulse", solver="sequential", epsilon=1e-5, iterations=10_000),
        sweeps,
    ),
    ("sliding block", "v^2 / 2 mu g", implicit(5e-3, 0.0255, "impulse", "maximal"), sliding),
    ("rolling down 15 degrees", "5/7, 2/3 of g sin a", implicit(5e-3, 1e-5, "impulse", "maximal"), rolling),
    ("balls head on", "Newton's restitution", implicit(5e-3, 1e-9, "impulse", "maximal"), head_on),
    ("block on a slope", "Coulomb", implicit(5e-3, 1e-5, "impulse", "maximal"), slope),
    ("soft mat", "m g / k", implicit(5e-3, 1e-12, "impulse", "maximal"), mat),
    ("stiff spring", "STT17, implicit Euler", implicit(5e-3, 1e-12, "impulse", "maximal"), soft_spring),
]

"""Tyres and curves inside kernels: the Calspan formulas against their limits, roads against their words.

Kernels run in plain Python here; every simulation runs them compiled.
"""

from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np
import pytest

import linkwork as lw
from linkwork.mechanics.forces.curves import curve_at, curve_integral
from linkwork.mechanics.forces.roads import road_at
from linkwork.mechanics.forces.tyres import contact, contact_slopes, side_force

CALSPAN = lw.Calspan()


def sides(side, load, slip, camber, out):
    for k in range(load.size):
        out[k, 0], out[k, 1] = side_force(side, 0, load[k], slip[k], camber[k])


def heights(forces, laws, t, told, out, x, y, found):
    for k in range(x.size):
        last = forces.tyre_road[1]
        found[k, 0], found[k, 1], found[k, 2], found[k, 3] = road_at(forces, laws, 0, last, x[k], y[k], t, told, out)


def curved(forces, x, found):
    for k in range(x.size):
        found[k, 0], found[k, 1] = curve_at(forces, 0, x[k])
        found[k, 2] = curve_integral(forces, 0, x[k])


def touch(forces, laws, place, told, out, found):
    p = (place[0], place[1], place[2])
    a = (place[3], place[4], place[5])
    w = (place[6], place[7], place[8])
    u = (place[9], place[10], place[11])
    c, f, n, load, wasted, fed = contact(forces, laws, 0, p, a, w, u, 0.0, told, out)
    for j in range(3):
        found[j] = c[j]
        found[3 + j] = f[j]
        found[6 + j] = n[j]
    found[9] = load
    found[10] = wasted
    found[11] = fed


def give(forces, laws, place, told, out, found):
    p = (place[0], place[1], place[2])
    a = (place[3], place[4], place[5])
    u = (place[9], place[10], place[11])
    c, ng, K, C, ey, C_side = contact_slopes(forces, laws, 0, p, a, u, 0.0, told, out)
    for j in range(3):
        found[j] = c[j]
        found[3 + j] = ng[j]
        found[6 + j] = ey[j]
    found[9] = K
    found[10] = C
    found[11] = C_side


def side(load, slip=0.0, camber=0.0, law: lw.Calspan = CALSPAN) -> tuple[np.ndarray, np.ndarray]:
    load, slip, camber = np.broadcast_arrays(*(np.asarray(v, dtype=float) for v in (load, slip, camber)))
    flat = [np.ascontiguousarray(v.ravel()) for v in (load, slip, camber)]
    out = np.zeros((load.size, 2))
    sides(np.array([astuple(law)], dtype=float), *flat, out)
    return out[:, 0].reshape(load.shape), out[:, 1].reshape(load.shape)


def friction(load):
    return (CALSPAN.b1 * load + CALSPAN.b3 + CALSPAN.b4 * load**2) * CALSPAN.skid


def test_side_force_is_odd_and_saturates() -> None:
    load, slip = np.meshgrid([200.0, 3829.6, 12930.0, 20000.0], np.linspace(-1.5, 1.5, 61))
    F, M = side(load, slip)
    F_back, M_back = side(load, -slip)
    assert pytest.approx(-F_back) == F
    assert pytest.approx(-M_back) == M
    assert np.all(F * slip <= 0)  # against the slip
    assert np.all(np.abs(F) <= friction(load) * (1 + 1e-12) * load)
    assert side(load[0], 20.0)[0] == pytest.approx(-friction(load[0]) * load[0])  # sliding
    assert np.all(np.diff(F, axis=0) <= 1e-9)


def test_stiffness_against_the_published_one() -> None:
    """Linearised at the loads of the equilibrium: cornering stiffness 41641 and 40162 N/rad, camber stiffness 6925 and
    6600 N/rad, trail 0.06553 and 0.06142 m (ovankerm/IAVSD_ILTIS, user_ExtForces.c, front and rear)."""
    h = 1e-7
    load = np.array([3831.31, 3591.91])
    by_slip, torque = side(load, h)
    by_camber, _ = side(load, 0.0, h)
    assert -by_slip / h == pytest.approx([41641, 40162], rel=2e-4)
    assert -by_camber / h == pytest.approx([6925, 6600], rel=1e-3)
    assert torque / by_slip == pytest.approx([-0.06553, -0.06142], rel=2e-3)


def test_limits_of_load() -> None:
    assert side([0.0, -5.0], 0.1, 0.1)[0].tolist() == [0.0, 0.0]
    tiny, _ = side(1e-9, 0.1)
    assert abs(tiny) < 2e-9
    at = CALSPAN.a2  # where the formulas change hands
    low, high = side(at * (1 - 1e-9), 0.02, 0.01), side(at * (1 + 1e-9), 0.02, 0.01)
    assert low[0] == pytest.approx(high[0], rel=1e-7)
    assert low[1] == pytest.approx(high[1], rel=1e-7)
    # the shape itself has no corner where sliding begins
    slip = np.linspace(0, 0.6, 2001)
    F, _ = side(3829.6, slip)
    assert np.max(np.abs(np.diff(F, 2))) < 3 * 41641 * (0.6 / 2000) ** 2 * 41641 / 4000


# --- roads and curves -------------------------------------------------------------------------------------------------


def wheel(road: lw.Road, **options) -> lw.System:
    model = lw.Model("wheel")
    model.body("wheel", mass=20.0, inertia=(1, 2, 1))
    model.tyre("tyre", "wheel", **({"radius": 0.3, "stiffness": 1e5, "road": road} | options))
    return lw.assemble(model)


@lw.compiled
def hills(t, x, y):
    return 0.1 * math.sin(x) + 0.2 * math.cos(2 * y) + 0.3 * t * t


@lw.compiled
def sloped(t, x, y):
    return 0.1 * math.sin(x) * y, 0.1 * math.cos(x) * y, 0.1 * math.sin(x)


ROADS = {
    "level": lw.FlatRoad(0.3),
    "shaken": lw.FlatRoad(lw.Cosine(0.1, frequency=0.3)),
    "falling": lw.FlatRoad(([0.5, 0.9], [0.1, -0.1])),
    "sum": lw.CosineBump(0.2, at=1, length=2) + lw.Kerb(0.1, at=-1, edge=0.7) + lw.Ramp(-1, at=0.2, length=3),
    "stairs": lw.Stairs(0.1, at=-1, tread=0.7, steps=4, edge=0.6),
    "profile": lw.Profile([-1.5, 0.1, 0.7, 2], [0, 0.2, -0.1, 0]),
    "spline": lw.Profile([-1.5, 0.1, 0.7, 2], [0, 0.2, -0.1, 0], "cubic"),
    "hills": lw.Surface(hills),
    "with slopes": lw.Surface(sloped),
    "by Python": lw.Surface(lambda t, x, y: 0.2 * x * y),
}


@pytest.mark.parametrize("name", ROADS)
def test_roads_and_their_slopes(name: str) -> None:
    """The compiled road is the one of the words, and its slopes are the differences of its heights."""
    road, system = ROADS[name], wheel(ROADS[name])
    x = np.linspace(-2.03, 3.01, 57)
    y = np.linspace(-1.0, 1.0, 57)
    t, h = 0.7, 1e-5
    found = np.zeros((57, 4))
    heights(system.tables.forces, system.tables.laws, t, np.zeros(16), np.zeros(4), x, y, found)
    assert found[:, 0] == pytest.approx([road(a, b, t) for a, b in zip(x, y, strict=True)], abs=1e-14)
    slopes = [
        [(road(a + h, b, t) - road(a - h, b, t)) / (2 * h) for a, b in zip(x, y, strict=True)],
        [(road(a, b + h, t) - road(a, b - h, t)) / (2 * h) for a, b in zip(x, y, strict=True)],
        [(road(a, b, t + h) - road(a, b, t - h)) / (2 * h) for a, b in zip(x, y, strict=True)],
    ]
    # where an edge begins its curvature, at most 2 / m, jumps
    assert pytest.approx(np.array(slopes), abs=2 * h) == found[:, 1:].T


def test_curves_with_slopes_and_integrals() -> None:
    curve = lw.Curve([-0.2, 0.21], [[-4.0, 18.0], [0.0, 9.9, 33.0, -59.0, -395.0], [19.0, 16.0]])
    model = lw.Model("spring")
    model.body("bob", mass=1.0, inertia=0.0)
    model.spring("spring", "ground", "bob", stiffness=curve)
    forces = lw.assemble(model).tables.forces
    x = np.linspace(-0.5, 0.6, 400)
    found = np.zeros((400, 3))
    curved(forces, x, found)
    assert found[:, 0] == pytest.approx(curve(x), abs=1e-13)
    assert found[:, 1] == pytest.approx(curve(x, derivative=1), abs=1e-12)
    fine = np.linspace(-0.5, 0.6, 200_001)
    values = curve(fine)
    area = np.concatenate([[0.0], np.cumsum((values[1:] + values[:-1]) / 2 * np.diff(fine))])
    assert found[:, 2] - found[0, 2] == pytest.approx(np.interp(x, fine, area), abs=1e-4)


# --- the contact ------------------------------------------------------------------------------------------------------


def touched(system: lw.System, p=(0, 0, 0.3), a=(0, 1, 0), w=(0, 0, 0), u=(0, 0, 0)) -> dict[str, np.ndarray]:
    found = np.zeros(12)
    tables = system.tables
    touch(tables.forces, tables.laws, np.array([*p, *a, *w, *u], dtype=float), np.zeros(16), np.zeros(4), found)
    return {"at": found[:3], "force": found[3:6], "torque": found[6:9], "load": found[9], "powers": found[10:]}


def test_it_pushes_and_never_pulls() -> None:
    system = wheel(lw.FlatRoad(), damping=1e3)
    assert touched(system, p=(0, 0, 0.31))["load"] == 0.0  # lifted
    assert touched(system, p=(0, 0, 0.31), u=(0, 0, -50))["load"] == 0.0
    assert touched(system, p=(0, 0, 0.29))["load"] == pytest.approx(1000.0)
    assert touched(system, p=(0, 0, 0.29), u=(0, 0, -0.5))["load"] == pytest.approx(1500.0)
    assert touched(system, p=(0, 0, 0.29), u=(0, 0, 3.0))["load"] == 0.0  # the damper would hold it down
    found = touched(system, p=(3, -1, 0.29), u=(7, 0, 0))
    assert found["at"] == pytest.approx([3, -1, 0])
    assert found["force"] == pytest.approx([0, 0, 1000])
    assert found["powers"] == pytest.approx([0, 0], abs=1e-12)


def test_a_slope_pushes_along_its_normal() -> None:
    slope = 0.3
    system = wheel(lw.Ramp(3.0, at=-5, length=10))
    found = touched(system, p=(0, 0, 1.5 + 0.29))
    cosine = 1 / math.hypot(1, slope)
    assert found["force"] == pytest.approx(1000 * cosine * cosine * np.array([-slope, 0, 1]))
    assert found["at"] == pytest.approx(np.array([0, 0, 1.79]) - 0.29 * cosine * cosine * np.array([-slope, 0, 1]))


@pytest.mark.parametrize("yaw", [0.0, 0.7, 2.5, -1.8])
def test_slip_and_camber_in_any_direction(yaw: float) -> None:
    """The side force is that of the formulas, across the wheel, wherever it rolls to; a leaning wheel pushes sideways.

    The contact lies under the centre in the plane of the wheel.
    """
    system = wheel(lw.FlatRoad(), side=CALSPAN)
    turn = np.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]])
    slip, camber = 0.03, 0.05
    found = touched(
        system,
        p=(0, 0, 0.26),
        a=turn @ (0, math.cos(camber), math.sin(camber)),
        u=turn @ (10 * math.cos(slip), 10 * math.sin(slip), 0),
    )
    F, M = side(4000.0, slip, camber)
    assert F < 0
    assert found["load"] == pytest.approx(4000)
    assert turn.T @ found["force"] == pytest.approx([0, float(F), 4000])
    assert found["torque"] == pytest.approx([0, 0, float(M)])
    assert turn.T @ found["at"] == pytest.approx([0, 0.26 * math.tan(camber), 0], abs=1e-15)
    assert found["powers"][0] == pytest.approx(-float(F) * 10 * math.sin(slip))


def test_a_wheel_that_stands_or_rolls_back() -> None:
    system = wheel(lw.FlatRoad(), side=CALSPAN)
    lean = (0, math.cos(0.05), math.sin(0.05))
    assert touched(system, p=(0, 0, 0.26), a=lean)["force"] == pytest.approx([0, 0, 4000])
    ahead = touched(system, p=(0, 0, 0.26), u=(10, 0.2, 0))
    back = touched(system, p=(0, 0, 0.26), u=(-10, 0.2, 0))
    assert back["force"] == pytest.approx(ahead["force"])
    assert back["torque"] == pytest.approx(-ahead["torque"])
    slow = touched(system, p=(0, 0, 0.26), u=(0, 1e-6, 0))
    assert -1 < slow["force"][1] < 0  # no jump at rest


@pytest.mark.parametrize("slip", [0.0, 0.02, 0.1])
def test_slopes_against_differences(slip: float) -> None:
    """On a plane, upright: the force gives way along the normal and sideways as it does by differences."""
    road = lw.Surface(lambda t, x, y: (0.2 * x - 0.1 * y, 0.2, -0.1))
    system = wheel(road, side=CALSPAN, damping=300.0)
    place = np.zeros(12)
    place[:3], place[3:6] = (1.0, 2.0, 0.26), (0.05, 1.0, 0.1) / np.linalg.norm((0.05, 1.0, 0.1))
    place[9:] = 8 * np.cos(slip), 8 * np.sin(slip), 0.3
    tables, found = system.tables, np.zeros(12)
    give(tables.forces, tables.laws, place, np.zeros(16), np.zeros(4), found)
    normal, across, (K, C, C_side) = found[3:6], found[6:9], found[9:]

    def force(change: np.ndarray) -> np.ndarray:
        p, a, w, u = (place + change).reshape(4, 3)
        return touched(system, p, a, w, u)["force"]

    h = 1e-6
    for j in range(3):
        shift, push = np.zeros(12), np.zeros(12)
        shift[j] = push[9 + j] = h
        by_shift, by_speed = ((force(d) - force(-d)) / (2 * h) for d in (shift, push))
        assert normal @ by_shift == pytest.approx(-K * normal[j], rel=1e-6, abs=1e-2)
        assert normal @ by_speed == pytest.approx(-C * normal[j], rel=1e-6, abs=1e-4)
    sideways = np.zeros(12)
    sideways[9:] = h * across
    assert across @ (force(sideways) - force(-sideways)) / (2 * h) == pytest.approx(-C_side, rel=1e-4)
    assert C_side > 0
    place[2] = 5.0
    give(tables.forces, tables.laws, place, np.zeros(16), np.zeros(4), found)
    assert found[9:].tolist() == [0, 0, 0]

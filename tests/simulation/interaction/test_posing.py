"""Moving a mechanism by its coordinates: loops stay closed, gears mounted, limits kept."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.interaction.posing import Posing


def four_bar(**options):
    """Crank 1, coupler 3, rocker 2 m long, the feet 3 m apart; the crank points upwards."""
    model = lw.Model("four bar")
    far = np.array([3.0, 0.0, 0.0])
    tip = np.array([0.0, 0.0, 1.0])
    # the other end of the coupler: 3 m from the tip, 2 m from the far foot
    d, reach = far - tip, float(np.linalg.norm(far - tip))
    along = (9.0 - 4.0 + reach**2) / (2 * reach)
    up = np.array([d[2], 0.0, -d[0]]) / reach
    end = tip + along * d / reach - math.sqrt(9.0 - along**2) * up
    crank = model.link("crank", (0, 0, 0), tip, mass=1.0)
    coupler = model.link("coupler", tip, end, mass=1.0)
    rocker = model.link("rocker", end, far, mass=1.0)
    model.revolute("drive", "ground", crank, at=(0, 0, 0), axis=(0, 1, 0))
    model.revolute("knee", crank, coupler, at=tip, axis=(0, 1, 0))
    model.revolute("elbow", coupler, rocker, at=end, axis=(0, 1, 0))
    model.revolute("foot", rocker, "ground", at=far, axis=(0, 1, 0), **options)
    return model


def gap(posing):
    """Between the end of the coupler and that of the rocker, m."""
    frames = {name: lw.Frame(x, e) for name, (x, e) in posing.frames().items()}
    return np.linalg.norm(frames["coupler"].point((0, 0, 1.5)) - frames["rocker"].point((0, 0, -1.0)))


def test_loops_stay_closed_and_all_joints_can_be_set():
    for joint in ("drive", "knee", "elbow", "foot"):
        posing = Posing(lw.assemble(four_bar()))
        assert [each.joint for each in posing.coordinates] == ["drive", "knee", "elbow", "foot"]
        value = posing.value(joint, 0) + 0.2
        assert posing.move(joint, 0, value) == ""
        assert posing.value(joint, 0) == pytest.approx(value, abs=1e-10)
        assert gap(posing) < 1e-10


def test_it_stops_where_loops_would_open():
    posing = Posing(lw.assemble(four_bar()))
    said = posing.move("foot", 0, posing.value("foot", 0) + 3.0)  # a rocker does not turn so far
    assert "'foot' gets no farther than" in said
    assert "the loops would open" in said
    assert gap(posing) < 1e-10
    reached = posing.value("foot", 0)
    assert posing.move("foot", 0, reached - 0.3) == ""


def test_it_stops_at_the_limits_of_others():
    posing = Posing(lw.assemble(four_bar(limits=(-0.1, 0.1))))
    said = posing.move("drive", 0, 1.5)
    assert "'foot' is at its limit" in said
    assert abs(posing.value("foot", 0)) < 0.1 + 2e-3
    assert posing.value("drive", 0) > 0.05


def test_gears_stay_as_they_are_mounted():
    model = lw.Model("pair")
    for name, x, start in (("small", 0.0, 0.3), ("large", 1.0, -0.7)):
        wheel = model.body(f"{name} wheel", mass=1.0, shape=lw.Cylinder(0.3, 0.1), position=(x, 0, 0))
        model.revolute(name, "ground", wheel, at=(x, 0, 0), axis=(0, 0, 1), position=start)
    model.gear("mesh", "small", "large", ratio=2.0)
    posing = Posing(lw.assemble(model))
    assert posing.move("small", 0, 1.3) == ""
    turned = posing.value("large", 0) + 0.7
    assert abs(turned) == pytest.approx(2.0, abs=1e-10)
    assert posing.move("large", 0, -0.7) == ""
    assert posing.value("small", 0) == pytest.approx(0.3, abs=1e-9)


def test_joints_of_several_coordinates_and_those_without():
    model = lw.Model("crane")
    hook = model.body("hook", mass=1.0, inertia=(1, 1, 1))
    load = model.body("load", mass=1.0, inertia=(1, 1, 1), position=(0, 0, -1))
    model.cylindrical("mast", "ground", hook, at=(0, 0, 0), axis=(0, 0, 1), limits=((-1.0, 1.0), (0.0, 2.0)))
    model.ball("eye", hook, load, at=(0, 0, -0.5))
    posing = Posing(lw.assemble(model))
    assert [(each.label, each.unit, each.low, each.high) for each in posing.coordinates] == [
        ("mast", "rad", -1.0, 1.0),
        ("mast (2)", "m", 0.0, 2.0),
    ]
    assert posing.move("mast", 1, 1.5) == ""
    assert posing.value("mast", 0) == 0.0
    assert posing.frames()["load"][0] == pytest.approx((0, 0, 0.5))
    assert posing.positions()["mast"] == pytest.approx((0.0, 1.5))

"""Tyres, roads, curves, gyroscopes and distances as words: what they keep and what they refuse."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.model import Body, Model


def test_tyre(model: Model, rod: Body) -> None:
    road = lw.Kerb(0.1, at=2.0)
    tyre = model.tyre("tyre", "rod", radius=0.3, stiffness=2e5, at=(0, 0.1, 0), axis=(0, 2, 0), road=road)
    assert (tyre.body, tyre.radius, tyre.stiffness, tyre.damping) == (rod, 0.3, 2e5, 0.0)
    assert (tyre.at.tolist(), tyre.axis.tolist(), tyre.road, tyre.side) == ([0, 0.1, 0], [0, 1, 0], road, None)
    assert model.tyre("other", rod, radius=0.3, stiffness=1.0).road == lw.FlatRoad()
    assert model.tyre("third", rod, radius=0.3, stiffness=1.0, side=lw.Calspan(skid=1)).side.skid == 1.0


TYRES = [
    ({"radius": 0, "stiffness": 1}, ("radius is 0", "positive")),
    ({"radius": 1, "stiffness": -1}, ("stiffness is -1", "positive")),
    ({"radius": 1, "stiffness": 1, "damping": -1}, ("damping is -1",)),
    ({"radius": 1, "stiffness": 1, "axis": (0, 0, 0)}, ("axis is zero",)),
    ({"radius": 1, "stiffness": 1, "road": 0.1}, ("its road is 0.1", "lw.FlatRoad()")),
    ({"radius": 1, "stiffness": 1, "side": "calspan"}, ("its side law is 'calspan'", "lw.Calspan()")),
    ({"radius": 1, "stiffness": 1, "rod": 1}, ("unknown option rod=",)),
]


@pytest.mark.parametrize(("options", "words"), TYRES)
def test_refused_tyres(model: Model, rod: Body, refused, options, words) -> None:
    with refused("tyre 'tyre'", *words):
        model.tyre("tyre", rod, **options)


def test_refused_on_the_ground(model: Model, refused) -> None:
    with refused("tyre 'tyre'", "ground", "give a body"):
        model.tyre("tyre", "ground", radius=1, stiffness=1)
    with refused("gyroscope 'spin'", "ground", "give a body"):
        model.gyroscope("spin", "ground", axis=(0, 0, 1), momentum=1)


def test_gyroscope(model: Model, rod: Body, refused) -> None:
    spin = model.gyroscope("spin", rod, axis=(0, 3, 0), momentum=-2)
    assert (spin.body, spin.axis.tolist(), spin.momentum) == (rod, [0, 1, 0], -2)
    with refused("gyroscope 'top'", "momentum", "finite"):
        model.gyroscope("top", rod, axis=(0, 0, 1), momentum=math.inf)


def test_distance(model: Model, rod: Body, refused) -> None:
    tie = model.distance("tie", "ground", rod, at_a=(1, 0, 0), at_b=(0, 0, -1))
    assert (tie.kind, tie.nq, tie.nv, tie.cut, tie.length) == ("distance", 0, 0, True, None)
    assert repr(tie) == "<distance 'tie': ground to rod>"
    with refused("distance joint 'rope'", "length is 0", "positive"):
        model.distance("rope", "ground", rod, length=0)
    with refused("distance joint 'rope'", "itself"):
        model.distance("rope", rod, rod)
    with refused("distance joint 'rope'", "at_b", "metres"):
        model.distance("rope", "ground", rod, at_b=(1, 2))
    with refused("distance joint 'rope'", "unknown option at="):
        model.distance("rope", "ground", rod, at=(0, 0, 0))


def test_springs_by_curves_and_laws(model: Model, rod: Body, refused) -> None:
    curve = lw.Curve.through([0, 1], [0, 5])
    spring = model.spring("coil", "ground", rod, stiffness=curve, damping=curve, axis=(0, 0, -2), length=-0.1)
    assert (spring.stiffness, spring.damping, spring.length) == (curve, curve, -0.1)
    assert spring.axis.tolist() == [0, 0, -1]
    assert model.spring("jack", "ground", rod, law=3.0).law == lw.Constant(3.0)
    with refused("spring 'bad'", "5 parameters", "(t, position, velocity)"):
        model.spring("bad", "ground", rod, law=lambda t, x, r, v, w: 1.0)
    with refused("spring 'bad'", "three components", "one number"):
        model.spring("bad", "ground", rod, law=(1, 2, 3))


# --- roads ------------------------------------------------------------------------------------------------------------

ROADS = {
    lw.FlatRoad(0.3): ([-5, 0, 7], [0.3, 0.3, 0.3]),
    lw.CosineBump(0.2, at=1, length=4): ([0, 1, 2, 3, 4, 5, 6], [0, 0, 0.1, 0.2, 0.1, 0, 0]),
    lw.Kerb(-0.1, at=2, edge=0.5): ([0, 2, 2.25, 2.5, 9], [0, 0, -0.05, -0.1, -0.1]),
    lw.Ramp(1.0, at=1, length=4): ([0, 1, 2, 5, 6], [0, 0, 0.25, 1, 1]),
    lw.Stairs(0.2, at=0, tread=1, steps=3, edge=0.5): ([-1, 0.25, 0.9, 1.6, 2.7, 9], [0, 0.1, 0.2, 0.4, 0.6, 0.6]),
    lw.Profile([1, 2, 4], [0.1, 0.3, -0.1]): ([0, 1, 1.5, 2, 3, 4, 5], [0.1, 0.1, 0.2, 0.3, 0.1, -0.1, -0.1]),
    lw.Surface(lambda t, x, y: 0.1 * x): ([0, 2], [0, 0.2]),
}


@pytest.mark.parametrize("road", ROADS, ids=lambda road: type(road).__name__)
def test_heights(road) -> None:
    x, z = ROADS[road]
    assert [road(each) for each in x] == pytest.approx(z, abs=1e-15)
    assert (road + lw.FlatRoad(1.0))(x[0]) == pytest.approx(1.0 + z[0])


def test_roads_add_up_and_compare() -> None:
    both = lw.Ramp(1.0, at=0, length=2) + lw.Kerb(0.1, at=5) + lw.Stairs(0.1, at=8, tread=1, steps=2)
    assert both(10.0) == pytest.approx(1.3)
    assert len(both.pieces()) == 4
    assert both == lw.Ramp(1.0, at=0, length=2) + lw.Kerb(0.1, at=5) + lw.Stairs(0.1, at=8, tread=1, steps=2)
    assert both != lw.Ramp(1.0, at=0, length=2)
    with pytest.raises(TypeError):
        both + 1.0


def test_a_road_over_time() -> None:
    road = lw.FlatRoad(lw.Cosine(0.1, frequency=1.0))
    assert road(0, time=0.5) == pytest.approx(-0.1)
    assert lw.Surface(lambda t, x, y: t + y)(0, 2.0, 3.0) == 5.0


def test_a_cubic_profile_is_smooth() -> None:
    x = np.linspace(1000, 1010, 11)
    road = lw.Profile(x, np.sin(x), "cubic")
    between = np.linspace(1002, 1008, 50)
    assert [road(each) for each in between] == pytest.approx(np.sin(between), abs=1e-2)
    assert road(900) == np.sin(1000.0)


def test_refused_roads(refused) -> None:
    with refused("CosineBump", "length is 0"):
        lw.CosineBump(0.1, at=0, length=0)
    with refused("Kerb", "height", "metres"):
        lw.Kerb("high", at=0)
    with refused("Stairs", "steps is 0", "whole number"):
        lw.Stairs(0.1, at=0, tread=1, steps=0)
    with refused("Stairs", "edge 2 m", "shorter edge="):
        lw.Stairs(0.1, at=0, tread=1, steps=1, edge=2)
    with refused("Surface", "1 parameters", "function of"):
        lw.Surface(lambda x: x)
    with refused("Surface", "no function", "(t, x, y)"):
        lw.Surface(0.1)
    with refused("Curve.through", "rising"):
        lw.Profile([0, 0], [1, 2])


# --- curves -----------------------------------------------------------------------------------------------------------


def test_curve_through_points() -> None:
    line = lw.Curve.through([0, 1, 3], [1, 2, 0])
    assert line([-1, 0, 0.5, 1, 2, 3, 4]) == pytest.approx([0, 1, 1.5, 2, 1, 0, -1])
    assert line([0.5, 2], derivative=1) == pytest.approx([1, -1])
    x = np.linspace(50, 53, 13)
    spline = lw.Curve.through(x, np.sin(x), "cubic")
    inside = np.linspace(50.5, 52.5, 40)
    assert spline(inside) == pytest.approx(np.sin(inside), abs=2e-4)
    assert spline(49.0) == pytest.approx(np.sin(50) - float(spline(50.0, derivative=1)))
    assert lw.Curve.through([0, 1], [0, 2], "cubic")([-1, 0.5, 3]) == pytest.approx([-2, 1, 6])


def test_curves_compare() -> None:
    assert lw.Curve([], [[1, 2]]) == lw.Curve([], [[1, 2, 0]])
    assert lw.Curve([], [[1, 2]]) != lw.Curve([], [[1, 3]])
    assert len({lw.Curve([0], [[1], [2]]), lw.Curve([0], [[1], [2]])}) == 1


def test_refused_curves(refused) -> None:
    with refused("Curve", "2 pieces, got 1"):
        lw.Curve([0], [[1]])
    with refused("Curve", "rise"):
        lw.Curve([1, 0], [[1], [2], [3]])
    with refused("Curve", "1 to 6 coefficients"):
        lw.Curve([], [[1, 2, 3, 4, 5, 6, 7]])
    with refused("Curve.through", "unknown kind 'quintic'"):
        lw.Curve.through([0, 1], [0, 1], "quintic")

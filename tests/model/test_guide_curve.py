"""Guide curves: lengths, points, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ellipe

import linkwork as lw

W = np.linspace(0, 2 * math.pi, 40, endpoint=False)


@pytest.mark.parametrize("flat", [0.5, 0.1, 0.01])
def test_the_length_of_an_ellipse(flat: float) -> None:
    assert lw.GuideCurve.ellipse((1, 0, 0), (0, 0, flat)).length == pytest.approx(4 * ellipe(1 - flat**2), rel=1e-13)


def test_the_length_of_a_parabola() -> None:
    """By a spline through its points: the error falls with the fourth power."""
    exact = math.sqrt(5) + math.asinh(2) / 2
    off = []
    for n in (20, 40, 80):
        x = np.linspace(-1, 1, n + 1)
        off.append(abs(lw.GuideCurve(np.column_stack([x, x**2])).length - exact))
    assert off[-1] < 1e-7
    assert off[0] / off[1] > 12
    assert off[1] / off[2] > 12


def test_points_and_positions_are_inverse() -> None:
    knot = [
        ((2 + math.cos(3 * w)) * math.cos(2 * w), (2 + math.cos(3 * w)) * math.sin(2 * w), math.sin(3 * w)) for w in W
    ]
    curve = lw.GuideCurve(knot, closed=True)
    for s in np.linspace(0, 0.99 * curve.length, 17):
        assert curve.nearest(curve.point(float(s))) == pytest.approx(s, abs=1e-11)
        ahead = (curve.point(float(s) + 1e-5) - curve.point(float(s) - 1e-5)) / 2e-5
        assert ahead == pytest.approx(curve.tangent(float(s)), abs=1e-8)
    assert curve.point(curve.length + 0.3) == pytest.approx(curve.point(0.3), abs=1e-12)
    # normals come back to themselves
    normal = curve.pieces.normal
    assert normal[-1, 1] == pytest.approx(normal[0, 0], abs=1e-12)
    assert normal[-1, 3] == pytest.approx(normal[0, 2], abs=1e-12)


def test_normals_of_a_plane_curve_lie_in_its_plane_or_across_it() -> None:
    x = np.linspace(-1, 1, 21)
    normal = lw.GuideCurve(np.column_stack([x, 0 * x, x**2])).pieces.normal
    assert np.abs(normal[:, :2, 1]).max() < 1e-14
    assert np.abs(normal[:, 2:, 1]) == pytest.approx(np.ones((len(normal), 2)), abs=1e-14)


BAD = {
    "one point": (([(0, 0)],), "1 points make no curve; give two or more"),
    "two points closed": (([(0, 0), (1, 0)], True), "give three or more"),
    "no points": (([1.0, 2.0],), "must be a list of points"),
    "double": (([(0, 0), (1, 0), (1, 0), (2, 1)],), r"points 1 and 2 are at one place, \(1, 0, 0\); remove one"),
    "kink": (([(0, 0), (1, 0), (1, 1)],), r"turns by 90 degrees at point 1, \(1, 0, 0\); round that corner"),
    "not said closed": (([(0, 0), (1, 0), (1, 1), (0, 0)],), "its last point is its first one; say closed=True"),
    "ends": (([(0, 0), (1, 0.1), (2, 0)], True), "the ends of the closed curve do not meet smoothly"),
    "crossing": ((np.column_stack([np.cos(W), np.sin(2 * W)]), True), r"crosses or touches itself near \("),
    "closed what": (([(0, 0), (1, 0)], "yes"), "closed must be True or False"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_curves(name: str) -> None:
    given, words = BAD[name]
    with pytest.raises(lw.ModelError, match=words):
        lw.GuideCurve(*given)


def test_bad_circles_ellipses_and_positions() -> None:
    with pytest.raises(lw.ModelError, match="cannot start along its normal"):
        lw.GuideCurve.circle(1.0, normal=(0, 0, 1), start=(0, 0, 1))
    with pytest.raises(lw.ModelError, match="two perpendicular vectors"):
        lw.GuideCurve.ellipse((1, 0, 0), (1, 1, 0))
    with pytest.raises(lw.ModelError, match="less than a turn"):
        lw.GuideCurve.ellipse((1, 0, 0), (0, 1, 0), angles=(0, 7))
    with pytest.raises(lw.ModelError, match="0.6 m is not on the curve, which is 0 to 0.5 m long"):
        lw.GuideCurve.line((0, 0, 0), (0.5, 0, 0)).point(0.6)


def test_bad_slots_and_surfaces() -> None:
    model = lw.Model("bad")
    model.body("bead", mass=1.0, shape=lw.Sphere(0.1))
    rail = lw.GuideCurve.line((0, 0, 0), (0.5, 0, 0))
    with pytest.raises(lw.ModelError, match=r"slot 's': curve must be an lw.GuideCurve"):
        model.slot("s", "ground", "bead", [(0, 0), (1, 1)])
    with pytest.raises(lw.ModelError, match=r"slot 's': it starts at 0.7 m, but its curve is 0 to 0.5 m long"):
        model.slot("s", "ground", "bead", rail, position=0.7)
    with pytest.raises(lw.ModelError, match="armature"):
        model.slot("s", "ground", "bead", rail, armature=1.0)
    with pytest.raises(lw.ModelError, match=r"surface must be an lw.GuideSurface"):
        model.surface("s", "ground", "bead", rail)


def test_bad_heights() -> None:
    x = np.linspace(0, 1, 5)
    with pytest.raises(lw.ModelError, match="four rising numbers"):
        lw.GuideSurface.heights(x[::-1], x, np.zeros((5, 5)))
    with pytest.raises(lw.ModelError, match="5 rows of 5 heights"):
        lw.GuideSurface.heights(x, x, np.zeros((5, 4)))
    with pytest.raises(lw.ModelError, match="only GuideSurface.heights"):
        lw.GuideSurface.sphere(1.0).height(0, 0)

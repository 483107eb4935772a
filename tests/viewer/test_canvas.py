"""The renderer: what hides what, and how large it is."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.viewer.camera import VIEWS
from linkwork.viewer.canvas import Canvas
from linkwork.viewer.solids import solid


def test_nearer_things_hide_farther_ones():
    canvas = Canvas(VIEWS["front"], np.zeros(3), 10.0, 40, 40, fine=1)
    canvas.put(solid(lw.Box((1, 1, 1))).moved(lw.Frame((0, -2, 0))), (1, 0, 0), 1)  # before
    canvas.put(solid(lw.Box((2, 1, 2))).moved(lw.Frame((0, 2, 0))), (0, 0, 1), 2)  # behind
    assert canvas.owner[20, 20] == 1
    assert canvas.owner[20, 12] == 2
    assert canvas.owner[2, 2] == -1
    assert canvas.image().shape == (40, 40, 4)


@pytest.mark.parametrize(
    ("shape", "area"), [(lw.Sphere(0.5), np.pi / 4), (lw.Capsule(0.5, 1.0), np.pi / 4 + 1.0), (lw.Box((1, 9, 2)), 2.0)]
)
def test_area_of_the_outline(shape, area):
    canvas = Canvas(VIEWS["front"], np.zeros(3), 100.0, 400, 400, fine=1)
    canvas.put(solid(shape), (1, 0, 0), 0)
    assert np.count_nonzero(canvas.owner == 0) / 100.0**2 == pytest.approx(area, rel=0.01)
    shadow = Canvas(VIEWS["top"], np.zeros(3), 10.0, 100, 100, fine=1)
    shadow.put(solid(shape).pressed(-1.0), (0, 0, 0), 0, lit=False)
    assert np.count_nonzero(shadow.owner == 0) > 0

"""Shapes as triangles and balls."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.viewer.solids import rod, solid


@pytest.mark.parametrize(
    "shape",
    [lw.Box((1, 2, 3)), lw.Cylinder(0.4, 2.0), lw.Cylinder(0.4, 2.0, inner_radius=0.3)],
)
def test_triangles_have_the_volume_of_the_shape(shape):
    found = solid(shape).corners
    # unsigned volumes of tetrahedra from the centre; a tube's inner wall is taken off
    volumes = np.abs(np.einsum("ni,ni->n", found[:, 0], np.cross(found[:, 1], found[:, 2]))) / 6
    inside = getattr(shape, "inner_radius", 0.0) or 0.0
    if inside:
        wall = np.hypot(found[..., 0], found[..., 1]).max(axis=1) < inside + 1e-9
        volumes = np.where(wall, -volumes, volumes)
    assert volumes.sum() == pytest.approx(shape.volume, rel=5e-3)


def test_rod_of_no_length_is_a_ball():
    assert rod(np.zeros(3), np.zeros(3), 0.1).balls.tolist() == [[0.0, 0.0, 0.0, 0.1]]

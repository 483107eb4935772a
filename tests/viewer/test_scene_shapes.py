"""Shapes of scenes: strips of road."""

import pytest

import linkwork as lw
from linkwork.simulation.results.scene.scene import road_strips
from linkwork.viewer.scene_shapes import road_grid


def test_strips_follow_their_road():
    model = lw.Model("two tyres")
    wheel = model.body("wheel", mass=1.0, inertia=(1, 1, 1))
    for k, road in enumerate((lw.Kerb(0.1, at=0.5), lw.Kerb(0.1, at=0.5), lw.FlatRoad(-0.2))):
        model.tyre(f"tyre {k}", wheel, radius=0.3, stiffness=1.0, road=road, at=(0, k, 0))
    tracks = {"wheel.position": [(x, 0, 0.3) for x in (0.0, 2.0)], "wheel.rotation": [(1, 0, 0, 0)] * 2}
    found = [road_grid(road) for road in road_strips(model, 0.0, tracks, beside=0.25)]
    assert len(found) == 2
    line = found[0][1]
    assert line[[0, -1], 2] == pytest.approx([0, 0.1])
    assert line[[0, -1], 0] == pytest.approx([-0.9, 2.9])
    assert found[0][..., 1].max() == pytest.approx(1.25)
    assert found[1][1, :, 2] == pytest.approx(-0.2)

"""The wires of slots and the sheets of heights that pictures show."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.results.scene.guide_shapes import THIN, landscape, wire
from linkwork.simulation.results.scene.scene import scene_of

ANGLES = np.linspace(0, 5, 30)
CURVES = {
    "line": lw.GuideCurve.line((0, 0, 0), (1, 2, 3)),
    "circle": lw.GuideCurve.circle(0.5),
    "spline": lw.GuideCurve(np.column_stack([np.cos(ANGLES), np.sin(ANGLES), 0.2 * ANGLES])),
}


@pytest.mark.parametrize("name", CURVES)
def test_a_wire_is_a_thin_tube_along_the_curve(name: str) -> None:
    curve = CURVES[name]
    corners = wire(curve).reshape(-1, 3)
    extent = float(np.linalg.norm(np.ptp(corners, axis=0)))
    some = np.unique(corners, axis=0)[::11]
    away = [np.linalg.norm(x - curve.point(curve.nearest(x))) for x in some]
    assert 0.5 * THIN * extent < min(away)
    assert max(away) < 1.1 * THIN * extent


def test_a_sheet_lies_on_its_surface() -> None:
    x = np.linspace(-1, 1, 7)
    field = lw.GuideSurface.heights(x, 2 * x, np.sin(x)[:, None] * np.cos(x))
    for a, b, z in landscape(field).reshape(-1, 3)[::97]:
        assert z == pytest.approx(field.height(a, b), abs=1e-12)


def test_scenes_show_guides_where_their_bodies_are() -> None:
    model = lw.Model("arm")
    arm = model.body("arm", mass=1.0, inertia=(1, 1, 1), com=(0.5, 0, 0))
    model.revolute("pin", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0))
    pin = model.body("bead", mass=1.0, shape=lw.Sphere(0.1), position=(1.2, 0, 0))
    rail = lw.GuideCurve.line((0, 0, 0), (1, 0, 0))
    model.slot("slot", arm, pin, rail, frame_a=lw.Frame((1, 0, 0)), at_b=(0.1, 0, 0))
    model.surface("floor", "ground", pin, lw.GuideSurface.plane((0, 1, 0)))
    scene = scene_of(model)
    shapes, bead = scene["bodies"]
    assert [facts["kind"] for facts in shapes["more"]] == ["mesh"]
    assert shapes["more"][0]["position"] == [1, 0, 0]
    assert [1.0, 0.0, 0.0] in [pytest.approx(hold) for hold in shapes["holds"]]  # the end of the slot near the arm
    assert [0.1, 0.0, 0.0] in bead["holds"]
    assert not scene["fixtures"]

"""Steep triangles of a height field: sides of solids against a cliff."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from found_contacts import SLOPE, Found
from known_shapes import SHAPES
from linkwork.model.frame import Frame

STEEP = math.radians(75)


def cliff() -> lw.HeightField:
    """Ground at z = 0; between x = 0 and x = 0.25 it rises by 75 degrees."""
    x = np.linspace(-2, 2, 17)
    rise = 0.25 * math.tan(STEEP)
    return lw.HeightField(np.repeat(np.clip(x / 0.25, 0, 1)[:, None] * rise, 9, axis=1), size=(4.0, 2.0))


# lowest point well above the ground, beside the middle of the slope
OUT = np.array([-math.sin(STEEP), 0, math.cos(STEEP)])  # normal, out of the terrain
MIDDLE = np.array([0.125, 0.06, 0.125 * math.tan(STEEP)])


@pytest.mark.parametrize("name", ["box", "cylinder", "hull", "sphere", "capsule"])
def test_a_solid_beside_a_cliff_touches_it_along_its_normal(name: str) -> None:
    """Small solids, so that only the slope is near: the deepest contact is as deep as along the slope's normal."""
    small = {
        "box": lw.Box((0.12, 0.1, 0.08)),
        "cylinder": lw.Cylinder(0.05, 0.12),
        "hull": lw.Hull(np.array(SHAPES["hull"].points) * 0.2),
        "sphere": lw.Sphere(0.05),
        "capsule": lw.Capsule(0.03, 0.08),
    }[name]
    found = Found([small], field=cliff())
    rng = np.random.default_rng(1)
    from found_contacts import reach

    for _ in range(12):
        turned = Frame((0, 0, 0), rng.normal(size=4))
        far = float(reach(small, turned, -OUT[None])[0])
        contacts = found.at(Frame(MIDDLE + (far - 2e-3) * OUT, turned.rotation))
        assert contacts
        _, normal, depth, _ = max(contacts, key=lambda contact: contact[2])
        assert depth == pytest.approx(2e-3, abs=2e-4)
        assert abs(normal @ OUT) > 0.99
        # a little farther away there is none
        assert found.at(Frame(MIDDLE + (far + 2e-3) * OUT, turned.rotation)) == []


def test_a_box_stands_on_the_ground_and_leans_on_nothing() -> None:
    found = Found([lw.Box((0.4, 0.4, 0.4))], field=cliff())
    contacts = found.at(Frame((-1.0, 0, 0.2 - 1e-3)))
    assert all(abs(normal[2]) == pytest.approx(1.0) for _, normal, _, _ in contacts)
    assert max(depth for _, _, depth, _ in contacts) == pytest.approx(1e-3)


def test_what_is_under_the_surface_may_be_nearer_to_a_slope() -> None:
    found = Found([lw.Sphere(0.1)], field=cliff())
    found.at(Frame((0, 0, 9)))
    j = next(k for k in range(2) if found.colliders.grid_shape[k, 0])
    top = 0.25 * math.tan(STEEP)
    deep = np.array([0.3, 0, 0.5])  # behind the cliff, 0.43 m under its top
    near = abs((deep - (0.25, 0, top)) @ OUT)
    assert near < top - 0.5
    assert found.ask(SLOPE, deep, j=j, margin=top - 0.5)[0] == 1.0
    assert found.ask(SLOPE, deep, j=j, margin=0.9 * near)[0] == 0.0
    assert found.ask(SLOPE, (1.5, 0, 0.5), j=j, margin=top - 0.5)[0] == 0.0

"""Peaks and ridges of a height field, and what stands on them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from found_contacts import PEAK, RIDGE, UNDERSIDE, Found
from known_shapes import SHAPES
from linkwork.model.frame import Frame


def on(heights: np.ndarray, shape: lw.Box | lw.Cylinder) -> Found:
    return Found([shape], field=lw.HeightField(heights, size=(2.0, 2.0)))


def field_of(found: Found) -> int:
    return next(k for k in range(2) if found.colliders.grid_shape[k, 0])


def test_peaks_and_ridges_of_a_roof() -> None:
    """A roof along y: only its crest falls off on two sides, apart from where the field ends."""
    x = np.linspace(-1, 1, 9)
    found = on(np.repeat((1 - np.abs(x))[:, None], 9, axis=1), lw.Box((0.2, 0.2, 0.2)))
    found.at(Frame((0, 0, 9)))
    j = field_of(found)
    inner = range(1, 8)
    peaks = {(a, b) for a in inner for b in inner if found.ask(PEAK, i=a, j=j, k=b)[0]}
    assert peaks == {(4, b) for b in inner}
    assert found.ask(PEAK, i=0, j=j, k=3)[0] == 1.0


@pytest.mark.parametrize("bump", [0.0, 0.1, -0.1])
def test_ridges_around_one_raised_point(bump: float) -> None:
    """The six edges to a raised point are ridges, of a pit the six around it are; level land has none inside."""
    heights = np.zeros((7, 7))
    heights[3, 3] = bump
    found = on(heights, lw.Box((0.2, 0.2, 0.2)))
    found.at(Frame((0, 0, 9)))
    field = field_of(found)
    ridges = {
        (a, b, k)
        for a in range(1, 6)
        for b in range(1, 6)
        for k in range(3)
        if found.ask(RIDGE, i=field, j=a, k=3 * b + k)[0] and a + (k != 1) < 6 and b + (k != 0) < 6
    }
    to_it = {(3, 3, 0), (2, 3, 0), (3, 3, 1), (3, 2, 1), (3, 3, 2), (2, 2, 2)}
    around = {(2, 2, 0), (3, 4, 0), (2, 2, 1), (4, 3, 1), (2, 3, 2), (3, 2, 2)}
    assert ridges == (to_it if bump > 0 else around if bump < 0 else set())


@pytest.mark.parametrize("shape", [lw.Box((0.8, 0.8, 0.2)), lw.Cylinder(0.4, 0.2)], ids=["box", "cylinder"])
def test_a_spike_touches_the_underside(shape: lw.Box | lw.Cylinder) -> None:
    heights = np.zeros((9, 9))
    heights[4, 4] = 0.5
    found = on(heights, shape)
    contacts = found.at(Frame((0.1, 0.05, 0.5 + 0.1 - 1e-3)))
    assert len(contacts) >= 1
    for point, normal, depth, _ in contacts:
        assert point[2] == pytest.approx(0.5 - depth / 2)
        assert abs(normal[2]) == pytest.approx(1.0)
    point, _, depth, _ = max(contacts, key=lambda contact: contact[2])
    assert depth == pytest.approx(1e-3)
    assert point[:2] == pytest.approx([0, 0], abs=1e-9)


def test_a_box_across_a_crest_touches_at_the_ends_of_what_is_below_it() -> None:
    x = np.linspace(-1, 1, 9)
    found = on(np.repeat((1 - 2 * np.abs(x))[:, None], 9, axis=1), lw.Box((0.6, 0.5, 0.2)))
    turn = 0.2
    contacts = found.at(Frame((0.02, 0.03, 1.1 - 1e-3), (math.cos(turn / 2), 0, 0, math.sin(turn / 2))))
    deep = [c for c in contacts if c[2] > 0.5e-3]
    assert [depth for _, _, depth, _ in deep] == pytest.approx([1e-3] * len(deep))
    assert all(abs(p[0]) < 1e-9 for p, *_ in deep)
    # the crest leaves the turned box where its sides y = -0.25 and 0.25 cross x = 0
    local = sorted((0.25 * s - 0.02 * math.sin(turn)) / math.cos(turn) + 0.03 for s in (-1, 1))
    spread = sorted(p[1] for p, *_ in deep)
    assert (spread[0], spread[-1]) == pytest.approx(tuple(local), abs=2e-3)


@pytest.mark.parametrize("name", ["box", "cylinder", "hull"])
def test_the_underside_faces_down_most(name: str) -> None:
    found = Found([SHAPES[name], lw.Sphere(0.1)])
    rng = np.random.default_rng(0)
    for _ in range(10):
        pose = Frame((0.1, 0.2, 0.3), rng.normal(size=4))
        found.at(pose, Frame((5, 5, 5)))
        face, *rest = found.ask(UNDERSIDE, (0, 0, 1), i=0)[:7]
        out = np.array(rest[:3])
        if name == "cylinder":
            normals = [pose.matrix @ (0, 0, 1), pose.matrix @ (0, 0, -1)]
            assert face == -1
        else:
            normals = list(found.colliders.face_normal[: found.colliders.face_start[1]] @ pose.matrix.T)
        assert out[2] == pytest.approx(min(n[2] for n in normals))

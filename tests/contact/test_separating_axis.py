"""Separating axes of polyhedra: against the facets of their Minkowski difference."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import linkwork as lw
from found_contacts import POLYHEDRA, Found, poses
from known_shapes import SHAPES
from linkwork.contact.polyhedra.box_axis import EDGES, FACE_OF_I, FACE_OF_J, FACE_PREFERENCE, SEPARATED
from linkwork.model.frame import Frame


@pytest.mark.parametrize(("a", "b"), [("box", "box"), ("box", "hull"), ("hull", "hull")])
def test_the_best_axis_is_a_facet_of_the_difference(a: str, b: str) -> None:
    found = Found([SHAPES[a], SHAPES[b]])
    for seed in range(40):
        found.at(*poses(seed, 0.3))
        A, B = found.vertices(0), found.vertices(1)
        region, face, *n, gap = found.ask(POLYHEDRA, i=0, j=1)[:6]
        facets = ConvexHull((B[:, None] - A[None, :]).reshape(-1, 3)).equations
        best = float(facets[:, 3].max())  # of the origin to the facets, positive outside
        if not -0.1 < best < 0.0:  # deeper, edges are tried on one side only; apart, corners may be nearest
            continue
        assert gap <= best + 1e-12
        assert gap == pytest.approx(best, abs=2 * FACE_PREFERENCE * 0.5)
        if region == EDGES:
            assert (B @ n).min() - (A @ n).max() == pytest.approx(gap, abs=1e-12)
        else:
            first = region == FACE_OF_I
            normal = found.contact_scratch.R[0 if first else 1].reshape(3, 3) @ found.colliders.face_normal[int(face)]
            mine, other = (A, B) if first else (B, A)
            assert (other @ normal).min() - (mine @ normal).max() == pytest.approx(gap, abs=1e-12)


def test_regions() -> None:
    cube, plate = lw.Box((1, 1, 1)), lw.Box((4, 4, 1))
    found = Found([plate, cube])
    eighth = math.cos(math.pi / 8), math.sin(math.pi / 8)
    on_edge = Frame((0, 0, 0.5 + math.sqrt(0.5) - 0.01), (eighth[0], eighth[1], 0, 0))
    found.at(Frame(), on_edge)
    assert found.ask(POLYHEDRA, i=0, j=1)[0] == FACE_OF_I  # of the plate
    assert found.ask(POLYHEDRA, i=1, j=0)[0] == FACE_OF_J
    found.at(Frame(), Frame((0, 0, 1.5)))
    assert found.ask(POLYHEDRA, i=0, j=1, margin=0.1)[0] == SEPARATED
    found = Found([cube, cube])
    found.at(
        Frame(rotation=(eighth[0], eighth[1], 0, 0)), Frame((0, 0, math.sqrt(2) - 0.01), (eighth[0], 0, eighth[1], 0))
    )
    region, _, *axis, gap = found.ask(POLYHEDRA, i=0, j=1)[:6]
    assert region == EDGES
    assert gap == pytest.approx(-0.01)
    assert np.array(axis) == pytest.approx([0, 0, 1])

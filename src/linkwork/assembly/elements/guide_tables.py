"""Curves and surfaces that points are held on become tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.assembly.tables import Guides
from linkwork.model import GuideCurve, GuideSurface, Slot, SurfaceJoint
from linkwork.spatial import codes

SURFACES = {
    "plane": codes.PLANE_GUIDE,
    "cylinder": codes.CYLINDER_GUIDE,
    "sphere": codes.SPHERE_GUIDE,
    "heights": codes.HEIGHTS_GUIDE,
}


class GuideTable:
    """Collects the guides of the cuts."""

    def __init__(self) -> None:
        self.curves: list[GuideCurve] = []
        self.surfaces: list[GuideSurface] = []
        self.edges: list[tuple[int, float, float]] = []

    @property
    def last_curve(self) -> int:
        """The number of the curve that was added last."""
        return len(self.curves) - 1

    def add(self, joint: Slot | SurfaceJoint, q: int) -> tuple[int, float]:
        """One guide more, with the coordinates of its joint from place q on: its number, and its size in metres."""
        if isinstance(joint, Slot):
            curve = joint.curve
            self.curves.append(curve)
            if not curve.closed:
                self.edges.append((q, 0.0, curve.length))
            ends = np.vstack([curve.pieces.corner, curve.pieces.corner + curve.pieces.chord])
            return self.last_curve, float(np.linalg.norm(np.ptp(ends, axis=0)))
        surface = joint.surface
        self.surfaces.append(surface)
        if surface.kind == "heights":
            for k, axis in enumerate((surface.x, surface.y)):
                self.edges.append((q + k, float(axis[0]), float(axis[-1])))
        return len(self.surfaces) - 1, surface.size

    def tables(self) -> Guides:
        """The tables."""
        pieces = [curve.pieces for curve in self.curves]
        counts = [piece.span.size for piece in pieces]
        chord = _stacked([piece.chord for piece in pieces], 3)
        blocks = [_blocks(piece.corner, piece.chord) for piece in pieces]
        block_counts = [len(each[0]) for each in blocks]
        fields = [surface for surface in self.surfaces if surface.kind == "heights"]
        grids, cells = self._grids()
        return Guides(
            curve_piece=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            curve_closed=np.array([curve.closed for curve in self.curves], dtype=np.int64),
            curve_length=np.array([curve.length for curve in self.curves], dtype=float),
            curve_block=np.concatenate([[0], np.cumsum(block_counts)]).astype(np.int64),
            block_piece=np.concatenate([[0], np.cumsum(_joined([each[0] for each in blocks]))]).astype(np.int64),
            block_center=_stacked([each[1] for each in blocks], 3),
            block_radius=_joined([each[2] for each in blocks]),
            piece_round=_joined([piece.round for piece in pieces]).astype(np.int64),
            piece_span=_joined([piece.span for piece in pieces]),
            piece_start=_joined([piece.start for piece in pieces]),
            piece_bend=_stacked([piece.bend for piece in pieces], 3),
            piece_normal=_stacked([piece.normal for piece in pieces], 3),
            piece_corner=_stacked([piece.corner for piece in pieces], 3),
            piece_chord=chord,
            piece_shrink=1.0 / np.einsum("ij,ij->i", chord, chord),
            surface_kind=np.array([SURFACES[surface.kind] for surface in self.surfaces], dtype=np.int64),
            surface_center=np.array([surface.center for surface in self.surfaces], dtype=float).reshape(-1, 3),
            surface_axis=np.array([surface.axis for surface in self.surfaces], dtype=float).reshape(-1, 3),
            surface_radius=np.array([surface.radius for surface in self.surfaces], dtype=float),
            surface_grid=np.array(grids, dtype=np.int64).reshape(-1, 3),
            surface_cell=np.array(cells, dtype=np.int64),
            grid=_joined([axis for surface in fields for axis in (surface.x, surface.y)]),
            cell=_stacked([surface.cells for surface in fields], 16),
            edge_q=np.array([edge[0] for edge in self.edges], dtype=np.int64),
            edge_low=np.array([edge[1] for edge in self.edges], dtype=float),
            edge_high=np.array([edge[2] for edge in self.edges], dtype=float),
        )

    def _grids(self) -> tuple[list[tuple[int, int, int]], list[int]]:
        """Places of the grids and first cells of all surfaces; of those without heights nothing."""
        grids, cells, at, cell = [], [], 0, 0
        for surface in self.surfaces:
            sides = (len(surface.x), len(surface.y)) if surface.kind == "heights" else (0, 0)
            grids.append((at, at + sides[0], at + sides[0] + sides[1]))
            cells.append(cell)
            at += sum(sides)
            cell += max(sides[0] - 1, 0) * max(sides[1] - 1, 0)
        return grids, cells


def _blocks(starts: Any, chords: Any) -> tuple[Any, Any, Any]:
    """Pieces in blocks, about as many as each has pieces: how many, and the ball around their chords."""
    size = math.ceil(math.sqrt(len(starts)))
    counts, centers, radii = [], [], []
    for first in range(0, len(starts), size):
        part = slice(first, first + size)
        ends = np.concatenate([starts[part], starts[part] + chords[part]])
        middle = 0.5 * (ends.min(axis=0) + ends.max(axis=0))
        counts.append(len(starts[part]))
        centers.append(middle)
        radii.append(np.linalg.norm(ends - middle, axis=1).max())
    return np.array(counts), np.array(centers), np.array(radii)


def _joined(parts: list[Any]) -> Any:
    return np.concatenate([np.zeros(0), *parts])


def _stacked(parts: list[Any], width: int) -> Any:
    return np.concatenate([np.zeros((0, width)), *(part.reshape(-1, width) for part in parts)])

"""Features of bodies that mate with others: shafts and bores, planes, balls and sockets, in world coordinates."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linkwork.formats.step.cad_data import CONE, CYLINDER, PLANE, SPHERE, TORUS, CadFace
from linkwork.formats.step.cad_model import CadBody
from linkwork.model.checked import Vector

PARALLEL = 1e-4  # rad
SAME = 1e-4  # of a radius: two faces of one cylinder
BINS = 72  # of a turn, for what a cylinder covers


@dataclass(eq=False)
class Round:
    """A shaft, or a bore where it is `hollow`: all faces of a body on one cylinder.

    `spans` are its pieces along the axis, seen from `point` (m); `covered` is how much of a turn it goes round.
    """

    point: Vector
    axis: Vector
    radius: float
    hollow: bool
    spans: list[tuple[float, float]]
    covered: float
    area: float
    faces: list[CadFace]

    def along(self, other: Round) -> list[tuple[float, float]]:
        """Pieces of the axis that both have; the axes are one line."""
        sign = 1.0 if float(self.axis @ other.axis) > 0.0 else -1.0
        shift = float((other.point - self.point) @ self.axis)
        found = []
        for low, high in self.spans:
            for a, b in other.spans:
                start, end = sorted((shift + sign * a, shift + sign * b))
                if min(high, end) > max(low, start):
                    found.append((max(low, start), min(high, end)))
        return found

    @property
    def length(self) -> float:
        """All pieces together, m."""
        return sum(high - low for low, high in self.spans)


@dataclass(eq=False)
class Flat:
    """A plane face: a point, its normal out of the body, its triangles (n, 3, 3) and its area (m2)."""

    point: Vector
    normal: Vector
    triangles: Vector
    area: float
    face: CadFace


@dataclass(eq=False)
class Ball:
    """A ball, or a socket where it is `hollow`."""

    centre: Vector
    radius: float
    hollow: bool
    area: float
    faces: list[CadFace]


@dataclass(eq=False)
class Features:
    """What of a body can mate with others, and the box around it."""

    body: CadBody
    rounds: list[Round] = field(default_factory=list)
    flats: list[Flat] = field(default_factory=list)
    balls: list[Ball] = field(default_factory=list)
    low: Vector = field(default_factory=lambda: np.zeros(3))
    high: Vector = field(default_factory=lambda: np.zeros(3))
    turned: Vector | None = None  # the axis of a body of revolution

    @property
    def size(self) -> float:
        """The diagonal of the box, m."""
        return float(np.linalg.norm(self.high - self.low))

    @property
    def grooves(self) -> list[CadFace]:
        """Hollow tori: the raceways of bearings."""
        return [face for face in self.body.solid.faces if face.kind == TORUS and face.hollow]


def features_of(body: CadBody) -> Features:
    """Find the features of a body."""
    found = Features(body)
    R, p = body.world.matrix, body.world.position
    world = body.solid.triangles @ R.T + p
    if not len(world):
        return found
    found.low, found.high = world.reshape(-1, 3).min(axis=0), world.reshape(-1, 3).max(axis=0)
    for face in body.solid.faces:
        corners = world[face.first : face.last]
        if not len(corners):
            continue
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) / 2
        area = float(np.linalg.norm(normals, axis=1).sum())
        point, axis = R @ face.point + p, R @ face.axis
        if face.kind == PLANE:
            found.flats.append(Flat(corners[0, 0], axis, corners, area, face))
        elif face.kind == SPHERE:
            _add_ball(found, Ball(point, face.radii[0], face.hollow, area, [face]))
        elif face.kind == CYLINDER:
            ways = (corners - point) @ axis
            span = (float(ways.min()), float(ways.max()))
            _add_round(found, Round(point, axis, face.radii[0], face.hollow, [span], 0.0, area, [face]))
    for each in found.rounds:
        each.covered = _covered(each, np.concatenate([world[face.first : face.last] for face in each.faces]))
    found.turned = _axis_of_turning(found, R, p)
    return found


def _add_round(found: Features, new: Round) -> None:
    for old in found.rounds:
        if old.hollow == new.hollow and abs(old.radius - new.radius) < SAME * old.radius and same_line(old, new):
            old.spans += new.along(new) if old.point is new.point else _seen_from(old, new)
            old.area += new.area
            old.faces += new.faces
            return
    found.rounds.append(new)


def _seen_from(old: Round, new: Round) -> list[tuple[float, float]]:
    sign = 1.0 if float(old.axis @ new.axis) > 0.0 else -1.0
    shift = float((new.point - old.point) @ old.axis)
    ends = [sorted((shift + sign * low, shift + sign * high)) for low, high in new.spans]
    return [(low, high) for low, high in ends if (low, high) not in old.spans]


def _add_ball(found: Features, new: Ball) -> None:
    for old in found.balls:
        near = float(np.linalg.norm(old.centre - new.centre)) < SAME * old.radius
        if old.hollow == new.hollow and near and abs(old.radius - new.radius) < SAME * old.radius:
            old.area += new.area
            old.faces += new.faces
            return
    found.balls.append(new)


def same_line(a: Round, b: Round, slack: float = 1e-3) -> bool:
    """Whether two axes are one line, but for `slack` of a radius."""
    if float(np.linalg.norm(np.cross(a.axis, b.axis))) > PARALLEL:
        return False
    away = b.point - a.point
    away = away - float(away @ a.axis) * a.axis
    return float(np.linalg.norm(away)) <= slack * min(a.radius, b.radius)


def _covered(each: Round, corners: Vector) -> float:
    """How much of a turn the triangles go round the axis, from 0 to 1."""
    x = np.linalg.svd(each.axis[None])[2][1]
    y = np.cross(each.axis, x)
    away = corners - each.point
    angles = np.arctan2(away @ y, away @ x)
    spread = (angles - angles[:, :1] + np.pi) % (2 * np.pi) - np.pi
    start = angles[:, 0] + spread.min(axis=1)
    end = angles[:, 0] + spread.max(axis=1)
    bins = np.zeros(BINS, dtype=bool)
    middles = (np.arange(BINS) + 0.5) * 2 * np.pi / BINS
    for low, high in zip(start, end, strict=True):
        bins |= (middles - low) % (2 * np.pi) <= high - low
    return float(bins.mean())


def _axis_of_turning(found: Features, R: Vector, p: Vector) -> Vector | None:
    """The axis of a body all of whose faces are turned about one line."""
    lines = [each for each in found.rounds if each.covered > 0.9]
    if not lines or len(lines) != len(found.rounds) or not all(same_line(lines[0], each) for each in lines):
        return None
    first = lines[0]
    for face in found.body.solid.faces:
        axis, away = R @ face.axis, R @ face.point + p - first.point
        off = float(np.linalg.norm(away - float(away @ first.axis) * first.axis)) > 1e-3 * first.radius
        turned = float(np.linalg.norm(np.cross(axis, first.axis))) < PARALLEL
        if face.kind == CYLINDER:
            continue
        if face.kind not in (PLANE, CONE, TORUS, SPHERE):
            return None
        if (face.kind != SPHERE and not turned) or (face.kind != PLANE and off):
            return None
    return first.axis

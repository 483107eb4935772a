"""Mates: features of two bodies that fit each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.formats.step.features import Ball, Features, Flat, Round, same_line
from linkwork.model.checked import Vector

GAP = 1e-3  # of the size of the smaller body: planes so near to each other touch
CLEARANCE = 0.02  # of a radius: a shaft runs in a bore that is so much larger, or presses into one so much smaller
BOLT_CLEARANCE = 0.16  # the same for fasteners: through holes are wider, tapped ones narrower
HALF_ROUND = 0.4  # of a turn: less is a fillet
SAMPLES = 96  # points of a face that are looked for in the other one
TOUCHING = 0.02  # of the smaller face


@dataclass(eq=False)
class Mate:
    """Features of the bodies numbered a and b that fit: a kind, a point, an axis, and how well they fit (0 to 1).

    Kinds: `round` (a shaft in a bore; the axis is the line), `hinge` (the same, held along the axis too, as bearings
    do), `flat` (planes that touch; the axis is the normal out of a), `ball`. `weight` is the length or area that they
    share, `radius` that of the shaft.
    """

    kind: str
    a: int
    b: int
    point: Vector
    axis: Vector
    fit: float
    weight: float
    told: str
    radius: float = 0.0


def find_mates(features: list[Features], loose: set[int]) -> list[Mate]:
    """The mates of all pairs of bodies; those numbered in `loose` are fasteners, with wider fits."""
    found: list[Mate] = []
    low = np.array([each.low for each in features])
    high = np.array([each.high for each in features])
    sizes = np.array([each.size for each in features])
    for a, one in enumerate(features):
        slack = GAP * np.minimum(one.size, sizes[a + 1 :])[:, None]
        near = ((low[a + 1 :] <= one.high + slack) & (high[a + 1 :] >= one.low - slack)).all(axis=1)
        for b in (a + 1 + np.flatnonzero(near)).tolist():
            found += _pair(a, b, one, features[b], a in loose or b in loose)
    return found


def _pair(a: int, b: int, one: Features, two: Features, loose: bool) -> list[Mate]:
    gap = GAP * min(one.size, two.size)
    found = [_rounds(a, b, one, two, r, s, loose) for r in one.rounds for s in two.rounds]
    found += [_flats(a, b, one, two, f, g, gap) for f, g in _facing(one, two, gap)]
    found += [_balls(a, b, one, two, f, g) for f in one.balls for g in two.balls]
    return [each for each in found if each is not None]


def _rounds(a: int, b: int, one: Features, two: Features, r: Round, s: Round, loose: bool) -> Mate | None:
    if r.hollow == s.hollow or not same_line(r, s, 1e-2):
        return None
    bore, shaft = (r, s) if r.hollow else (s, r)
    play = (bore.radius - shaft.radius) / bore.radius
    most = BOLT_CLEARANCE if loose else CLEARANCE
    if not -most <= play <= most or min(bore.covered, shaft.covered) < HALF_ROUND:
        return None
    shared = shaft.along(bore)
    length = sum(high - low for low, high in shared)
    if length < 0.1 * min(shaft.radius, bore.length, shaft.length):
        return None
    middle = sum((low + high) / 2 * (high - low) for low, high in shared) / length
    fit = (1.0 - 0.15 * abs(play) / most) * (1.0 if min(bore.covered, shaft.covered) > 0.8 else 0.7)
    told = f"{one.body.name} {r.faces[0].told} - {two.body.name} {s.faces[0].told}"
    return Mate("round", a, b, shaft.point + middle * shaft.axis, shaft.axis, fit, length, told, shaft.radius)


def _facing(one: Features, two: Features, gap: float) -> list[tuple[Flat, Flat]]:
    """Planes of two bodies that look at each other from no farther than the gap."""
    if not one.flats or not two.flats:
        return []
    n, m = (np.array([flat.normal for flat in each.flats]) for each in (one, two))
    p, q = (np.array([flat.point for flat in each.flats]) for each in (one, two))
    away = n @ q.T - np.einsum("ij,ij->i", n, p)[:, None]
    pairs = np.argwhere((n @ m.T < -1.0 + 1e-6) & (np.abs(away) <= gap))
    return [(one.flats[i], two.flats[j]) for i, j in pairs.tolist()]


def _flats(a: int, b: int, one: Features, two: Features, f: Flat, g: Flat, gap: float) -> Mate | None:
    small, large = (f, g) if f.area <= g.area else (g, f)
    low, high = large.triangles.min(axis=(0, 1)) - gap, large.triangles.max(axis=(0, 1)) + gap
    if (small.triangles.max(axis=(0, 1)) < low).any() or (small.triangles.min(axis=(0, 1)) > high).any():
        return None
    points = _spread(small)
    inside = _inside(points, large)
    share = float(inside.mean())
    if share < TOUCHING:
        return None
    told = f"{one.body.name} {f.face.told} - {two.body.name} {g.face.told}"
    return Mate("flat", a, b, points[inside].mean(axis=0), f.normal, 1.0, share * small.area, told)


def _balls(a: int, b: int, one: Features, two: Features, f: Ball, g: Ball) -> Mate | None:
    if f.hollow == g.hollow:
        return None
    socket, ball = (f, g) if f.hollow else (g, f)
    play = (socket.radius - ball.radius) / socket.radius
    away = float(np.linalg.norm(socket.centre - ball.centre)) / socket.radius
    if not -CLEARANCE <= play <= CLEARANCE or away > CLEARANCE:
        return None
    told = f"{one.body.name} {f.faces[0].told} - {two.body.name} {g.faces[0].told}"
    fit = 1.0 - 0.15 * (abs(play) + away) / CLEARANCE
    return Mate("ball", a, b, ball.centre, np.array([0.0, 0.0, 1.0]), fit, min(f.area, g.area), told, ball.radius)


def _spread(flat: Flat) -> Vector:
    """Points spread over the area of a face, always the same ones."""
    a, b, c = (flat.triangles[:, k] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    ends = np.cumsum(areas) / max(areas.sum(), 1e-300)
    k = np.arange(SAMPLES)
    which = np.minimum(np.searchsorted(ends, (k + 0.5) / SAMPLES), len(areas) - 1)
    u, v = (k * 0.7548776662466927 + 0.5) % 1.0, (k * 0.5698402909980532 + 0.5) % 1.0
    over = u + v > 1.0
    u, v = np.where(over, 1.0 - u, u)[:, None], np.where(over, 1.0 - v, v)[:, None]
    points: Vector = a[which] + u * (b[which] - a[which]) + v * (c[which] - a[which])
    return points


def _inside(points: Vector, flat: Flat) -> Vector:
    """Which points, seen along the normal, lie in the face."""
    x = np.linalg.svd(flat.normal[None])[2][1]
    y = np.cross(flat.normal, x)
    axes = np.column_stack((x, y))
    corners, p = flat.triangles @ axes, points @ axes
    a, b, c = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0]
    good = np.abs(area) > 1e-30
    a, b, c, area = a[good], b[good], c[good], area[good]
    away = p[:, None] - a[None]
    u = (away[..., 0] * c[:, 1] - away[..., 1] * c[:, 0]) / area
    v = (b[:, 0] * away[..., 1] - b[:, 1] * away[..., 0]) / area
    inside: Vector = ((u >= 0.0) & (v >= 0.0) & (u + v <= 1.0)).any(axis=1)
    return inside

"""Curves that guide a point: cubic splines, straight lines, circles and ellipses, as pieces with their arc length.

u        parameter of a piece, from 0 to its span
C(u)     c0 + c1 u + c2 u^2 + c3 u^3, or where it is round c0 + c1 cos u + c2 sin u; m
s        arc length from the start of the curve, m
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.checked import Vector, VectorLike

KINK = math.radians(60.0)  # between the chords at a point: a spline that turns more there swings out
BEND = math.radians(20.0)  # of a piece at most: its chord tells where it is
EXACT = 1e-14  # of a piece: what its length may be off by
DEEPEST = 14  # times that a piece is halved
SAME = 1e-9  # of the size of the curve: points that are nearer are one
NODES, WEIGHTS = np.polynomial.legendre.leggauss(10)  # on -1 … 1
FAST = 1e-3  # of the fastest: a curve that is slower than this turns back in a cusp


class Pieces(NamedTuple):
    """The pieces of a curve, one after the other. Lengths in metres."""

    round: Any  # (piece,) True where it is part of an ellipse
    span: Any  # (piece,) u at its end
    bend: Any  # (piece, 4, 3) c0 … c3
    start: Any  # (piece,) s at its beginning
    normal: Any  # (piece, 4, 3) first normal at its beginning and end, second normal there
    corner: Any  # (piece, 3) point at its beginning
    chord: Any  # (piece, 3) from there to its end


class GuideCurve:
    """A smooth curve through points (m), on which `model.slot` holds a point of a body.

    `points` are three or more places (x, y, z), or (x, y) with z = 0, in the frame of the body that has the slot; a
    cubic spline goes through them, with continuous tangent and curvature. Two points make a straight line. `closed`
    leads from the last point back to the first, which need not be repeated. `GuideCurve.line`, `.circle` and
    `.ellipse` are exact. The curve must not have corners or cross itself. Where splines are too coarse give more
    points: the error falls with the fourth power of their distance.

    `length` is in metres; positions on the curve are arc lengths from its first point.

    >>> track = lw.GuideCurve([(0, 0, 1.0), (0.5, 0, 0.25), (1.0, 0, 0.0), (1.5, 0, 0.25), (2.0, 0, 1.0)])
    >>> round(track.length, 3), track.closed
    (2.961, False)
    >>> [round(float(x), 3) for x in track.point(track.length / 2)]
    [1.0, 0.0, 0.0]
    """

    pieces: Pieces
    length: float
    closed: bool
    given: dict[str, Any]  # what it was made from: the points, or the axes of an ellipse

    def __init__(self, points: Sequence[VectorLike], closed: bool = False) -> None:
        places = _places(points, closed)
        self.given = {"points": places.tolist()}
        if len(places) == 2:
            parts = [(False, 1.0, np.array([places[0], places[1] - places[0], np.zeros(3), np.zeros(3)]))]
        else:
            parts = _spline(places, closed)
        self._finish(parts, closed)

    @classmethod
    def line(cls, start: VectorLike, end: VectorLike) -> GuideCurve:
        """A straight line between two points, m.

        >>> round(lw.GuideCurve.line((0, 0, 0), (0.3, 0.4, 0)).length, 12)
        0.5
        """
        return cls([start, end])

    @classmethod
    def circle(
        cls,
        radius: float,
        *,
        center: VectorLike = (0.0, 0.0, 0.0),
        normal: VectorLike = (0.0, 0.0, 1.0),
        start: VectorLike | None = None,
    ) -> GuideCurve:
        """A circle of this radius (m), counter-clockwise about `normal`; its arc length begins in direction `start`.

        By default it begins on the x axis of `lw.Frame.along(normal)`.

        >>> ring = lw.GuideCurve.circle(0.5, normal=(0, 1, 0), start=(0, 0, -1))
        >>> ring.point(0.0).tolist(), round(ring.length, 6)
        ([0.0, 0.0, -0.5], 3.141593)
        """
        what = "GuideCurve.circle"
        size = checked.positive(radius, what, "radius", "metres")
        axis = checked.direction(normal, what, "normal")
        along = _beside(axis) if start is None else checked.direction(start, what, "start")
        along = along - (along @ axis) * axis
        if np.linalg.norm(along) < 1e-6:
            raise ModelError(f"{what}: it cannot start along its normal; give start= in its plane")
        along = along / np.linalg.norm(along)
        return cls.ellipse(size * along, size * np.cross(axis, along), center=center)

    @classmethod
    def ellipse(
        cls,
        first: VectorLike,
        second: VectorLike,
        *,
        center: VectorLike = (0.0, 0.0, 0.0),
        angles: tuple[float, float] | None = None,
    ) -> GuideCurve:
        """center + first cos w + second sin w, m; a whole turn of w, or an arc between two `angles` (rad).

        `first` and `second` are the two half axes, perpendicular vectors.

        >>> lw.GuideCurve.ellipse((2, 0, 0), (0, 0, 1)).point(0.0).tolist()
        [2.0, 0.0, 0.0]
        >>> round(lw.GuideCurve.ellipse((1, 0, 0), (0, 1, 0), angles=(0, 1.5)).length, 9)
        1.5
        """
        what = "GuideCurve.ellipse"
        a, b, middle = (
            checked.vector(each, what, option, 3, "metres")
            for each, option in ((first, "first"), (second, "second"), (center, "center"))
        )
        sizes = float(np.linalg.norm(a)), float(np.linalg.norm(b))
        if min(sizes) == 0.0 or abs(float(a @ b)) > checked.PERPENDICULAR * sizes[0] * sizes[1]:
            raise ModelError(f"{what}: its half axes must be two perpendicular vectors; correct first= and second=")
        begin, end = (0.0, 2.0 * math.pi) if angles is None else checked.vector(angles, what, "angles", 2, "radians")
        if not 0.0 < end - begin <= 2.0 * math.pi or (angles is not None and end - begin > 2.0 * math.pi - 1e-6):
            raise ModelError(f"{what}: angles must rise by less than a turn; correct angles=, or leave it out")
        at, by = a * math.cos(begin) + b * math.sin(begin), b * math.cos(begin) - a * math.sin(begin)
        made = cls.__new__(cls)
        made.given = {"first": a.tolist(), "second": b.tolist(), "center": middle.tolist()}
        if angles is not None:
            made.given["angles"] = [float(begin), float(end)]
        made._finish([(True, float(end - begin), np.array([middle, at, by, np.zeros(3)]))], angles is None)
        return made

    def _finish(self, parts: list[tuple[bool, float, Any]], closed: bool) -> None:
        """Halve what bends too much, measure and frame the pieces."""
        short = [half for part in parts for half in _halved(part, 0, parts[0][0])]
        lengths = np.array([_length(*part) for part in short])
        start = np.concatenate([[0.0], np.cumsum(lengths)])
        rounds, spans = np.array([part[0] for part in short]), np.array([part[1] for part in short])
        bend = np.array([part[2] for part in short])
        self.closed, self.length = closed, float(start[-1])
        normal = _normals(short, start[:-1] / self.length, closed)
        ends = np.array([[_at(r, bend, u, 0) for u in (0.0, h)] for r, h, bend in short])
        self.pieces = Pieces(rounds, spans, bend, start[:-1], normal, ends[:, 0].copy(), ends[:, 1] - ends[:, 0])
        for numbers in self.pieces:
            numbers.flags.writeable = False
        _refuse_crossing(short, self.pieces, closed)

    def point(self, position: float) -> Vector:
        """The point (m) at this arc length (m); on a closed curve any number of turns, else from 0 to `length`."""
        k, u = self._place(position)
        return self.piece_point(k, u)

    def tangent(self, position: float) -> Vector:
        """Unit vector along the curve at this arc length (m)."""
        k, u = self._place(position)
        along = _at(self.pieces.round[k], self.pieces.bend[k], u, 1)
        return np.asarray(along / np.linalg.norm(along))

    def piece_point(self, k: int, u: float) -> Vector:
        """The point (m) of piece k at its parameter u."""
        return np.asarray(_at(self.pieces.round[k], self.pieces.bend[k], u, 0))

    def nearest(self, point: VectorLike) -> float:
        """Arc length (m) of the point of the curve that is nearest to this one (m).

        >>> round(lw.GuideCurve.line((0, 0, 0), (1, 0, 0)).nearest((0.25, 3.0, 0.0)), 12)
        0.25
        """
        x = checked.vector(point, "GuideCurve.nearest", "point", 3, "metres")
        pieces, best, found = self.pieces, math.inf, 0.0
        off = x - pieces.corner
        shares = np.einsum("ij,ij->i", off, pieces.chord) / np.einsum("ij,ij->i", pieces.chord, pieces.chord)
        shares = np.clip(shares, 0.0, 1.0)
        for k in np.argsort(np.linalg.norm(off - shares[:, None] * pieces.chord, axis=1), kind="stable")[:4]:
            is_round, h, bend = pieces.round[k], float(pieces.span[k]), pieces.bend[k]
            u = float(shares[k]) * h
            for _ in range(20):
                r, v = x - _at(is_round, bend, u, 0), _at(is_round, bend, u, 1)
                m = float(v @ v - _at(is_round, bend, u, 2) @ r)
                u = min(max(u + float(v @ r) / max(m, 0.25 * float(v @ v)), 0.0), h)
            away_there = float(np.linalg.norm(_at(is_round, bend, u, 0) - x))
            if away_there < best - 1e-15 * self.length:
                best, found = away_there, float(pieces.start[k]) + _length(is_round, u, bend)
        return found

    def _place(self, position: float) -> tuple[int, float]:
        """Piece and parameter of an arc length."""
        s = checked.number(position, "GuideCurve", "position", "metres")
        if self.closed:
            s = s % self.length
        elif not -SAME * self.length <= s <= (1.0 + SAME) * self.length:
            raise ModelError(f"GuideCurve: {s:g} m is not on the curve, which is 0 to {self.length:g} m long")
        pieces = self.pieces
        k = max(int(np.searchsorted(pieces.start, s, "right")) - 1, 0)
        u = 0.0
        for _ in range(50):
            off = s - float(pieces.start[k]) - _length(pieces.round[k], u, pieces.bend[k])
            u += off / float(np.linalg.norm(_at(pieces.round[k], pieces.bend[k], u, 1)))
            if abs(off) < 1e-15 * self.length:
                break
        return k, u

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, GuideCurve)
            and self.closed == other.closed
            and all(np.array_equal(a, b) for a, b in zip(self.pieces, other.pieces, strict=True))
        )

    def __hash__(self) -> int:
        return hash((self.closed, self.pieces.bend.tobytes()))

    def __repr__(self) -> str:
        return f"<{'closed ' if self.closed else ''}guide curve, {self.length:.4g} m long>"


def _places(points: Any, closed: bool) -> Any:
    """The points (point, 3), checked."""
    what = "GuideCurve"
    given = checked.array(points, what, "points", "a list of points (x, y, z) or (x, y) in metres")
    if given.ndim != 2 or given.shape[1] not in (2, 3):
        raise ModelError(f"{what}: points must be a list of points (x, y, z) or (x, y) in metres; correct points=")
    places = np.column_stack([given, np.zeros((len(given), 3 - given.shape[1]))])
    if not isinstance(closed, (bool, np.bool_)):
        raise ModelError(f"{what}: closed must be True or False, got {checked.shown(closed)}; correct closed=")
    size = float(np.linalg.norm(np.ptp(places, axis=0))) if len(places) else 0.0
    meets = len(places) > 2 and np.linalg.norm(places[-1] - places[0]) <= SAME * size
    if meets and not closed:
        raise ModelError(f"{what}: its last point is its first one; say closed=True")
    if meets:
        places = places[:-1]
    if len(places) < (3 if closed else 2):
        raise ModelError(f"{what}: {len(places)} points make no curve; give {'three' if closed else 'two'} or more")
    steps = np.diff(np.vstack([places, places[:1]]) if closed else places, axis=0)
    sizes = np.linalg.norm(steps, axis=1)
    if (sizes <= SAME * size).any():
        k = int(np.argmin(sizes))
        raise ModelError(f"{what}: points {k} and {k + 1} are at one place, {_told(places[k])}; remove one of them")
    _refuse_kinks(places, steps / sizes[:, None], closed)
    return places


def _refuse_kinks(places: Any, ways: Any, closed: bool) -> None:
    """A spline rounds corners by swinging out beside them: refuse them."""
    before = np.roll(ways, 1, axis=0) if closed else ways[:-1]
    after = ways if closed else ways[1:]
    if not len(after):
        return
    turns = np.arccos(np.clip(np.einsum("ij,ij->i", before, after), -1.0, 1.0))
    k = int(np.argmax(turns))
    if turns[k] <= KINK * (1.0 + 1e-9):
        return
    at = k if closed else k + 1
    end = "the ends of the closed curve do not meet smoothly: it" if closed and k == 0 else "it"
    raise ModelError(
        f"GuideCurve: {end} turns by {math.degrees(turns[k]):.0f} degrees at point {at}, {_told(places[at])}; round "
        "that corner with more points (at most 60 degrees at each)"
    )


def _told(place: Any) -> str:
    return f"({', '.join(f'{x:.4g}' for x in place)})"


def _spline(places: Any, closed: bool) -> list[tuple[bool, float, Any]]:
    """The cubic spline through the points, over the length of the chords."""
    from scipy.interpolate import CubicSpline  # here, because it takes a third of a second

    through = np.vstack([places, places[:1]]) if closed else places
    chords = np.linalg.norm(np.diff(through, axis=0), axis=1)
    knots = np.concatenate([[0.0], np.cumsum(chords)])
    spline = CubicSpline(knots, through, bc_type="periodic" if closed else "not-a-knot")
    return [(False, float(h), spline.c[::-1, k].copy()) for k, h in enumerate(chords)]


def _at(is_round: Any, bend: Any, u: Any, derivative: int) -> Any:
    """C(u) or its first or second derivative; of several u one row each."""
    x = np.asarray(u, dtype=float)[..., None]
    if is_round:
        turned = x + 0.5 * math.pi * derivative  # each derivative is a quarter turn ahead
        return (bend[0] if derivative == 0 else 0.0) + bend[1] * np.cos(turned) + bend[2] * np.sin(turned)
    c0, c1, c2, c3 = bend
    if derivative == 0:
        return c0 + x * (c1 + x * (c2 + x * c3))
    return c1 + x * (2.0 * c2 + x * 3.0 * c3) if derivative == 1 else 2.0 * c2 + x * 6.0 * c3


def _length(is_round: Any, u: float, bend: Any) -> float:
    """Arc length from the beginning of a piece to u, by Gauss."""
    speeds = np.linalg.norm(_at(is_round, bend, 0.5 * u * (1.0 + NODES), 1), axis=1)
    return float(0.5 * u * (WEIGHTS @ speeds))


def _halved(part: tuple[bool, float, Any], depth: int, is_round: bool) -> list[tuple[bool, float, Any]]:
    """The same piece in parts that bend little, and whose lengths Gauss finds exactly."""
    _, h, bend = part
    speeds = np.linalg.norm(_at(is_round, bend, 0.5 * h * (1.0 + NODES), 1), axis=1)
    along = _at(is_round, bend, np.array([0.0, 0.5 * h, h]), 1)
    sizes = np.linalg.norm(along, axis=1)
    if min(speeds.min(), sizes.min()) < FAST * max(speeds.max(), sizes.max()):
        near = _told(_at(is_round, bend, 0.5 * h, 0))
        raise ModelError(f"GuideCurve: it turns back on itself near {near}; give more points there")
    along /= sizes[:, None]
    turned = sum(math.acos(max(-1.0, min(1.0, float(along[k] @ along[k + 1])))) for k in range(2))
    middle = _moved(is_round, bend, 0.5 * h)
    whole, parts = _length(is_round, h, bend), _length(is_round, 0.5 * h, bend) + _length(is_round, 0.5 * h, middle)
    if depth == DEEPEST or (turned <= BEND and abs(whole - parts) <= EXACT * whole):
        return [part]
    halves = (is_round, 0.5 * h, bend), (is_round, 0.5 * h, middle)
    return [each for half in halves for each in _halved(half, depth + 1, is_round)]


def _moved(is_round: bool, bend: Any, by: float) -> Any:
    """The same curve with its parameter counted from `by` on."""
    c0, c1, c2, c3 = bend
    if is_round:
        c, s = math.cos(by), math.sin(by)
        return np.array([c0, c * c1 + s * c2, c * c2 - s * c1, c3])
    rest = c1 + by * (2.0 * c2 + by * 3.0 * c3), c2 + by * 3.0 * c3, c3
    return np.array([c0 + by * (c1 + by * (c2 + by * c3)), *rest])


def _beside(axis: Any) -> Any:
    """A unit vector across this one; x of `Frame.along`."""
    from linkwork.model.frame import Frame

    return Frame.along(axis).matrix[:, 0]


def _normals(parts: list[tuple[bool, float, Any]], share: Any, closed: bool) -> Any:
    """Two normals at the ends of each piece, which turn about the curve as little as can be; of a plane curve one lies
    in the plane and one across it."""
    ends = [_at(r, bend, u, 1) for r, h, bend in parts for u in (0.0, h)]
    along = np.array([end / np.linalg.norm(end) for end in (*ends[::2], ends[-1])])
    places = np.array([_at(r, bend, 0.5 * h, 0) for r, h, bend in parts])
    spread = np.vstack([along, (places - places.mean(axis=0)) / max(np.ptp(places, axis=0).max(), 1e-300)])
    _, sizes, axes = np.linalg.svd(spread)
    flat = sizes[2] <= 1e-12 * sizes[0]
    across = axes[2] if flat else _beside(along[0])
    if flat and across[np.argmax(np.abs(across))] < 0.0:
        across = -across  # the same on every machine
    first = np.cross(across, along[0])
    found = [first / np.linalg.norm(first)]
    for t in along[1:]:
        n = found[-1] - (found[-1] @ t) * t
        found.append(n / np.linalg.norm(n))
    if closed and not flat:  # the frame comes back turned: let it turn back on the way
        lag = math.atan2(float(np.cross(along[0], found[0]) @ found[-1]), float(found[0] @ found[-1]))
        turns = -lag * np.append(share, 1.0)
        found = [math.cos(x) * n + math.sin(x) * np.cross(t, n) for n, t, x in zip(found, along, turns, strict=True)]
    firsts, seconds = np.array(found), np.cross(along, found)
    return np.stack([firsts[:-1], firsts[1:], seconds[:-1], seconds[1:]], axis=1)


def _refuse_crossing(parts: list[tuple[bool, float, Any]], pieces: Pieces, closed: bool) -> None:
    """Two places of the curve must be farther apart than its pieces are from their chords."""
    a, d = pieces.corner, pieces.chord
    middle = np.array([_at(r, bend, 0.5 * h, 0) for r, h, bend in parts])
    sag = 1.5 * np.linalg.norm(np.cross(middle - a, d), axis=1) / np.linalg.norm(d, axis=1)
    n = len(parts)
    for i in range(n - 2):
        j = np.arange(i + 2, n - 1 if closed and i == 0 else n)
        away = _apart(a[i], d[i], a[j], d[j])
        near = away <= sag[i] + sag[j] + SAME * np.linalg.norm(d[i])
        if near.any():
            raise ModelError(
                f"GuideCurve: it crosses or touches itself near {_told(middle[i])}; let it pass beside itself in "
                "space, or give more points there"
            )


def _apart(a: Any, d: Any, b: Any, e: Any) -> Any:
    """Distances of the stretch from a along d from those from b along e."""
    r = a - b
    dd, ee, de = float(d @ d), np.einsum("ij,ij->i", e, e), e @ d
    rd, re = r @ d, np.einsum("ij,ij->i", r, e)
    det = np.maximum(dd * ee - de * de, 1e-300)
    s = np.clip((de * re - rd * ee) / det, 0.0, 1.0)
    t = np.clip((de * s + re) / ee, 0.0, 1.0)
    s = np.clip((de * t - rd) / dd, 0.0, 1.0)
    return np.linalg.norm(r + s[:, None] * d - t[:, None] * e, axis=1)

"""Parts that are known by their shape or their name: fasteners, rings and balls of bearings, pins."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from linkwork.formats.step.cad_data import SPHERE
from linkwork.formats.step.features import Features, Round, same_line
from linkwork.formats.step.mates import Mate
from linkwork.model.checked import Vector

_FASTENER = re.compile(
    r"(?<![a-z])(bolts?|(cap|set|wood|machine)?screws?|(hex|lock)?nuts?|washers?|rivets?|studs?|circlips?|"
    r"(snap|retaining) ?rings?|cotters?|dowels?|schraube|mutter|(unterleg)?scheibe|niet|hex ?head|socket ?head|"
    r"(din|iso|en) ?\d{3,}|m\d+ ?x ?\d+)(?![a-z])"
)
_DRIVE_SCREW = re.compile(r"lead|ball ?screw|spindle|power ?screw|jack")
_BEARING = re.compile(r"(?<![a-z])(bearings?|(kugel|w(ae|ä)lz|gleit)?lager|6[023]\d\d|608)(?![a-z])")
_RING = re.compile(r"(?<![a-z])(rings?|races?|inner|outer)(?![a-z])")
_ROLLING = re.compile(r"(?<![a-z])(balls?|rollers?|needles?|cages?|retainers?|kugel|k(ae|ä)fig)(?![a-z])")
_STANDING = re.compile(
    r"(?<![a-z])(base|frame|ground|housing|chassis|bed|block|crankcase|foundation|stand|gestell|geh(ae|ä)use)(?![a-z])"
)


def _words(features: Features) -> str:
    return f"{features.body.name} {features.body.part}".lower().replace("_", " ")


def is_standing(features: Features) -> bool:
    """Whether its name says that it is the part which stands."""
    return bool(_STANDING.search(_words(features)))


def is_fastener(features: Features) -> bool:
    """A bolt, nut, washer or rivet: by its name, or by a hexagon around the axis of its shank or hole."""
    words = _words(features)
    if _DRIVE_SCREW.search(words):
        return False
    return bool(_FASTENER.search(words)) or _has_hexagon(features)


def _has_hexagon(features: Features) -> bool:
    """Six planes around one axis, all cylinders of the body on it: outside of a shank or hole, or a hexagon socket."""
    lines = [each for each in features.rounds if each.covered > 0.8]
    if not lines or not all(same_line(lines[0], each, 1e-2) for each in lines):
        return False
    axis, point = lines[0].axis, lines[0].point
    sides = [flat for flat in features.flats if abs(float(flat.normal @ axis)) < 1e-3]
    away = [float((flat.point - point) @ flat.normal) for flat in sides]
    for flat, height in zip(sides, away, strict=True):
        like = [other for other, far in zip(sides, away, strict=True) if abs(far - height) < 0.01 * abs(height)]
        angles = sorted({_sixths(flat.normal, other.normal, axis) for other in like} - {None})  # type: ignore[type-var]
        if angles != [0, 1, 2, 3, 4, 5]:
            continue
        if height > 0.0 and any(each.radius < 0.95 * height for each in lines):
            return True  # the head of a bolt, or a nut
        if height < 0.0 and len({round(each.radius / lines[0].radius, 2) for each in lines if not each.hollow}) > 1:
            return True  # a socket in the head of a screw
    return False


def _sixths(first: Vector, other: Vector, axis: Vector) -> int | None:
    """The angle between two normals in sixths of a turn, or None."""
    angle = float(np.arctan2(np.cross(first, other) @ axis, first @ other)) / (np.pi / 3)
    return round(angle) % 6 if abs(angle - round(angle)) < 0.01 else None


@dataclass(eq=False)
class Bearing:
    """Rings of a bearing by the numbers of their bodies, the rolling elements between them, and its place."""

    outer: int
    inner: int
    rolling: list[int]
    mate: Mate


def is_ring(features: Features) -> bool:
    """A body of revolution with a bore."""
    kinds = {each.hollow for each in features.rounds}
    return features.turned is not None and kinds == {True, False}


def is_plain_bearing(features: Features) -> bool:
    """A bearing that is one solid."""
    return is_ring(features) and bool(_BEARING.search(_words(features)))


def is_pin(features: Features) -> bool:
    """A body of revolution without a bore."""
    return features.turned is not None and not any(each.hollow for each in features.rounds)


def find_bearings(features: list[Features]) -> list[Bearing]:
    """Pairs of rings around one axis, one in the other, of about one width, and the rolling elements between them."""
    rings = [k for k, each in enumerate(features) if is_ring(each)]
    found = []
    for i in rings:
        for j in rings:
            mate = _ring_in_ring(i, j, features[i], features[j]) if i != j else None
            if mate is not None:
                found.append(Bearing(i, j, _between(features, i, j, mate), mate))
    return found


def _ring_in_ring(i: int, j: int, outer: Features, inner: Features) -> Mate | None:
    bores = [each for each in outer.rounds if each.hollow]
    shafts = [each for each in inner.rounds if not each.hollow]
    bore, shaft = min(bores, key=lambda each: each.radius), max(shafts, key=lambda each: each.radius)
    play = (bore.radius - shaft.radius) / bore.radius
    if not same_line(bore, shaft, 1e-2) or not 0.02 < play < 0.5:
        return None
    low, high = _along(outer, bore), _along(inner, bore)
    shared = min(low[1], high[1]) - max(low[0], high[0])
    widths = sorted((low[1] - low[0], high[1] - high[0]))
    raced = bool(outer.grooves and inner.grooves)
    one_owner = outer.body.owner == inner.body.owner
    called = all(_RING.search(_words(each)) or _BEARING.search(_words(each)) for each in (outer, inner))
    named = one_owner and (called or bool(_BEARING.search(outer.body.owner.lower())))
    if shared < 0.5 * widths[0] or widths[0] < 0.4 * widths[1] or not (raced or named):
        return None
    middle = bore.point + (max(low[0], high[0]) + shared / 2) * bore.axis
    told = f"{outer.body.path} - {inner.body.path} rings"
    return Mate("hinge", i, j, middle, bore.axis, 0.97 if raced else 0.9, shared, told, shaft.radius)


def _along(features: Features, line: Round) -> tuple[float, float]:
    """How far a body reaches along an axis."""
    solid = features.body.solid.triangles.reshape(-1, 3)
    ways = (solid @ features.body.world.matrix.T + features.body.world.position - line.point) @ line.axis
    return float(ways.min()), float(ways.max())


def _between(features: list[Features], i: int, j: int, mate: Mate) -> list[int]:
    """Balls, rollers and cages between two rings."""
    wide = min(each.radius for each in features[i].rounds if each.hollow)
    found = []
    for k, each in enumerate(features):
        if k in (i, j):
            continue
        ball = all(face.kind == SPHERE for face in each.body.solid.faces)
        if not ball and not _ROLLING.search(_words(each)):
            continue
        away = each.body.centre - mate.point
        along = float(away @ mate.axis)
        radius = float(np.linalg.norm(away - along * mate.axis))
        reach = float(np.linalg.norm(each.high - each.low)) / 2
        if abs(along) < mate.weight and radius < wide and radius + reach > mate.radius:
            found.append(k)
    return found

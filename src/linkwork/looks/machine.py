"""Parts of machines to be drawn: wheels, gears, crankshafts, coils, belts. All turn about z of their pose."""

from __future__ import annotations

import numpy as np

from linkwork.errors import ModelError
from linkwork.looks.surfaces import band, joined, lofted, pushed, rounded_box, tube, turned
from linkwork.model.frame import Frame
from linkwork.model.shapes.mesh import Mesh

RUBBER, STEEL, ALUMINIUM, BRASS = "#2B2D31", "#8C949E", "#C3CAD3", "#C9A24B"
BLUE, RED, GREEN, CREAM = "#2F6DB5", "#C8452F", "#3E8F63", "#EDE6D6"
PRESSURE_ANGLE = np.radians(20.0)
FILLET = 0.05  # of half the gap: how much a tooth is wider at its foot
BLOCKS = 36  # of a tread


def tyre(radius: float, width: float, *, rim: float = 0.62, pose: Frame | None = None) -> Mesh:
    """A tyre with a tread; `rim` is the radius of its inner edge as a part of the outer one.

    >>> tyre(0.3, 0.2).triangles.shape[1:]
    (3, 3)
    """
    _positive("tyre", radius=radius, width=width)
    w, r, inner, groove = width / 2.0, radius, rim * radius, 0.03 * radius
    side = [(inner, -0.8 * w), (0.8 * r, -w), (0.95 * r, -0.98 * w), (0.985 * r, -0.85 * w)]
    tread = []
    for a, b in ((-0.78, -0.30), (-0.20, 0.20), (0.30, 0.78)):
        tread += [(r - groove, a * w), (r, (a + 0.03) * w), (r, (b - 0.03) * w), (r - groove, b * w)]
    profile = [*side, *tread, *[(each, -z) for each, z in reversed(side)]]
    blocks = []
    for k in range(BLOCKS):
        angle = 2.0 * np.pi * k / BLOCKS
        turn = Frame(rotation=(np.cos(angle / 2.0), 0.0, 0.0, np.sin(angle / 2.0)))
        size = (0.035 * r, 2.0 * np.pi * r / BLOCKS * 0.62, 0.3 * w)
        for edge in (-0.86, 0.86):
            at = turn.point((0.987 * r, 0.0, edge * w))
            blocks.append(rounded_box(size, 0.2 * min(size), pose=Frame(at, turn.rotation)))
    return joined(turned(profile), *blocks, pose=pose)


def rim(radius: float, width: float, *, spokes: int = 5, pose: Frame | None = None) -> Mesh:
    """A rim with a hub and spokes, so that turning is seen.

    >>> rim(0.19, 0.2, spokes=5).volume > 0
    True
    """
    _positive("rim", radius=radius, width=width)
    w, r = width / 2.0, radius
    ring = turned([(0.88 * r, -w), (r, -w), (r, -0.85 * w), (0.93 * r, -0.7 * w), (0.93 * r, 0.7 * w), (r, 0.85 * w),
                   (r, w), (0.88 * r, w)])  # fmt: skip
    hub = turned([(0.0, 0.1 * w), (0.2 * r, 0.1 * w), (0.24 * r, 0.4 * w), (0.2 * r, 0.8 * w), (0.0, 0.85 * w)])
    return joined(ring, hub, *_spokes(spokes, 0.2 * r, 0.9 * r, 0.16 * r, 0.25 * w, 0.55 * w), pose=pose)


def flywheel(radius: float, width: float, *, spokes: int = 6, pose: Frame | None = None) -> Mesh:
    """A wheel with a heavy ring and spokes.

    >>> flywheel(0.2, 0.05).volume > 0
    True
    """
    _positive("flywheel", radius=radius, width=width)
    w, r = width / 2.0, radius
    ring = turned([(0.8 * r, -w), (r, -w), (r, w), (0.8 * r, w)])
    hub = turned([(0.06 * r, -w), (0.2 * r, -w), (0.2 * r, w), (0.06 * r, w)])
    return joined(ring, hub, *_spokes(spokes, 0.18 * r, 0.83 * r, 0.12 * r, w, 0.0), pose=pose)


def _spokes(count: int, inner: float, outer: float, wide: float, thick: float, z: float) -> list[Mesh]:
    made = []
    for k in range(count):
        half = np.pi * k / count
        turn = Frame(rotation=(np.cos(half), 0.0, 0.0, np.sin(half)))
        at = turn.point(((inner + outer) / 2.0, 0.0, z))
        size = (outer - inner, wide, thick)
        made.append(rounded_box(size, 0.3 * min(size), pose=Frame(at, turn.rotation)))
    return made


def gear(
    module: float,
    teeth: int,
    width: float,
    *,
    bore: float | None = None,
    internal: bool = False,
    turn: float = 0.0,
    pose: Frame | None = None,
) -> Mesh:
    """A gear with involute teeth of 20 degrees: pitch radius module * teeth / 2; `internal` for a ring gear.

    A tooth points along x, turned by `turn` (rad). `bore` is the radius of the hole; of a ring gear, of its outside.

    >>> round(gear(0.01, 20, 0.02).drawn(10_000)[0][0][2], 3)
    -0.01
    """
    _positive("gear", module=module, width=width)
    if teeth < 4:
        raise ModelError(f"looks.gear: {teeth} teeth; give four or more")
    pitch = module * teeth / 2.0
    outline = gear_outline(module, teeth, internal) @ np.array(
        [[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]
    )
    if not internal:
        return pushed(outline, width, bore=0.25 * pitch if bore is None else bore, pose=pose)
    outer = pitch + 2.5 * module if bore is None else bore
    angles = np.unwrap(np.arctan2(outline[:, 1], outline[:, 0]))
    around = outer * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    low, high = (np.full((len(outline), 1), side * width / 2.0) for side in (-1.0, 1.0))
    rings = [np.hstack([around, low]), np.hstack([around, high]), np.hstack([outline, high]), np.hstack([outline, low])]
    return lofted(np.stack(rings, axis=1), pose)


def gear_outline(module: float, teeth: int, internal: bool = False) -> np.ndarray:
    """The outline of an involute gear, (n, 2) m, counter-clockwise; a tooth points along x."""
    pitch = module * teeth / 2.0
    tip, root = (pitch + 1.0 * module, pitch - 1.25 * module)
    if internal:
        tip, root = pitch + 1.25 * module, pitch - 1.0 * module
    base = pitch * np.cos(PRESSURE_ANGLE)
    radii = np.linspace(max(base, root), tip, 7)
    pressure = np.arccos(np.clip(base / radii, -1.0, 1.0))
    half = np.pi / (2.0 * teeth) + (np.tan(PRESSURE_ANGLE) - PRESSURE_ANGLE) - (np.tan(pressure) - pressure)
    if root < base:
        foot = half[0] + FILLET * (np.pi / teeth - half[0])
        radii, half = np.concatenate([[root], radii]), np.concatenate([[foot], half])
    one = [(r, -a) for r, a in zip(radii, half, strict=True)]
    one += [(r, a) for r, a in zip(radii[::-1], half[::-1], strict=True)]
    polar = np.array([(r, a + 2.0 * np.pi * k / teeth) for k in range(teeth) for r, a in one])
    return np.stack([polar[:, 0] * np.cos(polar[:, 1]), polar[:, 0] * np.sin(polar[:, 1])], axis=1)


def crankshaft(
    throws: list[tuple[float, float]],
    throw: float,
    *,
    journal: float,
    web: float,
    ends: tuple[float, float],
    pose: Frame | None = None,
) -> Mesh:
    """A crankshaft about z: `throws` are (place along z, angle) of the pins, `throw` their distance from the axis.

    `journal` is the radius of shaft and pins, `web` the thickness of the cheeks, `ends` where the shaft begins, ends.

    >>> shaft = crankshaft([(0.0, 0.0)], 0.05, journal=0.02, web=0.015, ends=(-0.1, 0.1))
    >>> shaft.volume > 0
    True
    """
    _positive("crankshaft", throw=throw, journal=journal, web=web)
    gap = 1.6 * web  # from the middle of a pin to that of a cheek
    parts, last = [], ends[0]
    cheek = _cheek(throw, journal)
    for z, angle in sorted(throws):
        turn = (np.cos(angle / 2.0), 0.0, 0.0, np.sin(angle / 2.0))
        pin = throw * np.array([np.cos(angle), np.sin(angle), 0.0])
        parts.append(_bar(last, z - gap, journal))
        parts.append(tube([pin + (0, 0, z - gap), pin + (0, 0, z + gap)], 0.9 * journal, sides=24))
        parts += [pushed(cheek, web, pose=Frame((0, 0, z + side * gap), turn)) for side in (-1.0, 1.0)]
        last = z + gap
    return joined(*parts, _bar(last, ends[1], journal), pose=pose)


def _cheek(throw: float, journal: float) -> np.ndarray:
    """The outline of a cheek around the shaft: round at the pin, with a counterweight on the other side."""
    a = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 13)
    around_pin = np.stack([throw + 1.5 * journal * np.cos(a), 1.5 * journal * np.sin(a)], axis=1)
    b = np.linspace(0.62 * np.pi, 1.38 * np.pi, 15)
    weight = (throw + 1.0 * journal) * np.stack([np.cos(b), np.sin(b)], axis=1)
    return np.concatenate([around_pin, weight])


def _bar(low: float, high: float, radius: float) -> Mesh:
    return tube([(0, 0, low), (0, 0, high)], radius, sides=24)


def coil(radius: float, length: float, *, turns: int = 6, wire: float | None = None, pose: Frame | None = None) -> Mesh:
    """A coil spring about z, from -length/2 to length/2; `wire` is the radius of its wire.

    >>> coil(0.05, 0.2).volume > 0
    True
    """
    _positive("coil", radius=radius, length=length)
    a = np.linspace(0.0, 2.0 * np.pi * turns, 20 * turns + 1)
    points = np.stack([radius * np.cos(a), radius * np.sin(a), length * (a / a[-1] - 0.5)], axis=1)
    return joined(tube(list(points), 0.12 * radius if wire is None else wire, sides=10), pose=pose)


def belt(
    centres: tuple[tuple[float, float], tuple[float, float]], radii: tuple[float, float], width: float, thickness: float
) -> Mesh:
    """An open belt around two pulleys that turn about z, with their centres in x, y.

    >>> belt(((0, 0), (1, 0)), (0.2, 0.3), 0.05, 0.01).volume > 0
    True
    """
    a, b = (np.asarray(centre, dtype=float) for centre in centres)
    span = float(np.linalg.norm(b - a))
    if not span > abs(radii[1] - radii[0]):
        raise ModelError("looks.belt: one pulley lies inside the other; correct centres= or radii=")
    way = np.arctan2(*(b - a)[::-1])
    lean = np.arccos((radii[0] - radii[1]) / span)
    line = []
    for centre, radius, first, last in ((a, radii[0], lean, 2.0 * np.pi - lean), (b, radii[1], -lean, lean)):
        for angle in way + np.linspace(first, last, 25):
            line.append((*(centre + radius * np.array([np.cos(angle), np.sin(angle)])), 0.0))
    return band(line, width, thickness, axis=(0, 0, 1))


def _positive(what: str, **numbers: float) -> None:
    for name, value in numbers.items():
        if not value > 0.0:
            raise ModelError(f"looks.{what}: {name} is {value!r}; give a positive number")

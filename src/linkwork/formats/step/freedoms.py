"""How two bodies can still move when their mates hold: the kind of joint that this is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.formats.step.mates import Mate
from linkwork.model.checked import Vector

LOOSE = 1e-4  # singular values below count as none


@dataclass(eq=False)
class Freedom:
    """A kind of joint, its point and axis in the world, how sure that is, the mates it comes from, and why."""

    kind: str
    at: Vector
    axis: Vector
    confidence: float
    mates: list[Mate]
    reason: str


def freedom(mates: list[Mate]) -> Freedom | None:
    """The joint that these mates of one pair of bodies make, or None where they fit no kind.

    A plane that touches on one side only stops one direction. So one such plane does not stop a shaft in its bore, nor
    a slider at the end of its way; planes on both sides do.
    """
    rounds = [mate for mate in mates if mate.kind in ("round", "hinge")]
    flats = [mate for mate in mates if mate.kind == "flat"]
    balls = [mate for mate in mates if mate.kind == "ball"]
    lines = _lines(rounds)
    both, single = _sides(flats)
    held = [*rounds, *balls, *both]
    notes = []
    for mate in sorted(single, key=lambda each: -each.weight):
        axial = len(lines) == 1 and abs(float(mate.axis @ lines[0].axis)) > 0.999
        if axial:
            notes.append("a shoulder on one side only")
            continue
        stops = _dimension([*held, mate]) == 0 and _dimension(held) > 0
        if stops and len(lines) < 2 and not _is_key(mate, lines):
            notes.append("a stop on one side left out")
            continue
        held.append(mate)
    if not held:
        return None
    found = _kind(held, rounds)
    if found is None:
        return None
    kind, at, axis = found
    fit = float(np.mean([mate.fit for mate in [*rounds, *balls]] or [1.0]))
    base = _confidence(kind, lines, both, flats, notes)
    bearings = sum(mate.kind == "hinge" for mate in rounds)
    single_held = len(held) - len(rounds) - len(balls) - len(both)
    reason = _reason(len(lines), bearings, len(both), single_held, len(balls))
    return Freedom(kind, at, axis, round(base * fit, 2), held, "; ".join([reason, *dict.fromkeys(notes)]))


def _confidence(kind: str, lines: list[Mate], both: list[Mate], flats: list[Mate], notes: list[str]) -> float:
    """How sure a kind is, by what it comes from."""
    if kind == "revolute":
        return 0.95
    if kind == "cylindrical":
        return 0.7 if notes else 0.85
    if kind == "prismatic":
        return 0.9 if both or len(lines) > 1 else 0.7
    if kind == "fixed":
        return 0.85 if len(lines) > 1 else 0.75
    if kind == "ball":
        return 0.9
    return 0.6 if flats else 0.5


def _reason(lines: int, bearings: int, both: int, single: int, balls: int) -> str:
    told = []
    if bearings:
        told.append(f"{bearings} bearings" if bearings > 1 else "a bearing")
    elif lines:
        told.append(f"{lines} axes" if lines > 1 else "a shaft in a bore")
    if both:
        told.append("planes on both sides")
    if single:
        told.append("planes" if single > 1 else "a plane")
    if balls:
        told.append("a ball in a socket")
    return ", ".join(told)


def _lines(rounds: list[Mate]) -> list[Mate]:
    """One mate for each line that is an axis."""
    found: list[Mate] = []
    for mate in rounds:
        for line in found:
            away = mate.point - line.point
            away = away - float(away @ line.axis) * line.axis
            parallel = float(np.linalg.norm(np.cross(mate.axis, line.axis))) < 1e-3
            if parallel and float(np.linalg.norm(away)) < 1e-2 * max(mate.radius, line.radius):
                break
        else:
            found.append(mate)
    return found


def _sides(flats: list[Mate]) -> tuple[list[Mate], list[Mate]]:
    """Planes that touch on both sides, and those of which no other faces back."""
    both: list[Mate] = []
    single: list[Mate] = []
    for mate in flats:
        back = any(float(mate.axis @ other.axis) < -0.9999 for other in flats)
        (both if back else single).append(mate)
    return both, single


def _is_key(mate: Mate, lines: list[Mate]) -> bool:
    """Whether a plane beside a shaft takes it along: a flat or the side of a key, not a stop far away."""
    for line in lines:
        across = abs(float(mate.axis @ line.axis)) < 1e-3
        if across and abs(float((mate.point - line.point) @ mate.axis)) < 1.05 * line.radius:
            return True
    return False


def _rows(mates: list[Mate]) -> tuple[Vector, Vector, float]:
    """Rows that turning and sliding must meet, the point they are taken at, and the length that scales them."""
    points = np.array([mate.point for mate in mates])
    middle = points.mean(axis=0)
    scale = max(float(np.linalg.norm(points - middle, axis=1).max()), *(mate.radius for mate in mates), 1e-3)
    rows = []
    for mate in mates:
        across = np.linalg.svd(mate.axis[None])[2][1:]
        arm = (mate.point - middle) / scale
        # velocity of the point: v + w x arm
        held = {"round": across, "flat": mate.axis[None], "ball": np.eye(3), "hinge": np.eye(3)}[mate.kind]
        rows += [np.concatenate((np.cross(arm, each), each)) for each in held]
        if mate.kind != "ball":
            rows += [np.concatenate((each, np.zeros(3))) for each in across]
    return np.array(rows), middle, scale


def _free(mates: list[Mate]) -> tuple[Vector, Vector, float]:
    rows, middle, scale = _rows(mates)
    _, values, right = np.linalg.svd(rows)
    return right[int((values > LOOSE).sum()) :], middle, scale


def _dimension(mates: list[Mate]) -> int:
    return len(_free(mates)[0]) if mates else 6


def _kind(mates: list[Mate], rounds: list[Mate]) -> tuple[str, Vector, Vector] | None:
    """The kind of joint, its point and its axis."""
    free, middle, scale = _free(mates)
    turns = free[:, :3]
    _, values, right = np.linalg.svd(turns) if len(free) else (None, np.zeros(0), np.eye(3))
    turning = int((values > LOOSE).sum())
    if len(free) == 0:
        return "fixed", middle, np.array([0.0, 0.0, 1.0])
    if turning == 0:
        return ("prismatic", middle, _forward(free[0, 3:])) if len(free) == 1 else None
    axis = _forward(right[0])
    if len(free) == 3 and turning == 3:
        at = np.linalg.lstsq(
            np.concatenate([_cross(each[:3]) for each in free]),
            -np.concatenate([each[3:] for each in free]),
            rcond=None,
        )[0]
        return "ball", middle + scale * at, axis
    if turning > 1:
        return None
    if len(free) == 3:
        return "planar", middle, axis
    if len(free) > 2:
        return None
    one = free[int(np.argmax(np.abs(turns @ axis)))]
    turn, slide = one[:3], one[3:]
    along = float(turn @ slide) / float(turn @ turn)
    if len(free) == 1 and abs(along) > 1e-3:
        return None  # a thread
    at = middle + scale * np.cross(turn, slide) / float(turn @ turn)
    if rounds:  # on the axis, in the middle of what is held
        at = at + float((np.mean([mate.point for mate in rounds], axis=0) - at) @ axis) * axis
    if len(free) == 1:
        return "revolute", at, axis
    other = free[1 - int(np.argmax(np.abs(turns @ axis)))]
    slides = other[3:] - slide * float(other[:3] @ turn) / float(turn @ turn)
    if float(np.linalg.norm(np.cross(slides, axis))) > 1e-3 * float(np.linalg.norm(slides)):
        return None
    return "cylindrical", at, axis


def _cross(x: Vector) -> Vector:
    """The matrix of x cross."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def _forward(axis: Vector) -> Vector:
    """The direction with its largest component positive, without rounding dust."""
    unit = axis / np.linalg.norm(axis)
    unit = np.where(np.abs(unit) < 1e-9, 0.0, unit)
    unit = unit / np.linalg.norm(unit)
    found: Vector = unit if unit[int(np.argmax(np.abs(unit)))] > 0.0 else -unit
    return found + 0.0

"""Mechanisms whose inverse kinematics are known in closed form.

arm(...)        two links in the xz plane; two_link(...) gives their angles
wrist_angles    the eight poses of the Puma
four_bar_angles the planar four-bar of `known_mechanisms`, coupler and rocker for a crank
stewart(...)    a platform on six jacks; jack_lengths(...) gives their lengths
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.gallery.puma import LINKS

UPPER, LOWER = 0.5, 0.4
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def arm(scale: float = 1.0, base: bool = False, links: int = 2, **elbow: Any) -> lw.Model:
    """Links in the xz plane about -y, each with its frame at its inner end; "hand" (the last) has its tip at LOWER."""
    model = lw.Model("arm")
    inner: Any = model.ground
    if base:
        inner = model.body("base", mass=5.0, inertia=(0.3 * scale**2,) * 3)
        model.free("float", model.ground, inner)
    lengths = [UPPER] * (links - 1) + [LOWER]
    for k, length in enumerate(lengths):
        link = model.body(
            "hand" if k == links - 1 else f"link {k}",
            mass=1.0,
            inertia=(0.01 * scale**2,) * 3,
            com=(0.5 * length * scale, 0, 0),
        )
        at = (UPPER * scale if k else 0.0, 0, 0)
        options = {"position": 0.3} | elbow if k else {"position": 0.3}
        turned = lw.Frame.along((0, -1, 0))
        model.revolute(f"joint {k}", inner, link, frame_a=lw.Frame(at, turned.rotation), frame_b=turned, **options)
        inner = link
    return model


def two_link(x: float, z: float, bend: float) -> tuple[float, float]:
    """Angles of the two links whose tip is at (x, z); the sign of the elbow is that of `bend`."""
    cosine = (x * x + z * z - UPPER**2 - LOWER**2) / (2 * UPPER * LOWER)
    elbow = math.copysign(math.acos(cosine), bend)
    return math.atan2(z, x) - math.atan2(LOWER * math.sin(elbow), UPPER + LOWER * math.cos(elbow)), elbow


def wrist_angles(hand: lw.Frame) -> list[np.ndarray]:
    """The eight poses of the Puma with this frame of the hand, whose origin is where the axes of the wrist meet."""
    d1, a2, d3, a3, d4 = LINKS[0].d, LINKS[1].a, LINKS[2].d, LINKS[2].a, LINKS[3].d
    x, y, z = hand.position
    found = []
    for side, bend, flip in itertools.product((1, -1), repeat=3):
        out, up = side * math.sqrt(x * x + y * y - d3 * d3), z - d1
        length = math.hypot(a3, d4)
        beta = bend * math.acos((out * out + up * up - a2 * a2 - length * length) / (2 * a2 * length))
        waist = math.atan2(y, x) - math.atan2(-d3, out)
        elbow = beta - math.atan2(d4, a3)
        shoulder = math.atan2(up, out) - math.atan2(length * math.sin(beta), a2 + length * math.cos(beta))
        R = np.eye(3)
        for link, angle in zip(LINKS, (waist, shoulder, elbow), strict=False):
            R = R @ turn(Z, angle) @ turn(X, link.alpha)
        R = R.T @ hand.matrix  # turn about z by the roll, about -y by the bend, about z
        bent = -flip * math.acos(R[2, 2])
        s = math.copysign(1.0, -math.sin(bent))
        roll, last = math.atan2(s * R[1, 2], s * R[0, 2]), math.atan2(s * R[2, 1], -s * R[2, 0])
        found.append(np.array([waist, shoulder, elbow, roll, bent, last]))
    return found


def turn(axis: Any, angle: float) -> np.ndarray:
    return lw.Frame(rotation=(math.cos(angle / 2), *(math.sin(angle / 2) * np.array(axis)))).matrix


def stewart(scale: float = 1.0, stroke: tuple[float, float] | None = None) -> lw.Model:
    """A platform "top" one metre (times `scale`) up on "jack 0" to "jack 5": universal below, ball above."""
    model = lw.Model("stewart", gravity=(0, 0, -9.81))
    top = model.body("top", mass=20.0, inertia=(2.0 * scale**2,) * 3, position=(0, 0, scale))
    feet, heads = feet_and_heads(scale)
    for k, (foot, head) in enumerate(zip(feet, heads, strict=True)):
        head = head + (0, 0, scale)
        way = (head - foot) / np.linalg.norm(head - foot)
        frame = lw.Frame.along(way)
        side, other = frame.direction(X), frame.direction(Y)
        for part, at in (("cylinder", foot + 0.3 * (head - foot)), ("piston", foot + 0.7 * (head - foot))):
            model.body(f"{part} {k}", mass=1.0, inertia=(0.02 * scale**2,) * 3, position=at)
        model.universal(f"foot {k}", "ground", f"cylinder {k}", at=foot, axis=(side, other))
        limits = {} if stroke is None else {"limits": (stroke[0] * scale, stroke[1] * scale)}
        model.prismatic(f"jack {k}", f"cylinder {k}", f"piston {k}", at=foot, axis=way, **limits)
        model.ball(f"head {k}", f"piston {k}", top, at=head)
    return model


def feet_and_heads(scale: float) -> tuple[np.ndarray, np.ndarray]:
    """(6, 3) each: ends of the jacks on the ground, and on the platform in its frame."""
    k = np.arange(6)
    low, high = np.pi / 3 * (k // 2 * 2 + (k % 2) * 0.4), np.pi / 3 * (k // 2 * 2 - 0.8 + (k % 2) * 1.7)
    ring = [np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1) for angle in (low, high)]
    return 1.0 * scale * ring[0], 0.6 * scale * ring[1]


def jack_lengths(frame: lw.Frame, scale: float) -> np.ndarray:
    """How long the jacks are with the platform there, m."""
    feet, heads = feet_and_heads(scale)
    return np.linalg.norm([frame.point(head) - foot for foot, head in zip(feet, heads, strict=True)], axis=1)

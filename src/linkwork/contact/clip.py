"""Faces that meet: the part of one that lies over the other, and four points of it that stand for all."""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.contact_cache import add_contact
from linkwork.spatial.vectors import add_scaled, cross, dot, load3, load9, rotate, store3, sub

SLIVER = 1e-6  # of the squared length of a polygon: corners that close to a line are on it
ON_SIDE = 1e-7  # of its length: so far beyond a side a corner is still on it, as where boxes are stacked in line


@kernel
def facing(colliders, scratch, j, n):
    """Face of collider j that looks most against n."""
    R = load9(scratch.R, j)
    least = math.inf
    face = colliders.face_start[j]
    for f in range(colliders.face_start[j], colliders.face_start[j + 1]):
        x = dot(n, rotate(R, load3(colliders.face_normal, f)))
        if x < least:
            least = x
            face = f
    return face


@kernel
def side(colliders, scratch, f, k, n):
    """A point on side k of face f, and the direction out of the face there."""
    return side_here(colliders, scratch, f, k, n)


@small
def side_here(colliders, scratch, f, k, n):
    first = colliders.face_loop[f]
    a = load3(scratch.vertex, colliders.loop[first + k])
    after = k + 1 if first + k + 1 < colliders.face_loop[f + 1] else 0
    return a, cross(sub(load3(scratch.vertex, colliders.loop[first + after]), a), n)


@kernel
def overlap(colliders, scratch, f, n, g):
    """Corners of face g within the sides of face f (its normal n): how many, and in which half of m.corner."""
    count = colliders.face_loop[g + 1] - colliders.face_loop[g]
    for k in range(count):
        store3(scratch.corner[0], k, load3(scratch.vertex, colliders.loop[colliders.face_loop[g] + k]))
        scratch.tag[0, k] = k
    return cut_by(colliders, scratch, f, n, count)


@small
def cut_by(colliders, scratch, f, n, count):
    """What of the first `count` corners in m.corner[0], a polygon, is within the sides of face f, looking along n."""
    here = 0
    room = scratch.gap.size
    for k in range(colliders.face_loop[f + 1] - colliders.face_loop[f]):
        a, out = side_here(colliders, scratch, f, k, n)
        beyond = ON_SIDE * dot(out, out)
        there = 1 - here
        kept = 0
        for e in range(count):
            after = e + 1 if e + 1 < count else 0
            x = load3(scratch.corner[here], e)
            y = load3(scratch.corner[here], after)
            s = dot(out, sub(x, a))
            t = dot(out, sub(y, a))
            if s <= beyond and kept < room:
                store3(scratch.corner[there], kept, x)
                scratch.tag[there, kept] = scratch.tag[here, e]
                kept += 1
            if (s <= beyond) != (t <= beyond) and kept < room:
                part = min(max(s / (s - t), 0.0), 1.0)
                store3(scratch.corner[there], kept, add_scaled(x, part, sub(y, x)))
                scratch.tag[there, kept] = (
                    37 * scratch.tag[here, e] + 101 * scratch.tag[here, after] + 17 * k + 64
                ) & 0x3FFF
                kept += 1
        here = there
        count = kept
        if count == 0:
            break
    return count, here


@kernel
def four_of(scratch, here, count, n):
    """Four corners that span most: the deepest, the farthest from it, then one on either side of their line."""
    a = 0
    for e in range(count):
        if scratch.gap[e] < scratch.gap[a]:
            a = e
    x = load3(scratch.corner[here], a)
    b = a
    far = -1.0
    for e in range(count):
        d = sub(load3(scratch.corner[here], e), x)
        if dot(d, d) > far:
            far = dot(d, d)
            b = e
    line = cross(n, sub(load3(scratch.corner[here], b), x))
    left = a
    right = a
    most = SLIVER * far
    least = -most
    for e in range(count):
        s = dot(line, sub(load3(scratch.corner[here], e), x))
        if s > most:
            most = s
            left = e
        if s < least:
            least = s
            right = e
    return a, b, left, right


@small
def add_corners(colliders, scratch, contacts, i, j, here, count, n, normal, mark):
    """Contacts of i and j at corners over a face (its normal n), four at most; returns how many."""
    chosen = (0, 1, 2, 3)
    if count > 4:
        chosen = four_of(scratch, here, count, n)
    told = 0
    for k in range(min(count, 4)):
        e = chosen[k]
        if k < 2 or e != chosen[0]:
            gap = scratch.gap[e]
            x = add_scaled(load3(scratch.corner[here], e), -0.5 * gap, n)
            add_contact(colliders, scratch, contacts, i, j, x, normal, -gap, mark + 2 + scratch.tag[here, e])
            told += 1
    return told

"""Cylinders, as round as they are: the points in which one touches a face, an end, an edge, or another's side.

    u    axis of a cylinder          n    unit, out of what it touches       s    their cosine
    r    radius                      t    across u, the lowest way           b    u x t, beside it

A cylinder that lies touches with a line, one that stands with a disc: the part over the face or the end below. Of a
disc four points of its rim stand for all: the lowest, the ones beside it, the one across.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.contact.clip import add_corners, facing, side
from linkwork.contact.contact_cache import across, add_contact
from linkwork.contact.cylinder_axis import APART, ELSEWHERE, END, END_OF_OTHER, FACE, farthest, separation, unit
from linkwork.contact.nearest_points import clamp, nearest_of_segments
from linkwork.spatial.codes import CYLINDER
from linkwork.spatial.vectors import (
    add,
    add_scaled,
    axis_z,
    cross,
    dot,
    load3,
    load9,
    neg,
    norm,
    rotate,
    scale,
    store3,
    sub,
)

FLAT = 0.9998  # cosine of the angle up to which a contact's normal is that of a face
LYING = 0.05  # sine of the angle up to which a cylinder or capsule lies on what it touches: it then touches in a line
LEVEL = 1e-4  # sine of the angle up to which no point of a rim is the lowest
ON_SIDE = 1e-7  # of a length: so far beyond a side or a rim a point is still on it
NEAR = 1e-6  # of corners as low as each other those nearer to the axis count, by so much of their distance
CROSSING = 5  # steps of Newton's method to where two rims cross
THIN = 1e-6  # of a squared radius: so near is there
DEEPER = 1e-6  # of a radius: by so much must a third point of a line be nearer than its ends


@kernel
def cylinder_and_solid(colliders, scratch, contacts, i, j, margin):
    """Contacts of cylinder i with a box, a hull or a cylinder."""
    what, face, n, gap = separation(colliders, scratch, i, j, margin)
    if what == APART:
        return
    if what == ELSEWHERE:
        what, face = flat_near(colliders, scratch, i, j, n)
    found = 0
    if what != ELSEWHERE:
        upper = j if what == END else i
        out = axis_z(load9(scratch.R, i if what == END else j))
        if what == FACE:
            out = rotate(load9(scratch.R, j), load3(colliders.face_normal, face))
        elif (dot(n, out) > 0.0) != (what == END):
            out = neg(out)
        found = on_flat(colliders, scratch, contacts, i, j, upper, face if what == FACE else -1, out, margin)
    if found == 0:
        elsewhere(colliders, scratch, contacts, i, j, n, gap, margin)


@kernel
def flat_near(colliders, scratch, i, j, n):
    """Face or end whose normal is nearly n: it carries if anything is over it."""
    if colliders.kind[j] != CYLINDER:
        face = facing(colliders, scratch, j, n)
        if dot(n, rotate(load9(scratch.R, j), load3(colliders.face_normal, face))) < -FLAT:
            return FACE, face
    elif abs(dot(n, axis_z(load9(scratch.R, j)))) > FLAT:
        return END_OF_OTHER, -1
    if abs(dot(n, axis_z(load9(scratch.R, i)))) > FLAT:
        return END, -1
    return ELSEWHERE, -1


@kernel
def on_flat(colliders, scratch, contacts, i, j, upper, face, n, margin):
    """Contacts of the one of i and j that lies on the other's face (or end, -1), n out of it; how many."""
    lower = j if upper == i else i
    normal = n if lower == i else neg(n)
    base = (
        load3(scratch.vertex, colliders.loop[colliders.face_loop[face]])
        if face >= 0
        else farthest_centre(colliders, scratch, lower, n)
    )
    if colliders.kind[upper] == CYLINDER:
        u = axis_z(load9(scratch.R, upper))
        s = dot(u, n)
        if abs(s) < LYING:
            return line_on_flat(colliders, scratch, contacts, i, j, upper, lower, face, base, n, normal, margin)
        count = disc_on_flat(colliders, scratch, upper, lower, face, base, n, margin)
    else:
        count = face_on_end(colliders, scratch, upper, lower, base, n, margin)
    return add_corners(colliders, scratch, contacts, i, j, 0, count, n, normal, 0 if lower == i else 0x8000)


@kernel
def farthest_centre(colliders, scratch, i, n):
    """Centre of the end of cylinder i that looks along n."""
    u = axis_z(load9(scratch.R, i))
    return add_scaled(load3(scratch.p, i), math.copysign(colliders.size[i, 1], dot(u, n)), u)


@kernel
def within(colliders, scratch, lower, face, base, n, x, except_side):
    """Whether x is over a face, or over an end (-1)."""
    if face < 0:
        d = sub(x, base)
        d = add_scaled(d, -dot(d, n), n)
        return norm(d) <= (1.0 + ON_SIDE) * colliders.size[lower, 0]
    for k in range(colliders.face_loop[face + 1] - colliders.face_loop[face]):
        if k != except_side:
            a, out = side(colliders, scratch, face, k, n)
            if dot(out, sub(x, a)) > ON_SIDE * dot(out, out):
                return False
    return True


@kernel
def mark(scratch, count, x, gap, tag, margin):
    """A corner for the choice of four, where it is near; returns how many there are now."""
    if gap >= margin or count == scratch.gap.size:
        return count
    store3(scratch.corner[0], count, x)
    scratch.gap[count] = gap
    scratch.tag[0, count] = tag
    return count + 1


@kernel
def over_flat(colliders, scratch, lower, face, base, n, x, dx):
    """The part (from, to) of the segment x … x + dx that is over a face or an end."""
    low = 0.0
    high = 1.0
    if face < 0:
        return over_disc(base, n, colliders.size[lower, 0], x, dx)
    for k in range(colliders.face_loop[face + 1] - colliders.face_loop[face]):
        y, out = side(colliders, scratch, face, k, n)
        s = dot(out, sub(x, y))
        ds = dot(out, dx)
        if ds > 0.0:
            high = min(high, -s / ds)
        elif ds < 0.0:
            low = max(low, -s / ds)
        elif s > 0.0:
            high = -1.0
    return low, high


@kernel
def over_disc(centre, n, r, x, dx):
    """The part of the segment that is over a disc."""
    d = sub(x, centre)
    d = add_scaled(d, -dot(d, n), n)
    w = add_scaled(dx, -dot(dx, n), n)
    ww = dot(w, w)
    if ww == 0.0:
        return 0.0, (1.0 if dot(d, d) <= r * r else -1.0)
    middle = -dot(d, w) / ww
    more = middle * middle - (dot(d, d) - r * r) / ww
    if more < 0.0:
        return 0.0, -1.0
    half = math.sqrt(more)
    return max(0.0, middle - half), min(1.0, middle + half)


@kernel
def line_on_flat(colliders, scratch, contacts, i, j, upper, lower, face, base, n, normal, margin):
    """The lowest line of a cylinder that lies: its ends, or where it leaves what it lies on."""
    u = axis_z(load9(scratch.R, upper))
    t = unit(add_scaled(scale(dot(n, u), u), -1.0, n))
    x = add_scaled(add_scaled(load3(scratch.p, upper), -colliders.size[upper, 1], u), colliders.size[upper, 0], t)
    dx = scale(2.0 * colliders.size[upper, 1], u)
    low, high = over_flat(colliders, scratch, lower, face, base, n, x, dx)
    found = 0
    if high < low:
        return found
    for k in range(2):
        y = add_scaled(x, low if k == 0 else high, dx)
        gap = dot(n, sub(y, base))
        if gap < margin and (k == 0 or high - low > LYING * LYING):
            add_contact(colliders, scratch, contacts, i, j, add_scaled(y, -0.5 * gap, n), normal, -gap, 0x4000 + k)
            found += 1
    return found


@kernel
def disc_on_flat(colliders, scratch, upper, lower, face, base, n, margin):
    """Corners of the disc of a cylinder that stands, over a face or an end: of its rim, of the rim below, of both."""
    u = axis_z(load9(scratch.R, upper))
    r = colliders.size[upper, 0]
    s = dot(u, n)
    centre = farthest_centre(colliders, scratch, upper, neg(n))
    t = add_scaled(scale(s, u), -1.0, n)
    lean = norm(t)
    t = scale(1.0 / lean, t) if lean > LEVEL else across(u)
    b = cross(u, t)
    tag = 0x100 if lean > LEVEL else 0x104
    count = 0
    for k in range(4):
        x = add_scaled(centre, r if k < 2 else -r, t if k % 2 == 0 else b)
        if within(colliders, scratch, lower, face, base, n, x, -1):
            count = mark(scratch, count, x, dot(n, sub(x, base)), tag + k, margin)
    if face < 0:
        return rim_over_end(colliders, scratch, lower, base, n, margin, centre, u, r, count)
    for k in range(colliders.face_loop[face + 1] - colliders.face_loop[face]):
        a, out = side(colliders, scratch, face, k, n)
        # a corner that the disc is over
        h = dot(u, sub(centre, a)) / s
        x = add_scaled(a, h, n)
        if norm(sub(x, centre)) < r:
            count = mark(scratch, count, x, h, 0x400 + k, margin)
        # where the rim crosses a side: A cos + B sin = C
        A = r * dot(out, t)
        B = r * dot(out, b)
        C = dot(out, sub(a, centre))
        size = math.sqrt(A * A + B * B)
        if abs(C) < size:
            middle = math.atan2(B, A)
            half = math.acos(C / size)
            for e in range(2):
                angle = middle + (half if e == 0 else -half)
                x = add_scaled(add_scaled(centre, r * math.cos(angle), t), r * math.sin(angle), b)
                if within(colliders, scratch, lower, face, base, n, x, k):
                    count = mark(scratch, count, x, dot(n, sub(x, base)), 0x800 + 2 * k + e, margin)
    return count


@kernel
def rim_over_end(colliders, scratch, lower, base, n, margin, centre, u, r, count):
    """Corners of a disc (centre, axis u, radius r) over the end of a cylinder: where rims cross, and the rim below."""
    R = colliders.size[lower, 0]
    d = sub(base, centre)
    d = add_scaled(d, -dot(d, n), n)
    far = norm(d)
    if abs(r - R) < far < r + R:
        # as circles seen along n; then up and down the rim that leans
        along = 0.5 * (far + (r - R) * (r + R) / far)
        aside = math.sqrt(max(0.0, r * r - along * along))
        w = cross(n, d)
        for k in range(2):
            x = add_scaled(scale(along / far, d), (aside if k == 0 else -aside) / far, w)
            t = unit(add_scaled(x, -dot(x, u), u))
            off = math.inf
            for _ in range(CROSSING):
                x = add_scaled(centre, r, t)
                q = sub(x, base)
                q = add_scaled(q, -dot(q, n), n)
                b = cross(u, t)
                off = dot(q, q) - R * R
                turn = 2.0 * r * dot(q, b)
                if abs(turn) < THIN * r * r:
                    break
                t = unit(add_scaled(t, -off / turn, b))
            if abs(off) < THIN * R * R:
                count = mark(scratch, count, x, dot(n, sub(x, base)), 0x200 + k, margin)
    if far < r:
        w = across(n)
        for k in range(4):
            x = add_scaled(base, R if k < 2 else -R, w if k % 2 == 0 else cross(n, w))
            h = dot(u, sub(centre, x)) / dot(u, n)
            x = add_scaled(x, h, n)
            if norm(sub(x, centre)) < r:
                count = mark(scratch, count, x, h, 0x204 + k, margin)
    return count


@kernel
def face_on_end(colliders, scratch, upper, lower, base, n, margin):
    """Corners of the face of a box or hull that is over the end of a cylinder: its own, on the rim, or of the rim."""
    g = facing(colliders, scratch, upper, n)
    out = rotate(load9(scratch.R, upper), load3(colliders.face_normal, g))
    r = colliders.size[lower, 0]
    s = dot(out, n)
    first = colliders.face_loop[g]
    sides = colliders.face_loop[g + 1] - first
    count = 0
    for k in range(sides):
        a = load3(scratch.vertex, colliders.loop[first + k])
        ab = sub(load3(scratch.vertex, colliders.loop[first + (k + 1 if k + 1 < sides else 0)]), a)
        low, high = over_disc(base, n, r, a, ab)
        if low < high:
            x = add_scaled(a, low, ab)
            count = mark(scratch, count, x, dot(n, sub(x, base)), 0x400 + 2 * k, margin)
            if high < 1.0:
                x = add_scaled(a, high, ab)
                count = mark(scratch, count, x, dot(n, sub(x, base)), 0x401 + 2 * k, margin)
    t = add_scaled(out, -s, n)
    lean = norm(t)
    t = scale(1.0 / lean, t) if lean > LEVEL else across(n)
    for k in range(4):
        x = add_scaled(base, r if k < 2 else -r, t if k % 2 == 0 else cross(n, t))
        h = dot(out, sub(load3(scratch.vertex, colliders.loop[first]), x)) / s
        if within(colliders, scratch, upper, g, base, out, x, -1):
            count = mark(scratch, count, add_scaled(x, h, n), h, 0x100 + k, margin)
    return count


@kernel
def lowest_edge(colliders, scratch, i, j, n):
    """The corner of j that is lowest along n, and from there the edge that rises least, near cylinder i: (x, dx)."""
    p = load3(scratch.p, i)
    u = axis_z(load9(scratch.R, i))
    least = math.inf
    x = p
    for k in range(colliders.vertex_start[j], colliders.vertex_start[j + 1]):
        y = load3(scratch.vertex, k)
        height = dot(n, y) + NEAR * norm(cross(u, sub(y, p)))
        if height < least:
            least = height
            x = y
    least = math.inf
    dx = (0.0, 0.0, 0.0)
    for k in range(colliders.vertex_start[j], colliders.vertex_start[j + 1]):
        y = load3(scratch.vertex, k)
        d = sub(y, x)
        far = norm(d)
        if far > 0.0 and dot(n, d) + NEAR * norm(cross(u, sub(y, p))) < least * far:
            least = (dot(n, d) + NEAR * norm(cross(u, sub(y, p)))) / far
            dx = d
    return x, dx


@kernel
def elsewhere(colliders, scratch, contacts, i, j, n, gap, margin):
    """Contacts of a side or rim of cylinder i with an edge or corner of j, or with its side or rim."""
    u = axis_z(load9(scratch.R, i))
    r = 0.0
    if colliders.kind[j] == CYLINDER:
        v = scale(2.0 * colliders.size[j, 1], axis_z(load9(scratch.R, j)))
        y = add_scaled(load3(scratch.p, j), -0.5, v)
        r = colliders.size[j, 0]
    else:
        y, v = lowest_edge(colliders, scratch, i, j, n)
    on_rim = abs(dot(n, u)) >= LYING
    if on_rim or abs(dot(n, v)) >= LYING * norm(v):
        x = farthest(colliders, scratch, i if on_rim else j, n if on_rim else neg(n))
        add_contact(
            colliders, scratch, contacts, i, j, add_scaled(x, 0.5 * gap if on_rim else -0.5 * gap, n), n, -gap, 0
        )
        return
    a = add_scaled(load3(scratch.p, i), -colliders.size[i, 1], u)
    u = scale(2.0 * colliders.size[i, 1], u)
    if alongside(colliders, scratch, contacts, i, j, a, u, colliders.size[i, 0], y, v, r, n, margin) == 0:
        # across each other
        if r > 0.0:
            y = add_scaled(y, -r, n)
        s, t = nearest_of_segments(add_scaled(a, colliders.size[i, 0], n), u, y, v)
        x = scale(0.5, add(add_scaled(add_scaled(a, colliders.size[i, 0], n), s, u), add_scaled(y, t, v)))
        add_contact(colliders, scratch, contacts, i, j, x, n, -gap, 0)


@kernel
def alongside(colliders, scratch, contacts, i, j, a, u, r_a, b, v, r_b, n, margin):
    """Two round bars (or an edge, r = 0) side by side, n between them: contacts where they begin and end; how many.

    Bars a little askew are nearest between these: that is a third.
    """
    if norm(cross(u, v)) > LYING * norm(u) * norm(v):
        return 0
    uu = dot(u, u)
    vv = dot(v, v)
    s0 = dot(u, sub(b, a)) / uu
    s1 = dot(u, sub(add(b, v), a)) / uu
    low = max(0.0, min(s0, s1))
    high = min(1.0, max(s0, s1))
    if high - low < LYING * LYING:
        return 0
    s, _ = nearest_of_segments(a, u, b, v)
    found = 0
    least = math.inf
    for k in range(3):
        x = add_scaled(a, low if k == 0 else (high if k == 1 else s), u)
        y = add_scaled(b, clamp(dot(v, sub(x, b)) / vv, 0.0, 1.0), v)
        d = sub(y, x)
        far = norm(d)
        # one through the other: apart as all of them are
        if far < 0.5 * (r_a + r_b) or dot(d, n) < 0.0:
            return found
        gap = far - r_a - r_b
        if k == 2 and gap > least - DEEPER * r_a:
            return found
        least = min(least, gap)
        if gap < margin:
            w = scale(1.0 / far, d)
            add_contact(colliders, scratch, contacts, i, j, add_scaled(x, r_a + 0.5 * gap, w), w, -gap, 1 + k)
            found += 1
    return found

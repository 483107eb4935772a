"""How a contact moves within a step: the points of two links that touch, and the rate that their turning adds.

    p v w    centre of a collider, velocity of a point, angular velocity        h    length of the step
    r        from p to the point that touches                                   n    normal
    u        axis of a capsule or cylinder                                      t    perpendicular to u, along n

With its velocity kept, a link carries its point by h v only to first order. A corner is fixed in its link and moves on
a circle; the point where a ball touches stays below its centre; that of a rim follows the lowest point of the rim, that
of an ellipsoid its lowest point. So

    normal      the gap at the end of the step counts, not the one that h v predicts
    tangent     so too for points that are fixed in their link; for others the velocity of the points that touch
                vanishes halfway, v = -(w x dr + h a) / 2, dr the change of r

Impulses that hold such a point then do no work: wheels, coins and tops that roll keep their energy.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.round.ellipsoid_points import support_of
from linkwork.spatial.codes import CAPSULE, CYLINDER, ELLIPSOID, SPHERE
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    axis_z,
    cross,
    dot,
    load3,
    load9,
    load_pair,
    norm,
    scale,
    store3,
    sub,
)

LEVEL_RIM = 1e-4  # sine of the angle up to which no point of a rim is the lowest
SAME_SIDE = 0.5  # cosine of the angle up to which the lowest point of a rim has moved along it, not changed sides


@small
def turning(w, h, r):
    """Change of the vector r that turns with w for h (Rodrigues)."""
    k = scale(h, w)
    kk = dot(k, k)
    if kk < 1e-3:
        s = 1.0 - kk / 6.0 + kk * kk / 120.0
        c = 0.5 - kk / 24.0 + kk * kk / 720.0
    else:
        a = math.sqrt(kk)
        s = math.sin(a) / a
        c = (1.0 - math.cos(a)) / kk
    x = cross(k, r)
    return add_scaled(scale(s, x), c, cross(k, x))


@kernel
def rim_turning(u, n, w, h, r):
    """Change of the arm r of a cylinder's point while its axis u turns: it keeps its place beside the lowest point."""
    du = turning(w, h, u)
    after = add(u, du)
    t = add_scaled(n, -dot(n, u), u)
    t_after = add_scaled(n, -dot(n, after), after)
    wide = norm(t)
    wide_after = norm(t_after)
    if wide < LEVEL_RIM or wide_after < LEVEL_RIM:
        return turning(w, h, r)
    t = scale(1.0 / wide, t)
    t_after = scale(1.0 / wide_after, t_after)
    if dot(t, t_after) < SAME_SIDE:
        return turning(add_scaled(w, -dot(w, u), u), h, r)
    dr = add_scaled(scale(dot(r, u), du), dot(r, t), sub(t_after, t))
    return add_scaled(dr, dot(r, cross(u, t)), sub(cross(after, t_after), cross(u, t)))


@kernel
def ellipsoid_support_shift(R, s, n, w, h, r):
    """Change of the arm r of an ellipsoid's point while it turns: it stays where its normal is along n."""
    before, _ = support_of(R, s, n)
    # seen from the ellipsoid it is n that turns back
    after, _ = support_of(R, s, add(n, turning(scale(-1.0, w), h, n)))
    dr = sub(add(after, turning(w, h, after)), before)
    return dr if dot(r, n) >= 0.0 else scale(-1.0, dr)


@small
def arm_change(colliders, scratch, i, n, w, h, r):
    """Change of the arm r from the centre of collider i to its point that touches."""
    kind = colliders.kind[i]
    if kind == SPHERE:
        return ZERO
    if kind == ELLIPSOID:
        return ellipsoid_support_shift(load9(scratch.R, i), load3(colliders.size, i), n, w, h, r)
    u = axis_z(load9(scratch.R, i))
    if kind == CAPSULE:
        # the place on its axis around which it is round; at an end r reaches beyond, by the radius
        half = colliders.size[i, 1]
        return scale(min(max(dot(r, u), -half), half), turning(w, h, u))
    if kind == CYLINDER:
        return rim_turning(u, n, w, h, r)
    return turning(w, h, r)


@kernel
def point_motion(colliders, work, coast, scratch, i, x, n, h):
    """What the motion of the touching point x of collider i adds to h v within the step, m; and its rate halfway."""
    link = colliders.link[i]
    if link == 0:
        return ZERO, ZERO
    w, _ = load_pair(work.pose_v, link)
    alpha, b = load_pair(coast, link)
    p = load3(scratch.p, i)
    d = sub(p, load3(work.pose_p, link))
    r = sub(x, p)
    a = add(b, add(cross(alpha, add(d, r)), cross(w, cross(w, d))))
    dr = arm_change(colliders, scratch, i, n, w, h, r)
    more = add_scaled(add_scaled(dr, -h, cross(w, r)), 0.5 * h * h, a)
    kind = colliders.kind[i]
    rolls = kind == SPHERE or kind == CAPSULE or kind == ELLIPSOID
    if kind == CYLINDER:
        rolls = norm(cross(n, axis_z(load9(scratch.R, i)))) > LEVEL_RIM
    if rolls:
        return more, add_scaled(scale(0.5, cross(w, dr)), 0.5 * h, a)
    return more, scale(1.0 / h, more)


@kernel
def set_velocity_bias(colliders, work, coast, scratch, contacts, i, j, e, h):
    """The rate of contact e of colliders i and j with which its points keep together until the end of the step."""
    x = load3(contacts.point, e)
    n = load3(contacts.normal, e)
    more_i, rate_i = point_motion(colliders, work, coast, scratch, i, x, n, h)
    more_j, rate_j = point_motion(colliders, work, coast, scratch, j, x, n, h)
    velocity_bias = sub(rate_i, rate_j)
    along = dot(n, sub(more_i, more_j)) / h - dot(n, velocity_bias)
    store3(contacts.velocity_bias, e, add_scaled(velocity_bias, along, n))

"""Rows of wheels that roll without slipping: the rim of a disc on a plane, and two wheels on each other.

    n   normal of the plane, z of frame a                 e     axis of the disc, z of frame b; of a pair z of frame a
    k   from the centre of the disc to its lowest point   sine  of the angle between disc and plane; 0 where it is flat
    x   contact point                                     u     velocity of b less that of a, of the points now at x

All these rows act by a force at the contact point, and gd = f . u with its direction f. That the lowest point stays on
the plane is a row of positions, whose rate has this form because the point is the lowest. The others are rows of
velocities: their g is 0, for no position is forbidden, while gd and gdd are what they say.
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.mechanics.rows.constraint_rows import cut_frames, point_acceleration, point_velocity
from linkwork.spatial.codes import RIM, TANGENT
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    axis_z,
    column,
    cross,
    dot,
    load3,
    load_pair,
    norm,
    scale,
    store_pair,
    sub,
)

TINY = 1e-13  # a sine, or m: below this there is no direction
SOON = 2.0  # steps within which a disc must not come to lie flat


@small
def rolls(cuts, c):
    """Whether cut c is a wheel that rolls."""
    return cuts.cut_row[c] < cuts.cut_row[c + 1] and cuts.row_kind[cuts.cut_row[c]] >= RIM


@small
def lowest(n, e):
    """k and sine; of a disc that lies flat k is zero."""
    m = add_scaled(n, -dot(n, e), e)
    sine = norm(m)
    return (scale(-1.0 / sine, m) if sine > TINY else ZERO), sine


@small
def contact_point(cuts, r, R_a, p_a, R_b, p_b):
    """x of the cut whose first row is r."""
    if cuts.row_kind[r] == TANGENT:
        return add_scaled(p_a, cuts.row_pitch[r], sub(p_b, p_a))
    k, _ = lowest(axis_z(R_a), axis_z(R_b))
    return add_scaled(p_b, cuts.row_pitch[r], k)


@small
def unit_rate(m, md):
    """The direction of m, and its rate where that of m is md."""
    size = max(norm(m), TINY)
    f = scale(1.0 / size, m)
    return f, scale(1.0 / size, add_scaled(md, -dot(f, md), f))


@small
def direction(cuts, r, R_a, d):
    """Direction of the force of row r on b."""
    if cuts.row_kind[r] == TANGENT:
        f, _ = unit_rate(cross(axis_z(R_a), d), ZERO)
        return f
    return column(R_a, cuts.row_i[r])


@kernel
def rolling_values(cuts, work, g, W):
    """g and W of every row of a wheel that rolls; needs the links' poses."""
    for c in range(cuts.cut_a.size):
        if not rolls(cuts, c):
            continue
        R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
        x = contact_point(cuts, cuts.cut_row[c], R_a, p_a, R_b, p_b)
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            f = direction(cuts, r, R_a, sub(p_b, p_a))
            g[r] = dot(sub(x, p_a), f) if cuts.row_kind[r] == RIM else 0.0
            store_pair(W, r, cross(x, f), f)


@kernel
def rolling_rates(cuts, work, gd):
    """Velocity level: gd of every row of a wheel that rolls."""
    for c in range(cuts.cut_a.size):
        if not rolls(cuts, c):
            continue
        R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
        x = contact_point(cuts, cuts.cut_row[c], R_a, p_a, R_b, p_b)
        _, u_a = point_velocity(work, cuts.cut_a[c], x)
        _, u_b = point_velocity(work, cuts.cut_b[c], x)
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            gd[r] = dot(sub(u_b, u_a), direction(cuts, r, R_a, sub(p_b, p_a)))


@small
def contact_velocity(cuts, work, c, R_a, p_a, R_b, p_b):
    """Velocity with which the contact point of cut c moves: not that of a point of a or b."""
    r = cuts.cut_row[c]
    w_a, u_a = point_velocity(work, cuts.cut_a[c], p_a)
    w_b, u_b = point_velocity(work, cuts.cut_b[c], p_b)
    if cuts.row_kind[r] == TANGENT:
        return add_scaled(u_a, cuts.row_pitch[r], sub(u_b, u_a))
    n = axis_z(R_a)
    e = axis_z(R_b)
    nd = cross(w_a, n)
    ed = cross(w_b, e)
    along = dot(n, e)
    md = add_scaled(add_scaled(nd, -along, ed), -(dot(nd, e) + dot(n, ed)), e)
    _, kd = unit_rate(add_scaled(n, -along, e), md)
    return add_scaled(u_b, -cuts.row_pitch[r], kd)


@small
def rate_at_contact(work, i, x, xd):
    """Velocity of the point of link i now at x, and the rate of that velocity while x moves by xd along the link."""
    w, u = point_velocity(work, i, x)
    _, b = point_acceleration(work, i, x)
    return u, add(b, cross(w, sub(xd, u)))


@small
def turning_at_contact(work, i, x, xd):
    """As `rate_at_contact`, of a link that has no accelerations."""
    w, u = point_velocity(work, i, x)
    b = cross(w, cross(w, sub(x, load3(work.pose_p, i))))
    return u, add(b, cross(w, sub(xd, u)))


@small
def direction_rate(cuts, work, c, r, R_a, p_a, p_b):
    """Direction of the force of row r of wheel c, and its rate."""
    d = sub(p_b, p_a)
    w_a, v_a = point_velocity(work, cuts.cut_a[c], p_a)
    if cuts.row_kind[r] != TANGENT:
        f = direction(cuts, r, R_a, d)
        return f, cross(w_a, f)
    e = axis_z(R_a)
    _, v_b = point_velocity(work, cuts.cut_b[c], p_b)
    return unit_rate(cross(e, d), add(cross(cross(w_a, e), d), cross(e, sub(v_b, v_a))))


@kernel
def rolling_accelerations(cuts, work, gdd):
    """Acceleration level: gdd of every row of a wheel that rolls, for the links' present accelerations."""
    for c in range(cuts.cut_a.size):
        if not rolls(cuts, c):
            continue
        R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
        x = contact_point(cuts, cuts.cut_row[c], R_a, p_a, R_b, p_b)
        xd = contact_velocity(cuts, work, c, R_a, p_a, R_b, p_b)
        u_a, ud_a = rate_at_contact(work, cuts.cut_a[c], x, xd)
        u_b, ud_b = rate_at_contact(work, cuts.cut_b[c], x, xd)
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            f, fd = direction_rate(cuts, work, c, r, R_a, p_a, p_b)
            gdd[r] = dot(sub(ud_b, ud_a), f) + dot(sub(u_b, u_a), fd)


@kernel
def rolling_bias(cuts, work, c, r):
    """What of gdd of row r of wheel c comes from velocities."""
    R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
    x = contact_point(cuts, cuts.cut_row[c], R_a, p_a, R_b, p_b)
    xd = contact_velocity(cuts, work, c, R_a, p_a, R_b, p_b)
    u_a, ud_a = turning_at_contact(work, cuts.cut_a[c], x, xd)
    u_b, ud_b = turning_at_contact(work, cuts.cut_b[c], x, xd)
    f, fd = direction_rate(cuts, work, c, r, R_a, p_a, p_b)
    return dot(sub(ud_b, ud_a), f) + dot(sub(u_b, u_a), fd)


@small
def rolling_wrench(cuts, c, r, R_a, p_a, R_b, p_b):
    """W of row r of wheel c: torque about the world's origin, force; and the contact point."""
    x = contact_point(cuts, cuts.cut_row[c], R_a, p_a, R_b, p_b)
    f = direction(cuts, r, R_a, sub(p_b, p_a))
    return cross(x, f), f, x


@kernel
def falls_flat(cuts, work, h):
    """First row of a disc that lies on its plane, or will within the next steps of h; -1 where there is none.

    Lying flat it has no lowest point: beyond, its opposite side would be that.
    """
    for c in range(cuts.cut_a.size):
        if not rolls(cuts, c) or cuts.row_kind[cuts.cut_row[c]] == TANGENT:
            continue
        R_a, _, R_b, _ = cut_frames(cuts, work, c)
        n = axis_z(R_a)
        e = axis_z(R_b)
        _, sine = lowest(n, e)
        w_a, _ = load_pair(work.pose_v, cuts.cut_a[c])
        w_b, _ = load_pair(work.pose_v, cuts.cut_b[c])
        # rate of sine: sine^2 + cosine^2 = 1
        cosine = dot(n, e)
        rate = -cosine * dot(sub(w_b, w_a), cross(e, n)) / max(sine, TINY)
        if sine <= TINY or sine + SOON * h * rate <= 0.0:
            return cuts.cut_row[c]
    return -1

"""Tyres: a spring against the road that never pulls, side force and aligning torque by the Calspan formulas.

    p u w    centre of the wheel, its velocity, angular velocity of the body     a    axis of the wheel
    ng       normal of the road under the centre                                 ex   forward: along the road, across a
    ey       the axis laid into the road                                         ez   spoke from the contact up
    load     force along ng                  slip, camber   angles               c    point of contact

Sources of the formulas: the Iltis benchmark of the IAVSD (Frik, Leister, Schwartz, VSD 22 (1993) 215-253).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.mechanics.forces.roads import road_at
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load9,
    load_pair,
    norm,
    rotate,
    scale,
    sub,
)

LYING = 0.5  # cosine of the camber up to which the contact moves sideways
TURN = 1e-6  # rad, for the slope over the slip
SLOW = 0.5  # m/s: below this forward speed slip is counted as if the wheel rolled so fast


@kernel
def side_force(side, s, load, slip, camber):
    """Side force (N) and aligning torque (N m) of the tyre in row s of the table `side`."""
    if load <= 0.0:
        return 0.0, 0.0
    a0 = side[s, 0]
    a1 = side[s, 1]
    a2 = side[s, 2]
    a3 = side[s, 3]
    a4 = side[s, 4]
    friction = (side[s, 6] * load + side[s, 7] + side[s, 8] * load * load) * side[s, 9]
    z = min(load, side[s, 5] * a2)  # beyond it the stiffness stays as it is
    D = a1 * z * (z - a2) - a0 * a2
    lean = -a2 * a3 * (a4 - z) * z / (a4 * D) * camber  # slip that would push as the camber does
    x = D / (a2 * friction * load) * (slip + lean)
    if abs(x) < 3.0:
        g = x - x * abs(x) / 3.0 + x * x * x / 27.0
    else:
        g = math.copysign(1.0, x)
    F = friction * load * g
    return F, (side[s, 10] * load + side[s, 11] * abs(F)) * F


@kernel
def footing(forces, laws, k, p, a, u, t, law_input, out):
    """How tyre k stands: pressed in by r, rate of r, normal and its share upright, forward, sideways, camber, contact.

    The road is felt under the centre.
    """
    first = forces.tyre_road[k]
    z, zx, zy, zt = road_at(forces, laws, first, forces.tyre_road[k + 1], p[0], p[1], t, law_input, out)
    height = p[2] - z
    cosine = 1.0 / math.sqrt(1.0 + zx * zx + zy * zy)
    ng = (-zx * cosine, -zy * cosine, cosine)
    ex = cross(a, ng)
    ex = scale(1.0 / max(norm(ex), 1e-9), ex)
    ey = cross(ng, ex)
    ez = cross(ex, a)
    upright = dot(ng, ez)
    c = add_scaled(p, -height * cosine / max(upright, LYING), ez)
    rate = zx * u[0] + zy * u[1] + zt - u[2]
    return forces.tyre_radius[k] - height, rate, ng, cosine, ex, ey, math.atan2(dot(ng, a), upright), c


@small
def rolling(u, ex, ey):
    """Slip angle, how fast it goes with the side velocity (s/m), and 1 or -1 where the wheel rolls on or back."""
    ahead = dot(u, ex)
    side = dot(u, ey)
    speed = max(abs(ahead), SLOW)
    return math.atan2(side, speed), speed / (speed * speed + side * side), min(max(ahead / SLOW, -1.0), 1.0)


@kernel
def contact(forces, laws, k, p, a, w, u, t, law_input, out):
    """What the road does to tyre k: contact point, force there, torque, load, power wasted, power fed in.

    A pure function of the wheel's place and motion. The load is (stiffness r + damping dr/dt) times the cosine of the
    slope.
    """
    r, rate, ng, cosine, ex, ey, camber, c = footing(forces, laws, k, p, a, u, t, law_input, out)
    if r <= 0.0:
        return p, ZERO, ZERO, 0.0, 0.0, 0.0
    elastic = forces.tyre_k[k] * r
    push = max(elastic + forces.tyre_c[k] * rate, 0.0)  # a damper may not hold the tyre down
    load = push * cosine
    f = scale(load, ng)
    v = add(u, cross(w, sub(c, p)))
    wasted = (push - elastic) * rate
    fed = load * dot(ng, v) + push * rate
    n = ZERO
    s = forces.tyre_side[k]
    if s >= 0:
        slip, _, rolls = rolling(u, ex, ey)
        # a wheel that stands leans without pushing, and its print trails behind, which way ever it rolls
        F, M = side_force(forces.side, s, load, slip, camber * abs(rolls))
        M *= rolls
        f = add_scaled(f, F, ey)
        n = scale(M, ng)
        wasted -= F * dot(ey, v) + M * dot(ng, w)
    return c, f, n, load, wasted, fed


@kernel
def contact_slopes(forces, laws, k, p, a, u, t, law_input, out):
    """How the force on tyre k gives way, for implicit methods: contact; normal with N/m and N s/m; side with N s/m.

    The force changes by -normal (K normal . shift + C normal . velocity) - side (C_s side . velocity) of the contact;
    what the curvature of the road, the camber and the load do to the side force is left out.
    """
    r, rate, ng, cosine, ex, ey, camber, c = footing(forces, laws, k, p, a, u, t, law_input, out)
    push = forces.tyre_k[k] * r + forces.tyre_c[k] * rate
    if r <= 0.0 or push <= 0.0:
        return c, ng, 0.0, 0.0, ey, 0.0
    s = forces.tyre_side[k]
    side = 0.0
    if s >= 0:
        slip, per, rolls = rolling(u, ex, ey)
        load = push * cosine
        here, _ = side_force(forces.side, s, load, slip, camber * abs(rolls))
        there, _ = side_force(forces.side, s, load, slip + TURN, camber * abs(rolls))
        side = (here - there) / TURN * per
    return c, ng, forces.tyre_k[k], forces.tyre_c[k], ey, side


@kernel
def tyre_place(forces, work, k):
    """Centre, axis, angular velocity, velocity of the centre of tyre k; world."""
    i = forces.tyre_link[k]
    X = load9(work.pose_R, i)
    lever = rotate(X, load3(forces.tyre_point, k))
    w, u = load_pair(work.pose_v, i)
    return (
        add(load3(work.pose_p, i), lever),
        rotate(X, load3(forces.tyre_axis, k)),
        w,
        add(u, cross(w, lever)),
    )


@kernel
def tyre_energy(forces, laws, k, p, t, law_input, out):
    """J stored in tyre k."""
    z, _, _, _ = road_at(forces, laws, forces.tyre_road[k], forces.tyre_road[k + 1], p[0], p[1], t, law_input, out)
    r = max(forces.tyre_radius[k] - p[2] + z, 0.0)
    return 0.5 * forces.tyre_k[k] * r * r

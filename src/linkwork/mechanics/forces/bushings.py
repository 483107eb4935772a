"""Bushings: six springs with dampers, each on a combination of shifts and turns of b against a.

    R p      axes of the frame on a, origin of the frame on b; world        d     shift: p from the frame on a, in R
    phi      turn: the rotation vector of the frame on b in R               F_i   what spring i feels of d and phi
    y_i      F_i . (d, phi), stretch of spring i                            w     angular velocity of b against a, in R

The energy is 1/2 sum k_i y_i^2. The rate of phi is L w with L = 1 - 1/2 [phi] + g [phi]^2, the inverse of the left
Jacobian of rotations, and that of d is the velocity of b against a at p. So a unit of pull along y_i is the torque
R L^T F_phi and the force R F_d at p, on both bodies, and what the springs do is exactly the change of their energy.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.mechanics.rows.constraint_rows import point_velocity
from linkwork.spatial.quaternions import quaternion_of
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load9,
    multiply,
    norm,
    rotate,
    scale,
    sub,
    transpose,
    unrotate,
)

SPRINGS = 6  # of a bushing
SMALL_TURN = 0.05  # rad: below it g by its series
NO_TURN = 1e-8  # half an angle of which the sine is the angle


@kernel
def rotation_vector(R):
    """The rotation vector of R, of at most half a turn."""
    e = quaternion_of(R)
    v = (e[1], e[2], e[3])
    s = norm(v)
    return scale(2.0 * math.atan2(s, e[0]) / s if s > NO_TURN else 2.0, v)


@kernel
def turn_gradient(phi, x):
    """L^T x: the torque that does the work of x on the rotation vector phi."""
    a2 = dot(phi, phi)
    a = math.sqrt(a2)
    if a < SMALL_TURN:
        g = 1.0 / 12.0 + a2 / 720.0 + a2 * a2 / 30240.0
    else:
        g = (1.0 - 0.5 * a / math.tan(0.5 * a)) / a2
    y = cross(phi, x)
    return add(add_scaled(x, 0.5, y), scale(g, cross(phi, y)))


@kernel
def bushing_place(forces, work, s):
    """R, p, d and phi of bushing s."""
    a = forces.bushing_a[s]
    b = forces.bushing_b[s]
    X_a = load9(work.pose_R, a)
    X_b = load9(work.pose_R, b)
    p_a = add(load3(work.pose_p, a), rotate(X_a, load3(forces.bushing_pa, s)))
    p_b = add(load3(work.pose_p, b), rotate(X_b, load3(forces.bushing_pb, s)))
    R_a = multiply(X_a, load9(forces.bushing_Ra, s))
    R_b = multiply(X_b, load9(forces.bushing_Rb, s))
    return R_a, p_b, unrotate(R_a, sub(p_b, p_a)), rotation_vector(multiply(transpose(R_a), R_b))


@kernel
def bushing_spring(forces, s, i, R, d, phi):
    """Stretch of spring i of bushing s; torque and force at p for a unit of its pull, as they act on b; world axes."""
    basis = forces.bushing_basis
    f = (basis[s, i, 0], basis[s, i, 1], basis[s, i, 2])
    n = (basis[s, i, 3], basis[s, i, 4], basis[s, i, 5])
    return dot(f, d) + dot(n, phi), rotate(R, turn_gradient(phi, n)), rotate(R, f)


@kernel
def bushing_wrench(forces, work, s):
    """What bushing s does to b: its point p, torque and force there, power wasted, power fed in; and d and phi."""
    R, p, d, phi = bushing_place(forces, work, s)
    w_a, u_a = point_velocity(work, forces.bushing_a[s], p)
    w_b, u_b = point_velocity(work, forces.bushing_b[s], p)
    w = sub(w_b, w_a)
    u = sub(u_b, u_a)
    N = ZERO
    F = ZERO
    wasted = 0.0
    for i in range(SPRINGS):
        stretch, n, f = bushing_spring(forces, s, i, R, d, phi)
        rate = dot(n, w) + dot(f, u)
        pull = forces.bushing_k[s, i] * stretch + forces.bushing_c[s, i] * rate
        N = add_scaled(N, -pull, n)
        F = add_scaled(F, -pull, f)
        wasted += forces.bushing_c[s, i] * rate * rate
    return p, N, F, wasted, dot(N, w) + dot(F, u), d, phi


@kernel
def bushing_energy(forces, work, s):
    """J stored in bushing s."""
    R, _, d, phi = bushing_place(forces, work, s)
    V = 0.0
    for i in range(SPRINGS):
        stretch, _, _ = bushing_spring(forces, s, i, R, d, phi)
        V += 0.5 * forces.bushing_k[s, i] * stretch * stretch
    return V

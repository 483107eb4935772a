"""[STT17] Springs and dampers of the model as rows, linearised at the start of the step.

    k c    stiffness and damping at the present length and rate        gamma    softness of the row (13)
    u0 u1  rate before and after the step        x    stretch at its start        w    weight of the end of the step
    lead   J, what the spring holds at x + w h u1 beyond what it holds at x + h u1, where the step ends

Velocities are half a step behind positions. So a spring goes in a step from x - (1 - w) h u0 to x + w h u1, and

    F = -k (x + h (w^2 u1 - (1 - w)^2 u0)) - c (w u1 + (1 - w) u0)

With w = 1/2 that is the rule of Newmark with 1/4, stable at every step: it keeps the kinetic energy and that of the
spring in these places, between which the mean rate leads. So the ledger has the energy there. With w = 1 it is implicit
Euler's rule. A spring that is too fast for the step (RESOLVED) would ring at every second step: the faster it is, the
nearer w is to 1, and the rule takes energy.

A spring that is unloaded at zero length has no direction there: while it is short, three rows along x, y and z replace
it (`POINT_SPRING`).
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.kinds.soft_rows import PUSH_DAMPING, PUSH_GAP, PUSH_STIFFNESS, implicit_part
from linkwork.formulations.impulse.rows.rows import (
    ALL_ROWS,
    SPRING_FORCE,
    SPRING_GIVEN,
    SPRING_LATE,
    SPRING_STIFFNESS,
    SPRING_VISCOUS,
)
from linkwork.mechanics.forces.curves import curve_at
from linkwork.mechanics.forces.forces import spring_line
from linkwork.mechanics.forces.springs import spring_force, spring_slopes
from linkwork.mechanics.tree.impulses import rate_along
from linkwork.spatial.vectors import cross, unit_vector

SHORT_STEPS = 4.0  # steps of its motion: a point spring no longer than this is short
TINY_LENGTH = 1e-12  # m: a length below this has no direction
NEAR_ZERO_DAMPING = 1e-9  # of a row's effective mass over the step: the damping given to a force without any slope


@small
def end_weight(k, c, A, h):
    """Weight w of the end of the step, for a spring and damper on what gives way by A.

    A damper rings where h c A is above 2.
    """
    return 0.5 + 0.5 * implicit_part(k, 0.5 * c, A, h)


@small
def spring_lead(force, k, w, u1, h):
    """J: energy at x + w h u1 less that at x + h u1, of a spring that pulls with `force` at x."""
    return -(1.0 - w) * h * u1 * (force + 0.5 * (1.0 + w) * k * h * u1)


@kernel
def describe_spring(rows, r, k, c, stretch):
    """Row r is to become a spring and damper, once its response is known."""
    rows.pushing[r, PUSH_STIFFNESS] = k
    rows.pushing[r, PUSH_DAMPING] = c
    rows.pushing[r, PUSH_GAP] = stretch


@small
def set_spring(rows, r, k, c, F, h):
    """Row r becomes a spring and damper with the slopes k and c, and the force F at the step's start; returns w.

    A negative slope, which would feed the motion, acts as it is at the start.
    """
    k = max(k, 0.0)
    c = max(c, 0.0)
    A = rows.diagonal[r]
    w = end_weight(k, c, A, h)
    # a force that does not depend on the motion would have no softness: it gets a negligible damping
    stiff = max(w * (w * k * h + c), NEAR_ZERO_DAMPING / (h * A))
    rows.gamma[r] = 1.0 / (h * stiff)
    rows.target[r] = (F + ((1.0 - w) * (1.0 - w) * k * h + w * c) * rows.start_rate[r]) / stiff
    rows.deferred_data[r, SPRING_LATE] = w
    return w


@kernel
def finish_spring(rows, r, h):
    """Softness of the spring that row r describes."""
    k = rows.pushing[r, PUSH_STIFFNESS]
    c = rows.pushing[r, PUSH_DAMPING]
    elastic = k * rows.pushing[r, PUSH_GAP]
    u0 = rows.start_rate[r]
    w = set_spring(rows, r, k, c, -elastic - c * u0, h)
    rows.damping[r] = w * c
    rows.deferred_data[r, SPRING_VISCOUS] = (1.0 - w) * c * u0
    rows.deferred_data[r, SPRING_GIVEN] = 0.0
    rows.deferred_data[r, SPRING_FORCE] = elastic
    rows.deferred_data[r, SPRING_STIFFNESS] = k


@kernel
def finish_damper(rows, r, h):
    """Row r, a motor that gives way to a speed, becomes the damper against it by the same rule."""
    w = end_weight(0.0, 1.0 / (h * rows.gamma[r]), rows.diagonal[r], h)
    rows.gamma[r] /= w
    rows.target[r] = (rows.target[r] - (1.0 - w) * rows.start_rate[r]) / w


@kernel
def is_short(forces, work, v_next_world, e, h):
    """Whether spring e is unloaded at zero length and so short that its direction changes much in this step."""
    if forces.spring_length[e] != 0.0 or forces.spring_guided[e] == 1 or not forces.spring_k[e] > 0.0:
        return False
    if forces.spring_elastic[e] >= 0 or forces.spring_law[e] >= 0:
        return False
    p_a, p_b, _, length, _ = spring_line(forces, work, e)
    moved = 0.0  # squared
    for j in range(3):
        axis = unit_vector(j)
        u = rate_along(work, v_next_world, forces.spring_b[e], cross(p_b, axis), axis)
        u -= rate_along(work, v_next_world, forces.spring_a[e], cross(p_a, axis), axis)
        moved += h * h * u * u
    return length <= TINY_LENGTH or length * length <= SHORT_STEPS * SHORT_STEPS * moved


@small
def finish_line_spring(forces, laws, work, v_next_world, rows, law_input, out, e, t, h):
    """Softness of spring e, the newest row, once its response is known; (2), curves and laws by their slopes."""
    r = rows.count[ALL_ROWS] - 1
    _, _, _, length, rate = spring_line(forces, work, e)
    elastic, viscous, given = spring_force(forces, laws, e, length, rate, t, law_input, out)
    k, c = spring_slopes(forces, laws, e, length, rate, t, law_input, out)
    d = forces.spring_elastic[e]
    own_k = forces.spring_k[e] if d < 0 else curve_at(forces, d, length)[1]
    if is_short(forces, work, v_next_world, e, h):
        elastic = 0.0  # its three rows along x, y and z pull
        k = 0.0
        own_k = 0.0
    w = set_spring(rows, r, k, c, -(elastic + viscous + given), h)
    d = forces.spring_viscous[e]
    damper = forces.spring_c[e] if d < 0 else curve_at(forces, d, rate)[1]
    rows.damping[r] = w * damper if c > 0.0 else 0.0
    rows.deferred_data[r, SPRING_VISCOUS] = viscous - rows.damping[r] * rate
    rows.deferred_data[r, SPRING_GIVEN] = given
    rows.deferred_data[r, SPRING_FORCE] = elastic
    rows.deferred_data[r, SPRING_STIFFNESS] = own_k

"""[STT17] Springs and dampers between two points as soft rows, linearised at the start of the step.

    k c    stiffness and damping at the present length and rate        gamma    softness of the row (13)

A spring that is unloaded at zero length has no direction there: while it is short, three rows along x, y and z replace
it (`POINT_SPRING`).
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.rows.rows import ALL_ROWS, LINE_GIVEN, LINE_VISCOUS
from linkwork.mechanics.forces.curves import curve_at
from linkwork.mechanics.forces.forces import spring_line
from linkwork.mechanics.forces.springs import spring_force, spring_slopes
from linkwork.mechanics.tree.impulses import rate_along
from linkwork.spatial.vectors import cross, unit_vector

SHORT_STEPS = 4.0  # steps of its motion: a point spring no longer than this is short
TINY_LENGTH = 1e-12  # m: a length below this has no direction
NEAR_ZERO_DAMPING = 1e-9  # of a row's effective mass over the step: the damping given to a force without any slope


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
    if is_short(forces, work, v_next_world, e, h):
        elastic = 0.0  # its three rows along x, y and z pull
        k = 0.0
    # a force that does not depend on the motion would have no softness: it gets a negligible damping
    stiff = max(k * h + c, NEAR_ZERO_DAMPING / (h * rows.diagonal[r]))
    rows.gamma[r] = 1.0 / (h * stiff)
    rows.target[r] = -(elastic + viscous + given - c * rate) / stiff
    d = forces.spring_viscous[e]
    damper = forces.spring_c[e] if d < 0 else curve_at(forces, d, rate)[1]
    rows.damping[r] = damper
    rows.deferred_data[r, LINE_VISCOUS] = viscous - damper * rate
    rows.deferred_data[r, LINE_GIVEN] = given

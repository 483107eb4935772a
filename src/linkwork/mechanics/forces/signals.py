"""What laws see of the motion beyond their own joint or body: gathered once for every evaluation of the forces."""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.mechanics.tree.kinematics import body_pose, body_velocity
from linkwork.spatial.codes import LOOKED, SEEN_BODY, SEEN_INPUT, SEEN_PLACE, SEEN_RATE
from linkwork.spatial.quaternions import quaternion_of


@kernel
def look(tables, work, q, v, cut_q, cut_rate, law_input):
    """Fill law_input from LOOKED on; needs poses and world velocities."""
    laws = tables.laws
    for s in range(laws.seen_kind.size):
        kind = laws.seen_kind[s]
        k = laws.seen_index[s]
        value = 0.0
        if kind == SEEN_PLACE:
            value = q[k] if k < q.size else cut_q[k - q.size]
        elif kind == SEEN_RATE:
            value = v[k] if k < v.size else cut_rate[k - v.size]
        elif kind == SEEN_BODY:
            value = body_number(tables.tree, work, k, laws.seen_part[s])
        elif kind == SEEN_INPUT:
            value = laws.law_param[k, 0]
        law_input[LOOKED + s] = laws.seen_scale[s] * value


@kernel
def body_number(tree, work, b, part):
    """Number `part` of position (0-2), quaternion (3-6), velocity (7-9) and angular velocity (10-12) of body b."""
    if part < 7:
        R, x = body_pose(tree, work, b)
        if part < 3:
            return x[0] if part == 0 else x[1] if part == 1 else x[2]
        e = quaternion_of(R)
        return e[0] if part == 3 else e[1] if part == 4 else e[2] if part == 5 else e[3]
    w, u = body_velocity(tree, work, b)
    if part < 10:
        return u[0] if part == 7 else u[1] if part == 8 else u[2]
    return w[0] if part == 10 else w[1] if part == 11 else w[2]

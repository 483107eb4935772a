"""[MST17, STT17] What the rows of each kind say: cuts, repeaters, springs, motors, limits, friction, drags, contacts.

    goal   where or how fast a motor wants its coordinate at the end of the step      pace   how fast that moves on

A description is numbers in the row; taking hold, rates and the response are the same for all (`hold_row`, `close_row`).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.drag_rows import dragging
from linkwork.formulations.impulse.row_algebra import response
from linkwork.formulations.impulse.row_table import (
    CONTACT,
    CUT,
    DRAG,
    FRICTION,
    LIMIT,
    LINE,
    MOTOR,
    REPEATER,
    RUBBING,
    TIE,
)
from linkwork.formulations.impulse.rows import (
    ALL_ROWS,
    BRAKE,
    LASTING_ROWS,
    STOPS_TRIED,
    apart,
    close_row,
    close_three,
    coordinate_wrench,
    hold_row,
    open_row,
    soften,
    soften_later,
)
from linkwork.mechanics.constraint_rows import row_values, velocity_at
from linkwork.mechanics.curves import curve_at
from linkwork.mechanics.forces import coordinate_rate, coordinate_value, spring_line
from linkwork.mechanics.impulses import rate_along
from linkwork.mechanics.kinematics import velocities_of
from linkwork.mechanics.laws import evaluate
from linkwork.mechanics.springs import spring_force, spring_slopes
from linkwork.spatial.codes import RIGID
from linkwork.spatial.vectors import (
    ZERO,
    add,
    cross,
    dot,
    load3,
    load9,
    load_pair,
    norm,
    rotate,
    scale,
    store_pair,
    sub,
    unit_vector,
)

FAR = 4.0  # a limit that is farther than so many steps of its present motion is not looked at
NEAR = 1e-3  # m or rad: one so near is, since a motor may start towards it
BOUNCE = 0.05  # m/s: slower contacts do not bounce
SLACK = 1e-4  # m of overlap that contacts are left with, so that they stay contacts
PUSHED_OUT = 0.2  # part of an overlap that is undone in a step
PUSHED_BACK = 0.3  # the same of joints beyond their stops: all at once would push others beyond theirs
SHORT = 4.0  # steps of its motion
TINY = 1e-12  # m
SIDE_BRAKE = 0.1  # of its strength: what a drag may always brake with, also across its pull
ROLLING = 0.01  # of how fast the faster one turns
SLOW = 1.0  # rad/s, and at least of this
WEAK_RESPONSE = 1e-3  # of the response of another: so little has a contact that leaves its load to that one
SAME_RESPONSE = 0.99  # where their responses are as good as one (cosine, squared)
NEAR_ZERO_DAMPING = 1e-9  # of a row's effective mass over the step: the damping that stands for none


@small
def make_rows(w, state, t, h, q, v):
    """All rows of this step; needs poses, velocities and articulated inertias."""
    tree = w.tables.tree
    cuts = w.tables.cuts
    rows = w.rows
    table = w.table
    row_values(cuts, w.tree, state.cut_q, rows.gap, rows.cut_wrench)
    rows.count[ALL_ROWS] = 0
    rows.count[LASTING_ROWS] = 0
    for name in range(table.names):
        r = rows.count[ALL_ROWS]
        if name == table.lasting:
            rows.count[LASTING_ROWS] = r
        if name == table.dragged and not dragging(w.drags):
            break
        if describe_row(w, state, t, h, q, v, r, name):
            ends = hold_row(tree, cuts, w.tree, w.ahead_v, table, rows, w.path, v, w.ahead, r)
            if close_row(tree, w.tree, table, rows, w.path, q, ends, r):
                rows.count[ALL_ROWS] = r + 1
                if rows.code[r] == LINE:
                    stretch_line(
                        w.tables.forces,
                        w.tables.laws,
                        w.tree,
                        w.ahead_v,
                        rows,
                        w.law_input,
                        w.out,
                        table.element[name],
                        t,
                        h,
                    )
    first = rows.count[ALL_ROWS]
    for e in range(w.contacts.count[0]):
        r = rows.count[ALL_ROWS]
        count = describe_contact(w.tree, w.ahead_v, w.coast, table, rows, w.contacts, r, e, h)
        kept = 0
        if count == 3 and apart(table, rows.ends[r, 0], rows.ends[r, 1]):
            kept = close_three(tree, w.tree, table, rows, w.path, q, r)
        else:
            while kept < count:
                ends = hold_row(tree, cuts, w.tree, w.ahead_v, table, rows, w.path, v, w.ahead, r + kept)
                if not close_row(tree, w.tree, table, rows, w.path, q, ends, r + kept):
                    break
                kept += 1
        if kept > 0:
            push_apart(rows, w.contacts, e, r, h)
        rows.count[ALL_ROWS] = r + kept
    leave_to_others(rows, first)


@small
def leave_to_others(rows, first):
    """Contacts beside a hinge leave their load to those of the same links far from it, which move along with them.

    To carry a lid on the rim at its hinge would take forces without end. `first` is the first row of a contact.
    """
    r = first
    while r < rows.count[ALL_ROWS]:
        a = rows.ends[r, 0]
        b = rows.ends[r, 1]
        far = r
        last = r
        while last < rows.count[ALL_ROWS] and rows.ends[last, 0] == a and rows.ends[last, 1] == b:
            if rows.code[last] == CONTACT and rows.diagonal[last] > rows.diagonal[far]:
                far = last
            last += 1
        for s in range(r, last):
            if rows.code[s] != CONTACT or rows.later[s] != 0 or rows.diagonal[s] > WEAK_RESPONSE * rows.diagonal[far]:
                continue
            x = response(rows, s, far)
            if x > 0.0 and x * x > SAME_RESPONSE * rows.diagonal[s] * rows.diagonal[far]:
                rows.high[s] = 0.0
                rows.shift_high[s] = 0.0
        r = last


@small
def describe_row(w, state, t, h, q, v, r, name):
    """Fill in row r for the constraint of this name; False where there is no such row now."""
    rows = w.rows
    drives = w.tables.drives
    forces = w.tables.forces
    code = w.table.code[name]
    e = w.table.element[name]
    open_row(rows, r, code, name)
    rows.amount[r, 0] = 1.0
    if code == CUT:
        cuts = w.tables.cuts
        c = w.table.row_cut[e]
        close_gap(rows, r, -rows.gap[e] / h)
        n, f = load_pair(rows.cut_wrench, e)
        hold(rows, r, cuts.cut_a[c], cuts.cut_b[c], n, f)
    elif code == LINE:
        _, p_b, axis, _, _ = spring_line(forces, w.tree, e)
        if forces.spring_c[e] == 0.0 and forces.spring_viscous[e] < 0 and short(forces, w.tree, w.ahead_v, e, h):
            return False
        hold(rows, r, forces.spring_a[e], forces.spring_b[e], cross(p_b, axis), axis)
    elif code == TIE:
        if not short(forces, w.tree, w.ahead_v, e // 3, h):
            return False
        p_a, p_b, _, _, _ = spring_line(forces, w.tree, e // 3)
        axis = unit_vector(e % 3)
        soften(rows, r, forces.spring_k[e // 3], 0.0, dot(axis, sub(p_b, p_a)), 0.0, h)
        hold(rows, r, forces.spring_a[e // 3], forces.spring_b[e // 3], cross(p_b, axis), axis)
    elif code == FRICTION:
        if rows.sliding[e] != 0.0:
            return False
        rows.low[r] = -h * drives.friction_most[e]
        rows.high[r] = h * drives.friction_most[e]
        rows.coordinate[r, 0] = drives.friction_coordinate[e]
    elif code == MOTOR:
        rows.coordinate[r, 0] = drives.motor_coordinate[e]
        place = coordinate_value(drives.motor_q[e], q, state.cut_q)
        follow(drives, w.tables.laws, rows, w.law_input, w.out, r, e, place, t, h)
    elif code == LIMIT:
        c = drives.limit_coordinate[e // 2]
        value = coordinate_value(drives.limit_q[e // 2], q, state.cut_q)
        speed = abs(coordinate_rate(c, v, state.cut_rate))
        if c < v.size:
            speed = max(speed, abs(w.ahead[c]))
        there = stop(drives, rows, r, e, value, speed, w.carried[STOPS_TRIED] != 0.0, h)
        rows.stops[e] = 1.0 if there else 0.0
        return there
    elif code == REPEATER:
        close_gap(rows, r, -repeater_gap(drives, rows.offset, e, q, state.cut_q) / h)
        rows.coordinate[r, 0] = drives.repeater_coordinate[e, 1]
        rows.coordinate[r, 1] = drives.repeater_coordinate[e, 0]
        rows.amount[r, 1] = -drives.repeater_ratio[e]
    elif code == DRAG:
        return drag(w.tree, rows, w.drags, r, e, h)
    else:
        # a spring or damper on a coordinate that is no dof, or one of several
        k = 0.0
        stretch = 0.0
        if forces.coil_q[e] >= 0:
            k = forces.coil_k[e]
            stretch = coordinate_value(forces.coil_q[e], q, state.cut_q) - forces.coil_rest[e]
        soften(rows, r, k, forces.coil_c[e], stretch, 0.0, h)
        rows.coordinate[r, 0] = forces.coil_coordinate[e]
    return True


@kernel
def hold(rows, r, a, b, n, f):
    """Row r acts between links a and b, with the wrench (n about the world's origin, f) on b."""
    rows.ends[r, 0] = a
    rows.ends[r, 1] = b
    store_pair(rows.wrench, r, n, f)


@kernel
def close_gap(rows, r, shift):
    """Positions are to move along the row with the pseudo velocity `shift`, either way."""
    rows.shift[r] = shift
    rows.shift_low[r] = -math.inf
    rows.shift_high[r] = math.inf


@kernel
def short(forces, work, ahead_v, e, h):
    """Whether a spring that is unloaded in a point is so short that its direction changes much in this step."""
    if forces.spring_length[e] != 0.0 or forces.spring_guided[e] == 1 or not forces.spring_k[e] > 0.0:
        return False
    if forces.spring_elastic[e] >= 0 or forces.spring_law[e] >= 0:
        return False
    p_a, p_b, _, length, _ = spring_line(forces, work, e)
    way = 0.0
    for j in range(3):
        axis = unit_vector(j)
        u = rate_along(work, ahead_v, forces.spring_b[e], cross(p_b, axis), axis)
        u -= rate_along(work, ahead_v, forces.spring_a[e], cross(p_a, axis), axis)
        way += h * h * u * u
    return length <= TINY or length * length <= SHORT * SHORT * way


@small
def stretch_line(forces, laws, work, ahead_v, rows, law_input, out, e, t, h):
    """The spring of the newest row, (2) or along an axis; curves and laws by their slopes at the start of the step."""
    r = rows.count[ALL_ROWS] - 1
    _, _, _, length, rate = spring_line(forces, work, e)
    elastic, viscous, given = spring_force(forces, laws, e, length, rate, t, law_input, out)
    k, c = spring_slopes(forces, laws, e, length, rate, t, law_input, out)
    if short(forces, work, ahead_v, e, h):
        elastic = 0.0  # its ties pull
        k = 0.0
    # a pull that does not change with the motion has no row of its own: it gets a spring that is hardly there
    stiff = max(k * h + c, NEAR_ZERO_DAMPING / (h * rows.diagonal[r]))
    rows.gamma[r] = 1.0 / (h * stiff)
    rows.want[r] = -(elastic + viscous + given - c * rate) / stiff
    d = forces.spring_viscous[e]
    damper = forces.spring_c[e] if d < 0 else curve_at(forces, d, rate)[1]
    rows.waste[r] = damper
    rows.pending[r, 0] = viscous - damper * rate
    rows.pending[r, 1] = given


@kernel
def repeater_gap(drives, offset, e, q, cut_q):
    """How far the follower of repeater e is from where its leader wants it."""
    led = coordinate_value(drives.repeater_q[e, 1], q, cut_q)
    beyond = led - drives.repeater_ratio[e] * coordinate_value(drives.repeater_q[e, 0], q, cut_q)
    if math.isnan(offset[e]):
        offset[e] = beyond
    return beyond - offset[e]


@small
def follow(drives, laws, rows, law_input, out, r, e, place, t, h):
    """What motor e wants at the end of the step, within its torque: (6) with the rate that leads there."""
    soft = drives.motor_soft
    most = drives.motor_most[e]
    rows.low[r] = -h * most
    rows.high[r] = h * most
    now = 0.0
    goal = 0.0
    for end in range(2):
        evaluate(laws, drives.motor_law[e], t + end * h, law_input, out)
        now = goal
        goal = out[0]
    pace = (goal - now) / h
    if drives.motor_servo[e] == 0:
        rows.want[r] = goal
        if soft[e, 0] != RIGID:
            rows.gamma[r] = 1.0 / (h * soft[e, 2])
    elif soft[e, 0] != RIGID:
        soften_later(rows, r, soft, e, place - goal, pace)
    elif most < math.inf:
        rows.later[r] = BRAKE
        rows.pending[r, 0] = most
        rows.pending[r, 1] = now - place
        rows.pending[r, 2] = pace
    else:
        rows.want[r] = (goal - place) / h


@small
def stop(drives, rows, r, e, value, speed, every, h):
    """A stop that its coordinate could reach in this step, or `every` one; e counts lower and upper ones in turn."""
    soft = drives.limit_soft
    lower = e % 2 == 0
    e = e // 2
    gap = value - drives.limit_low[e] if lower else drives.limit_high[e] - value
    rigid = soft[e, 0] == RIGID
    if not every and gap > NEAR + FAR * h * speed:
        return False
    rows.coordinate[r, 0] = drives.limit_coordinate[e]
    rows.amount[r, 0] = 1.0 if lower else -1.0
    rows.low[r] = 0.0
    if not rigid:
        soften_later(rows, r, soft, e, gap, -max(gap, 0.0) / h)  # what is left of the way is free
    elif gap > 0.0:
        rows.want[r] = -gap / h
    else:
        rows.shift[r] = -PUSHED_BACK * gap / h
        rows.shift_high[r] = math.inf
    return True


@kernel
def stops_kept(tree, cuts, drives, work, table, rows, q, cut_q, ahead, own, world, h):
    """Whether no joint passes a stop in this step that is no row, since nothing before the impulses led there."""
    dofs = ahead.size
    known = False  # whether the links move as `ahead` says
    for e in range(rows.stops.size):
        if rows.stops[e] != 0.0:
            continue
        c = drives.limit_coordinate[e // 2]
        if c < dofs:
            rate = ahead[c]
        else:
            if not known:
                velocities_of(tree, work, q, ahead, own, world)
                known = True
            n, f, a, b = coordinate_wrench(cuts, work, table, c - dofs)
            rate = rate_along(work, world, b, n, f) - rate_along(work, world, a, n, f)
        value = coordinate_value(drives.limit_q[e // 2], q, cut_q) + h * rate
        if value < drives.limit_low[e // 2] if e % 2 == 0 else value > drives.limit_high[e // 2]:
            return False
    return True


@small
def drag(work, rows, drags, r, e, h):
    """One of three springs along x, y and z from a point of a body to a point of the world."""
    j = e % 3
    e = e // 3
    i = drags.link[e]
    if i < 0:
        return False
    x = add(load3(work.pose_p, i), rotate(load9(work.pose_R, i), load3(drags.point, e)))
    axis = unit_vector(j)
    d = sub(x, load3(drags.goal, e))
    soften_later(rows, r, drags.soft, e, dot(axis, d), 0.0)
    rows.waste[r] = drags.least[e]
    # all three together pull towards the goal with `most`
    length = norm(d)
    most = h * drags.most[e] * (max(abs(dot(axis, d)) / length, SIDE_BRAKE) if length > TINY else 1.0)
    rows.low[r] = -most
    rows.high[r] = most
    hold(rows, r, 0, i, cross(x, axis), axis)
    return True


@small
def describe_contact(work, ahead_v, coast, table, rows, contacts, r, e, h):
    """Rows from r on for contact e: one that keeps two bodies apart, two of friction within mu times its impulse.

    Returns how many; their rates are told. Two points are held together at the end of the step, not just at its start:
    what moves on a curve with what it lies on would creep outward in every step, and what is lifted would lag behind.
    What rolls touches elsewhere.
    """
    a = contacts.link_a[e]
    b = contacts.link_b[e]
    x = load3(contacts.point, e)
    normal = load3(contacts.normal, e)
    tangent = load3(contacts.tangent, e)
    old = sub(velocity_at(work, work.pose_v, b, x)[1], velocity_at(work, work.pose_v, a, x)[1])
    ahead = sub(velocity_at(work, ahead_v, b, x)[1], velocity_at(work, ahead_v, a, x)[1])
    count = 3 if contacts.friction[e] != 0.0 else 1
    bend = ZERO
    if not rolls(work, a, b, normal):
        bend = scale(-0.5 * h, sub(coasting_point(work, coast, b, x), coasting_point(work, coast, a, x)))
    axis = normal
    for j in range(count):
        open_row(rows, r + j, RUBBING if j > 0 else CONTACT, table.names + 3 * e + j)
        hold(rows, r + j, a, b, cross(x, axis), axis)
        rows.old[r + j] = dot(axis, old)
        rows.rate[r + j] = dot(axis, ahead)
        rows.want[r + j] = dot(axis, bend)
        if j == 0:
            rows.low[r] = 0.0
        else:
            rows.normal[r + j] = r
            rows.friction[r + j] = contacts.friction[e]
        if j == 2:
            rows.partner[r + j] = r + 1
        axis = cross(normal, tangent) if j > 0 else tangent
    return count


@small
def rolls(work, a, b, normal):
    """Whether the links turn against each other about an axis across the normal."""
    w_a, _ = load_pair(work.pose_v, a)
    w_b, _ = load_pair(work.pose_v, b)
    w = sub(w_b, w_a)
    high = dot(w, normal)
    return dot(w, w) - high * high > ROLLING * ROLLING * max(SLOW * SLOW, dot(w_a, w_a), dot(w_b, w_b))


@small
def coasting_point(work, coast, i, x):
    """Acceleration of the point x of link i while no joint changes its rate, world axes."""
    r = sub(x, load3(work.pose_p, i))
    w, _ = load_pair(work.pose_v, i)
    a, b = load_pair(coast, i)
    return add(b, add(cross(a, r), cross(w, cross(w, r))))


@small
def push_apart(rows, contacts, e, r, h):
    """What contact e wants of its row r: no approach beyond its gap, a bounce, or less overlap."""
    depth = contacts.depth[e]
    if contacts.soft[e, 0] != RIGID:
        soften_later(rows, r, contacts.soft, e, -depth, min(depth, 0.0) / h)  # what is left of the way is free
    elif depth < 0.0:
        rows.want[r] += depth / h
    elif depth > SLACK:
        rows.shift[r] = PUSHED_OUT * (depth - SLACK) / h
        rows.shift_high[r] = math.inf
    if contacts.restitution[e] > 0.0 and rows.old[r] < -BOUNCE and depth >= h * rows.old[r]:
        rows.want[r] = max(rows.want[r], -contacts.restitution[e] * rows.old[r])

"""[MST17] Results of a step: accelerations, loads of cuts and links, and the energy of the rows.

p    force of a row, its impulse over the step        n f    torque about the world's origin, force; world axes
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.contact.contact_cache import FEATURES_PER_PAIR
from linkwork.formulations.impulse.kinds.sliding import add_sliding_loss
from linkwork.formulations.impulse.kinds.soft_rows import count_soft, only_pushes, soft_energy
from linkwork.formulations.impulse.kinds.spring_rows import end_weight, spring_lead
from linkwork.formulations.impulse.motion.free_motion import coil_stiffness
from linkwork.formulations.impulse.motion.given_work import NOW, add_given_work
from linkwork.formulations.impulse.rest.islands import unite
from linkwork.formulations.impulse.rows.row_algebra import add_impulses, contact_rate_changes, has_friction, rate_change
from linkwork.formulations.impulse.rows.row_table import (
    CONE,
    CONE_SIDES,
    CONTACT,
    CONTACT_FRICTION,
    COUPLING,
    CUT,
    DRAG,
    LIMIT,
    MOTOR,
    PLAY,
    is_spring,
)
from linkwork.formulations.impulse.rows.rows import (
    ALL_ROWS,
    SMOOTH,
    SPRING_FORCE,
    SPRING_GIVEN,
    SPRING_LATE,
    SPRING_STIFFNESS,
    SPRING_VISCOUS,
    coordinate_wrench,
)
from linkwork.formulations.samples import (
    ALL_LEFT,
    ALL_SWEEPS,
    EVALUATIONS,
    RANK,
    RESIDUAL,
    ROW_COUNT,
    SPRINGS_LEAD,
    STEPS_CUT,
    SWEEPS,
    WORST_RESIDUAL,
)
from linkwork.mechanics.accounts import DISSIPATED, SUPPLIED, book, clear_power, part_between, part_of_coordinate
from linkwork.mechanics.forces.forces import add_wrench
from linkwork.mechanics.power import add_ground_power
from linkwork.mechanics.rows.row_loads import cut_reactions
from linkwork.mechanics.rows.rows import first_coupled
from linkwork.spatial.codes import SPHERE, WHOLE
from linkwork.spatial.vectors import add_pair, dot, load3, load9, load_pair, scale, store_pair, sub, unrotate


@small
def store_loads(w, state, h, q, v):
    """Accelerations, loads of the cuts, and the loads on links that are rows: into the state."""
    rows = w.rows
    work = w.tree
    w.persistent[SMOOTH] = 1.0
    for k in range(v.size):
        state.vd[k] = (w.v_next[k] - v[k] + w.unforced.half[k]) / h
    clear_row_loads(rows, state)
    for r in range(rows.count[ALL_ROWS]):
        code = rows.code[r]
        p = rows.p[r] / h
        if code == MOTOR:
            state.drive[w.table.element[rows.id[r]]] = p
        if code == LIMIT or code == CONE:
            add_stop(w.tables.drives, code, w.table.element[rows.id[r]], p, state.stop)
        if code == CONTACT and state.sensor_force.size > 0:
            add_sensor_force(
                w.tables.zones,
                w.tables.colliders,
                work,
                w.contacts,
                (rows.id[r] - w.table.id_count) // 3,
                p,
                state.sensor_force,
            )
        if code == CONTACT or code == CONTACT_FRICTION:
            for e in range(3):
                state.contact_force[rows.links[r, 1], e] += p * rows.wrench[r, 3 + e]
                state.contact_force[rows.links[r, 0], e] -= p * rows.wrench[r, 3 + e]
        if code == CUT:
            rows.cut_load[w.table.element[rows.id[r]]] = p
        elif code == COUPLING:
            rows.cut_load[first_coupled(w.tables.cuts) + w.table.element[rows.id[r]]] = p
        elif code == PLAY:
            e = w.table.element[rows.id[r]]
            rows.cut_load[first_coupled(w.tables.cuts) + e // 2] += p if e % 2 == 0 else -p
        elif not is_spring(code):
            add_row_load(w.tables.cuts, work, w.table, rows, r, p, v.size, state.push)
        if p != 0.0 and (code == CONTACT or code == LIMIT or code == CONE or code == PLAY):
            w.persistent[SMOOTH] = 0.0  # its acceleration does not continue in the next step
    if rows.cut_load.size > 0:
        cut_reactions(w.tables.cuts, work, w.loads, state.cut_force)
    if w.tables.tree.grounds > 1:
        # the load on moving grounds is that of all rows: the ones above, and the springs, which are rows here
        for i in range(state.push.shape[0]):
            n, f = load_pair(state.push, i)
            store_pair(w.v_next_own, i, n, f)
        for r in range(rows.count[ALL_ROWS]):
            if is_spring(rows.code[r]):
                add_row_load(w.tables.cuts, work, w.table, rows, r, rows.p[r] / h, v.size, w.v_next_own)
        for i in range(state.push.shape[0]):
            n, f = load_pair(w.v_next_own, i)
            add_wrench(work, i, n, f)
        add_ground_power(w.tables, work, q, state.vd, w.loads, w.power)


@kernel
def clear_row_loads(rows, state):
    """Zero all loads that rows add to."""
    for e in range(rows.cut_load.size):
        rows.cut_load[e] = 0.0
    for i in range(state.push.shape[0]):
        for e in range(6):
            state.push[i, e] = 0.0
    for i in range(state.contact_force.shape[0]):
        for e in range(3):
            state.contact_force[i, e] = 0.0
    for e in range(state.drive.size):
        state.drive[e] = 0.0
    for e in range(state.stop.size):
        state.stop[e] = 0.0
    for e in range(state.sensor_force.size):
        state.sensor_force[e] = 0.0


@kernel
def add_stop(drives, code, e, p, stop):
    """Add the force p of a row to that of its stop, positive where it pushes the coordinate up."""
    if code == LIMIT:
        stop[e // 2] += p if e % 2 == 0 else -p
    else:
        side = e % CONE_SIDES  # swing, lower and upper twist, whole turn
        stop[drives.limit_q.size + 3 * (e // CONE_SIDES) + (side if side < 2 else side - 1)] += p if side == 1 else -p


@kernel
def add_sensor_force(zones, colliders, work, contacts, e, p, sensor_force):
    """Add the normal force p of contact e to the zones that it is in."""
    n = colliders.link.size
    pair = contacts.id[e] // FEATURES_PER_PAIR - 1
    for s in range(sensor_force.size):
        if zones.senses[s, pair // n] != 0 or zones.senses[s, pair % n] != 0:
            if in_zone(zones, work, s, load3(contacts.point, e)):
                sensor_force[s] += p


@kernel
def in_zone(zones, work, s, x):
    """Whether the point x of the world is in zone s."""
    if zones.kind[s] == WHOLE:
        return True
    i = zones.link[s]
    x = unrotate(load9(work.pose_R, i), sub(x, load3(work.pose_p, i)))
    x = unrotate(load9(zones.R, s), sub(x, load3(zones.p, s)))
    size = load3(zones.size, s)
    if zones.kind[s] == SPHERE:
        return dot(x, x) <= size[0] * size[0]
    return abs(x[0]) <= size[0] and abs(x[1]) <= size[1] and abs(x[2]) <= size[2]


@kernel
def add_row_load(cuts, work, table, rows, r, p, dofs, push):
    """Add the force p of row r to the loads on links in `push`; forces on dofs are joint forces."""
    if rows.links[r, 1] >= 0:
        n, f = load_pair(rows.wrench, r)
        add_pair(push, rows.links[r, 1], scale(p, n), scale(p, f))
        add_pair(push, rows.links[r, 0], scale(-p, n), scale(-p, f))
        return
    for j in range(rows.coordinate.shape[1]):
        c = rows.coordinate[r, j]
        if c >= dofs:
            n, f, a, b = coordinate_wrench(cuts, work, table, c - dofs)
            Q = rows.coefficient[r, j] * p
            add_pair(push, b, scale(Q, n), scale(Q, f))
            add_pair(push, a, scale(-Q, n), scale(-Q, f))


@small
def add5(a, b):
    """Sum of two tuples of five numbers."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4]


@small
def part_of_row(tables, rows, r):
    """The part in which row r acts."""
    if rows.links[r, 1] >= 0:
        return part_between(tables.tree, rows.links[r, 0], rows.links[r, 1])
    return part_of_coordinate(tables, rows.coordinate[r, 0])


@small
def note_meeting(tree, rows, r, met):
    """Two parts that contact row r presses together are one from now on."""
    a, b = rows.links[r, 0], rows.links[r, 1]
    acts = rows.p[r] != 0.0 or rows.correction[r] > 0.0  # or parts bodies that overlap
    if acts and a > 0 and b > 0 and tree.link_part[a] != tree.link_part[b]:
        unite(met, tree.link_part[a], tree.link_part[b])


@small
def row_energy(tables, table, rows, x, v, v_next, h, energy, lead, met):
    """Book what rows waste and feed in, and the lead of springs, J; returns the sums of `soft_energy`.

    Impulses work along the mean of a row's rates before and after.
    """
    soft = (0.0, 0.0, 0.0, 0.0, 0.0)
    known = False  # whether x holds the joint impulses
    n = rows.count[ALL_ROWS]
    r = 0
    while r < n:
        code = rows.code[r]
        if has_friction(rows, r, n):
            if not known:
                known = True
                add_impulses(rows, n, rows.p, x)
            changes = contact_rate_changes(rows, r, x)
            part = part_of_row(tables, rows, r)
            note_meeting(tables.tree, rows, r, met)
            for j in range(3):
                rate = rows.rate[r + j] + changes[j]
                rows.loss[r + j] = -0.5 * rows.p[r + j] * (rows.start_rate[r + j] + rate)
                book(energy, part, DISSIPATED, rows.loss[r + j])
                if j == 0 and rows.deferred[r] != 0:
                    soft = add5(soft, soft_energy(rows, r, rate, h))
            r += 3
            continue
        given = code == COUPLING and tables.cuts.coupling_law[table.element[rows.id[r]]] >= 0
        if code == CUT or (code == COUPLING and not given):
            r += 1
            continue
        c = rows.coordinate[r, 0]
        if 0 <= c < v_next.size and rows.coordinate[r, 1] < 0:
            rate = rows.coefficient[r, 0] * v_next[c]
        else:
            if not known:
                known = True
                add_impulses(rows, n, rows.p, x)
            rate = rows.rate[r] + rate_change(rows, r, x)
        part = part_of_row(tables, rows, r)
        if is_spring(code):
            mean = 0.5 * (rows.start_rate[r] + rate)
            viscous = rows.deferred_data[r, SPRING_VISCOUS] + rows.damping[r] * rate
            book(energy, part, DISSIPATED, h * viscous * mean)
            book(energy, part, SUPPLIED, -h * rows.deferred_data[r, SPRING_GIVEN] * mean)
            k = rows.deferred_data[r, SPRING_STIFFNESS]
            pull = rows.deferred_data[r, SPRING_FORCE]
            book(lead, part, DISSIPATED, spring_lead(pull, k, rows.deferred_data[r, SPRING_LATE], rate, h))
        elif code == MOTOR or code == DRAG or given:
            book(energy, part, SUPPLIED, 0.5 * rows.p[r] * (rows.start_rate[r] + rate))
        else:
            rows.loss[r] = -0.5 * rows.p[r] * (rows.start_rate[r] + rate)
            book(energy, part, DISSIPATED, rows.loss[r])
            if code == CONTACT:
                note_meeting(tables.tree, rows, r, met)
            if rows.deferred[r] != 0 and only_pushes(rows, r):
                soft = add5(soft, soft_energy(rows, r, rate, h))
        r += 1
    return soft


@small
def coil_energy(w, q, v, h):
    """The same of springs and dampers that are eliminated, at the start of the step in q and v."""
    forces = w.tables.forces
    v_next = w.v_next
    for e in range(w.table.coil_dof.size):
        s = w.table.coil_dof[e]
        i = forces.coil_coordinate[s]
        k = coil_stiffness(forces, s)
        part = part_of_coordinate(w.tables, i)
        a = end_weight(k, forces.coil_c[s], w.coil_response[e], h)
        late = a * v_next[i] + (1.0 - a) * v[i]
        book(w.energy, part, DISSIPATED, 0.5 * h * forces.coil_c[s] * late * (v[i] + v_next[i]))
        if forces.coil_q[s] >= 0:
            pull = k * (q[forces.coil_q[s]] - forces.coil_rest[s])
            book(w.lead, part, DISSIPATED, spring_lead(pull, k, a, v_next[i], h))


@small
def store_energy(w, state, h, q, v):
    """Add the energy wasted and fed in during the step to the accounts at the end of y, J; count that of soft rows."""
    energy = w.energy
    clear_power(energy)
    clear_power(w.lead)
    soft = row_energy(w.tables, w.table, w.rows, w.solver.x, v, w.v_next, h, energy, w.lead, w.met)
    coil_energy(w, q, v, h)
    add_given_work(w.given, w.persistent, h, energy)
    add_sliding_loss(w.tables, w.rows, v, w.v_next, energy)
    end = state.y.size - energy.size
    for k in range(energy.size):
        # the power beyond that of laws is of tyres, and of grounds that move
        state.y[end + k] += energy[k] + h * (w.power[k] - w.given.fed[NOW, k]) + w.lead[k] - w.led[k]
        w.led[k] = w.lead[k]
    state.solver_stats[SPRINGS_LEAD] = w.lead[DISSIPATED]
    count_soft(state.solver_stats, soft)


@small
def store_effort(state, s, rows, sweeps, worst, left):
    """Count the step, its sweeps and its residual."""
    state.count[EVALUATIONS] += 1
    state.count[RANK] = s.rank[0]
    state.solver_stats[SWEEPS] = sweeps
    state.solver_stats[RESIDUAL] = worst
    state.solver_stats[ROW_COUNT] = rows.count[ALL_ROWS]
    state.solver_stats[ALL_SWEEPS] += sweeps
    state.solver_stats[WORST_RESIDUAL] = max(state.solver_stats[WORST_RESIDUAL], worst)
    state.solver_stats[STEPS_CUT] += 1.0 if worst > s.epsilon else 0.0
    state.solver_stats[ALL_LEFT] += left

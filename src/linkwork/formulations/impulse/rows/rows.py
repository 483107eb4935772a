"""[MST17, STT17] The rows of a step: every constraint that impulses enforce, rigid or soft, clipped or not.

    G v + gamma p = target      low <= p <= high        p   impulse of the row
    rate    G v of the row before impulses, v = v(t) + dt v̇ (7)      start_rate   the same at the start of the step
    correction   the rate that would close the row's gap within the step: what pseudo impulses enforce
    u z     halves of the row's response (mechanics.impulses): A_rs = u_r . z_s, the diagonal is 1 / m_eff of (4)
    span    dofs without gaps, first … first + length - 1, that a row moves; u and z hold them one after the other

A step makes its rows anew. Bilateral ones, which hold always and both ways (cuts, couplings, springs, unlimited
motors), come first, `count[BILATERAL_ROWS]` of them, so that they can be factored as one block; the clipped ones
follow. A row that moves nothing is left out (step 5 of the algorithm). Under the `id` of a row its impulse is kept, for
the next step to start from. What the rows of each kind demand is in row_kinds.py, which rows there can be in
row_table.py, and their products in row_algebra.py; this file has what all rows share.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.kinds.soft_rows import (
    PUSH_BIAS,
    PUSH_SLOTS,
    PUSH_TURN,
    only_pushes,
    set_pushing,
    set_softness,
)
from linkwork.formulations.impulse.rows.row_table import CONE_SIDES, RowTable
from linkwork.mechanics.rows.constraint_rows import cut_frames, measure_wrench
from linkwork.mechanics.tree.impulse_lanes import carry_together
from linkwork.mechanics.tree.impulses import apply_test_force, apply_test_wrench, carry_inward, rate_along
from linkwork.numerics.short_rows import dot_short_row
from linkwork.spatial.codes import BEDDED, SPRING
from linkwork.spatial.vectors import load_pair, store_pair

DEFERRED_SOFTNESS, DEFERRED_BRAKE = 1, 2  # what waits for a row's effective mass: `RowWork.deferred`
BRAKING_PART = 0.5  # part of a servo's torque that it may use for stopping

FAST_PART = 0.1  # of the fastest rate: g h is no less than this, in what small rates are compared with

# slots of `RowWork.count`
ALL_ROWS, BILATERAL_ROWS = range(2)
# slots of `RowWork.deferred_data`: of a DEFERRED_SOFTNESS, of a DEFERRED_BRAKE, and of springs
SOFT_KIND, SOFT_STIFFNESS, SOFT_DAMPING, SOFT_GAP, SOFT_PACE, SOFT_POINTS, SOFT_PART = range(7)
BRAKE_MOST, BRAKE_BEHIND, BRAKE_PACE = range(3)
# slots of `RowWork.newton`: softness that the first Newton step of island 0 is to have, or 0 where none is known; steps
# in which the one without softness is not to be tried
NEWTON_SOFTNESS, NEWTON_INEXACT = range(2)
# slots of `RowWork.pivot_kept`: bilateral rows, how many of them were independent at best, their smallest pivot then at
# its largest, its root now as a part of that, and 1 where the next step is near a singular position
PIVOT_ROWS, PIVOT_RANK, PIVOT_LARGEST, PIVOT_ROOT, PIVOT_NEAR = range(5)
# of a spring of the model: the viscous force beside `damping` times the rate, that of a law, the pull of what stores,
# its slope, and the weight of the end of the step
SPRING_VISCOUS, SPRING_GIVEN, SPRING_FORCE, SPRING_STIFFNESS, SPRING_LATE = range(5)
# slots of `persistent` in the workspace of the impulse methods
LAST_STEP, ARMATURE_STEP, SMOOTH, ALIGNED, LAWS_KNOWN = range(5)
# the same, of one step alone
END_UPDATED, ALL_STOPS, SPIN_ROUNDS, UNSETTLED, PARTS, COASTING, BLOW = range(5, 12)
PERSISTENT_SLOTS = 12
MOST_SPIN_ROUNDS = 6.0


class RowWork(NamedTuple):
    """The rows of the present step, one entry a row unless the shape says otherwise, and impulses kept for the next.

    Rates are in m/s or rad/s, impulses in N s or N m s, gaps in m or rad.
    """

    count: Any  # (2,) ALL_ROWS, and the BILATERAL_ROWS among them; written by make_rows
    # what a row demands: reset_row, then row_kinds, spring_rows, contact_rows, drag_rows
    code: Any  # kind
    id: Any  # see `RowTable`
    links: Any  # (row, 2) a and b, or -1 where it acts on coordinates
    wrench: Any  # (row, 6) on b: torque about the world's origin, force; world axes
    coordinate: Any  # (row, 2 or more) a dof, or from `dofs` on a rate of a cut, or -1
    coefficient: Any  # (row, 2 or more) change of the row with the coordinate
    target: Any  # rate
    gamma: Any  # softness, 1/kg or 1/(kg m2)
    damping: Any  # N s/m or N m s/rad, of a soft row; of a drag whose softness is deferred, the least A_rr to assume
    deferred: Any  # DEFERRED_SOFTNESS, DEFERRED_BRAKE or 0
    deferred_data: Any  # (row, 7) see the slots above
    pushing: Any  # (row, 7) see soft_rows, of a soft row that only pushes, or of a spring of the model
    low: Any  # bounds of the impulse
    high: Any
    correction: Any  # rate of the pseudo impulses
    correction_low: Any  # bounds of the pseudo impulse
    correction_high: Any
    normal_row: Any  # row whose impulse bounds this one's, or -1
    partner_row: Any  # of the second row of a contact's friction the first, else -1
    friction: Any  # coefficient; of a torque m
    rebound: Any  # m/s, what restitution adds to the target of a contact
    # how it moves: apply_unit_impulse, describe_contact
    rate: Any
    start_rate: Any
    # its response: find_response, find_contact_responses
    spans: Any  # how many spans of dofs it moves
    span_first: Any  # (row, span) first dof
    span_length: Any  # (row, span)
    u: Any  # (row, width)
    z: Any  # (row, width)
    diagonal: Any  # A_rr, 1/kg or 1/(kg m2)
    # its impulses: warm_start and solve_rows
    p: Any
    pseudo: Any
    loss: Any  # J, energy that it took in the step, of contacts, stops and friction; row_energy
    # kept from step to step
    kept: Any  # (id,) impulses of the last step; store_impulses
    newton_kept: Any  # (2,) NEWTON_SOFTNESS, NEWTON_INEXACT; store_impulses
    pivot_kept: Any  # (5,) PIVOT_ROWS … PIVOT_NEAR; keep_pivot
    # of the step
    newton: Any  # (2,) the same, for the next step; row_sweeps
    sliding: Any  # (joint friction,) impulses of joints taken to slide on, else 0; predict_sliding
    stop_is_row: Any  # (2 limits and 4 cones,) as the elements of `RowTable`, 1 where it is a row; describe_row
    ball_friction: Any  # (ball friction, 5) SLIDES, ROUNDS, and the direction or torque impulse; ball_rows
    gap: Any  # (cut row,) make_rows
    cut_wrench: Any  # (cut row, 6) as `wrench`; make_rows
    cut_load: Any  # (cut row,) N or N m, multipliers of the step; store_loads


def row_work(tables: Any, table: RowTable, contacts: int) -> RowWork:
    """Room for all rows that there could be."""
    n = table.id_count + (6 if tables.colliders.has_moments else 3) * contacts
    terms = int(np.diff(tables.cuts.coupling_term).max(initial=0))
    ends = max(2, 2 * terms)
    lengths = np.append(0, np.cumsum(table.span_last - table.span_first))
    width = max(1, sum(sorted(np.diff(lengths[table.link_span]).tolist())[-ends:]))
    spans = max(1, sum(sorted(np.diff(table.link_span).tolist())[-ends:]))
    whole = {"code", "id", "spans", "span_first", "span_length", "links", "coordinate", "deferred"}
    whole |= {"normal_row", "partner_row"}
    wide = {
        "span_first": spans,
        "span_length": spans,
        "u": width,
        "z": width,
        "wrench": 6,
        "deferred_data": 7,
        "pushing": PUSH_SLOTS,
    }
    wide |= {"links": 2, "coordinate": max(2, terms), "coefficient": max(2, terms)}
    own: dict[str, Any] = {
        "count": np.zeros(2, dtype=np.int64),
        "kept": np.zeros(table.id_count),
        "newton_kept": np.zeros(2),
        "pivot_kept": np.zeros(5),
        "newton": np.zeros(2),
        "sliding": np.zeros(tables.drives.friction_most.size),
        "stop_is_row": np.zeros(2 * tables.drives.limit_q.size + CONE_SIDES * tables.drives.cone_a.size),
        "ball_friction": np.zeros((tables.drives.ball_friction_most.size, 5)),
        "gap": np.zeros(tables.cuts.row_kind.size),
        "cut_wrench": np.zeros((tables.cuts.row_kind.size, 6)),
        "cut_load": np.zeros(tables.cuts.row_kind.size),
    }
    for field in RowWork._fields:
        if field not in own:
            # a row more where vector instructions read beyond the last
            shape = (n + (field in {"u", "z"}), wide[field]) if field in wide else (n,)
            own[field] = np.zeros(shape, dtype=np.int64 if field in whole else np.float64)
    return RowWork(**own)


# ---- a row, from its first entry to its response ---------------------------------------------------------------------


@kernel
def reset_row(rows, r, code, id):
    """Start row r: rigid, unbounded, and without a correction of positions."""
    rows.code[r] = code
    rows.id[r] = id
    rows.links[r, 0] = -1
    rows.links[r, 1] = -1
    for j in range(rows.coordinate.shape[1]):
        rows.coordinate[r, j] = -1
    rows.target[r] = 0.0
    rows.gamma[r] = 0.0
    rows.damping[r] = 0.0
    rows.deferred[r] = 0
    rows.low[r] = -math.inf
    rows.high[r] = math.inf
    rows.correction[r] = 0.0
    rows.correction_low[r] = 0.0
    rows.correction_high[r] = 0.0
    rows.normal_row[r] = -1
    rows.partner_row[r] = -1
    rows.friction[r] = 0.0
    rows.rebound[r] = 0.0
    rows.pseudo[r] = 0.0
    rows.p[r] = 0.0


@kernel
def set_wrench(rows, r, a, b, n, f):
    """Row r acts between links a and b, with the wrench (n about the world's origin, f) on b."""
    rows.links[r, 0] = a
    rows.links[r, 1] = b
    store_pair(rows.wrench, r, n, f)


@kernel
def set_correction(rows, r, rate):
    """Positions are to move along row r with the pseudo velocity `rate`, either way."""
    rows.correction[r] = rate
    rows.correction_low[r] = -math.inf
    rows.correction_high[r] = math.inf


@small
def apply_unit_impulse(tree, cuts, work, v_next_world, table, rows, path, v, v_next, r):
    """Put a unit impulse on row r into `path`, and find its rates; returns the number of ends at which it acts."""
    if rows.links[r, 1] >= 0:
        n, f = load_pair(rows.wrench, r)
        a = rows.links[r, 0]
        b = rows.links[r, 1]
        apply_test_wrench(tree, work, path, 0, b, n, f, 1.0)
        apply_test_wrench(tree, work, path, 1, a, n, f, -1.0)
        rows.start_rate[r] = rate_along(work, work.pose_v, b, n, f) - rate_along(work, work.pose_v, a, n, f)
        rows.rate[r] = rate_along(work, v_next_world, b, n, f) - rate_along(work, v_next_world, a, n, f)
        return 2
    count = 0
    rows.start_rate[r] = 0.0
    rows.rate[r] = 0.0
    for j in range(rows.coordinate.shape[1]):
        c = rows.coordinate[r, j]
        amount = rows.coefficient[r, j]
        if 0 <= c < v.size:
            apply_test_force(tree, path, count, c, amount)
            rows.start_rate[r] += amount * v[c]
            rows.rate[r] += amount * v_next[c]
            count += 1
        elif c >= 0:
            n, f, a, b = coordinate_wrench(cuts, work, table, c - v.size)
            apply_test_wrench(tree, work, path, count, b, n, f, amount)
            apply_test_wrench(tree, work, path, count + 1, a, n, f, -amount)
            rows.start_rate[r] += amount * (
                rate_along(work, work.pose_v, b, n, f) - rate_along(work, work.pose_v, a, n, f)
            )
            rows.rate[r] += amount * (rate_along(work, v_next_world, b, n, f) - rate_along(work, v_next_world, a, n, f))
            count += 2
    return count


@kernel
def coordinate_wrench(cuts, work, table, s):
    """Wrench (torque about the world's origin, force) of the rate s of a cut, and its links a and b."""
    cut = table.rate_cut[s]
    R_a, p_a, R_b, p_b = cut_frames(cuts, work, cut)
    n, f = measure_wrench(cuts, table.rate_measure[s], table.rate_component[s], R_a, p_a, R_b, p_b)
    return n, f, cuts.cut_a[cut], cuts.cut_b[cut]


@small
def find_response(tree, work, table, rows, path, q, count, r):
    """Spans, u, z and diagonal of row r, which acts at `count` ends; False where it moves nothing."""
    spans = 0
    for h in range(count):
        i = path.link[h]
        if i < 0:
            continue
        for e in range(table.link_span[i], table.link_span[i + 1]):
            # paths to the ground that join share their spans, but for the one in which they join
            first = table.span_first[e]
            length = table.span_last[e] - first
            b = 0
            while b < spans and rows.span_first[r, b] != first:
                b += 1
            if b == spans:
                rows.span_first[r, b] = first
                rows.span_length[r, b] = length
                spans += 1
            else:
                rows.span_length[r, b] = max(rows.span_length[r, b], length)
    rows.spans[r] = spans
    carry_inward(tree, work, q, path, count)
    u = rows.u[r]
    z = rows.z[r]
    x = 0.0
    i = 0
    for b in range(spans):
        first = rows.span_first[r, b]
        for k in range(first, first + rows.span_length[r, b]):
            u[i] = path.u[0, k]
            z[i] = path.z[0, k]
            x += u[i] * z[i]
            i += 1
    rows.diagonal[r] = x
    return x > table.least_response


@kernel
def share_no_dof(table, a, b):
    """Whether no dof moves both links a and b."""
    i = table.link_span[a]
    j = table.link_span[b]
    if i == table.link_span[a + 1] or j == table.link_span[b + 1]:
        return True
    return table.span_first[i] != table.span_first[j]


@kernel
def find_contact_responses(tree, work, table, rows, path, q, r, count):
    """Responses of the rows r … r + count - 1 of contacts between two links that share no dof."""
    spans = 0
    n = 0
    for side in range(2):
        link = rows.links[r, 1 - side]
        carry_together(tree, work, q, path, link, rows.wrench, r, count, 1.0 - 2.0 * side)
        for e in range(table.link_span[link], table.link_span[link + 1]):
            first = table.span_first[e]
            length = table.span_last[e] - first
            for j in range(count):
                rows.span_first[r + j, spans] = first
                rows.span_length[r + j, spans] = length
                for k in range(length):
                    rows.u[r + j, n + k] = path.u[j, first + k]
                    rows.z[r + j, n + k] = path.z[j, first + k]
            spans += 1
            n += length
    w = rows.u.shape[1]
    for j in range(count):
        rows.spans[r + j] = spans
        rows.diagonal[r + j] = dot_short_row(rows.u, (r + j) * w, rows.z, (r + j) * w, n)


@small
def contact_moves(table, rows, r):
    """Whether contact r with its friction moves anything; friction that moves nothing by itself is cleared."""
    if not rows.diagonal[r] > table.least_response:
        return False
    for j in range(r + 1, r + 3):
        if not rows.diagonal[j] > table.least_response:
            clear_response(rows, j, r)
    return True


@kernel
def clear_response(rows, r, normal):
    """Friction row r moves nothing, as across a planar linkage: it may take its part of the friction all the same."""
    rows.spans[r] = rows.spans[normal]
    for b in range(rows.spans[r]):
        rows.span_first[r, b] = rows.span_first[normal, b]
        rows.span_length[r, b] = rows.span_length[normal, b]
    for k in range(rows.u.shape[1]):
        rows.u[r, k] = 0.0
        rows.z[r, k] = 0.0
    rows.diagonal[r] = rows.diagonal[normal]


@kernel
def defer_softness(rows, r, soft, e, gap, v_scale):
    """Row r gets the softness in row e of `soft` once its effective mass is known; `pace`: rate of its rest length."""
    rows.deferred[r] = DEFERRED_SOFTNESS
    for j in range(3):
        rows.deferred_data[r, SOFT_KIND + j] = soft[e, j]
    rows.deferred_data[r, SOFT_GAP] = gap
    rows.pushing[r, PUSH_BIAS] = 0.0
    rows.pushing[r, PUSH_TURN] = 0.0
    rows.deferred_data[r, SOFT_PACE] = v_scale
    rows.deferred_data[r, SOFT_POINTS] = 1.0
    rows.deferred_data[r, SOFT_PART] = 1.0


@kernel
def finish_deferred(rows, r, diagonal, h):
    """What waited for the effective mass 1 / diagonal of row r: softness given in hertz, speed of a servo."""
    if not diagonal > 0.0:
        return
    if rows.deferred[r] == DEFERRED_SOFTNESS:
        # of a contact: a part of that of the pair, and hertz refer to the response of the pair
        points = rows.deferred_data[r, SOFT_POINTS]
        k = rows.deferred_data[r, SOFT_STIFFNESS] / points
        response = diagonal
        c = rows.deferred_data[r, SOFT_DAMPING]
        if rows.deferred_data[r, SOFT_KIND] == BEDDED:
            # there the stiffness of the pair is in place of the number of its points
            k = rows.deferred_data[r, SOFT_STIFFNESS]
            c *= 2.0 * k * math.sqrt(points / (diagonal * rows.deferred_data[r, SOFT_PART]))
        elif rows.deferred_data[r, SOFT_KIND] != SPRING:
            diagonal = max(diagonal * rows.deferred_data[r, SOFT_PART], rows.damping[r])
            omega = 2.0 * math.pi * k * points
            k = omega * omega / (diagonal * points)
            c = 2.0 * c * omega / diagonal
        c /= points
        gap = rows.deferred_data[r, SOFT_GAP]
        v_scale = rows.deferred_data[r, SOFT_PACE]
        if only_pushes(rows, r):
            set_pushing(rows, r, k, c, gap, v_scale, response, h)
        else:
            set_softness(rows, r, k, c, gap, v_scale, h)
    elif rows.deferred[r] == DEFERRED_BRAKE:
        # towards its goal no faster than BRAKING_PART of the torque can stop
        behind = rows.deferred_data[r, BRAKE_BEHIND]
        most = rows.deferred_data[r, BRAKE_MOST]
        speed = min(abs(behind) / h, math.sqrt(2.0 * BRAKING_PART * most * diagonal * abs(behind)))
        rows.target[r] = rows.deferred_data[r, BRAKE_PACE] + (speed if behind > 0.0 else -speed)

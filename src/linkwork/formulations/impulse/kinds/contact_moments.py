"""Contacts that resist rolling and turning: rows of torques within a length times the impulse of the normal row.

About the two tangents (rolling) both rows together stay within a circle; about the normal (turning on the spot) there
is one. A torque that turns nothing is left out. Only contacts with such a surface have these rows.
"""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.rows.row_algebra import add_impulse, rate_change
from linkwork.formulations.impulse.rows.row_table import CONTACT_MOMENT
from linkwork.formulations.impulse.rows.rows import apply_unit_impulse, find_response, reset_row, set_wrench
from linkwork.numerics.clipped import project_to_disc
from linkwork.spatial.vectors import ZERO, cross, load3

ROLLING, TURNING = range(2)  # slots of `Contacts.resist`


@small
def make_moment_rows(w, q, v, normal, r, e):
    """Rows from r on for the torques of contact e, whose normal row is `normal`; returns how many."""
    rows = w.rows
    contacts = w.contacts
    n = load3(contacts.normal, e)
    t = load3(contacts.tangent, e)
    count = 0
    for j in range(3):
        most = contacts.resist[e, TURNING if j == 2 else ROLLING]
        if most == 0.0:
            continue
        s = r + count
        reset_row(rows, s, CONTACT_MOMENT, w.table.id_count + 3 * (contacts.id.size + e) + j)
        axis = n if j == 2 else (t if j == 0 else cross(n, t))
        set_wrench(rows, s, rows.links[normal, 0], rows.links[normal, 1], axis, ZERO)
        rows.normal_row[s] = normal
        rows.friction[s] = most
        ends = apply_unit_impulse(
            w.tables.tree, w.tables.cuts, w.tree, w.v_next_world, w.table, rows, w.path, v, w.v_next, s
        )
        if find_response(w.tables.tree, w.tree, w.table, rows, w.path, q, ends, s):
            if j == 1 and count == 1:
                rows.partner_row[s] = s - 1
            count += 1
    return count


@small
def is_pair(rows, r, n):
    """Whether rows r and r + 1 are the two of one circle."""
    return r + 1 < n and rows.partner_row[r + 1] == r


@kernel
def sweep_pair(rows, s, r, p):
    """Two torques within one circle, rows r and r + 1; returns the largest change."""
    one = p[r]
    two = p[r + 1]
    d = max(s.diagonal[r], s.diagonal[r + 1]) + abs(s.partner_coupling[r + 1])
    left = s.b[r] - rate_change(rows, r, s.x) - rows.gamma[r] * one
    left_1 = s.b[r + 1] - rate_change(rows, r + 1, s.x) - rows.gamma[r + 1] * two
    project_to_disc(r, one + left / d, two + left_1 / d, rows.normal_row, rows.friction, p)
    add_impulse(rows, r, p[r] - one, s.x)
    add_impulse(rows, r + 1, p[r + 1] - two, s.x)
    return max(s.weight[r] * abs(p[r] - one), s.weight[r + 1] * abs(p[r + 1] - two))

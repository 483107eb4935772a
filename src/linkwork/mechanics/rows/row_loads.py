"""What the multipliers of constraint rows do: loads on the links, and the reactions of joints that close loops."""

from __future__ import annotations

from linkwork._jit import kernel, small
from linkwork.mechanics.forces.forces import add_wrench
from linkwork.mechanics.rows.constraint_rows import cut_frames
from linkwork.mechanics.rows.rows import first_coupled, term_wrench
from linkwork.spatial.codes import LENGTH
from linkwork.spatial.vectors import add_scaled, cross, load_pair, neg, scale, sub


@kernel
def push_rows(cuts, work, W, lam):
    """Add the wrenches W of the rows, times lam, to the loads on the links."""
    for c in range(cuts.cut_a.size):
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            n, f = load_pair(W, r)
            n = scale(lam[r], n)
            f = scale(lam[r], f)
            add_wrench(work, cuts.cut_b[c], n, f)
            add_wrench(work, cuts.cut_a[c], neg(n), neg(f))
    for j in range(cuts.coupling_law.size):
        push_coupling(cuts, work, j, lam[first_coupled(cuts) + j])


@kernel
def push_coupling(cuts, work, j, effort):
    """Add what coupling j does with its effort to the loads on the links; needs `row_values`."""
    for e in range(cuts.coupling_term[j], cuts.coupling_term[j + 1]):
        n, f = term_wrench(cuts, work, e)
        n = scale(effort, n)
        f = scale(effort, f)
        add_wrench(work, cuts.cut_b[cuts.term_cut[e]], n, f)
        add_wrench(work, cuts.cut_a[cuts.term_cut[e]], neg(n), neg(f))


@kernel
def cut_reactions(cuts, work, rows, out):
    """out (group, 6): force and torque on b from a at the joint's point, world axes; `rows` has wrenches W and lam.

    Of a coupling the first number is its effort.
    """
    for c in range(cuts.cut_a.size):
        _, _, _, p_b = cut_frames(cuts, work, c)
        n = (0.0, 0.0, 0.0)
        f = (0.0, 0.0, 0.0)
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            n_r, f_r = load_pair(rows.W, r)
            n = add_scaled(n, rows.lam[r], n_r)
            f = add_scaled(f, rows.lam[r], f_r)
        n = sub(n, cross(p_b, f))
        for e in range(3):
            out[c, e] = f[e]
            out[c, 3 + e] = n[e]
    for j in range(cuts.coupling_law.size):
        out[cuts.cut_a.size + j, 0] = rows.lam[first_coupled(cuts) + j]
    rod_reactions(cuts, work, out)


@small
def is_driven_rod(cuts, c):
    """Whether cut c is a rod whose length a motor gives: it has no row of its own."""
    m = cuts.cut_measure[c]
    return m < cuts.cut_measure[c + 1] and cuts.measure_kind[m] == LENGTH


@kernel
def rod_reactions(cuts, work, out):
    """out of the rods whose lengths motors give, from the efforts there."""
    for j in range(cuts.coupling_law.size):
        for e in range(cuts.coupling_term[j], cuts.coupling_term[j + 1]):
            c = cuts.term_cut[e]
            if is_driven_rod(cuts, c):
                _, f = term_wrench(cuts, work, e)
                for k in range(3):
                    out[c, k] = out[cuts.cut_a.size + j, 0] * f[k]

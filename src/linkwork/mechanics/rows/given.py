"""What is given as a function of time: the motion of grounds, and that of joints whose motors hold rigidly."""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.mechanics.accounts import SUPPLIED, book, part_of_coupling
from linkwork.mechanics.forces.laws import evaluate
from linkwork.mechanics.rows.rows import first_coupled
from linkwork.mechanics.tree.grounds import move_grounds

# Gauss' rule with three points, between 0 and 1
PLACE = (0.11270166537925831, 0.5, 0.8872983346207417)
WEIGHT = (5.0 / 18.0, 4.0 / 9.0, 5.0 / 18.0)


@kernel
def move_given(tables, work, t, law_input, out):
    """Links of the moving grounds at time t, and work.given; `law_input` and `out` are scratch."""
    if tables.tree.grounds > 1:
        move_grounds(tables.tree, tables.laws, work, t, law_input, out)
    cuts = tables.cuts
    for j in range(cuts.coupling_law.size):
        law = cuts.coupling_law[j]
        if law < 0:
            continue
        evaluate(tables.laws, law, t, law_input, out)
        if cuts.coupling_rate[j] == 0:
            for e in range(3):
                work.given[j, e] = out[e]
            continue
        work.given[j, 1] = out[0]
        work.given[j, 2] = out[1]
        span = t - work.since[0]
        way = 0.0
        if span != 0.0:
            for e in range(3):
                evaluate(tables.laws, law, work.since[0] + PLACE[e] * span, law_input, out)
                way += WEIGHT[e] * out[0]
        work.given[j, 0] = span * way


@kernel
def renew_given(cuts, work, cut_q, t):
    """A step has ended at t, to which `work.given` belongs: given rates are summed up from here on."""
    for j in range(cuts.coupling_law.size):
        if cuts.coupling_law[j] >= 0 and cuts.coupling_rate[j] == 1:
            cut_q[cuts.coupling_q[j]] += work.given[j, 0]
            work.given[j, 0] = 0.0
    work.since[0] = t


@kernel
def add_given_power(tables, work, lam, power):
    """Book what rigid motors put in: their efforts lam times the rates that they give."""
    cuts = tables.cuts
    for j in range(cuts.coupling_law.size):
        book(power, part_of_coupling(tables, j), SUPPLIED, lam[first_coupled(cuts) + j] * work.given[j, 1])

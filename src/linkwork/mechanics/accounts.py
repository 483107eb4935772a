"""Accounts of energy: what forces waste and what they feed in, by the parts of the model between which none passes.

An array of them begins with the two of the whole model; those of each part but the first follow, which has the rest.
"""

from __future__ import annotations

from linkwork._jit import kernel, small

DISSIPATED, SUPPLIED = range(2)  # the two accounts of a part, J; of power W


@small
def clear_power(power):
    """Set all accounts to zero."""
    for k in range(power.size):
        power[k] = 0.0


@small
def book(power, part, slot, P):
    """Add P to the account `slot` of a part and of the whole model."""
    power[slot] += P
    if part > 0:
        power[2 * part + slot] += P


@small
def part_between(tree, a, b):
    """The part of what acts between links a and b, of which one may be the world."""
    return tree.link_part[b if b > 0 else a]


@kernel
def part_of_coupling(tables, j):
    """The part of coupling j."""
    cuts = tables.cuts
    g = cuts.cut_a.size + j
    for side in range(cuts.side_link.shape[1]):
        if cuts.side_link[g, side] > 0:
            return tables.tree.link_part[cuts.side_link[g, side]]
    return 0


@kernel
def last_up_to(starts, k):
    """The last place of the rising numbers `starts` that is not above k."""
    low = 0
    high = starts.size
    while high - low > 1:
        middle = (low + high) // 2
        if starts[middle] <= k:
            low = middle
        else:
            high = middle
    return low


@kernel
def part_of_coordinate(tables, k):
    """The part of coordinate k, a dof or from there on a rate of a cut."""
    tree = tables.tree
    cuts = tables.cuts
    dofs = tree.dof_link.size
    if k < dofs:
        return tree.link_part[tree.dof_link[k]]
    c = last_up_to(cuts.cut_measure, last_up_to(cuts.measure_rate, k - dofs))
    return part_between(tree, cuts.cut_a[c], cuts.cut_b[c])

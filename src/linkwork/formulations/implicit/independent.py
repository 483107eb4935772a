"""[CD03] Independent joint coordinates for the semi-recursive method: their choice, and the dependent ones from them.

    G_d     columns of Phi_z that belong to the dependent coordinates, for the chosen rows

The choice is by full pivoting. Pivots are those of rows and columns in units: a coordinate in radians or lengths of the
model, a row by the most that its coordinates could move its place. So they are sines, whatever the sizes: of one row
the only pivot is a direction cosine, and small rows stand beside large ones. `w` is the method's Workspace.
"""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.formulations.convergence import rounding
from linkwork.formulations.implicit.tangent import find_levers
from linkwork.numerics.arrays import copy
from linkwork.numerics.full_pivoting import eliminate, solve, solve_transposed

DEPENDENT = 1e-9  # a smaller pivot is none
# slots of `Workspace.pivot`
CHOSEN, BEST, BEST_BEFORE, BEST_RATE = range(4)


@kernel
def find_units(tables, w):
    """w.row_unit, and how well positions are known; needs the rows."""
    cuts = tables.cuts
    n = w.newton
    find_levers(cuts, n)
    for c in range(cuts.side_link.shape[0]):
        first = cuts.path_start[c]
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            most = 0.0
            for p in range(first, cuts.path_start[c + 1]):
                most = max(most, n.lever[n.stencil.row_start[r] + p - first] * w.measure.unit[cuts.path_dof[p]])
            w.row_unit[r] = most if most > 0.0 else 1.0
    w.finest[0] = rounding(w.measure, w.rule.z, n.tree.pose_p)


@kernel
def fill_rows(cuts, w):
    """w.G in units."""
    n = w.newton
    for r in range(w.G.shape[0]):
        for k in range(w.G.shape[1]):
            w.G[r, k] = 0.0
    for c in range(cuts.side_link.shape[0]):
        first = cuts.path_start[c]
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            for p in range(first, cuts.path_start[c + 1]):
                k = cuts.path_dof[p]
                w.G[r, k] = n.G[n.stencil.row_start[r] + p - first] * w.measure.unit[k] / w.row_unit[r]


@kernel
def solve_rows(w, b, x):
    """Dependent coordinates x of G_d x = b."""
    for k in range(w.rank[0]):
        w.u[w.rows[k]] = b[w.rows[k]] / w.row_unit[w.rows[k]]
    solve(w.G, w.rows, w.columns, w.rank[0], w.u, x)
    for k in range(w.rank[0]):
        x[w.columns[k]] *= w.measure.unit[w.columns[k]]


@kernel
def solve_columns(w, b, x):
    """x of the chosen rows of G_d^T x = b."""
    for k in range(w.rank[0]):
        w.x[w.columns[k]] = b[w.columns[k]] * w.measure.unit[w.columns[k]]
    solve_transposed(w.G, w.rows, w.columns, w.rank[0], w.x, x)
    for k in range(w.rank[0]):
        x[w.rows[k]] /= w.row_unit[w.rows[k]]


@kernel
def smallest_pivot(G, rows, columns, rank):
    """The last pivot of an elimination; 1 where there is none."""
    return abs(G[rows[rank - 1], columns[rank - 1]]) if rank > 0 else 1.0


@kernel
def factor_choice(tables, w):
    """Factor G_d of the present choice; False where it has lost its rank."""
    fill_rows(tables.cuts, w)
    found = eliminate(w.G, w.rows, w.columns, w.rank[0], DEPENDENT)
    w.pivot[CHOSEN] = smallest_pivot(w.G, w.rows, w.columns, found)
    return found == w.rank[0]


@kernel
def find_best_choice(tables, w):
    """The best choice of dependent coordinates here: best_rows, best_columns, its smallest pivot; returns the rank."""
    fill_rows(tables.cuts, w)
    rank = eliminate(w.G, w.best_rows, w.best_columns, w.best_columns.size, DEPENDENT)
    w.pivot[BEST] = smallest_pivot(w.G, w.best_rows, w.best_columns, rank)
    return rank


@kernel
def take_best_choice(w, rank):
    """The best choice becomes the present one."""
    copy(w.best_rows, w.rows)
    copy(w.best_columns, w.columns)
    w.rank[0] = rank


@kernel
def dependent_part(w, x, rates):
    """The dependent part of x such that its rows' rates, now `rates` with that part zero, vanish."""
    solve_rows(w, rates, w.x)
    for k in range(w.rank[0]):
        x[w.columns[k]] = -w.x[w.columns[k]]


@kernel
def clear_dependent(w, x):
    """Set the dependent part of x to zero."""
    for k in range(w.rank[0]):
        x[w.columns[k]] = 0.0

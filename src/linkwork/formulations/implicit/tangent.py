"""[CD03] Matrices of the implicit methods in joint coordinates, sparse: their pattern, M by accumulation, and the rows.

    A    values of M + h/2 C + h^2/4 K (26) without the loops, in the pattern of `numerics.sparse_cholesky`
    G    Phi_z, rows of the cuts: a row has an entry for each dof between the two bodies of its cut

What force elements add to A is in `stiffness`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.rows.constraint_rows import ROUNDING, cut_frames
from linkwork.mechanics.rows.rows import first_coupled, term_on_dof, term_wrench
from linkwork.mechanics.tree.composite import composite_momentum, composites
from linkwork.mechanics.tree.motions import world_axis
from linkwork.mechanics.tree.workspace import TreeWork, tree_work
from linkwork.numerics.sparse_cholesky import Groups, SparsePattern, add_outer, entry, groups, pattern, size
from linkwork.spatial.codes import COUPLE, CROSSED, SEEN_PLACE, SEEN_RATE, SLIP, TANGENT
from linkwork.spatial.vanishing import vanished
from linkwork.spatial.vectors import add, cross, dot, load3, load_pair, norm, store_pair


class Stencil(NamedTuple):
    """Which dofs touch which, and where their entries lie; made once by `stencil`."""

    shape: SparsePattern
    diagonal: Any  # (dof,) entry of the diagonal
    mass_start: Any  # (dof + 1,) into mass_dof: dofs that carry the dof's link, itself last of its own
    mass_dof: Any
    mass_target: Any  # entry of the two dofs
    cut: Groups  # dofs between the bodies of each cut
    spring: Groups  # dofs between the ends of each spring
    spring_sign: Any  # +1 where the dof moves end b, -1 where it moves end a
    bushing: Groups  # dofs between the bodies of each bushing
    bushing_sign: Any  # +1 where the dof moves b, -1 where it moves a
    load: Groups  # dofs that carry the link of each load
    tyre: Groups  # dofs that carry the link of each tyre
    row_start: Any  # (row + 1,) into G


class NewtonScratch(NamedTuple):
    """Scratch of the implicit methods in joint coordinates; rows in m and rad, multipliers in N and N m."""

    stencil: Stencil
    tree: TreeWork
    measures: bool  # forces act on coordinates of the cuts
    rolls: bool  # some rows forbid velocities alone
    axis: Any  # (dof, 6) velocity for a unit of the dof: angular, linear at the world's origin; `find_axes`
    reach: Any  # (dof, 2) size of the angular part; linear with the distance to the world's origin; `find_axes`
    composite: Any  # (link, 10) mass and moments of a link and all it carries; `fill_mass`
    gyration: Any  # (dof,) what a dof moves, by the mass of that: m2, or 1 of a slide; `fill_mass`
    A: Any  # values of the matrix; `fill_mass`, `add_forces`
    g: Any  # (row,) Phi; `kinematics`
    gd: Any  # (row,) rates of the rows, and scratch of the methods
    gdd: Any  # (row,) second rates of the rows; the methods
    W: Any  # (row, 6) wrenches of the rows: torque about the world's origin, force; `kinematics`
    G: Any  # values of the rows; `find_rows`
    lever: Any  # as G: the most that a unit of the dof could move the row's place, in any direction; `find_levers`
    lam: Any  # (row,) multipliers, carried by `hybrid`; for the time of `finish` those of the reactions
    dq: Any  # (dof,) scratch of `reactions` and `ground_power`
    part: Any  # (longest group,) scratch of one force element, as J, TJ and T
    J: Any  # (longest group, 6)
    TJ: Any  # (longest group, 6)
    T: Any  # (6, 6)
    power: Any  # (account,) W wasted and fed in; `apply_forces`
    law_input: Any  # (16 + seen,) scratch: what a law is evaluated at
    out: Any  # (4,) scratch: what a law returns


def newton(tables: Any) -> NewtonScratch:
    """Scratch for the tables of one system."""
    tree, cuts = tables.tree, tables.cuts
    plan = stencil(tables)
    nv, rows = tree.dof_link.size, cuts.row_kind.size
    parts = (plan.cut, plan.spring, plan.bushing, plan.load, plan.tyre)
    longest = max(int(np.diff(g.start).max(initial=0)) for g in parts)
    return NewtonScratch(
        stencil=plan,
        tree=tree_work(tables),
        measures=measures_cuts(tables, nv),
        rolls=bool(np.isin(cuts.row_kind, (SLIP, TANGENT)).any()),
        axis=np.zeros((nv, 6)),
        reach=np.zeros((nv, 2)),
        composite=np.zeros((tree.link_parent.size, 10)),
        gyration=np.zeros(nv),
        A=np.zeros(size(plan.shape)),
        g=np.zeros(rows),
        gd=np.zeros(rows),
        gdd=np.zeros(rows),
        W=np.zeros((rows, 6)),
        G=np.zeros(int(plan.row_start[-1])),
        lever=np.zeros(int(plan.row_start[-1])),
        lam=np.zeros(rows),
        dq=np.zeros(nv),
        part=np.zeros(longest),
        J=np.zeros((longest, 6)),
        TJ=np.zeros((longest, 6)),
        T=np.zeros((6, 6)),
        power=np.zeros(tables.tree.accounts),
        law_input=law_scratch(tables.laws),
        out=np.zeros(4),
    )


def measures_cuts(tables: Any, nv: int) -> bool:
    """Whether forces act on coordinates of the cuts, or see them."""
    forces, laws = tables.forces, tables.laws
    acts = np.any(forces.coil_coordinate >= nv) or np.any(forces.drive_coordinate >= nv)
    sees = (laws.seen_kind == SEEN_PLACE) | (laws.seen_kind == SEEN_RATE)
    return bool(acts or np.any(laws.seen_index[sees] >= nv))


def stencil(tables: Any) -> Stencil:
    """The pattern of the matrix, and where each element adds to it."""
    tree, cuts, forces = tables.tree, tables.cuts, tables.forces
    nv = tree.dof_link.size
    chain: list[list[int]] = [[] for _ in range(tree.link_parent.size)]
    for i in range(tree.grounds, len(chain)):
        chain[i] = [*chain[tree.link_parent[i]], *np.flatnonzero(tree.dof_link == i).tolist()]
    carrying = set(tree.link_parent.tolist())
    paths = [cuts.path_dof[a:b].tolist() for a, b in _pairs(cuts.path_start)]
    springs, spring_signs = _between(chain, forces.spring_a, forces.spring_b)
    bushings, bushing_signs = _between(chain, forces.bushing_a, forces.bushing_b)
    loads = [chain[i] for i in forces.load_link]
    leaves = [c for i, c in enumerate(chain) if i >= tree.grounds and i not in carrying]
    shape = pattern(nv, [*leaves, *paths, *springs, *bushings])
    # dofs on the path to k, whatever their numbers (a joint walked backwards has them in reverse); of its own link once
    mass = [[b for b in chain[tree.dof_link[k]] if b <= k or tree.dof_link[b] != tree.dof_link[k]] for k in range(nv)]
    rows = [len(path) for c, path in enumerate(paths) for _ in range(cuts.cut_row[c], cuts.cut_row[c + 1])]
    return Stencil(
        shape,
        np.array([entry(shape, k, k) for k in range(nv)], dtype=np.int64),
        np.concatenate([[0], np.cumsum([len(m) for m in mass])]).astype(np.int64),
        np.array([b for m in mass for b in m], dtype=np.int64),
        np.array([entry(shape, max(k, b), min(k, b)) for k, m in enumerate(mass) for b in m], dtype=np.int64),
        groups(shape, paths),
        groups(shape, springs),
        spring_signs,
        groups(shape, bushings),
        bushing_signs,
        groups(shape, loads),
        groups(shape, [chain[i] for i in forces.tyre_link]),
        np.concatenate([[0], np.cumsum(rows)]).astype(np.int64),
    )


def _between(chain: list[list[int]], ends_a: Any, ends_b: Any) -> tuple[list[list[int]], Any]:
    """Dofs between the two links of every element, and of all of them +1 where they move link b, else -1."""
    found: list[list[int]] = []
    signs: list[float] = []
    for a, b in zip(ends_a, ends_b, strict=True):
        to_a, to_b = set(chain[a]), set(chain[b])
        found.append(sorted(to_a ^ to_b))
        signs.extend(1.0 if k in to_b else -1.0 for k in found[-1])
    return found, np.array(signs)


def _pairs(start: Any) -> Iterator[tuple[int, int]]:
    return zip(start[:-1].tolist(), start[1:].tolist(), strict=True)


@kernel
def find_axes(tree, w):
    """w.axis and w.reach of every dof; needs the poses."""
    for k in range(tree.dof_link.size):
        i = tree.dof_link[k]
        n, u = world_axis(tree, w.tree.pose_R, w.tree.pose_p, i, k - tree.link_v[i])
        store_pair(w.axis, k, n, u)
        w.reach[k, 0] = norm(n)
        w.reach[k, 1] = norm(u) + w.reach[k, 0] * norm(load3(w.tree.pose_p, i))


@kernel
def find_rows(tree, cuts, w):
    """w.G from the rows' wrenches w.W (20); what rounding leaves of a row that is not there is set to zero."""
    for c in range(cuts.cut_a.size):
        _, _, _, p_b = cut_frames(cuts, w.tree, c)
        far = norm(p_b)
        first = cuts.path_start[c]
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            N, F = load_pair(w.W, r)
            turns = ROUNDING * norm(N)
            pulls = ROUNDING * norm(F)
            e = w.stencil.row_start[r] - first
            for s in range(first, cuts.path_start[c + 1]):
                k = cuts.path_dof[s]
                n, u = load_pair(w.axis, k)
                x = dot(N, n) + dot(F, u)
                there = abs(x) > turns * w.reach[k, 0] + pulls * (w.reach[k, 1] + w.reach[k, 0] * far)
                w.G[e + s] = cuts.path_sign[s] * (x if there else vanished(x))
    for j in range(cuts.coupling_law.size):
        coupled_row(tree, cuts, w, j)


@kernel
def coupled_row(tree, cuts, w, j):
    """w.G of the row of coupling j: what the dofs of its terms add to it."""
    first = w.stencil.row_start[first_coupled(cuts) + j]
    for e in range(first, w.stencil.row_start[first_coupled(cuts) + j + 1]):
        w.G[e] = 0.0
    for e in range(cuts.coupling_term[j], cuts.coupling_term[j + 1]):
        c = cuts.term_cut[e]
        n, f = term_wrench(cuts, w.tree, e)
        _, _, _, p_b = cut_frames(cuts, w.tree, c)
        for s in range(cuts.path_start[c], cuts.path_start[c + 1]):
            place = cuts.place_on_path[cuts.term_place[e] + s - cuts.path_start[c]]
            w.G[first + place] += term_on_dof(tree, cuts, w.tree, n, f, norm(p_b), s)


@kernel
def find_levers(cuts, w):
    """w.lever from the axes of the dofs and the kinds of the rows; of couplings the rows themselves."""
    for c in range(cuts.cut_a.size):
        _, _, _, p_b = cut_frames(cuts, w.tree, c)
        first = cuts.path_start[c]
        for s in range(first, cuts.path_start[c + 1]):
            n, u = load_pair(w.axis, cuts.path_dof[s])
            turn = w.reach[cuts.path_dof[s], 0]
            speed = norm(add(u, cross(n, p_b)))
            for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
                x = turn if cuts.row_kind[r] == CROSSED else speed
                if cuts.row_kind[r] == COUPLE:
                    x += abs(cuts.row_pitch[r]) * turn
                w.lever[w.stencil.row_start[r] + s - first] = x
    for e in range(w.stencil.row_start[first_coupled(cuts)], w.G.size):
        w.lever[e] = abs(w.G[e])


@kernel
def rows_times(cuts, w, x, out, s):
    """out += s G x."""
    for c in range(cuts.side_link.shape[0]):
        first = cuts.path_start[c]
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            value = 0.0
            e = w.stencil.row_start[r] - first
            for p in range(first, cuts.path_start[c + 1]):
                value += w.G[e + p] * x[cuts.path_dof[p]]
            out[r] += s * value


@kernel
def times_rows(cuts, w, lam, out, s):
    """out += s G^T lam."""
    for c in range(cuts.side_link.shape[0]):
        first = cuts.path_start[c]
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            force = s * lam[r]
            e = w.stencil.row_start[r] - first
            for p in range(first, cuts.path_start[c + 1]):
                out[cuts.path_dof[p]] += w.G[e + p] * force


@kernel
def add_rows(cuts, w, weight, A):
    """A += G^T weight G."""
    for c in range(cuts.side_link.shape[0]):
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            add_outer(w.stencil.cut, c, w.G[w.stencil.row_start[r] : w.stencil.row_start[r + 1]], weight[r], A)


@kernel
def fill_mass(tree, w):
    """w.A = M (12), (16), (17), and w.gyration."""
    plan = w.stencil
    for e in range(w.A.size):
        w.A[e] = 0.0
    composites(tree, w.tree, w.composite)
    for k in range(tree.dof_link.size):
        i = tree.dof_link[k]
        x = load3(w.tree.pose_p, tree.link_first[i])
        n, u = load_pair(w.axis, k)
        L, l = composite_momentum(w.composite, i, n, add(u, cross(n, x)))
        # dot(n', L) + dot(u' + n' x x, l) for the dofs n', u' below
        L = add(L, cross(x, l))
        for e in range(plan.mass_start[k], plan.mass_start[k + 1]):
            n, u = load_pair(w.axis, plan.mass_dof[e])
            w.A[plan.mass_target[e]] = dot(n, L) + dot(u, l)
        w.A[plan.diagonal[k]] += tree.dof_armature[k]
        mass = w.composite[i, 0]
        w.gyration[k] = w.A[plan.diagonal[k]] / mass if mass > 0.0 else 0.0

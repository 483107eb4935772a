"""[CD03] Matrices of the implicit methods in joint coordinates, sparse: M by accumulation, K and C of force elements.

    A    values of M + h/2 C + h^2/4 K (26) without the loops, in the pattern of `numerics.sparse_cholesky`
    G    Phi_z, rows of the cuts: a row has an entry for each dof between the two bodies of its cut
    s_z  change of a spring's length with the dofs between its ends (29)

Springs and dampers give their constants (30)-(34); a law that is told of the motion is differenced. Of its matrix the
symmetric part is taken, so that the factor stays symmetric: that costs an iteration at times, never the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel
from linkwork.mechanics.composite import composite_momentum, composites
from linkwork.mechanics.constraint_rows import ROUNDING, cut_frames, measure_wrench
from linkwork.mechanics.forces import body_law_input, coordinate_rate, coordinate_value, load_vector, spring_line
from linkwork.mechanics.laws import evaluate
from linkwork.mechanics.motions import world_axis
from linkwork.mechanics.springs import spring_slopes
from linkwork.mechanics.tyres import contact_slopes, tyre_place
from linkwork.mechanics.workspace import TreeWork, tree_work
from linkwork.numerics.sparse_cholesky import Groups, SparsePattern, add_outer, entry, groups, pattern, size
from linkwork.spatial.codes import ATTITUDE, COUPLE, CROSSED, TOLD_BODY, TOLD_COORDINATE
from linkwork.spatial.quaternions import exponential, product
from linkwork.spatial.vectors import ZERO, add, cross, dot, load3, load9, load_pair, norm, rotate, store_pair, sub

SMALL = 1e-6  # rad, m, rad/s, m/s: by which a law is displaced to see how it changes


class Stencil(NamedTuple):
    """Which dofs touch which, and where their entries lie."""

    shape: SparsePattern
    diagonal: Any  # (dof,)
    mass_start: Any  # (dof + 1,) into mass_dof: dofs that carry the dof's link, itself last of its own
    mass_dof: Any
    mass_target: Any
    cut: Groups
    spring: Groups
    spring_sign: Any  # +1 where the dof moves end b, -1 where it moves end a
    load: Groups
    tyre: Groups
    row_start: Any  # (row + 1,) into G


class NewtonScratch(NamedTuple):
    """Scratch of the implicit methods in joint coordinates."""

    stencil: Stencil
    tree: TreeWork
    measures: bool  # forces act on coordinates of the cuts
    axis: Any  # (dof, 6) velocity that a unit of a dof gives: angular, linear at the world's origin
    reach: Any  # (dof, 2) size of its angular part, and of the linear one with the way to the world's origin
    composite: Any  # (link, 10)
    gyration: Any  # (dof,) what a dof moves, by the mass of that: m2, or 1 of a slide
    A: Any  # values
    g: Any  # (row,) Phi
    gd: Any
    gdd: Any
    W: Any  # (row, 6) wrenches of the rows
    G: Any
    lever: Any  # as G: the most that a unit of the dof could move the row's place by, whichever way it does
    lam: Any  # (row,)
    dq: Any  # (dof,)
    part: Any  # (longest group,)
    J: Any  # (longest group, 6)
    TJ: Any  # (longest group, 6)
    T: Any  # (6, 6)
    power: Any  # (2,)
    law_input: Any
    out: Any


def newton(tables: Any) -> NewtonScratch:
    """Scratch for the tables of one system."""
    tree, cuts = tables.tree, tables.cuts
    plan = stencil(tables)
    nv, rows = tree.dof_link.size, cuts.row_kind.size
    longest = max(int(np.diff(g.start).max(initial=0)) for g in (plan.cut, plan.spring, plan.load, plan.tyre))
    return NewtonScratch(
        plan,
        tree_work(tree),
        bool(np.any(tables.forces.coil_coordinate >= nv) or np.any(tables.forces.drive_coordinate >= nv)),
        np.zeros((nv, 6)),
        np.zeros((nv, 2)),
        np.zeros((tree.link_parent.size, 10)),
        np.zeros(nv),
        np.zeros(size(plan.shape)),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros((rows, 6)),
        np.zeros(int(plan.row_start[-1])),
        np.zeros(int(plan.row_start[-1])),
        np.zeros(rows),
        np.zeros(nv),
        np.zeros(longest),
        np.zeros((longest, 6)),
        np.zeros((longest, 6)),
        np.zeros((6, 6)),
        np.zeros(2),
        np.zeros(16),
        np.zeros(4),
    )


def stencil(tables: Any) -> Stencil:
    tree, cuts, forces = tables.tree, tables.cuts, tables.forces
    nv = tree.dof_link.size
    chain: list[list[int]] = [[] for _ in range(tree.link_parent.size)]
    for i in range(tree.grounds, len(chain)):
        chain[i] = [*chain[tree.link_parent[i]], *np.flatnonzero(tree.dof_link == i).tolist()]
    carrying = set(tree.link_parent.tolist())
    paths = [cuts.path_dof[a:b].tolist() for a, b in _pairs(cuts.path_start)]
    springs: list[list[int]] = []
    signs: list[float] = []
    for a, b in zip(forces.spring_a, forces.spring_b, strict=True):
        to_a, to_b = set(chain[a]), set(chain[b])
        springs.append(sorted(to_a ^ to_b))
        signs.extend(1.0 if k in to_b else -1.0 for k in springs[-1])
    loads = [chain[i] for i in forces.load_link]
    leaves = [c for i, c in enumerate(chain) if i >= tree.grounds and i not in carrying]
    shape = pattern(nv, [*leaves, *paths, *springs])
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
        np.array(signs),
        groups(shape, loads),
        groups(shape, [chain[i] for i in forces.tyre_link]),
        np.concatenate([[0], np.cumsum(rows)]).astype(np.int64),
    )


def _pairs(start: Any) -> Iterator[tuple[int, int]]:
    return zip(start[:-1].tolist(), start[1:].tolist(), strict=True)


@kernel
def find_axes(tree, w):
    for k in range(tree.dof_link.size):
        i = tree.dof_link[k]
        n, u = world_axis(tree, w.tree.pose_R, w.tree.pose_p, i, k - tree.link_v[i])
        store_pair(w.axis, k, n, u)
        w.reach[k, 0] = norm(n)
        w.reach[k, 1] = norm(u) + w.reach[k, 0] * norm(load3(w.tree.pose_p, i))


@kernel
def find_rows(cuts, w):
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
                w.G[e + s] = cuts.path_sign[s] * x if there else 0.0


@kernel
def find_levers(cuts, w):
    """w.lever from the axes of the dofs and the kinds of the rows."""
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


@kernel
def rows_times(cuts, w, x, out, s):
    """out += s G x."""
    for c in range(cuts.cut_a.size):
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
    for c in range(cuts.cut_a.size):
        first = cuts.path_start[c]
        for r in range(cuts.cut_row[c], cuts.cut_row[c + 1]):
            force = s * lam[r]
            e = w.stencil.row_start[r] - first
            for p in range(first, cuts.path_start[c + 1]):
                out[cuts.path_dof[p]] += w.G[e + p] * force


@kernel
def add_rows(cuts, w, weight, A):
    """A += G^T weight G."""
    for c in range(cuts.cut_a.size):
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


@kernel
def add_forces(tables, w, t, h, q, v, cut_q, cut_rate):
    """w.A += h/2 C + h^2/4 K of springs, coils, and laws that are told of the motion (28)-(34)."""
    forces = tables.forces
    laws = tables.laws
    for s in range(forces.spring_a.size):
        add_spring(forces, laws, w, s, t, h)
    for s in range(forces.coil_coordinate.size):
        weight = 0.5 * h * forces.coil_c[s] + 0.25 * h * h * forces.coil_k[s]
        add_coordinate(tables.cuts, w, forces.coil_coordinate[s], v.size, weight)
    for s in range(forces.drive_coordinate.size):
        law = forces.drive_law[s]
        if laws.law_input[law] == TOLD_COORDINATE:
            k = forces.drive_coordinate[s]
            x = coordinate_value(forces.drive_q[s], q, cut_q)
            xd = coordinate_rate(k, v, cut_rate)
            weight = drive_slope(laws, law, t, h, x, xd, w.law_input, w.out)
            add_coordinate(tables.cuts, w, k, v.size, weight)
    for s in range(forces.load_law.size):
        if laws.law_input[forces.load_law[s]] == TOLD_BODY:
            load_slopes(tables, w, s, t, h)
            add_load(tables.tree, w, s, forces.load_body[s])
    for s in range(forces.tyre_link.size):
        add_tyre(forces, laws, w, s, t, h)


@kernel
def add_spring(forces, laws, w, s, t, h):
    group = w.stencil.spring
    p_a, p_b, e, length, rate = spring_line(forces, w.tree, s)
    K, C = spring_slopes(forces, laws, s, length, rate, t, w.law_input, w.out)
    first = group.start[s]
    for a in range(group.start[s + 1] - first):
        sign = w.stencil.spring_sign[first + a]
        n, u = load_pair(w.axis, group.unknown[first + a])
        w.part[a] = sign * dot(e, add(u, cross(n, p_b if sign > 0.0 else p_a)))
    add_outer(group, s, w.part, 0.5 * h * C + 0.25 * h * h * K, w.A)


@kernel
def add_coordinate(cuts, w, k, nv, weight):
    """weight on dof k; from nv on, on the direction of a rate of a cut."""
    if k < nv:
        w.A[w.stencil.diagonal[k]] += weight
        return
    for c in range(cuts.cut_a.size):
        for m in range(cuts.cut_measure[c], cuts.cut_measure[c + 1]):
            j = k - nv - cuts.measure_rate[m]
            if j < 0 or j > (2 if cuts.measure_kind[m] >= ATTITUDE else 0):
                continue
            R_a, _, R_b, p_b = cut_frames(cuts, w.tree, c)
            N, F = measure_wrench(cuts, m, j, R_a, R_b, p_b)
            first = cuts.path_start[c]
            for p in range(first, cuts.path_start[c + 1]):
                n, u = load_pair(w.axis, cuts.path_dof[p])
                w.part[p - first] = cuts.path_sign[p] * (dot(N, n) + dot(F, u))
            add_outer(w.stencil.cut, c, w.part, weight, w.A)
            return


@kernel
def drive_slope(laws, law, t, h, x, xd, law_input, out):
    """-(h/2 dQ/dxd + h^2/4 dQ/dx) of a law on a coordinate."""
    law_input[0] = x
    law_input[1] = xd
    evaluate(laws, law, t, law_input, out)
    Q = out[0]
    law_input[0] = x + SMALL
    evaluate(laws, law, t, law_input, out)
    K = (out[0] - Q) / SMALL
    law_input[0] = x
    law_input[1] = xd + SMALL
    evaluate(laws, law, t, law_input, out)
    return -0.5 * h * (out[0] - Q) / SMALL - 0.25 * h * h * K


@kernel
def load_slopes(tables, w, s, t, h):
    """w.T = -(h/2 dF/dV + h^2/4 dF/dX) of load s: wrench about its body's origin by turns and shifts of the body."""
    forces = tables.forces
    tree = tables.tree
    law_input = w.law_input
    b = forces.load_body[s]
    i = forces.load_link[s]
    body_law_input(tree, w.tree, b, law_input)
    F = load_vector(tree, forces, tables.laws, w.tree, s, t, law_input, w.out)
    X = load9(w.tree.pose_R, i)
    arm = rotate(X, sub(load3(forces.load_point, s), load3(tree.body_p, b)))
    for j in range(6):
        # a turn or a shift
        e = (law_input[3], law_input[4], law_input[5], law_input[6])
        if j < 3:
            turn = (SMALL if j == 0 else 0.0, SMALL if j == 1 else 0.0, SMALL if j == 2 else 0.0)
            moved = product(exponential(turn), e)
            for k in range(4):
                law_input[3 + k] = moved[k]
        else:
            law_input[j - 3] += SMALL
        K = slope(load_vector(tree, forces, tables.laws, w.tree, s, t, law_input, w.out), F)
        if j < 3:
            for k in range(4):
                law_input[3 + k] = e[k]
        else:
            law_input[j - 3] -= SMALL
        # an angular or a linear velocity
        k = 10 + j if j < 3 else 4 + j
        rate = law_input[k]
        law_input[k] += SMALL
        C = slope(load_vector(tree, forces, tables.laws, w.tree, s, t, law_input, w.out), F)
        law_input[k] = rate
        f = (
            -0.5 * h * C[0] - 0.25 * h * h * K[0],
            -0.5 * h * C[1] - 0.25 * h * h * K[1],
            -0.5 * h * C[2] - 0.25 * h * h * K[2],
        )
        n = cross(arm, f)
        if forces.load_is_torque[s] == 1:
            n = f
            f = ZERO
        for e3 in range(3):
            w.T[e3, j] = n[e3]
            w.T[3 + e3, j] = f[e3]


@kernel
def slope(moved, F):
    return ((moved[0] - F[0]) / SMALL, (moved[1] - F[1]) / SMALL, (moved[2] - F[2]) / SMALL)


@kernel
def add_load(tree, w, s, b):
    """w.A += J^T T J with J of the origin of body b and the chain of load s."""
    i = tree.body_link[b]
    x = add(load3(w.tree.pose_p, i), rotate(load9(w.tree.pose_R, i), load3(tree.body_p, b)))
    add_chain(w, w.stencil.load, s, x)


@kernel
def add_tyre(forces, laws, w, s, t, h):
    """w.A += h/2 C + h^2/4 K of the road's force on tyre s, which gives way along the road's normal and sideways."""
    group = w.stencil.tyre
    p, a, _, u = tyre_place(forces, w.tree, s)
    c, normal, K, C, side, C_side = contact_slopes(forces, laws, s, p, a, u, t, w.law_input, w.out)
    if K == 0.0:
        return
    first = group.start[s]
    for j in range(2):
        e = normal if j == 0 else side
        weight = 0.5 * h * C + 0.25 * h * h * K if j == 0 else 0.5 * h * C_side
        for k in range(group.start[s + 1] - first):
            n, v = load_pair(w.axis, group.unknown[first + k])
            w.part[k] = dot(e, add(v, cross(n, c)))
        add_outer(group, s, w.part, weight, w.A)


@kernel
def add_chain(w, group, g, x):
    """w.A += J^T T J, made symmetric, with J of the body's point now at x and the dofs of group g that carry it."""
    first = group.start[g]
    count = group.start[g + 1] - first
    for a in range(count):
        n, u = load_pair(w.axis, group.unknown[first + a])
        store_pair(w.J, a, n, add(u, cross(n, x)))
        for e in range(6):
            value = 0.0
            for f in range(6):
                value += 0.5 * (w.T[e, f] + w.T[f, e]) * w.J[a, f]
            w.TJ[a, e] = value
    p = group.target_start[g]
    for a in range(count):
        for c in range(a + 1):
            value = 0.0
            for e in range(6):
                value += w.J[c, e] * w.TJ[a, e]
            w.A[group.target[p]] += value
            p += 1

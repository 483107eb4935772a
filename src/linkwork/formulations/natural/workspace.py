"""[CD03] Memory of the global method: the pattern of f_z, the constant mass matrix, and the arrays of a step."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.formulations.natural.reactions import Network, network
from linkwork.mechanics.counts import count_cut_q
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.size import size_of
from linkwork.mechanics.tree.workspace import TreeWork, tree_work
from linkwork.numerics.block_sparse import BlockPattern, pattern
from linkwork.spatial.codes import COUPLE

STARTS = {"curve_start", "tyre_road"}  # tables of forces that have an entry where there is nothing


class Pairs(NamedTuple):
    """Entries i, j of a row whose product goes to a block of f_z; made once."""

    start: Any  # (row + 1,)
    i: Any  # (pair,)
    j: Any
    offset: Any  # of the block


class Workspace(NamedTuple):
    """Memory of the method; nodes in m (points) and without unit (vectors), rows in m2, m or without unit."""

    penalty: float  # N/m; 0 where it is chosen
    tolerance: float
    iterations: int
    loaded: bool  # there are forces besides gravity
    driven: bool  # motors give the motion of joints, or the length of rods
    measured: bool  # forces or rows depend on coordinates of joints
    nat: Any  # Natural: nodes, slots, rows and masses; never changed
    tree: TreeWork
    net: Network
    shape: BlockPattern
    pairs: Pairs
    node_mass: Any  # (free,) kg; never changed
    length: float  # m, the size of the model
    unit: Any  # (node,) of a point the length, of a unit vector 1; never changed
    row_unit: Any  # (row,) the most that a unit of one of its nodes moves it; written by `set_penalties`, carried
    mass: Any  # M in the pattern of f_z; never changed
    fz: Any  # f_z, factored; `tangent`
    first: Any  # (free, 3) scratch of the factorisation
    weight: Any  # (row,) what a row adds to f_z with its gradient; `step`, `soft_rows`
    alpha: Any  # (row,) penalties of the equations; `set_penalties`, carried
    step: Any  # (1,) s, dt for which they are; `set_penalties`, carried
    lam: Any  # (row,) multipliers; `step`, carried
    mu: Any  # (row,) multipliers of the accelerations `a`; `solve_accelerations`
    force: Any  # (row,) lam + alpha g; `step`, `solve_accelerations`
    g: Any  # (row,) Phi; `fill_rows`
    gd: Any  # (row,) rates of the rows; `row_rates`, `second_rates`
    J: Any  # (entry, 3) gradients; `fill_rows`, `soft_rows`
    z: Any  # (node, 3) trial; `predict`, `step`
    zd: Any  # (node, 3) its velocities; `trapezoidal`, then projected
    zdd: Any  # (node, 3) its accelerations; `trapezoidal`, then projected
    z0: Any  # (node, 3) at the last step; `accept`, carried, as zd0 and zdd0
    zd0: Any
    zdd0: Any
    delta: Any  # (node, 3) residual, then increment; `balance`
    a: Any  # (node, 3) accelerations of the recorded state; `solve_accelerations`
    f: Any  # (dof,) motion of the bodies in the last increment of a step that was refused; `last_increment`
    power: Any  # (account,) W wasted and fed in; `apply_forces`, `accept`; carried
    power_before: Any  # (account,) the same at the last step; `accept`; carried
    kept_lam: Any  # lam before a step that may be refused; `run`
    kept_cut: Any  # coordinates of the joints before it; `run`
    law_input: Any  # (16 + seen,) scratch: what a law is evaluated at
    out: Any  # (4,) scratch: what a law returns


def workspace(tables: Any, nat: Any, method: Any) -> Workspace:
    """Memory of the method for the tables and the natural coordinates of one system."""
    nodes, rows = len(nat.node_link), len(nat.row_kind)
    cuts = tables.cuts
    shape, table = _pattern(nat)
    where = {
        (int(shape.below[s]), int(k)): int(shape.offset[s])
        for p, k in enumerate(shape.order)
        for s in range(int(shape.column[p]), int(shape.column[p + 1]))
    }
    position = np.zeros(max(nat.free, 1), dtype=np.int64)
    position[shape.order] = np.arange(nat.free)
    starts, pairs = [0], []
    for entries in table:
        for i, k in entries:
            for j, m in entries:
                if k == m:
                    pairs.append((i, j, int(shape.diagonal[k])))
                elif position[k] > position[m]:
                    pairs.append((i, j, where[k, m]))
        starts.append(len(pairs))
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 3)
    mass = _masses(tables.tree, nat, shape, position, where)
    diagonal = np.array([mass[d : d + 9 : 4].sum() / 3.0 for d in shape.diagonal])
    equations, length = nat.equations, size_of(tables)
    loaded = any(len(column) > (name in STARTS) for name, column in tables.forces._asdict().items())
    return Workspace(
        penalty=float(method.penalty or 0.0),
        tolerance=float(method.tolerance),
        iterations=int(method.iterations),
        loaded=loaded,
        driven=bool(np.any(cuts.coupling_law >= 0)),
        measured=loaded or bool(np.any(cuts.row_kind == COUPLE)) or cuts.coupling_law.size > 0,
        nat=nat,
        tree=tree_work(tables),
        net=network(tables, nat),
        shape=shape,
        pairs=Pairs(np.array(starts, dtype=np.int64), *(columns[:, k].copy() for k in range(3))),
        node_mass=diagonal.reshape(-1),
        length=length,
        unit=np.where(nat.node_is_point == 1, length, 1.0),
        row_unit=np.ones(equations),
        mass=mass,
        fz=np.zeros(shape.total),
        first=np.zeros((nat.free, 3)),
        weight=np.zeros(rows),
        alpha=np.zeros(equations),
        step=np.ones(1),
        lam=np.zeros(equations),
        mu=np.zeros(equations),
        force=np.zeros(equations),
        g=np.zeros(equations),
        gd=np.zeros(equations),
        J=nat.entry_J.copy(),
        **{name: np.zeros((nodes, 3)) for name in ("z", "zd", "zdd", "z0", "zd0", "zdd0", "delta", "a")},
        f=np.zeros(len(tables.tree.dof_link)),
        power=np.zeros(tables.tree.accounts),
        power_before=np.zeros(tables.tree.accounts),
        kept_lam=np.zeros(equations),
        kept_cut=np.zeros(count_cut_q(cuts)),
        law_input=law_scratch(tables.laws),
        out=np.zeros(4),
    )


def _pattern(nat: Any) -> tuple[BlockPattern, list[list[tuple[int, int]]]]:
    """Nodes that share a body or a row touch; and the moving entries of every row: (entry, node)."""
    touching = set()
    for link in range(len(nat.link_slots)):
        slots = [int(k) for k in nat.slot_node[link, : nat.link_slots[link]] if k < nat.free]
        touching |= {(a, b) for a in slots for b in slots if a < b}
    table = []
    for r in range(len(nat.row_kind)):
        entries = range(int(nat.row_entry[r]), int(nat.row_entry[r + 1]))
        table.append([(e, int(nat.entry_node[e])) for e in entries if nat.entry_node[e] < nat.free])
        nodes = sorted({k for _, k in table[-1]})
        touching |= {(a, b) for a in nodes for b in nodes if a < b}
    return pattern([3] * nat.free, sorted(touching)), table


def _masses(tree: Any, nat: Any, shape: BlockPattern, position: Any, where: Any) -> Any:
    """M in the pattern of f_z: the blocks of the bodies, added up."""
    mass = np.zeros(shape.total)
    for link in range(tree.grounds, len(nat.link_slots)):
        u = np.zeros(3)
        if nat.link_normal[link] >= 0:
            u = nat.node_local[nat.link_normal[link]]
        S = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
        for a in range(int(nat.link_slots[link])):
            for b in range(int(nat.link_slots[link])):
                k, m = int(nat.slot_node[link, a]), int(nat.slot_node[link, b])
                if k >= nat.free or m >= nat.free or (k != m and position[k] < position[m]):
                    continue
                block = nat.mass_1[link, a, b] * np.eye(3) + nat.mass_S[link, a, b] * S
                block += nat.mass_u[link, a, b] * np.outer(u, u)
                o = int(shape.diagonal[k]) if k == m else where[k, m]
                mass[o : o + 9] += block.ravel()
    return mass

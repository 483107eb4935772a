"""From kept states to named columns: poses, velocities, reactions, energies, drift, computed in one compiled sweep."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import entry, kernel
from linkwork.assembly.system import System
from linkwork.errors import OptionError
from linkwork.formulations.record import Rows
from linkwork.mechanics.articulated import outward_velocities
from linkwork.mechanics.composite import gravity_energy, kinetic_energy
from linkwork.mechanics.forces import apply_forces, push_link, stored_energy
from linkwork.mechanics.grounds import move_grounds
from linkwork.mechanics.kinematics import body_pose, body_velocity, outward_poses, world_velocities
from linkwork.mechanics.newton_euler import inverse_dynamics
from linkwork.mechanics.parts import cut_frames, measure_accelerations, row_rates, row_values
from linkwork.mechanics.workspace import TreeWork, tree_work
from linkwork.simulation.units import BODY_UNITS, REACTION_UNIT, joint_units
from linkwork.spatial.codes import FREE, HELICAL, SLIDE, SWING, SWING_BACK, TURN
from linkwork.spatial.quaternions import quaternion_of
from linkwork.spatial.vectors import add, add_scaled, axis_z, cross, dot, load3, load9, load_pair, neg, rotate, sub


class View(NamedTuple):
    """Where the joints of the tree are to be looked at."""

    joint_last: Any  # (joint,) link that carries its load
    joint_sign: Any  # (joint,) -1 for a joint walked from b to a
    joint_link_b: Any
    joint_point: Any  # (joint, 3) the joint's point in link b
    joint_start: Any  # (joint + 1,) into joint_link
    joint_link: Any


class Sight(NamedTuple):
    """What is seen, a row for each kept state."""

    body: Any  # (row, body, 13) position, quaternion, velocity, angular velocity
    reaction: Any  # (row, joint, 6) force, torque
    cut_acceleration: Any  # (row, rate of a cut)
    energy: Any  # (row, 3) kinetic, gravity, springs
    drift: Any  # (row, 2) norms


class Scratch(NamedTuple):
    work: TreeWork
    g: Any
    gd: Any
    W: Any
    tau: Any
    told: Any
    out: Any
    power: Any


class Observer:
    """Turns kept states of one system into columns. `patterns` choose the columns ("pin.*", "*.position")."""

    def __init__(self, system: System, patterns: str | Sequence[str] = "all") -> None:
        self.system = system
        self.columns = choose(column_shapes(system), patterns)
        self.width = sum(int(np.prod(shape)) for shape in self.columns.values()) + 11
        tree, cuts = system.tables.tree, system.tables.cuts
        self.view = _view(system)
        rows = cuts.row_kind.size
        self.scratch = Scratch(
            tree_work(tree),
            np.zeros(rows),
            np.zeros(rows),
            np.zeros((rows, 6)),
            np.zeros(system.nv),
            np.zeros(16),
            np.zeros(4),
            np.zeros(2),
        )
        self.previous = np.zeros((len(system.body_names), 4))
        self.previous[:, 0] = 1.0

    def look(self, rows: Rows, count: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Columns of the first `count` kept rows, and the accounts (time, energies, drift)."""
        system = self.system
        nb, nj, nc = len(system.body_names), len(system.joints), system.tables.cuts.cut_a.size
        sight = Sight(
            np.zeros((count, nb, 13)),
            np.zeros((count, nj, 6)),
            np.zeros((count, rows.cut_rate.shape[1])),
            np.zeros((count, 3)),
            np.zeros((count, 2)),
        )
        observe(system.tables, self.scratch, self.view, rows, count, self.previous, sight)
        nq, nv = system.nq, system.nv
        q, v = rows.y[:count, :nq], rows.y[:count, nq : nq + nv]
        vd = rows.vd[:count]
        found: dict[str, Any] = {}
        for k, place in enumerate(system.joints):
            found[f"{place.name}.position"] = q[:, place.q]
            found[f"{place.name}.velocity"] = v[:, place.v]
            found[f"{place.name}.acceleration"] = vd[:, place.v]
            found[f"{place.name}.reaction"] = sight.reaction[:, k]
        for k, place in enumerate(system.cuts):
            found[f"{place.name}.position"] = rows.cut_q[:count, place.q]
            found[f"{place.name}.velocity"] = rows.cut_rate[:count, place.v]
            found[f"{place.name}.acceleration"] = sight.cut_acceleration[:, place.v]
            found[f"{place.name}.reaction"] = rows.cut_force[:count, k] if nc else np.zeros((count, 6))
        for k, name in enumerate(system.body_names):
            body = sight.body[:, k]
            found[f"{name}.position"] = body[:, 0:3]
            found[f"{name}.rotation"] = body[:, 3:7]
            found[f"{name}.velocity"] = body[:, 7:10]
            found[f"{name}.angular_velocity"] = body[:, 10:13]
        columns = {name: found[name].reshape(count, *shape).copy() for name, shape in self.columns.items()}
        accounts = {
            "time": rows.t[:count, 0].copy(),
            "kinetic": sight.energy[:, 0],
            "potential": sight.energy[:, 1],
            "springs": sight.energy[:, 2],
            "dissipated": rows.y[:count, nq + nv].copy(),
            "work": rows.y[:count, nq + nv + 1].copy(),
            "drift position": sight.drift[:, 0],
            "drift velocity": sight.drift[:, 1],
            "rank": rows.count[:count, 1].copy(),
        }
        return columns, accounts


def column_shapes(system: System) -> dict[str, tuple[int, ...]]:
    """Every column that the system can show, with the shape of a row."""
    shapes: dict[str, tuple[int, ...]] = {}
    for place in system.joints + system.cuts:
        for quantity, part in (("position", place.q), ("velocity", place.v), ("acceleration", place.v)):
            size = part.stop - part.start
            if size:
                shapes[f"{place.name}.{quantity}"] = () if size == 1 else (size,)
        if place.kind != "free":
            shapes[f"{place.name}.reaction"] = (6,)
    for name in system.body_names:
        shapes |= {f"{name}.position": (3,), f"{name}.rotation": (4,)}
        shapes |= {f"{name}.velocity": (3,), f"{name}.angular_velocity": (3,)}
    return shapes


def column_units(system: System, columns: Any) -> dict[str, str]:
    """Units of the chosen columns."""
    units = {}
    for place in system.joints + system.cuts:
        for quantity, unit in {**joint_units(place.kind), "reaction": REACTION_UNIT}.items():
            units[f"{place.name}.{quantity}"] = unit
    for name in system.body_names:
        for quantity, unit in BODY_UNITS.items():
            units[f"{name}.{quantity}"] = unit
    return {name: units[name] for name in columns}


def choose(shapes: dict[str, tuple[int, ...]], patterns: str | Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The columns that match; a pattern that matches nothing is refused."""
    if patterns == "all":
        return shapes
    chosen = {}
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        matches = [name for name in shapes if fnmatch.fnmatchcase(name, pattern)]
        if not matches:
            raise OptionError(
                f"record={pattern!r} matches no column; write a joint or body with a quantity, "
                f"such as {next(iter(shapes))!r} or '*.position'"
            )
        chosen |= {name: shapes[name] for name in matches}
    return {name: shape for name, shape in shapes.items() if name in chosen}


def _view(system: System) -> View:
    links = [place.links for place in system.joints]
    starts = np.concatenate([[0], np.cumsum([len(l) for l in links])]).astype(np.int64)
    return View(
        joint_last=np.array([place.last for place in system.joints], dtype=np.int64),
        joint_sign=np.array([-1.0 if place.backward else 1.0 for place in system.joints]),
        joint_link_b=np.array([place.link_b for place in system.joints], dtype=np.int64),
        joint_point=np.array([place.frame_b[1] for place in system.joints]).reshape(-1, 3),
        joint_start=starts,
        joint_link=np.array([link for l in links for link in l], dtype=np.int64),
    )


@entry
def observe(tables, scratch, view, rows, count, previous, sight):
    """Fill `sight` from the first `count` kept rows."""
    tree = tables.tree
    cuts = tables.cuts
    work = scratch.work
    nv = tree.dof_link.size
    nq = rows.y.shape[1] - nv - 2
    for k in range(count):
        q = rows.y[k, :nq]
        v = rows.y[k, nq : nq + nv]
        cut_q = rows.cut_q[k]
        cut_rate = rows.cut_rate[k]
        t = rows.t[k, 0]
        if tree.grounds > 1:
            move_grounds(tree, tables.laws, work, t, scratch.told, scratch.out)
        outward_velocities(tree, work, q, v)
        outward_poses(tree, work)
        world_velocities(tree, work)
        apply_forces(tables, work, t, q, v, cut_q, cut_rate, scratch.told, scratch.out, scratch.power)
        for c in range(cuts.cut_a.size):
            R_a, p_a, R_b, p_b = cut_frames(cuts, work, c)
            f = (rows.cut_force[k, c, 0], rows.cut_force[k, c, 1], rows.cut_force[k, c, 2])
            n = (rows.cut_force[k, c, 3], rows.cut_force[k, c, 4], rows.cut_force[k, c, 5])
            n = add(n, cross(p_b, f))
            push_link(work, cuts.cut_b[c], n, f)
            push_link(work, cuts.cut_a[c], neg(n), neg(f))
        inverse_dynamics(tree, work, q, rows.vd[k], scratch.tau)
        measure_accelerations(cuts, work, sight.cut_acceleration[k])
        for j in range(view.joint_last.size):
            joint_reaction(tree, work, view, j, sight.reaction[k, j])
        for b in range(tree.body_link.size):
            see_body(tree, work, b, previous, sight.body[k, b])
        sight.energy[k, 0] = kinetic_energy(tree, work, v)
        sight.energy[k, 1] = gravity_energy(tree, work)
        sight.energy[k, 2] = stored_energy(tables, work, q, cut_q)
        row_values(cuts, work, cut_q, scratch.g, scratch.W)
        row_rates(cuts, work, scratch.gd)
        g = 0.0
        gd = 0.0
        for r in range(scratch.g.size):
            g += scratch.g[r] * scratch.g[r]
            gd += scratch.gd[r] * scratch.gd[r]
        sight.drift[k, 0] = math.sqrt(g)
        sight.drift[k, 1] = math.sqrt(gd)


@kernel
def see_body(tree, work, b, previous, out):
    R, x = body_pose(tree, work, b)
    w, u = body_velocity(tree, work, b)
    e = quaternion_of(R)
    # of the two quaternions of a rotation, the one nearer to the last row's
    same = e[0] * previous[b, 0] + e[1] * previous[b, 1] + e[2] * previous[b, 2] + e[3] * previous[b, 3]
    sign = -1.0 if same < 0.0 else 1.0
    for j in range(3):
        out[j] = x[j]
        out[7 + j] = u[j]
        out[10 + j] = w[j]
    for j in range(4):
        out[3 + j] = sign * e[j]
        previous[b, j] = sign * e[j]


@kernel
def joint_reaction(tree, work, view, j, out):
    """Force and torque on b from a at the joint's point, world axes, without what the joint's motions let through."""
    i = view.joint_last[j]
    X = load9(work.pose_R, i)
    n, f = load_pair(work.force, i)
    f = rotate(X, f)
    n = add(rotate(X, n), cross(load3(work.pose_p, i), f))
    b = view.joint_link_b[j]
    p_b = add(load3(work.pose_p, b), rotate(load9(work.pose_R, b), load3(view.joint_point, j)))
    n = sub(n, cross(p_b, f))
    for s in range(view.joint_start[j], view.joint_start[j + 1]):
        link = view.joint_link[s]
        motion = tree.link_motion[link]
        if motion == SWING or motion == SWING_BACK or motion == FREE:
            n = (0.0, 0.0, 0.0)
            if motion == FREE:
                f = (0.0, 0.0, 0.0)
        elif motion == TURN or motion == HELICAL:
            z = axis_z(load9(work.pose_R, link))
            n = add_scaled(n, -(dot(n, z) + tree.link_slide[link] * dot(f, z)), z)
        elif motion == SLIDE:
            z = axis_z(load9(work.pose_R, link))
            f = add_scaled(f, -dot(f, z), z)
    for e in range(3):
        out[e] = view.joint_sign[j] * f[e]
        out[3 + e] = view.joint_sign[j] * n[e]

"""Reactions under redundancy: which of them the laws of mechanics determine, and least values for those they do not.

A machine with more constraints than it needs can be under stress without any load: a door pinched by its two hinges.
Such a state of stress is a set of joint wrenches in balance on every body. With G the rows of the loops and W their
wrenches, the multipliers mu of one are in the null space of G^T; cut joints carry W^T mu, and every joint of the tree
carries what the cuts beyond it leave over:

    G^T mu = 0        w_cut = W^T mu        w_joint = - sum of w_cut on the bodies beyond the joint

Columns B of all of them span what is not determined. A component of a joint is unique where its row of B is zero. Of
all reactions r + B x that belong to a motion the least is taken, torques measured by the size of the machine L,

    min | S (r + B x) |        S = 1 for forces, 1 / L for torques

which knows neither the order of joints nor where loops are cut: symmetric machines get symmetric reactions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import JointPlace, System
from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError
from linkwork.model.checked import shown
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.simulation.analysis.dynamics import checked_time
from linkwork.simulation.results.columns.plain import shortened
from linkwork.simulation.starts.coupled_wrenches import coupled_wrenches
from linkwork.simulation.starts.mobility import DEPENDENT
from linkwork.simulation.starts.start import Closure

if TYPE_CHECKING:
    from linkwork.model import Model
    from linkwork.simulation.present import Present
    from linkwork.simulation.results.trajectory import Trajectory

SEEN = 1e-7  # of a state of stress of size 1: less of it in a component is rounding
ROWS = {"force": slice(0, 3), "torque": slice(3, 6)}


class Reaction(NamedTuple):
    """What a joint carries: on b from a at the joint's point, world axes; the least that fits where it is not unique.

    `unique` and `shared` name components in the axes of the joint's frame b, whose z is the axis.
    """

    force: Floats  # (3,) N
    torque: Floats  # (3,) N m
    unique: list[str]
    shared: list[str]  # components that other joints could carry instead


class Reactions(Mapping[str, Reaction]):
    """Reactions of all joints at one instant, by the names of joints; made by `sim.reactions()` or `lw.reactions`.

    `redundant` counts the ways in which the joints could be under stress without any load.

    >>> sim = lw.Simulation(lw.gallery.double_four_bar.build(), dt=1e-3)
    >>> found = sim.reactions()
    >>> found.redundant, found["right pin 1"].unique, found["right pin 1"].shared
    (6, ['force x', 'force y'], ['force z', 'torque x', 'torque y'])
    """

    def __init__(self, joints: dict[str, Reaction], redundant: int) -> None:
        self._joints, self.redundant = joints, redundant

    def __getitem__(self, joint: str) -> Reaction:
        if joint not in self._joints:
            raise OptionError(f"there is no joint {joint!r} here; give one of {shortened(list(self._joints))}")
        return self._joints[joint]

    def __contains__(self, joint: object) -> bool:
        return joint in self._joints

    def __iter__(self) -> Iterator[str]:
        return iter(self._joints)

    def __len__(self) -> int:
        return len(self._joints)

    @property
    def unique(self) -> bool:
        """True where the laws of mechanics leave no choice."""
        return self.redundant == 0

    def lines(self) -> list[str]:
        """What every joint carries, in readable lines."""
        width = max((len(name) for name in self), default=0)
        text = []
        for name, each in self.items():
            numbers = [", ".join(f"{x:.5g}" for x in part) for part in (each.force, each.torque)]
            told = f"; not unique: {', '.join(each.shared)}" if each.shared else ""
            text.append(f"{name.ljust(width)}  force {numbers[0]} N, torque {numbers[1]} N m{told}")
        return text

    def __str__(self) -> str:
        return "\n".join(self.lines())


class Stress:
    """The states of stress that a machine can be in without any load, at one position."""

    def __init__(self, system: System, q: Floats, cut_q: Floats, time: float = 0.0) -> None:
        if system.foreign:
            raise OptionError(
                f"the reactions of '{system.model.name}' cannot be told apart while components of it live elsewhere; "
                "ask a model with all its parts"
            )
        self.system = system
        closure = Closure(system, time)
        closure.cut_q[:] = cut_q
        closure.at(q, np.zeros(system.nv))
        self.places = [place for place in system.joints + system.cuts if place.joint is not None]
        poses = [(closure.work.pose_R[p.link_b].reshape(3, 3), closure.work.pose_p[p.link_b]) for p in self.places]
        pairs = list(zip(self.places, poses, strict=True))
        self.points = np.array([x + R @ place.frame_b[1] for place, (R, x) in pairs]).reshape(-1, 3)
        self.axes = [R @ place.frame_b[0] for place, (R, _) in pairs]
        size = float(np.max(np.ptp(self.points, axis=0))) if len(self.points) else 0.0
        self.scale = np.tile([1.0, 1.0, 1.0, *np.full(3, 1.0 / (size or 1.0))], len(self.places))
        wrenches = self._wrenches(closure)
        # orthonormal, as S B
        self.basis = _orthonormal(self.scale[:, None] * wrenches)

    def _wrenches(self, closure: Closure) -> Floats:
        """B: a column for every state of stress, force and torque at its point for every joint."""
        system, tree, cuts = self.system, self.system.tables.tree, self.system.tables.cuts
        mu = null_space(closure.G)
        links, states = len(system.link_names), mu.shape[1]
        loads = np.zeros((links, 6, states))  # torque about the world's origin, force
        found = {}
        for place in system.cuts:
            c = place.last
            rows = slice(int(cuts.cut_row[c]), int(cuts.cut_row[c + 1]))
            found[place.name] = closure.W[rows].T @ mu[rows]
            loads[cuts.cut_b[c]] += found[place.name]
            loads[cuts.cut_a[c]] -= found[place.name]
        for row, a, b, wrench in coupled_wrenches(closure):
            loads[b] += np.outer(wrench, mu[row])
            loads[a] -= np.outer(wrench, mu[row])
        for link in range(links - 1, tree.grounds - 1, -1):
            loads[tree.link_parent[link]] += loads[link]
        for place in system.joints:
            found[place.name] = loads[place.last] if place.backward else -loads[place.last]
        columns = np.zeros((6 * len(self.places), states))
        for k, place in enumerate(self.places):
            torque, force = found[place.name][:3], found[place.name][3:]
            columns[6 * k : 6 * k + 3] = force
            columns[6 * k + 3 : 6 * k + 6] = torque - np.cross(self.points[k], force, axisb=0, axisc=0)
        return columns

    @property
    def redundant(self) -> int:
        """How many independent states of stress there are."""
        return int(self.basis.shape[1])

    def shared(self, k: int) -> list[str]:
        """Components of joint k that are not unique, in the axes of its frame b."""
        place, turn = self.places[k], self.axes[k].T
        part = self.basis[6 * k : 6 * k + 6]
        local = np.concatenate([turn @ part[:3], turn @ part[3:]])
        sizes = np.linalg.norm(local, axis=1)
        return [word for word in KINDS[place.kind].carries if np.linalg.norm(sizes[_rows(word)]) > SEEN]

    def least(self, reactions: Floats) -> Floats:
        """The least of all reactions that belong to the same motion."""
        found: Floats = reactions - self.basis @ (self.basis.T @ (self.scale * reactions)) / self.scale
        return found

    def reactions(self, value: Callable[[JointPlace], Any]) -> Reactions:
        """Reactions of all joints, from any that belong to the motion."""
        given = [np.asarray(value(place), dtype=float) for place in self.places]
        least = self.least(np.concatenate(given) if given else np.zeros(0)).reshape(-1, 6)
        joints = {}
        for k, place in enumerate(self.places):
            shared = self.shared(k)
            unique = [word for word in KINDS[place.kind].carries if word not in shared]
            joints[place.name] = Reaction(least[k, :3], least[k, 3:], unique, shared)
        return Reactions(joints, self.redundant)


def _rows(word: str) -> Any:
    """Where a component, or all three of a vector, are in a wrench."""
    what, _, axis = word.partition(" ")
    return ROWS[what] if not axis else slice(k := ROWS[what].start + "xyz".index(axis), k + 1)


def _orthonormal(A: Floats) -> Floats:
    """The same span, columns orthonormal. By Cholesky factors of A^T A, twice, which is as exact as it need be."""
    for _ in range(2):
        try:
            L = np.linalg.cholesky(A.T @ A)
        except np.linalg.LinAlgError:
            return np.linalg.qr(A)[0]
        A = np.linalg.solve(L, A.T).T
    return A


def null_space(G: Floats) -> Floats:
    """Columns mu with G^T mu = 0."""
    if G.shape[0] == 0 or G.shape[1] == 0:
        return np.eye(G.shape[0])
    U, sizes, _ = np.linalg.svd(G)
    rank = int(np.sum(sizes > DEPENDENT * sizes[0])) if sizes[0] > 0.0 else 0
    return U[:, rank:]


def shared_words(stress: Stress) -> dict[str, list[str]]:
    """Joints with components that are not unique."""
    found = {place.name: stress.shared(k) for k, place in enumerate(stress.places)}
    return {name: words for name, words in found.items() if words}


def present_reactions(sim: Present) -> Reactions:
    """Reactions of a simulation where it stands."""
    system = sim.moving
    if system.absolute:
        system = assemble(system.model, floating=True, driven=system.driven)
    return _reactions(system, lambda name: sim[name], sim.time)


def reactions(model: Model, run: Trajectory, time: float | None = None) -> Reactions:
    """Reactions of all joints in the row of `run` that is nearest to `time` (s); in the last one if not given.

    If constraints are redundant, the columns "….reaction" of a run have one of many possible answers. These are the
    smallest, with the components that are unique.

    >>> model = lw.gallery.double_four_bar.build()
    >>> run = lw.simulate(model, until=0.1, dt=0.01)
    >>> lw.reactions(model, run, 0.05)["foot 0"].shared
    ['force z', 'torque x', 'torque y']
    """
    if not hasattr(run, "certificate"):
        raise OptionError(f"{shown(run)} is not a run; give what lw.simulate or lw.load_run returns")
    if any(event.what != "jolted" for event in run.events):
        raise OptionError(
            f"joints were attached or released in the run of '{run.model_name}'; step it by hand, ask sim.reactions()"
        )
    row = len(run) - 1 if time is None else int(np.argmin(np.abs(run.time - checked_time(time))))
    return _reactions(assemble(model), lambda name: run[name][row], float(run.time[row]))


def _reactions(system: System, value: Callable[[str], Any], time: float) -> Reactions:
    q, cut_q = system.q_start.copy(), system.cut_start.copy()
    for place in system.joints:
        if place.joint is None:
            q[place.q] = [*value(f"{place.body}.position"), *value(f"{place.body}.rotation")]
        elif place.q.stop > place.q.start:
            q[place.q] = value(f"{place.name}.position")
    for place in system.cuts:
        if place.q.stop > place.q.start:
            cut_q[place.q] = value(f"{place.name}.position")
    none = np.zeros(6)
    stress = Stress(system, q, cut_q, time)
    return stress.reactions(lambda place: none if not KINDS[place.kind].carries else value(f"{place.name}.reaction"))

"""Efforts of actuators and multipliers of loops in every row of a motion; dead points and free motions by name."""

from __future__ import annotations

import numpy as np

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError, RunError
from linkwork.mechanics.tree.entry_points import joint_forces
from linkwork.simulation.analysis.dynamics import Accelerations, integrate
from linkwork.simulation.inverse.actuators import Actuator, cut_wrench, rate_units
from linkwork.simulation.inverse.loop_forces import LoopForces, Shares
from linkwork.simulation.inverse.recorded_motion import TreeMotion
from linkwork.simulation.results.columns.plain import shortened
from linkwork.simulation.starts.coupled_wrenches import coupled_wrenches

ASIDE = 1e-5  # of the size of the model, or rad: where the rows of a singular position are looked at, ahead and behind
AT_REST = 1e-9  # of the largest rate: slower than this dry friction has no direction


class Efforts:
    """Efforts (actuator), multipliers and powers in every row. `system` is without what the actuators replace."""

    def __init__(self, system: System, actuators: list[Actuator], weights: Floats, motion: TreeMotion) -> None:
        self.system, self.actuators, self.weights, self.motion = system, actuators, weights, motion
        self.loops = LoopForces(system)
        self.closure = self.loops.closure
        self.unit = rate_units(system, actuators)
        self.sticking: set[str] = set()  # joints whose dry friction is not known, as they stand still
        self.opening, self.left = 0.0, 0.0  # change of accelerations by the loops, forces out of balance, as parts
        self.a = motion.a.copy()
        self.pace = self.loops.pace(np.abs(motion.v).max(axis=0), np.abs(motion.a).max(axis=0))
        rows, links = len(motion.time), len(system.link_names)
        self.efforts, self.rates = np.zeros((rows, len(self.unit))), np.zeros((rows, len(self.unit)))
        self.multipliers = np.zeros((rows, system.rows))
        self.wasted, self.fed_in = np.zeros(rows), np.zeros(rows)
        self.cut_force = np.zeros((rows, len(system.tables.cuts.side_link), 6))
        self.cut_rate = np.zeros((rows, system.cut_v_start.size))
        self.push = np.zeros((rows, links, 6))
        drives, fastest = system.tables.drives, np.abs(motion.v).max(axis=0, initial=0.0)
        self.creep = AT_REST * float(np.max(fastest / self.loops.dof, initial=0.0))
        frictions = zip(drives.friction_coordinate.tolist(), drives.friction_most.tolist(), strict=True)
        # coordinates that share one friction: those of a ball joint, or one alone
        self.frictions = [([coordinate], most) for coordinate, most in frictions]
        for place in (*system.joints, *system.cuts):
            if place.joint is not None and place.kind == "ball" and place.joint.friction:
                first = place.v.start + (system.nv if place.is_cut else 0)
                self.frictions.append(([first, first + 1, first + 2], place.joint.friction))
        self._solve()

    def _solve(self) -> None:
        rows = range(len(self.motion.time))
        self.ranks = np.array([self._rank(k) for k in rows], dtype=np.int64)
        self.rank = int(self.ranks.max(initial=0))
        self.freedoms = self.system.nv - self.rank
        accelerations = Accelerations(self.system) if self.system.rows else None
        self.grips = np.zeros(len(rows))
        stuck: list[tuple[int, Shares]] = []
        for k in rows:
            shares = self._row(k, accelerations)
            self.grips[k] = shares.grip
            if shares.rank < self.freedoms:
                stuck.append((k, shares))
        if self.system.faults.noted:
            fault = self.system.faults.noted[0]
            raise RunError(f"the law of {fault.part} fails: {fault.what}; correct it", culprit=fault.part)
        if stuck:
            self._refuse(stuck)

    def _rank(self, k: int) -> int:
        motion = self.motion
        self.loops.at(motion.q[k], motion.v[k], float(motion.time[k]))
        return self.loops.rank

    def _row(self, k: int, accelerations: Accelerations | None) -> Shares:
        """Fill row k; in a singular position from the rows ahead of it and behind."""
        motion, closure, t = self.motion, self.closure, float(self.motion.time[k])
        q, v = motion.q[k], motion.v[k]
        closure.cut_q[:] = motion.cut_q[k]
        self.loops.at(q, v, t)
        regular = self.loops.rank == self.rank
        allowed = accelerations.at(q, v, t) if accelerations is not None and regular else None
        if allowed is not None:
            self.a[k], change = self.loops.closed(self.a[k], allowed)
            self.opening = max(self.opening, change / self.pace)
        tau = np.zeros(self.system.nv)
        power = np.zeros(self.system.tables.tree.accounts)
        given = (t, closure.told, closure.out, power)
        joint_forces(self.system.tables, closure.work, given, (q, v, closure.cut_q, closure.cut_rate), self.a[k], tau)
        self.wasted[k], self.fed_in[k] = power[:2]
        tau += self._friction(k, v)
        self.cut_rate[k] = closure.cut_rate[: self.cut_rate.shape[1]]
        self.rates[k] = self._rates(v)
        if regular:
            shares = self._shares(tau)
        else:
            shares = self._beside(k, tau)
            self.loops.at(q, v, t)
        self.left = max(self.left, shares.left) if regular else self.left
        self.efforts[k], self.multipliers[k] = shares.efforts, shares.multipliers
        self.loads(shares.multipliers, shares.efforts, self.cut_force[k], self.push[k])
        self.fed_in[k] += float(self.efforts[k] @ self.rates[k]) + self._ground_power(k)
        return shares

    def _shares(self, tau: Floats) -> Shares:
        B = np.vstack([actuator.rows(self.closure) for actuator in self.actuators])
        return self.loops.shares(tau, B, self.unit, self.weights)

    def _beside(self, k: int, tau: Floats) -> Shares:
        """Shares in a singular position: the mean of those a little ahead and behind, where rows are back."""
        motion = self.motion
        q, v, t = motion.q[k], motion.v[k], float(motion.time[k])
        fastest = float(np.max(np.abs(v) / self.loops.dof, initial=0.0))
        if fastest <= self.creep or fastest == 0.0:
            raise RunError(
                f"'{self.system.model.name}' rests in a singular position at t = {t:.6g} s, where its loops leave more "
                f"than one way to move ({self._ways(q, v, t)}); begin the motion elsewhere",
                time=t,
            )
        both = []
        for way in (ASIDE, -ASIDE):
            self.loops.at(integrate(self.system, q, v, way / fastest), v, t)
            both.append(self._shares(tau))
        ahead, behind = both
        worse = ahead if ahead.rank < behind.rank else behind
        return worse._replace(
            efforts=0.5 * (ahead.efforts + behind.efforts), multipliers=0.5 * (ahead.multipliers + behind.multipliers)
        )

    def _ways(self, q: Floats, v: Floats, t: float) -> str:
        self.loops.at(q, v, t)
        return _quoted(self.loops.names(self.loops.free))

    def _rates(self, v: Floats) -> Floats:
        """Rates of the coordinates of the actuators."""
        found: list[float] = []
        for actuator in self.actuators:
            if actuator.place is None:
                found.append(actuator.spring_rate(self.closure))
            else:
                source = self.closure.cut_rate if actuator.place.is_cut else v
                found += [float(source[actuator.place.v.start + c]) for c in actuator.coordinates]
        return np.array(found)

    def _friction(self, k: int, v: Floats) -> Floats:
        """Joint forces that overcome dry friction; what it wastes is noted, and what it does to links at a cut."""
        tau, nv = np.zeros(self.system.nv), self.system.nv
        for coordinates, most in self.frictions:
            first, cut = coordinates[0], coordinates[0] >= nv
            rates = np.array([self.closure.cut_rate[c - nv] if cut else v[c] for c in coordinates])
            speed = float(np.linalg.norm(rates))
            if speed <= self.creep * (1.0 if cut else self.loops.dof[first]):
                self.sticking.add(self._owner(first))
                continue
            self.wasted[k] += most * speed
            for coordinate, rate in zip(coordinates, rates, strict=True):
                push = most * rate / speed
                if not cut:
                    tau[coordinate] += push
                    continue
                tau += push * self.closure.directions[coordinate - nv]
                place = next(p for p in self.system.cuts if p.v.start <= coordinate - nv < p.v.stop)
                wrench, cuts = push * cut_wrench(self.closure, place.last, coordinate - nv), self.system.tables.cuts
                self.push[k, cuts.cut_b[place.last]] -= wrench
                self.push[k, cuts.cut_a[place.last]] += wrench
        return tau

    def _owner(self, coordinate: int) -> str:
        rate = coordinate - self.system.nv
        if rate < 0:
            return self.system.dof_name(coordinate)
        return next(place.name for place in self.system.cuts if place.v.start <= rate < place.v.stop)

    def loads(self, multipliers: Floats, efforts: Floats, cut_force: Floats, push: Floats) -> None:
        """Reactions in the cuts, and what actuators do to links beside the joint forces of the tree, which is added.

        `loops` must be at the position.
        """
        cuts, work = self.system.tables.cuts, self.closure.work
        for c in range(len(self.system.cuts)):
            wrench = self._wrench(c, multipliers)
            b = cuts.cut_b[c]
            point = work.pose_p[b] + work.pose_R[b].reshape(3, 3) @ cuts.cut_pb[c]
            cut_force[c, :3] = wrench[3:]
            cut_force[c, 3:] = wrench[:3] - np.cross(point, wrench[3:])
        cut_force[len(cuts.cut_a) :, 0] = multipliers[self.system.first_coupled :]
        first = 0
        for actuator in self.actuators:
            last = first + len(actuator.coordinates)
            actuator.push(self.closure, efforts[first:last], push)
            first = last

    def _wrench(self, c: int, multipliers: Floats) -> Floats:
        """What cut c does to b: torque about the world's origin, force."""
        rows = slice(*self.system.tables.cuts.cut_row[c : c + 2])
        found: Floats = self.closure.W[rows].T @ multipliers[rows]
        return found

    def _ground_power(self, k: int) -> float:
        """W that moving grounds put in: minus the load on the ground times its velocity (see `mechanics.power`)."""
        tree, cuts, work = self.system.tables.tree, self.system.tables.cuts, self.closure.work
        if tree.grounds == 1:
            return 0.0
        loads = self.push[k].copy()
        for c in range(len(self.system.cuts)):
            wrench = self._wrench(c, self.multipliers[k])
            loads[cuts.cut_b[c]] += wrench
            loads[cuts.cut_a[c]] -= wrench
        for row, a, b, wrench in coupled_wrenches(self.closure):
            loads[b] += self.multipliers[k, row] * wrench
            loads[a] -= self.multipliers[k, row] * wrench
        power = 0.0
        for i in range(len(tree.link_parent) - 1, 0, -1):
            R, p = work.pose_R[i].reshape(3, 3), work.pose_p[i]
            j = i if i < tree.grounds else int(tree.link_parent[i])
            own = work.wrench[i] if i < tree.grounds else work.force[i]
            f = R @ own[3:]
            carried = np.concatenate([R @ own[:3] + np.cross(p, f), f])
            carried = carried + loads[i] if i < tree.grounds else carried - loads[i]
            if 0 < j < tree.grounds:
                w, u = work.pose_v[j, :3], work.pose_v[j, 3:]
                moment = carried[:3] - np.cross(work.pose_p[j], carried[3:])
                power += (-1.0 if i < tree.grounds else 1.0) * float(w @ moment + u @ carried[3:])
            if i >= tree.grounds and j >= tree.grounds:
                loads[j] += loads[i]
        return power

    def _refuse(self, stuck: list[tuple[int, Shares]]) -> None:
        """Raise for too few actuators, or for a dead point on the way."""
        name = self.system.model.name
        k, shares = max(stuck, key=lambda each: each[1].rank)
        acting = _quoted([actuator.name for actuator in self.actuators])
        if len(stuck) == len(self.motion.time):
            free = _quoted(self.loops.names(shares.stuck))
            of = f"{self.freedoms} degree{'' if self.freedoms == 1 else 's'} of freedom"
            raise OptionError(
                f"'{name}' has {of}, of which {acting} of at= moves {shares.rank or 'none'}; nothing drives {free}: "
                "name further joints, motors or springs in at="
            )
        k, shares = stuck[0]
        t = float(self.motion.time[k])
        raise RunError(
            f"at t = {t:.6g} s '{name}' is in a dead point: {_quoted(self.loops.names(shares.stuck))} moves there and "
            f"{acting} does not, so that no effort can move it; name another joint in at=, or keep the motion away",
            time=t,
            culprit=self.loops.names(shares.stuck)[0],
        )


def _quoted(names: list[str]) -> str:
    return shortened([f"'{name}'" for name in names])

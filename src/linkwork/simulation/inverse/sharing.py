"""What is not unique where a mechanism has more actuators, or more constraints, than it needs."""

from __future__ import annotations

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.formulations.samples import make_samples, make_state
from linkwork.simulation.analysis.reactions import SEEN, Stress, null_space
from linkwork.simulation.inverse.efforts import Efforts
from linkwork.simulation.results.columns.observe import Observer
from linkwork.simulation.starts.mobility import DEPENDENT


def not_unique(efforts: Efforts, k: int) -> tuple[list[str], Stress]:
    """Actuators whose efforts could be others for the same motion, and the states of stress of the joints, in row k.

    Efforts and multipliers can change along the null space of all their rows without changing the motion.
    """
    system, motion, loops = efforts.system, efforts.motion, efforts.loops
    q, v, t = motion.q[k], motion.v[k], float(motion.time[k])
    stress = Stress(system, q, motion.cut_q[k], t)
    if len(efforts.unit) <= efforts.freedoms:
        return [], stress
    loops.at(q, v, t)
    B = np.vstack([actuator.rows(loops.closure) for actuator in efforts.actuators])
    change = null_space(np.vstack([loops.G, B * loops.dof / efforts.unit[:, None]]))
    stress.basis = _span(stress.scale[:, None] * _reactions(efforts, k, stress, change))
    names = [actuator.name for actuator in efforts.actuators for _ in actuator.coordinates]
    free = np.linalg.norm(change[system.rows :], axis=1) > SEEN
    return list(dict.fromkeys(name for name, each in zip(names, free, strict=True) if each)), stress


def _reactions(efforts: Efforts, k: int, stress: Stress, change: Floats) -> Floats:
    """(6 x joint, change) by how much reactions change with multipliers and efforts; `loops` stand in row k."""
    system, motion, loops = efforts.system, efforts.motion, efforts.loops
    y = np.zeros(system.nq + system.nv + system.tables.tree.accounts)
    state = make_state(system.tables, y, motion.cut_q[k], pushes=True)
    samples = make_samples(state, 1 + change.shape[1])
    samples.t[:], samples.cut_q[:] = motion.time[k], motion.cut_q[k]
    samples.y[:, : system.nq] = motion.q[k]
    # as large as what there is, so that rounding stays small
    size = max(
        np.abs(efforts.efforts[k] * efforts.unit).max(), np.abs(loops.row * efforts.multipliers[k]).max(initial=0.0)
    )
    size = size or 1.0
    for j in range(change.shape[1]):
        lam, u = size * change[: system.rows, j] / loops.row, size * change[system.rows :, j] / efforts.unit
        efforts.loads(lam, u, samples.cut_force[1 + j], samples.push[1 + j])
    seen = Observer(system).see(samples, len(samples.t)).reaction
    joints = [seen[:, i] for i, place in enumerate(system.joints) if place.joint is not None]
    cuts = [samples.cut_force[:, i] for i, place in enumerate(system.cuts) if place.joint is not None]
    found = np.hstack([*joints, *cuts])
    changed: Floats = (found[1:] - found[0]).T / size
    return changed


def _span(A: Floats) -> Floats:
    """Orthonormal columns of the same span."""
    U, sizes, _ = np.linalg.svd(A, full_matrices=False)
    found: Floats = U[:, sizes > DEPENDENT * sizes.max(initial=0.0)]
    return found

"""Start values that do not fit, in words: which loop stays open, which joint was given what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.simulation.results.columns.plain import shortened
from linkwork.simulation.starts.mobility import stuck
from linkwork.spatial import codes

if TYPE_CHECKING:
    from linkwork.simulation.starts.start import Closure


def closing(system: System, joint: str) -> str:
    """What decides where a joint is, in words: the loops, with the gears and cams that it is coupled to."""
    names = [f"{c.part.word} '{c.part.path}'" for c in system.coupled if joint in [t.joint.path for t in c.terms]]
    return f"the loops with {shortened(names)}" if names else "the loops"


def told_values(values: Any) -> str:
    return ", ".join(f"{value:.6g}" for value in np.atleast_1d(values))


def given_joints(system: System, rates: bool = False) -> str:
    """The joints whose start position, or velocity, the user gave."""
    joints = [place.joint for place in system.joints + system.cuts if place.joint is not None]
    names = [joint.path for joint in joints if (joint.velocity if rates else joint.position) is not None]
    return shortened([f"'{name}'" for name in names])


def of_components(system: System, rates: bool = False) -> str:
    """What to do about components elsewhere, which start as their owners have them."""
    if not system.foreign:
        return ""
    names = shortened(sorted({f"'{path.rpartition('.')[0] or path}'" for path in system.foreign}))
    if rates:
        return f" (component {names} starts with the velocities of its own joints: give them there, or start at rest)"
    return f" (component {names} starts where position= and rotation= of model.add put it: give its place there)"


def cannot_close(system: System, gap: Floats) -> str:
    """Which loop stays open, by how much."""
    cuts = system.tables.cuts
    worst = int(np.argmax(np.abs(gap)))
    if worst >= system.first_coupled:
        return _cannot_couple(system, worst, float(gap[worst]))
    place = next(place for place in system.cuts if place.name == system.row_name(worst))
    rows = np.arange(cuts.cut_row[place.last], cuts.cut_row[place.last + 1])
    angular = cuts.row_kind[rows] == codes.CROSSED
    sizes = [(np.linalg.norm(gap[rows[~angular]]), "m"), (np.linalg.norm(gap[rows[angular]]), "rad")]
    size = " and ".join(f"{value:.4g} {unit}" for value, unit in sizes if value > 1e-9)
    given = given_joints(system)
    if not size:
        return (
            f"the given start positions of {given} cannot be reached; give fewer of them, or values that fit together"
        )
    along = cuts.path_dof[cuts.path_start[place.last] : cuts.path_start[place.last + 1]]
    names = dict.fromkeys(f"'{system.dof_name(int(k))}'" for k in along)
    others = f" with {shortened(list(names))}" if names else ""
    advice = (f", or the start positions of {given}" if given else "") + of_components(system)
    return (
        f"the loop that joint '{place.name}' closes{others} cannot close: {size} stays open; "
        f"correct the lengths and axes along it{advice}"
    )


def _cannot_couple(system: System, row: int, gap: float) -> str:
    """Which coupling cannot be had where the mechanism starts."""
    each = system.coupled[row - system.first_coupled]
    joints = shortened([f"'{term.joint.path}'" for term in each.terms])
    given = given_joints(system)
    advice = f", correct the start positions of {given}" if given else ""
    return (
        f"{each.part.word} '{each.part.path}' does not fit the start: {joints} would be off by {abs(gap):.4g} "
        f"{'m' if each.slides else 'rad'}, and the loops let nothing move there{advice}, or let it begin elsewhere"
    )


def cannot_move(closure: Closure, v0: Floats, v: Floats, worst: int, left: Floats) -> str:
    """Which start velocity does not fit; `left` is what the loops' rates are off by."""
    system, held = closure.system, stuck(closure)
    if held:
        return f"{held}. Start velocities of {given_joints(system, rates=True) or 'the grounds'} cannot be had"
    given = given_joints(system, rates=True)
    if not given:
        row = int(np.argmax(np.abs(left)))
        return (
            f"the loop that joint '{system.row_name(row)}' closes cannot follow its moving grounds, or components "
            "elsewhere, at the start; correct their motion, or give the loop a joint that lets it move"
        )
    remedy = f"give fewer of the start velocities of {given}, or values that fit together"
    remedy += of_components(system, rates=True)
    if not system.v_given.any():
        return f"no motion of the loops has the given start velocities; {remedy}"
    name = system.dof_name(worst)
    return (
        f"start velocities contradict each other: joint '{name}' was given {v0[worst]:.6g} but "
        f"{closing(system, name)} leave it {v[worst]:.6g}; {remedy}"
    )

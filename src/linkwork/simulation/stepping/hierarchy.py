"""Components in joint coordinates: the absolute system that is solved, beside the tree that is integrated."""

from __future__ import annotations

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.partition import partition
from linkwork.assembly.system import System
from linkwork.assembly.tables import Tables
from linkwork.errors import OptionError
from linkwork.formulations.component.component_joint import Hierarchy
from linkwork.simulation.analysis.hints.check import refuse_weightless
from linkwork.simulation.starts.start import Start, absolute_start


def hierarchy(system: System, tables: Tables, start: Start) -> Hierarchy:
    """The absolute system, to be solved in parts, beside the tree that is integrated."""
    if system.foreign:
        name = next(iter(system.foreign))
        raise OptionError(
            f"'{name}' belongs to a component elsewhere, whose joints are not known here; use coordinates='absolute'"
        )
    # the same functions of the user, and the same numbers that inputs set
    absolute = assemble(system.model, absolute=True, driven=system.driven, filled=True, before=system)
    assert absolute.inputs == system.inputs
    free = absolute.tables._replace(laws=absolute.tables.laws._replace(law_param=tables.laws.law_param))
    for each in absolute.carried:
        if (name := absolute.cuts[each.cut].name) in system.cut_names:
            raise OptionError(
                f"joint '{name}' closes a loop and holds a body that lacks inertia, whose share of its reaction is not "
                "known in joint coordinates; say cut=True at another joint of the loop, or use coordinates='absolute'"
            )
    parts, _ = partition(absolute)
    y, cut_q = absolute_start(system, start, absolute)
    refuse_weightless(absolute, y[: absolute.nq], y[absolute.nq :][: absolute.nv], cut_q, 0.0)
    bodies = {body.path: body for body in system.model.all_bodies()}
    number = {name: b for b, name in enumerate(absolute.body_names)}
    cuts = {place.name: place for place in absolute.cuts}
    joints = [cuts[place.name].last for place in system.cuts]
    unlisted = [-1] * (len(system.tables.cuts.cut_a) - len(joints))
    couplings = range(len(absolute.cuts), len(absolute.cuts) + len(absolute.coupled))
    rate_of = np.zeros(system.nv, dtype=np.int64)
    for place in system.joints:
        for e, k in enumerate(range(place.v.start, place.v.stop)):
            if place.joint is None:  # coordinates of a body that nothing holds
                rate_of[k] = -1 - (6 * number[place.body] + e)
            else:
                rate_of[k] = cuts[place.name].v.start + e
    return Hierarchy(
        absolute=free,
        parts=parts,
        body_of=np.array([system.body_names.index(name) for name in absolute.body_names], dtype=np.int64),
        centre=np.array([absolute.centre(bodies[name]) for name in absolute.body_names]).reshape(-1, 3),
        rate_of=rate_of,
        joint_of=np.array([*joints, *unlisted, *couplings], dtype=np.int64),
        cut_q=cut_q,
    )

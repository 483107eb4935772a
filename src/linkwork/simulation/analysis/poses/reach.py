"""`reach`: inverse kinematics, the coordinates of the joints that bring bodies to their targets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import System
from linkwork.errors import OptionError
from linkwork.model import Body, Frame, Joint, Model
from linkwork.model.checked import VectorLike, did_you_mean, shown
from linkwork.simulation.analysis.dynamics import body_name, checked_time, checked_vector
from linkwork.simulation.analysis.equilibrium import Equilibrium
from linkwork.simulation.analysis.poses.pose import Pose, pose_of
from linkwork.simulation.analysis.poses.pose_equations import Goal, PoseEquations
from linkwork.simulation.analysis.poses.pose_search import BESIDE, search
from linkwork.simulation.analysis.poses.unreached import unreached
from linkwork.simulation.methods import positive
from linkwork.simulation.starts.given import with_given
from linkwork.simulation.starts.reset import named_values
from linkwork.simulation.starts.start import Start, consistent_start

Target: TypeAlias = Frame | VectorLike
Near: TypeAlias = Pose | Equilibrium | Mapping[str, float | ArrayLike] | None


def reach(
    model: Model | System,
    targets: Mapping[Any, Target],
    *,
    at: Mapping[Any, VectorLike] | None = None,
    hold: Iterable[Any] = (),
    near: Near = None,
    time: float = 0.0,
    tolerance: float = 1e-12,
) -> Pose:
    """The pose nearby in which bodies are at their targets: loops closed, limits of joints kept.

    A target is a `lw.Frame` (world: the body's frame has to lie there), or a point (x, y, z) in m where the body may be
    turned as it likes. `at` gives points of bodies, in m in their frames, that have to be there instead of the origins
    of their frames. `hold` lists joints that keep their coordinates and bodies that keep their places. The search
    begins at `near`: a pose, the result of `lw.equilibrium` or coordinates of some joints by name; by default where the
    model starts. That decides between several solutions. Where joints are redundant they move by the least in each
    step (rad, and m over the size of the model). `tolerance` is what targets may be missed by, in rad or as a fraction
    of the size of the model, `time` (s) sets moving grounds. What cannot be reached raises `RunError`, which says why.

    >>> arm = lw.Model("arm")
    >>> for name, x in (("upper", 0.2), ("lower", 0.7)):
    ...     rod = arm.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=(x, 0, 0))
    >>> shoulder = arm.revolute("shoulder", "ground", "upper", at=(0, 0, 0), axis=(0, 0, 1), position=0.3)
    >>> elbow = arm.revolute("elbow", "upper", "lower", at=(0.5, 0, 0), axis=(0, 0, 1), position=0.3)
    >>> pose = lw.reach(arm, {"lower": (0.5, 0.5, 0)}, at={"lower": (0.3, 0, 0)})
    >>> round(pose["elbow"], 9) == round(np.pi / 2, 9)
    True
    >>> pose = lw.reach(arm, {"lower": (0.5, 0.5, 0)}, at={"lower": (0.3, 0, 0)}, near={"elbow": -1.0})
    >>> round(pose["elbow"], 9) == round(-np.pi / 2, 9)
    True
    """
    system = model if isinstance(model, System) else assemble(model)
    time = checked_time(time)
    start = neighbour(system, near, time)
    wanted = goals(system, targets, at)
    held, places = holds(system, hold, start, time)
    return found_pose(PoseEquations(system, start, [*wanted, *places], held, time), held, tolerance)


def found_pose(
    equations: PoseEquations, held: list[str], tolerance: float, when: str = "", beside: Sequence[float] = BESIDE
) -> Pose:
    """The pose that fulfils the equations; raises where there is none."""
    positive("tolerance", tolerance, "")
    found = search(equations, tolerance, beside)
    if not found.reached:
        raise unreached(equations, found, held, when)
    error = max(found.gaps.missed, found.gaps.broken)
    return pose_of(equations.system, found.q, found.cut_q, equations.closure.time, error, found.iterations)


def neighbour(system: System, near: Near, time: float) -> Start:
    """Where the search begins."""
    if near is None:
        return consistent_start(system, time)
    cut_q = system.cut_start.copy()
    if isinstance(near, Pose):
        if near.q.shape != system.q_start.shape or near.cut_q.shape != cut_q.shape:
            raise OptionError(
                f"near is a pose of '{near.model}', which does not fit model '{system.model.name}'; correct near="
            )
        return Start(near.q, system.v_start, near.cut_q, [])
    if isinstance(near, Equilibrium):
        if near.q.shape != system.q_start.shape:
            raise OptionError(f"near is an equilibrium of another model than '{system.model.name}'; correct near=")
        return Start(near.q, system.v_start, cut_q, [])
    if not isinstance(near, Mapping):
        raise OptionError(
            f"near must be a pose, an equilibrium or coordinates by the names of joints, not {shown(near)}; "
            "correct near="
        )
    return consistent_start(with_given(system, named_values(system, near, "position", "near"), {}, held=False), time)


def goals(system: System, targets: Any, at: Any) -> list[Goal]:
    """The targets, checked."""
    if not isinstance(targets, Mapping) or not targets:
        raise OptionError(
            f'targets must be frames or points by the names of bodies, such as {{"hand": lw.Frame((0.3, 0, 0.2))}}, '
            f"not {shown(targets)}; correct them"
        )
    if at is not None and not isinstance(at, Mapping):
        raise OptionError(f"at must be points by the names of bodies, not {shown(at)}; correct at=")
    named = {body_name(system, body): target for body, target in targets.items()}
    points = {body_name(system, body): point for body, point in (at or {}).items()}
    for name in points:
        if name not in named:
            raise OptionError(f"at gives a point of body '{name}', which has no target; give it one, or correct at=")
    return [goal(name, target, points.get(name, (0.0, 0.0, 0.0))) for name, target in named.items()]


def goal(body: str, target: Any, point: Any) -> Goal:
    """One target of a body, checked."""
    local = checked_vector(point, 3, f"the point of body '{body}' in at=")
    if isinstance(target, Frame):
        return Goal(body, local, target.point(local), target.rotation)
    try:
        return Goal(body, local, checked_vector(target, 3, "the target"), None)
    except OptionError:
        raise OptionError(
            f"the target of body '{body}' must be a lw.Frame or a point of three finite numbers (m), not "
            f"{shown(target)}; correct it"
        ) from None


def holds(system: System, hold: Any, start: Start, time: float) -> tuple[list[str], list[Goal]]:
    """Names of the joints to hold, and goals that keep bodies where they are."""
    if isinstance(hold, str | Body | Joint) or not isinstance(hold, Iterable):
        raise OptionError(f'hold must list joints or bodies, such as hold=["base"], not {shown(hold)}; correct hold=')
    joints = {place.name: place for place in (*system.joints, *system.cuts)}
    held, places = [], []
    frames = pose_of(system, start.q, start.cut_q, time, 0.0, 0).bodies
    for each in hold:
        name = getattr(each, "path", each)
        if name in joints and not isinstance(each, Body):
            held.append(name)
        elif name in system.body_names and f"{name} free" in joints:
            held.append(f"{name} free")
        elif name in system.body_names:
            places.append(goal(name, frames[name], np.zeros(3)))
        else:
            raise OptionError(
                f"hold: model '{system.model.name}' has no joint or body {shown(name)}"
                + (did_you_mean(str(name), [*joints, *system.body_names]) or "; correct hold=")
            )
    return held, places

"""`follow`: a path of a body becomes motions of the joints, as tables for drivers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError, RunWarning
from linkwork.model import Frame, Model, Table
from linkwork.model.checked import VectorLike, shown
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.simulation.analysis.dynamics import body_name
from linkwork.simulation.analysis.poses.pose import Pose
from linkwork.simulation.analysis.poses.pose_equations import PoseEquations
from linkwork.simulation.analysis.poses.pose_search import BESIDE
from linkwork.simulation.analysis.poses.reach import Near, Target, found_pose, goal, holds, neighbour
from linkwork.simulation.results.judging.warning import warn
from linkwork.simulation.starts.start import Start

JUMP = 1.0  # rad, or sizes of the model, between two frames: what lies between them is anybody's guess

Motions = Table | tuple[Table, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Path(Mapping[str, Motions]):
    """Motions of the joints that move a body along a path, and the `poses` at its `times` (s).

    `path["elbow"]` is a cubic `lw.Table` of the joint's coordinate (rad or m) over time, for a motor's `position=`; of
    a joint with several coordinates a tuple of tables.
    """

    model: str  # its name
    body: str
    times: Floats
    poses: tuple[Pose, ...]
    tables: dict[str, Motions]

    def __getitem__(self, joint: Any) -> Motions:
        return self.tables[getattr(joint, "path", joint)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __len__(self) -> int:
        return len(self.tables)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return (
            f"<Path of body '{self.body}' of '{self.model}': {len(self.poses)} poses from {self.times[0]:g} to "
            f"{self.times[-1]:g} s, {len(self.tables)} joints>"
        )


def follow(
    model: Model | System,
    body: Any,
    frames: Sequence[Target] | ArrayLike,
    times: ArrayLike,
    *,
    at: VectorLike = (0.0, 0.0, 0.0),
    hold: Iterable[Any] = (),
    near: Near = None,
    tolerance: float = 1e-12,
) -> Path:
    """Motions of the joints that bring `body` to each of the `frames` at its time (s): loops closed, limits kept.

    Frames are `lw.Frame` or points (x, y, z) in m, as in `lw.reach`; so are `at` (one point of the body), `hold`,
    `near` (for the first frame) and `tolerance`. Each pose is searched from the one before, so the mechanism stays on
    its branch, and redundant joints move by the least. Between the times cubic splines join the coordinates: they have
    continuous accelerations, and miss the path by the fourth power of the spacing of its times. A frame that cannot be
    reached raises `RunError` with its time; a joint that moves by more than 1 rad between two frames is a `RunWarning`.

    >>> arm = lw.Model("arm")
    >>> for name, x in (("upper", 0.2), ("lower", 0.7)):
    ...     rod = arm.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=(x, 0, 0))
    >>> shoulder = arm.revolute("shoulder", "ground", "upper", at=(0, 0, 0), axis=(0, 0, 1), position=0.3)
    >>> elbow = arm.revolute("elbow", "upper", "lower", at=(0.5, 0, 0), axis=(0, 0, 1), position=0.3)
    >>> times = np.linspace(0.0, 1.0, 11)
    >>> path = lw.follow(arm, "lower", [(0.5, 0.3 * t, 0) for t in times], times, near={"elbow": 1.0})
    >>> path["elbow"].kind, len(path.poses), path.poses[-1].error < 1e-12
    ('cubic', 11, True)
    """
    system = model if isinstance(model, System) else assemble(model)
    name = body_name(system, body)
    moments, targets = _checked(frames, times)
    start = neighbour(system, near, float(moments[0]))
    held, kept = holds(system, hold, start, float(moments[0]))
    poses: list[Pose] = []
    beside: Sequence[float] = BESIDE
    for t, target in zip(moments.tolist(), targets, strict=True):
        when = f"at t = {t:g} s "
        equations = PoseEquations(system, start, [goal(name, target, at), *kept], held, t)
        pose = found_pose(equations, held, tolerance, when, beside)
        poses.append(pose)
        # from here on the branch is kept
        start, beside = Start(pose.q, system.v_start, pose.cut_q, []), BESIDE[:1]
    _warn_of_jumps(system, equations.size, moments, poses)
    return Path(system.model.name, name, moments, tuple(poses), _tables(moments, poses))


def _checked(frames: Any, times: Any) -> tuple[Floats, list[Any]]:
    """Times that increase, and as many targets."""
    try:
        moments = np.array(times, dtype=float)
    except (TypeError, ValueError):
        moments = np.zeros(0)
    if moments.ndim != 1 or moments.size < 2 or not np.isfinite(moments).all():
        raise OptionError(f"follow: times must list two finite numbers of seconds or more, not {shown(times)}")
    if isinstance(frames, Frame | str | Mapping) or not isinstance(frames, Iterable):
        raise OptionError(f"follow: frames must list a lw.Frame or a point for each time, not {shown(frames)}")
    targets = list(frames)
    if len(targets) != moments.size:
        raise OptionError(
            f"follow: there are {len(targets)} frames but {moments.size} times; give a time for each frame"
        )
    steps = np.diff(moments)
    if steps.min() <= 0.0:
        k = int(np.argmax(steps <= 0.0))
        raise OptionError(f"follow: times must increase, but {moments[k + 1]:g} follows {moments[k]:g}; correct times")
    return moments, targets


def _tables(times: Floats, poses: list[Pose]) -> dict[str, Motions]:
    """Cubic tables of the coordinates, by joint."""
    found: dict[str, Motions] = {}
    for joint, first in poses[0].items():
        columns = np.array([np.atleast_1d(pose[joint]) for pose in poses]).T
        tables = tuple(Table(times, column, "cubic") for column in columns)
        found[joint] = tables[0] if isinstance(first, float) else tables
    return found


def _warn_of_jumps(system: System, size: float, times: Floats, poses: list[Pose]) -> None:
    """Of the longest way of a joint between two frames."""
    worst, told = 1.0, ""
    most = {"m": JUMP * size, "rad": JUMP}
    for place in (*system.joints, *system.cuts):
        if place.name not in poses[0]:
            continue
        kind: Any = place.kind
        units = KINDS[kind].units.position
        numbers = np.array([np.atleast_1d(pose[place.name]) for pose in poses])
        ways = np.abs(np.diff(numbers, axis=0))
        if KINDS[kind].has_quaternion:  # the angle of the turn
            chords = np.linalg.norm(ways[:, -4:], axis=1)
            ways, units = (
                np.column_stack([ways[:, :-4], 4.0 * np.arcsin(np.minimum(0.5 * chords, 1.0))]),
                (*units[:-4], "rad"),
            )
        relative = ways / [most[unit] for unit in units]
        k, e = divmod(int(np.argmax(relative)), len(units))
        if relative[k, e] > worst:
            worst, way = float(relative[k, e]), f"{ways[k, e]:.3g} {units[e]}"
            told = f"joint '{place.name}' moves by {way} between {times[k]:g} and {times[k + 1]:g} s"
    if told:
        warn(
            f"follow: {told}, so that its table may be far from the path there; give more frames, or a path farther "
            "from singular poses",
            RunWarning,
        )

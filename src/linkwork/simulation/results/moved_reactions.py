"""Reactions of a run at other points and in other axes: a wrench is moved along with its lever, row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import OptionError
from linkwork.model import Body, Joint, checked, names
from linkwork.simulation.results.quaternions import product, turned
from linkwork.simulation.results.scene.scene import need_scene

if TYPE_CHECKING:
    from linkwork.simulation.results.trajectory import Trajectory


def moved_reaction(run: Trajectory, joint: Any, at: Any, body: Any, axes: Any) -> Any:
    """See `Trajectory.reaction`.

    With P the joint's point and X the one asked for, torque at X = torque at P + (P - X) x force.
    """
    name = joint.path if isinstance(joint, Joint) else joint
    if not isinstance(name, str):
        raise OptionError(f"a joint is given by its name, not by {checked.shown(joint)}; write run.reaction('pin')")
    column = run.matching(f"{name}.reaction")[0]
    name, values = column.removesuffix(".reaction"), run[column]
    force, torque = values[:, :3], values[:, 3:]
    if at is None and body is not None:
        raise OptionError(f"reaction of '{name}': body= is the one in whose frame at= is given; give at= too")
    if at is not None:
        point = checked.vector(at, f"reaction of '{name}'", "at", 3, "metres")
        b, frame = _joint_frame(run, name)
        e, x = _pose(run, name, b if body is None else body)
        e_b, x_b = _pose(run, name, b)
        lever = x_b + turned(e_b, frame[:, :3]) - x - turned(e, np.tile(point, (len(run), 1)))
        torque = torque + np.cross(lever, force)
    if not (isinstance(axes, str) and axes == "world"):
        back = _turn(run, name, axes) * [1.0, -1.0, -1.0, -1.0]
        force, torque = turned(back, force), turned(back, torque)
    return np.concatenate([force, torque], axis=1)


def _turn(run: Trajectory, name: str, axes: Any) -> Any:
    """Quaternions that take components in these axes to those in the world."""
    if isinstance(axes, str) and axes == "joint":
        b, frame = _joint_frame(run, name)
        return product(_pose(run, name, b)[0], frame[:, 3:])
    return _pose(run, name, axes)[0]


def _joint_frame(run: Trajectory, name: str) -> tuple[str, Any]:
    """The body b of a joint, and the joint's frame in that of b, row by row: position and quaternion."""
    found = [facts for facts in need_scene(run.scene, run.model_name)["joints"] if facts["name"] == name]
    changes = [change for change in run.events if change.joint == name and change.what == "attached"]
    frames = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (len(run), 1))
    places = [(-np.inf, facts.get("frame_b")) for facts in found] + [(each.time, each.frame_b) for each in changes]
    if not places or not all(frame for _, frame in places):
        raise OptionError(
            f"the run of '{run.model_name}' does not hold where joint '{name}' is on its body b; an older version "
            "saved it, run it again"
        )
    for start, frame in places:
        frames[run.time >= start] = frame
    return found[0]["b"] if found else changes[0].b, frames


def _pose(run: Trajectory, name: str, body: Any) -> tuple[Any, Any]:
    """Quaternions and positions of a body or a ground, row by row."""
    what = f"reaction of '{name}'"
    path = body.path if isinstance(body, Body) else body
    scene = need_scene(run.scene, run.model_name)
    if isinstance(path, str) and path in scene["grounds"]:
        facts = scene["grounds"][path]
        if "positions" in facts:
            raise OptionError(f"{what}: the poses of the moving ground '{path}' are not in the run; give another body=")
        return np.tile(facts["rotation"], (len(run), 1)), np.tile(facts["position"], (len(run), 1))
    bodies = [facts["name"] for facts in scene["bodies"]]
    if isinstance(path, str) and path not in bodies:  # it may share its name with a joint
        path = next((other for other in names.others(path) if other in bodies), path)
    if path not in bodies:
        words = f"{checked.shown(path)} is not a body of '{run.model_name}'; "
        raise OptionError(f"{what}: {words}give 'world', 'joint', 'ground' or the name of a body")
    if f"{path}.position" not in run.columns or f"{path}.rotation" not in run.columns:
        raise OptionError(f"{what}: it needs the pose of '{path}'; record '{path}.position' and '{path}.rotation' too")
    return run[f"{path}.rotation"], run[f"{path}.position"]

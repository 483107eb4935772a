"""What there is to draw of a model, as plain facts that go into result files: a run can be replayed without its model.

A scene is a dictionary of lists and numbers only (metres, body frames, quaternions w first):

    bodies   [{name, shape or None, visuals, com, mass, inertia, holds: points where joints and springs hold it}]
    grounds  {name: {position, rotation}}; those that move also {time, positions, rotations}, at SAMPLES times
    joints   [{name, kind, a, b, position, axis: in the frame of a; frame_b: position and quaternion in the frame of b}]
    springs  [{name, a, at_a, b, at_b, elastic: whether it is more than a damper}]
    tyres    [{name, body, at, axis, radius}], the last three in the frame of the body
    roads    [{x, y, z}]: heights z (y, x) of the strips on which tyres ran
    fixtures [shapes] that stand on grounds at rest, for others to meet them; in the world
    meshes   [{points, faces}]: a shape of kind "mesh" has the number of its own
    gravity  m/s2, world
    contacts where bodies touched in a run (contact_looks.py)
A body has `more` shapes than its own, and a ground in motion has `shapes`, where colliders were put on them. A body
with `visuals`, shapes that are only drawn, has no others; they may have a `colour`: red, green, blue, opacity. A plane,
which has no end, is a shape of kind "plane".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from linkwork.assembly.reference import Reference, ground_pose
from linkwork.errors import OptionError
from linkwork.model import Frame, Ground, Model, Road, Slot, SurfaceJoint, Tyre
from linkwork.model.forces.bushing import Bushing
from linkwork.model.forces.force import Spring
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.model.laws.laws import law_value
from linkwork.simulation.results.quaternions import turned
from linkwork.simulation.results.scene.drawn_shapes import DrawnShapes
from linkwork.simulation.results.scene.guide_shapes import guide_facts, held_on_guide
from linkwork.simulation.results.scene.shape_facts import moved_facts, numbers

Scene: TypeAlias = dict[str, Any]

SAMPLES = 600  # poses that are kept of a ground that moves
ROAD_POINTS = (300, 3)  # along and across


def scene_of(model: Model, until: float = 0.0, tracks: Mapping[str, Any] | None = None, *, ahead: float = 0.0) -> Scene:
    """The scene of a model; grounds that move are followed up to the time `until`, s.

    `tracks` are columns of a run: where the bodies with tyres were, which is how far roads are drawn, and `ahead` times
    as far again.

    >>> scene = scene_of(lw.gallery.pendulum.build())
    >>> [body["name"] for body in scene["bodies"]], [joint["kind"] for joint in scene["joints"]]
    (['bob'], ['revolute'])
    """
    reference = Reference(model)
    joints = [(joint, *reference.frames(joint)) for joint in model.all_joints() if not joint.hidden]
    springs = _springs(model, reference)
    holds: dict[int, list[list[float]]] = {}
    shapes = DrawnShapes(model)
    added = shapes.added
    for joint, a, b in joints:
        guide = guide_facts(joint, a)
        if guide is not None:
            added.setdefault(joint.a.path, []).append(guide)
        if isinstance(joint, Slot | SurfaceJoint):
            holds.setdefault(id(joint.b), []).append(numbers(b.position))
        if (near := held_on_guide(joint, a)) is not None:
            holds.setdefault(id(joint.a), []).append(near)
        if KINDS[joint.kind].holds_point:
            holds.setdefault(id(joint.a), []).append(numbers(a.position))
            holds.setdefault(id(joint.b), []).append(numbers(b.position))
    for force, facts in springs:
        holds.setdefault(id(force.a), []).append(facts["at_a"])
        holds.setdefault(id(force.b), []).append(facts["at_b"])
    return {
        "bodies": [
            {
                "name": body.path,
                "shape": shapes.own.get(body.path),
                "more": added.get(body.path, []),
                "visuals": shapes.visuals.get(body.path, []),
                "com": numbers(body.com),
                "mass": float(body.mass),
                "inertia": [numbers(row) for row in body.inertia],
                "holds": holds.get(id(body), []),
            }
            for body in model.all_bodies()
            if not body.hidden
        ],
        "grounds": {ground.path: _ground(ground, until, shapes.standing(ground)) for ground in model.all_grounds()},
        "joints": [
            {
                "name": joint.path,
                "kind": joint.kind,
                "a": joint.a.path,
                "b": joint.b.path,
                "position": numbers(a.position),
                "axis": numbers(a.matrix[:, 2]),
                "frame_b": [*numbers(b.position), *numbers(b.rotation)],
            }
            for joint, a, b in joints
        ],
        "springs": [facts for _, facts in springs],
        "tyres": [_tyre(force) for force in model.all_forces() if isinstance(force, Tyre)],
        "roads": road_strips(model, until, tracks or {}, ahead=ahead),
        "fixtures": [
            moved_facts(facts, ground_pose(ground))
            for ground in model.all_grounds()
            if ground.motion is None
            for facts in shapes.standing(ground)
        ],
        "meshes": shapes.meshes,
        "gravity": numbers(model.gravity),
    }


def _springs(model: Model, reference: Reference) -> list[tuple[Spring | Bushing, dict[str, Any]]]:
    """Springs and bushings, each with its ends and what it is."""
    found: list[tuple[Spring | Bushing, dict[str, Any]]] = []
    for force in model.all_forces():
        if isinstance(force, Spring):
            at_a, at_b, what = force.at_a, force.at_b, {"elastic": force.stiffness != 0.0}
        elif isinstance(force, Bushing):
            at_a, at_b = (frame.position for frame in reference.mount(force))
            what = {"elastic": True, "bushing": True}
        else:
            continue
        ends = {"a": force.a.path, "at_a": numbers(at_a), "b": force.b.path, "at_b": numbers(at_b)}
        found.append((force, {"name": force.path, **ends, **what}))
    return found


def _tyre(tyre: Tyre) -> dict[str, Any]:
    place = {"at": numbers(tyre.at), "axis": numbers(tyre.axis), "radius": float(tyre.radius)}
    return {"name": tyre.path, "body": tyre.body.path, **place}


class RunScenes:
    """The scenes of runs of one model: made once where nothing in it moves by itself and no road is drawn."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._made: Scene | None = None
        self._alike = all(ground.motion is None for ground in model.all_grounds()) and not any(
            isinstance(force, Tyre) for force in model.all_forces()
        )

    def of_run(self, until: float, tracks: Mapping[str, Any]) -> Scene:
        """As `scene_of`, for a run with these columns."""
        if not self._alike:
            return scene_of(self.model, until, tracks)
        if self._made is None:
            self._made = scene_of(self.model)
        return dict(self._made)


def need_scene(scene: Scene | None, model_name: str) -> Scene:
    """The scene of a run, or the reason why it cannot be shown."""
    if not scene:
        raise OptionError(
            f"the run of '{model_name}' does not hold the shapes of its bodies; an older version saved it, run it again"
        )
    return scene


def ground_at(ground: Ground, t: float) -> Frame:
    """World pose of a ground at time t, s."""
    pose, motion = ground_pose(ground), ground.motion
    if motion is None:
        return pose
    half = law_value(motion.angle, t) / 2
    turn = (math.cos(half), *(math.sin(half) * motion.axis))
    return pose @ Frame([law_value(law, t) for law in motion.position], turn)


def _ground(ground: Ground, until: float, shapes: list[dict[str, Any]]) -> dict[str, Any]:
    pose, motion = ground_pose(ground), ground.motion
    facts: dict[str, Any] = {"position": numbers(pose.position), "rotation": numbers(pose.rotation)}
    if motion is None:
        return facts
    facts["shapes"] = shapes
    time = np.linspace(0.0, until, SAMPLES if until > 0.0 else 1)
    poses = []
    try:
        for t in time:
            poses.append(ground_at(ground, float(t)))
    except Exception:  # the user's law: what it does wrong the run has told; a picture is no reason to lose the rows
        if not poses:
            return facts
    facts["time"] = time[: len(poses)].tolist()
    facts["positions"] = [numbers(pose.position) for pose in poses]
    facts["rotations"] = [numbers(pose.rotation) for pose in poses]
    return facts


def road_strips(
    model: Model, t: float, tracks: Mapping[str, Any], *, ahead: float = 0.0, beside: float | None = None
) -> list[dict[str, Any]]:
    """A strip for each road at time t (s), under the tyres that run on it; `beside` (m) is its margin.

    `tracks` and `ahead` are those of `scene_of`. The margin is one and a half times the radius when not given.
    """
    ways: list[tuple[Road, list[Any], float]] = []
    for tyre in model.all_forces():
        if not isinstance(tyre, Tyre) or f"{tyre.body.path}.position" not in tracks:
            continue
        places = _centres(tyre, tracks)
        for road, found, _ in ways:
            if road == tyre.road:
                found.append(places)
                break
        else:
            ways.append((tyre.road, [places], tyre.radius))
    made = []
    for road, found, radius in ways:
        margin = 1.5 * radius if beside is None else beside
        made.append(_strip(road, np.concatenate(found), (3 * radius, margin), t, ahead))
    return made


def _centres(tyre: Tyre, tracks: Mapping[str, Any]) -> Any:
    """Where the centre of a tyre was, (rows, 3)."""
    places = np.asarray(tracks[f"{tyre.body.path}.position"], dtype=float)
    turns = tracks.get(f"{tyre.body.path}.rotation")
    if turns is None:
        return places
    return places + turned(np.asarray(turns, dtype=float), np.tile(tyre.at, (len(places), 1)))


def _strip(road: Road, centres: Any, margin: tuple[float, float], t: float, ahead: float) -> dict[str, Any]:
    centres = centres[np.isfinite(centres).all(axis=1)]
    low, high = centres[:, :2].min(axis=0), centres[:, :2].max(axis=0)
    further = ahead * (high - low)
    x = np.linspace(low[0] - margin[0], high[0] + margin[0] + further[0], ROAD_POINTS[0])
    y = np.linspace(low[1] - margin[1], high[1] + margin[1] + further[1], ROAD_POINTS[1])
    digits = max(0, 4 - math.floor(math.log10(margin[0])))  # by the size of the tyre
    z = [[round(float(road(a, b, t)), digits) for a in x] for b in y]
    return {"x": x.round(digits).tolist(), "y": y.round(digits).tolist(), "z": z}

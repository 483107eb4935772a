"""What there is to draw of a model, as plain facts that go into result files: a run can be replayed without its model.

A scene is a dictionary of lists and numbers only (metres, body frames, quaternions w first):

    bodies   [{name, shape or None, com, holds: points where joints and springs hold it}]
    grounds  {name: {position, rotation}}; those that move also {time, positions, rotations}, at SAMPLES times
    joints   [{name, kind, a, b, position, axis: in the frame of a; frame_b: position and quaternion in the frame of b}]
    springs  [{name, a, at_a, b, at_b, elastic: whether it is more than a damper}]
    roads    [{x, y, z}]: heights z (y, x) of the strips on which tyres ran
    fixtures [shapes] that stand on grounds at rest, for others to meet them; in the world
A body has `more` shapes than its own, and a ground in motion has `shapes`, where colliders were put on them. A plane,
which has no end, is a shape of kind "plane".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from linkwork.assembly.reference import Reference, ground_pose
from linkwork.errors import OptionError
from linkwork.model import (
    Box,
    Capsule,
    Cylinder,
    Frame,
    Ground,
    Hull,
    Mesh,
    Model,
    Road,
    Slot,
    Sphere,
    SurfaceJoint,
    Tyre,
)
from linkwork.model.bushing import Bushing
from linkwork.model.collider import HeightField, Plane
from linkwork.model.force import Spring
from linkwork.model.joint_kinds import KINDS
from linkwork.model.laws import law_value
from linkwork.model.shapes import Shape
from linkwork.simulation.results.guide_shapes import guide_facts, held_on_guide
from linkwork.simulation.results.quaternions import turned

Scene: TypeAlias = dict[str, Any]

SAMPLES = 600  # poses that are kept of a ground that moves
ROAD_POINTS = (300, 3)  # along and across
_SIZES: dict[type[Shape], tuple[str, ...]] = {
    Box: ("size",),
    Sphere: ("radius",),
    Cylinder: ("radius", "length", "inner_radius"),
    Capsule: ("radius", "length"),
}
_KINDS = {kind.__name__.lower(): kind for kind in _SIZES}


def scene_of(model: Model, until: float = 0.0, tracks: Mapping[str, Any] | None = None, *, ahead: float = 0.0) -> Scene:
    """The scene of a model; grounds that move are followed up to the time `until`, s.

    `tracks` are columns of a run: where the bodies with tyres were, which is how far roads are drawn, and `ahead` times
    as far again.

    >>> scene = scene_of(lw.gallery.pendulum.build())
    >>> [body["name"] for body in scene["bodies"]], [joint["kind"] for joint in scene["joints"]]
    (['bob'], ['revolute'])
    """
    reference = Reference(model)
    joints = [(joint, *reference.frames(joint)) for joint in model.all_joints()]
    springs = _springs(model, reference)
    holds: dict[int, list[list[float]]] = {}
    added = added_shapes(model)
    for joint, a, b in joints:
        guide = guide_facts(joint, a)
        if guide is not None:
            added.setdefault(joint.a.path, []).append(guide)
        if isinstance(joint, Slot | SurfaceJoint):
            holds.setdefault(id(joint.b), []).append(_numbers(b.position))
        if (near := held_on_guide(joint, a)) is not None:
            holds.setdefault(id(joint.a), []).append(near)
        if KINDS[joint.kind].holds_point:
            holds.setdefault(id(joint.a), []).append(_numbers(a.position))
            holds.setdefault(id(joint.b), []).append(_numbers(b.position))
    for force, facts in springs:
        holds.setdefault(id(force.a), []).append(facts["at_a"])
        holds.setdefault(id(force.b), []).append(facts["at_b"])
    return {
        "bodies": [
            {
                "name": body.path,
                "shape": None if body.shape is None else shape_facts(body.shape),
                "more": added.get(body.path, []),
                "com": _numbers(body.com),
                "holds": holds.get(id(body), []),
            }
            for body in model.all_bodies()
        ],
        "grounds": {ground.path: _ground(ground, until, added.get(ground.path, [])) for ground in model.all_grounds()},
        "joints": [
            {
                "name": joint.path,
                "kind": joint.kind,
                "a": joint.a.path,
                "b": joint.b.path,
                "position": _numbers(a.position),
                "axis": _numbers(a.matrix[:, 2]),
                "frame_b": [*_numbers(b.position), *_numbers(b.rotation)],
            }
            for joint, a, b in joints
        ],
        "springs": [facts for _, facts in springs],
        "roads": road_strips(model, until, tracks or {}, ahead=ahead),
        "fixtures": [
            moved_facts(facts, ground_pose(ground))
            for ground in model.all_grounds()
            if ground.motion is None
            for facts in added.get(ground.path, [])
        ],
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
        ends = {"a": force.a.path, "at_a": _numbers(at_a), "b": force.b.path, "at_b": _numbers(at_b)}
        found.append((force, {"name": force.path, **ends, **what}))
    return found


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


def added_shapes(model: Model) -> dict[str, list[dict[str, Any]]]:
    """What colliders add to the shapes of bodies and grounds, by their paths and in their frames.

    Where a body has a shape for the eye alone, without a material, its colliders stand in for that and are not shown.

    >>> model = lw.Model("yard")
    >>> step = model.collider("step", "ground", lw.Box((1, 1, 0.2), pose=lw.Frame((2, 0, 0.1))))
    >>> [facts["kind"] for facts in added_shapes(model)["ground"]]
    ['box']
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for container in model.walk():
        for collider in container.colliders.values():
            body, facts = collider.body, shape_facts(collider.shape)
            own = None if isinstance(body, Ground) else body.shape
            if own is not None and (body.material is None or facts == shape_facts(own)):
                continue
            if facts is not None:
                found.setdefault(body.path, []).append(facts)
    return found


def moved_facts(facts: dict[str, Any], pose: Frame) -> dict[str, Any]:
    """The shape of a body that stands there, in the world."""
    there = pose @ Frame(facts["position"], facts["rotation"])
    return {**facts, "position": _numbers(there.position), "rotation": _numbers(there.rotation)}


def shape_facts(shape: Shape) -> dict[str, Any] | None:
    """A shape as a dictionary; None for one that has no picture.

    >>> shape_facts(lw.Sphere(0.5))["kind"]
    'sphere'
    """
    pose = {"position": _numbers(shape.pose.position), "rotation": _numbers(shape.pose.rotation)}
    if isinstance(shape, Mesh | Hull):
        return {"kind": "mesh", "triangles": np.asarray(shape.triangles).tolist(), **pose}
    if isinstance(shape, HeightField):
        return {"kind": "mesh", "triangles": _landscape(shape), **pose}
    if isinstance(shape, Plane):
        return {"kind": "plane", **pose}
    for kind, words in _SIZES.items():
        if isinstance(shape, kind):
            sizes = {word: np.asarray(getattr(shape, word), dtype=float).tolist() for word in words}
            return {"kind": kind.__name__.lower(), **sizes, **pose}
    return None


def shape_from(facts: dict[str, Any]) -> Shape | None:
    """The shape that `shape_facts` wrote down; None for a mesh, of which only the triangles are known.

    >>> shape_from(shape_facts(lw.Box((1, 2, 3)))).size
    (1.0, 2.0, 3.0)
    """
    kind = _KINDS.get(facts["kind"])
    if kind is None:
        return None
    sizes = {word: facts[word] for word in _SIZES[kind]}
    return kind(**sizes, pose=Frame(facts["position"], facts["rotation"]))


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
    facts: dict[str, Any] = {"position": _numbers(pose.position), "rotation": _numbers(pose.rotation)}
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
    facts["positions"] = [_numbers(pose.position) for pose in poses]
    facts["rotations"] = [_numbers(pose.rotation) for pose in poses]
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


def _landscape(field: HeightField) -> list[Any]:
    """Triangles of a field of heights."""
    rows, columns = field.heights.shape
    x, y = (np.linspace(-side / 2, side / 2, n) for side, n in zip(field.size, (rows, columns), strict=True))
    corner = [[(a, b, field.heights[i, j]) for j, b in enumerate(y)] for i, a in enumerate(x)]
    mesh = []
    for i in range(rows - 1):
        for j in range(columns - 1):
            a, b, c, d = corner[i][j], corner[i + 1][j], corner[i + 1][j + 1], corner[i][j + 1]
            mesh += [(a, b, c), (a, c, d)]
    return np.asarray(mesh, dtype=float).tolist()  # type: ignore[no-any-return]


def _strip(road: Road, centres: Any, margin: tuple[float, float], t: float, ahead: float) -> dict[str, Any]:
    centres = centres[np.isfinite(centres).all(axis=1)]
    low, high = centres[:, :2].min(axis=0), centres[:, :2].max(axis=0)
    further = ahead * (high - low)
    x = np.linspace(low[0] - margin[0], high[0] + margin[0] + further[0], ROAD_POINTS[0])
    y = np.linspace(low[1] - margin[1], high[1] + margin[1] + further[1], ROAD_POINTS[1])
    z = [[round(float(road(a, b, t)), 5) for a in x] for b in y]
    return {"x": x.round(4).tolist(), "y": y.round(4).tolist(), "z": z}


def _numbers(values: Any) -> list[float]:
    return [float(value) for value in values]

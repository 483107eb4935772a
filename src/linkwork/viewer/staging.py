"""A run made ready to be shown: what stands where, how large it is, and from where to look at it.

One stage serves stills, films, the replay page and the live page. Shapes are plain data (box, rod, pin …) that each
of them makes into triangles or symbols.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.errors import OptionError
from linkwork.model import Frame
from linkwork.model.joints.joint_kinds import KINDS, drawn_as
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.quaternions import turned
from linkwork.simulation.results.scene.drawn_shapes import with_meshes
from linkwork.simulation.results.scene.scene import Scene, need_scene
from linkwork.simulation.results.scene.shape_facts import moved_facts
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.viewer.camera import NEARLY_ALONG, OBLIQUE
from linkwork.viewer.colours import body_colours
from linkwork.viewer.extent import measure
from linkwork.viewer.ropes import only_pulls
from linkwork.viewer.scene_shapes import body_shapes, is_floor, matrix, outside, road_mesh, sheet
from linkwork.viewer.solids import Floats

HINGES = drawn_as("pin", "ball")
BALLS = drawn_as("ball")
AXES = drawn_as("pin", "guide")
WELDS = drawn_as("weld")
GUIDED = ("slot", "surface")
ALWAYS = (-math.inf, math.inf)
NO_TURN = [1.0, 0.0, 0.0, 0.0]


class Stage:
    """The scene of a run with its poses; `scene` takes the place of the run's own.

    >>> stage = Stage(lw.simulate(lw.gallery.pendulum.build(), until=0.1, method="recursive", dt=0.01))
    >>> stage.names, stage.poses([0]).shape
    (['bob'], (1, 1, 7))
    """

    def __init__(self, run: Trajectory, scene: Scene | None = None) -> None:
        self.run = run
        self.scene = with_meshes(need_scene(run.scene if scene is None else scene, run.model_name))
        self.dressed = any(body["visuals"] for body in self.scene["bodies"])  # bodies without shapes are then not drawn
        if len(run) == 0:
            raise OptionError(f"the run of '{run.model_name}' has no samples to show; run it for longer")
        self.seconds = float(run.time[-1])
        self.moving_grounds = [name for name, ground in self.scene["grounds"].items() if self._moves(name, ground)]
        # of all that moves: bodies, then grounds in motion
        self.names: list[str] = [*(body["name"] for body in self.scene["bodies"]), *self.moving_grounds]
        self._check_columns()
        self.index = {name: k for k, name in enumerate(self.names)}
        self.timed_joints = self._timed_joints()
        self.fixed_bodies = self._fixed_bodies()
        moving = [k for k, name in enumerate(self.names) if name not in {*self.fixed_bodies, *self.moving_grounds}]
        self.followed = moving or list(range(len(self.names)))  # what a camera that follows goes by
        self.start = self.poses([0])[0]
        extent = measure(self)
        self.low, self.high, self.size, self.strut_radius = extent[:4]
        self.travels, self.centre, self.radius = extent[4:]

    @classmethod
    def from_poses(cls, name: str, scene: Scene, times: Sequence[float], columns: Mapping[str, Any]) -> Stage:
        """A stage without a run: positions and rotations at some times, s, as columns of a run."""
        return cls(Trajectory(times, columns, {}, certificate=Certificate(method=""), model_name=name, scene=scene))

    # --- what moves, and where it is ----------------------------------------------------------------------

    def _moves(self, name: str, ground: dict[str, Any]) -> bool:
        return "time" in ground or self._recorded(name)

    def _recorded(self, name: str) -> bool:
        return f"{name}.position" in self.run and f"{name}.rotation" in self.run

    def _check_columns(self) -> None:
        for name in self.names:
            if name not in self.scene["grounds"] and not self._recorded(name):
                raise OptionError(
                    f"the run of '{self.run.model_name}' did not record where body '{name}' is; run it again with "
                    "record='all', or with '*.position' and '*.rotation' among the columns"
                )

    def row(self, t: float) -> int:
        """The row nearest to a time, s; the first of several at the same time."""
        time = self.run.time
        after = int(np.searchsorted(time, t - 1e-9).clip(0, len(time) - 1))
        return after - 1 if after > 0 and t - time[after - 1] < time[after] - t else after

    def poses(self, rows: Any) -> Floats:
        """Position and quaternion of all that moves, (rows, things, 7)."""
        rows = np.asarray(rows)
        out = np.zeros((len(rows), len(self.names), 7))
        for k, name in enumerate(self.names):
            ground = self.scene["grounds"].get(name)
            if ground is not None and "time" in ground:
                out[:, k] = _ground_poses(ground, self.run.time[rows])
            else:
                out[:, k, :3] = self.run[f"{name}.position"][rows]
                out[:, k, 3:] = self.run[f"{name}.rotation"][rows]
        bad = ~np.isfinite(out).all(axis=2)
        out[bad] = (0, 0, 0, 1, 0, 0, 0)  # a run that broke down may end in such a row
        return out

    def frame(self, name: str, poses: Floats) -> Frame:
        """The frame of a body or ground in the world, where all that moves has these poses."""
        if name in self.index:
            pose = poses[self.index[name]]
            return Frame(pose[:3], pose[3:])
        ground = self.scene["grounds"].get(name)  # None: a border body of a component that lives elsewhere
        return Frame() if ground is None else Frame(ground["position"], ground["rotation"])

    def world(self, name: str, point: Any, poses: Floats) -> Floats:
        """A point of a body or ground in the world, where all that moves has these poses."""
        local = np.asarray(point, dtype=float)
        if name in self.index:
            pose = poses[self.index[name]]
            return np.asarray(matrix(pose[3:]) @ local + pose[:3])
        ground = self.scene["grounds"].get(name)
        if ground is None:
            return local
        return np.asarray(matrix(np.array(ground["rotation"])) @ local + ground["position"])

    def path(self, name: str, point: Any = (0.0, 0.0, 0.0)) -> Floats:
        """The way of a point of a body through the whole run, (rows, 3)."""
        position, rotation = self.run[f"{name}.position"], self.run[f"{name}.rotation"]
        return np.asarray(position + turned(rotation, np.tile(np.asarray(point, dtype=float), (len(position), 1))))

    def _timed_joints(self) -> list[dict[str, Any]]:
        """Joints of the scene and those that were attached, each with the times from and until which it holds, s."""
        found = [{**joint, "span": ALWAYS} for joint in self.scene["joints"]]
        for change in self.run.events:
            if change.what == "attached" and change.position:
                place = {"position": list(change.position), "axis": list(change.axis)}
                ends = {"name": change.joint, "kind": change.kind, "a": change.a, "b": change.b}
                found.append({**ends, **place, "span": (change.time, math.inf)})
            elif change.what == "released":
                for joint in found:
                    if joint["name"] == change.joint and joint["span"][1] == math.inf:
                        joint["span"] = (joint["span"][0], change.time)
        return found

    def joints_at(self, t: float) -> list[dict[str, Any]]:
        """The joints of the scene that hold at a time, s."""
        return [joint for joint in self.timed_joints if joint["span"][0] <= t < joint["span"][1]]

    def _fixed_bodies(self) -> set[str]:
        """Names of bodies that are fixed to the ground at rest for all the run."""
        at_rest = {name for name in self.scene["grounds"] if name not in self.moving_grounds}
        welds = [joint for joint in self.timed_joints if joint["kind"] in WELDS and joint["span"] == ALWAYS]
        found: set[str] = set()
        for _ in welds:
            for joint in welds:
                if {joint["a"], joint["b"]} & (at_rest | found):
                    found |= {joint["a"], joint["b"]} - at_rest
        return found

    # --- what to draw -------------------------------------------------------------------------------------

    def bodies(self) -> list[dict[str, Any]]:
        """Name, colour, centre of mass and shapes of all that moves, in the order of `names`."""
        colours = body_colours(body["name"] for body in self.scene["bodies"])
        found = [
            {
                "name": body["name"],
                "colour": body.get("colour") or colours[body["name"]].round(4).tolist(),
                "com": body["com"],
                **_inertia_facts(body),
                "shapes": self.shapes(body, self.strut_radius),
                "followed": self.index[body["name"]] in self.followed,
                "ground": False,
            }
            for body in self.scene["bodies"]
        ]
        bare: dict[str, Any] = {"colour": [0.6] * 3, "com": [0.0] * 3, "followed": False, "ground": True}
        for name in self.moving_grounds:
            pose = self.frame(name, self.start)
            shapes = [self._bounded(facts, pose) for facts in self.scene["grounds"][name].get("shapes", [])]
            found.append({"name": name, **bare, "shapes": shapes})
        return found

    def shapes(self, body: dict[str, Any], strut_radius: float) -> list[dict[str, Any]]:
        """The shapes of a body, and struts to what holds it outside of them."""
        shapes, centre = body_shapes(body), body["com"]
        made: list[dict[str, Any]] = list(shapes)
        shapes = [facts for facts in shapes if "guide" not in facts]  # struts lead to the wire of a slot too
        if any(facts["kind"] == "mesh" for facts in shapes) or body["visuals"] or (self.dressed and not shapes):
            return made
        if body["shape"] is not None:
            centre = body["shape"]["position"]
        elif not shapes:
            made.append({"kind": "sphere", "radius": 2.5 * strut_radius, "position": centre, "rotation": NO_TURN})
        for hold in body["holds"]:
            far = math.dist(hold, centre) > 1e-9 * self.size
            if far and all(outside(facts, hold) for facts in shapes):
                made.append({"kind": "rod", "from": centre, "to": hold, "radius": strut_radius})
        return made

    @staticmethod
    def is_hinge(joint: dict[str, Any]) -> bool:
        """Whether a joint turns about one point, where a pin or a ball is drawn."""
        return joint["kind"] in HINGES

    def pins(self) -> list[dict[str, Any]]:
        """Pins of hinges and balls, each with the number of what carries it; -1 is the world."""
        return [self.pin(joint) for joint in self.timed_joints if self.is_hinge(joint)]

    def pin(self, joint: dict[str, Any]) -> dict[str, Any]:
        """The pin or ball of a joint."""
        body, at = self._carried(joint["a"], joint["position"])
        if joint["kind"] in BALLS:
            radius = 1.7 * self.strut_radius
            shape = {"kind": "sphere", "radius": radius, "position": at.tolist(), "rotation": NO_TURN}
        else:
            tip = np.add(joint["position"], np.multiply(joint["axis"], 2.6 * self.strut_radius))
            along = self._carried(joint["a"], tip)[1] - at
            ends = ((at - along).tolist(), (at + along).tolist())
            shape = {"kind": "pin", "from": ends[0], "to": ends[1], "radius": 1.35 * self.strut_radius}
        return {"joint": joint["name"], "body": body, "shape": shape, "span": _span(joint)}

    def joints(self) -> list[dict[str, Any]]:
        """Names, points and axes of joints, each with the number of what carries it; -1 is the world."""
        return [self.joint(joint) for joint in self.timed_joints if joint["kind"] != "free"]

    def joint(self, joint: dict[str, Any]) -> dict[str, Any]:
        """The point and the axis of a joint."""
        body, at = self._carried(joint["a"], joint["position"])
        if joint["kind"] in GUIDED and "frame_b" in joint:  # it holds a point of b anywhere on a
            body, at = self._carried(joint["b"], joint["frame_b"][:3])
        axis = self._carried(joint["a"], np.add(joint["position"], joint["axis"]))[1] - at
        turns, kind = joint["kind"] in AXES, KINDS.get(joint["kind"])
        facts = {"name": joint["name"], "body": body, "at": at.tolist(), "axis": axis.tolist() if turns else None}
        what = {"kind": joint["kind"], "drawn": kind.drawn if kind else "nothing", "a": joint["a"], "b": joint["b"]}
        made = {**facts, **what, "size": 1.7 * self.strut_radius, "foot": self._foot(joint), "span": _span(joint)}
        if what["drawn"] == "rod" and "frame_b" in joint:
            far, end = self._carried(joint["b"], joint["frame_b"][:3])
            made |= {"far": {"body": far, "at": end.tolist()}, "rope": only_pulls(self, joint)}
        return made

    def _foot(self, joint: dict[str, Any]) -> list[float] | None:
        """Where a hinge stands on the ground at rest, in the world; None where it does not."""
        at_rest = self.scene["grounds"].keys() - set(self.moving_grounds)
        if not self.is_hinge(joint) or not {joint["a"], joint["b"]} & at_rest:
            return None
        return [float(x) for x in self.world(joint["a"], joint["position"], self.start)]

    def springs(self) -> list[dict[str, Any]]:
        """Ends of springs, each on what carries it."""
        found = []
        for spring in self.scene["springs"]:
            a, at_a = self._carried(spring["a"], spring["at_a"])
            b, at_b = self._carried(spring["b"], spring["at_b"])
            ends = {"a": a, "at_a": at_a.tolist(), "b": b, "at_b": at_b.tolist()}
            what = {"name": spring["name"], "elastic": spring["elastic"], "bushing": spring.get("bushing", False)}
            found.append({**ends, **what, "most": self._most(spring["name"]), "radius": 3.6 * self.strut_radius})
        return found

    def tyres(self) -> list[dict[str, Any]]:
        """Tyres, each with the number of the body that carries it; older files have none."""
        return [{**tyre, "body": self.index[tyre["body"]]} for tyre in self.scene.get("tyres", [])]

    def _most(self, spring: str) -> float:
        """The largest force of a spring in the run, N; 0 where it was not recorded."""
        name = f"{spring}.force"
        force = self.run[name] if name in self.run else np.zeros(1)
        return float(np.nanmax(np.abs(np.nan_to_num(force, posinf=0.0, neginf=0.0))))

    def _carried(self, name: str, point: Any) -> tuple[int, Floats]:
        """The number of what carries a point, and the point in its frame; -1 and the world where it is at rest."""
        if name in self.index:
            return self.index[name], np.asarray(point, dtype=float)
        return -1, self.world(name, point, self.start)

    def roads(self) -> list[dict[str, Any]]:
        """Strips of road and what stands on grounds at rest, in the world."""
        fixtures = self.scene.get("fixtures", [])
        floor = 0.0 if self.on_floor else None
        found = [self._bounded(facts) for facts in fixtures if not is_floor(facts, floor, 1e-9 * self.size)]
        return found + [road_mesh(road) for road in self.scene.get("roads", [])]

    def fixtures(self, poses: Floats) -> list[dict[str, Any]]:
        """What stands on all grounds, in the world; planes have no end."""
        found = list(self.scene.get("fixtures", []))
        for name in self.moving_grounds:
            pose = self.frame(name, poses)
            found += [moved_facts(facts, pose) for facts in self.scene["grounds"][name].get("shapes", [])]
        return found

    @property
    def on_floor(self) -> bool:
        """Whether nothing reaches below z = 0, which is then the floor."""
        return bool(self.low[2] > -0.03 * self.radius)

    def _bounded(self, facts: dict[str, Any], carrier: Frame | None = None) -> dict[str, Any]:
        """A plane as a sheet under all that is to be seen; any other shape as it is. It is in the carrier's frame."""
        if facts["kind"] != "plane":
            return facts
        middle = (self.low + self.high) / 2
        seen = middle if carrier is None else carrier.inverse().point(middle)
        return sheet(facts, seen, max(float(np.linalg.norm(self.high - self.low)) / 2, self.radius))

    # --- from where to look -------------------------------------------------------------------------------

    def common_axis(self, poses: Floats) -> int | None:
        """0, 1 or 2 where all joints turn about, or slide along, x, y or z; None where they have no such axis."""
        axes = []
        for joint in self.scene["joints"]:
            if joint["kind"] in BALLS:
                return None
            if joint["kind"] in AXES:
                axes.append(self.frame(joint["a"], poses).matrix @ np.asarray(joint["axis"], dtype=float))
        for along in range(3):
            if axes and all(abs(axis[along]) > 1 - 1e-9 for axis in axes):
                return along
        return None

    def look(self) -> tuple[float, float]:
        """Azimuth and elevation of the camera, degrees: nearly along the joints' common axis, if they have one."""
        along = self.common_axis(self.start)
        return OBLIQUE if along is None else NEARLY_ALONG[along]


def _inertia_facts(body: dict[str, Any]) -> dict[str, Any]:
    """Mass, kg, and the uniform ellipsoid of the same inertia: half axes, m, and directions; older files have none."""
    mass = body.get("mass")
    if not mass:
        return {}
    moments, axes = np.linalg.eigh(np.asarray(body["inertia"], dtype=float))
    halves = np.sqrt(np.maximum(0.0, 2.5 * (moments.sum() - 2 * moments) / mass))
    axes[:, 2] *= np.linalg.det(axes)  # a right-handed system
    return {"mass": float(f"{mass:.6g}"), "ellipsoid": [[float(f"{x:.4g}") for x in halves], axes.T.round(5).tolist()]}


def _ground_poses(ground: dict[str, Any], times: Floats) -> Floats:
    """Poses (times, 7) of a ground in motion, between those that the scene keeps."""
    kept = np.hstack([np.asarray(ground["positions"], dtype=float), np.asarray(ground["rotations"], dtype=float)])
    at = np.clip(np.searchsorted(ground["time"], times), 0, len(kept) - 1)
    before = np.maximum(at - 1, 0)
    begin, end = (np.asarray(ground["time"])[rows] for rows in (before, at))
    share = np.clip((times - begin) / np.maximum(end - begin, 1e-300), 0.0, 1.0)[:, None]
    first, second = kept[before], kept[at].copy()
    second[np.sum(first[:, 3:] * second[:, 3:], axis=1) < 0.0, 3:] *= -1.0  # the same turn, on the shorter way
    out = np.asarray((1 - share) * first + share * second)
    out[:, 3:] /= np.linalg.norm(out[:, 3:], axis=1, keepdims=True)
    return out


def _span(joint: dict[str, Any]) -> list[float | None] | None:
    """From and until when a joint holds, s, with None for ever; None where it always does."""
    ends = [end if math.isfinite(end) else None for end in joint.get("span", ())]
    return ends if any(end is not None for end in ends) else None


def holds(span: Sequence[float | None] | None, t: float) -> bool:
    """Whether a joint holds at a time, s.

    >>> holds(None, 1.0), holds([0.5, None], 1.0), holds([None, 0.5], 1.0)
    (True, True, False)
    """
    begin, end = span or (None, None)
    return (begin is None or t >= begin) and (end is None or t < end)

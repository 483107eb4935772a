"""A run made ready to be shown: what stands where, how large it is, and from where to look at it.

Shared by the replay page and the live page. Solids are words (box, rod, pin …) that each page makes into triangles.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import OptionError
from linkwork.model import Frame
from linkwork.model.joint_kinds import drawn_as
from linkwork.simulation.results.scene import need_scene, shape_from
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.viewer.colours import body_colours
from linkwork.viewer.solids import Solid, quads, rod, solid

Floats = NDArray[np.float64]

LOOKS = 24  # rows that are looked at to find the size
HINGES = drawn_as("pin", "ball")
AXES = drawn_as("pin", "guide")
THIN = 0.011  # radius of struts, by the size of the mechanism
WIDE = 0.05  # and at most so much of that of its largest body
SHEET = 1.0  # how far planes are drawn, times all that is to be seen
FAR, ALONE = 2.5, 12.0  # times as wide as it is: then something travels, and is followed; so far if it is alone
COURSE = 2.5  # times as wide as what moves: then what stands is no part of the mechanism


class Stage:
    """The scene of a run with its poses.

    >>> stage = Stage(lw.simulate(lw.gallery.pendulum.build(), until=0.1, method="recursive", dt=0.01))
    >>> stage.names, stage.poses([0]).shape
    (['bob'], (1, 1, 7))
    """

    def __init__(self, run: Trajectory) -> None:
        self.run = run
        self.scene = need_scene(run.scene, run.model_name)
        if len(run) == 0:
            raise OptionError(f"the run of '{run.model_name}' has no rows to show; run it for longer")
        self.seconds = float(run.time[-1])
        self.names: list[str] = []  # of all that moves: bodies, then grounds in motion
        for body in self.scene["bodies"]:
            name = body["name"]
            if f"{name}.position" not in run or f"{name}.rotation" not in run:
                raise OptionError(
                    f"the run of '{run.model_name}' did not record where body '{name}' is; run it again with "
                    "record='all', or with '*.position' and '*.rotation' among the columns"
                )
            self.names.append(name)
        self.movers = [name for name, ground in self.scene["grounds"].items() if self._moves(name, ground)]
        self.names += self.movers
        self.places = {name: k for k, name in enumerate(self.names)}
        self.held = self._held()
        self.standing = self._standing()
        moving = [k for k, name in enumerate(self.names) if name not in {*self.standing, *self.movers}]
        self.led = moving or list(range(len(self.names)))  # what a camera that follows goes by
        self._measure()

    def _moves(self, name: str, ground: dict[str, Any]) -> bool:
        return "time" in ground or (f"{name}.position" in self.run and f"{name}.rotation" in self.run)

    def poses(self, rows: Any) -> Floats:
        """Position and quaternion of all that moves, (rows, things, 7)."""
        rows = np.asarray(rows)
        out = np.zeros((len(rows), len(self.names), 7))
        for k, name in enumerate(self.names):
            ground = self.scene["grounds"].get(name)
            if ground is not None and "time" in ground:
                at = np.clip(np.searchsorted(ground["time"], self.run.time[rows]), 0, len(ground["time"]) - 1)
                out[:, k, :3] = np.asarray(ground["positions"])[at]
                out[:, k, 3:] = np.asarray(ground["rotations"])[at]
            else:
                out[:, k, :3] = self.run[f"{name}.position"][rows]
                out[:, k, 3:] = self.run[f"{name}.rotation"][rows]
        bad = ~np.isfinite(out).all(axis=2)
        out[bad] = (0, 0, 0, 1, 0, 0, 0)  # a run that broke down may end in such a row
        return out

    def _held(self) -> list[dict[str, Any]]:
        """Joints of the scene and those that were attached, each with the times from and until which it holds, s."""
        found = [{**joint, "span": (-math.inf, math.inf)} for joint in self.scene["joints"]]
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

    def _standing(self) -> set[str]:
        """Names of bodies that are fixed to the ground at rest for all the run."""
        still = {name for name in self.scene["grounds"] if name not in self.movers}
        bonds = [joint for joint in self.held if joint["kind"] == "fixed" and joint["span"] == (-math.inf, math.inf)]
        found: set[str] = set()
        for _ in bonds:
            for joint in bonds:
                if {joint["a"], joint["b"]} & (still | found):
                    found |= {joint["a"], joint["b"]} - still
        return found

    def _measure(self) -> None:
        """Size and place: of the mechanism, and of all the room it passes through."""
        rows = np.unique(np.linspace(0, len(self.run) - 1, LOOKS).astype(int))
        poses = self.poses(rows)
        largest = 0.0  # half the diagonal of the largest body
        reach = {stands: np.full((2, len(rows), 3), np.inf) for stands in (False, True)}  # lows, and highs with a minus
        for k, body in enumerate(self.scene["bodies"]):
            local = self._points(body)
            reached = reach[body["name"] in self.standing]
            if body["name"] not in self.standing:
                largest = max(largest, float(np.linalg.norm(np.ptp(local, axis=0))) / 2)
            for row in range(len(rows)):
                world = local @ matrix(poses[row, k, 3:]).T + poses[row, k, :3]
                reached[0, row] = np.minimum(reached[0, row], world.min(axis=0))
                reached[1, row] = np.minimum(reached[1, row], -world.max(axis=0))
        for facts in self.scene.get("fixtures", []):
            if facts["kind"] != "plane":
                points = stage_solid([facts]).points()
                reach[True][0] = np.minimum(reach[True][0], points.min(axis=0))
                reach[True][1] = np.minimum(reach[True][1], -points.max(axis=0))
        lows, highs = np.minimum(reach[False], reach[True]) * np.reshape((1.0, -1.0), (2, 1, 1))
        if np.isfinite(reach[False]).all() and np.ptp((lows, highs), axis=0).max() > COURSE * _widest(reach[False]):
            lows, highs = reach[False] * np.reshape((1.0, -1.0), (2, 1, 1))  # the rest is a course to be driven along
        hinges = [
            joint for joint in self.scene["joints"] if joint["kind"] in HINGES
        ]  # others have no place of their own
        held = [self.world(joint["a"], joint["position"], poses[0]) for joint in hinges]
        held += [self.world(spring["a"], spring["at_a"], poses[0]) for spring in self.scene["springs"]]
        held += [self.world(spring["b"], spring["at_b"], poses[0]) for spring in self.scene["springs"]]
        if not np.isfinite(lows).all():
            lows[:], highs[:] = -0.5, 0.5
        size = float(np.linalg.norm(highs - lows, axis=1).max()) / 2
        near = [point for point in held if np.linalg.norm(point - (lows[0] + highs[0]) / 2) < 6 * size]
        self.low = np.min([*lows, *near], axis=0)
        self.high = np.max([*highs, *near], axis=0)
        room = float(np.linalg.norm(self.high - self.low)) / 2
        alone = len(self.led) == 1  # a ball is small against any way of its own
        self.travels = room > (ALONE if alone else FAR) * size
        self.size = max(size, 1e-6)
        # of a long chain the struts and pins go by its links
        self.thin = min(THIN * self.size, WIDE * largest or np.inf)
        if self.travels:
            self.centre, self.radius = (lows[0] + highs[0]) / 2, 1.3 * self.size
        else:
            self.centre, self.radius = (self.low + self.high) / 2, max(room, 1e-6)
        self.first = poses[0]

    def world(self, name: str, point: Any, poses: Floats) -> Floats:
        """A point of a body or ground in the world, where all that moves has these poses."""
        local = np.asarray(point, dtype=float)
        if name in self.places:
            pose = poses[self.places[name]]
            return np.asarray(matrix(pose[3:]) @ local + pose[:3])
        ground = self.scene["grounds"].get(name)
        if ground is None:  # a border body of a component that lives elsewhere
            return local
        return np.asarray(matrix(np.array(ground["rotation"])) @ local + ground["position"])

    def _points(self, body: dict[str, Any]) -> Floats:
        found = [np.array([body["com"]]), *(np.array([hold]) for hold in body["holds"])]
        found.extend(stage_solid([facts]).points() for facts in _shapes(body))
        return np.concatenate(found)

    # --- what to draw -------------------------------------------------------------------------------------

    def bodies(self) -> list[dict[str, Any]]:
        """Name, colour, centre of mass and solids of all that moves, in the order of `names`."""
        colours = body_colours(body["name"] for body in self.scene["bodies"])
        found = [
            {
                "name": body["name"],
                "colour": colours[body["name"]].round(4).tolist(),
                "com": body["com"],
                "shapes": self._solids(body),
                "led": self.places[body["name"]] in self.led,
                "ground": False,
            }
            for body in self.scene["bodies"]
        ]
        bare: dict[str, Any] = {"colour": [0.6] * 3, "com": [0.0] * 3, "led": False, "ground": True}
        for name in self.movers:
            pose = Frame(self.first[self.places[name], :3], self.first[self.places[name], 3:])
            shapes = [self._ended(facts, pose) for facts in self.scene["grounds"][name].get("shapes", [])]
            found.append({"name": name, **bare, "shapes": shapes})
        return found

    def _solids(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """The shape of a body, and struts to what holds it outside of that."""
        shapes, centre = _shapes(body), body["com"]
        made: list[dict[str, Any]] = list(shapes)
        if any(facts["kind"] == "mesh" for facts in shapes):
            return made
        if body["shape"] is not None:
            centre = body["shape"]["position"]
        elif not shapes:
            ball = {"kind": "sphere", "radius": 2.5 * self.thin, "position": centre, "rotation": [1.0, 0.0, 0.0, 0.0]}
            made.append(ball)
        for hold in body["holds"]:
            far = math.dist(hold, centre) > 1e-9 * self.size
            if far and all(outside(facts, hold) for facts in shapes):
                made.append({"kind": "rod", "from": centre, "to": hold, "radius": self.thin})
        return made

    def marks(self) -> list[dict[str, Any]]:
        """Pins of hinges and balls, each with the number of what carries it; -1 is the world."""
        return [self.mark(joint) for joint in self.held if joint["kind"] in HINGES]

    def mark(self, joint: dict[str, Any]) -> dict[str, Any]:
        """The pin or ball of a joint."""
        body, at = self._carried(joint["a"], joint["position"])
        if joint["kind"] == "ball":
            turn = [1.0, 0.0, 0.0, 0.0]
            shape = {"kind": "sphere", "radius": 1.7 * self.thin, "position": at.tolist(), "rotation": turn}
        else:
            tip = np.add(joint["position"], np.multiply(joint["axis"], 2.6 * self.thin))
            along = self._carried(joint["a"], tip)[1] - at
            ends = ((at - along).tolist(), (at + along).tolist())
            shape = {"kind": "pin", "from": ends[0], "to": ends[1], "radius": 1.35 * self.thin}
        return {"joint": joint["name"], "body": body, "shape": shape, "span": _span(joint)}

    def joints(self) -> list[dict[str, Any]]:
        """Names, points and axes of joints, each with the number of what carries it; -1 is the world."""
        return [self.joint(joint) for joint in self.held if joint["kind"] != "free"]

    def joint(self, joint: dict[str, Any]) -> dict[str, Any]:
        """Where a joint is and how it stands."""
        body, at = self._carried(joint["a"], joint["position"])
        axis = self._carried(joint["a"], np.add(joint["position"], joint["axis"]))[1] - at
        turns = joint["kind"] in AXES
        facts = {"name": joint["name"], "body": body, "at": at.tolist(), "axis": axis.tolist() if turns else None}
        return {**facts, "span": _span(joint)}

    def roads(self) -> list[dict[str, Any]]:
        """Strips of road and what stands on the ground, in the world."""
        fixtures = self.scene.get("fixtures", [])
        floor = 0.0 if self.on_floor else None
        found = [self._ended(facts) for facts in fixtures if not is_floor(facts, floor, 1e-9 * self.size)]
        for road in self.scene.get("roads", []):
            x, y = np.meshgrid(road["x"], road["y"])
            grid = quads(np.stack([x, y, np.asarray(road["z"], dtype=float)], axis=-1), 0)
            turn = [1.0, 0.0, 0.0, 0.0]
            found.append(
                {"kind": "mesh", "triangles": grid.corners[:, ::-1].tolist(), "position": [0.0] * 3, "rotation": turn}
            )
        return found

    @property
    def on_floor(self) -> bool:
        """Whether nothing reaches below z = 0, which is then the floor."""
        return bool(self.low[2] > -0.03 * self.radius)

    def _ended(self, facts: dict[str, Any], carrier: Frame | None = None) -> dict[str, Any]:
        """A plane as a sheet under all that is to be seen; any other shape as it is. It is in the carrier's frame."""
        if facts["kind"] != "plane":
            return facts
        seen = (self.low + self.high) / 2 if carrier is None else carrier.inverse().point((self.low + self.high) / 2)
        return sheet(facts, seen, SHEET * max(float(np.linalg.norm(self.high - self.low)) / 2, self.radius))

    def springs(self) -> list[dict[str, Any]]:
        """Ends of springs, each on what carries it."""
        found = []
        for spring in self.scene["springs"]:
            a, at_a = self._carried(spring["a"], spring["at_a"])
            b, at_b = self._carried(spring["b"], spring["at_b"])
            found.append({"a": a, "at_a": at_a.tolist(), "b": b, "at_b": at_b.tolist(), "radius": 3.6 * self.thin})
        return found

    def _carried(self, name: str, point: Any) -> tuple[int, Floats]:
        """The number of what carries a point, and the point in its frame; -1 and the world where it is at rest."""
        if name in self.places:
            return self.places[name], np.asarray(point, dtype=float)
        return -1, self.world(name, point, self.first)

    def look(self) -> tuple[float, float]:
        """Azimuth and elevation (degrees) of who looks: nearly along the joints' common axis, if they have one."""
        axes = []
        for joint in self.scene["joints"]:
            if joint["kind"] in AXES:
                origin = self.world(joint["a"], joint["position"], self.first)
                axes.append(self.world(joint["a"], np.add(joint["position"], joint["axis"]), self.first) - origin)
        for along, look in ((0, (14.0, 10.0)), (1, (-76.0, 10.0)), (2, (-80.0, 62.0))):
            turning = [axis for axis in axes if abs(axis[along]) > 1 - 1e-9]
            if axes and len(turning) == len(axes):
                return look
        return -60.0, 18.0


def sheet(plane: dict[str, Any], centre: Any, half: float) -> dict[str, Any]:
    """The part of a plane that lies under a point: a square, `half` as wide to each side and as far as the point is.

    It is seen from its front alone: who looks from behind looks through.

    >>> level = {"kind": "plane", "position": [0, 0, 1.0], "rotation": [1, 0, 0, 0]}
    >>> sheet(level, (5, 0, 2), 1.0)["triangles"][0]
    [[3.0, -2.0, 0.0], [7.0, -2.0, 0.0], [7.0, 2.0, 0.0]]
    """
    x, y, high = matrix(plane["rotation"]).T @ np.subtract(centre, plane["position"])
    half += abs(high)
    a, b, c, d = ([float(x + i * half), float(y + j * half), 0.0] for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    return {**plane, "kind": "mesh", "triangles": [[a, b, c], [a, c, d]], "front": True}


def is_floor(facts: dict[str, Any], floor: float | None, tolerance: float = 1e-9) -> bool:
    """Whether a shape is the level plane at the height of the floor, m, where there is one.

    >>> level = {"kind": "plane", "position": [0, 0, 1.0], "rotation": [1, 0, 0, 0]}
    >>> is_floor(level, 1.0), is_floor(level, 0.0), is_floor(level, None)
    (True, False, False)
    """
    level = facts["kind"] == "plane" and matrix(facts["rotation"])[2, 2] > 1 - 1e-12
    return bool(level and floor is not None and abs(facts["position"][2] - floor) < tolerance)


def facing(sheet: dict[str, Any], towards: Floats, pose: Frame | None = None) -> float:
    """How far a sheet is turned towards who looks from a direction: 1 fully, 0 edge on; `pose` is that of its body."""
    normal = matrix(sheet["rotation"])[:, 2]
    return float((normal if pose is None else pose.matrix @ normal) @ towards)


def seen_from(facts: dict[str, Any], towards: Floats, pose: Frame | None = None) -> bool:
    """Whether a shape is seen by who looks from a direction: all but sheets from behind."""
    return not facts.get("front") or facing(facts, towards, pose) > 0.0


def _shapes(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The shape of a body, and those that colliders add."""
    own = [] if body["shape"] is None else [body["shape"]]
    return [*own, *body.get("more", [])]


def _widest(reach: Floats) -> float:
    """The largest extent in any direction at any time, m."""
    return float((-reach[1] - reach[0]).max())


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


def stage_solid(shapes: list[dict[str, Any]]) -> Solid:
    """Solids of the stage as one, in the frame of their body.

    >>> len(stage_solid([{"kind": "box", "size": [1, 1, 1], "position": [0, 0, 0], "rotation": [1, 0, 0, 0]}]).corners)
    12
    """
    made = Solid(np.zeros((0, 3, 3)), np.zeros(0, dtype=np.int64))
    for shape in shapes:
        if shape["kind"] in ("rod", "pin"):
            ends = np.array(shape["from"], dtype=float), np.array(shape["to"], dtype=float)
            made = made + rod(*ends, shape["radius"], closed=shape["kind"] == "pin")
        elif shape["kind"] == "mesh":
            corners = np.asarray(shape["triangles"], dtype=float)
            mesh = Solid(corners, np.zeros(len(corners), dtype=np.int64))
            made = made + mesh.moved(Frame(shape["position"], shape["rotation"]))
        else:
            known = shape_from(shape)
            assert known is not None, shape["kind"]
            made = made + solid(known)
    return made


def matrix(q: Any) -> Floats:
    """The rotation matrix of a quaternion, w first."""
    w, x, y, z = (float(part) for part in q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def outside(facts: dict[str, Any], point: Any) -> bool:
    """Whether a point of the body lies outside its shape.

    >>> ball = {"kind": "sphere", "radius": 1.0, "position": [0, 0, 0], "rotation": [1, 0, 0, 0]}
    >>> outside(ball, [0, 0, 0.9]), outside(ball, [0, 0, 1.1])
    (False, True)
    """
    p = np.abs(matrix(facts["rotation"]).T @ np.subtract(point, facts["position"]))
    match facts["kind"]:
        case "box":
            beyond = float(np.max(p - np.asarray(facts["size"]) / 2))
        case "cylinder":
            beyond = max(math.hypot(p[0], p[1]) - facts["radius"], p[2] - facts["length"] / 2)
        case "capsule":
            beyond = math.hypot(p[0], p[1], max(0.0, p[2] - facts["length"] / 2)) - facts["radius"]
        case "sphere":
            beyond = float(np.linalg.norm(p)) - facts["radius"]
        case _:
            return False
    return beyond > 1e-9


def step_of(value: float) -> float:
    """The nearest of 1, 2, 5 times a power of ten below a value.

    >>> step_of(0.37), step_of(61.0)
    (0.2, 50.0)
    """
    power = 10.0 ** math.floor(math.log10(value))
    return round(max(step * power for step in (1.0, 2.0, 5.0) if step * power <= value * (1 + 1e-9)), 12)

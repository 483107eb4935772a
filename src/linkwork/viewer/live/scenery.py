"""What is seen on the live page: bodies, pins, springs, axes, forces, contacts, trails; each can be switched off.

Everything stands on a stage that moves against a mechanism which is followed. Things of one shape are one batch.
"""

from __future__ import annotations

import math
from collections import deque
from itertools import pairwise
from typing import Any

import numpy as np

from linkwork.viewer.colours import COLOURS, LIGHTER
from linkwork.viewer.live.quaternion_batch import Carried, along
from linkwork.viewer.live.shared_frame import CONTACTS, MEETING, SPARE, TIME, Picture
from linkwork.viewer.solids import Floats, rod
from linkwork.viewer.staging import holds, stage_solid

DARK, AXIS, FORCE, MEET = (45, 45, 48), (150, 60, 112), (176, 44, 0), (0, 84, 160)
ROAD = (205, 205, 198)
SWITCHES = {  # what can be switched, and whether it is on
    "bodies": True,
    "joints": True,
    "springs": True,
    "axes": False,
    "reactions": False,
    "contacts": True,
    "trails": True,
    "grid": True,
}
TRAIL = 900  # points of a trail
ROWS = 16  # of triangles from the top of a ball to its bottom
BALLS = 30_000  # triangles of all balls: many are drawn more coarsely, for machines without a graphics card
NONE = 1e-6  # scale of what is not there
SPRING_ENDS = (("a", "at_a"), ("b", "at_b"))


class Scenery:
    """The scene of a viser server, moved by pictures of the board."""

    def __init__(self, server: Any, show: dict[str, Any]) -> None:
        self.server, self.show = server, show
        view = show["view"]
        self.radius = float(view["radius"])
        self.size = 1.0  # of arrows
        self.follow = bool(view["follow"])
        self.on = dict(SWITCHES)
        self.shift = np.zeros(3)
        self.led = [k for k, body in enumerate(show["bodies"]) if body["led"] and not body["faint"]]
        self.home: Floats | None = None
        self._camera()
        self._light()
        self.stage = server.scene.add_frame("/stage", show_axes=False)
        self._ground()
        self._roads()
        self._bodies()
        self.marks, self.joints = list(show["marks"]), list(show["joints"])
        self.gone: set[str] = set()  # names of joints that were released
        self.other: tuple[list[Any], list[Any]] | None = None  # pins and joints, since some came or went
        self._pins()
        self._joints()
        springs = show["springs"]
        self.ends = [Carried([s[end] for s in springs], [s[at] for s in springs]) for end, at in SPRING_ENDS]
        self.coil_radius = np.array([spring["radius"] for spring in springs])
        self.coils = self._batch("springs", *_coil(8, 0.14), len(show["springs"]), DARK)
        room = len(show["joints"]) + (SPARE if show["span"] is None else 0)
        self.pushes = _Arrows(self, "reactions", room, FORCE)
        self.meetings = _Arrows(self, "contacts", CONTACTS, MEET)
        self.trails: list[_Trail] = []
        for name in SWITCHES:
            self.switch(name, self.on[name])

    # --- building -----------------------------------------------------------------------------------------

    def _camera(self) -> None:
        view, camera = self.show["view"], self.server.initial_camera
        centre = np.array(view["centre"])
        turn, up = math.radians(view["azimuth"]), math.radians(view["elevation"])
        towards = np.array([math.cos(up) * math.cos(turn), math.cos(up) * math.sin(turn), math.sin(up)])
        camera.up, camera.look_at = (0.0, 0.0, 1.0), tuple(centre)
        camera.position, camera.fov = tuple(centre + 3.4 * self.radius * towards), math.radians(38)
        camera.near, camera.far = 0.02 * self.radius, 200 * self.radius

    def _light(self) -> None:
        """Softer than what viser brings, so that colours stay what they are."""
        scene = self.server.scene
        scene.configure_default_lights(enabled=False)
        scene.add_light_hemisphere("/light/sky", sky_color=(255, 255, 255), ground_color=(190, 190, 196), intensity=0.6)
        scene.add_light_directional("/light/sun", intensity=0.95, position=(-0.4, -0.6, 1.0))

    def _ground(self) -> None:
        view = self.show["view"]
        self.cell = 5 * view["cell"]
        self.grid = self.server.scene.add_grid(
            "/grid",
            infinite_grid=True,
            cell_size=view["cell"],
            section_size=self.cell,
            cell_color=(226, 226, 229),
            section_color=(198, 198, 203),
            fade_distance=20 * self.radius,
            position=(0.0, 0.0, view["floor"]),
        )

    def _roads(self) -> None:
        for k, road in enumerate(self.show["roads"]):
            corners = triangles([road]).reshape(-1, 3)
            self.server.scene.add_mesh_simple(
                f"/stage/road {k}",
                corners.astype(np.float32),
                np.arange(len(corners), dtype=np.uint32).reshape(-1, 3),
                color=ROAD,
                flat_shading=True,
                side="front" if road.get("front") else "double",
            )

    def _bodies(self) -> None:
        """Bodies that share their solids are one batch."""
        kinds: dict[str, list[int]] = {}
        for k, body in enumerate(self.show["bodies"]):
            if body["shapes"]:
                kinds.setdefault(repr((body["shapes"], body["faint"])), []).append(k)
        self.groups: list[tuple[Any, list[int]]] = []
        balls = sum(len(stage_solid(body["shapes"]).balls) for body in self.show["bodies"])
        rows = int(np.clip(math.sqrt(BALLS / (4 * max(1, balls))), 7, ROWS))
        for g, members in enumerate(kinds.values()):
            bodies = [self.show["bodies"][k] for k in members]
            colours = np.array([_full(body["colour"]) for body in bodies])
            corners = triangles(bodies[0]["shapes"], rows).reshape(-1, 3)
            faces = np.arange(len(corners)).reshape(-1, 3)
            faint = 0.45 if bodies[0]["faint"] else None
            self.groups.append((self._batch(f"bodies {g}", corners, faces, len(members), colours, faint), members))

    def _pins(self) -> None:
        """Pins are one batch of cylinders, balls one of spheres; each has its place in what carries it."""
        ball = _ball(np.array([0.0, 0, 0, 1])).reshape(-1, 3)
        self.pins: list[tuple[Any, Carried, _Lasting]] = []
        for kind in ("pin", "sphere"):
            marks = [mark for mark in self.marks if mark["shape"]["kind"] == kind]
            shapes = [mark["shape"] for mark in marks]
            radii = np.array([shape["radius"] for shape in shapes])
            if kind == "sphere":
                places, turns = [shape["position"] for shape in shapes], np.tile([1.0, 0, 0, 0], (len(shapes), 1))
                scales = np.tile(radii[:, None], (1, 3)) if shapes else None
                handle = self._batch("balls", ball, np.arange(len(ball)).reshape(-1, 3), len(marks), DARK)
            else:
                ends = np.array([(shape["from"], shape["to"]) for shape in shapes], dtype=float).reshape(-1, 2, 3)
                a, b = ends[:, 0], ends[:, 1]
                length = np.linalg.norm(b - a, axis=1, keepdims=True)
                places, turns = (a + b) / 2, along((b - a) / length)
                scales = np.hstack([radii[:, None], radii[:, None], length]) if shapes else None
                handle = self._rods("pins", len(marks), DARK)
            if handle is not None:
                handle.batched_scales = np.asarray(scales, dtype=np.float32)
                held = Carried([mark["body"] for mark in marks], places, turns)
                self.pins.append((handle, held, _Lasting(scales, marks)))

    def _joints(self) -> None:
        """Where forces act, and axes."""
        joints = self.joints
        self.points = Carried([joint["body"] for joint in joints], [joint["at"] for joint in joints])
        turning = [joint for joint in joints if joint["axis"] is not None and joint["name"] not in self.gone]
        self.axes = Carried(
            [joint["body"] for joint in turning],
            [joint["at"] for joint in turning],
            along([joint["axis"] for joint in turning]),
        )
        self.axis_lines = self._rods("axes", len(turning), AXIS)
        thin = 0.006 * self.radius
        self.axis_spans = _Lasting(np.tile([thin, thin, 0.5 * self.radius], (len(turning), 1)), turning)
        if self.axis_lines is not None:
            self.axis_lines.batched_scales = self.axis_spans.scales

    def _rods(self, name: str, count: int, colour: Any) -> Any:
        """Unit rods along z about the origin."""
        made = rod(np.array([0, 0, -0.5]), np.array([0, 0, 0.5]), 1.0, closed=True).corners.reshape(-1, 3)
        return self._batch(name, made, np.arange(len(made)).reshape(-1, 3), count, colour)

    def _batch(self, name: str, corners: Any, faces: Any, count: int, colour: Any, opacity: Any = None) -> Any:
        if count == 0:
            return None
        return self.server.scene.add_batched_meshes_simple(
            f"/stage/{name}",
            np.asarray(corners, dtype=np.float32),
            np.asarray(faces, dtype=np.uint32),
            np.tile([1.0, 0, 0, 0], (count, 1)),
            np.zeros((count, 3)),
            batched_scales=np.ones((count, 3), dtype=np.float32),
            batched_colors=colour,
            opacity=opacity,
            flat_shading=True,
            side="double",
            lod="off",
        )

    # --- switching ----------------------------------------------------------------------------------------

    def handles(self, name: str) -> list[Any]:
        """The handles behind a switch."""
        made: dict[str, list[Any]] = {
            "bodies": [handle for handle, _ in self.groups],
            "joints": [handle for handle, _, _ in self.pins],
            "springs": [self.coils],
            "axes": [self.axis_lines],
            "trails": [trail.handle for trail in self.trails],
            "grid": [self.grid],
        }
        return [handle for handle in made.get(name, []) if handle is not None]

    def switch(self, name: str, on: bool) -> None:
        """Show something, or not."""
        self.on[name] = on
        for handle in self.handles(name):
            handle.visible = on
        for arrows in {"reactions": [self.pushes], "contacts": [self.meetings]}.get(name, []):
            arrows.switch(False)  # until the next picture has some

    def rearrange(self, gone: list[str], marks: list[Any], joints: list[Any]) -> None:
        """Draw these joints beside those of the model that are not gone, with the next picture."""
        self.gone = set(gone)
        kept = [mark for mark in self.show["marks"] if mark["joint"] not in gone]
        self.other = kept + marks, [*self.show["joints"], *joints][: self.pushes.count]

    def _rearranged(self) -> None:
        """Pins and axes made anew."""
        assert self.other is not None
        (self.marks, self.joints), self.other = self.other, None
        for handle in self.handles("joints") + self.handles("axes"):
            handle.remove()
        self._pins()
        self._joints()
        for name in ("joints", "axes"):
            self.switch(name, self.on[name])

    def trail(self, body: int, point: Any) -> None:
        """Follow a point of a body, in its frame."""
        colour = tuple(int(COLOURS[(3 + len(self.trails)) % len(COLOURS)][k : k + 2], 16) for k in (1, 3, 5))
        self.trails.append(_Trail(self, body, np.asarray(point, dtype=float), colour))

    def clear(self) -> None:
        """Remove all trails."""
        for trail in self.trails:
            trail.handle.remove()
        self.trails = []

    # --- moving -------------------------------------------------------------------------------------------

    def pose(self, seen: Picture) -> None:
        """Everything as the board says it is."""
        poses, t = seen.poses, float(seen.head[TIME])
        if self.other is not None:
            self._rearranged()
        self._follow(poses)
        for handle, members in self.groups:
            _put(handle, poses[members, :3], poses[members, 3:])
        for handle, held, spans in self.pins:
            _put(handle, held.points(poses), held.rotations(poses), spans.at(t))
        if self.coils is not None and self.on["springs"]:
            _put(self.coils, *self._springs(poses))
        if self.axis_lines is not None and self.on["axes"]:
            _put(self.axis_lines, self.axes.points(poses), self.axes.rotations(poses), self.axis_spans.at(t))
        if self.on["reactions"]:
            forces = seen.forces[: len(self.points)]
            self.pushes.show(self.points.points(poses), forces, self.per_newton(forces))
        if self.on["contacts"]:
            met = seen.contacts[: int(seen.head[MEETING])]
            # one body presses on another by its own weight rather than by that of all
            self.meetings.show(met[:, :3], met[:, 3:], len(poses) * self.per_newton(met[:, 3:]))
        for trail in self.trails:
            trail.go(poses, t)

    def per_newton(self, forces: Floats) -> float:
        """Length of an arrow, m for each N: the weight of all is a third of the picture, or else the largest force."""
        largest = float(np.linalg.norm(forces, axis=1).max()) if len(forces) else 0.0
        return self.size * 0.35 * self.radius / (self.show["weight"] or largest or 1.0)

    def _follow(self, poses: Floats) -> None:
        """Move the stage against the middle of what is followed; the grid goes by whole cells."""
        middle = poses[self.led, :3].mean(axis=0) if self.led else np.zeros(3)
        if self.home is None:
            self.home = middle
        shift = middle - self.home if self.follow else np.zeros(3)
        shift[2] = 0.0
        if np.any(shift != self.shift):
            self.shift = shift
            self.stage.position = tuple(-shift)
            rest = np.fmod(shift, self.cell)
            self.grid.position = (-rest[0], -rest[1], self.show["view"]["floor"])

    def _springs(self, poses: Floats) -> tuple[Any, Any, Any]:
        a, b = (end.points(poses) for end in self.ends)
        length = np.maximum(np.linalg.norm(b - a, axis=1), NONE)
        radius = np.maximum(np.minimum(self.coil_radius, 0.2 * length), NONE)
        return a, along((b - a) / length[:, None]), np.stack([radius, radius, length], axis=1)


class _Arrows:
    """Arrows by two batches: shafts and heads."""

    def __init__(self, scenery: Scenery, name: str, count: int, colour: Any) -> None:
        self.count, self.thick = count, 0.011 * scenery.radius
        self.longest = 1.5 * scenery.radius
        self.shafts = scenery._rods(f"{name} shafts", count, colour)
        cone = _cone()
        self.heads = scenery._batch(f"{name} heads", cone, np.arange(len(cone)).reshape(-1, 3), count, colour)
        self.on = True

    def switch(self, on: bool) -> None:
        """Show the arrows or not; those that are not seen cost nothing."""
        if self.shafts is not None and on != self.on:
            self.on = self.shafts.visible = self.heads.visible = on

    def show(self, at: Floats, forces: Floats, per_newton: float) -> None:
        """Arrows from points along forces; the rest is hidden."""
        if self.shafts is None:
            return
        newton = np.linalg.norm(forces, axis=1)
        length = np.minimum(newton * per_newton, self.longest)
        shown = np.flatnonzero(length > 0.2 * self.thick)
        self.switch(len(shown) > 0)
        if len(shown) == 0:
            return
        places, turns = np.zeros((self.count, 3)), np.tile([1.0, 0, 0, 0], (self.count, 1))
        tips = places.copy()
        shafts, heads = np.full((self.count, 3), NONE), np.full((self.count, 3), NONE)
        way, length = forces[shown] / newton[shown, None], length[shown]
        wide = np.minimum(self.thick, 0.15 * length)
        head = np.minimum(5 * wide, 0.6 * length)
        turns[shown] = along(way)
        places[shown] = at[shown] + way * ((length - head) / 2)[:, None]
        tips[shown] = at[shown] + way * (length - head)[:, None]
        shafts[shown] = np.stack([wide, wide, length - head], axis=1)
        heads[shown] = np.stack([2.4 * wide, 2.4 * wide, head], axis=1)
        _put(self.shafts, places, turns, shafts)
        _put(self.heads, tips, turns, heads)


class _Lasting:
    """Sizes of things of which some are there for a time only."""

    def __init__(self, scales: Any, things: list[dict[str, Any]]) -> None:
        self.scales = np.asarray(scales, dtype=np.float32)
        self.spans = [thing["span"] for thing in things]
        self.always = not any(self.spans)

    def at(self, t: float) -> Any:
        """The sizes at a time, s; None where they never change."""
        if self.always:
            return None
        there = np.array([holds(span, t) for span in self.spans])
        return np.where(there[:, None], self.scales, NONE)


class _Trail:
    """The way of a point."""

    def __init__(self, scenery: Scenery, body: int, point: Floats, colour: Any) -> None:
        self.held = Carried([body], [point])
        self.way: deque[Floats] = deque(maxlen=TRAIL)
        self.time = -math.inf
        self.handle = scenery.server.scene.add_line_segments(
            f"/stage/trail {len(scenery.trails)}", np.zeros((1, 2, 3)), colour, visible=scenery.on["trails"]
        )

    def go(self, poses: Floats, t: float) -> None:
        """Go on to where the point is now; a time before the last one begins a new trail."""
        if t < self.time:
            self.way.clear()
        if t != self.time:
            self.way.append(self.held.points(poses)[0])
            self.time = t
        if len(self.way) > 1:
            way = np.array(self.way, dtype=np.float32)
            self.handle.points = np.stack([way[:-1], way[1:]], axis=1)


def _put(handle: Any, places: Any, turns: Any, scales: Any = None) -> None:
    handle.batched_positions = np.asarray(places, dtype=np.float32)
    handle.batched_wxyzs = np.asarray(turns, dtype=np.float32)
    if scales is not None:
        handle.batched_scales = np.asarray(scales, dtype=np.float32)


def _full(colour: Any) -> Any:
    """The colour of a body, which was lightened for paper, for a scene with lights."""
    plain = (np.asarray(colour) - LIGHTER) / (1.0 - LIGHTER)
    return np.clip(255 * (plain + (1 - plain) * 0.1), 0, 255).astype(np.uint8)


# --- shapes -----------------------------------------------------------------------------------------------


def triangles(shapes: list[dict[str, Any]], rows: int = ROWS) -> Floats:
    """Solids of the stage as triangles in the frame of their body, (n, 3, 3).

    >>> triangles([{"kind": "rod", "from": [0, 0, 0], "to": [0, 0, 1], "radius": 0.1}]).shape[1:]
    (3, 3)
    """
    made = stage_solid(shapes)
    return np.concatenate([made.corners, *(_ball(ball, rows) for ball in made.balls)])


def _ball(ball: Floats, rows: int = ROWS) -> Floats:
    """A ball (centre, radius) as triangles, `rows` of them from top to bottom."""
    down = np.linspace(0, math.pi, rows + 1)[:, None]
    round_ = np.linspace(0, 2 * math.pi, 2 * rows + 1)[None, :]
    grid = np.stack([np.sin(down) * np.cos(round_), np.sin(down) * np.sin(round_), np.cos(down) + 0 * round_], axis=-1)
    grid = ball[:3] + ball[3] * grid
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    return np.concatenate([np.stack(three, axis=-2).reshape(-1, 3, 3) for three in ((a, b, c), (a, c, d))])


def _cone(sides: int = 24) -> Floats:
    """A cone along z from 0 to 1 of radius 1: corners (n, 3), three to a face."""
    turn = np.linspace(0, 2 * math.pi, sides + 1)
    rim = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    made = []
    for tip in (np.array([0.0, 0, 1]), np.zeros(3)):
        made += [(a, b, tip) for a, b in pairwise(rim)]
    return np.array(made).reshape(-1, 3)


def _coil(turns: int, wire: float) -> tuple[Any, Any]:
    """A coil along z from 0 to 1 of radius 1: corners and faces."""
    steps, sides = 12 * turns, 6
    s = np.linspace(0, 1, steps + 1)[:, None]
    a, b = 2 * math.pi * turns * s, np.linspace(0, 2 * math.pi, sides, endpoint=False)[None, :]
    out = 1 + wire * np.cos(b)
    corners = np.stack([out * np.cos(a), out * np.sin(a), s + 0.05 * wire * np.sin(b)], axis=-1).reshape(-1, 3)
    faces = []
    for k in range(steps):
        for i in range(sides):
            p, q = k * sides + i, k * sides + (i + 1) % sides
            faces += [(p, q, q + sides), (p, q + sides, p + sides)]
    return corners, np.array(faces)

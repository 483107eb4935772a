"""What is seen on the live page: bodies, pins, springs, axes, forces, contacts, trails; each can be switched off.

Everything stands on a stage that moves against a mechanism which is followed. Things of one shape are one batch.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.viewer.camera import camera_from
from linkwork.viewer.colours import COLOURS, LIGHTER
from linkwork.viewer.live.meshes import ROWS, ball_triangles, coil, triangles
from linkwork.viewer.live.moving_parts import NONE, Arrows, TimedScales, Trail, place
from linkwork.viewer.live.quaternion_batch import BodyPoints, along
from linkwork.viewer.live.shared_frame import CONTACT_COUNT, MOST_CONTACTS, SPARE_JOINTS, TIME, FrameData
from linkwork.viewer.scene_shapes import parts_by_colour, scene_solid
from linkwork.viewer.solids import Floats, rod

DARK, AXIS, FORCE, CONTACT = (45, 45, 48), (150, 60, 112), (176, 44, 0), (0, 84, 160)
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
BALLS = 30_000  # triangles of all balls: many are drawn more coarsely, for machines without a graphics card
SPRING_ENDS = (("a", "at_a"), ("b", "at_b"))


class Scenery:
    """The scene of a viser server, moved by the shared frame."""

    def __init__(self, server: Any, show: dict[str, Any]) -> None:
        self.server, self.show = server, show
        view = show["view"]
        self.radius = float(view["radius"])
        self.size = 1.0  # of arrows
        self.follow = bool(view["follow"])
        self.on = dict(SWITCHES)
        self.shift = np.zeros(3)
        self.followed = [k for k, body in enumerate(show["bodies"]) if body["followed"] and not body["faint"]]
        self.home: Floats | None = None
        self._camera()
        self._light()
        self.stage = server.scene.add_frame("/stage", show_axes=False)
        self._ground()
        self._roads()
        self._bodies()
        self.pin_facts, self.joints = list(show["pins"]), list(show["joints"])
        self.gone: set[str] = set()  # names of joints that were released
        self.changed: tuple[list[Any], list[Any]] | None = None  # pins and joints, since some came or went
        self._pins()
        self._joints()
        springs = show["springs"]
        self.ends = [BodyPoints([s[end] for s in springs], [s[at] for s in springs]) for end, at in SPRING_ENDS]
        self.coil_radius = np.array([spring["radius"] for spring in springs])
        self.coils = self.batch("springs", *coil(8, 0.14), len(show["springs"]), DARK)
        room = len(show["joints"]) + (SPARE_JOINTS if show["span"] is None else 0)
        self.reaction_arrows = Arrows(self, "reactions", room, FORCE)
        self.contact_arrows = Arrows(self, "contacts", MOST_CONTACTS, CONTACT)
        self.trails: list[Trail] = []
        for name in SWITCHES:
            self.switch(name, self.on[name])

    # --- building -----------------------------------------------------------------------------------------

    def _camera(self) -> None:
        view, camera = self.show["view"], self.server.initial_camera
        centre = np.array(view["centre"])
        towards = camera_from(view["azimuth"], view["elevation"])[2]
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
            corners, colour = triangles([road]).reshape(-1, 3), road.get("colour")
            self.server.scene.add_mesh_simple(
                f"/stage/road {k}",
                corners.astype(np.float32),
                np.arange(len(corners), dtype=np.uint32).reshape(-1, 3),
                color=ROAD if colour is None else colour[:3],
                opacity=None if colour is None or colour[3] == 1.0 else colour[3],
                flat_shading=True,
                side="front" if road.get("front") else "double",
            )

    def _bodies(self) -> None:
        """Bodies that share their solids are one batch; what has a colour of its own is another."""
        kinds: dict[str, list[int]] = {}
        parts: list[tuple[int, Any, list[dict[str, Any]]]] = []  # numbers of bodies, colours, shapes
        for k, body in enumerate(self.show["bodies"]):
            for colour, shapes in parts_by_colour(body["shapes"], (*_full(body["colour"]), 1.0)):
                own = "colour" in shapes[0]
                kinds.setdefault(repr((shapes, body["faint"])), []).append(len(parts))
                parts.append((k, np.multiply(colour, (255, 255, 255, 1)) if own else colour, shapes))
        self.groups: list[tuple[Any, list[int]]] = []
        balls = sum(len(scene_solid(body["shapes"]).balls) for body in self.show["bodies"])
        rows = int(np.clip(math.sqrt(BALLS / (4 * max(1, balls))), 7, ROWS))
        for g, members in enumerate(kinds.values()):
            first, colour, shapes = parts[members[0]]
            colours = np.array([parts[k][1][:3] for k in members]).astype(np.uint8)
            corners = triangles(shapes, rows).reshape(-1, 3)
            faces = np.arange(len(corners)).reshape(-1, 3)
            opacity = 0.45 if self.show["bodies"][first]["faint"] else colour[3] if colour[3] < 1.0 else None
            handle = self.batch(f"bodies {g}", corners, faces, len(members), colours, opacity)
            self.groups.append((handle, [parts[k][0] for k in members]))

    def _pins(self) -> None:
        """Pins are one batch of cylinders, balls one of spheres; each has its place in what carries it."""
        ball = ball_triangles(np.array([0.0, 0, 0, 1])).reshape(-1, 3)
        self.pins: list[tuple[Any, BodyPoints, TimedScales]] = []
        for kind in ("pin", "sphere"):
            pins = [pin for pin in self.pin_facts if pin["shape"]["kind"] == kind]
            shapes = [pin["shape"] for pin in pins]
            radii = np.array([shape["radius"] for shape in shapes])
            if kind == "sphere":
                places, turns = [shape["position"] for shape in shapes], np.tile([1.0, 0, 0, 0], (len(shapes), 1))
                scales = np.tile(radii[:, None], (1, 3)) if shapes else None
                handle = self.batch("balls", ball, np.arange(len(ball)).reshape(-1, 3), len(pins), DARK)
            else:
                ends = np.array([(shape["from"], shape["to"]) for shape in shapes], dtype=float).reshape(-1, 2, 3)
                a, b = ends[:, 0], ends[:, 1]
                length = np.linalg.norm(b - a, axis=1, keepdims=True)
                places, turns = (a + b) / 2, along((b - a) / length)
                scales = np.hstack([radii[:, None], radii[:, None], length]) if shapes else None
                handle = self.rods("pins", len(pins), DARK)
            if handle is not None:
                handle.batched_scales = np.asarray(scales, dtype=np.float32)
                held = BodyPoints([pin["body"] for pin in pins], places, turns)
                self.pins.append((handle, held, TimedScales(scales, pins)))

    def _joints(self) -> None:
        """Where forces act, and axes."""
        joints = self.joints
        self.points = BodyPoints([joint["body"] for joint in joints], [joint["at"] for joint in joints])
        turning = [joint for joint in joints if joint["axis"] is not None and joint["name"] not in self.gone]
        self.axes = BodyPoints(
            [joint["body"] for joint in turning],
            [joint["at"] for joint in turning],
            along([joint["axis"] for joint in turning]),
        )
        self.axis_lines = self.rods("axes", len(turning), AXIS)
        thin = 0.006 * self.radius
        self.axis_spans = TimedScales(np.tile([thin, thin, 0.5 * self.radius], (len(turning), 1)), turning)
        if self.axis_lines is not None:
            self.axis_lines.batched_scales = self.axis_spans.scales

    def rods(self, name: str, count: int, colour: Any) -> Any:
        """Unit rods along z about the origin."""
        made = rod(np.array([0, 0, -0.5]), np.array([0, 0, 0.5]), 1.0, closed=True).corners.reshape(-1, 3)
        return self.batch(name, made, np.arange(len(made)).reshape(-1, 3), count, colour)

    def batch(self, name: str, corners: Any, faces: Any, count: int, colour: Any, opacity: Any = None) -> Any:
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
        for arrows in {"reactions": [self.reaction_arrows], "contacts": [self.contact_arrows]}.get(name, []):
            arrows.switch(False)  # until the next picture has some

    def rearrange(self, gone: list[str], pins: list[Any], joints: list[Any]) -> None:
        """Draw these joints beside those of the model that are not gone, with the next picture."""
        self.gone = set(gone)
        kept = [pin for pin in self.show["pins"] if pin["joint"] not in gone]
        self.changed = kept + pins, [*self.show["joints"], *joints][: self.reaction_arrows.count]

    def _rearranged(self) -> None:
        """Pins and axes made anew."""
        assert self.changed is not None
        (self.pin_facts, self.joints), self.changed = self.changed, None
        for handle in self.handles("joints") + self.handles("axes"):
            handle.remove()
        self._pins()
        self._joints()
        for name in ("joints", "axes"):
            self.switch(name, self.on[name])

    def trail(self, body: int, point: Any) -> None:
        """Follow a point of a body, in its frame."""
        colour = tuple(int(COLOURS[(3 + len(self.trails)) % len(COLOURS)][k : k + 2], 16) for k in (1, 3, 5))
        self.trails.append(Trail(self, body, np.asarray(point, dtype=float), colour))

    def clear(self) -> None:
        """Remove all trails."""
        for trail in self.trails:
            trail.handle.remove()
        self.trails = []

    # --- moving -------------------------------------------------------------------------------------------

    def pose(self, seen: FrameData) -> None:
        """Move everything to where the shared frame says."""
        poses, t = seen.poses, float(seen.head[TIME])
        if self.changed is not None:
            self._rearranged()
        self._follow(poses)
        for handle, members in self.groups:
            place(handle, poses[members, :3], poses[members, 3:])
        for handle, held, spans in self.pins:
            place(handle, held.points(poses), held.rotations(poses), spans.at(t))
        if self.coils is not None and self.on["springs"]:
            place(self.coils, *self._springs(poses))
        if self.axis_lines is not None and self.on["axes"]:
            place(self.axis_lines, self.axes.points(poses), self.axes.rotations(poses), self.axis_spans.at(t))
        if self.on["reactions"]:
            forces = seen.forces[: len(self.points)]
            self.reaction_arrows.show(self.points.points(poses), forces, self.per_newton(forces))
        if self.on["contacts"]:
            met = seen.contacts[: int(seen.head[CONTACT_COUNT])]
            # one body presses on another by its own weight rather than by that of all
            self.contact_arrows.show(met[:, :3], met[:, 3:], len(poses) * self.per_newton(met[:, 3:]))
        for trail in self.trails:
            trail.go(poses, t)

    def per_newton(self, forces: Floats) -> float:
        """Length of an arrow, m for each N: the weight of all is a third of the picture, or else the largest force."""
        largest = float(np.linalg.norm(forces, axis=1).max()) if len(forces) else 0.0
        return self.size * 0.35 * self.radius / (self.show["weight"] or largest or 1.0)

    def _follow(self, poses: Floats) -> None:
        """Move the stage against the middle of what is followed; the grid goes by whole cells."""
        middle = poses[self.followed, :3].mean(axis=0) if self.followed else np.zeros(3)
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


def _full(colour: Any) -> Any:
    """The colour of a body, which was lightened for paper, for a scene with lights."""
    plain = (np.asarray(colour) - LIGHTER) / (1.0 - LIGHTER)
    return np.clip(255 * (plain + (1 - plain) * 0.1), 0, 255).astype(np.uint8)

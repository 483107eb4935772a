"""A drawing of a stage: solids on a canvas, and symbols in matplotlib over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.errors import OptionError
from linkwork.model.joints.joint_kinds import drawn_as
from linkwork.viewer.canvas import Canvas
from linkwork.viewer.colours import body_colours
from linkwork.viewer.extent import COURSE, body_points
from linkwork.viewer.pictures import symbols
from linkwork.viewer.scene_shapes import coloured_solids, facing, is_floor, road_grid, scene_solid, sheet
from linkwork.viewer.solids import Floats, Solid, quads, rod
from linkwork.viewer.staging import Stage

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TRACE = "#D55E00"
ROAD, ROD, COLUMN = (0.90, 0.90, 0.87), (0.35, 0.35, 0.38), (0.78, 0.78, 0.76)
SHADOW = (0.87, 0.87, 0.85)
DPI = 150
HELD = drawn_as("pin", "ball", "weld")
GUIDED, RODS, UNDRAWN = drawn_as("guide"), drawn_as("rod"), drawn_as("curve", "nothing")


class Instant(NamedTuple):
    """One pose of all that moves, and the joints that hold then."""

    poses: Floats  # (thing, 7)
    joints: list[dict[str, Any]]


class Drawing:
    """The part of the world in a picture, and how it is drawn.

    `plane` drawings are seen along x, y or z, and have feet and lines where others have columns and sheets. The first
    of the `instants` is drawn in full, the others faintly.
    """

    def __init__(
        self,
        stage: Stage,
        camera: Floats,
        plane: bool,
        floor: float | None,
        size: tuple[float, float],
        instants: Sequence[Instant],
        paths: Sequence[Floats],
    ) -> None:
        self.stage, self.camera, self.plane, self.floor, self.size = stage, camera, plane, floor, size
        self.now, self.ghosts, self.paths = instants[0], instants[1:], [path for path in paths if len(path) > 1]
        self.bodies = stage.scene["bodies"]
        self.colours = body_colours(body["name"] for body in self.bodies)
        self.roads = [road_grid(road) for road in stage.scene["roads"]]
        seen = self._with_fixtures(self._reach(instants))
        self.sheet = np.zeros((0, 3))
        if floor is not None and not plane:
            self.sheet = _floor_under(seen, floor)
            seen = np.concatenate([seen, self.sheet])
        flat = seen @ camera.T
        low, high = flat.min(axis=0), flat.max(axis=0)
        self.extent = float(max(high[0] - low[0], (high[1] - low[1]) * size[0] / size[1], 1e-6))
        self.strut_radius = 0.0045 * self.extent  # as thin as the picture asks for
        self.solids = [self._solids(body) for body in self.bodies]
        margin = (0.045 if len(self.sheet) else 0.07) * self.extent
        low, high = low - margin, high + margin
        self.scale = min(size[0] * DPI / (high[0] - low[0]), size[1] * DPI / (high[1] - low[1]))
        self.middle = camera.T @ ((low + high) / 2)

    # --- what is in the picture ---------------------------------------------------------------------------

    def _reach(self, instants: Sequence[Instant]) -> Floats:
        """Points of all that has to be in the picture, but for what stands on grounds."""
        found: list[Floats] = []
        local = [body_points(body) for body in self.bodies]
        for poses, joints in instants:
            for body, points in zip(self.bodies, local, strict=True):
                pose = self.stage.frame(body["name"], poses)
                found.append(points @ pose.matrix.T + pose.position)
            ends = [(joint["a"], joint["position"]) for joint in joints if joint["kind"] not in UNDRAWN]
            ends += [(spring[end], spring[f"at_{end}"]) for end in "ab" for spring in self.stage.scene["springs"]]
            found += [self.stage.world(name, point, poses)[None] for name, point in ends]
        found += self.paths
        found += [_middle(grid) if self.plane else grid for grid in self.roads]
        return np.concatenate([points.reshape(-1, 3) for points in found])

    def _with_fixtures(self, seen: Floats) -> Floats:
        """Find what stands on grounds, unless it is the floor; returns all points that are to be seen with it."""
        facts = self.stage.fixtures(self.now.poses)
        planes = [fact for fact in facts if fact["kind"] == "plane" and not is_floor(fact, self.floor)]
        self.fixtures = [part for fact in facts if fact["kind"] != "plane" for part in coloured_solids([fact], ROAD)]
        if self.fixtures:
            more = np.concatenate([seen, *(made.points() for _, made in self.fixtures)])
            if np.ptp(more, axis=0).max() <= COURSE * max(np.ptp(seen, axis=0).max(), 1e-9):  # else a course to drive
                seen = more
        self.edges: list[Floats] = []  # of planes that are seen as lines
        low, high = seen.min(axis=0), seen.max(axis=0)
        for plane in planes:
            made = sheet(plane, (low + high) / 2, float(np.linalg.norm(high - low)) / 2)
            part, turned = scene_solid([made]), facing(made, self.camera[2])
            if abs(turned) < 1e-6:
                self.edges.append(part.corners.reshape(-1, 3))
            elif turned > 0.0:
                self.fixtures.append((ROAD, part))
        return seen

    # --- drawing ------------------------------------------------------------------------------------------

    def draw(self, label: str) -> Figure:
        """The figure, with a label in its corner."""
        try:
            from matplotlib.figure import Figure
        except ImportError as error:
            raise OptionError('pictures need matplotlib: pip install "linkwork[plot]"') from error
        figure = Figure(figsize=self.size, dpi=DPI, facecolor="white")
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        half = np.array(self.size) * DPI / self.scale / 2
        axes.set_xlim(-half[0], half[0])
        axes.set_ylim(-half[1], half[1])
        axes.set_axis_off()
        extent = (-half[0], half[0], -half[1], half[1])
        if self.floor is not None:
            self._draw_floor(axes, extent)
        self._draw_roads(axes, extent)
        for k, ghost in enumerate(self.ghosts):
            axes.imshow(self._bodies(ghost, faint=True).image(opacity=0.17), extent=extent, zorder=2 + 0.01 * k)
        for path in self.paths:
            axes.plot(*self._flat(path).T, color=TRACE, linewidth=1.3, alpha=0.75, zorder=3)
        self._draw_supports(axes)
        canvas = self._bodies(self.now)
        axes.imshow(canvas.image(), extent=extent, zorder=5)
        for spring in self.stage.scene["springs"]:
            if spring.get("elastic", True):
                a, b = (self._spot(spring[end], spring[f"at_{end}"]) for end in "ab")
                symbols.spring(axes, a, b, self.extent)
                if spring.get("bushing", False):
                    symbols.bushing(axes, a, self.extent)
        if not self.stage.dressed:
            symbols.hinges(axes, self._visible_hinges(canvas))
        symbols.scale_bar(axes, half, label)
        return figure

    def _flat(self, points: Any) -> Floats:
        """Points of the world in metres to the right and upwards of the middle of the picture."""
        return np.asarray((np.asarray(points, dtype=float) - self.middle) @ self.camera[:2].T)

    def _spot(self, name: str, point: Any) -> Floats:
        """A point of a body or ground now, in the picture."""
        return self._flat(self.stage.world(name, point, self.now.poses))

    def _canvas(self, fine: int = 3) -> Canvas:
        width, height = (round(side * DPI) for side in self.size)
        return Canvas(self.camera, self.middle, self.scale, width, height, fine)

    def _solids(self, body: dict[str, Any]) -> list[tuple[Any, Solid]]:
        """What a body is drawn by: colours and solids."""
        shapes = self.stage.shapes(body, self.strut_radius)
        return coloured_solids(shapes, self.colours[body["name"]])

    def _world(self, k: int, poses: Floats) -> list[tuple[Any, Solid]]:
        pose = self.stage.frame(self.bodies[k]["name"], poses)
        return [(colour, made.moved(pose)) for colour, made in self.solids[k]]

    def _bodies(self, instant: Instant, *, faint: bool = False) -> Canvas:
        canvas = self._canvas(2 if faint else 3)
        for colour, fixture in self.fixtures:
            canvas.put(fixture, colour, -1)  # it hides what is behind it, and is drawn already
        for column in () if faint else self._columns():
            canvas.put(column, COLUMN, len(self.solids))
        for joint in instant.joints:
            if joint["kind"] in RODS and "frame_b" in joint:
                ends = ((joint["a"], joint["position"]), (joint["b"], joint["frame_b"][:3]))
                a, b = (self.stage.world(name, point, instant.poses) for name, point in ends)
                canvas.put(rod(a, b, 1.6 * self.strut_radius), ROD, len(self.solids) + 1)
        parts = [(colour, made, k) for k in range(len(self.bodies)) for colour, made in self._world(k, instant.poses)]
        for colour, made, k in sorted(parts, key=lambda part: -part[0][3]):  # what is transparent comes last
            canvas.put(made, colour, k)
        return canvas

    def _on_ground(self, name: str) -> bool:
        return name in self.stage.scene["grounds"]

    def _columns(self) -> list[Solid]:
        """In space: columns from the floor up to joints with the ground."""
        if self.floor is None or self.plane:
            return []
        found = []
        for joint in self.now.joints:
            if self._on_ground(joint["a"]) and joint["kind"] in HELD:
                top = self.stage.world(joint["a"], joint["position"], self.now.poses)
                if top[2] > self.floor:
                    found.append(rod(np.array([top[0], top[1], self.floor]), top, 0.016 * self.extent, closed=True))
        return found

    def _draw_floor(self, axes: Axes, extent: tuple[float, float, float, float]) -> None:
        """A hatched line seen from the side; in space a sheet with the shadows of the bodies on it."""
        assert self.floor is not None
        if self.plane:
            height = self._flat((*self.middle[:2], self.floor))[1]
            reach = 0.46 * self.extent
            symbols.hatched(axes, np.array([-reach, height]), np.array([reach, height]), self.extent)
            return
        axes.fill(*self._flat(self.sheet).T, facecolor="#F3F3F0", edgecolor="#D5D5D0", linewidth=0.8, zorder=0)
        canvas = self._canvas(2)
        standing = [made for k in range(len(self.solids)) for _, made in self._world(k, self.now.poses)]
        for thing in (*standing, *self._columns()):
            canvas.put(thing.pressed(self.floor), SHADOW, 0, lit=False)
        image = canvas.image()
        image[..., :3] = 0.86
        axes.imshow(image, extent=extent, zorder=1)

    def _draw_roads(self, axes: Axes, extent: tuple[float, float, float, float]) -> None:
        """A line seen from the side, a strip in space; and what stands on grounds."""
        canvas = self._canvas()
        for k, (colour, fixture) in enumerate(self.fixtures):
            canvas.put(fixture, colour, len(self.roads) + k)
        for edge in self.edges:
            symbols.line(axes, self._flat(edge))
        for k, grid in enumerate(self.roads):
            if self.plane:
                symbols.line(axes, self._flat(_middle(grid)))
            else:
                canvas.put(quads(grid, 0), ROAD, k)
        if self.fixtures or (self.roads and not self.plane):
            axes.imshow(canvas.image(), extent=extent, zorder=1.5)

    def _draw_supports(self, axes: Axes) -> None:
        """Feet under joints with a ground, guides of what slides on it, hatched ground at the ends of springs."""
        done: list[Floats] = []
        for joint in self.now.joints:
            grounded = self._on_ground(joint["a"]) or self._on_ground(joint["b"])
            if joint["kind"] in (*UNDRAWN, *RODS) or not grounded:
                continue
            if joint["kind"] in GUIDED:
                symbols.guide(axes, self._flat(self._guide(joint)))
                continue
            spot = self._spot(joint["a"], joint["position"])
            if self.plane and not any(np.allclose(spot, other, atol=1e-3 * self.extent) for other in done):
                done.append(spot)
                symbols.foot(axes, spot, self.extent)
        for spring in self.stage.scene["springs"]:
            for end in "ab":
                if self._on_ground(spring[end]) and self.floor is None:
                    spot, wide = self._spot(spring[end], spring[f"at_{end}"]), np.array([0.022 * self.extent, 0.0])
                    symbols.hatched(axes, spot - wide, spot + wide, self.extent)

    def _guide(self, joint: dict[str, Any]) -> Floats:
        """Two points of the axis on which something slides along the ground, in the world."""
        pose, far = (self.stage.frame(joint[end], self.now.poses) for end in "ab")
        begin, along = pose.point(joint["position"]), pose.matrix @ np.asarray(joint["axis"])
        return np.array([begin, begin + along * float((far.position - begin) @ along) * 1.45])

    def _visible_hinges(self, canvas: Canvas) -> list[tuple[float, float]]:
        """Hinges that are not behind a body."""
        spots = []
        for joint in self.now.joints:
            if not self.stage.is_hinge(joint):
                continue
            x = self.stage.world(joint["a"], joint["position"], self.now.poses)
            right, up, depth = self.camera @ (x - self.middle)
            points = self.scale * canvas.fine
            column = int(canvas.width * canvas.fine / 2 + right * points)
            row = int(canvas.height * canvas.fine / 2 - up * points)
            inside = 0 <= row < canvas.depth.shape[0] and 0 <= column < canvas.depth.shape[1]
            if inside and canvas.depth[row, column] / points > depth + 0.05 * self.extent:
                continue
            spots.append((float(right), float(up)))
        return spots


def _middle(grid: Floats) -> Floats:
    """The line along the middle of a strip of road."""
    return np.asarray(grid[len(grid) // 2])


def _floor_under(seen: Floats, floor: float) -> Floats:
    """Corners of the sheet of floor under points."""
    low, high = seen.min(axis=0), seen.max(axis=0)
    around = 0.06 * float((high - low).max())
    (x0, y0), (x1, y1) = low[:2] - around, high[:2] + around
    return np.array([(x0, y0, floor), (x1, y0, floor), (x1, y1, floor), (x0, y1, floor)])

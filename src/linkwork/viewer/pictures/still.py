"""`still`: one picture of a mechanism at an instant, with faint poses of other instants behind it.

Bodies are drawn by their shapes (thin struts reach out to joints that lie outside a shape), hinges as dots, springs as
zigzags, distances as rods, supports as hatched feet, roads as strips under their tyres, colliders of grounds as pale
solids and sheets. Bodies with alike names share a colour (Okabe and Ito's, lightened). Needs matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.reference import Reference
from linkwork.errors import OptionError
from linkwork.model import Body, Frame, Ground, Joint, Model, Tyre
from linkwork.model.force import Spring
from linkwork.model.joint_kinds import drawn_as
from linkwork.model.shapes import Shape
from linkwork.simulation.analysis.dynamics import forward_kinematics
from linkwork.simulation.results.scene import added_shapes, ground_at, moved_facts, shape_facts
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.simulate import simulate
from linkwork.simulation.start import consistent_start
from linkwork.simulation.storage.files import check_path, writing
from linkwork.viewer.colours import body_colours
from linkwork.viewer.pictures.plots import SUFFIXES
from linkwork.viewer.pictures.strips import strips
from linkwork.viewer.solids import Canvas, Floats, Solid, rod, solid
from linkwork.viewer.staging import COURSE, SHEET, facing, is_floor, outside, sheet, stage_solid

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

View: TypeAlias = Literal["front", "top", "side"] | tuple[float, float]
Trace: TypeAlias = str | tuple[str, Sequence[float]]
Poses: TypeAlias = dict[str, Frame]

TRACE = "#D55E00"
DARK = "#333333"
ROAD, ROD = (0.90, 0.90, 0.87), (0.35, 0.35, 0.38)
DPI = 150
VIEWS = {
    "front": np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]),  # along +y: x to the right, z up
    "top": np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]]),  # from above: x to the right, y up
    "side": np.array([[0, 1.0, 0], [0, 0, 1], [1, 0, 0]]),  # along -x: y to the right, z up
}
DOTTED = drawn_as("pin", "ball")
HELD = drawn_as("pin", "ball", "weld")


def still(
    source: Model | Trajectory,
    *,
    model: Model | None = None,
    time: float = 0.0,
    ghosts: Sequence[float] = (),
    trace: Sequence[Trace] = (),
    view: View | None = None,
    floor: float | None = None,
    size: tuple[float, float] = (6.0, 4.5),
    label: str | None = None,
    file: str | PathLike[str] | None = None,
    **options: Any,
) -> Figure:
    """Draw a mechanism at `time` (s), with faint poses at the times `ghosts` (s).

    `source` is a model, which is run as far as it must with `options` for `simulate`, or a run, with its `model`.
    `trace` draws the path of points: a body's name for its frame, or (name, point in the body frame). `view` is
    "front" (x to the right, z up), "top" (x, y), "side" (y, z) or (azimuth, elevation) in degrees; when not given, a
    plane mechanism is seen along its axes. `floor` draws the ground at that height (m). `size` in inches; `file` is
    png, svg or pdf.

    >>> figure = still(lw.gallery.pendulum.build())
    """
    path = None if file is None else check_path(file, SUFFIXES)
    run, model = _run(source, model, [time, *ghosts], bool(trace), options)
    scene = _Scene(model, run)
    now = scene.at(time)
    camera = _camera(view, scene, now)
    plane = view in VIEWS or (view is None and _plane(scene, now) is not None)
    paths = [scene.path_of(point) for point in trace]
    ghostly = [scene.at(t) for t in ghosts]
    picture = _Picture(scene, camera, plane, floor, size, [now, *ghostly], paths, time)
    when = f"t = {_nearest(run, time):.4g} s" if run is not None else ""
    figure = picture.draw(now, ghostly, paths, when if label is None else label)
    if path is not None:
        with writing(path) as beside:
            figure.savefig(beside, dpi=DPI)
    return figure


def _run(
    source: Model | Trajectory, model: Model | None, times: list[float], trace: bool, options: dict[str, Any]
) -> tuple[Trajectory | None, Model]:
    """The run to take poses from (None for the start of a model), and the model with the shapes."""
    if isinstance(source, Trajectory):
        if model is None:
            raise OptionError("a run does not hold the shapes of its bodies; give still(run, model=...) as well")
        last = float(source.time[-1]) if len(source) else 0.0
        for t in times:
            if not -1e-9 <= t <= last * (1 + 1e-9) + 1e-12:
                raise OptionError(f"the run goes from 0 to {last:g} s and has no pose at {t:g} s; choose another time")
        return source, model
    if not isinstance(source, Model):
        raise OptionError(f"still draws a Model or a run, not {type(source).__name__}")
    if max(times) <= 0.0:
        return None, source
    return simulate(source, until=max(times), **options), source


def _nearest(run: Trajectory | None, t: float) -> float:
    return 0.0 if run is None else float(run.time[int(np.argmin(np.abs(run.time - t)))])


class _Scene:
    """A model's shapes, joint frames and poses."""

    def __init__(self, model: Model, run: Trajectory | None) -> None:
        self.model, self.run = model, run
        self.reference = Reference(model)
        self.bodies = list(model.all_bodies())
        self.springs = [force for force in model.all_forces() if isinstance(force, Spring)]
        self.tyres = [force for force in model.all_forces() if isinstance(force, Tyre)]
        self.joints = [(joint, *self.reference.frames(joint)) for joint in model.all_joints()]
        self.added = added_shapes(model)
        # where joints and springs hold each body, in its own frame
        self.holds: dict[int, list[Floats]] = {}
        for joint, a, b in self.joints:
            if joint.kind in HELD:
                self.holds.setdefault(id(joint.a), []).append(a.position)
                self.holds.setdefault(id(joint.b), []).append(b.position)
        for spring in self.springs:
            self.holds.setdefault(id(spring.a), []).append(spring.at_a)
            self.holds.setdefault(id(spring.b), []).append(spring.at_b)

    def at(self, t: float) -> Poses:
        """Poses of all bodies and grounds at time t, by path."""
        grounds = {ground.path: ground_at(ground, t) for ground in self.model.all_grounds()}
        if self.run is None:
            system = assemble(self.model)
            found = forward_kinematics(system, consistent_start(system).q)
            return grounds | {name: Frame(x, e) for name, (x, e) in found.items()}
        row = int(np.argmin(np.abs(self.run.time - t)))
        return grounds | {
            body.path: Frame(self.run[f"{body.path}.position"][row], self.run[f"{body.path}.rotation"][row])
            for body in self.bodies
        }

    def fixtures(self, poses: Poses) -> list[dict[str, Any]]:
        """Shapes on grounds, in the world."""
        grounds = [ground.path for ground in self.model.all_grounds()]
        return [moved_facts(facts, poses[path]) for path in grounds for facts in self.added.get(path, [])]

    def path_of(self, point: Trace) -> Floats:
        """The way of a point through the whole run, (k, 3)."""
        name, local = (point, (0.0, 0.0, 0.0)) if isinstance(point, str) else point
        if self.run is None:
            return np.zeros((0, 3))
        x, e = self.run[f"{name}.position"], self.run[f"{name}.rotation"]
        w, v = e[:, :1], e[:, 1:]
        p = np.asarray(local, dtype=float)
        twice = 2.0 * np.cross(v, p)
        return np.asarray(x + p + w * twice + np.cross(v, twice))

    def axes(self, poses: Poses) -> list[Floats]:
        """World directions of the joints that turn or slide."""
        found = []
        for joint, a, _ in self.joints:
            if joint.kind in drawn_as("pin", "guide", "ball"):
                found.append((poses[joint.a.path] @ a).matrix[:, 2])
        return found


# --- where to look from -----------------------------------------------------------------------------------


def _plane(scene: _Scene, poses: Poses) -> str | None:
    """The view along the joints' common axis, where they have one along x, y or z."""
    axes = scene.axes(poses)
    for name, along in (("side", 0), ("front", 1), ("top", 2)):
        if axes and all(abs(axis[along]) > 1 - 1e-9 for axis in axes):
            return name
    return None


def _camera(view: View | None, scene: _Scene, poses: Poses) -> Floats:
    if view is None:
        view = _plane(scene, poses) or (-60.0, 18.0)  # type: ignore[assignment]
    if isinstance(view, str):
        if view not in VIEWS:
            raise OptionError(f"unknown view {view!r}; give {', '.join(map(repr, VIEWS))} or (azimuth, elevation)")
        return VIEWS[view]
    assert view is not None
    azimuth, elevation = (math.radians(angle) for angle in view)
    towards = np.array(
        [math.cos(elevation) * math.cos(azimuth), math.cos(elevation) * math.sin(azimuth), math.sin(elevation)]
    )
    right = np.array([-math.sin(azimuth), math.cos(azimuth), 0.0])
    return np.array([right, np.cross(towards, right), towards])


# --- drawing ----------------------------------------------------------------------------------------------


class _Picture:
    """One drawing: the part of the world in it, the canvas, and matplotlib's axes over it."""

    def __init__(
        self,
        scene: _Scene,
        camera: Floats,
        plane: bool,
        floor: float | None,
        size: tuple[float, float],
        poses: list[Poses],
        paths: list[Floats],
        time: float,
    ) -> None:
        self.scene, self.camera, self.plane, self.floor, self.size = scene, camera, plane, floor, size
        self.colours = body_colours(body.path for body in scene.bodies)
        self.thin = 0.0
        self.solids = [self._solid(body) for body in scene.bodies]
        points = [self._world(k, pose).points() for pose in poses for k in range(len(self.solids))]
        for pose in poses:
            held = [(joint, a) for joint, a, _ in scene.joints if joint.kind != "free"]
            points += [pose[joint.a.path].point(a.position)[None] for joint, a in held]
            points += [pose[spring.b.path].point(spring.at_b)[None] for spring in scene.springs]
            points += [pose[spring.a.path].point(spring.at_a)[None] for spring in scene.springs]
        points += [path for path in paths if len(path)]
        self.roads = strips(scene.tyres, poses, time)
        points += [line if plane else strip.points() for line, strip in self.roads]
        seen = np.concatenate([p.reshape(-1, 3) for p in points])
        seen = self._grounds(poses[0], seen)
        self.sheet = np.zeros((0, 3))
        if floor is not None and not plane:
            low, high = seen.min(axis=0), seen.max(axis=0)
            around = 0.06 * float((high - low).max())
            (x0, y0), (x1, y1) = low[:2] - around, high[:2] + around
            self.sheet = np.array([(x0, y0, floor), (x1, y0, floor), (x1, y1, floor), (x0, y1, floor)])
            seen = np.concatenate([seen, self.sheet])
        flat = seen @ camera.T
        low, high = flat.min(axis=0), flat.max(axis=0)
        self.extent = float(max(high[0] - low[0], (high[1] - low[1]) * size[0] / size[1], 1e-6))
        # struts are as thin as the picture asks for; made again now that its extent is known
        self.thin = 0.0045 * self.extent
        self.solids = [self._solid(body) for body in scene.bodies]
        margin = (0.045 if len(self.sheet) else 0.07) * self.extent
        low, high = low - margin, high + margin
        self.scale = min(size[0] * DPI / (high[0] - low[0]), size[1] * DPI / (high[1] - low[1]))
        self.middle = camera.T @ ((low + high) / 2)

    def _grounds(self, poses: Poses, seen: Floats) -> Floats:
        """What stands on grounds, unless it is the floor; returns all points that are to be seen with it."""
        facts = self.scene.fixtures(poses)
        planes = [fact for fact in facts if fact["kind"] == "plane" and not is_floor(fact, self.floor)]
        self.fixtures = [stage_solid([fact]) for fact in facts if fact["kind"] != "plane"]
        if self.fixtures:
            more = np.concatenate([seen, *(made.points() for made in self.fixtures)])
            if np.ptp(more, axis=0).max() <= COURSE * max(np.ptp(seen, axis=0).max(), 1e-9):  # else a course to drive
                seen = more
        self.edges: list[Floats] = []  # of planes that are seen as lines
        low, high = seen.min(axis=0), seen.max(axis=0)
        for plane in planes:
            made = sheet(plane, (low + high) / 2, SHEET * float(np.linalg.norm(high - low)) / 2)
            part, turned = stage_solid([made]), facing(made, self.camera[2])
            if abs(turned) < 1e-6:
                self.edges.append(part.corners.reshape(-1, 3))
            elif turned > 0.0:
                self.fixtures.append(part)
        return seen

    def _solid(self, body: Body) -> Solid:
        """A body's shapes in its own frame, with struts to what holds it."""
        radius = self.thin or 1e-3
        holds, added = self.scene.holds.get(id(body), []), self.scene.added.get(body.path, [])
        more = stage_solid(added)
        if body.shape is None:
            made = more if added else rod(body.com, body.com, 3 * radius)
            return sum((rod(body.com, p, radius) for p in holds if _outside(None, added, p)), made)
        made, centre = solid(body.shape) + more, body.shape.pose.position
        return sum((rod(centre, p, radius) for p in holds if _outside(body.shape, added, p)), made)

    def _world(self, k: int, poses: Poses) -> Solid:
        return self.solids[k].moved(poses[self.scene.bodies[k].path])

    def _flat(self, point: Any) -> Floats:
        """A point of the world in metres to the right and upwards of the middle of the picture."""
        return np.asarray((self.camera @ (np.asarray(point, dtype=float) - self.middle))[:2])

    def _canvas(self, fine: int = 3) -> Canvas:
        width, height = (round(side * DPI) for side in self.size)
        return Canvas(self.camera, self.middle, self.scale, width, height, fine)

    def draw(self, now: Poses, ghosts: list[Poses], paths: list[Floats], label: str) -> Figure:
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
            self._floor(axes, now, extent)
        self._roads(axes, extent)
        for k, poses in enumerate(ghosts):
            axes.imshow(self._bodies(poses, faint=True).image(opacity=0.17), extent=extent, zorder=2 + 0.01 * k)
        for path in paths:
            if len(path):
                way = (path - self.middle) @ self.camera[:2].T
                axes.plot(*way.T, color=TRACE, linewidth=1.3, alpha=0.75, zorder=3)
        self._supports(axes, now)
        canvas = self._bodies(now)
        axes.imshow(canvas.image(), extent=extent, zorder=5)
        self._springs(axes, now)
        self._dots(axes, now, canvas)
        self._scale_bar(axes, half, label)
        return figure

    def _bodies(self, poses: Poses, *, faint: bool = False) -> Canvas:
        canvas = self._canvas(2 if faint else 3)
        for thing in self.fixtures:
            canvas.put(thing, ROAD, -1)  # it hides what is behind it, and is drawn already
        for foot in () if faint else self._columns(poses):
            canvas.put(foot, (0.78, 0.78, 0.76), len(self.solids))
        for joint, a, b in self.scene.joints:
            if joint.kind in drawn_as("rod"):
                ends = poses[joint.a.path].point(a.position), poses[joint.b.path].point(b.position)
                canvas.put(rod(*ends, 1.6 * self.thin), ROD, len(self.solids) + 1)
        for k, body in enumerate(self.scene.bodies):
            canvas.put(self._world(k, poses), self.colours[body.path], k)
        return canvas

    def _columns(self, poses: Poses) -> list[Solid]:
        """In space: columns from the floor up to joints with the ground."""
        if self.floor is None or self.plane:
            return []
        found = []
        for joint, a, _ in self.scene.joints:
            if isinstance(joint.a, Ground) and joint.kind in HELD:
                top = poses[joint.a.path].point(a.position)
                if top[2] > self.floor:
                    found.append(rod(np.array([top[0], top[1], self.floor]), top, 0.016 * self.extent, closed=True))
        return found

    def _floor(self, axes: Axes, poses: Poses, extent: tuple[float, float, float, float]) -> None:
        """A hatched line seen from the side; in space a sheet with the shadows of the bodies on it."""
        assert self.floor is not None
        if self.plane:
            height = self._flat((*self.middle[:2], self.floor))[1]
            reach = 0.46 * self.extent
            self._hatched(axes, np.array([-reach, height]), np.array([reach, height]))
            return
        sheet = np.array([self._flat(corner) for corner in self.sheet])
        axes.fill(*sheet.T, facecolor="#F3F3F0", edgecolor="#D5D5D0", linewidth=0.8, zorder=0)
        canvas = self._canvas(2)
        standing = [self._world(k, poses) for k in range(len(self.solids))]
        for thing in (*standing, *self._columns(poses)):
            canvas.put(thing.pressed(self.floor), (0.87, 0.87, 0.85), 0, lit=False)
        image = canvas.image()
        image[..., :3] = 0.86
        axes.imshow(image, extent=extent, zorder=1)

    def _roads(self, axes: Axes, extent: tuple[float, float, float, float]) -> None:
        """A line seen from the side, a strip in space; and what stands on grounds."""
        canvas = self._canvas()
        for k, thing in enumerate(self.fixtures):
            canvas.put(thing, ROAD, len(self.roads) + k)
        for edge in self.edges:
            axes.plot(*np.array([self._flat(point) for point in edge]).T, color=DARK, linewidth=1.2, zorder=4)
        for k, (line, strip) in enumerate(self.roads):
            if self.plane:
                axes.plot(*np.array([self._flat(point) for point in line]).T, color=DARK, linewidth=1.2, zorder=4)
            else:
                canvas.put(strip, ROAD, k)
        if self.fixtures or (self.roads and not self.plane):
            axes.imshow(canvas.image(), extent=extent, zorder=1.5)

    def _supports(self, axes: Axes, poses: Poses) -> None:
        """Feet under what stands on a ground."""
        done: list[Floats] = []
        for joint, a, b in self.scene.joints:
            if joint.kind in drawn_as("nothing", "rod") or (
                not isinstance(joint.a, Ground) and not isinstance(joint.b, Ground)
            ):
                continue
            if joint.kind in drawn_as("guide"):
                self._guide(axes, poses, joint, a, b)
                continue
            spot = self._flat(poses[joint.a.path].point(a.position))
            if self.plane and not any(np.allclose(spot, other, atol=1e-3 * self.extent) for other in done):
                done.append(spot)
                self._foot(axes, spot)
        for spring in self.scene.springs:
            for body, at in ((spring.a, spring.at_a), (spring.b, spring.at_b)):
                if isinstance(body, Ground) and self.floor is None:
                    spot = self._flat(poses[body.path].point(at))
                    wide = np.array([0.022 * self.extent, 0.0])
                    self._hatched(axes, spot - wide, spot + wide)

    def _foot(self, axes: Axes, spot: Floats) -> None:
        wide, high = 0.018 * self.extent, 0.032 * self.extent
        corners = np.array([spot, spot + (wide, -high), spot + (-wide, -high)])
        axes.fill(*corners.T, facecolor="#EDEDED", edgecolor=DARK, linewidth=0.9, zorder=4)
        self._hatched(axes, corners[2] - (0.35 * wide, 0), corners[1] + (0.35 * wide, 0))

    def _hatched(self, axes: Axes, left: Floats, right: Floats) -> None:
        """A line with strokes below it: ground."""
        axes.plot(*np.array([left, right]).T, color=DARK, linewidth=1.0, zorder=4, solid_capstyle="butt")
        step = 0.0105 * self.extent
        count = max(3, round(float(right[0] - left[0]) / step))
        for x in np.linspace(left[0], right[0], count + 1)[1:]:
            axes.plot([x, x - 0.8 * step], [left[1], left[1] - step], color=DARK, linewidth=0.6, zorder=4)

    def _guide(self, axes: Axes, poses: Poses, joint: Joint, a: Frame, b: Frame) -> None:
        """The axis on which something slides along the ground."""
        frame = poses[joint.a.path] @ a
        along = frame.matrix[:, 2]
        far = poses[joint.b.path].position
        reach = float((far - frame.position) @ along)
        ends = [frame.position, frame.position + along * reach * 1.45]
        line = np.array([self._flat(end) for end in ends])
        axes.plot(*line.T, color="#666666", linewidth=1.0, linestyle=(0, (8, 2, 1.5, 2)), zorder=4.5)

    def _springs(self, axes: Axes, poses: Poses) -> None:
        for spring in self.scene.springs:
            if spring.stiffness == 0.0:
                continue
            start = self._flat(poses[spring.a.path].point(spring.at_a))
            end = self._flat(poses[spring.b.path].point(spring.at_b))
            length = float(np.linalg.norm(end - start))
            if length < 1e-9 * self.extent:
                continue
            along = (end - start) / length
            across = np.array([-along[1], along[0]]) * min(0.016 * self.extent, 0.12 * length)
            way, side = [0.0, 0.12], [0.0, 0.0]
            peaks = 2 * round(np.clip(length / (0.03 * self.extent), 4, 14))
            for k in range(peaks):
                way.append(0.12 + 0.76 * (k + 0.5) / peaks)
                side.append(1.0 if k % 2 == 0 else -1.0)
            way, side = [*way, 0.88, 1.0], [*side, 0.0, 0.0]
            line = start + np.outer(way, along) * length + np.outer(side, across)
            axes.plot(*line.T, color="white", linewidth=2.6, alpha=0.8, zorder=6, solid_joinstyle="round")
            axes.plot(*line.T, color=DARK, linewidth=1.1, zorder=6.1, solid_joinstyle="round")

    def _dots(self, axes: Axes, poses: Poses, canvas: Canvas) -> None:
        """Hinges that are not behind a body."""
        spots = []
        for joint, a, _ in self.scene.joints:
            if joint.kind not in DOTTED:
                continue
            x = poses[joint.a.path].point(a.position)
            right, up, depth = self.camera @ (x - self.middle)
            points = self.scale * canvas.fine
            column = int(canvas.width * canvas.fine / 2 + right * points)
            row = int(canvas.height * canvas.fine / 2 - up * points)
            inside = 0 <= row < canvas.depth.shape[0] and 0 <= column < canvas.depth.shape[1]
            if inside and canvas.depth[row, column] / points > depth + 0.05 * self.extent:
                continue
            spots.append((right, up))
        if spots:
            axes.plot(
                *np.array(spots).T,
                linestyle="",
                marker="o",
                markersize=4.6,
                markerfacecolor="white",
                markeredgecolor=DARK,
                markeredgewidth=1.0,
                zorder=7,
            )

    def _scale_bar(self, axes: Axes, half: Floats, label: str) -> None:
        wanted = 0.2 * 2 * half[0]
        power = 10.0 ** math.floor(math.log10(wanted))
        length = max(step * power for step in (1.0, 2.0, 5.0) if step * power <= wanted)
        left, low = -half[0] * 0.955, -half[1] * 0.93
        tick = 0.012 * half[1]
        grey = "#555555"
        axes.plot([left, left + length], [low, low], color=grey, linewidth=1.2, zorder=8, solid_capstyle="butt")
        for x in (left, left + length):
            axes.plot([x, x], [low - tick, low + tick], color=grey, linewidth=1.2, zorder=8)
        words = f"{length:g} m" if length >= 0.1 else f"{1000 * length:g} mm"
        axes.text(left + length / 2, low + 2 * tick, words, color=grey, fontsize=8, ha="center", va="bottom", zorder=8)
        axes.text(half[0] * 0.955, low, label, color=grey, fontsize=9, ha="right", va="center", zorder=8)


def _outside(shape: Shape | None, more: list[dict[str, Any]], point: Floats) -> bool:
    """Whether a point of a body lies outside its shape, and those that colliders add."""
    own = None if shape is None else shape_facts(shape)
    return all(outside(facts, point) for facts in ([own] if own else []) + more)

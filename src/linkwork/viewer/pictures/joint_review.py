"""Joints to look at: an assembly in its reference pose, drawn pale, with the axes of numbered joints over it."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.model import Frame, Model
from linkwork.model.checked import VectorLike
from linkwork.simulation.results.scene.scene import scene_of
from linkwork.simulation.storage.files import check_path, writing
from linkwork.viewer.camera import OBLIQUE, VIEWS, camera_from
from linkwork.viewer.pictures.drawing import DPI, Drawing, Instant
from linkwork.viewer.pictures.plots import SUFFIXES
from linkwork.viewer.pictures.still import View
from linkwork.viewer.solids import Floats
from linkwork.viewer.staging import Stage

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LENGTH = 0.11  # of the picture's width: half an axis
COLOURS = {
    "fixed": "#555555",
    "revolute": "#D55E00",
    "cylindrical": "#CC79A7",
    "prismatic": "#0072B2",
    "planar": "#009E73",
    "ball": "#E69F00",
}
MARKERS = {"fixed": "s", "ball": "o", "planar": "D"}
OTHER = "#000000"
APART = 0.03  # of the picture's width: labels nearer than this move on


class JointMark(NamedTuple):
    """A joint in the picture: its number, kind, point (m, world), axis or None, and whether it is accepted."""

    number: int
    kind: str
    at: VectorLike
    axis: VectorLike | None
    accept: bool


def review(
    model: Model,
    marks: Sequence[JointMark],
    *,
    view: View | None = None,
    size: tuple[float, float] = (8.0, 6.0),
    file: str | PathLike[str] | None = None,
) -> Figure:
    """Draw a model as its bodies stand in the reference configuration, with marks for joints.

    Joints that turn or slide have their axis, others a dot; those that are not accepted are drawn faintly. `view` is
    "front", "top", "side" or (azimuth, elevation) in degrees. `size` in inches; `file` is png, svg or pdf.

    >>> model = lw.Model("door")
    >>> door = model.body("door", mass=20.0, shape=lw.Box((0.9, 0.04, 2.0)), position=(0.45, 0, 0))
    >>> figure = review(model, [JointMark(1, "revolute", (0, 0, 0), (0, 0, 1), True)])
    """
    path = None if file is None else check_path(file, SUFFIXES)
    columns: dict[str, Any] = {}
    for body in model.all_bodies():
        pose = body.owner.world @ (body.reference or Frame())
        columns |= {f"{body.path}.position": [pose.position], f"{body.path}.rotation": [pose.rotation]}
    scene = scene_of(model, 0.0)
    scene["roads"] = []
    stage = Stage.from_poses(model.name, scene, [0.0], columns)
    camera = VIEWS[view] if isinstance(view, str) else camera_from(*(OBLIQUE if view is None else view))
    instant = Instant(stage.poses([0])[0], [])
    drawing = _Review(stage, camera, False, None, size, [instant], [])
    figure = drawing.draw(model.name)
    drawing.put_marks(figure, marks)
    if path is not None:
        with writing(path) as beside:
            figure.savefig(beside, dpi=DPI)
    return figure


class _Review(Drawing):
    """A drawing with marks of joints over it."""

    def put_marks(self, figure: Figure, marks: Sequence[JointMark]) -> None:
        """Draw them over the bodies, which become pale."""
        (axes,) = figure.axes
        for image in axes.images:
            image.set_alpha(0.55)
        reach = LENGTH * self.extent
        taken: list[Floats] = []
        for mark in marks:
            colour, strength = COLOURS.get(mark.kind, OTHER), 1.0 if mark.accept else 0.35
            at = np.asarray(mark.at, dtype=float)
            spot = self._flat(at)
            if mark.axis is not None:
                along = reach * np.asarray(mark.axis, dtype=float)
                ends = self._flat(np.array([at - along, at + along]))
                style = (0, (6, 2)) if mark.kind == "cylindrical" else "solid"
                axes.plot(*ends.T, color="white", linewidth=4.0, alpha=0.8 * strength, zorder=9)
                axes.plot(*ends.T, color=colour, linewidth=1.8, alpha=strength, linestyle=style, zorder=9.1)
                if mark.kind == "prismatic":
                    for end, other in (ends, ends[::-1]):
                        axes.annotate("", end, other, arrowprops={"arrowstyle": "->", "color": colour}, zorder=9.1)
            marker = MARKERS.get(mark.kind, "o")
            axes.plot(*spot, marker=marker, color=colour, markersize=5, alpha=strength, zorder=9.2)
            place = self._free_place(spot, taken)
            box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": colour, "linewidth": 0.8}
            axes.plot(*np.array([spot, place]).T, color=colour, linewidth=0.6, alpha=strength, zorder=9.05)
            axes.text(
                float(place[0]),
                float(place[1]),
                f"{mark.number}",
                fontsize=7,
                ha="center",
                va="center",
                alpha=strength,
                bbox=box,
                zorder=9.3,
            )
        self._legend(figure, marks)

    def _free_place(self, spot: Floats, taken: list[Floats]) -> Floats:
        """A place for a label near a spot, away from those that are there already."""
        near = APART * self.extent
        for k in range(1, 60):
            angle = 2.4 * k  # a spiral
            place = spot + near * (0.8 + 0.25 * k) * np.array([np.cos(angle), np.sin(angle)])
            if all(float(np.abs(place - other).max()) > near for other in taken):
                break
        taken.append(place)
        return np.asarray(place)

    def _legend(self, figure: Figure, marks: Sequence[JointMark]) -> None:
        (axes,) = figure.axes
        left, high = axes.get_xlim()[0], axes.get_ylim()[1]
        for k, kind in enumerate(dict.fromkeys(mark.kind for mark in marks)):
            count = sum(mark.kind == kind for mark in marks)
            place = (0.955 * left, high * (0.93 - 0.06 * k))
            axes.text(*place, f"{kind}: {count}", color=COLOURS.get(kind, OTHER), fontsize=9, va="center", zorder=9.3)

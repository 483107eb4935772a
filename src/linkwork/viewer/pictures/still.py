"""`still`: one picture of a mechanism at an instant, with faint poses of other instants behind it.

Bodies are drawn by their shapes (thin struts reach out to joints that lie outside a shape), hinges as dots, springs as
zigzags, distances as rods, supports as hatched feet, roads as strips under their tyres, colliders of grounds as pale
solids and sheets. Bodies with alike names share a colour (Okabe and Ito's, lightened). Needs matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from linkwork.assembly.assemble import assemble
from linkwork.errors import OptionError
from linkwork.model import Model
from linkwork.simulation.analysis.dynamics import forward_kinematics
from linkwork.simulation.results.scene.scene import road_strips, scene_of
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.simulate import simulate
from linkwork.simulation.starts.start import consistent_start
from linkwork.simulation.storage.files import check_path, writing
from linkwork.viewer.camera import ALONG, OBLIQUE, VIEWS, camera_from
from linkwork.viewer.pictures.drawing import DPI, Drawing, Instant
from linkwork.viewer.pictures.plots import SUFFIXES
from linkwork.viewer.solids import Floats
from linkwork.viewer.staging import Stage

if TYPE_CHECKING:
    from matplotlib.figure import Figure

View: TypeAlias = Literal["front", "top", "side"] | tuple[float, float]
Trace: TypeAlias = str | tuple[str, Sequence[float]]

BESIDE = 0.25  # m of road beside the wheels


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
    times = [time, *ghosts]
    run, model = _run(source, model, times, options)
    stage = _stage(model, run, times)
    instants = [_instant(stage, t) for t in times]
    camera, plane = _camera(view, stage.common_axis(instants[0].poses))
    paths = [stage.path(*((point,) if isinstance(point, str) else point)) for point in trace]
    when = f"t = {run.time[stage.row(time)]:.4g} s" if run is not None else ""
    drawing = Drawing(stage, camera, plane, floor, size, instants, paths)
    figure = drawing.draw(when if label is None else label)
    if path is not None:
        with writing(path) as beside:
            figure.savefig(beside, dpi=DPI)
    return figure


def _run(
    source: Model | Trajectory, model: Model | None, times: list[float], options: dict[str, Any]
) -> tuple[Trajectory | None, Model]:
    """The run to take poses from (None for the start of a model), and the model with the shapes."""
    if isinstance(source, Trajectory):
        if model is None:
            raise OptionError("a still of a run needs its model, for the roads there; give still(run, model=...)")
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


def _stage(model: Model, run: Trajectory | None, times: list[float]) -> Stage:
    """The stage of a run, or of the start of a model, with roads under the wheels at these times only."""
    scene = scene_of(model, max(times))
    if run is None:
        system = assemble(model)
        found = forward_kinematics(system, consistent_start(system).q)
        columns = {f"{name}.position": [x] for name, (x, _) in found.items()}
        columns |= {f"{name}.rotation": [e] for name, (_, e) in found.items()}
        scene["roads"] = road_strips(model, times[0], columns, beside=BESIDE)
        return Stage.from_poses(model.name, scene, [0.0], columns)
    stage = Stage(run, scene)
    rows = [stage.row(t) for t in times]
    tracks = {name: run[name][rows] for name in run if name.endswith((".position", ".rotation"))}
    stage.scene["roads"] = road_strips(model, times[0], tracks, beside=BESIDE)
    return stage


def _instant(stage: Stage, t: float) -> Instant:
    return Instant(stage.poses([stage.row(t)])[0], stage.joints_at(t))


def _camera(view: View | None, axis: int | None) -> tuple[Floats, bool]:
    """The camera, and whether it looks along x, y or z; `axis` is that of the joints, where they have one."""
    if view is None:
        return (camera_from(*OBLIQUE), False) if axis is None else (VIEWS[ALONG[axis]], True)
    if not isinstance(view, str):
        return camera_from(*view), False
    if view not in VIEWS:
        raise OptionError(f"unknown view {view!r}; give {', '.join(map(repr, VIEWS))} or (azimuth, elevation)")
    return VIEWS[view], True

"""`replay`: recorded runs as one HTML file that plays in any browser with WebGL, from disk, without a network.

The page (folder `page`, see `page_text.py`) is written into the file together with shapes, poses and columns to plot;
its policy forbids it to ask any host for anything. Poses are thinned to what an eye can tell and packed (`packing.py`);
the page goes between them smoothly.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import OptionError
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.storage.files import check_path, write_file
from linkwork.viewer.colours import COLOURS, rgb
from linkwork.viewer.mode_shapes import ModeShapes
from linkwork.viewer.page_text import page_text
from linkwork.viewer.replay.packing import Packer
from linkwork.viewer.replay.plotted import ROOM, plotted
from linkwork.viewer.replay.pressed import pressed
from linkwork.viewer.replay.shared_joints import shared_joints
from linkwork.viewer.replay.trust import trust
from linkwork.viewer.round_numbers import step_of
from linkwork.viewer.staging import Stage

if TYPE_CHECKING:
    from linkwork.simulation.analysis.linear.modes import Modes

FRAMES_PER_SECOND = 60
LEAST_FRAMES = 900  # of a short run, which is watched slowly
MOST_FRAMES = 20_000
MOST_NUMBERS = 25_000_000  # in one file
PRECISION = 2.0**-20, 2.0**-19  # of positions, by the radius of what is seen, and of quaternions
SECONDS_TO_WATCH = 6.0  # of a run too short or too long to be watched as it is
TINTS = (COLOURS[0], COLOURS[1], COLOURS[2], COLOURS[5])


def replay(
    runs: Trajectory | Sequence[Trajectory],
    file: str | PathLike[str],
    *,
    labels: Sequence[str] | None = None,
    title: str | None = None,
    playing: bool = True,
    modes: Modes | None = None,
) -> None:
    """Write runs to one self-contained `.html` file; several are laid over each other, each in its own colour.

    `labels` name the runs in the legend, their methods when not given. `modes` are those of the model: a list to choose
    from. See `Trajectory.replay`.
    """
    path = check_path(file, (".html", ".htm"))
    facts = None if modes is None else ModeShapes(modes).facts()
    text = page(runs, labels=labels, title=title, playing=playing, modes=facts)
    write_file(path, lambda stream: stream.write(text.encode()))


def page(
    runs: Trajectory | Sequence[Trajectory],
    *,
    labels: Sequence[str] | None = None,
    title: str | None = None,
    playing: bool = True,
    mode: str = "replay",
    look: tuple[float, float] | None = None,
    modes: dict[str, Any] | None = None,
) -> str:
    """The text of the page that `replay` writes.

    `mode` "film" is a page that shows one picture after the other (see `pictures/page_film.py`). `look` is from where:
    azimuth and elevation, degrees. `modes` are shapes to swing in (see `mode_shapes.py`).

    >>> run = lw.simulate(lw.gallery.pendulum.build(), until=0.1, method="recursive", dt=0.01)
    >>> page(run).startswith("<!doctype html>")
    True
    """
    several = list(runs) if isinstance(runs, Sequence) else [runs]
    if not several or not all(isinstance(run, Trajectory) for run in several):
        raise OptionError("replay shows a run or a list of runs; give what lw.simulate or lw.load_run returned")
    if len(several) > len(TINTS):
        raise OptionError(f"{len(several)} runs over each other cannot be told apart; give {len(TINTS)} at most")
    if labels is not None and len(labels) != len(several):
        raise OptionError(f"{len(labels)} labels were given for {len(several)} runs; give one label for each")
    words = list(labels) if labels is not None else _labels(several)
    stages = [Stage(run) for run in several]
    if modes is not None and modes["names"] != stages[0].names:
        raise OptionError(f"the modes are those of another model than '{several[0].model_name}'; give those of its own")
    rows = [_thinned(run, len(stage.names)) for run, stage in zip(several, stages, strict=True)]
    packer = Packer()
    data = {
        "mode": mode,
        "title": several[0].model_name if title is None else title,
        "speed": speed_to_watch(max(run.time[-1] for run in several)),
        "playing": playing,
        "view": view_of(stages, look),
        "runs": [
            _facts(packer, run, stage, kept, (word, tint), ROOM // len(several))
            for run, stage, kept, word, tint in zip(several, stages, rows, words, TINTS, strict=False)
        ],
        **({} if modes is None else {"modes": modes}),
    }
    return page_text({**data, "block": packer.block()})


def inline(text: str, height: int = 520) -> str:
    """The page in a frame, for the cell of a notebook."""
    return (
        f'<iframe srcdoc="{html.escape(text, quote=True)}" sandbox="allow-scripts allow-downloads" '
        f'style="width: 100%; height: {height}px; border: 1px solid #ddd;"></iframe>'
    )


@dataclass(frozen=True)
class Inline:
    """A page that a notebook shows in its cell."""

    page: str
    height: int = 520

    def __repr__(self) -> str:
        return f"<a replay of {len(self.page) / 1e6:.1f} MB; a notebook shows it>"

    def _repr_html_(self) -> str:
        return inline(self.page, self.height)


def _labels(runs: list[Trajectory]) -> list[str]:
    made = []
    for k, run in enumerate(runs):
        facts = run.certificate
        words = [facts.method, facts.integrator, f"dt = {facts.dt:g} s" if facts.dt else ""]
        label = ", ".join(word for word in words if word) or f"run {k + 1}"
        made.append(label if label not in made else f"{label} ({k + 1})")
    return made


def _thinned(run: Trajectory, bodies: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Rows to show: evenly over time, first and last among them."""
    span = float(run.time[-1] - run.time[0])
    room = max(2, MOST_NUMBERS // (7 * max(1, bodies)))
    wanted = min(max(LEAST_FRAMES, math.ceil(FRAMES_PER_SECOND * span)), MOST_FRAMES, room)
    if len(run) <= wanted:
        rows = np.arange(len(run))
    else:
        rows = np.searchsorted(run.time, np.linspace(run.time[0], run.time[-1], wanted) - 1e-12)
    rows = np.unique(np.clip(rows, 0, len(run) - 1))
    later = np.concatenate([[True], np.diff(run.time[rows]) > 0.0])  # an event has two rows at one time
    return np.asarray(rows[later], dtype=np.int64)


def speed_to_watch(seconds: float) -> float:
    """1 where a run can be watched as it is, else so that it takes some seconds.

    >>> speed_to_watch(10.0), speed_to_watch(0.03)
    (1.0, 0.005)
    """
    if not 0.0 < seconds < 2.0 and seconds <= 120.0:
        return 1.0
    return step_of(seconds / SECONDS_TO_WATCH) if seconds > 0.0 else 1.0


def view_of(stages: list[Stage], look: tuple[float, float] | None = None) -> dict[str, Any]:
    """Where to look from first, the height of the floor and the size of its grid."""
    first = stages[0]
    low = min(stage.low[2] for stage in stages)
    # the floor is z = 0 where nothing reaches below it
    floor = 0.0 if low > -0.03 * first.radius else low - 0.05 * first.radius
    span = max(stage.seconds for stage in stages)
    azimuth, elevation = first.look() if look is None else look
    return {
        "centre": first.centre.tolist(),
        "radius": first.radius,
        "azimuth": azimuth,
        "elevation": elevation,
        "floor": floor,
        "cell": step_of(first.radius / 6.0),
        "follow": first.travels,
        "down": _down(first.scene.get("gravity", (0.0, 0.0, 0.0))),
        "digits": int(np.clip(2 - math.floor(math.log10(max(span, 1e-9))), 2, 6)),
    }


def _down(gravity: Any) -> list[float]:
    """The direction of gravity; along z where there is none."""
    size = math.hypot(*gravity)
    return [x / size for x in gravity] if size > 0.0 else [0.0, 0.0, -1.0]


def _facts(
    packer: Packer, run: Trajectory, stage: Stage, rows: Any, told: tuple[str, str], room: int
) -> dict[str, Any]:
    label, tint = told
    poses = stage.poses(rows).reshape(len(rows), -1)
    steps = [PRECISION[0] * stage.radius] * 3 + [PRECISION[1]] * 4
    bodies = [{**body, "shapes": [_packed(shape, packer) for shape in body["shapes"]]} for body in stage.bodies()]
    return {
        "label": label,
        "tint": rgb(tint, 0.2).round(4).tolist(),
        "time": packer.plain(run.time[rows], "f8"),
        "poses": packer.smooth(poses, steps),
        "bodies": bodies,
        "pins": stage.pins(),
        "joints": stage.joints(),
        "springs": stage.springs(),
        "tyres": stage.tyres(),
        "roads": [_packed(shape, packer) for shape in stage.roads()],
        "events": [
            {"time": change.time, "what": change.what, "part": change.joint, "energy": change.energy}
            for change in run.events
        ],
        "trust": trust(run),
        "shared": shared_joints(stage.scene["joints"], run.certificate.redundant_rows),
        **plotted(run, stage, packer, room),
        **pressed(run, packer),
    }


def _packed(shape: dict[str, Any], packer: Packer) -> dict[str, Any]:
    """A mesh with its corners in the block; any other shape as it is."""
    kinds = {"points": "f4", "faces": "i4", "triangles": "f4"}
    return {key: packer.once(fact, kinds[key]) if key in kinds else fact for key, fact in shape.items()}

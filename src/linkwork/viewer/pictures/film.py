"""`film`: a recorded run as a picture (png), an animated picture (gif) or a film (mp4), drawn without a browser.

Bodies are drawn as in `still`, from the run alone: it holds its shapes. A gif needs pillow, which comes with
matplotlib; an mp4 needs the program ffmpeg, that of the system or the one that the extra `film` brings.
"""

from __future__ import annotations

import importlib
import math
import shutil
import subprocess
from importlib.util import find_spec
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import OptionError, RunError
from linkwork.model import Frame
from linkwork.model.checked import shown
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.storage.files import check_path, writing
from linkwork.viewer.camera import camera_from
from linkwork.viewer.canvas import Canvas
from linkwork.viewer.scene_shapes import coloured_solids, scene_solid, seen_from
from linkwork.viewer.solids import Floats, Solid, rod
from linkwork.viewer.staging import Stage, holds

SUFFIXES = (".png", ".gif", ".mp4")
MOST = 3000  # frames
DARK = (0.18, 0.18, 0.19)
ROAD = (0.88, 0.88, 0.85)
SHADOW = (0.9, 0.9, 0.89)


def film(
    run: Trajectory,
    file: str | PathLike[str],
    *,
    time: float | None = None,
    speed: float = 1.0,
    fps: int = 20,
    width: int = 480,
) -> None:
    """Draw a run to `file`: `.png` at `time` (s, the end when not given), `.gif` or `.mp4` from its start to its end.

    `speed` is simulated seconds in a second, `fps` pictures in a second, `width` in points; height is three quarters.

    >>> run = lw.simulate(lw.gallery.pendulum.build(), until=0.1, method="recursive", dt=0.01)
    >>> film(run, "pendulum.gif", fps=10)  # doctest: +SKIP
    """
    path = check_path(file, SUFFIXES)
    for name, value, least in (("speed", speed, 1e-9), ("fps", fps, 1), ("width", width, 80)):
        if not isinstance(value, int | float) or not math.isfinite(value) or value < least:
            raise OptionError(f"{name} of a film must be a number from {least:g} on, not {shown(value)}; correct it")
    Image = _pillow()
    drawn = _Film(Stage(run), int(width))
    begin, end = float(run.time[0]), float(run.time[-1])
    if path.suffix.lower() == ".png":
        when = end if time is None else time
        if not begin - 1e-9 <= when <= end + 1e-9:
            raise OptionError(f"the run goes from {begin:g} to {end:g} s, not to {when:g} s; give another time=")
        image = Image.fromarray(drawn.frame(when))
        with writing(path) as beside:
            image.save(beside)
        return
    count = math.floor((end - begin) / speed * fps + 1e-9) + 1
    if count > MOST:
        raise OptionError(f"the film would have {count} pictures, more than {MOST}; give a larger speed= or fewer fps=")
    times = begin + np.arange(count) * speed / fps
    if path.suffix.lower() == ".gif":
        _gif(Image, path, [drawn.frame(float(t)) for t in times], fps)
    else:
        _mp4(path, drawn, times, fps)


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise OptionError('films need pillow: pip install "linkwork[plot]"') from error
    return Image


def _gif(Image: Any, path: Path, frames: list[Any], fps: int) -> None:
    """All pictures in the colours of the one with the most of them, so that nothing flickers."""
    images = [Image.fromarray(frame) for frame in frames]
    palette = max(images, key=lambda image: len(image.getcolors(1 << 24))).quantize(128)
    indexed = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    first, rest = indexed[0], indexed[1:]
    hundredths = max(2, round(100 / fps))  # what the format counts in
    with writing(path) as beside:
        first.save(beside, save_all=True, append_images=rest, duration=10 * hundredths, loop=0)


def ffmpeg() -> str | None:
    """The program ffmpeg: of the system, else of the package imageio-ffmpeg; None where there is neither."""
    program = shutil.which("ffmpeg")
    if program is not None or find_spec("imageio_ffmpeg") is None:
        return program
    try:
        return str(importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except RuntimeError:  # the package came without the program
        return None


def _mp4(path: Path, drawn: _Film, times: Floats, fps: int) -> None:
    program = ffmpeg()
    if program is None:
        raise OptionError(f'{path.name}: an mp4 needs ffmpeg: pip install "linkwork[film]", or write a .gif')
    with writing(path) as beside:
        _piped(program, path, beside, drawn, times, fps)


def _piped(program: str, path: Path, beside: Path, drawn: _Film, times: Floats, fps: int) -> None:
    """Let ffmpeg make `beside`, which is to become `path`."""
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{drawn.width}x{drawn.height}", "-r", str(fps), "-i", "-"]
    made = ["-an", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(beside)]
    with subprocess.Popen(
        [program, "-y", "-loglevel", "error", *raw, *made], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        try:
            for t in times:
                process.stdin.write(drawn.frame(float(t)).tobytes())
        except BrokenPipeError:
            pass  # its message is reported below
        _, message = process.communicate()
    if process.returncode != 0:
        raise RunError(f"ffmpeg could not write {path}: {message.decode(errors='replace').strip()}")


class _Film:
    """Pictures of a stage from its first camera."""

    def __init__(self, stage: Stage, width: int) -> None:
        self.stage = stage
        self.width, self.height = width // 2 * 2, round(0.75 * width) // 2 * 2  # ffmpeg wants even ones
        self.camera = camera_from(*stage.look())
        bodies = stage.bodies()
        self.solids = [coloured_solids(self._seen(body), body["colour"]) for body in bodies]
        roads = [road for road in stage.roads() if seen_from(road, self.camera[2])]
        self.roads = [part for road in roads for part in coloured_solids([road], ROAD)]
        self.pins = [(pin["body"], scene_solid([pin["shape"]]), pin["span"]) for pin in stage.pins()]
        self._fit()

    def _seen(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """The shapes of a body, but for planes of grounds in motion that are seen from behind at first."""
        pose = self.stage.frame(body["name"], self.stage.start)
        return [facts for facts in body["shapes"] if seen_from(facts, self.camera[2], pose)]

    def _fit(self) -> None:
        """The scale by which all poses that are looked at stand in the picture."""
        stage = self.stage
        low, high = np.array(stage.low), np.array(stage.high)
        if stage.travels:
            low, high = stage.centre - stage.radius, stage.centre + stage.radius
        corners = np.array([[(low, high)[k >> i & 1][i] for i in range(3)] for k in range(8)])
        flat = corners @ self.camera.T
        size = np.maximum(np.ptp(flat[:, :2], axis=0), 1e-6)
        self.scale = float(min(0.88 * self.width / size[0], 0.88 * self.height / size[1]))
        self.middle = self.camera.T @ ((flat.min(axis=0) + flat.max(axis=0)) / 2)
        self.first = stage.start[stage.followed, :3].mean(axis=0)
        self.floor = 0.0 if stage.on_floor else float(stage.low[2] - 0.03 * stage.radius)

    def frame(self, t: float) -> Any:
        """The picture at a time, (height, width, 3) of bytes."""
        poses = self.stage.poses([self.stage.row(t)])[0]
        middle = self.middle + (poses[self.stage.followed, :3].mean(axis=0) - self.first if self.stage.travels else 0.0)
        placed = [[(c, self._moved(made, poses, k)) for c, made in parts] for k, parts in enumerate(self.solids)]
        shadow = Canvas(self.camera, middle, self.scale, self.width, self.height, 1)
        if self.camera[2, 2] > 0.05:
            for parts in placed[: len(placed) - len(self.stage.moving_grounds)]:
                for _, thing in parts:
                    shadow.put(thing.pressed(self.floor), SHADOW, 0, lit=False)
        canvas = Canvas(self.camera, middle, self.scale, self.width, self.height, 2)
        for colour, road in self.roads:
            canvas.put(road, colour, len(placed) + 2)
        things = [(colour, thing, k) for k, parts in enumerate(placed) for colour, thing in parts]
        for body, made, span in self.pins:
            if holds(span, t):
                canvas.put(self._moved(made, poses, body), DARK, len(placed))
        for spring in self.stage.springs():
            canvas.put(self._spring(spring, poses), DARK, len(placed) + 1)
        for colour, thing, k in sorted(things, key=lambda part: -part[0][3]):  # what is transparent comes last
            canvas.put(thing, colour, k)
        under = np.ones((self.height, self.width, 3))
        flat = shadow.image()
        under = under * (1 - flat[..., 3:]) + np.array(SHADOW) * flat[..., 3:]
        image = canvas.image()
        mixed = under * (1 - image[..., 3:]) + image[..., :3] * image[..., 3:]
        return (255 * np.clip(mixed, 0, 1)).astype(np.uint8)

    @staticmethod
    def _moved(made: Solid, poses: Floats, body: int) -> Solid:
        return made if body < 0 else made.moved(Frame(poses[body, :3], poses[body, 3:]))

    def _spring(self, spring: dict[str, Any], poses: Floats) -> Solid:
        """A zigzag across the picture, of thin rods."""
        ends = []
        for end, at in (("a", "at_a"), ("b", "at_b")):
            local = np.asarray(spring[at], dtype=float)
            pose = None if spring[end] < 0 else Frame(poses[spring[end], :3], poses[spring[end], 3:])
            ends.append(local if pose is None else pose.point(local))
        a, b = ends
        length = float(np.linalg.norm(b - a))
        if length < 1e-9:
            return Solid(np.zeros((0, 3, 3)), np.zeros(0, dtype=np.int64))
        along = (b - a) / length
        across = np.cross(self.camera[2], along)
        size = float(np.linalg.norm(across))
        across = across / size if size > 1e-9 else self.camera[0]
        wide = min(spring["radius"], 0.2 * length)
        way = [0.0, 0.1, *(0.1 + 0.8 * (k + 0.5) / 14 for k in range(14)), 0.9, 1.0]
        side = [0.0, 0.0, *((-1.0) ** k for k in range(14)), 0.0, 0.0]
        points = [a + along * length * w + across * wide * s for w, s in zip(way, side, strict=True)]
        thin = max(0.1 * wide, 0.8 / self.scale)
        made = rod(points[0], points[1], thin)
        for start, end in pairwise(points[1:]):
            made = made + rod(start, end, thin)
        return made

"""`film`: a recorded run as a picture (png), a sequence of them, an animated picture (gif) or a film (mp4).

The pictures are those of the page, taken by a browser without a window; where there is none they are drawn plainly
(`drawn_film.py`). The run alone is enough: it holds its shapes. A gif needs pillow, which comes with matplotlib; an mp4
needs the program ffmpeg, that of the system or the one that the extra `film` brings.
"""

from __future__ import annotations

import importlib
import io
import math
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import OptionError, RunError
from linkwork.model.checked import shown
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.storage.files import check_path, writing
from linkwork.viewer.camera import LOOKS
from linkwork.viewer.page_bundle import make_bundle
from linkwork.viewer.pictures.browser import find_browser
from linkwork.viewer.pictures.drawn_film import DrawnFilm
from linkwork.viewer.pictures.page_film import page_frames
from linkwork.viewer.replay.replay import speed_to_watch
from linkwork.viewer.solids import Floats
from linkwork.viewer.staging import Stage

SUFFIXES = (".png", ".gif", ".mp4")
RENDERERS = ("page", "drawing")
MOST = 3000  # pictures
PALETTE = 255  # colours of a gif, taken from so many pictures:
SAMPLED = 9
Look = tuple[float, float]


def film(
    run: Trajectory,
    file: str | PathLike[str],
    *,
    time: float | None = None,
    speed: float | None = None,
    fps: int = 20,
    width: int = 480,
    height: int | None = None,
    view: str | Look | None = None,
    renderer: str | None = None,
    progress: bool | None = None,
) -> None:
    """Draw a run to `file`: `.png` at `time` (s, the end when not given), `.gif` or `.mp4` from its start to its end.

    A name such as "car_%04d.png" is a sequence of pictures. `speed` is simulated seconds in a second: 1 when not given,
    and less for a run too short to be watched. `fps` are pictures in a second, `width` and `height` in points; the
    height is three quarters of the width when not given. `view` is
    "front", "top", "side", or azimuth and elevation in degrees. `renderer` is "page", which needs Chromium or Chrome,
    or "drawing"; the first that there is when not given. `progress` shows a line on stderr, by default in a terminal.

    >>> run = lw.simulate(lw.gallery.pendulum.build(), until=0.1, method="recursive", dt=0.01)
    >>> film(run, "pendulum.gif", fps=10)  # doctest: +SKIP
    """
    path = check_path(file, SUFFIXES)
    speed = speed_to_watch(float(run.time[-1] - run.time[0])) if speed is None else speed
    sides = (("width", width, 80), ("height", 60 if height is None else height, 60))
    for name, value, least in (("speed", speed, 1e-9), ("fps", fps, 1), *sides):
        if not isinstance(value, int | float) or not math.isfinite(value) or value < least:
            raise OptionError(f"{name} of a film must be a number from {least:g} on, not {shown(value)}; correct it")
    Image = _pillow()
    size = (int(width) // 2 * 2, round(0.75 * width if height is None else height) // 2 * 2)  # ffmpeg wants even ones
    begin, end = float(run.time[0]), float(run.time[-1])
    still = path.suffix.lower() == ".png" and "%" not in path.name
    if still:
        when = end if time is None else time
        if not begin - 1e-9 <= when <= end + 1e-9:
            raise OptionError(f"the run goes from {begin:g} to {end:g} s, not to {when:g} s; give another time=")
        times = np.array([when])
    else:
        count = math.floor((end - begin) / speed * fps + 1e-9) + 1
        if count > MOST:
            raise OptionError(
                f"the film would have {count} pictures, more than {MOST}; give a larger speed= or fewer fps="
            )
        times = begin + np.arange(count) * speed / fps
    write = _writer(Image, path, size, fps)
    seen = not still and (sys.stderr.isatty() if progress is None else progress)
    told = _progress(path.name, len(times)) if seen else None
    write(_frames(run, times, size, _look(view), renderer, told))


def _look(view: Any) -> Look | None:
    """Azimuth and elevation of a view, degrees; None for that of the run."""
    if view is None:
        return None
    if isinstance(view, str):
        if view in LOOKS:
            return LOOKS[view]
    elif np.shape(view) == (2,) and all(math.isfinite(angle) for angle in view):
        return float(view[0]), float(view[1])
    raise OptionError(
        f"view of a film is {', '.join(map(repr, LOOKS))}, or azimuth and elevation in degrees, not {shown(view)}"
    )


def _frames(
    run: Trajectory,
    times: Floats,
    size: tuple[int, int],
    look: Look | None,
    renderer: str | None,
    told: Callable[[int], None] | None,
) -> Iterator[Any]:
    """The pictures, one after the other, (height, width, 3) of bytes."""
    if renderer not in (None, *RENDERERS):
        raise OptionError(f"renderer of a film is {' or '.join(map(repr, RENDERERS))}, not {shown(renderer)}")
    program = None if renderer == "drawing" else find_browser()
    if program is None and renderer == "page":
        raise OptionError("renderer='page' needs Chromium or Chrome; install one, or take renderer='drawing'")
    if program is not None:
        try:
            make_bundle()
        except OptionError:
            if renderer == "page":
                raise
            program = None
    if program is not None:
        yield from page_frames(run, times, size, program, look, told)
        return
    drawn = DrawnFilm(Stage(run), size, look)
    for k, t in enumerate(times):
        yield drawn.frame(float(t))
        if told is not None:
            told(k + 1)


def _progress(name: str, count: int) -> Callable[[int], None]:
    """A line on stderr that counts the pictures."""

    def told(done: int) -> None:
        print(f"\r{name}: {done} of {count} pictures", end="\n" if done == count else "", file=sys.stderr, flush=True)

    return told


def _writer(Image: Any, path: Path, size: tuple[int, int], fps: int) -> Callable[[Iterator[Any]], None]:
    """What makes the file of pictures; what is missing for it is refused before they are drawn."""
    if path.suffix.lower() == ".gif":
        return lambda frames: _gif(Image, path, frames, fps)
    if path.suffix.lower() == ".mp4":
        program = ffmpeg()
        if program is None:
            raise OptionError(f'{path.name}: an mp4 needs ffmpeg: pip install "linkwork[film]", or write a .gif')
        return lambda frames: _mp4(program, path, frames, size, fps)
    if "%" not in path.name:
        return lambda frames: _png(Image, path, next(frames))
    try:
        numbered = path.name % 0 != path.name % 1
    except (TypeError, ValueError):
        numbered = False
    if not numbered:
        raise OptionError(f"cannot number pictures by {path.name!r}; write one number, as in 'run_%04d.png'")
    return lambda frames: _sequence(Image, path, frames)


def _sequence(Image: Any, path: Path, frames: Iterator[Any]) -> None:
    for k, frame in enumerate(frames):
        _png(Image, path.with_name(path.name % k), frame)


def _png(Image: Any, path: Path, frame: Any) -> None:
    with writing(path) as beside:
        Image.fromarray(frame).save(beside)


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise OptionError('films need pillow: pip install "linkwork[plot]"') from error
    return Image


def _gif(Image: Any, path: Path, frames: Iterator[Any], fps: int) -> None:
    """All pictures in the same colours, so that nothing flickers."""
    kept = []  # as files in memory: a film of large pictures would not fit otherwise
    for frame in frames:
        file = io.BytesIO()
        Image.fromarray(frame).save(file, "png", compress_level=1)
        kept.append(file)
    few = [Image.open(kept[k]) for k in np.unique(np.linspace(0, len(kept) - 1, SAMPLED).astype(int))]
    sheet = Image.new("RGB", (few[0].width, few[0].height * len(few)))
    for k, image in enumerate(few):
        sheet.paste(image, (0, k * image.height))
    palette = sheet.quantize(PALETTE)
    indexed = (Image.open(file).quantize(palette=palette, dither=Image.Dither.NONE) for file in kept)
    hundredths = max(2, round(100 / fps))  # what the format counts in
    with writing(path) as beside:
        next(indexed).save(beside, save_all=True, append_images=indexed, duration=10 * hundredths, loop=0)


def ffmpeg() -> str | None:
    """The program ffmpeg: of the system, else of the package imageio-ffmpeg; None where there is neither."""
    program = shutil.which("ffmpeg")
    if program is not None or find_spec("imageio_ffmpeg") is None:
        return program
    try:
        return str(importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe())
    except RuntimeError:  # the package came without the program
        return None


def _mp4(program: str, path: Path, frames: Iterator[Any], size: tuple[int, int], fps: int) -> None:
    with writing(path) as beside:
        _piped(program, path, beside, frames, size, fps)


def _piped(program: str, path: Path, beside: Path, frames: Iterator[Any], size: tuple[int, int], fps: int) -> None:
    """Let ffmpeg make `beside`, which is to become `path`."""
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", str(fps), "-i", "-"]
    made = ["-an", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(beside)]
    with subprocess.Popen(
        [program, "-y", "-loglevel", "error", *raw, *made], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        try:
            for frame in frames:
                process.stdin.write(frame.tobytes())
        except BrokenPipeError:
            pass  # its message is reported below
        _, message = process.communicate()
    if process.returncode != 0:
        raise RunError(f"ffmpeg could not write {path}: {message.decode(errors='replace').strip()}")

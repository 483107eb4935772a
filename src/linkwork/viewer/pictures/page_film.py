"""Pictures of a run taken from the page by a browser without a window, one for each time."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from linkwork.simulation.results.trajectory import Trajectory
from linkwork.viewer.pictures.browser import Browser
from linkwork.viewer.replay.replay import page
from linkwork.viewer.solids import Floats


def page_frames(
    run: Trajectory,
    times: Floats,
    size: tuple[int, int],
    program: str,
    look: tuple[float, float] | None = None,
    told: Callable[[int], None] | None = None,
) -> Iterator[Any]:
    """The pictures at some times (s), each (height, width, 3) of bytes.

    `size` is width and height in points, `program` the browser, `look` azimuth and elevation in degrees; `told` is
    called with the number of pictures so far.
    """
    from PIL import Image

    text = page(run, playing=False, mode="film", look=look)
    with Browser(program, *size) as browser:
        browser.open(text, "window.linkwork?.film")
        for k, t in enumerate(times):
            browser.ask(f"linkwork.film.show({float(t)!r})")
            image = Image.open(io.BytesIO(browser.picture())).convert("RGB")
            yield np.asarray(image)
            if told is not None:
                told(k + 1)

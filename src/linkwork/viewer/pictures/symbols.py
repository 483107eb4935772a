"""Symbols of a drawing, in matplotlib: feet, hatched ground, guides, springs, hinges, the scale bar.

Places are in metres to the right and upwards of the middle of the picture; `extent` is its width in metres.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from linkwork.viewer.solids import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DARK = "#333333"
GREY = "#555555"


def foot(axes: Axes, spot: Floats, extent: float) -> None:
    """A triangle on hatched ground."""
    wide, high = 0.018 * extent, 0.032 * extent
    corners = np.array([spot, spot + (wide, -high), spot + (-wide, -high)])
    axes.fill(*corners.T, facecolor="#EDEDED", edgecolor=DARK, linewidth=0.9, zorder=4)
    hatched(axes, corners[2] - (0.35 * wide, 0), corners[1] + (0.35 * wide, 0), extent)


def hatched(axes: Axes, left: Floats, right: Floats, extent: float) -> None:
    """A line with strokes below it: ground."""
    axes.plot(*np.array([left, right]).T, color=DARK, linewidth=1.0, zorder=4, solid_capstyle="butt")
    step = 0.0105 * extent
    count = max(3, round(float(right[0] - left[0]) / step))
    for x in np.linspace(left[0], right[0], count + 1)[1:]:
        axes.plot([x, x - 0.8 * step], [left[1], left[1] - step], color=DARK, linewidth=0.6, zorder=4)


def line(axes: Axes, points: Floats) -> None:
    """A road or a plane that is seen from its edge."""
    axes.plot(*points.T, color=DARK, linewidth=1.2, zorder=4)


def guide(axes: Axes, points: Floats) -> None:
    """The axis on which something slides along the ground."""
    axes.plot(*points.T, color="#666666", linewidth=1.0, linestyle=(0, (8, 2, 1.5, 2)), zorder=4.5)


def spring(axes: Axes, start: Floats, end: Floats, extent: float) -> None:
    """A zigzag between two points."""
    length = float(np.linalg.norm(end - start))
    if length < 1e-9 * extent:
        return
    along = (end - start) / length
    across = np.array([-along[1], along[0]]) * min(0.016 * extent, 0.12 * length)
    way, side = [0.0, 0.12], [0.0, 0.0]
    peaks = 2 * round(np.clip(length / (0.03 * extent), 4, 14))
    for k in range(peaks):
        way.append(0.12 + 0.76 * (k + 0.5) / peaks)
        side.append(1.0 if k % 2 == 0 else -1.0)
    way, side = [*way, 0.88, 1.0], [*side, 0.0, 0.0]
    points = start + np.outer(way, along) * length + np.outer(side, across)
    axes.plot(*points.T, color="white", linewidth=2.6, alpha=0.8, zorder=6, solid_joinstyle="round")
    axes.plot(*points.T, color=DARK, linewidth=1.1, zorder=6.1, solid_joinstyle="round")


def bushing(axes: Axes, spot: Floats, extent: float) -> None:
    """A thick grey ring, rubber between two sleeves."""
    angle = np.linspace(0.0, 2.0 * np.pi, 33)
    circle = spot + 0.014 * extent * np.column_stack((np.cos(angle), np.sin(angle)))
    axes.plot(*circle.T, color=DARK, linewidth=4.4, zorder=7.0)
    axes.plot(*circle.T, color="#9a9a9a", linewidth=2.6, zorder=7.1)


def hinges(axes: Axes, spots: list[tuple[float, float]]) -> None:
    """White dots."""
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


def scale_bar(axes: Axes, half: Floats, label: str) -> None:
    """A length to the left and a text to the right, below the drawing; `half` of its width and height, m."""
    wanted = 0.2 * 2 * half[0]
    power = 10.0 ** math.floor(math.log10(wanted))
    length = max(step * power for step in (1.0, 2.0, 5.0) if step * power <= wanted)
    left, low = -half[0] * 0.955, -half[1] * 0.93
    tick = 0.012 * half[1]
    axes.plot([left, left + length], [low, low], color=GREY, linewidth=1.2, zorder=8, solid_capstyle="butt")
    for x in (left, left + length):
        axes.plot([x, x], [low - tick, low + tick], color=GREY, linewidth=1.2, zorder=8)
    words = f"{length:g} m" if length >= 0.1 else f"{1000 * length:g} mm"
    axes.text(left + length / 2, low + 2 * tick, words, color=GREY, fontsize=8, ha="center", va="bottom", zorder=8)
    axes.text(half[0] * 0.955, low, label, color=GREY, fontsize=9, ha="right", va="center", zorder=8)

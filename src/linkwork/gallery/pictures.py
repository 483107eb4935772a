"""Draws the pictures of the gallery: `python -m linkwork.gallery.pictures [FOLDER] [PIECE ...]`.

The folder is docs/pictures when not given. One PNG for each piece: the mechanism at an instant, faint poses before and
after, the path of a point.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from linkwork import gallery

FOLDER = "docs/pictures"

# what to draw of each piece: parameters of build(), and options of still()
SCENES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "andrews": ({}, {"time": 0.0092, "ghosts": (0.003, 0.0115, 0.0135), "dt": 1e-5}),
    "car": ({}, {"time": 0.35, "view": (-66, 12), "floor": 0.0, "dt": 1e-3}),
    "chain": (
        {},
        {"time": 0.5, "ghosts": (0.0, 0.12, 0.22, 0.31, 0.4), "trace": [("link 5", (0, 0, -0.3))], "dt": 1e-3},
    ),
    "double_four_bar": ({}, {"time": 0.5, "ghosts": (0.0, 0.3, 0.8), "trace": ["coupler 1"], "dt": 1e-3}),
    "manipulator": (
        {},
        {
            "time": 0.3,
            "ghosts": (0.0, 0.15),
            "trace": [("link 3.beam.bar", (0, 0, 0.5))],
            "view": (-40, 16),
            "floor": -1.5,
            "dt": 1e-3,
        },
    ),
    "n_four_bar": ({"n": 6}, {"time": 0.5, "ghosts": (0.0, 0.3, 0.8), "trace": ["coupler 1"], "dt": 1e-3}),
    "peaucellier": ({}, {"time": 1.3, "ghosts": (0.0, 0.4, 0.85), "trace": ["left far", "left near"], "dt": 1e-3}),
    "pendulum": ({}, {"time": 0.35, "ghosts": (0.0, 0.2, 0.28, 0.45, 0.57), "trace": ["bob"], "dt": 1e-3}),
}


def draw(piece: str, folder: str | Path = FOLDER) -> Path:
    """Draw one piece into the folder; returns the file.

    >>> draw("pendulum", "build/pictures")  # doctest: +SKIP
    PosixPath('build/pictures/pendulum.png')
    """
    # pictures stand beside the gallery, not below it: they are fetched when somebody asks for them
    still = importlib.import_module("linkwork.viewer.still").still
    parameters, options = SCENES[piece]
    file = Path(folder) / f"{piece}.png"
    file.parent.mkdir(parents=True, exist_ok=True)
    still(gallery.piece(piece).build(**parameters), file=file, **options)
    return file


def main(arguments: Sequence[str]) -> None:
    """Draw the pieces that are named, or all."""
    folder = arguments[0] if arguments else FOLDER
    for piece in arguments[1:] or SCENES:
        print(draw(piece, folder))


if __name__ == "__main__":
    main(sys.argv[1:])

"""Colours of bodies: Okabe and Ito's, which colour-blind readers can tell apart, lightened for large faces."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from linkwork.model import names

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#8C8C8C")
LIGHTER = 0.38  # of white in a body's colour


def colour_key(path: str) -> str:
    """Bodies share a colour when their names differ by a number or by left and right only.

    >>> colour_key("car.left wheel 2")
    'wheel'
    """
    last = names.last(path)
    return re.sub(r"\b(left|right|front|rear)\b|\d+", "", last).strip() or last


def rgb(colour: str, lighter: float = LIGHTER) -> NDArray[np.float64]:
    """Red, green, blue between 0 and 1 of "#RRGGBB", lightened."""
    plain = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.asarray(plain + (1 - plain) * lighter)


def body_colours(paths: Iterable[str]) -> dict[str, NDArray[np.float64]]:
    """A colour for every body, by its path.

    >>> made = body_colours(["rod 1", "rod 2", "crank"])
    >>> bool((made["rod 1"] == made["rod 2"]).all()), bool((made["rod 1"] == made["crank"]).all())
    (True, False)
    """
    paths = list(paths)
    places = {key: k for k, key in enumerate(dict.fromkeys(colour_key(path) for path in paths))}
    return {path: rgb(COLOURS[places[colour_key(path)] % len(COLOURS)]) for path in paths}

"""Roads: the height of the ground under tyres, over x and y (world, metres) and over time. Data only.

Roads can be added: `lw.Ramp(1.0, at=10, length=8) + lw.Stairs(-0.1, at=20, tread=0.8, steps=10)`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.forces.curves import Curve
from linkwork.model.laws.laws import Constant, Law, LawLike, PythonLaw, as_law, law_value, time_law

PieceKind = Literal["level", "bump", "rise", "ramp", "profile", "surface"]


class RoadPiece(NamedTuple):
    """One summand of a road: what it is, where it begins (m), how long and how high it is, and its law or curve."""

    kind: PieceKind
    at: float = 0.0
    length: float = 0.0
    height: float = 0.0
    content: Law | Curve | None = None


class Road:
    """The base of all roads: `road(x, y, time)` is the height (m), `road + other` adds the heights.

    >>> road = lw.FlatRoad(0.2) + lw.Kerb(0.1, at=5.0)
    >>> round(road(4.0), 12), round(road(6.0), 12)
    (0.2, 0.3)
    """

    def pieces(self) -> tuple[RoadPiece, ...]:
        """The summands, for the tables."""
        raise NotImplementedError

    def __add__(self, other: Road) -> Road:
        if not isinstance(other, Road):
            return NotImplemented
        return SummedRoad((*_summands(self), *_summands(other)))

    def __call__(self, x: float, y: float = 0.0, time: float = 0.0) -> float:
        """Height in metres at the place (x, y) and the time."""
        return float(sum(_height(piece, x, y, time) for piece in self.pieces()))


def _summands(road: Road) -> tuple[Road, ...]:
    return road.summands if isinstance(road, SummedRoad) else (road,)


@dataclass(frozen=True)
class SummedRoad(Road):
    """The sum of several roads. Made by adding them."""

    summands: tuple[Road, ...]

    def pieces(self) -> tuple[RoadPiece, ...]:
        """The summands, for the tables."""
        return tuple(piece for road in self.summands for piece in road.pieces())


@dataclass(frozen=True, init=False)
class FlatRoad(Road):
    """Level ground. Its `height` (m) may follow a law of time: a shaker under the wheel, a kerb that drops.

    >>> drop = lw.FlatRoad(([3.0, 3.02], [0.1, 0.0]))  # ten centimetres down, three seconds after the start
    >>> round(drop(0.0, time=2.0), 12), round(drop(0.0, time=4.0), 12)
    (0.1, 0.0)
    """

    height: Law

    def __init__(self, height: LawLike = 0.0) -> None:
        object.__setattr__(self, "height", time_law(height, "FlatRoad", "height"))

    def pieces(self) -> tuple[RoadPiece, ...]:
        """The summands, for the tables."""
        if isinstance(self.height, Constant):
            return (RoadPiece("level", height=float(self.height.value)),)
        return (RoadPiece("level", content=self.height),)


@dataclass(frozen=True)
class _Stretch(Road):
    """A shape of the road over `length` metres from x = `at`, `height` metres high."""

    shape: ClassVar[PieceKind]
    height: float
    at: float
    length: float

    def __post_init__(self) -> None:
        _check(self, "height", "at", length=True)

    def pieces(self) -> tuple[RoadPiece, ...]:
        """The summands, for the tables."""
        return (RoadPiece(self.shape, self.at, self.length, self.height),)


@dataclass(frozen=True)
class CosineBump(_Stretch):
    """One period of a cosine, `height` metres high (negative: a dip) and `length` metres long, from x = `at` on.

    >>> round(lw.CosineBump(0.2, at=1.0, length=5.0)(3.5), 12)
    0.2
    """

    shape: ClassVar[PieceKind] = "bump"


@dataclass(frozen=True)
class Kerb(Road):
    """One step of `height` metres (negative: down) at x = `at`, rounded over `edge` metres.

    >>> lw.Kerb(-0.1, at=3.0)(3.0), round(lw.Kerb(-0.1, at=3.0)(3.2), 12)
    (0.0, -0.1)
    """

    height: float
    at: float
    edge: float = 0.1

    def __post_init__(self) -> None:
        _check(self, "height", "at", edge=True)

    def pieces(self) -> tuple[RoadPiece, ...]:
        """The summands, for the tables."""
        return (RoadPiece("rise", self.at, self.edge, self.height),)


@dataclass(frozen=True)
class Ramp(_Stretch):
    """A straight slope: up by `height` metres (negative: down) over `length` metres from x = `at`, level beyond.

    >>> lw.Ramp(1.0, at=10.0, length=8.0)(14.0)
    0.5
    """

    shape: ClassVar[PieceKind] = "ramp"


@dataclass(frozen=True)
class Stairs(Road):
    """A number of `steps` of `height` metres each (negative: down), the first at x = `at`, one every `tread` metres.

    Each step is rounded over `edge` metres.

    >>> round(lw.Stairs(-0.1, at=2.0, tread=0.5, steps=4)(10.0), 12)
    -0.4
    """

    height: float
    at: float
    tread: float
    steps: int
    edge: float = 0.1

    def __post_init__(self) -> None:
        _check(self, "height", "at", tread=True, edge=True)
        if isinstance(self.steps, bool) or not isinstance(self.steps, (int, np.integer)) or self.steps < 1:
            raise ModelError(f"Stairs: steps is {checked.shown(self.steps)}; give a whole number from 1 up")
        if self.edge > self.tread:
            raise ModelError(
                f"Stairs: edge {self.edge:g} m is longer than tread {self.tread:g} m; give a shorter edge="
            )

    def pieces(self) -> tuple[RoadPiece, ...]:
        """The summands, for the tables."""
        return tuple(RoadPiece("rise", self.at + k * self.tread, self.edge, self.height) for k in range(self.steps))


@dataclass(frozen=True, init=False)
class Profile(Road):
    """Heights `z` (m) at positions `x` (m), linear or a cubic spline between them; the same for all y.

    Beyond its ends the road stays at its end heights.

    >>> lw.Profile([0, 1, 2], [0, 0.3, 0.1])(1.5)
    0.2
    """

    curve: Curve

    def __init__(self, x: Any, z: Any, kind: Literal["linear", "cubic"] = "linear") -> None:
        through = Curve.through(x, z, kind)
        ends, heights = np.asarray(x, dtype=float)[[0, -1]], np.asarray(z, dtype=float)[[0, -1]]
        inner = through.breaks[(through.breaks > ends[0]) & (through.breaks < ends[1])]
        rows = np.searchsorted(through.breaks, [ends[0], *inner], "right")
        curve = Curve(
            [ends[0], *inner, ends[1]],
            [[heights[0]], *through.pieces[rows], [heights[1]]],
            [ends[0], *through.origins[rows], ends[1]],
        )
        object.__setattr__(self, "curve", curve)

    @classmethod
    def along(cls, curve: Curve) -> Profile:
        """The road whose height (m) over x (m) is an `lw.Curve`.

        >>> lw.Profile.along(lw.Curve([0.0], [[0.0], [0.0, 0.1]]))(2.0)
        0.2
        """
        made = cls.__new__(cls)
        object.__setattr__(made, "curve", curve)
        return made

    def pieces(self) -> tuple[RoadPiece, ...]:
        """The summands, for the tables."""
        return (RoadPiece("profile", content=self.curve),)


@dataclass(frozen=True, init=False)
class Surface(Road):
    """A road given by a function of `(t, x, y)`: its height (m), or its height and its slopes along x and y.

    Use `@lw.compiled` on the function to run it inside the compiled loop. Slopes that it does not return are computed
    by differences over a tenth of a millimetre.

    >>> @lw.compiled
    ... def waves(t, x, y):
    ...     return 0.02 * math.sin(x) * math.cos(y)
    >>> lw.Surface(waves)(0.0)
    0.0
    """

    function: PythonLaw

    def __init__(self, function: Any) -> None:
        law = as_law(function, "Surface", (3,), "function")
        if not isinstance(law, PythonLaw):
            raise ModelError(f"Surface: {checked.shown(function)} is no function; give one of (t, x, y)")
        object.__setattr__(self, "function", law)

    def pieces(self) -> tuple[RoadPiece, ...]:
        """The summands, for the tables."""
        return (RoadPiece("surface", content=self.function),)


def _check(road: Any, *numbers: str, **lengths: bool) -> None:
    what = type(road).__name__
    for option in numbers:
        object.__setattr__(road, option, checked.number(getattr(road, option), what, option, "metres"))
    for option in lengths:
        object.__setattr__(road, option, checked.positive(getattr(road, option), what, option, "metres"))


def _height(piece: RoadPiece, x: float, y: float, time: float) -> float:
    inside = min(max(x - piece.at, 0.0), piece.length) / piece.length if piece.length else 0.0
    match piece.kind:
        case "level":
            assert not isinstance(piece.content, Curve)
            return piece.height if piece.content is None else law_value(piece.content, time)
        case "bump":
            return piece.height / 2 * (1.0 - math.cos(2 * math.pi * inside))
        case "rise":
            return piece.height / 2 * (1.0 - math.cos(math.pi * inside))
        case "ramp":
            return piece.height * inside
        case "profile":
            assert isinstance(piece.content, Curve)
            return float(piece.content(x))
    assert isinstance(piece.content, PythonLaw)
    return float(np.atleast_1d(piece.content.function(time, x, y))[0])

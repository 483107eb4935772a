"""Joints: the nine kinds, their coordinates, and the checks of what a user says about one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypedDict

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body, Ground, Part
from linkwork.model.checked import Vector, VectorLike
from linkwork.model.frame import Frame, unit

if TYPE_CHECKING:
    from linkwork.model.container import Container

JointKind = Literal["fixed", "revolute", "prismatic", "cylindrical", "screw", "universal", "ball", "planar", "free"]
Limits: TypeAlias = tuple[float, float] | tuple[tuple[float, float], ...]


class Coordinates(NamedTuple):
    """How many coordinates a kind of joint has, what they are, and whether it needs an axis."""

    nq: int
    nv: int
    position: str
    velocity: str
    needs_axis: bool


KINDS: dict[str, Coordinates] = {
    "fixed": Coordinates(0, 0, "nothing", "nothing", False),
    "revolute": Coordinates(1, 1, "an angle in radians", "a rate in rad/s", True),
    "prismatic": Coordinates(1, 1, "a distance in metres", "a speed in m/s", True),
    "cylindrical": Coordinates(2, 2, "an angle and a distance", "a rate and a speed", True),
    "screw": Coordinates(1, 1, "an angle in radians", "a rate in rad/s", True),
    "universal": Coordinates(2, 2, "two angles in radians", "two rates in rad/s", True),
    "ball": Coordinates(4, 3, "a quaternion w, x, y, z", "three rates in rad/s", False),
    "planar": Coordinates(3, 3, "x, y in metres and an angle", "two speeds in m/s and a rate", True),
    "free": Coordinates(7, 6, "x, y, z and a quaternion w, x, y, z", "three speeds and three rates", False),
}


class JointOptions(TypedDict, total=False):
    """The keywords every joint verb takes; see `Joint` for their meaning."""

    at: VectorLike | None
    axis: VectorLike | Sequence[VectorLike] | None
    frame_a: Frame | None
    frame_b: Frame | None
    position: float | VectorLike | None
    velocity: float | VectorLike | None
    limits: Sequence[Any] | None
    friction: float
    damping: float
    stiffness: float
    rest: float
    armature: float
    cut: bool


@dataclass(frozen=True, eq=False, repr=False)
class Joint(Part):
    """A joint from body `a` to body `b`; its position and velocity are those of b relative to a.

    Where it is, in one of two ways:

    * `at` (metres) and `axis`, in the owner's coordinates, bodies in their reference poses (there the position is zero);
    * `frame_a`, `frame_b`: the joint's frames inside a and inside b; the axis is their z (universal: x of `frame_a`,
      then y of `frame_b`; planar: z is the normal).

    A fixed or free joint needs neither: then its frame is that of b in the reference pose.

    What else may be said, in SI units with radians; one number holds for all coordinates of the joint:

    * `position`, `velocity`: start values, tuples of `nq` and `nv` numbers, None when not given;
    * `limits`: (low, high), one such pair per coordinate where there are several; None on a side means no limit;
    * `friction`: Coulomb, N m or N; `damping`: N m s/rad or N s/m; `stiffness`: N m/rad or N/m, towards `rest`;
    * `armature`: inertia of a rotor, kg m2 or kg; `pitch`: of a screw, metres per turn; `cut`: closes a loop.

    | kind | position | nq | nv |
    |---|---|---|---|
    | fixed | | 0 | 0 |
    | revolute, screw | angle | 1 | 1 |
    | prismatic | distance | 1 | 1 |
    | cylindrical | angle, distance | 2 | 2 |
    | universal | two angles | 2 | 2 |
    | ball | quaternion | 4 | 3 |
    | planar | x, y, angle | 3 | 3 |
    | free | x, y, z, quaternion | 7 | 6 |

    >>> model = lw.Model("pendulum")
    >>> rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.0), com=(0, 0, -0.5))
    >>> model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.3)
    <revolute 'pin': ground to rod>
    """

    kind: JointKind
    a: Body
    b: Body
    at: Vector | None = None
    axis: Vector | None = None
    frame_a: Frame | None = None
    frame_b: Frame | None = None
    position: tuple[float, ...] | None = None
    velocity: tuple[float, ...] | None = None
    limits: Limits | None = None
    friction: float = 0.0
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0
    pitch: float = 0.0
    cut: bool = False

    @property
    def nq(self) -> int:
        """The number of position coordinates."""
        return KINDS[self.kind].nq

    @property
    def nv(self) -> int:
        """The number of velocity coordinates."""
        return KINDS[self.kind].nv

    @property
    def coordinate_limits(self) -> tuple[tuple[float, float], ...]:
        """One (low, high) for every velocity coordinate, infinite where there is no limit."""
        if self.limits is None:
            return ((-math.inf, math.inf),) * self.nv
        pairs: Any = (self.limits,) if self.nv == 1 else self.limits
        return tuple(pairs)

    @property
    def word(self) -> str:
        """The kind of joint."""
        return self.kind

    def __repr__(self) -> str:
        return f"<{self.kind} '{self.path}': {self.a.path} to {self.b.path}>"


def make_joint(
    what: str, kind: JointKind, name: str, owner: Container, a: Body, b: Body, options: Mapping[str, Any], pitch: float
) -> Joint:
    """A joint from checked bodies and unchecked options."""
    checked.unknown_options(options.keys() - JointOptions.__annotations__.keys(), JointOptions.__annotations__, what)
    if a is b:
        raise ModelError(f"{what}: it joins body '{a.path}' to itself; give two different bodies")
    if isinstance(a, Ground) and isinstance(b, Ground):
        raise ModelError(f"{what}: both '{a.path}' and '{b.path}' are grounds with given motion; join a body to a ground")
    given = {option: value for option, value in options.items() if value is not None}
    at, axis, frame_a, frame_b = _place(what, kind, given)
    position = _start(what, kind, "position", KINDS[kind].nq, KINDS[kind].position, given.get("position"))
    limits = _limits(what, kind, given.get("limits"), position)
    cut = given.get("cut", False)
    if not isinstance(cut, (bool, np.bool_)):
        raise ModelError(f"{what}: cut must be True or False, got {cut!r}; correct cut=")
    amounts = {
        option: checked.not_negative(given[option], what, option)
        for option in ("friction", "damping", "stiffness", "armature")
        if option in given
    }
    _refuse_meaningless(what, kind, amounts, limits)
    return Joint(
        name,
        owner,
        kind,
        a,
        b,
        at,
        axis,
        frame_a,
        frame_b,
        position,
        _start(what, kind, "velocity", KINDS[kind].nv, KINDS[kind].velocity, given.get("velocity")),
        limits,
        rest=checked.number(given["rest"], what, "rest") if "rest" in given else 0.0,
        pitch=pitch,
        cut=bool(cut),
        **amounts,
    )


def _place(
    what: str, kind: JointKind, given: Mapping[str, Any]
) -> tuple[Vector | None, Vector | None, Frame | None, Frame | None]:
    """Either a point and an axis in the owner's coordinates, or two local frames."""
    needs_axis = KINDS[kind].needs_axis
    remedy = f"at={' and axis=' if needs_axis else ''}, or frame_a= and frame_b="
    local = [option for option in ("frame_a", "frame_b") if option in given]
    outer = [option for option in ("at", "axis") if option in given]
    if local and outer:
        raise ModelError(f"{what}: {outer[0]}= and {local[0]}= place it twice; give either {remedy}")
    if local:
        for option in local:
            if not isinstance(given[option], Frame):
                raise ModelError(f"{what}: {option} must be a Frame; give {option}=lw.Frame(position=..., rotation=...)")
        return None, None, given.get("frame_a", Frame()), given.get("frame_b", Frame())
    if not outer and kind in ("fixed", "free"):
        return None, None, None, None
    if "at" not in given:
        raise ModelError(f"{what}: its place is not known; give {remedy}")
    at = checked.vector(given["at"], what, "at", 3, "metres")
    if "axis" not in given:
        if needs_axis:
            raise ModelError(f"{what}: its axis is not known; give {remedy}")
        return at, None, None, None
    return at, _two_axes(what, given["axis"]) if kind == "universal" else _axis(what, given["axis"]), None, None


def _axis(what: str, axis: Any) -> Vector:
    return checked.direction(axis, what, "axis")


def _two_axes(what: str, axes: Any) -> Vector:
    """The two axes of a universal joint, (2, 3), exactly perpendicular."""
    given = checked.array(axes, what, "axis", "two directions (first, second)")
    if given.shape != (2, 3):
        raise ModelError(f"{what}: a universal joint turns about two axes; give axis=((1, 0, 0), (0, 1, 0)), for example")
    first, second = (checked.direction(row, what, "axis") for row in given)
    if abs(float(first @ second)) > checked.PERPENDICULAR:
        raise ModelError(f"{what}: its two axes are not perpendicular; give axis=(first, second) at a right angle")
    second = second - float(first @ second) * first
    result = np.array((first, second / np.linalg.norm(second)))
    result.flags.writeable = False
    return result


def _start(what: str, kind: JointKind, option: str, count: int, meaning: str, value: Any) -> tuple[float, ...] | None:
    """A start position or velocity; quaternions are normalised."""
    if value is None:
        return None
    if count == 0:
        raise ModelError(f"{what}: a fixed joint has no {option}; remove {option}=")
    start = checked.array(value, what, option, meaning)
    if start.shape != (count,) and not (count == 1 and start.shape == ()):
        raise ModelError(
            f"{what}: {option} of a {kind} joint is {meaning} ({count} numbers), "
            f"got {start.size}; correct {option}="
        )
    numbers = tuple(np.atleast_1d(start).tolist())
    if option == "position" and kind in ("ball", "free"):
        w, x, y, z = numbers[-4:]
        return numbers[:-4] + unit((w, x, y, z), what, option)
    return numbers


def _limits(what: str, kind: JointKind, value: Any, position: tuple[float, ...] | None) -> Limits | None:
    """(low, high) for joints with one coordinate, one pair per coordinate for others."""
    if value is None:
        return None
    count = KINDS[kind].nv
    if kind in ("fixed", "ball", "free"):
        raise ModelError(f"{what}: a {kind} joint has no limits; remove limits=, or use another kind of joint")
    if count == 1:
        pairs: tuple[tuple[float, float], ...] = (_pair(what, value),)
    else:
        if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != count:
            raise ModelError(f"{what}: a {kind} joint has {count} coordinates; give limits= with {count} pairs (low, high)")
        pairs = tuple((-math.inf, math.inf) if pair is None else _pair(what, pair) for pair in value)
    for start, (low, high) in zip(position or (), pairs):
        if not low <= start <= high:
            raise ModelError(f"{what}: it starts at {start:g}, outside its limits {low:g} to {high:g}; correct position= or limits=")
    return pairs[0] if count == 1 else pairs


def _pair(what: str, value: Any) -> tuple[float, float]:
    try:
        low, high = (checked.real(default if side is None else side) for side, default in zip(value, (-math.inf, math.inf), strict=True))
    except (TypeError, ValueError):
        low = high = None
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        raise ModelError(f"{what}: limits must be a pair of numbers (low, high), got {value!r}; correct limits=")
    if low >= high:
        raise ModelError(f"{what}: its lower limit {low:g} is not below its upper limit {high:g}; give limits=(low, high)")
    return low, high


def _refuse_meaningless(what: str, kind: JointKind, amounts: Mapping[str, float], limits: Limits | None) -> None:
    """Nothing is accepted and then ignored."""
    for option, amount in amounts.items():
        if amount == 0.0:
            continue
        if kind == "fixed":
            raise ModelError(f"{what}: a fixed joint does not move and has no {option}; remove {option}=")
        if kind in ("ball", "free") and option == "stiffness":
            raise ModelError(f"{what}: a {kind} joint has no single position to spring back to; remove stiffness= and use spring()")

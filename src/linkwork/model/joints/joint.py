"""Joints and their options; the kinds of joints are in `joint_kinds`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypedDict

from linkwork.model.body import Body, Part
from linkwork.model.checked import Vector, VectorLike
from linkwork.model.forces.soft import Soft
from linkwork.model.frame import Frame
from linkwork.model.joints.cone import Cone
from linkwork.model.joints.guide_curve import GuideCurve
from linkwork.model.joints.guide_surface import GuideSurface
from linkwork.model.joints.joint_kinds import KINDS, JointKind

Limits: TypeAlias = tuple[float, float] | tuple[tuple[float, float], ...] | Cone


class JointOptions(TypedDict, total=False):
    """The keywords every joint verb takes; see `Joint` for their meaning."""

    at: VectorLike | None
    axis: VectorLike | Sequence[VectorLike] | None
    frame_a: Frame | None
    frame_b: Frame | None
    position: float | VectorLike | None
    velocity: float | VectorLike | None
    limits: Sequence[Any] | Cone | None
    limit_softness: Soft | None
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

    * `at` (metres) and `axis`, in the owner's coordinates, with all bodies in their reference poses, where the
      position is zero;
    * `frame_a`, `frame_b`: the joint's frames inside a and inside b; the axis is their z (universal: x of `frame_a`,
      then y of `frame_b`; planar: z is the normal).

    A fixed joint needs neither; it then welds the bodies in their reference poses. A free joint needs neither; its
    position is then the pose of b's frame in a's. A slide needs only `axis`. The reaction of a weld or slide without
    `at` is given at the origin of b, or of a if b is a ground.

    Other options, in SI units with radians; one number applies to all coordinates of the joint:

    * `position`, `velocity`: start values, tuples of `nq` and `nv` numbers, None if not given;
    * `limits`: (low, high), one pair for each coordinate if there are several; None means no limit on that side; of a
      ball or universal joint an `lw.Cone`; the stops are rigid, or compliant with `limit_softness` (an `lw.Soft`); the
      column `stop_force` (N m or N) is what they push with, positive where a coordinate is pushed up;
    * `friction`: Coulomb, N m or N, of a ball joint about whatever axis it turns; `damping`: N m s/rad or N s/m;
      `stiffness`: N m/rad or N/m, towards `rest`;
    * `armature`: inertia of a rotor, kg m2 or kg; `pitch`: of a screw, metres per turn; `cut`: closes a loop.

    | kind | position | nq | nv |
    |---|---|---|---|
    | fixed, distance, rolling, rolling_pair | | 0 | 0 |
    | revolute, screw | angle | 1 | 1 |
    | prismatic | distance | 1 | 1 |
    | slot | arc length | 1 | 1 |
    | cylindrical | angle, distance | 2 | 2 |
    | universal | two angles | 2 | 2 |
    | ball | quaternion | 4 | 3 |
    | planar | x, y, angle | 3 | 3 |
    | surface | x, y, z | 3 | 3 |
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
    limit_softness: Soft | None = None

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
        if self.limits is None or isinstance(self.limits, Cone):
            return ((-math.inf, math.inf),) * self.nv
        pairs: Any = (self.limits,) if self.nv == 1 else self.limits
        return tuple(pairs)

    @property
    def word(self) -> str:
        """The kind of joint."""
        return self.kind

    @property
    def hidden(self) -> bool:
        """Whether it is the slide of a state."""
        return self.b.hidden

    @property
    def kind_of_name(self) -> str:
        """A body may have the name of a joint."""
        return "joint"

    @property
    def about(self) -> str:
        """What it connects or acts on."""
        return f"{self.a.path} to {self.b.path}"

    def __repr__(self) -> str:
        return f"<{self.kind} '{self.path}': {self.a.path} to {self.b.path}>"


@dataclass(frozen=True, eq=False, repr=False)
class Distance(Joint):
    """Two points at a fixed distance: `length` in metres, None for that of the reference configuration.

    Made by `model.distance`.
    """

    length: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Slot(Joint):
    """A point of b on a curve of a. Made by `model.slot`."""

    curve: GuideCurve = field(kw_only=True)


@dataclass(frozen=True, eq=False, repr=False)
class SurfaceJoint(Joint):
    """A point of b on a surface of a. Made by `model.surface`."""

    surface: GuideSurface = field(kw_only=True)

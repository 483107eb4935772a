"""The kinds of joints: one table, from which every room takes what it wants to know of a kind.

A kind is what b may do relative to a (`motions`, for the tree), what must vanish where the joint closes a loop (`rows`)
and the coordinates that it goes on having there (`measures`). Sizes, units and what the joint carries follow from them.
`assembly.kinds` gives these words their codes. x, y, z are axes 0, 1, 2 of the joint's frames.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

JointKind = Literal[
    "fixed",
    "revolute",
    "prismatic",
    "cylindrical",
    "screw",
    "universal",
    "ball",
    "planar",
    "free",
    "distance",
    "slot",
    "surface",
    "rolling",
    "rolling_pair",
]
MotionWord: TypeAlias = Literal["weld", "turn", "slide", "helical", "swing", "free"]
RowWord: TypeAlias = Literal["along", "crossed", "couple", "distance", "across", "surface", "rim", "slip", "tangent"]
MeasureWord: TypeAlias = Literal[
    "angle", "offset", "arc length", "screw angle", "first angle", "second angle", "attitude", "outer attitude"
]
Drawing: TypeAlias = Literal["weld", "pin", "ball", "guide", "plane", "rod", "curve", "nothing"]

X, Y, Z = 0, 1, 2


class Units(NamedTuple):
    """The unit of each position number and of each velocity (that over seconds) of a motion."""

    position: tuple[str, ...]
    rate: tuple[str, ...]


UNITS: dict[MotionWord, Units] = {
    "weld": Units((), ()),
    "turn": Units(("rad",), ("rad",)),
    "slide": Units(("m",), ("m",)),
    "helical": Units(("rad",), ("rad",)),
    "swing": Units(("1",) * 4, ("rad",) * 3),
    "free": Units(("m",) * 3 + ("1",) * 4, ("m",) * 3 + ("rad",) * 3),
}
TURNS = ("turn", "helical")  # motions by one angle
QUATERNIONS = ("swing", "free")  # motions whose position ends in a quaternion


class JointMotion(NamedTuple):
    """One motion of a joint, about or along an axis of its frame."""

    word: MotionWord
    axis: int = Z

    @property
    def nq(self) -> int:
        """Numbers of its position."""
        return len(UNITS[self.word].position)

    @property
    def nv(self) -> int:
        """Numbers of its velocity."""
        return len(UNITS[self.word].rate)


class JointRow(NamedTuple):
    """One equation of a joint that closes a loop.

    "along": the offset of the frames along axis i; "crossed": the scalar product of axis i of a and axis j of b;
    "couple": the thread of a screw; "distance": the length of a rod; "across": the offset from a curve along one of two
    directions across it; "surface": the distance from a surface; "rim": the lowest point of a disc is on a plane.
    Of velocities: "slip" at that point along axis i of a, "tangent": where two wheels touch.
    """

    word: RowWord
    i: int = Z
    j: int = Z


class JointMeasure(NamedTuple):
    """A coordinate read off the two frames of a joint that closes a loop."""

    word: MeasureWord
    axis: int = Z

    @property
    def nq(self) -> int:
        """Numbers of its position."""
        return 4 if self.word.endswith("attitude") else 1

    @property
    def nv(self) -> int:
        """Numbers of its velocity."""
        return 3 if self.word.endswith("attitude") else 1


class Kind(NamedTuple):
    """All that is known of a kind of joint."""

    motions: tuple[JointMotion, ...]
    rows: tuple[JointRow, ...]
    measures: tuple[JointMeasure, ...]
    position: str  # what its position is, in words
    velocity: str
    drawn: Drawing

    @property
    def nq(self) -> int:
        """Numbers of its position."""
        return sum(each.nq for each in self.motions or self.measures)

    @property
    def nv(self) -> int:
        """Numbers of its velocity."""
        return sum(each.nv for each in self.motions or self.measures)

    @property
    def units(self) -> Units:
        """The unit of each of its numbers."""
        if not self.motions:  # what is always a cut measures lengths
            return Units(("m",) * self.nq, ("m",) * self.nv)
        units = [UNITS[motion.word] for motion in self.motions]
        return Units(sum((each.position for each in units), ()), sum((each.rate for each in units), ()))

    @property
    def needs_axis(self) -> bool:
        """Whether it turns about or slides along an axis that has to be given."""
        return any(motion.word in (*TURNS, "slide") for motion in self.motions)

    @property
    def has_quaternion(self) -> bool:
        """Whether the last four numbers of its position are a quaternion."""
        return any(motion.word in QUATERNIONS for motion in self.motions)

    @property
    def has_pitch(self) -> bool:
        """Whether it advances while it turns."""
        return any(motion.word == "helical" for motion in self.motions)

    @property
    def always_cut(self) -> bool:
        """Whether it has no motions of its own and can only close a loop."""
        return not self.motions

    @property
    def angles(self) -> tuple[int, ...]:
        """Which of its coordinates are angles that nothing else follows from."""
        if self.has_quaternion:
            return ()
        return tuple(k for k, motion in enumerate(self.motions) if motion.word == "turn")

    @property
    def about_axis(self) -> bool:
        """Whether its first coordinate is an angle about z, and the only one."""
        turning = [motion for motion in self.motions if motion.word in TURNS]
        return len(turning) == 1 and turning[0] is self.motions[0]

    @property
    def slides_only(self) -> bool:
        """Whether its one coordinate is a distance."""
        return [each.word for each in self.motions or self.measures] in (["slide"], ["arc length"])

    @property
    def holds_point(self) -> bool:
        """Whether a point of b stays where it is on a, or as a thread leads it."""
        return {"force x", "force y", "force z"} <= set(self.carries)

    @property
    def carries(self) -> tuple[str, ...]:
        """The forces and torques that it carries, in the axes of frame b; without an axis where they have none."""
        found: set[str] = set()
        crossed = [row for row in self.rows if row.word == "crossed"]
        for row in self.rows:
            if row.word == "along":
                found.add(f"force {'xyz'[row.i]}")
            elif row.word == "couple":
                found |= {"force z", "torque z"}
            elif row.word in ("distance", "across", "surface"):
                found.add("force")
            elif row.word in ("rim", "slip", "tangent"):  # at the contact point, which is not that of frame b
                found |= {"force", "torque"}
            else:  # a pair that stays at a right angle while both of its axes turn has no axis of frame b between them
                found.add("torque" if len(crossed) == 1 else f"torque {'xyz'[3 - row.i - row.j]}")
        return tuple(sorted(found))


TURN, SLIDE = JointMotion("turn"), JointMotion("slide")
IN_LINE = (JointRow("along", X), JointRow("along", Y))
IN_PLANE = (JointRow("along", Z),)
COINCIDE = IN_LINE + IN_PLANE
PARALLEL = (JointRow("crossed", X, Z), JointRow("crossed", Y, Z))
PERPENDICULAR = (JointRow("crossed", Y, X),)
ANGLE, SLIDING = JointMeasure("angle"), JointMeasure("offset")
OFFSETS = (JointMeasure("offset", X), JointMeasure("offset", Y))

KINDS: dict[str, Kind] = {
    "fixed": Kind(
        motions=(JointMotion("weld"),),
        rows=COINCIDE + PARALLEL + PERPENDICULAR,
        measures=(),
        position="nothing",
        velocity="nothing",
        drawn="weld",
    ),
    "revolute": Kind(
        motions=(TURN,),
        rows=COINCIDE + PARALLEL,
        measures=(ANGLE,),
        position="an angle in radians",
        velocity="a rate in rad/s",
        drawn="pin",
    ),
    "prismatic": Kind(
        motions=(SLIDE,),
        rows=IN_LINE + PARALLEL + PERPENDICULAR,
        measures=(SLIDING,),
        position="a distance in metres",
        velocity="a speed in m/s",
        drawn="guide",
    ),
    "cylindrical": Kind(
        motions=(TURN, SLIDE),
        rows=IN_LINE + PARALLEL,
        measures=(ANGLE, SLIDING),
        position="an angle and a distance",
        velocity="a rate and a speed",
        drawn="guide",
    ),
    "screw": Kind(
        motions=(JointMotion("helical"),),
        rows=(*IN_LINE, *PARALLEL, JointRow("couple")),
        measures=(JointMeasure("screw angle"),),
        position="an angle in radians",
        velocity="a rate in rad/s",
        drawn="pin",
    ),
    "universal": Kind(
        motions=(JointMotion("turn", X), JointMotion("turn", Y)),
        rows=(*COINCIDE, JointRow("crossed", X, Y)),
        measures=(JointMeasure("first angle"), JointMeasure("second angle")),
        position="two angles in radians",
        velocity="two rates in rad/s",
        drawn="pin",
    ),
    "ball": Kind(
        motions=(JointMotion("swing"),),
        rows=COINCIDE,
        measures=(JointMeasure("attitude"),),
        position="a quaternion w, x, y, z",
        velocity="three rates in rad/s",
        drawn="ball",
    ),
    "planar": Kind(
        motions=(JointMotion("slide", X), JointMotion("slide", Y), TURN),
        rows=IN_PLANE + PARALLEL,
        measures=(*OFFSETS, ANGLE),
        position="x, y in metres and an angle",
        velocity="two speeds in m/s and a rate",
        drawn="plane",
    ),
    "free": Kind(
        motions=(JointMotion("free"),),
        rows=(),
        measures=(*OFFSETS, SLIDING, JointMeasure("outer attitude")),
        position="x, y, z and a quaternion w, x, y, z",
        velocity="three speeds and three rates",
        drawn="nothing",
    ),
    "distance": Kind(
        motions=(),
        rows=(JointRow("distance"),),
        measures=(),
        position="nothing",
        velocity="nothing",
        drawn="rod",
    ),
    "slot": Kind(
        motions=(),
        rows=(JointRow("across", 0), JointRow("across", 1)),
        measures=(JointMeasure("arc length"),),
        position="an arc length in metres",
        velocity="a speed in m/s",
        drawn="curve",
    ),
    "surface": Kind(
        motions=(),
        rows=(JointRow("surface"),),
        measures=(*OFFSETS, SLIDING),
        position="x, y, z in metres",
        velocity="three speeds in m/s",
        drawn="nothing",
    ),
    "rolling": Kind(
        motions=(),
        rows=(JointRow("rim"), JointRow("slip", X), JointRow("slip", Y)),
        measures=(),
        position="nothing",
        velocity="nothing",
        drawn="nothing",
    ),
    "rolling_pair": Kind(
        motions=(),
        rows=(JointRow("tangent"),),
        measures=(),
        position="nothing",
        velocity="nothing",
        drawn="nothing",
    ),
}

ATTACHED = tuple(kind for kind, facts in KINDS.items() if facts.motions and facts.rows)  # what events may attach
# kinds whose first coordinate is the one angle they have; the simplest first
ABOUT_AXIS = tuple(sorted((kind for kind, facts in KINDS.items() if facts.about_axis), key=lambda kind: KINDS[kind].nv))


def drawn_as(*drawings: Drawing) -> tuple[str, ...]:
    """The kinds of joints that are drawn in one of these ways.

    >>> drawn_as("guide")
    ('prismatic', 'cylindrical')
    """
    return tuple(kind for kind, facts in KINDS.items() if facts.drawn in drawings)

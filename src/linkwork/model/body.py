"""Bodies and grounds, and the checks of their mass properties."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.checked import Vector, VectorLike
from linkwork.model.contact.material import Material
from linkwork.model.frame import Frame
from linkwork.model.laws.laws import Motion
from linkwork.model.shapes.shapes import Shape

if TYPE_CHECKING:
    from linkwork.model.container import Container
    from linkwork.model.joints.joint import Joint

SLACK = 1e-9  # of the largest principal inertia


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """Anything with a name inside a model. Parts never change: for other numbers build the model again."""

    name: str
    owner: Container

    @property
    def path(self) -> str:
        """The full name with dots, seen from the model: 'left damper.piston'."""
        return self.owner.inner_path(self.name, self.kind_of_name)

    @property
    def kind_of_name(self) -> str:
        """What distinguishes it from another part of this name: body, joint or ground; empty if none can exist."""
        return ""

    @property
    def hidden(self) -> bool:
        """Whether it only carries a state of a law: it is neither listed nor drawn."""
        return False

    @property
    def word(self) -> str:
        """What kind of part it is, in one word."""
        return type(self).__name__.lower()

    @property
    def about(self) -> str:
        """What it connects or acts on, or its first number."""
        return ""

    def __repr__(self) -> str:
        return f"<{self.word} '{self.path}'>"


@dataclass(frozen=True, eq=False, repr=False)
class Body(Part):
    """A rigid body: `mass` (kg), `inertia` about its centre of mass in body axes (3x3, kg m2), `com` (m, body frame).

    `reference` is its pose in the owner's coordinates, or None if it follows from the joints. Made by `model.body`.

    >>> model = lw.Model("one body")
    >>> model.body("ball", mass=2.0, shape=lw.Sphere(0.1)).inertia.diagonal().round(6).tolist()
    [0.008, 0.008, 0.008]
    """

    mass: float
    inertia: Vector
    com: Vector
    reference: Frame | None = None
    shape: Shape | None = None
    density: float | None = None
    material: Material | None = None
    group: str | None = None

    @property
    def kind_of_name(self) -> str:
        """A joint may have the name of a body."""
        return "body"

    @property
    def about(self) -> str:
        """Its mass."""
        return f"{self.mass:g} kg"


@dataclass(frozen=True, eq=False, repr=False)
class Rotor(Body):
    """A body without mass that has inertia about the z axis of its frame alone, about which it turns on its carrier.

    Its joint is `shaft`, called as it is with " shaft" behind. Made by `model.rotor`.
    """

    @property
    def shaft(self) -> Joint:
        """The joint in which it turns; gears, motors and all else that wants a joint take the rotor for it."""
        shaft = self.owner.joints.get(shaft_name(self.name))
        if shaft is None or shaft.b is not self or shaft.kind != "revolute":
            raise ModelError(
                f"rotor '{self.path}': no revolute joint '{shaft_name(self.name)}' goes to it; add it beside the rotor"
            )
        return shaft

    @property
    def about(self) -> str:
        """Its inertia."""
        return f"{self.inertia[2, 2]:g} kg m2"


def shaft_name(rotor: str) -> str:
    """The name of the joint of a rotor.

    >>> shaft_name("flywheel")
    'flywheel shaft'
    """
    return f"{rotor} shaft"


@dataclass(frozen=True, eq=False, repr=False)
class Ground(Body):
    """A body with a prescribed motion, at rest if `motion` is None. Every model and subsystem has one as `.ground`."""

    motion: Motion | None = None

    @property
    def kind_of_name(self) -> str:
        """The ground of a subsystem may have the name of a body; others may not."""
        return "ground" if self.name == "ground" else ""

    @property
    def about(self) -> str:
        """That its motion is given."""
        return "moves as given"


@dataclass(frozen=True, eq=False, repr=False)
class Foreign(Ground):
    """A border body of a remote component: its pose is known here, its owner moves it.

    `start` is its pose at the start, `velocity` (m/s, of its origin) and `angular_velocity` (rad/s) how it moves then,
    all in the owner's coordinates; `reference` is its pose in the reference configuration.
    """

    start: Frame = field(default_factory=Frame)
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angular_velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)


def ground(name: str, owner: Container, motion: Motion | None = None, reference: Frame | None = None) -> Ground:
    """A ground with its zeros filled in."""
    zero, zeros = np.zeros(3), np.zeros((3, 3))
    zero.flags.writeable = zeros.flags.writeable = False
    return Ground(name, owner, 0.0, zeros, zero, reference or Frame(), motion=motion)


def mass_properties(
    what: str,
    mass: float | None,
    density: float | None,
    inertia: Any,
    com: VectorLike | None,
    shape: Shape | None,
) -> tuple[float, Vector, Vector]:
    """Mass, inertia and centre of mass from what the user gave."""
    if shape is not None and not isinstance(shape, Shape):
        raise ModelError(
            f"{what}: {checked.shown(shape)} is not a shape; give shape=lw.Box(...), lw.Sphere(...) or another shape"
        )
    weight = _mass(what, mass, density, shape)
    if inertia is not None:
        moments = check_inertia(inertia, what)
        if weight == 0.0 and moments.any():
            raise ModelError(
                f"{what}: mass is 0 but its inertia is not; give mass= in kilograms, or leave inertia= out for a part "
                "without mass that joints weld to its neighbour"
            )
    elif weight == 0.0:
        moments = np.zeros((3, 3))
    elif shape is None:
        raise ModelError(f"{what}: its inertia is not known; give inertia= or shape= (inertia=0 makes a point mass)")
    elif com is not None and not np.allclose(checked.vector(com, what, "com"), shape.com, rtol=0, atol=1e-12):
        raise ModelError(
            f"{what}: com= contradicts the centre of its shape; "
            "place the shape with pose=lw.Frame(...), or give inertia= as well"
        )
    else:
        moments = weight * shape.inertia_per_mass()
    if com is not None:
        centre = checked.vector(com, what, "com", 3, "metres")
    else:
        centre = np.zeros(3) if shape is None else shape.com
    for values in (moments, centre):
        values.flags.writeable = False
    return weight, moments, centre


def _mass(what: str, mass: float | None, density: float | None, shape: Shape | None) -> float:
    if mass is not None and density is not None:
        raise ModelError(f"{what}: both mass= and density= are given; give one of them")
    if density is not None:
        if shape is None:
            raise ModelError(f"{what}: density= needs a volume; give shape= as well, or mass= instead")
        return checked.positive(density, what, "density", "kg/m3") * shape.volume
    if mass is None:
        raise ModelError(f"{what}: its mass is not known; give mass=, or shape= with density=")
    weight = checked.number(mass, what, "mass", "kilograms")
    if weight < 0.0:
        raise ModelError(f"{what}: mass is {weight:g} but must not be negative; give mass= in kilograms")
    return weight


def check_inertia(inertia: Any, what: str) -> Vector:
    """A symmetric 3x3 inertia that some distribution of mass can have."""
    given = checked.array(inertia, what, "inertia", "three principal values or a 3x3 matrix, in kg m2")
    if given.shape == () and given == 0.0:
        return np.zeros((3, 3))
    if given.shape == (3,):
        moments: Vector = np.diag(given)
        principal: Vector = np.sort(given)
    elif given.shape == (3, 3):
        largest = float(np.abs(given).max())
        if np.abs(given - given.T).max() > SLACK * largest:
            raise ModelError(f"{what}: the inertia matrix is not symmetric; give inertia= with equal mirrored entries")
        moments = (given + given.T) / 2
        principal = np.linalg.eigvalsh(moments).astype(np.float64)
    else:
        raise ModelError(
            f"{what}: inertia has shape {given.shape}; give inertia= as three principal values, "
            "a 3x3 matrix, or 0 for a point mass"
        )
    low, middle, high = principal.tolist()
    slack = SLACK * max(abs(low), abs(high))
    if low < -slack:
        raise ModelError(
            f"{what}: inertia has the negative principal value {low:g}; give inertia= without negative ones"
        )
    if low + middle < high - slack:
        raise ModelError(
            f"{what}: no body has the principal inertias {low:g}, {middle:g}, {high:g}, because the two smaller must "
            "together reach the largest; correct inertia= (about the centre of mass, in kg m2)"
        )
    return moments

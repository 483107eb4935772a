"""Models and subsystems: the classes that describe a mechanism."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Never, TypeVar, overload

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body, Ground, ground, mass_properties
from linkwork.model.checked import Vector, VectorLike
from linkwork.model.contact.collider import check_group, check_shape
from linkwork.model.contact.contact_verbs import ContactVerbs
from linkwork.model.contact.material import Material, check_material
from linkwork.model.contact.touch import TouchVerbs
from linkwork.model.control.controller import ControlVerbs, SignalVerbs
from linkwork.model.control.event_verbs import EventVerbs
from linkwork.model.control.stepped import Stepped, component_of, stepped_part
from linkwork.model.control.when import WhenVerbs
from linkwork.model.forces.bushing import BushingVerbs
from linkwork.model.forces.force_verbs import ForceVerbs
from linkwork.model.forces.rotor import RotorVerbs
from linkwork.model.forces.tyre import TyreVerbs
from linkwork.model.frame import Frame, RotationLike, pose
from linkwork.model.joints.joint import Joint
from linkwork.model.joints.joint_verbs import BodyLike, JointVerbs
from linkwork.model.joints.rolling import RollingVerbs
from linkwork.model.laws.input_number import InputVerbs
from linkwork.model.laws.laws import Motion
from linkwork.model.outline import Outlined
from linkwork.model.shapes.shapes import Cylinder, Shape
from linkwork.model.shapes.visual import VisualVerbs

if TYPE_CHECKING:
    from linkwork.formats.receipt import Receipt

AnySubsystem = TypeVar("AnySubsystem", bound="Subsystem")


class Parts(
    Outlined,
    JointVerbs,
    RollingVerbs,
    ForceVerbs,
    RotorVerbs,
    ControlVerbs,
    WhenVerbs,
    SignalVerbs,
    InputVerbs,
    BushingVerbs,
    TyreVerbs,
    ContactVerbs,
    TouchVerbs,
    VisualVerbs,
    EventVerbs,
):
    """What models and subsystems share: the methods that add parts, and the parts by name.

    `.bodies .joints .forces .drives .colliders .visuals .subsystems .ports .grounds` are dicts in declaration order,
    `.events` is a list. A part is also available as an attribute (`damper.piston`, ports first) or by its full name
    (`model["left damper.piston"]`).
    """

    def body(
        self,
        name: str,
        *,
        mass: float | None = None,
        density: float | None = None,
        shape: Shape | None = None,
        inertia: float | VectorLike | Sequence[VectorLike] | None = None,
        com: VectorLike | None = None,
        position: VectorLike | None = None,
        rotation: RotationLike | None = None,
        material: Material | None = None,
        group: str | None = None,
        **unknown: Never,
    ) -> Body:
        """A rigid body, from a shape and its mass or density, or from explicit numbers.

        `mass` kg, `density` kg/m3; `inertia` in kg m2 about the centre of mass, in body axes: three principal values, a
        3x3 matrix, or 0 for a point mass. A body with `mass=0` must be welded to a body with mass, or carry one on its
        joints. `com` in metres in the body frame (default: that of the shape, or the origin). `position` (m) and
        `rotation` (quaternion w, x, y, z or 3x3) place the body frame in the reference configuration; leave out both if
        the joints' local frames place it. With a `material` the body collides with other bodies that have one, except
        with those of the same `group` and with its neighbours along joints.

        >>> model = lw.Model("parts")
        >>> rod = model.body("rod", shape=lw.Cylinder(0.02, 1.0), density=7800, position=(0, 0, 1))
        >>> bob = model.body("bob", mass=2.0, inertia=(0.1, 0.1, 0.05), com=(0, 0, -0.2))
        >>> round(rod.mass, 3), bob.path
        (9.802, 'bob')
        """
        what = self._new("body", name, "body")
        self._only_known("body", what, unknown)
        properties = mass_properties(what, mass, density, inertia, com, shape)
        reference = None if position is None and rotation is None else pose(position, rotation, what)
        if material is not None:
            check_material(material, what)
            if shape is None:
                raise ModelError(f"{what}: a material needs a surface; give shape= too, or use model.collider(...)")
            check_shape(shape, what)
        if check_group(group, what) is not None and material is None:
            raise ModelError(f"{what}: a group applies to bodies that can collide; give material= too")
        body = Body(name, self, *properties, reference, shape, density, material, group)
        return self._keep(self.bodies, body)

    def link(
        self,
        name: str,
        p: VectorLike,
        q: VectorLike,
        *,
        mass: float | None = None,
        density: float | None = None,
        radius: float | None = None,
        material: Material | None = None,
        group: str | None = None,
        **unknown: Never,
    ) -> Body:
        """A rod between two points: a body with the shape of a solid round bar from `p` to `q` (m).

        The points are in world coordinates (in a subsystem: in its coordinates), in the reference configuration. Give
        `mass` in kg or `density` in kg/m3. `radius` is in m, by default a fiftieth of the length. The body frame is at
        the middle, its z from p to q; the inertia is that of the bar. `material` and `group` as of `body`.

        >>> model = lw.Model("pendulum")
        >>> rod = model.link("rod", (0, 0, 0), (0.6, 0, -0.8), mass=0.5)
        >>> pin = model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0))
        >>> rod.reference.position.round(3).tolist(), rod.reference.point((0, 0, 0.5)).round(3).tolist()
        ([0.3, 0.0, -0.4], [0.6, 0.0, -0.8])
        """
        what = self._new("body", name)
        self._only_known("link", what, unknown)
        ends = [checked.vector(end, what, option, 3, "metres") for end, option in ((p, "p"), (q, "q"))]
        along = ends[1] - ends[0]
        length = float(np.linalg.norm(along))
        if length <= 1e-9 * float(np.abs(ends).max()):
            raise ModelError(f"{what}: its ends p and q are at one place; give two different points")
        thick = length / 50 if radius is None else checked.positive(radius, what, "radius", "metres")
        place = Frame.along(along, (ends[0] + ends[1]) / 2)
        return self.body(
            name,
            mass=mass,
            density=density,
            shape=Cylinder(thick, length),
            position=place.position,
            rotation=place.rotation,
            material=material,
            group=group,
        )

    def moving_ground(
        self,
        name: str,
        motion: Motion,
        *,
        position: VectorLike | None = None,
        rotation: RotationLike | None = None,
        **unknown: Never,
    ) -> Ground:
        """A ground with a prescribed motion, relative to its reference pose: a shaker, a road, a ship's deck.

        >>> model = lw.Model("shaker")
        >>> table = model.moving_ground("table", lw.Motion(position=(lw.Cosine(0.01, frequency=5.0), 0, 0)))
        >>> box = model.body("box", mass=1.0, shape=lw.Box((0.1, 0.1, 0.1)))
        >>> weld = model.fixed("weld", table, box)
        """
        what = self._new("moving ground", name)
        self._only_known("moving_ground", what, unknown)
        if not isinstance(motion, Motion):
            raise ModelError(
                f"{what}: its motion is {checked.shown(motion)}; "
                "give lw.Motion(position=(x, y, z), axis=..., angle=...)"
            )
        return self._keep(self.grounds, ground(name, self, motion, pose(position, rotation, what)))

    def port(self, name: str, body: BodyLike) -> Body:
        """Make a body available to the outside under a name: `damper.piston`, "left damper.piston". Returns the body.

        >>> class Damper(lw.Subsystem):
        ...     def build(self, *, mass=1.0):
        ...         self.port("piston", self.body("inner tube", mass=mass, inertia=0))
        >>> Damper(mass=2.0).piston.mass
        2.0
        """
        checked.part_name(name, f"port in {self._told}", top=isinstance(self, Model))
        what = f"port '{self.inner_path(name)}'"
        target = self._body(body, what)
        if name in self.ports or any(part is not target for part in self._called(name)):
            raise ModelError(f"{what}: the name is already taken by another part; choose another name")
        self.ports[name] = target
        return target

    @overload
    def add(
        self, name: str, subsystem: AnySubsystem, *, position: VectorLike | None = ..., rotation: Any = ...
    ) -> AnySubsystem: ...

    @overload
    def add(self, name: str, subsystem: Stepped, *, connect: Mapping[str, Any] | None = ..., **place: Any) -> Any: ...

    def add(
        self,
        name: str,
        subsystem: Any,
        *,
        position: VectorLike | None = None,
        rotation: RotationLike | None = None,
        connect: Mapping[str, Any] | None = None,
        **unknown: Never,
    ) -> Any:
        """Place a subsystem here under a name, its coordinates at `position` (m) and `rotation`. Returns it.

        An `lw.FMU` has `connect`: {its variable: column that it sees, or input that it sets}, or is such a subsystem.

        >>> class Wheel(lw.Subsystem):
        ...     def build(self, *, radius=0.3):
        ...         self.port("rim", self.body("rim", shape=lw.Cylinder(radius, 0.1), mass=10.0))
        >>> model = lw.Model("cart")
        >>> left = model.add("left", Wheel(radius=0.25), position=(0, 0.6, 0))
        >>> axle = model.revolute("axle", model.ground, left.rim, at=(0, 0.6, 0), axis=(0, 1, 0))
        >>> left.rim.path
        'left.rim'
        """
        subsystem = component_of(subsystem) if connect is None else subsystem
        if isinstance(subsystem, Stepped):
            self._only_known("add", self._new(subsystem.word, name), unknown)
            return self._keep(self.controllers, stepped_part(self, name, subsystem, connect, (position, rotation)))
        what = self._new("subsystem", name)
        self._only_known("add", what, unknown)
        if connect is not None:
            raise ModelError(f"{what}: connect= is for an lw.FMU; connect a subsystem by joints to its ports")
        if isinstance(subsystem, type) and issubclass(subsystem, Subsystem):
            raise ModelError(f"{what}: {subsystem.__name__} is a class; give an object of it, {subsystem.__name__}()")
        if not isinstance(subsystem, Subsystem):
            raise ModelError(
                f"{what}: {checked.shown(subsystem)} is not a subsystem; "
                "give an object of a class made from lw.Subsystem"
            )
        if subsystem.owner is not None:
            raise ModelError(
                f"{what}: this object is already in use as '{subsystem.path}'; make a second object of its class"
            )
        if any(inner is self for inner in subsystem.walk()):
            raise ModelError(f"{what}: a subsystem cannot hold itself; make a second object of its class")
        subsystem.placement = pose(position, rotation, what)
        subsystem.name, subsystem.owner = name, self
        self.subsystems[name] = self._names[name] = subsystem
        return subsystem


class Subsystem(Parts):
    """A reusable part of a mechanism: a class whose `build` calls the methods of a model on `self`.

    Keywords of the class are passed to `build`. A subsystem has its own coordinates; `add` places them in the model or
    subsystem that contains it. Joints from outside connect to its bodies, usually to its ports.

    >>> class Damper(lw.Subsystem):
    ...     def build(self, *, stiffness=5e4):
    ...         cylinder = self.port("cylinder", self.body("cylinder", mass=2.0, inertia=(0.1, 0.1, 0.01)))
    ...         piston = self.port("piston", self.body("piston", mass=1.0, inertia=(0.1, 0.1, 0.01)))
    ...         self.prismatic("slide", cylinder, piston, at=(0, 0, 0), axis=(0, 0, 1), stiffness=stiffness)
    >>> model = lw.Model("car")
    >>> damper = model.add("left damper", Damper(stiffness=6e4), position=(0, 1, 0))
    >>> model["left damper.slide"].stiffness
    60000.0
    """

    def __init__(self, *unnamed: Any, **parameters: Any) -> None:
        super().__init__("")
        if unnamed:
            names = ", ".join(f"{name}=..." for name in inspect.signature(self.build).parameters)
            name = type(self).__name__
            raise ModelError(f"subsystem {name}: its parameters are given by name; write {name}({names})")
        self._check_parameters(parameters)
        self.parameters = parameters  # another one like it is type(x)(**x.parameters)
        try:
            self.build(**parameters)
        except RecursionError:
            raise ModelError(
                f"subsystem {type(self).__name__}: its parts hold parts without end; does build() add one of its own "
                "class, or call itself? Let a parameter end it"
            ) from None

    def build(self, *_: Any, **parameters: Any) -> None:
        """Override this: add the parts with the methods on `self`. Its keywords are those of the class."""
        checked.unknown_options(parameters, (), f"subsystem {type(self).__name__}")

    def _check_parameters(self, parameters: dict[str, Any]) -> None:
        signature = inspect.signature(self.build)
        try:
            signature.bind(**parameters)
        except TypeError as error:
            what = f"subsystem {type(self).__name__}"
            checked.unknown_options(parameters.keys() - signature.parameters.keys(), signature.parameters, what)
            raise ModelError(f"{what}: {error}; give all that build() needs by keyword") from None

    @property
    def _label(self) -> str:
        return self.name or type(self).__name__


class Model(Parts):
    """A mechanism: bodies, joints, forces, drives and subsystems, with `gravity` in m/s2 (z is up).

    >>> model = lw.Model("pendulum", gravity=(0, 0, -9.81))
    >>> rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), com=(0, 0, -0.5))
    >>> pin = model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.3)
    >>> model
    <Model 'pendulum': 1 body, 1 joint>
    """

    gravity: Vector

    def __init__(self, name: str = "model", *, gravity: VectorLike = (0.0, 0.0, -9.81), **unknown: Never) -> None:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise ModelError(
                f"Model: its name must be one line of text, got {checked.shown(name)}; give one such as 'slider crank'"
            )
        checked.short_name(name, "Model")
        super().__init__(name)
        self._only_known("__init__", f"model '{name}'", unknown)
        self.gravity = checked.vector(gravity, f"model '{name}'", "gravity", 3, "m/s2")

    def write(self, file: str | PathLike[str], *, lossy: bool = False, **options: Any) -> Receipt:
        """Write the model to a file that `lw.read` and other programs read, and return the receipt.

        The ending tells the format: .toml and .json hold every model and read back equal, to the last bit; .urdf and
        .xml (MuJoCo) hold what these formats can say. What they cannot say is refused by name; `lossy=True` leaves it
        out and lists it in the receipt. Meshes are written beside the file. Python functions cannot be written.

        >>> model = lw.Model("pendulum")
        >>> rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), com=(0, 0, -0.5))
        >>> pin = model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.3)
        >>> receipt = model.write("pendulum.toml")
        >>> lw.read("pendulum.toml")[0] == model
        True
        """
        from linkwork.formats.writing import write

        return write(self, file, lossy=lossy, **options)

    @property
    def built(self) -> Model:
        """The model as it was built, before events changed it."""
        return self

    @property
    def _label(self) -> str:
        return ""

    @property
    def word(self) -> str:
        """What it is, in one word."""
        return "model"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self.gravity.tolist() == other.gravity.tolist() and self.content() == other.content()

    __hash__ = None  # type: ignore[assignment]  # a model changes while it is built


class Altered(Model):
    """A model during a run, after events: some joints attached, some released, everything else unchanged.

    >>> model = lw.Model("drop")
    >>> hook = model.fixed("hook", "ground", model.body("stone", mass=1.0, inertia=0))
    >>> altered = Altered(model, [], [hook])
    >>> list(altered.all_joints()), altered.bodies is model.bodies
    ([], True)
    """

    def __init__(self, model: Model, attached: Sequence[Joint], released: Sequence[Joint]) -> None:
        self.__dict__.update(model.__dict__)
        self._built, self.attached, self.released = model, tuple(attached), tuple(released)

    @property
    def built(self) -> Model:
        """The model as it was built."""
        return self._built

    def all_joints(self) -> Iterator[Joint]:
        """Every joint at present, attached ones last."""
        gone = {id(joint) for joint in self.released}
        yield from (joint for joint in self._built.all_joints() if id(joint) not in gone)
        yield from self.attached

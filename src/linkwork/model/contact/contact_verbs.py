"""Methods of models and subsystems for contact: planes, colliders, pairs that do not collide or differ from others."""

from __future__ import annotations

from typing import Never

from linkwork.errors import ModelError
from linkwork.model.body import Body, Ground
from linkwork.model.checked import VectorLike, direction, vector
from linkwork.model.contact.collider import Collider, Plane, check_group, check_shape
from linkwork.model.contact.contact_pair import ContactPair, pair_numbers
from linkwork.model.contact.material import Material, check_material
from linkwork.model.container import Container
from linkwork.model.frame import Frame
from linkwork.model.shapes.shapes import Shape


class ContactVerbs(Container):
    """Bodies with a `material=` collide; these methods add planes and further shapes."""

    def plane(
        self,
        name: str,
        *,
        at: VectorLike = (0.0, 0.0, 0.0),
        normal: VectorLike = (0.0, 0.0, 1.0),
        material: Material | None = None,
        on: Body | str = "ground",
        **unknown: Never,
    ) -> Collider:
        """An infinite floor, wall or ramp: solid behind the plane through `at` (m) with the outward `normal`.

        It belongs to a ground (`on`, which may move); `at` and `normal` are in the frame of that ground.

        >>> model = lw.Model("floor")
        >>> floor = model.plane("floor", material=lw.Material(friction=0.8))
        >>> ball = model.body("ball", shape=lw.Sphere(0.1), mass=1.0, position=(0, 0, 1), material=lw.Material())
        >>> floor.material.friction, ball.path
        (0.8, 'ball')
        """
        what = self._new("plane", name)
        self._only_known("plane", what, unknown)
        body = self._body(on, what)
        if not isinstance(body, Ground):
            raise ModelError(f"{what}: '{body.path}' is no ground, and a plane has no end; give on= a ground")
        pose = Frame.along(direction(normal, what, "normal"), vector(at, what, "at", 3, "metres"))
        made_of = Material() if material is None else check_material(material, what)
        return self._keep(self.colliders, Collider(name, self, body, Plane(pose=pose), made_of))

    def collider(
        self,
        name: str,
        body: Body | str,
        shape: Shape,
        *,
        material: Material | None = None,
        group: str | None = None,
        **unknown: Never,
    ) -> Collider:
        """A shape on a body or ground that collides with others; its `pose` is in the body's frame.

        To make the `shape=` of a body collide, give the body a `material=` instead. Colliders of the same `group` do
        not collide with each other. On a ground the shape may be an `lw.HeightField`.

        >>> model = lw.Model("step")
        >>> step = model.collider("step", "ground", lw.Box((1, 1, 0.2), pose=lw.Frame((2, 0, 0.1))))
        >>> step.material.friction
        0.5
        """
        what = self._new("collider", name)
        self._only_known("collider", what, unknown)
        made_of = Material() if material is None else check_material(material, what)
        on = self._body(body, what)
        part = Collider(name, self, on, check_shape(shape, what, on), made_of, check_group(group, what))
        return self._keep(self.colliders, part)

    def no_contact(self, a: Body | str, b: Body | str) -> None:
        """The bodies a and b do not collide.

        >>> model = lw.Model("box and lid")
        >>> box, lid = (model.body(name, shape=lw.Box((1, 1, 1)), mass=1.0, material=lw.Material()) for name in "ab")
        >>> model.no_contact(box, lid)
        """
        self.apart.append(self._two_bodies(a, b, "no_contact"))

    def contact_pair(
        self,
        a: Body | str,
        b: Body | str,
        *,
        friction: float | None = None,
        restitution: float | None = None,
        bounce_speed: float | None = None,
        rolling: float | None = None,
        torsional: float | None = None,
        **unknown: Never,
    ) -> None:
        """The bodies a and b collide, even if a joint connects them, and with this `friction` and `restitution`.

        So too `bounce_speed`, `rolling` and `torsional` (see `lw.Material`); the friction of a pair has no grain.
        What is left out is as their materials say. Bodies that a joint connects do not collide otherwise. Grounds take
        part too: friction of one body with the floor.

        >>> model = lw.Model("penknife")
        >>> handle, blade = (
        ...     model.body(name, shape=lw.Box((0.1, 0.01, 0.02)), mass=0.1, position=(x, 0, 0), material=lw.Material())
        ...     for name, x in (("handle", 0.0), ("blade", 0.101))
        ... )
        >>> pin = model.revolute("pin", handle, blade, at=(0.0505, 0, 0.011), axis=(0, 1, 0))
        >>> model.contact_pair(handle, blade, friction=0.1)
        """
        what = "contact_pair"
        self._only_known(what, what, unknown)
        first, second = self._two_bodies(a, b, what)
        numbers = pair_numbers(
            what,
            friction=friction,
            restitution=restitution,
            bounce_speed=bounce_speed,
            rolling=rolling,
            torsional=torsional,
        )
        self.pairs.append(ContactPair(first, second, numbers))

    def material_pair(
        self,
        a: Material,
        b: Material,
        *,
        friction: float | None = None,
        restitution: float | None = None,
        bounce_speed: float | None = None,
        rolling: float | None = None,
        torsional: float | None = None,
        **unknown: Never,
    ) -> None:
        """Between these two materials friction and restitution are these, in the whole model.

        So too `bounce_speed`, `rolling` and `torsional`. Materials with the same numbers are the same material. A
        `contact_pair` of two bodies comes before it.

        >>> model = lw.Model("curling")
        >>> granite, ice = lw.Material(friction=0.6), lw.Material(friction=0.1)
        >>> model.material_pair(granite, ice, friction=0.01)
        """
        what = "material_pair"
        self._only_known(what, what, unknown)
        first, second = check_material(a, what), check_material(b, what)
        numbers = pair_numbers(
            what,
            friction=friction,
            restitution=restitution,
            bounce_speed=bounce_speed,
            rolling=rolling,
            torsional=torsional,
        )
        self.pairs.append(ContactPair(first, second, numbers))

    def _two_bodies(self, a: Body | str, b: Body | str, what: str) -> tuple[Body, Body]:
        first, second = self._body(a, what), self._body(b, what)
        if first is second:
            raise ModelError(
                f"{what}: '{first.path}' is named twice, and a body does not collide with itself; give two bodies"
            )
        return first, second

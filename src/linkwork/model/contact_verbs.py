"""Methods of models and subsystems for contact: planes, colliders, and pairs that do not collide."""

from __future__ import annotations

from typing import Never

from linkwork.errors import ModelError
from linkwork.model.body import Body, Ground
from linkwork.model.checked import VectorLike, direction, vector
from linkwork.model.collider import Collider, Plane, check_group, check_shape
from linkwork.model.container import Container
from linkwork.model.frame import Frame
from linkwork.model.material import Material, check_material
from linkwork.model.shapes import Shape


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
        what = "no_contact"
        first, second = self._body(a, what), self._body(b, what)
        if first is second:
            raise ModelError(
                f"{what}: '{first.path}' is named twice, and a body does not collide with itself; give two bodies"
            )
        self.apart.append((first, second))

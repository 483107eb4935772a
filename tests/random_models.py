"""Random models in which every verb of a model can occur, with every option that it takes, in nested subsystems."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.model import Rotor
from random_mechanisms import perpendicular, random_body_numbers, random_direction, random_frame, random_rotation

KINDS = ("fixed", "revolute", "prismatic", "cylindrical", "screw", "universal", "ball", "planar", "free")
TURN = 2.0 * math.pi


class Maker:
    """Adds random parts to a container."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.count = 0

    def model(self) -> lw.Model:
        model = lw.Model("random", gravity=self.vector())
        self.fill(model, depth=1)
        return model

    # numbers

    def chance(self, share: float = 0.5) -> bool:
        return bool(self.rng.random() < share)

    def number(self, low: float = 0.1, high: float = 2.0) -> float:
        return float(self.rng.uniform(low, high))

    def vector(self) -> Any:
        return self.rng.normal(size=3)

    def some(self, **options: Any) -> dict[str, Any]:
        return {name: value() for name, value in options.items() if self.chance()}

    def name(self, word: str) -> str:
        self.count += 1
        return f"{word} {self.count}" if self.chance(0.8) else f'{word}.{self.count}, "ü"'

    def pick(self, things: Any) -> Any:
        found = list(things)
        return found[int(self.rng.integers(len(found)))]

    # values

    def frame(self) -> lw.Frame:
        return lw.Frame.along(random_direction(self.rng), self.vector()) if self.chance() else random_frame(self.rng)

    def soft(self) -> lw.Soft:
        if self.chance():
            return lw.Soft(hertz=self.number(), **self.some(damping_ratio=self.number))
        return lw.Soft(stiffness=self.number(), **self.some(damping=self.number))

    def material(self) -> lw.Material:
        extra = {"softness": self.soft()} if self.chance(0.3) else self.some(restitution=lambda: self.number(0, 1))
        extra |= self.some(bounce_speed=self.number, rolling=self.number, torsional=self.number)
        if self.chance(0.3):
            return lw.Material(friction=(self.number(), self.number()), grain=self.vector(), **extra)
        return lw.Material(**self.some(friction=self.number), **extra)

    def shape(self) -> Any:
        pose = self.some(pose=self.frame)
        r, h = self.number(), self.number()
        return self.pick(
            (
                lambda: lw.Box(self.rng.uniform(0.1, 1, 3), **pose),
                lambda: lw.Sphere(r, **pose),
                lambda: lw.Ellipsoid(self.rng.uniform(0.1, 1, 3), **pose),
                lambda: lw.Cylinder(r, h, **pose),
                lambda: lw.Capsule(r, h, **pose),
                lambda: lw.Hull(self.rng.normal(size=(int(self.rng.integers(4, 100)), 3)), **pose),
                lambda: lw.Mesh(triangles=lw.Hull(self.rng.normal(size=(8, 3))).triangles, **pose),
            )
        )()

    def law(self, size: int = 1) -> Any:
        n = int(self.rng.integers(2, 150))
        times = np.cumsum(self.rng.uniform(0.1, 1, n))
        kind = self.pick(("linear", "cubic"))
        if size == 3:
            vectors = (self.vector, lambda: lw.Table(times, self.rng.normal(size=(n, 3)), kind))
            return self.pick(
                (*vectors, lambda: lw.Step(self.vector(), self.number(), **self.some(before=self.vector)))
            )()
        return self.pick(
            (
                self.number,
                lambda: lw.Cosine(self.number(), self.number(), **self.some(phase=self.number, offset=self.number)),
                lambda: lw.Step(self.number(), self.number(), rise=self.number(), **self.some(before=self.number)),
                lambda: lw.Table(times, self.rng.normal(size=n), kind),
            )
        )()

    def amount(self) -> Any:
        if self.chance(0.6):
            return self.number()
        if self.chance():
            return lw.Curve([0.0, self.number()], self.rng.normal(size=(3, int(self.rng.integers(1, 7)))))
        x = np.cumsum(self.rng.uniform(0.1, 1, 5))
        return lw.Curve.through(x, self.rng.normal(size=5), self.pick(("linear", "cubic")))

    def road(self) -> lw.Road:
        x = np.cumsum(self.rng.uniform(0.1, 1, 5))
        h = self.number(-1, 1)
        pieces = (
            lambda: lw.FlatRoad(self.law()),
            lambda: lw.CosineBump(h, self.number(), self.number()),
            lambda: lw.Kerb(h, self.number(), **self.some(edge=self.number)),
            lambda: lw.Ramp(h, self.number(), self.number()),
            lambda: lw.Stairs(h, self.number(), tread=1.0, steps=3, **self.some(edge=lambda: self.number(0.1, 0.9))),
            lambda: lw.Profile(x, self.rng.normal(size=5), self.pick(("linear", "cubic"))),
        )
        road = self.pick(pieces)()
        return road + self.pick(pieces)() if self.chance(0.3) else road

    # parts

    def fill(self, here: Any, depth: int) -> None:
        for _ in range(int(self.rng.integers(1, 4))):
            self.body(here)
        if self.chance(0.3):
            laws = [lw.Cosine(self.number(), self.number()) if self.chance() else self.number() for _ in range(3)]
            motion = lw.Motion(position=laws, axis=random_direction(self.rng), angle=lw.Cosine(0.1, 1.0))
            here.moving_ground(self.name("ground"), motion, **self.pose())
        while depth and self.chance(0.5):
            inner = lw.Subsystem()
            self.fill(inner, depth - 1)
            here.add(self.name("sub"), inner, **self.pose())
        for verb in (self.joints, self.odd_joints, self.rotors, self.forces, self.drives, self.contacts, self.events):
            verb(here)
        if self.chance():
            here.port(self.name("port"), self.pick(here.all_bodies()))

    def pose(self) -> dict[str, Any]:
        return self.some(position=self.vector, rotation=lambda: random_rotation(self.rng))

    def body(self, here: Any) -> None:
        surface = self.some(material=self.material)
        if surface:
            surface |= self.some(group=lambda: "one")
        if self.chance(0.2):
            here.link(self.name("bar"), self.vector(), self.vector(), mass=self.number(), **surface)
        elif self.chance():
            how = {"density": self.number()} if self.chance() else {"mass": self.number()}
            here.body(self.name("body"), shape=self.shape(), **how, **self.pose(), **surface)
        else:
            here.body(self.name("body"), **random_body_numbers(self.rng), **self.pose())

    def pair(self, here: Any) -> tuple[Any, Any]:
        bodies = list(here.all_bodies())
        b = self.pick(bodies)
        a = self.pick([*(body for body in bodies if body is not b), *here.all_grounds()])
        return a, b

    def joints(self, here: Any) -> None:
        for _ in range(int(self.rng.integers(1, 5))):
            kind = self.pick(KINDS)
            nv = {"fixed": 0, "cylindrical": 2, "universal": 2, "ball": 3, "planar": 3, "free": 6}.get(kind, 1)
            options = self.some(velocity=lambda nv=nv: self.rng.normal(size=nv)) if nv else {}
            if self.chance():
                options |= {"frame_a": self.frame()} | self.some(frame_b=self.frame)
            else:
                first = random_direction(self.rng)
                axis = (first, perpendicular(self.rng, first)) if kind == "universal" else first
                options |= {"at": self.vector()} | ({} if kind in ("fixed", "ball", "free") else {"axis": axis})
            if kind in ("revolute", "prismatic", "screw"):
                amounts = dict.fromkeys(("friction", "damping", "stiffness", "armature"), self.number)
                options |= self.some(**amounts, cut=lambda: True)
                if "stiffness" in options:
                    options |= self.some(rest=self.number)
                if self.chance(0.4):
                    options |= {"limits": self.pick(((-1.0, None), (None, 3.0), (-2.0, 2.0)))}
                    options |= self.some(limit_softness=self.soft, position=lambda: self.number(-0.5, 0.5))
            elif nv == 2 and self.chance():
                options["limits"] = [(-1.0, 1.0), None]
            elif kind in ("ball", "free") and self.chance():
                turn = random_rotation(self.rng)
                options["position"] = turn if kind == "ball" else [*self.vector(), *turn]
            pitch = {"pitch": self.number()} if kind == "screw" else {}
            getattr(here, kind)(self.name(kind), *self.pair(here), **options, **pitch)

    def odd_joints(self, here: Any) -> None:
        ends = self.some(at_a=self.vector, at_b=self.vector)
        if self.chance(0.3):
            here.distance(self.name("rod"), *self.pair(here), **ends, **self.some(length=self.number))
        if self.chance(0.3):
            curve = self.pick(
                (
                    lambda: lw.GuideCurve.circle(self.number(), normal=self.vector(), center=self.vector()),
                    lambda: lw.GuideCurve([(0, 0, 1), (0.5, 0.1, 0.25), (1, 0, 0), (1.5, 0, 0.25)]),
                    lambda: lw.GuideCurve.ellipse((2, 0, 0), (0, 1, 0), angles=(0.1, self.number(1, 3))),
                    lambda: lw.GuideCurve.line(self.vector(), self.vector()),
                    lambda: lw.GuideCurve([(math.cos(x), math.sin(x), 0.1 * x) for x in np.linspace(0, 6, 100)]),
                )
            )()
            options = self.some(frame_a=self.frame, at_b=self.vector, velocity=self.number, friction=self.number)
            here.slot(self.name("slot"), *self.pair(here), curve, **options)
        if self.chance(0.3):
            x = np.linspace(-1, 1, 20)
            surface = self.pick(
                (
                    lambda: lw.GuideSurface.plane(self.vector(), center=self.vector()),
                    lambda: lw.GuideSurface.cylinder(self.number(), self.vector()),
                    lambda: lw.GuideSurface.sphere(self.number()),
                    lambda: lw.GuideSurface.heights(x, x[:5], self.rng.normal(size=(20, 5))),
                )
            )()
            options = self.some(frame_a=self.frame, at_b=self.vector, damping=self.number)
            here.surface(self.name("surface"), *self.pair(here), surface, **options)
        if self.chance(0.3):
            here.rolling(
                self.name("wheel"), *self.pair(here), radius=self.number(), **ends,
                **self.some(axis=self.vector, normal=self.vector),
            )  # fmt: skip
        if self.chance(0.3):
            options = self.some(axis_a=self.vector, axis_b=self.vector, inside=lambda: True)
            here.rolling_pair(self.name("wheels"), *self.pair(here), radius_a=0.2, radius_b=0.1, **ends, **options)

    def forces(self, here: Any) -> None:
        bodies = list(here.all_bodies())
        moving = [joint for joint in here.all_joints() if joint.nv]
        if self.chance():
            options = self.some(at_a=self.vector, at_b=self.vector, length=self.number, axis=self.vector, law=self.law)
            stiff = {"stiffness": self.amount()} | self.some(damping=self.amount)
            here.spring(self.name("spring"), *self.pair(here), **stiff, **options)
        axial = [joint for joint in moving if joint.kind in ("revolute", "screw", "cylindrical")]
        if axial and self.chance():
            options = self.some(damping=self.number, angle=self.number)
            here.torsion_spring(self.name("twist"), self.pick(axial), stiffness=self.number(), **options)
        if moving and self.chance():
            joint = self.pick(moving)
            here.torque(self.name("torque"), joint, self.law(), coordinate=int(self.rng.integers(joint.nv)))
        if self.chance():
            options = self.some(frame=lambda: self.pick(("body", "world")))
            here.torque(self.name("torque"), self.pick(bodies), self.law(), axis=self.vector(), **options)
        if self.chance():
            options = self.some(frame=lambda: self.pick(("body", "world")), at=self.vector)
            here.force(self.name("force"), self.pick(bodies), self.law(3), **options)
        if self.chance():
            half = self.rng.normal(size=(6, 6))
            six = self.pick((lambda: self.rng.uniform(0, 1, 6), lambda: half @ half.T))()
            place = {"at": self.vector()} if self.chance() else {"frame_a": self.frame()}
            here.bushing(
                self.name("bushing"), *self.pair(here), damping=six, **place, **self.some(stiffness=lambda: six)
            )
        if self.chance():
            side = lw.Calspan(**self.some(a0=self.number, skid=self.number))
            options = self.some(
                damping=self.number, at=self.vector, axis=self.vector, road=self.road, side=lambda: side
            )
            here.tyre(self.name("tyre"), self.pick(bodies), radius=0.3, stiffness=self.number(), **options)
        if self.chance():
            here.gyroscope(self.name("gyro"), self.pick(bodies), axis=self.vector(), momentum=self.number(-1, 1))

    def rotors(self, here: Any) -> None:
        """On bodies, on one another, and behind gears and racks."""
        bodies = list(here.bodies.values())
        turning = [joint for joint in here.all_joints() if joint.kind in ("revolute", "prismatic")]
        for _ in range(2):
            if bodies and self.chance():
                options = self.some(at=self.vector, velocity=self.number, shape=self.shape)
                rotor = here.rotor(
                    self.name("rotor"), inertia=self.number(), on=self.pick(bodies), axis=self.vector(), **options
                )
                here.rotor(self.name("disc"), inertia=self.number(), on=rotor, stiffness=self.number())
        if turning and self.chance():
            options = self.some(axis=self.vector)
            here.rotor(self.name("motor"), inertia=self.number(), on=self.pick(turning), ratio=self.number(), **options)

    def drives(self, here: Any) -> None:
        turning = [joint for joint in here.all_joints() if joint.kind == "revolute" and not isinstance(joint.a, Rotor)]
        sliding = [joint for joint in here.all_joints() if joint.kind == "prismatic"]
        many = [joint for joint in here.all_joints() if joint.kind in ("cylindrical", "planar")]
        if many and self.chance():
            here.motor(self.name("motor"), self.pick(many), velocity=self.law(), coordinate=1, max_torque=self.number())
        if turning and self.chance():
            joint = self.pick(turning)
            how = {"velocity": self.law()} if self.chance() else {"position": self.law(), "softness": self.soft()}
            here.motor(self.name("motor"), joint, max_torque=self.number(), **how)
        if turning and sliding and self.chance():
            options = self.some(backlash=self.number, offset=self.number)
            here.rack(self.name("rack"), self.pick(turning), self.pick(sliding), radius=self.number(), **options)
        if turning and sliding and self.chance():
            x = np.linspace(0, TURN, int(self.rng.integers(5, 60)))
            y = 0.01 * self.rng.normal(size=len(x))
            y[-1] = y[0]
            here.cam(self.name("cam"), self.pick(turning), self.pick(sliding), (x, y))
        if len(turning) > 1 and self.chance():
            one, other = self.rng.choice(len(turning), 2, replace=False)
            options = self.some(backlash=self.number, offset=self.number)
            here.gear(self.name("gear"), turning[one], turning[other], ratio=self.number(-2, -1), **options)
            here.repeater(self.name("belt"), turning[other], turning[one], **self.some(ratio=self.number))
        if len(turning) > 2:
            here.differential(self.name("axle"), *turning[:3])

    def contacts(self, here: Any) -> None:
        if self.chance(0.3):
            options = self.some(at=self.vector, normal=self.vector, material=self.material)
            here.plane(self.name("plane"), **options, on=self.pick(here.all_grounds()))
        if self.chance(0.3):
            options = self.some(material=self.material, group=lambda: "two")
            here.collider(self.name("collider"), self.pick(here.all_bodies()), self.shape(), **options)
        if self.chance(0.2):
            hills = lw.HeightField(self.rng.normal(size=(5, int(self.rng.integers(2, 99)))), (1, 2), pose=self.frame())
            here.collider(self.name("hills"), here.ground, hills)
        bodies = list(here.all_bodies())
        if len(bodies) > 1 and self.chance():
            here.no_contact(*bodies[:2])
        if len(bodies) > 2:
            here.contact_pair(*bodies[-2:], friction=0.3, **self.some(rolling=self.number, bounce_speed=self.number))
            here.material_pair(lw.Material(friction=0.2), lw.Material(restitution=0.2), restitution=0.1)
        if self.chance():
            colours = ("#12345678", "#ABCDEF", (0.1, 0.2, 0.3))
            here.visual(
                self.name("picture"), self.pick(bodies), self.shape(), **self.some(colour=lambda: self.pick(colours))
            )

    def events(self, here: Any) -> None:
        if self.chance(0.3):
            kind = self.pick(("fixed", "revolute", "ball"))
            where = {"frame_a": self.frame()} if self.chance() else {"at": self.vector()}
            if kind == "revolute" and "at" in where:
                where["axis"] = self.vector()
            name = self.name("grip")
            here.attach(*self.pair(here), kind, name=name, time=self.number(), **where)
            here.release(here._find(name), time=3.0)
        held = [joint for joint in here.all_joints() if not isinstance(joint.b, Rotor)]
        if held and self.chance(0.3):
            here.release(self.pick(held), time=self.number())


def random_model(seed: int) -> lw.Model:
    """A model with a bit of everything; the same seed gives the same one."""
    return Maker(seed).model()

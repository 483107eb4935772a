"""Components for the tests of `Remote`, each with what it may do wrong; served by threads or `linkwork serve`."""

from __future__ import annotations

import math
import time
from typing import Any

import linkwork as lw

ROD = (0.02, 0.05, 0.06)  # kg m2


class Arm(lw.Subsystem):
    """Three rods on two joints, and a weight in a subsystem of its own. Ports: "near", "far"; joints not in a plane."""

    def build(self, *, mass: float = 1.0, kind: str = "revolute", damping: float = 0.3) -> None:
        rods = [
            self.body(f"rod {k}", mass=mass, inertia=ROD, com=(0.02, 0, 0.03), position=(0.5 * k + 0.25, 0.05 * k, 0))
            for k in range(3)
        ]
        for k in (1, 2):
            words: dict[str, Any] = {"axis": (0, math.cos(0.3 * k), math.sin(0.3 * k))}
            if kind == "ball":
                words = {}
            elif kind == "universal":
                words["axis"] = (words["axis"], (1, 0, 0))
            getattr(self, kind)(f"elbow {k}", rods[k - 1], rods[k], at=(0.5 * k, 0, 0), damping=damping, **words)
        weight = self.add("weight", Weight(), position=(0.75, 0.05, 0.1), rotation=(0.8, 0.6, 0, 0))
        self.fixed("bolt", rods[1], weight.lump, at=(0.75, 0.05, 0.1))
        self.spring("band", rods[0], rods[2], stiffness=40.0, damping=1.0, length=0.8)
        self.port("near", rods[0])
        self.port("far", rods[2])


class Weight(lw.Subsystem):
    def build(self) -> None:
        self.port("lump", self.body("lump", mass=0.5, inertia=(0.003, 0.004, 0.005), position=(0, 0, 0)))


class Carriage(lw.Subsystem):
    """A block on a slide of its own ground, on a spring: the whole meets a body that is held already. Port: "block"."""

    def build(self, *, kind: str = "prismatic") -> None:
        block = self.body("block", mass=3.0, inertia=(0.1, 0.1, 0.1), com=(0, 0.05, 0), position=(0, 0, 0))
        words = {} if kind == "fixed" else {"axis": (0.6, 0, 0.8)}
        getattr(self, kind)("rail", self.ground, block, at=(0, 0, 0), **words)
        self.spring("coil", self.ground, block, at_a=(-0.3, 0, -0.4), stiffness=300.0, damping=2.0, length=0.45)
        self.port("block", block)


class Parallelogram(lw.Subsystem):
    """Two cranks and a coupler in a plane, one crank held by the own ground: loops inside with redundant rows."""

    def build(self) -> None:
        Y = (0, 1, 0)
        cranks = [self.body(f"crank {k}", mass=1.0, inertia=ROD, position=(k, 0, 0.25)) for k in range(2)]
        coupler = self.body("coupler", mass=1.5, inertia=ROD, position=(0.5, 0, 0.5))
        for k, crank in enumerate(cranks):
            self.revolute(f"foot {k}", self.ground, crank, at=(k, 0, 0), axis=Y)
            self.revolute(f"tip {k}", crank, coupler, at=(k, 0, 0.5), axis=Y)
        self.port("coupler", coupler)


class Failing(lw.Subsystem):
    """A block with a law that goes wrong at a given time: "nan", "raise", "sleep" (seconds), "inf"."""

    def build(self, *, how: str = "nan", at: float = 0.02, seconds: float = 2.0) -> None:
        block = self.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0))

        slept: list[float] = []

        def law(t: float) -> float:
            if t > at:
                if how == "raise":
                    raise ZeroDivisionError("deep inside")
                if how == "sleep" and not slept:
                    slept.append(t)
                    time.sleep(seconds)
                return {"nan": math.nan, "inf": math.inf}.get(how, 0.0)
            return 0.0

        self.force("push", block, law, axis=(1, 0, 0))
        self.port("block", block)


class Exploding(lw.Subsystem):
    """A spring so stiff that no step of a millisecond can follow it."""

    def build(self) -> None:
        block = self.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0))
        inner = self.body("inner", mass=1e-3, inertia=(1e-6, 1e-6, 1e-6), position=(0.1, 0, 0))
        self.prismatic("slot", block, inner, at=(0.1, 0, 0), axis=(1, 0, 0))
        self.spring("needle", block, inner, stiffness=1e9, damping=1e3, length=0.11)
        self.port("block", block)


class Tyred(lw.Subsystem):
    """A wheel on the road of the world, in a wind of the world: both stay where they are when it is turned."""

    def build(self) -> None:
        hub = self.body("hub", mass=20.0, inertia=(1.0, 1.2, 1.0), com=(0, 0.02, 0), position=(0, 0, 0.29))
        self.tyre("tyre", hub, radius=0.3, stiffness=2e5, damping=100.0, side=lw.Calspan())
        self.force("wind", hub, (0, 30.0, 0))
        self.port("hub", hub)


class Portless(lw.Subsystem):
    def build(self) -> None:
        self.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1))


class Half(lw.Subsystem):
    """Half of a four-bar linkage: a crank on the own ground, and with `coupler` that too. Port: its last body."""

    def build(self, *, coupler: bool = False) -> None:
        end = self.body("crank", mass=1.0, inertia=ROD, position=(0, 0, 0.25))
        foot = self.revolute("foot", self.ground, end, at=(0, 0, 0), axis=(0, 1, 0), damping=0.1)
        if coupler:
            self.torque("push", foot, 2.0)
            crank, end = end, self.body("coupler", mass=1.5, inertia=ROD, com=(0, 0.03, 0), position=(0.5, 0, 0.5))
            self.revolute("knee", crank, end, at=(0, 0, 0.5), axis=(0, 1, 0))
        self.port(end.name, end)


class Leaf(lw.Subsystem):
    """Half of a door: a leaf on two hinges of its own, on a spring. Port: "leaf", with its origin on the hinges."""

    def build(self, *, mass: float = 2.0) -> None:
        leaf = self.body("leaf", mass=mass, inertia=(0.1, 0.2, 0.25), com=(0.3, 0, 0.5), position=(0, 0, 0))
        for k in range(2):
            self.revolute(f"hinge {k}", self.ground, leaf, at=(0, 0, k), axis=(0, 0, 1), damping=0.1)
        self.spring("closer", self.ground, leaf, at_a=(-0.5, 0.6, 0), at_b=(0.3, 0, 0), stiffness=50.0, length=0.7)
        self.port("leaf", leaf)


class Spinning(lw.Subsystem):
    """It starts in motion."""

    def build(self) -> None:
        wheel = self.body("wheel", mass=1.0, inertia=(0.1, 0.12, 0.13), com=(0.01, 0.05, -0.02), position=(0, 0, 0))
        self.revolute("axle", self.ground, wheel, at=(0, 0, 0), axis=(1, 0, 0), velocity=3.0)
        self.port("wheel", wheel)


class Servo(lw.Subsystem):
    """A rod on a block, held by a controller that sees an encoder with a delay. Port: "block"."""

    def build(self, *, every: float = 2e-3, fails: float = math.inf) -> None:
        block = self.body("block", mass=3.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0))
        rod = self.body("rod", mass=0.5, inertia=(0.02, 0.02, 0.005), com=(0, 0, -0.2), position=(0, 0, 0))
        pin = self.revolute("pin", block, rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.3)
        self.torque("drive", pin, 0.0)
        self.sensor("encoder", pin, kind="encoder", rate=1000, delay=1e-3, resolution=1e-3)

        def hold(t: float, seen: Any, memory: Any) -> float:
            if t > fails:
                raise ZeroDivisionError("deep inside")
            memory[0] += seen[0]
            return -8.0 * seen[0] - 0.4 * seen[1] - 0.05 * memory[0]

        self.controller("hold", hold, every=every, sees=["encoder", "pin.velocity"], sets=["drive"], memory=[0.0])
        self.port("block", block)

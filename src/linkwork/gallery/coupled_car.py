"""The car as three components of three owners: its body and two corners, each a suspension with its wheel.

`whole` joins them in one model, `exported` writes them as FMUs, `exact` couples those through D and r, and
`co_simulated` as ordinary FMUs: a host steps them side by side and exchanges the forces of stiff springs, which stand
for the four hinges. All start alike: at rest, beams level, loops closed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

import linkwork as lw
from linkwork.gallery.car import Damper, Wheel

GRAVITY, HEIGHT, AXLE = 9.8, 0.95, 0.35
DT, ALONE = 1e-3, 1e-4  # s: coupled exactly, and inside an FMU that is stepped by itself
EXTENSION, SLANT = 0.6 * math.sqrt(2.0) - 0.6, math.pi / 4  # with which the loops close
PARTS = ("body", "left", "right")
STIFFNESS, DAMPING = 8e6, 6e3  # N/m, N s/m of the springs of co-simulation: twice as stiff, they blow up at 1 ms


class CarBody(lw.Subsystem):
    """The body of the car on its guide. Port: "body"."""

    def build(self, *, mass: float = 585.0) -> None:
        scale = mass / 585.0
        inertia = (12.675 * scale, 450.9375 * scale, 439.2375 * scale)
        body = self.body("body", mass=mass, inertia=inertia, shape=lw.Box((3.0, 0.1, 0.5)), position=(0, 0, HEIGHT))
        self.cylindrical("guide", self.ground, body, frame_a=lw.Frame(), frame_b=lw.Frame((0, 0, -HEIGHT)))
        self.port("body", body)


class Corner(lw.Subsystem):
    """A suspension with its wheel; `side` is "left" or "right", `stiffness` N/m. Ports: "bar", "cylinder"."""

    def build(self, *, side: Literal["left", "right"], stiffness: float = 5e4) -> None:
        sign = -1.0 if side == "left" else 1.0
        lean, foot, axle = -SLANT * sign, (0.7 * sign, 0, AXLE), (sign, 0, AXLE)
        bar = self.body("bar", mass=7.02, inertia=(0.06, 0.5855265, 0.5855265), position=(0.5 * sign, 0, AXLE))
        damper = self.add(
            "damper",
            Damper(stiffness=stiffness, extension=EXTENSION),
            position=(foot[0] + 0.3 * math.sin(lean), 0, AXLE + 0.3 * math.cos(lean)),
            rotation=(math.cos(lean / 2), 0, math.sin(lean / 2), 0),
        )
        wheel = self.add("wheel", Wheel(), position=(sign, 0, 0))
        self.revolute("knee", bar, damper.piston, at=foot, axis=(0, 1, 0))
        self.revolute("axle", bar, wheel.ring, at=axle, axis=(1, 0, 0))
        self.port("bar", bar)
        self.port("cylinder", damper.cylinder)


class Hinge(NamedTuple):
    """A hinge between the body and a port of a corner: points of both, in their frames."""

    name: str
    corner: str
    port: str
    on_body: tuple[float, float, float]
    on_port: tuple[float, float, float]


HINGES = [
    Hinge(f"{side} {what}", side, port, (sign * x, 0, z), (sign * at, 0, height))
    for side, sign in (("left", -1.0), ("right", 1.0))
    for what, port, x, z, at, height in (("arm", "bar", 0.0, -0.6, -0.5, 0.0), ("top", "cylinder", 0.1, 0.0, 0.0, 0.3))
]


def assembled(part: Callable[[str], Any]) -> lw.Model:
    """A car of three parts: `part` gives a subsystem or an `lw.FMU` for "body", "left" and "right".

    >>> from linkwork.gallery import coupled_car
    >>> [joint.name for joint in coupled_car.assembled(coupled_car.component).joints.values()]
    ['left arm', 'left top', 'right arm', 'right top']
    """
    model = lw.Model("coupled car", gravity=(0, 0, -GRAVITY))
    parts: dict[str, Any] = {name: model.add(name, part(name)) for name in PARTS}
    for hinge in HINGES:
        frame_a, frame_b = (lw.Frame.along((0, 1, 0), at) for at in (hinge.on_body, hinge.on_port))
        ends = parts["body"].ports["body"], parts[hinge.corner].ports[hinge.port]
        model.revolute(hinge.name, *ends, frame_a=frame_a, frame_b=frame_b)
    return model


def component(name: str) -> lw.Subsystem:
    """One of the three parts."""
    return CarBody() if name == "body" else Corner(side=name)


def whole(until: float) -> lw.Trajectory:
    """All in one model, by method "component"."""
    return lw.simulate(assembled(component), until=until, method="component", dt=DT)


def exported(folder: str | Path) -> dict[str, Path]:
    """The three FMUs, written to a folder. By themselves they step by 0.1 ms: a free damper is too stiff for 1 ms."""
    return {name: lw.export_fmu(component(name), Path(folder) / f"{name}.fmu", dt=ALONE) for name in PARTS}


def exact(files: dict[str, Path], until: float) -> lw.Trajectory:
    """The three FMUs coupled through D and r."""
    return lw.simulate(assembled(lambda name: lw.FMU(files[name])), until=until, method="component", dt=DT)


def co_simulated(files: dict[str, Path], until: float, step: float = 1e-3) -> dict[str, Any]:
    """The three as ordinary FMUs in another tool, fmpy: "time", and "body.body" and so on, the positions of ports (m).

    Every `step` seconds it exchanges the forces of springs between them, which are held in between.
    """
    ports = {"body": ["body"], "left": ["bar", "cylinder"], "right": ["bar", "cylinder"]}
    fmus = {name: _Stepped(files[name], ports[name]) for name in PARTS}
    places: dict[str, Any] = {f"{name}.{port}": [] for name in PARTS for port in ports[name]}
    count = round(until / step)
    for k in range(count + 1):
        seen = {name: fmu.motions() for name, fmu in fmus.items()}
        for name, motions in seen.items():
            for port, motion in motions.items():
                places[f"{name}.{port}"].append(motion.position)
        if k < count:
            forces = _springs(seen)
            for name, fmu in fmus.items():
                fmu.step(k * step, step, forces[name])
    for fmu in fmus.values():
        fmu.close()
    return {"time": np.arange(count + 1) * step} | {name: np.array(rows) for name, rows in places.items()}


class _Motion(NamedTuple):
    position: Any
    R: Any
    velocity: Any
    spin: Any


def _springs(seen: dict[str, dict[str, _Motion]]) -> dict[str, dict[str, Any]]:
    """Force and torque at every port, by the gaps of the hinges and their rates."""
    forces = {name: {port: np.zeros(6) for port in motions} for name, motions in seen.items()}
    for hinge in HINGES:
        ends = ("body", "body", hinge.on_body), (hinge.corner, hinge.port, hinge.on_port)
        motions = [seen[name][port] for name, port, _ in ends]
        arms = [motion.R @ np.array(at) for motion, (_, _, at) in zip(motions, ends, strict=True)]
        places = [motion.position + arm for motion, arm in zip(motions, arms, strict=True)]
        rates = [motion.velocity + np.cross(motion.spin, arm) for motion, arm in zip(motions, arms, strict=True)]
        push = STIFFNESS * (places[0] - places[1]) + DAMPING * (rates[0] - rates[1])  # on the corner
        for (name, port, _), arm, sign in zip(ends, arms, (-1.0, 1.0), strict=True):
            forces[name][port] += sign * np.concatenate([push, np.cross(arm, push)])
    return forces


class _Stepped:
    """An FMU in the hands of fmpy."""

    def __init__(self, file: Path, ports: list[str]) -> None:
        import fmpy
        from fmpy.fmi3 import FMU3Slave

        self.folder, self.ports = fmpy.extract(str(file)), ports
        described = fmpy.read_model_description(str(file))
        self.reference = {each.name: each.valueReference for each in described.modelVariables}
        identifier, token = described.coSimulation.modelIdentifier, described.guid
        self.fmu = FMU3Slave(guid=token, modelIdentifier=identifier, unzipDirectory=self.folder)
        self.fmu.instantiate()
        self.fmu.setFloat64([self.reference["gravity.z"]], [-GRAVITY])
        self.fmu.enterInitializationMode()
        self.fmu.exitInitializationMode()

    def _references(self, names: list[str]) -> list[int]:
        return [self.reference[name] for name in names]

    def motions(self) -> dict[str, _Motion]:
        """How the ports move now."""
        found = {}
        for port in self.ports:
            names = [f"{port}.position.{axis}" for axis in "xyz"] + [f"{port}.rotation.{axis}" for axis in "wxyz"]
            names += [f"{port}.{quantity}.{axis}" for quantity in ("velocity", "angular_velocity") for axis in "xyz"]
            numbers = np.array(self.fmu.getFloat64(self._references(names)))
            rotation = lw.Frame(rotation=numbers[3:7]).matrix
            found[port] = _Motion(numbers[:3], rotation, numbers[7:10], numbers[10:13])
        return found

    def step(self, time: float, seconds: float, forces: dict[str, Any]) -> None:
        """One communication step with these forces."""
        for port, numbers in forces.items():
            names = [f"{port}.{quantity}.{axis}" for quantity in ("force", "torque") for axis in "xyz"]
            self.fmu.setFloat64(self._references(names), numbers.tolist())
        self.fmu.doStep(time, seconds)

    def close(self) -> None:
        """Free it."""
        import shutil

        self.fmu.terminate()
        self.fmu.freeInstance()
        shutil.rmtree(self.folder, ignore_errors=True)

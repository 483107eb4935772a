"""Bad models and bad options: each is refused in one sentence that names the part and says what to do.

The table at the end lists what is done wrong, the kind of refusal and words the sentence must hold. No refusal comes
as another exception, as a warning, as a NaN in a result or as silence.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import ModelError, OptionError, RunError

NAN, INF = math.nan, math.inf
ROUND = (0.1, 0.1, 0.1)
MATRIX = np.zeros((20, 20))  # what it prints has many lines
# one of these stands behind the semicolon
REMEDIES = """add build call choose close correct did give install join keep known leave let loosen make put remove save
    say set sort start try use write"""


# --- material -------------------------------------------------------------------------------------------------


def model(**options: Any) -> lw.Model:
    return lw.Model("machine", **options)


def body(**options: Any) -> lw.Body:
    return model().body("crank", **({"mass": 1.0, "inertia": ROUND} | options))


def arm(**options: Any) -> lw.Model:
    """A pendulum: body 'arm' on joint 'pin'."""
    made = model()
    made.body("arm", mass=1.0, inertia=ROUND, com=(0, 0, -0.5))
    made.revolute("pin", "ground", "arm", at=(0, 0, 0), axis=(0, 1, 0), **options)
    return made


def twins() -> lw.Model:
    """The arm with a hinge below it: a body and a joint of the same name."""
    made = arm()
    made.body("hinge", mass=1.0, inertia=ROUND, position=(0, 0, -1))
    made.revolute("hinge", "arm", "hinge", at=(0, 0, -1), axis=(0, 1, 0))
    return made


def stepped() -> lw.Simulation:
    return lw.Simulation(arm(), "recursive", dt=0.01)


def hinge(**options: Any) -> lw.Joint:
    """A second joint, 'hinge', at the arm."""
    return arm().revolute("hinge", "ground", "arm", **({"at": (0, 0, 0), "axis": (0, 1, 0)} | options))


def four_bar(coupler: float = 2.0, **joints: dict[str, Any]) -> lw.Model:
    """Links of 1, `coupler` and 1 m over a base of 2 m, in the plane z = 0; p3 closes the loop."""
    made = model()
    for name in "abc":
        made.body(name, mass=1.0, inertia=ROUND)
    ends = {
        "p1": ("ground", "a", 0, 0),
        "p2": ("a", "b", 1, 0),
        "p3": ("b", "c", coupler, 1),
        "p4": ("ground", "c", 2, 0),
    }
    for name, (first, second, x, y) in ends.items():
        frames = {"frame_a": lw.Frame((x, 0, 0)), "frame_b": lw.Frame((y, 0, 0))}
        made.revolute(name, first, second, **frames, **joints.get(name, {}))
    return made


def floating(*, beside_a_loop: bool) -> lw.Model:
    made = four_bar(p1={"position": math.pi / 2}) if beside_a_loop else model()
    for name in ("left half", "right half"):
        made.body(name, mass=1.0, inertia=ROUND)
    made.revolute("between", "left half", "right half", at=(0, 0, 0), axis=(0, 0, 1))
    return made


def forced(law: Any, **options: Any) -> lw.Model:
    """The arm with a torque 'push' in its pin."""
    made = arm()
    made.torque("push", "pin", law, **options)
    return made


def pushed(law: Any, **options: Any) -> lw.Model:
    """The arm with a force 'wind' on it."""
    made = arm()
    made.force("wind", "arm", law, **options)
    return made


def shaken(law: Any) -> lw.Model:
    made = arm()
    table = made.moving_ground("table", lw.Motion(position=(law, 0, 0)))
    made.body("box", mass=1.0, inertia=ROUND)
    made.fixed("weld", table, "box")
    return made


def point_mass(kind: str | None, **options: Any) -> lw.Model:
    made = model()
    made.body("bob", mass=1.0, inertia=0, com=options.pop("com", (0, 0, 0)))
    if kind is not None:
        getattr(made, kind)("socket", "ground", "bob", at=(0, 0, 0), **options)
    return made


def massless(kind: str | None) -> lw.Model:
    """The arm with a wheel without mass at its end."""
    made = arm()
    made.body("wheel", mass=0, position=(0, 0, -1))
    if kind is not None:
        getattr(made, kind)("axle", "arm", "wheel", at=(0, 0, -1), axis=(0, 1, 0))
    return made


def idle_rod() -> lw.Model:
    """A rod without mass between two balls: nothing says how it turns about itself."""
    made = model()
    made.body("rod", mass=0)
    made.body("weight", mass=1.0, inertia=ROUND, position=(1, 0, 0))
    made.ball("hook", "ground", "rod", at=(0, 0, 0))
    made.ball("eye", "rod", "weight", at=(0.9, 0, 0))
    return made


def driven(**options: Any) -> lw.Model:
    made = arm()
    made.motor("drive", "pin", **options)
    return made


def follower(first: str, second: str, **options: Any) -> Any:
    return arm().repeater("mesh", first, second, **options)


def run(made: Any = None, **options: Any) -> lw.Trajectory:
    return lw.simulate(arm() if made is None else made, **({"until": 0.1, "dt": 0.01} | options))


def system(made: lw.Model | None = None) -> lw.System:
    return lw.assemble(arm() if made is None else made)


def ball() -> lw.System:
    made = model()
    made.body("arm", mass=1.0, inertia=ROUND)
    made.ball("socket", "ground", "arm", at=(0, 0, 0))
    return lw.assemble(made)


class Damper(lw.Subsystem):
    def build(self, *, mass: float) -> None:
        self.port("piston", self.body("tube", mass=mass, inertia=ROUND))


def apart() -> lw.Model:
    made = model()
    made.body("arm", mass=1.0, inertia=ROUND, position=(1, 0, 0))
    made.revolute("pin", "ground", "arm", frame_a=lw.Frame(), frame_b=lw.Frame())
    return made


def nut(turns: float) -> lw.Model:
    """A nut, not turned, some turns of 10 mm up its thread."""
    made = model(gravity=(0, 0, 0))
    made.body("nut", mass=1.0, inertia=ROUND, position=(0, 0, 0.01 * turns))
    made.screw("thread", "ground", "nut", pitch=0.01, frame_a=lw.Frame(), frame_b=lw.Frame())
    return made


def stone_free() -> lw.Model:
    made = arm()
    made.body("stone", mass=1.0, inertia=ROUND)
    made.ball("stone free", "ground", "arm", at=(0, 0, 0))
    return made


def added_twice() -> None:
    made, damper = model(), Damper(mass=1.0)
    made.add("left", damper)
    made.add("right", damper)


def body_of_another_model() -> None:
    model().revolute("pin", "ground", arm()["arm"], at=(0, 0, 0), axis=(0, 0, 1))


def joined_from_inside() -> None:
    made = arm()
    damper = made.add("damper", Damper(mass=1.0))
    damper.revolute("hook", made["arm"], damper.piston, at=(0, 0, 0), axis=(0, 0, 1))


def free_beside_a_pin() -> lw.Report:
    made = arm()
    made.free("loose", "ground", "arm")
    return lw.check(made)


def armature_in_a_cut() -> lw.Report:
    return lw.check(four_bar(p1={"position": math.pi / 2}, p3={"armature": 1.0}))


def late(value: Any) -> Callable[[float], Any]:
    """A law that is good until t = 0.05 s."""
    return lambda t: value if t > 0.05 else 1.0


def raises_late(t: float) -> float:
    return 1.0 / 0.0 if t > 0.05 else 1.0


@lw.compiled
def compiled_late(t):  # type: ignore[no-untyped-def]
    return math.nan if t > 0.05 else 1.0


@lw.compiled
def compiled_raises_late(t, position, velocity):  # type: ignore[no-untyped-def]
    if t > 0.05:
        raise ValueError("no")
    return 1.0


@lw.compiled
def compiled_vector_late(t):  # type: ignore[no-untyped-def]
    return (0.0, math.inf if t > 0.05 else 1.0, 0.0)


@lw.compiled
def compiled_wrongly(t):  # type: ignore[no-untyped-def]
    return nobody_knows_this(t)  # noqa: F821


def not_compiled(x: float) -> float:
    return 2.0 * x


GAINS = {"low": 1.0}


@lw.compiled
def compiled_with_a_plain_helper(t):  # type: ignore[no-untyped-def]
    return not_compiled(t)


@lw.compiled
def compiled_with_a_table(t):  # type: ignore[no-untyped-def]
    return GAINS["low"] * t


@lw.compiled
def compiled_beyond(t):  # type: ignore[no-untyped-def]
    values = np.ones(3)
    return values[int(t) + 3]


def stepping(**options: Any) -> lw.Simulation:
    return lw.Simulation(arm(), dt=0.01, **options)


# --- the table ------------------------------------------------------------------------------------------------


class Case(NamedTuple):
    what: str
    action: Callable[[], Any]
    kind: type[Exception]
    words: tuple[str, ...]


def bad_model(what: str, action: Callable[[], Any], *words: str) -> Case:
    return Case(what, action, ModelError, words)


def bad_option(what: str, action: Callable[[], Any], *words: str) -> Case:
    return Case(what, action, OptionError, words)


def bad_run(what: str, action: Callable[[], Any], *words: str) -> Case:
    return Case(what, action, RunError, words)


CASES = [
    # bodies
    bad_model("mass zero", lambda: body(mass=0), "'crank'", "mass is 0"),
    bad_model("mass zero, nothing holds it", lambda: lw.check(massless(None)), "'wheel'", "no mass", "weld it"),
    bad_model("mass zero on a hinge", lambda: lw.check(massless("revolute")), "'axle'", "'wheel'", "weld it"),
    bad_model(
        "mass zero on a hinge, implicit", lambda: run(massless("revolute"), method="hybrid"), "'axle'", "'wheel'"
    ),
    bad_model("mass zero between", lambda: run(idle_rod(), method="absolute"), "'rod'", "any inertia", "inertia="),
    bad_model("mass negative", lambda: body(mass=-2.0), "'crank'", "mass is -2"),
    bad_model("mass NaN", lambda: body(mass=NAN), "'crank'", "mass", "nan"),
    bad_model("mass infinite", lambda: body(mass=INF), "'crank'", "mass", "inf"),
    bad_model("mass beyond numbers", lambda: body(mass=1e200), "'crank'", "mass", "1e+200"),
    bad_model("mass of 400 digits", lambda: body(mass=10**400), "'crank'", "mass"),
    bad_model("mass as text", lambda: body(mass="1 kg"), "'crank'", "'1 kg'"),
    bad_model("mass True", lambda: body(mass=True), "'crank'", "True"),
    bad_model("mass as a list", lambda: body(mass=[1.0]), "'crank'", "[1.0]"),
    bad_model("no mass", lambda: body(mass=None), "'crank'", "mass="),
    bad_model("no inertia", lambda: body(inertia=None), "'crank'", "inertia= or shape="),
    bad_model("inertia NaN", lambda: body(inertia=(1, 1, NAN)), "'crank'", "inertia"),
    bad_model("inertia negative", lambda: body(inertia=(1, -1, 1)), "'crank'", "-1"),
    bad_model("inertia of no body", lambda: body(inertia=(1, 1, 3)), "'crank'", "1, 1, 3"),
    bad_model(
        "inertia not symmetric", lambda: body(inertia=[[1, 0.2, 0], [0, 1, 0], [0, 0, 1]]), "'crank'", "symmetric"
    ),
    bad_model("inertia one number", lambda: body(inertia=2.0), "'crank'", "inertia="),
    bad_model("inertia ragged", lambda: body(inertia=[[1, 0], [1]]), "'crank'", "inertia"),
    bad_model("com NaN", lambda: body(com=(0, NAN, 0)), "'crank'", "com"),
    bad_model("com in the plane", lambda: body(com=(0, 0)), "'crank'", "3 numbers"),
    bad_model("position NaN", lambda: body(position=(NAN, 0, 0)), "'crank'", "position"),
    bad_model("rotation zero", lambda: body(rotation=(0, 0, 0, 0)), "'crank'", "zero"),
    bad_model("rotation mirrored", lambda: body(rotation=np.diag([1, 1, -1])), "'crank'", "right-handed"),
    bad_model("rotation by three angles", lambda: body(rotation=(0, 0, 1)), "'crank'", "quaternion"),
    bad_model("mass and density", lambda: body(density=1.0, shape=lw.Sphere(1)), "'crank'", "mass=", "density="),
    bad_model("density of nothing", lambda: body(mass=None, density=1.0), "'crank'", "shape="),
    bad_model("shape as text", lambda: body(shape="box"), "'crank'", "'box'"),
    bad_model("shape as a matrix", lambda: body(shape=MATRIX), "'crank'", "shape"),
    bad_model("mass as a matrix", lambda: body(mass=MATRIX), "'crank'", "mass"),
    bad_model("misspelt option", lambda: body(mas=1.0), "'crank'", "did you mean 'mass'?"),
    # shapes
    bad_model("sphere without radius", lambda: lw.Sphere(0), "Sphere", "radius"),
    bad_model("box without thickness", lambda: lw.Box((1, 1, 0)), "Box", "positive"),
    bad_model("box of one number", lambda: lw.Box(1.0), "Box", "3 numbers"),
    bad_model("tube without wall", lambda: lw.Cylinder(1, 1, inner_radius=1), "Cylinder", "inner_radius"),
    bad_model("mesh that is not there", lambda: lw.Mesh("nowhere.stl"), "nowhere.stl", "STL"),
    bad_model("box of three numbers", lambda: lw.Box(1, 2, 3), "Box", "one size", "write Box((1, 2, 3))"),
    bad_model("sphere of nothing", lambda: lw.Sphere(), "Sphere", "radius= is missing", "Sphere(radius)"),
    bad_model("sphere by r", lambda: lw.Sphere(r=1), "Sphere", "did you mean 'radius'?"),
    bad_model("cylinder of four", lambda: lw.Cylinder(1, 2, 0, 1), "Cylinder", "inner_radius", "pose="),
    bad_model("radius twice", lambda: lw.Sphere(1, radius=1), "Sphere", "radius is given twice"),
    bad_model("material by place", lambda: lw.Material(0.5), "Material", "friction="),
    bad_model("material by mu", lambda: lw.Material(mu=0.5), "Material", "did you mean 'friction'?"),
    bad_model("softness by k", lambda: lw.Soft(k=0.5), "Soft", "did you mean 'stiffness'?"),
    bad_model("frame of x, y, z", lambda: lw.Frame(1, 2, 3), "Frame", "position, rotation"),
    bad_model("cosine without frequency", lambda: lw.Cosine(1.0), "Cosine", "frequency= is missing"),
    bad_model("constant of three", lambda: lw.Constant(1, 2, 3), "Constant", "write Constant((1, 2, 3))"),
    bad_model("mass by place", lambda: model().body("crank", 1.0), "model.body", "mass="),
    bad_model("body without a name", lambda: model().body(mass=1.0), "model.body", "name= is missing"),
    bad_model("joint of one body", lambda: arm().ball("b", "arm"), "model.ball", "b= is missing"),
    bad_model("spring by place", lambda: arm().spring("s", "ground", "arm", 5.0), "model.spring", "stiffness="),
    bad_model("spring by k", lambda: arm().spring("s", "ground", "arm", k=5.0), "'s'", "did you mean 'stiffness'?"),
    bad_model("gravity by place", lambda: lw.Model("m", (0, 0, 0)), "Model", "gravity="),
    bad_model("curve of nothing", lambda: lw.Curve(None, [[1.0]]), "Curve", "breaks", "None"),
    bad_model("curve of one number", lambda: lw.Curve([], 3.0), "Curve", "pieces", "3.0"),
    bad_model("law compiled perhaps", lambda: lw.PythonLaw(lambda t: t, compiled="yes"), "PythonLaw", "True or False"),
    bad_model("port without a name", lambda: arm().port(MATRIX, "arm"), "port", "machine"),
    bad_model("mesh that is a number", lambda: lw.Mesh(3), "Mesh", "path"),
    # names
    bad_model("name twice", lambda: arm().body("arm", mass=1, inertia=ROUND), "'arm'", "choose another name"),
    bad_model("name of a joint", lambda: arm().force("pin", "arm", (0, 0, 1)), "revolute 'pin'"),
    bad_model("name of two", lambda: twins()["hinge"], "'hinge'", '"body:hinge" or "joint:hinge"'),
    bad_model("name of two, as an attribute", lambda: twins().hinge, "'hinge'", '"body:hinge" or "joint:hinge"'),
    bad_model("name of two, pushed", lambda: twins().torque("t", "hinge", 1.0), "'hinge'", '"joint:hinge"'),
    bad_option("column of two", lambda: run(twins())["hinge.position"], "'joint:hinge.position'"),
    bad_option("present column of two", lambda: lw.Simulation(twins())["hinge.position"], "'joint:hinge.position'"),
    bad_option("column of a joint that is a body", lambda: run()["joint:arm.position"], "'joint:arm.position'"),
    bad_model("name of an account", lambda: model().body("drift", mass=1, inertia=ROUND), "'drift'", "accounts"),
    bad_model("name with a kind", lambda: model().body("joint:a", mass=1, inertia=ROUND), "'joint:'", "remove"),
    bad_model("name empty", lambda: model().body("", mass=1, inertia=ROUND), "machine", "''"),
    bad_model("name with a dot and a quote", lambda: model().body("a.b's", mass=1, inertia=ROUND), "a.b's", "quote"),
    bad_model("name ground", lambda: model().body("ground", mass=1, inertia=ROUND), "'ground'"),
    bad_model("name a number", lambda: model().body(3, mass=1, inertia=ROUND), "3"),
    bad_model("name of two lines", lambda: model().body("a\nb", mass=1, inertia=ROUND), "a\\nb"),
    bad_model("model without a name", lambda: lw.Model(""), "Model", "name"),
    bad_model("model name of two lines", lambda: lw.Model("a\nb"), "Model", "a\\nb"),
    bad_model("gravity NaN", lambda: model(gravity=(0, 0, NAN)), "'machine'", "gravity"),
    bad_model("gravity one number", lambda: model(gravity=-9.81), "'machine'", "3 numbers"),
    bad_model("gravity misspelt", lambda: model(gravty=(0, 0, 0)), "'machine'", "did you mean 'gravity'?"),
    bad_model("part nobody made", lambda: arm()["amr"], "'amr'", "did you mean 'arm'?"),
    # joints
    bad_model("unknown body", lambda: arm().ball("b", "ground", "amr", at=(0, 0, 0)), "'b'", "did you mean 'arm'?"),
    bad_model("body of nothing", lambda: arm().ball("b", "ground", None, at=(0, 0, 0)), "'b'", "None"),
    bad_model("to itself", lambda: arm().ball("b", "arm", "arm", at=(0, 0, 0)), "'b'", "'arm' to itself"),
    bad_model("two grounds", lambda: arm().ball("b", "ground", "ground", at=(0, 0, 0)), "'b'", "ground"),
    bad_model("axis zero", lambda: hinge(axis=(0, 0, 0)), "'hinge'", "axis is zero"),
    bad_model("axis NaN", lambda: hinge(axis=(0, NAN, 0)), "'hinge'", "axis"),
    bad_model("axis as text", lambda: hinge(axis="z"), "'hinge'", "'z'"),
    bad_model("axis missing", lambda: hinge(axis=None), "'hinge'", "axis="),
    bad_model("place missing", lambda: hinge(at=None), "'hinge'", "at="),
    bad_model("place twice", lambda: hinge(frame_a=lw.Frame()), "'hinge'", "frame_a="),
    bad_model("frame as a tuple", lambda: hinge(at=None, axis=None, frame_a=(0, 0, 1)), "'hinge'", "lw.Frame"),
    bad_model("misspelt joint option", lambda: hinge(dampning=1), "'hinge'", "did you mean 'damping'?"),
    bad_model(
        "axes not perpendicular",
        lambda: arm().universal("cross", "ground", "arm", at=(0, 0, 0), axis=((1, 0, 0), (1, 1, 0))),
        "'cross'",
        "perpendicular",
    ),
    bad_model(
        "screw without pitch",
        lambda: arm().screw("thread", "ground", "arm", at=(0, 0, 0), axis=(0, 0, 1)),
        "'thread'",
        "pitch=",
    ),
    bad_model("pitch of a hinge", lambda: hinge(pitch=0.01), "'hinge'", "pitch="),
    bad_model("limits reversed", lambda: hinge(limits=(1, -1)), "'hinge'", "limits="),
    bad_model("limits NaN", lambda: hinge(limits=(NAN, 1)), "'hinge'", "limits"),
    bad_model("limits one number", lambda: hinge(limits=1.0), "'hinge'", "pair"),
    bad_model("start outside limits", lambda: hinge(limits=(0, 1), position=2), "'hinge'", "starts at 2"),
    bad_model(
        "limits of a ball", lambda: arm().ball("b", "ground", "arm", at=(0, 0, 0), limits=(0, 1)), "'b'", "limits="
    ),
    bad_model("start of two numbers", lambda: hinge(position=(1, 2)), "'hinge'", "1 number"),
    bad_model("start position NaN", lambda: hinge(position=NAN), "'hinge'", "position"),
    bad_model("start velocity infinite", lambda: hinge(velocity=INF), "'hinge'", "velocity"),
    bad_model("start of a weld", lambda: arm().fixed("weld", "ground", "arm", position=0), "'weld'", "position="),
    bad_model(
        "start quaternion zero",
        lambda: arm().ball("b", "ground", "arm", at=(0, 0, 0), position=(0, 0, 0, 0)),
        "'b'",
        "(1, 0, 0, 0)",
    ),
    bad_model("friction negative", lambda: hinge(friction=-1), "'hinge'", "friction"),
    bad_model("damping NaN", lambda: hinge(damping=NAN), "'hinge'", "damping"),
    bad_model("stiffness as text", lambda: hinge(stiffness="1e4"), "'hinge'", "'1e4'"),
    bad_model("armature negative", lambda: hinge(armature=-1), "'hinge'", "armature"),
    bad_model("rest without a spring", lambda: hinge(rest=0.3), "'hinge'", "stiffness="),
    bad_model("cut of one", lambda: hinge(cut=1), "'hinge'", "True or False"),
    bad_model("free joint that closes", lambda: arm().free("loose", "ground", "arm", cut=True), "'loose'", "cut="),
    bad_model("free joint beside another", free_beside_a_pin, "'loose'", "remove it"),
    bad_model("armature in a cut", armature_in_a_cut, "'p3'", "armature"),
    bad_model("limits of a matrix", lambda: hinge(limits=MATRIX), "'hinge'", "limits="),
    bad_model("cut of a matrix", lambda: hinge(cut=MATRIX), "'hinge'", "cut="),
    bad_model("joint of a matrix", lambda: arm().ball("b", "ground", MATRIX, at=(0, 0, 0)), "'b'", "body"),
    # forces, laws, drives
    bad_model("spring without effect", lambda: arm().spring("s", "ground", "arm"), "'s'", "stiffness="),
    bad_model("spring pushing", lambda: arm().spring("s", "ground", "arm", stiffness=-1), "'s'", "stiffness"),
    bad_model("spring to itself", lambda: arm().spring("s", "arm", "arm", stiffness=1), "'s'", "'arm'"),
    bad_model(
        "spring length NaN", lambda: arm().spring("s", "ground", "arm", stiffness=1, length=NAN), "'s'", "length"
    ),
    bad_model("coil of a body", lambda: arm().torsion_spring("coil", "arm", stiffness=1), "'coil'", "not a joint"),
    bad_model("coil of nothing", lambda: arm().torsion_spring("coil", "pni", stiffness=1), "'coil'", "'pin'"),
    bad_model("torque NaN", lambda: forced(NAN), "'push'", "nan"),
    bad_model("torque as text", lambda: forced("5"), "'push'", "'5'"),
    bad_model("torque of nothing", lambda: forced(None), "'push'", "None"),
    bad_model("torque of three in a hinge", lambda: forced((1, 2, 3)), "'push'", "one number"),
    bad_model("torque in a second angle", lambda: forced(1.0, coordinate=1), "'push'", "coordinate="),
    bad_model("law of two parameters", lambda: forced(lambda t, x: 1.0), "'push'", "2 parameters"),
    bad_model("law of no parameter", lambda: forced(lambda: 1.0), "'push'", "0 parameters"),
    bad_model("law of two numbers", lambda: system(forced(lambda t: (1, 2))), "'push'", "2 values"),
    bad_model("law of three in a hinge", lambda: system(forced(lambda t: (1, 2, 3))), "'push'", "three numbers"),
    bad_model("law of text", lambda: system(forced(lambda t: "a")), "'push'", "returned 'a'"),
    bad_model("law of nothing", lambda: system(forced(lambda t: None)), "'push'", "None"),
    bad_model("law that raises", lambda: system(forced(lambda t: 1 / 0)), "'push'", "ZeroDivisionError"),
    bad_model("law NaN at once", lambda: run(forced(lambda t: NAN)), "'push'", "nan"),
    bad_model("law of the grounds that raises", lambda: system(shaken(lambda t: 1 / 0)), "'table'", "ZeroDivision"),
    bad_model("compiled law that cannot be", lambda: system(forced(compiled_wrongly)), "'push'", "nobody_knows_this"),
    bad_model(
        "compiled law with a plain helper",
        lambda: system(forced(compiled_with_a_plain_helper)),
        "'push'",
        "test_refusals.py, line ",
        "'not_compiled' is a plain Python function",
        "put @lw.compiled above 'not_compiled'",
    ),
    bad_model(
        "compiled law with a dictionary", lambda: system(forced(compiled_with_a_table)), "'push'", "'GAINS' is a dict"
    ),
    bad_model("compiled law beyond its array", lambda: system(forced(compiled_beyond)), "'push'", "out of bounds"),
    bad_model("compiled number", lambda: lw.compiled(3), "3", "lw.compiled"),
    bad_model("force without direction", lambda: pushed(3.0), "'wind'", "axis="),
    bad_model("law without direction", lambda: system(pushed(lambda t: 3.0)), "'wind'", "axis="),
    bad_model("force with too many", lambda: pushed((1, 2, 3), axis=(0, 0, 1)), "'wind'", "axis="),
    bad_model("law with too many", lambda: system(pushed(lambda t: (1, 2, 3), axis=(0, 0, 1))), "'wind'", "axis="),
    bad_model("force in unknown axes", lambda: pushed(3.0, axis=(0, 0, 1), frame="local"), "'wind'", "frame='body'"),
    bad_model("force in a matrix of axes", lambda: pushed((1, 2, 3), frame=MATRIX), "'wind'", "frame='body'"),
    bad_model("force of a matrix", lambda: pushed(MATRIX), "'wind'", "law"),
    bad_model("force on the ground", lambda: arm().force("wind", "ground", (1, 2, 3)), "'wind'", "ground"),
    bad_model("table that stands still", lambda: pushed(([0, 0], [1, 2]), axis=(0, 0, 1)), "'wind'", "increase"),
    bad_model("table with NaN", lambda: pushed(([0, NAN], [1, 2]), axis=(0, 0, 1)), "'wind'", "times"),
    bad_model("table of unknown kind", lambda: lw.Table([0, 1], [0, 1], kind="square"), "Table", "'square'"),
    bad_model("table of a matrix", lambda: lw.Table([0, 1], [0, 1], kind=MATRIX), "Table", "kind="),
    bad_model("cosine NaN", lambda: lw.Cosine(1.0, frequency=NAN), "Cosine", "frequency"),
    bad_model("ground moved by a number", lambda: model().moving_ground("table", 3), "'table'", "lw.Motion"),
    bad_model("motion of one number", lambda: lw.Motion(position=3), "Motion", "position="),
    bad_model("motion of kinematics", lambda: lw.Motion(angle=lambda t, x, v: t), "Motion", "(t)"),
    bad_model("motor of two minds", lambda: driven(velocity=1, position=1), "'drive'", "velocity= or position="),
    bad_model("motor without torque", lambda: driven(velocity=1, max_torque=0), "'drive'", "max_torque"),
    bad_model("repeater of itself", lambda: follower("pin", "pin"), "'mesh'", "'pin'"),
    # subsystems
    bad_model("subsystem twice", added_twice, "'right'", "'left'"),
    bad_model("subsystem class", lambda: model().add("left", Damper), "'left'", "Damper()"),
    bad_model("subsystem number", lambda: model().add("left", 3), "'left'", "lw.Subsystem"),
    bad_model("subsystem matrix", lambda: model().add("left", MATRIX), "'left'", "lw.Subsystem"),
    bad_model("subsystem parameter missing", lambda: Damper(), "Damper", "'mass'"),
    bad_model("subsystem parameter misspelt", lambda: Damper(mas=1), "Damper", "did you mean 'mass'?"),
    bad_model("subsystem parameter unnamed", lambda: Damper(1.0), "Damper", "mass=..."),
    bad_model("subsystem turned wrongly", lambda: model().add("left", Damper(mass=1), rotation=(1, 0)), "'left'"),
    bad_model(
        "subsystem not added", lambda: arm().ball("b", "arm", Damper(mass=1).piston, at=(0, 0, 0)), "'b'", "add()"
    ),
    bad_model("body of another model", body_of_another_model, "'arm'", "another model"),
    bad_model("joined from inside", joined_from_inside, "'damper.hook'", "one level up"),
    bad_model("port of nothing", lambda: Damper(mass=1).port("end", "nothing"), "'Damper.end'", "'nothing'"),
    # whole models
    bad_model("no body", lambda: lw.check(model()), "'machine'", "no body"),
    bad_model("check of nothing", lambda: lw.check(None), "None", "lw.Model"),
    bad_model("check of a name", lambda: lw.check("car"), "'car'", "lw.Model"),
    bad_model("run of a subsystem", lambda: run(Damper(mass=1)), "Damper", "model.add"),
    bad_model("run of a gallery piece", lambda: run(lw.gallery.pendulum), "pendulum", "build()"),
    bad_model("floating group", lambda: lw.check(floating(beside_a_loop=False)), "'left half'", "model.free"),
    bad_model("floating beside a loop", lambda: lw.check(floating(beside_a_loop=True)), "'left half'", "model.free"),
    bad_model("loop that cannot close", lambda: lw.check(four_bar(coupler=9.0)), "'p3'", "'p1'", " m stays open"),
    bad_model(
        "starts that contradict",
        lambda: lw.check(four_bar(p1={"position": 1.5}, p4={"position": 0.2})),
        "'p1' was given 1.5",
        "'p4'",
    ),
    bad_model(
        "velocities that contradict",
        lambda: lw.check(four_bar(p1={"position": 1.5, "velocity": 1.0}, p4={"velocity": -3.0})),
        "'p1'",
        "'p4'",
        "velocities",
    ),
    bad_model(
        "velocities of a cut that contradict",
        lambda: lw.check(four_bar(p1={"position": 1.5, "velocity": 1.0}, p3={"velocity": 9.0})),
        "'p1'",
        "'p3'",
    ),
    bad_model("point mass in a ball joint", lambda: lw.check(point_mass("ball")), "'socket'", "'bob'", "inertia="),
    bad_model("point mass about itself", lambda: lw.check(point_mass("revolute", axis=(0, 0, 1))), "'socket'", "'bob'"),
    bad_model("point mass on a string", lambda: lw.check(point_mass("ball", com=(0, 0, -1))), "'socket'", "'bob'"),
    bad_model("point mass in flight", lambda: lw.check(point_mass(None)), "'bob'", "free to turn"),
    bad_model("frames that do not meet", lambda: lw.check(apart()), "'pin'", "'arm'", "1 m off"),
    bad_model("nut beside its thread", lambda: lw.check(nut(2.25)), "'thread'", "'nut'", "0.0025 m"),
    bad_model("name of a free motion", lambda: lw.check(stone_free()), "'stone free'", "'stone'"),
    # options of a run
    bad_option("dt zero", lambda: run(dt=0), "dt", "positive"),
    bad_option("dt negative", lambda: run(dt=-0.01), "dt", "-0.01"),
    bad_option("dt NaN", lambda: run(dt=NAN), "dt", "nan"),
    bad_option("dt as text", lambda: run(dt="1e-3"), "dt", "'1e-3'"),
    bad_option("dt of nothing", lambda: run(dt=None), "dt", "None"),
    bad_option("dt True", lambda: run(dt=np.True_), "dt"),
    bad_option("dt as an array", lambda: run(dt=np.array([0.1])), "dt"),
    bad_option("dt as a span of time", lambda: run(dt=np.timedelta64(1, "s")), "dt"),
    bad_option("dt as a matrix", lambda: run(dt=MATRIX), "dt"),
    bad_option("until zero", lambda: run(until=0), "until", "positive"),
    bad_option("until NaN", lambda: run(until=NAN), "until", "nan"),
    bad_option("until infinite", lambda: run(until=INF), "until", "inf"),
    bad_option("until as text", lambda: run(until="10"), "until", "'10'"),
    bad_option("until of nothing", lambda: run(until=None), "until", "None"),
    bad_option("until less than dt", lambda: run(until=0.006), "until = 0.006", "dt="),
    bad_option("steps beyond counting", lambda: run(dt=1e-300), "1e-300", "larger dt="),
    bad_option("method misspelt", lambda: run(method="recursiv"), "'recursiv'", "did you mean 'recursive'?"),
    bad_option("method in capitals", lambda: run(method="RECURSIVE"), "did you mean 'recursive'?"),
    bad_option("method of nothing", lambda: run(method=None), "None", "lw.Recursive"),
    bad_option("method an array", lambda: run(method=np.zeros(3)), "method="),
    bad_option("integrator unknown", lambda: run(integrator="euler"), "'euler'", "'semi-implicit'"),
    bad_option("integrator in a list", lambda: run(integrator=["rk4"]), "'rk4'"),
    bad_option("integrator of a method", lambda: run(method=lw.Recursive(integrator="rk5")), "'rk5'"),
    bad_option("rtol negative", lambda: run(integrator="adaptive", rtol=-1e-6), "rtol"),
    bad_option("stabilize as text", lambda: run(stabilize="yes"), "stabilize", "True or False"),
    bad_option("option unknown", lambda: run(stepsize=0.01), "'stepsize'", "'dt'"),
    bad_option("option step", lambda: run(step=0.01), "'step'", "did you mean 'dt'?"),
    bad_option("option h", lambda: run(h=0.01), "'h'", "did you mean 'dt'?"),
    bad_option("option solver", lambda: run(solver="rk4"), "'solver'", "did you mean 'method'?"),
    bad_option("option tol", lambda: run(method="hybrid", tol=1), "'tol'", "did you mean 'tolerance'?"),
    bad_option("option duration", lambda: run(duration=1), "'duration'", "did you mean 'until'?"),
    bad_option("t_end for until", lambda: lw.simulate(arm(), t_end=1.0), "until= is missing", "by t_end="),
    bad_option("until by place", lambda: lw.simulate(arm(), 1.0), "simulate", "until="),
    bad_option("method by place", lambda: lw.Hybrid(1e-3), "Hybrid", "dt="),
    bad_option("method by step", lambda: lw.Hybrid(step=1e-3), "Hybrid", "did you mean 'dt'?"),
    bad_option("columns of a plot by keyword", lambda: run().plot(columns="pin.position"), "run.plot", "file="),
    bad_option("steps twice", lambda: stepped().step(3, steps=3), "sim.step", "steps is given twice"),
    bad_option("links of a chain", lambda: lw.gallery.chain.build(links=3), "chain.build", "n="),
    bad_option("option of another method", lambda: run(baumgarte=1.0), "'baumgarte'"),
    bad_option("every zero", lambda: run(every=0), "every"),
    bad_option("every half", lambda: run(every=1.5), "every", "1.5"),
    bad_option("every beyond the end", lambda: run(every=100), "every=100", "10 steps"),
    bad_option("record nothing known", lambda: run(record="nothing"), "'nothing'", "'pin.position'"),
    bad_option("record misspelt", lambda: run(record=["pin.positon"]), "did you mean 'pin.position'"),
    bad_option("record None", lambda: run(record=None), "record", "None"),
    bad_option("record empty", lambda: run(record=[]), "record", "[]"),
    bad_option("record numbers", lambda: run(record=[3]), "record", "[3]"),
    bad_option("record too much", lambda: run(until=1e9), "'machine'", "GB", "every="),
    bad_option("record a matrix", lambda: run(record=MATRIX), "record"),
    bad_option("ignore a matrix", lambda: run(ignore=MATRIX), "ignore"),
    bad_option("integrator a matrix", lambda: run(integrator=MATRIX), "integrator"),
    bad_option("coordinates unknown", lambda: run(method="component", coordinates="polar"), "'polar'", "'joint'"),
    bad_option("stabilization unknown", lambda: run(method="absolute", stabilization="none"), "'none'"),
    bad_option("progress a number", lambda: run(progress=3), "progress", "3"),
    bad_option("ignore misspelt", lambda: run(ignore="fricton"), "did you mean 'friction'?"),
    bad_option("ignore a number", lambda: run(ignore=3), "ignore", "3"),
    bad_option(
        "motor of this method",
        lambda: run(driven(velocity=1, max_torque=1), method="recursive"),
        "'drive'",
        "ignore='motors'",
    ),
    bad_option("limits of this method", lambda: run(arm(limits=(-1, 1)), method="hybrid"), "'pin'", "ignore='limits'"),
    bad_option(
        "friction of this method", lambda: run(arm(friction=1), method="recursive"), "'pin'", "ignore='friction'"
    ),
    bad_option("no step", lambda: stepping().step(0), "steps"),
    bad_option("half a step", lambda: stepping().step(0.5), "steps", "0.5"),
    bad_option("input nobody made", lambda: stepping().inputs.update(drive=1.0), "'drive'", "law is a number"),
    bad_option(
        "input whose law is a function",
        lambda: lw.Simulation(forced(lambda t: 1.0), dt=0.01).inputs.update(push=2.0),
        "torque 'push'",
        "its law is a function",
        "law=0.0",
    ),
    bad_option(
        "input that is a cosine",
        lambda: lw.Simulation(forced(lw.Cosine(1.0, 2.0)), dt=0.01).inputs.update(push=2.0),
        "torque 'push'",
        "its law is a cosine",
    ),
    bad_option("input that is a joint", lambda: stepping().inputs.update(pin=1.0), "'pin'", "it is a revolute"),
    bad_option("simulation of unknown option", lambda: stepping(until=1), "'until'"),
    # numbers underneath
    bad_option("q too long", lambda: lw.forward_dynamics(system(), [0, 0], [0]), "q", "[0, 0]"),
    bad_option("q NaN", lambda: lw.forward_dynamics(system(), [NAN], [0]), "q", "nan"),
    bad_option("q text", lambda: lw.forward_dynamics(system(), ["a"], [0]), "q", "'a'"),
    bad_option("q of nothing", lambda: lw.mass_matrix(system(), None), "q", "None"),
    bad_option("q ragged", lambda: lw.forward_kinematics(system(), [[1], [1, 2]]), "q"),
    bad_option("v too long", lambda: lw.forward_dynamics(system(), [0], [0, 0]), "v", "[0, 0]"),
    bad_option("tau too long", lambda: lw.forward_dynamics(system(), [0], [0], [1, 2]), "tau"),
    bad_option("a too long", lambda: lw.inverse_dynamics(system(), [0], [0], [1, 2]), "a must be"),
    bad_option("time NaN", lambda: lw.forward_dynamics(system(), [0], [0], time=NAN), "time"),
    bad_option("span as text", lambda: lw.integrate(system(), [0], [0], "a"), "dt", "'a'"),
    bad_option("quaternion zero", lambda: lw.mass_matrix(ball(), [0, 0, 0, 0]), "'socket'", "1, 0, 0, 0"),
    bad_option("a model for a system", lambda: lw.mass_matrix(arm(), [0]), "machine", "lw.assemble"),
    bad_option("jacobian of nobody", lambda: lw.jacobian(system(), [0], "amr"), "'amr'", "did you mean 'arm'?"),
    bad_option("jacobian of a number", lambda: lw.jacobian(system(), [0], 3), "3"),
    bad_option("jacobian of another's body", lambda: lw.jacobian(system(), [0], arm()["arm"]), "'arm'", "belong"),
    bad_option("jacobian at NaN", lambda: lw.jacobian(system(), [0], "arm", (0, 0, NAN)), "point"),
    # results
    bad_option("column misspelt", lambda: run()["pin.positon"], "did you mean 'pin.position'"),
    bad_option("unit of a number", lambda: run().unit(3), "3", "run['"),
    bad_option("plot of a list", lambda: run().plot(["pin.position"]), "'pin.position'", "run['"),
    bad_option("input by a list", lambda: stepping().inputs.get(["push"]) or stepping().inputs[["push"]], "'push'"),
    bad_model("release of a list", lambda: stepped().release(["pin"]), "release", "'pin'"),
    bad_option("reactions of a model", lambda: lw.reactions(arm(), arm()), "machine", "lw.load_run"),
    bad_option("q of 400 digits", lambda: lw.mass_matrix(system(), 10**400), "q must be"),
    bad_option("steps without end", lambda: stepped().step(10**400), "steps"),
    bad_option("column a number", lambda: run()[3], "3", "run['"),
    bad_option("saved as a sheet", lambda: run().save("run.xls"), "run.xls", ".npz"),
    bad_option("saved to a number", lambda: run().save(3), "3", "file name"),
    bad_option("loaded from nowhere", lambda: lw.load_run("nowhere.npz"), "nowhere.npz", "run.save"),
    bad_option("loaded from a number", lambda: lw.load_run(3), "3", "file name"),
    bad_option("loaded from a folder", lambda: lw.load_run("/"), "folder"),
    bad_option("plot of a number", lambda: run().plot(3), "3", "run['"),
    bad_option("film as avi", lambda: run().film("run.avi"), "run.avi", ".gif"),
    bad_option("present column misspelt", lambda: stepped()["pin.angle"], "'pin.angle'", "give 'pin.position'"),
    bad_option("present column by number", lambda: stepped()[3], "3", "sim['pin.position']"),
    bad_option("present columns by pattern", lambda: stepped()["*.position"], "many values"),
    # bounds, comparisons, reactions, states
    bad_option("bounds as a list", lambda: run(strict=["energy"]), "strict", "['energy']"),
    bad_option("bounds of nothing", lambda: run(strict=None), "strict", "None"),
    bad_option("bound misspelt", lambda: run(strict={"enery": 1.0}), "'enery'", "did you mean 'energy'?"),
    bad_option("bound negative", lambda: run(strict={"drift": -1.0}), "'drift'", "-1.0"),
    bad_option("bound NaN", lambda: run(strict={"energy": NAN}), "'energy'", "nan"),
    bad_option("bound as text", lambda: run(strict={"energy": "small"}), "'energy'", "'small'"),
    bad_option("one method compared", lambda: lw.compare(arm(), until=1.0, methods=["hybrid"]), "two methods"),
    bad_option("methods as text", lambda: lw.compare(arm(), until=1.0, methods="hybrid"), "methods", "'hybrid'"),
    bad_option("methods a number", lambda: lw.compare(arm(), until=1.0, methods=5), "methods", "5"),
    bad_option("compared until the past", lambda: lw.compare(arm(), until=-1.0), "until", "-1.0"),
    bad_option("matched by hope", lambda: lw.compare(arm(), until=1.0, matched="hope"), "'hope'", "'cost'"),
    bad_model("a name compared", lambda: lw.compare("car", until=1.0), "'car'", "lw.Model"),
    bad_option("reactions of a file", lambda: lw.reactions(arm(), "run.npz"), "'run.npz'", "lw.load_run"),
    bad_option("reactions of another run", lambda: lw.reactions(four_bar(), run()), "has no column"),
    bad_option("reactions some time", lambda: lw.reactions(arm(), run(), "end"), "time", "'end'"),
    bad_option("reaction of nobody", lambda: stepped().reactions()["pinn"], "'pinn'", "pin"),
    bad_option("state from nowhere", lambda: lw.Simulation(arm(), resume="nowhere.npz"), "nowhere.npz"),
    bad_option("state from a number", lambda: lw.Simulation(arm(), resume=3), "3", "file name"),
    bad_option("state to a sheet", lambda: stepped().save("state.xls"), "state.xls", ".npz"),
    bad_option("stream to a table", lambda: lw.stream(arm(), "run.csv", until=1.0), "run.csv", ".h5"),
    bad_option("a number verified", lambda: lw.verify(3), "3", "subsystem"),
    bad_model("half a chain", lambda: lw.gallery.chain.build(n=2.5), "chain", "2.5", "links"),
    bad_model("a chain of text", lambda: lw.gallery.chain.build(n="abc"), "chain", "'abc'", "links"),
    bad_model("a pile of nothing", lambda: lw.gallery.pile.build(n=0), "pile", "bodies"),
    # runs that fail on their way
    bad_run("law NaN later", lambda: run(forced(late(NAN))), "torque 'push'", "t = 0.055 s", "nan"),
    bad_run("law infinite later", lambda: run(pushed(late(INF), axis=(0, 0, 1))), "force 'wind'"),
    bad_run("law raises later", lambda: run(forced(raises_late)), "torque 'push'", "ZeroDivisionError"),
    bad_run("law raises, adaptive", lambda: run(forced(raises_late), integrator="adaptive"), "torque 'push'"),
    bad_run("law shrinks", lambda: run(pushed(lambda t: (1, 2, 3) if t < 0.05 else 1)), "force 'wind'", "returned 1"),
    bad_run("compiled law NaN later", lambda: run(forced(compiled_late)), "torque 'push'", "nan"),
    bad_run("compiled law raises later", lambda: run(forced(compiled_raises_late)), "torque 'push'", "error"),
    bad_run("compiled vector later", lambda: run(pushed(compiled_vector_late)), "force 'wind'", "inf"),
    bad_run("ground NaN later", lambda: run(shaken(late(NAN))), "ground 'table'", "nan"),
    bad_run("ground raises later", lambda: run(shaken(raises_late)), "ground 'table'", "ZeroDivisionError"),
    bad_run("progress that raises", lambda: run(progress=lambda t: 1 / 0), "progress=", "ZeroDivisionError"),
    bad_run(
        "state without inertia",
        lambda: lw.forward_dynamics(system(point_mass("ball")), [1, 0, 0, 0], [0, 0, 0]),
        "'machine'",
        "inertia",
    ),
]


def test_the_table_is_long_and_says_each_thing_once():
    assert len(CASES) >= 80
    assert len({case.what for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=[case.what for case in CASES])
def test_refused_in_one_sentence(case):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((ModelError, OptionError, RunError)) as caught:
            case.action()
    sentence = str(caught.value)
    assert type(caught.value) is case.kind, sentence
    for word in case.words:
        assert word in sentence, f"{word!r} is not in: {sentence}"
    assert one_sentence(sentence), sentence
    assert says_what_to_do(sentence), sentence


def one_sentence(text: str) -> bool:
    whole = "\n" not in text and "  " not in text and 20 < len(text) < 400
    return whole and text == text.strip() and text[-1] not in ";:,-" and ". " not in text.replace("... ", "")


def says_what_to_do(text: str) -> bool:
    _, mark, remedy = text.partition("; ")
    return bool(mark) and any(word in REMEDIES.split() for word in remedy.split())


@pytest.mark.parametrize("integrator", ["semi-implicit", "rk2", "rk4", "abm4", "adaptive"])
def test_a_failed_run_keeps_its_rows(integrator):
    with pytest.raises(RunError) as caught:
        run(forced(raises_late), integrator=integrator)
    error = caught.value
    assert error.culprit == "torque 'push'"
    assert error.run is not None
    assert len(error.run) in (5, 6)
    assert error.time == pytest.approx(error.run.time[-1])
    assert error.run.stopped is not None
    assert not error.run.certificate.complete
    assert all(np.isfinite(error.run[name]).all() for name in error.run.names)
    assert error.step == len(error.run) - 1
    assert np.isfinite(error.state).all()


def test_a_law_that_is_wrong_only_where_nobody_goes_is_used():
    """Attraction by a centre: it has no value where the body would be at rest in the middle."""
    made = model(gravity=(0, 0, 0))
    made.body("moon", mass=1.0, inertia=ROUND)
    made.free("orbit", "ground", "moon", position=(1, 0, 0, 1, 0, 0, 0), velocity=(0, 1, 0, 0, 0, 0))
    made.force("pull", "moon", lambda t, x, r, v, w: [-c / math.hypot(*x) ** 3 for c in x])
    orbit = run(made, until=2 * math.pi, dt=math.pi / 500)
    assert orbit["moon.position"][-1] == pytest.approx([1, 0, 0], abs=1e-8)


def test_a_motion_is_never_asked_before_the_start():
    asked = []

    def lift(t):
        asked.append(t)
        return 0.1 * t**2.5

    shaken_run = run(shaken(lift))
    assert min(asked) == 0.0
    times = shaken_run.time
    assert shaken_run["box.position"][:, 0] == pytest.approx(0.1 * times**2.5, abs=1e-12)
    assert shaken_run["box.velocity"][3:, 0] == pytest.approx(0.25 * times[3:] ** 1.5, rel=1e-4)


def test_a_second_run_of_a_system_forgets_what_failed_in_the_first():
    made = system(forced(raises_late))
    first = lw.Simulation(made, dt=0.01)
    with pytest.raises(RunError):
        first.step(10)
    second = lw.Simulation(made, dt=0.01)
    second.step(3)
    assert second.time == pytest.approx(0.03)


def test_a_screw_starts_at_the_turn_where_its_body_is():
    screwed = run(nut(3))
    assert screwed["thread.position"][0] == pytest.approx(6 * math.pi)
    assert screwed["nut.position"][0] == pytest.approx([0, 0, 0.03])


def test_dt_never_grows():
    for until, dt in ((0.105, 0.01), (0.014, 0.01), (0.1, 0.03)):
        made = run(until=until, dt=dt).certificate
        assert made.dt <= dt
        assert made.reached == pytest.approx(until, rel=1e-12)
    assert run(until=1, dt=1).certificate.dt == 1.0

import math

import pytest

from linkwork.model import Body, Constant, Cosine, Joint, Model, PythonLaw, Table


def test_spring(model: Model, rod: Body) -> None:
    spring = model.spring("coil", "ground", rod, at_b=(0, 0, 1), stiffness=100, damping=2, length=0.3)
    assert (spring.a, spring.b) == (model.ground, rod)
    assert (spring.at_a.tolist(), spring.at_b.tolist()) == ([0, 0, 0], [0, 0, 1])
    assert (spring.stiffness, spring.damping, spring.length) == (100, 2, 0.3)
    assert model.forces == {"coil": spring}
    assert model.coil is spring
    assert model.spring("damper", "ground", rod, damping=1).stiffness == 0


def test_torsion_spring(model: Model, pin: Joint) -> None:
    spring = model.torsion_spring("coil", "pin", stiffness=3, damping=0.1, angle=0.5)
    assert (spring.joint, spring.stiffness, spring.damping, spring.angle) == (pin, 3, 0.1, 0.5)
    assert repr(spring) == "<torsion spring 'coil'>"


def test_torques(model: Model, rod: Body, pin: Joint) -> None:
    joint = model.torque("drive", pin, Cosine(1, 2))
    assert (joint.target, joint.law, joint.axis, joint.coordinate) == (pin, Cosine(1, 2), None, 0)
    scalar = model.torque("spin", "rod", 3.0, axis=(0, 0, 2))
    assert (scalar.target, scalar.frame, scalar.axis.tolist()) == (rod, "body", [0, 0, 1])
    vector = model.torque("wind", rod, (0, 0, 1))
    assert (vector.frame, vector.axis, vector.law) == ("world", None, Constant((0, 0, 1)))
    assert model.torque("own", rod, (0, 0, 1), frame="body").frame == "body"
    disk = model.body("disk", mass=1, inertia=(1, 1, 1))
    model.planar("table", "ground", disk, at=(0, 0, 0), axis=(0, 0, 1))
    assert model.torque("turn", "table", lambda t, position, velocity: -velocity, coordinate=2).coordinate == 2


def test_forces(model: Model, rod: Body) -> None:
    force = model.force("push", rod, lambda t, x, rotation, v, omega: -v, at=(0, 0, 1))
    assert isinstance(force.law, PythonLaw)
    assert (force.body, force.at.tolist(), force.frame) == (rod, [0, 0, 1], "world")
    thrust = model.force("thrust", "rod", ([0, 1], [5, 0]), axis=(0, 0, 1))
    assert isinstance(thrust.law, Table)
    assert (thrust.frame, thrust.at.tolist()) == ("body", [0, 0, 0])
    assert model.force("lift", rod, 1.0, axis=(0, 0, 1), frame="world").frame == "world"


SPRINGS = [
    ({}, ("neither stiffness nor damping", "give stiffness=")),
    ({"stiffness": -1}, ("stiffness is -1", "positive stiffness=")),
    ({"damping": -1}, ("damping is -1", "positive damping=")),
    ({"stiffness": math.nan}, ("stiffness", "finite")),
    ({"stiffness": 1, "length": -1}, ("length is -1",)),
    ({"stiffness": 1, "at_a": (0, 0)}, ("at_a", "3 numbers in metres")),
    ({"stiffness": 1, "at_b": "end"}, ("at_b", "3 numbers in metres")),
    ({"stifness": 1}, ("unknown option stifness=", "did you mean 'stiffness'?")),
]


@pytest.mark.parametrize(("options", "words"), SPRINGS)
def test_refused_springs(model: Model, rod: Body, refused, options, words) -> None:
    with refused("spring 'coil'", *words):
        model.spring("coil", "ground", rod, **options)


def test_refused_spring_on_one_body(model: Model, rod: Body, refused) -> None:
    with refused("spring 'coil'", "'rod'", "two different bodies"):
        model.spring("coil", rod, rod, stiffness=1)


def test_refused_torsion_springs(model: Model, rod: Body, pin: Joint, refused) -> None:
    with refused("torsion spring 'coil'", "neither stiffness nor damping"):
        model.torsion_spring("coil", pin)
    with refused("torsion spring 'coil'", "angle", "radians"):
        model.torsion_spring("coil", pin, stiffness=1, angle=math.nan)
    with refused("torsion spring 'coil'", "not a joint", "give a joint"):
        model.torsion_spring("coil", rod, stiffness=1)
    with refused("torsion spring 'coil'", "no 'pim'", "did you mean 'pin'"):
        model.torsion_spring("coil", "pim", stiffness=1)
    with refused("torsion spring 'coil'", "unknown option length="):
        model.torsion_spring("coil", pin, length=1)
    slide = model.prismatic("slide", "ground", rod, axis=(1, 0, 0))
    with refused("torsion spring 'coil'", "prismatic joint 'slide'", "revolute, screw or cylindrical", "stiffness="):
        model.torsion_spring("coil", slide, stiffness=1)


def test_refused_torques(model: Model, rod: Body, pin: Joint, refused) -> None:
    with refused("torque 'spin'", "without a direction", "axis="):
        model.torque("spin", rod, 1.0)
    with refused("torque 'spin'", "three components", "remove axis="):
        model.torque("spin", rod, (1, 0, 0), axis=(0, 0, 1))
    with refused("torque 'spin'", "frame 'wrld'", "frame='world'"):
        model.torque("spin", rod, (1, 0, 0), frame="wrld")
    with refused("torque 'spin'", "coordinate=", "axis="):
        model.torque("spin", rod, (1, 0, 0), coordinate=1)
    with refused("torque 'spin'", "ground", "give a body"):
        model.torque("spin", "ground", (1, 0, 0))
    with refused("torque 'spin'", "axis is zero"):
        model.torque("spin", rod, 1, axis=(0, 0, 0))
    with refused("torque 'spin'", "3 parameters", "(t) or (t, position, rotation, velocity, angular_velocity)"):
        model.torque("spin", rod, lambda t, x, v: 1.0, axis=(0, 0, 1))
    with refused("torque 'spin'", "5 parameters", "(t) or (t, position, velocity)"):
        model.torque("spin", pin, lambda t, x, r, v, w: 1.0)
    with refused("torque 'spin'", "one number", "coordinate="):
        model.torque("spin", pin, (1, 2, 3))
    with refused("torque 'spin'", "remove axis="):
        model.torque("spin", pin, 1, axis=(0, 0, 1))
    with refused("torque 'spin'", "'pin' has one coordinate", "leave coordinate= out"):
        model.torque("spin", pin, 1, coordinate=1)
    with refused("torque 'spin'", "leave coordinate= out"):
        model.torque("spin", pin, 1, coordinate="angle")
    disk = model.body("disk", mass=1, inertia=(1, 1, 1))
    table = model.planar("table", "ground", disk, at=(0, 0, 0), axis=(0, 0, 1))
    with refused("torque 'spin'", "'table' has 3 coordinates", "coordinate= from 0 to 2"):
        model.torque("spin", table, 1, coordinate=3)
    with refused("torque 'spin'", "no 'pim'", "'pin'"):
        model.torque("spin", "pim", 1)
    with refused("torque 'spin'", "finite"):
        model.torque("spin", pin, math.nan)
    weld = model.fixed("weld", "ground", rod)
    with refused("torque 'spin'", "'weld' cannot move"):
        model.torque("spin", weld, 1)


def test_refused_forces(model: Model, rod: Body, pin: Joint, refused) -> None:
    with refused("force 'push'", "without a direction", "axis="):
        model.force("push", rod, Cosine(1, 1))
    with refused("force 'push'", "not a body"):
        model.force("push", pin, (1, 0, 0))
    with refused("force 'push'", "at", "3 numbers in metres"):
        model.force("push", rod, (1, 0, 0), at=1)
    with refused("force 'push'", "ground"):
        model.force("push", model.ground, (1, 0, 0))
    with refused("force 'push'", "unknown option att=", "'at'"):
        model.force("push", rod, (1, 0, 0), att=(0, 0, 0))
    assert not model.forces

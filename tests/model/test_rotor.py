"""Rotors as words: what they keep and what they refuse."""

from __future__ import annotations

import pytest

import linkwork as lw
from linkwork.assembly.massless import lent
from linkwork.assembly.reference import Reference
from linkwork.model import Body, Model


@pytest.fixture
def model() -> Model:
    return Model("drive")


@pytest.fixture
def rod(model: Model) -> Body:
    return model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1))


def test_a_rotor_is_a_body_with_a_shaft(model: Model, rod: Body) -> None:
    rotor = model.rotor("fan", inertia=0.3, on=rod, axis=(0, 2, 0), at=(0.1, 0, 0), velocity=3, damping=0.1)
    assert (rotor.mass, rotor.inertia.tolist()) == (0.0, [[0, 0, 0], [0, 0, 0], [0, 0, 0.3]])
    assert rotor.shaft is model["fan shaft"]
    assert (rotor.shaft.a, rotor.shaft.velocity, rotor.shaft.damping) == (rod, (3.0,), 0.1)
    assert repr(rotor) == "<rotor 'fan'>"
    assert "rotor     fan        0.3 kg m2" in model.outline()
    assert lw.check(model).total_mass == 1.0


def test_it_stands_for_its_shaft(model: Model, rod: Body) -> None:
    first = model.rotor("first", inertia=0.3, on=rod, axis=(0, 1, 0))
    model.rotor("second", inertia=0.3, on="rod", axis=(0, 0, 1))
    gear = model.gear("gear", first, "second", ratio=2.0)
    assert [joint.name for joint in gear.joints] == ["second shaft", "first shaft"]
    assert model.motor("motor", first, velocity=1.0).joint is first.shaft
    assert model.torsion_spring("coil", "second", stiffness=1.0).joint is model["second shaft"]


def test_on_a_joint_it_turns_about_its_axis(model: Model, rod: Body) -> None:
    model.revolute("pin", "ground", rod, at=(1, 0, 0), axis=(0, 1, 1))
    motor = model.rotor("motor", inertia=0.3, on="pin", ratio=10.0)
    assert (motor.shaft.a, motor.shaft.axis.tolist()) == (model.ground, model["pin"].axis.tolist())
    assert [(term.joint.name, term.factor) for term in model["motor gear"].terms] == [("motor shaft", 1), ("pin", -10)]
    model.prismatic("rail", rod, model.body("cart", mass=1.0, inertia=0), axis=(1, 0, 0))
    rack = model.rotor("rack", inertia=0.3, on="rail", axis=(0, 0, 1), ratio=100.0)
    assert rack.shaft.a is rod
    assert type(model["rack gear"]).__name__ == "Repeater"


def test_what_is_refused(model: Model, rod: Body, refused) -> None:
    model.ball("ball", "ground", rod, at=(0, 0, 0))
    first = model.rotor("first", inertia=0.3, on=rod, axis=(0, 1, 0))
    with refused("rotor 'fan'", "inertia is 0 ", "positive"):
        model.rotor("fan", inertia=0, on=rod, axis=(0, 0, 1))
    with refused("rotor 'fan'", "its axis is not known", "axis="):
        model.rotor("fan", inertia=1, on=rod)
    with refused("rotor 'fan'", "about the same axis", "axis="):
        model.rotor("fan", inertia=1, on=first, axis=(0, 0, 1))
    with refused("rotor 'fan'", "ratio=", "joint"):
        model.rotor("fan", inertia=1, on=rod, axis=(0, 0, 1), ratio=2.0)
    with refused("rotor 'fan'", "ball joint 'ball'", "3 coordinates"):
        model.rotor("fan", inertia=1, on="ball")
    with refused("rotor 'fan'", "ratio is zero"):
        model.rotor("fan", inertia=1, on=first.shaft, ratio=0.0)
    with refused("rotor 'fan'", "mass", "unknown"):
        model.rotor("fan", inertia=1, on=rod, axis=(0, 0, 1), mass=1.0)  # type: ignore[call-arg]
    with refused("name is taken by the rotor 'first'"):
        model.body("first", mass=1.0, inertia=0)
    assert list(model.bodies) == ["rod", "first"]
    assert list(model.joints) == ["ball", "first shaft"]


def test_a_part_called_rotor_is_found_by_its_name(model: Model, refused) -> None:
    model.body("rotor", mass=1.0, inertia=0)
    with refused("revolute joint 'pin'", "the method rotor()", '["rotor"]'):
        model.revolute("pin", "ground", model.rotor, at=(0, 0, 0), axis=(0, 0, 1))


def test_what_is_lent_is_taken_from_the_carrier(model: Model) -> None:
    """Together they have the mass and inertia that they had, about any point; and each has enough of its own."""
    rod = model.body("rod", mass=2.0, inertia=(0.3, 0.25, 0.2), com=(0.1, 0.05, -0.4), position=(1, 2, 3))
    model.ball("ball", "ground", rod, at=(0, 0, 0))
    for name, axis in (("x", (1, 0, 0)), ("y", (0, 1, 2))):
        model.rotor(name, inertia=0.05, on=rod, axis=axis, at=(0.2, 3.0, 0))
    reference = Reference(model)
    inertias = lent(model, reference)[1]
    whole = {body: inertias.get(id(body)) for body in model.all_bodies()}
    totals = []
    for has in (whole, {body: body for body in whole}):
        mass, first, moments = 0.0, 0.0, 0.0
        for body, part in has.items():
            m, com, I = (part.mass, part.com, part.inertia if isinstance(part, Body) else part.moments)
            pose = reference.of(body)
            c, R = pose.point(com), pose.matrix
            mass, first = mass + m, first + m * c
            moments = moments + R @ I @ R.T + m * (c @ c * lw.Frame().matrix - c[:, None] * c)
        totals.append((mass, first, moments))
    for one, other in zip(*totals, strict=True):
        assert one == pytest.approx(other, abs=1e-12)
    assert all(part.mass > 0.0 and min(part.moments.diagonal()) > 0.0 for part in whole.values())

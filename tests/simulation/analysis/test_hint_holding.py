"""Forgotten joints and materials, axes out of line, lengths in millimetres are hinted at; what is meant is not."""

from __future__ import annotations

import pytest

import linkwork as lw

SCALES = [1e-3, 1.0, 1e3]


def hints_of(model: lw.Model) -> list[str]:
    return lw.check(model).hints


def box_on_floor(*, floor: bool = True, **body: object) -> lw.Model:
    model = lw.Model("box on a floor")
    if floor:
        model.plane("floor", material=lw.Material(friction=0.5))
    model.body("box", shape=lw.Box((0.1, 0.1, 0.1)), mass=1.0, position=(0, 0, 0.1), **body)
    return model


def test_a_floor_that_nothing_can_touch() -> None:
    (hint,) = hints_of(box_on_floor())
    assert hint == "plane 'floor' can be touched by nothing: give bodies material= too, or they fall through it"
    assert hints_of(box_on_floor(material=lw.Material())) == []


def test_one_of_two_bodies_that_falls_through() -> None:
    model = box_on_floor(material=lw.Material())
    model.body("ball", shape=lw.Sphere(0.1), mass=1.0, position=(1, 0, 0.2))
    (hint,) = hints_of(model)
    assert hint == "body 'ball' has no material=, so that it passes through plane 'floor' and bodies"


def test_one_of_two_bodies_with_a_material() -> None:
    model = box_on_floor(floor=False, material=lw.Material())
    model.body("ball", shape=lw.Sphere(0.1), mass=1.0, position=(0, 0, 0.5))
    (hint,) = hints_of(model)
    assert hint.startswith("body 'box' can touch nothing, since nothing else has a material")


def test_what_a_body_on_joints_passes_is_meant() -> None:
    """A machine above a floor on which only some of its parts can land."""
    model = box_on_floor(material=lw.Material())
    rod = model.body("rod", shape=lw.Cylinder(0.01, 0.5), mass=1.0, position=(0, 0, 0.5))
    model.revolute("pin", model.ground, rod, at=(0, 0, 0.75), axis=(0, 1, 0))
    assert hints_of(model) == []


def door(scale: float, offset: float = 0.0, tilt: float = 0.0, **joint: object) -> lw.Model:
    """Two hinges one above the other; the upper one is `offset` of their distance out of line, and tilted."""
    model = lw.Model("door")
    size = (0.8 * scale, 0.05 * scale, 2 * scale)
    leaf = model.body("leaf", shape=lw.Box(size), mass=20.0 * scale**3, position=(0.4 * scale, 0, scale))
    model.revolute("lower hinge", model.ground, leaf, at=(0, 0, 0.2 * scale), axis=(0, 0, 1), **joint)
    at, axis = (0, offset * 1.6 * scale, 1.8 * scale), (tilt, 0, 1)
    model.revolute("upper hinge", model.ground, leaf, at=at, axis=axis, cut=True)
    return model


@pytest.mark.parametrize("scale", SCALES)
def test_hinges_out_of_line(scale: float) -> None:
    (hint,) = hints_of(door(scale, offset=0.03))
    assert "0 degrees of freedom" in hint
    assert f"'lower hinge' and 'upper hinge' are parallel but {0.048 * scale:.3g} m apart" in hint
    (hint,) = hints_of(door(scale, tilt=0.03))
    assert "'lower hinge' and 'upper hinge' are 1.72 degrees apart" in hint
    assert hints_of(door(scale)) == []


def test_a_velocity_that_0_freedoms_refuse() -> None:
    with pytest.raises(lw.ModelError, match="0 degrees of freedom.* 'lower hinge' and 'upper hinge' are parallel but"):
        lw.check(door(1.0, offset=0.03, velocity=1.0))


@pytest.mark.parametrize("odd", ["a", "b", "c", "d"])
def test_one_hinge_with_the_wrong_axis(odd: str) -> None:
    model = lw.Model("four-bar")
    corners = [(0, 0, 0), (0.1, 0, 0.3), (0.6, 0, 0.4), (0.7, 0, 0)]
    bars = [model.ground]
    for k in range(3):
        middle = tuple(0.5 * (p + q) for p, q in zip(corners[k], corners[k + 1], strict=True))
        bars.append(model.body(f"bar {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=middle))
    for name, at, one, other in zip("abcd", corners, bars, [*bars[1:], bars[0]], strict=True):
        model.revolute(name, one, other, at=at, axis=(1, 0, 0) if name == odd else (0, 1, 0))
    (hint,) = hints_of(model)
    assert "0 degrees of freedom" in hint
    assert f"hinge '{odd}' is not parallel to the others" in hint


def test_a_rigid_motor_takes_the_last_freedom_by_right() -> None:
    model = door(1.0)
    model.motor("drive", "lower hinge", velocity=1.0)
    for method in ("recursive", "impulse"):
        system = lw.Simulation(model, method).stepper.system
        assert hints_of(model) == [], system


def hanging(scale: float = 1.0, **spring: float) -> lw.Model:
    model = lw.Model("hanging")
    bob = model.body("bob", shape=lw.Sphere(0.05 * scale), mass=scale**3, position=(0, 0, -0.5 * scale))
    model.spring("coil", model.ground, bob, stiffness=100.0 * scale**2, **spring)
    return model


@pytest.mark.parametrize("scale", SCALES)
def test_a_spring_in_millimetres(scale: float) -> None:
    (hint,) = hints_of(hanging(scale, length=500.0 * scale))
    told = f"length {500.0 * scale:g} m, but its ends start {0.5 * scale:.3g} m apart"
    assert hint == f"spring 'coil': {told}: is it in millimetres?"
    for length in (0.0, 0.1, 1.0, 5.0):
        assert hints_of(hanging(scale, length=length * scale)) == []


@pytest.mark.parametrize("density", [7.85, 2.7, 8.96, 11.3])
def test_a_density_in_grams(density: float) -> None:
    model = lw.Model("rod")
    model.body("rod", shape=lw.Cylinder(0.01, 0.5), density=density)
    assert hints_of(model) == [f"body 'rod': density {density:g} kg/m3, a little more than air: is it in g/cm3?"]


@pytest.mark.parametrize("density", [1.0, 15.0, 1000.0, 7850.0])
def test_densities_that_there_are(density: float) -> None:
    model = lw.Model("rod")
    model.body("rod", shape=lw.Cylinder(0.01, 0.5), density=density)
    assert hints_of(model) == []


def two_rods(**upper: object) -> lw.Model:
    model = lw.Model("two rods")
    one = model.body("one", shape=lw.Cylinder(0.01, 1.0), mass=1.0, position=(0, 0, -0.5))
    model.body("two", shape=lw.Cylinder(0.01, 1.0), mass=1.0, position=(0, 0, -1.5))
    model.revolute("pin", model.ground, one, at=(0, 0, 0), axis=(0, 1, 0))
    return model


def test_a_joint_that_was_forgotten() -> None:
    (hint,) = hints_of(two_rods())
    assert hint == "body 'two' is held by no joint, so that it falls: is a joint missing? If not, say free()"


def test_what_flies_by_intent_is_silent() -> None:
    free, hung, pushed, space = two_rods(), two_rods(), two_rods(), two_rods()
    free.free("flight", free.ground, "two")
    hung.spring("coil", "one", "two", stiffness=100.0)
    pushed.force("thrust", "two", (0, 0, 9.81))
    space.gravity = (0, 0, 0)
    for model in (free, hung, pushed, space):
        assert hints_of(model) == []


def test_strings_rods_and_closing_joints_hold() -> None:
    string = lw.Model("ball on a string")
    ball = string.body("ball", mass=1.0, shape=lw.Sphere(0.1), position=(0, 0, -1))
    string.distance("string", "ground", ball, length=1.0)
    assert hints_of(string) == []
    closing = two_rods()
    closing.revolute("knee", "one", "two", at=(0, 0, -1), axis=(0, 1, 0), cut=True)
    assert hints_of(closing) == []

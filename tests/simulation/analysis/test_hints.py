"""Mistakes that a model may have without being wrong are hinted at; healthy models are silent."""

from __future__ import annotations

import gc
import math
import warnings
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, four_bar, loop_of, pendulum
from linkwork import gallery
from random_mechanisms import random_tree


def hints_of(model: lw.Model) -> list[str]:
    return lw.check(model).hints


def started(model: lw.Model, **options: Any) -> list[str]:
    """What the start of a run warns of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        lw.Simulation(model, "recursive", **options)
    assert all(issubclass(each.category, lw.ModelWarning) for each in told)
    return [str(each.message) for each in told]


def arm(angle: Any = 0.3, *, pin: dict[str, Any] | None = None, **body: Any) -> lw.Model:
    model = lw.Model("arm")
    options = {"shape": lw.Cylinder(0.02, 1.0), "mass": 2.0, "position": (0, 0, -0.5)} | body
    rod = model.body("rod", **options)
    model.revolute("pin", model.ground, rod, axis=(0, 1, 0), position=angle, **({"at": (0, 0, 0)} | (pin or {})))
    return model


# --- lengths in millimetres, masses in grams ------------------------------------------------------------------


def test_a_rod_in_millimetres() -> None:
    rod = arm(shape=lw.Cylinder(20.0, 1000.0), position=(0, 0, -500))
    assert hints_of(rod) == ["body 'rod': density 1.6e-06 kg/m3 (2 kg in 1.3e+06 m3): are lengths in millimetres?"]


def test_a_rod_that_is_only_too_long() -> None:
    (hint,) = hints_of(arm(shape=lw.Cylinder(0.0325, 1000.0), position=(0, 0, -500)))
    assert "density 0.6 kg/m3" in hint
    assert "millimetres" in hint


def test_millimetres_with_a_density() -> None:
    rod = arm(mass=None, density=7800.0, shape=lw.Cylinder(20.0, 1000.0), position=(0, 0, -500))
    assert hints_of(rod) == ["body 'rod': mass 9.8e+09 kg (1.3e+06 m3 at 7800 kg/m3): are lengths in millimetres?"]


def test_millimetres_without_a_shape() -> None:
    rod = arm(shape=None, inertia=(2e6 / 12, 2e6 / 12, 1e3), com=(0, 0, 0), position=(0, 0, -500))
    (hint,) = hints_of(rod)
    assert hint.startswith("body 'rod': 2 kg over ")
    assert hint.endswith("are lengths in millimetres?")


def test_a_mass_in_grams() -> None:
    (hint,) = hints_of(arm(mass=9800.0))
    assert hint == "body 'rod': density 7.8e+06 kg/m3 (9800 kg in 0.0013 m3): is its mass in grams?"


def test_an_inertia_in_kg_mm2() -> None:
    (hint,) = hints_of(arm(inertia=(2e6 / 12, 2e6 / 12, 4e2)))
    assert hint.startswith("body 'rod': its inertia is that of 2 kg at 289 m from the centre")


@pytest.mark.parametrize("density", [15.0, 1000.0, 19300.0])  # foam, water, tungsten
@pytest.mark.parametrize("length", [1e-3, 1.0, 100.0])
def test_what_there_is_is_no_mistake(length: float, density: float) -> None:
    shape = lw.Cylinder(length / 30, length)
    assert hints_of(arm(shape=shape, mass=None, density=density, position=(0, 0, -length / 2))) == []
    assert hints_of(arm(shape=shape, mass=density * shape.volume, position=(0, 0, -length / 2))) == []


def test_a_shape_for_the_eye_may_be_as_thin_as_it_likes() -> None:
    assert hints_of(arm(shape=lw.Cylinder(1e-4, 1.0), mass=2.0, inertia=(0.17, 0.17, 1e-3))) == []


def test_light_links_and_point_masses_are_no_mistake() -> None:
    assert hints_of(arm(shape=None, inertia=0, com=(0, 0, -1.0), mass=1e-7, position=(0, 0, 0))) == []


# --- degrees --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [90, 45.0, -180, 360, 22.5, 10, 30])
def test_degrees_of_a_start_position(angle: float) -> None:
    (hint,) = hints_of(arm(angle))
    turns, radians = abs(angle) / (2 * math.pi), math.radians(angle)
    words = f"position {angle:g} rad is {turns:.3g} turns: is it in degrees? ({radians:.4g} rad)"
    assert hint == f"revolute joint 'pin': {words}"


@pytest.mark.parametrize("angle", [0.5 * math.pi, 2 * math.pi, 6.0, -3.0, 1.0, 37.24871, 7.0])
def test_radians_of_a_start_position(angle: float) -> None:
    assert hints_of(arm(angle)) == []


def test_degrees_elsewhere() -> None:
    assert hints_of(arm(pin={"limits": (-90, 90)})) == [
        "revolute joint 'pin': limits -90 rad is 14.3 turns: is it in degrees? (-1.571 rad)"
    ]
    assert "rest 45 rad" in hints_of(arm(pin={"stiffness": 3.0, "rest": 45}))[0]
    driven = arm()
    driven.motor("servo", "pin", position=90.0)
    assert "motor 'servo': position 90 rad" in hints_of(driven)[0]
    sprung = arm()
    sprung.torsion_spring("coil", "pin", stiffness=1.0, angle=60.0)
    assert "torsion spring 'coil': angle 60 rad" in hints_of(sprung)[0]


def test_what_is_no_angle_may_be_large() -> None:
    model = lw.Model("rail")
    wagon = model.body("wagon", shape=lw.Box((10, 2, 3)), density=300.0)
    model.prismatic("rail", model.ground, wagon, axis=(1, 0, 0), position=90.0, limits=(-180, 180))
    screw = model.body("screw", shape=lw.Cylinder(0.1, 1.0), density=7800.0)
    model.screw("thread", wagon, screw, at=(0, 0, 0), axis=(1, 0, 0), pitch=0.01, position=100.0)
    model.motor("spin", "rail", velocity=90.0)
    assert hints_of(model) == []


# --- quaternions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rotation", [(0, 0, 0, 1), (0, 0, math.sqrt(0.5), math.sqrt(0.5)), (0, 0.6, 0, 0.8)])
def test_quaternions_x_y_z_w(rotation: tuple[float, ...]) -> None:
    (hint,) = hints_of(arm(rotation=rotation))
    assert hint.startswith("body 'rod': rotation (0, ")
    assert hint.endswith("is half a turn: is it x, y, z, w? Write w, x, y, z; no turn is (1, 0, 0, 0)")
    model = lw.Model("stone")
    stone = model.body("stone", shape=lw.Sphere(0.1), mass=10.0)
    model.free("flight", model.ground, stone, position=(0, 0, 1, *rotation))
    assert "free joint 'flight': position (0, " in hints_of(model)[0]


@pytest.mark.parametrize("rotation", [(1, 0, 0, 0), (0.6, 0, 0, 0.8), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0.6, 0.8, 0)])
def test_quaternions_w_x_y_z(rotation: tuple[float, ...]) -> None:
    assert hints_of(arm(rotation=rotation)) == []


def test_half_a_turn_beside_others_is_meant() -> None:
    model = arm(rotation=(0, 0, 0, 1))
    other = model.body("other", shape=lw.Sphere(0.1), mass=10.0, rotation=(0.6, 0, 0, 0.8))
    model.free("flight", model.ground, other)
    assert hints_of(model) == []


# --- joints far from their bodies -----------------------------------------------------------------------------


def chain(at: float, scale: float = 1.0) -> lw.Model:
    """Two links of 1 m, times the scale; the joint between them belongs at x = 1."""
    model = lw.Model("chain")
    bar = lw.Box((scale, 0.1 * scale, 0.1 * scale))
    first = model.body("first", shape=bar, density=1000.0, position=(0.5 * scale, 0, 0))
    second = model.body("second", shape=bar, density=1000.0, position=(1.5 * scale, 0, 0))
    model.revolute("root", model.ground, first, at=(0, 0, 0), axis=(0, 1, 0))
    model.revolute("elbow", first, second, at=(at * scale, 0, 7.0 * scale * (at != 1.0)), axis=(0, 1, 0))
    return model


@pytest.mark.parametrize("scale", [1e-3, 1.0, 10.0])
def test_a_joint_far_from_both_bodies(scale: float) -> None:
    assert hints_of(chain(1.0, scale)) == []
    (hint,) = hints_of(chain(5.0, scale))
    assert hint.startswith("revolute joint 'elbow' is ")
    assert hint.endswith("m from both its bodies 'first' and 'second': is its place right?")


def test_a_joint_far_from_a_small_body() -> None:
    knob = arm(shape=lw.Sphere(0.02), mass=0.2, pin={"at": (5, 0, 0)})
    assert hints_of(knob) == [
        "revolute joint 'pin' is 5.02 m from body 'rod', whose shape reaches 0.027 m: is its place right?"
    ]


def test_a_bob_on_a_long_thread_is_no_mistake() -> None:
    assert hints_of(arm(shape=lw.Sphere(0.05), mass=4.0, position=(0, 0, -2.0))) == []


def test_the_place_along_an_axis_means_nothing() -> None:
    assert hints_of(arm(pin={"at": (0, 30.0, 0)})) == []


# --- steps ----------------------------------------------------------------------------------------------------


def test_steps_too_long_for_a_pendulum_of_a_second() -> None:
    length = 9.81 / (2 * math.pi) ** 2
    (hint,) = started(pendulum(length, position=0.3), dt=0.3)
    assert hint == (
        "model 'pendulum': joint 'pin' swings once in about 1 s, and nothing swings more slowly: dt = 0.3 s is too "
        "coarse to follow it; take dt = 0.02 s or less"
    )
    assert started(pendulum(length, position=0.3), dt=0.05) == []
    assert started(pendulum(length, position=math.pi / 2), dt=0.3) != []  # wherever it starts
    assert started(pendulum(length, position=0.3), dt=0.3, integrator="adaptive") == []


def test_what_swings_slowly_is_followed() -> None:
    """A heavy arm with something small and quick on it: the steps are for the arm."""
    model = arm()
    bell = model.body("bell", shape=lw.Sphere(1e-3), density=7800.0, position=(0, 0, -1.0))
    model.revolute("clapper", "rod", bell, at=(0, 0, -0.998), axis=(0, 1, 0))
    assert started(model, dt=0.1) == []


def test_a_vertical_axis_does_not_swing() -> None:
    model = lw.Model("door")
    door = model.body("door", shape=lw.Box((0.8, 0.04, 2.0)), mass=20.0, position=(0.4, 0, 0))
    model.revolute("hinge", model.ground, door, at=(0, 0, 0), axis=(0, 0, 1))
    assert started(model, dt=0.9) == []
    model = lw.Model("door on a spring")
    door = model.body("door", shape=lw.Box((0.8, 0.04, 2.0)), mass=20.0, position=(0.4, 0, 0))
    model.revolute("hinge", model.ground, door, at=(0, 0, 0), axis=(0, 0, 1), stiffness=168.6)  # 1 s
    assert "'hinge' swings once in about 1 s" in started(model, dt=0.3)[0]


@pytest.mark.parametrize("kind", ["revolute", "free"])
def test_much_of_a_turn_in_a_step(kind: str) -> None:
    model = lw.Model("rotor")
    rotor = model.body("rotor", shape=lw.Cylinder(0.05, 0.02), density=7800.0)
    if kind == "free":
        model.free("spin", model.ground, rotor, velocity=(0, 0, 0, 0, 0, 3000.0))
    else:
        model.revolute("spin", model.ground, rotor, at=(0, 0, 0), axis=(0, 0, 1), velocity=3000.0)
    (hint,) = started(model, dt=1e-3)
    assert f"{kind} joint 'spin' turns by 3 rad in a step of dt = 0.001 s" in hint
    assert started(model, dt=2e-4) == []


def test_the_slowest_swing_is_that_of_the_physical_pendulum() -> None:
    """By the mass matrix and gravity of the whole tree, in some position."""
    from linkwork.simulation.analysis.hints.hint_places import slowest_swing

    rng = np.random.default_rng(7)
    model = lw.Model("three")
    before: Any = model.ground
    for k in range(3):
        body = model.body(
            f"body {k}",
            mass=1.0 + k,
            inertia=(0.3, 0.4, 0.5),
            com=rng.uniform(-1, 1, 3),
            position=rng.uniform(-1, 1, 3),
        )
        axis = rng.normal(size=3)
        model.revolute(f"joint {k}", before, body, at=rng.uniform(-1, 1, 3), axis=axis)
        before = body
    system = lw.assemble(model)
    q = rng.uniform(-2, 2, 3)
    rates = []
    for k in range(3):
        # gravity's torque over a whole turn of this joint has the amplitude of the stiffness
        torques = []
        for angle in np.linspace(0, 2 * math.pi, 361):
            turned = q.copy()
            turned[k] = angle
            torques.append(lw.inverse_dynamics(system, turned, np.zeros(3), np.zeros(3))[k])
        rates.append(math.sqrt(np.ptp(torques) / 2 / lw.mass_matrix(system, q)[k, k]))
    found = slowest_swing(system, q)
    assert found is not None
    assert found[0] == f"joint {int(np.argmin(rates))}"
    assert found[1] == pytest.approx(min(rates), rel=1e-3)


# --- once, and silence ----------------------------------------------------------------------------------------


def test_each_hint_is_told_once_for_a_model() -> None:
    model = arm(90.0, rotation=(0, 0, 0, 1))
    assert len(started(model, dt=1e-3)) == 2
    assert started(model, dt=1e-3) == []
    assert started(model, dt=2e-3) == []
    assert len(started(model, dt=1.0)) == 1  # something else
    model.torsion_spring("coil", "pin", stiffness=1.0, angle=60.0)
    assert "'coil': angle 60 rad" in started(model, dt=1e-3)[0]  # parts that are added are looked at
    assert len(hints_of(model)) == 3  # a report says it again
    assert len(started(arm(90.0, rotation=(0, 0, 0, 1)), dt=1e-3)) == 2  # another model


def test_models_that_are_gone_leave_nothing() -> None:
    from linkwork.simulation.analysis.hints import hints

    before = len(hints._said)
    for _ in range(3):
        started(arm(90.0), dt=1e-3)
    gc.collect()
    assert len(hints._said) <= before


def test_a_check_does_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = lw.check(arm(90.0))
    assert report.lines()[-1] == f"hint: {report.hints[0]}"
    assert report.as_dict()["hints"] == report.hints


def test_the_line_of_the_user_is_shown() -> None:
    with pytest.warns(lw.ModelWarning, match="degrees") as told:
        lw.simulate(arm(90.0), until=0.1, dt=1e-3, method="recursive")
    assert told[0].filename == __file__


def test_a_few_are_enough() -> None:
    model = lw.Model("many")
    for k in range(20):
        body = model.body(f"body {k}", shape=lw.Sphere(100.0), mass=1.0, position=(300.0 * k, 0, 0))
        model.free(f"free {k}", model.ground, body)
    assert len(started(model)) == 5
    assert len(hints_of(model)) == 20


@pytest.mark.parametrize("name", gallery.names())
def test_the_gallery_is_silent(name: str) -> None:
    piece = gallery.piece(name)
    model = piece.build()
    assert hints_of(model) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error", lw.ModelWarning)
        lw.Simulation(model, **{word: value for word, value in piece.METHOD.items() if word != "every"})


@pytest.mark.parametrize("kind", CLOSING)
def test_known_loops_are_silent(kind: str) -> None:
    assert hints_of(loop_of(kind)) == []


def test_known_mechanisms_are_silent() -> None:
    assert hints_of(four_bar()) == []
    assert hints_of(pendulum()) == []
    for seed in range(20):
        assert hints_of(random_tree(seed, 6)) == []


def test_massless_bodies_are_silent() -> None:
    model = arm()
    link = model.body("link", mass=0.0, inertia=0, position=(0, 0, -1.0))
    bob = model.body("bob", shape=lw.Sphere(0.05), mass=4.0, position=(0, 0, -1.5))
    model.revolute("knee", "rod", link, at=(0, 0, -1.0), axis=(0, 1, 0))
    model.revolute("ankle", link, bob, at=(0, 0, -1.2), axis=(1, 0, 0))
    assert hints_of(model) == []

"""Positions of rest: against formulas, with loops, where nothing pushes back, and where there is none."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar


def hanging(**options) -> lw.Model:
    model = lw.Model("hanging")
    bob = model.body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
    model.revolute("pin", "ground", bob, at=(0, 0, 0), axis=(0, 1, 0), **options)
    return model


def test_a_pendulum_hangs() -> None:
    rest = lw.equilibrium(hanging(position=0.8))
    assert rest.positions["pin"] == pytest.approx([0.0], abs=1e-9)
    assert rest.force < 1e-6
    assert rest.rounds < 10


def test_a_run_starts_there_with_its_velocity() -> None:
    model = hanging(position=0.8, velocity=0.3)
    for start in ("equilibrium", lw.equilibrium(model)):
        for method in ("recursive", "absolute"):
            run = lw.simulate(model, until=0.01, dt=0.001, start=start, method=method)
            assert run["pin.position"][0] == pytest.approx(0.0, abs=1e-9)
            assert run["pin.velocity"][0] == pytest.approx(0.3)
    assert run.certificate.model_hash != lw.simulate(model, until=0.01, dt=0.001).certificate.model_hash


def test_a_loop_on_a_spring_stays() -> None:
    model = four_bar()
    model.spring("rope", "ground", "coupler bar", at_a=(0.5, 0, 1.5), stiffness=400.0, damping=5.0, length=0.3)
    run = lw.simulate(model, until=1.0, dt=1e-3, start="equilibrium")
    assert np.ptp(run["crank.position"]) < 1e-8
    assert np.max(np.abs(run.energy["kinetic"])) < 1e-12
    assert run["crank.position"][0] != pytest.approx(lw.simulate(model, until=0.1, dt=0.1)["crank.position"][0])


def test_where_nothing_pushes_back_it_stays_where_it_starts() -> None:
    model = lw.Model("ball on a road")
    ball = model.body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1))
    model.free("flight", "ground", ball, position=(3, 4, 0.49, 1, 0, 0, 0))
    model.tyre("tyre", ball, radius=0.5, stiffness=1e4)
    rest = lw.equilibrium(model).positions["flight"]
    assert rest == pytest.approx([3, 4, 0.5 - 2.0 * 9.81 / 1e4, 1, 0, 0, 0], abs=1e-9)


def test_what_cannot_rest_is_refused() -> None:
    model = lw.Model("stone")
    model.body("stone", mass=1.0, inertia=(1, 1, 1))
    with pytest.raises(lw.RunError, match=r"no position of rest of 'stone'.*9.81 N.*'stone free'"):
        lw.equilibrium(model)


@pytest.mark.parametrize("start", ["rest", 3.0, lw.Equilibrium(np.zeros(4), {}, 0.0, 0)])
def test_refused_starts(start) -> None:
    with pytest.raises(lw.OptionError, match="start must be 'equilibrium'"):
        lw.simulate(hanging(), until=0.1, dt=0.1, start=start)


def parallelogram(size: float, mass: float) -> lw.Model:
    """Two arms under a coupler, held up by a spring in one hinge; k angle = weight of it all times its lever."""
    model = lw.Model("parallelogram")
    inertia = 0.01 * mass * size**2
    for name, x in (("left", 0.0), ("right", 2.0)):
        model.body(name, mass=mass, inertia=(inertia,) * 3, com=(0, 0, 0.5 * size), position=(x * size, 0, 0))
    model.body("coupler", mass=mass, inertia=(inertia,) * 3, com=(size, 0, 0), position=(0, 0, size))
    hinge = {"axis": (0, 1, 0)}
    model.revolute("p1", "ground", "left", at=(0, 0, 0), stiffness=30.0 * mass * size, rest=1.0, position=0.9, **hinge)
    model.revolute("p2", "left", "coupler", at=(0, 0, size), **hinge)
    model.revolute("p3", "coupler", "right", at=(2 * size, 0, size), **hinge)
    model.revolute("p4", "ground", "right", at=(2 * size, 0, 0), **hinge)
    return model


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
def test_rest_does_not_depend_on_units(size: float, mass: float) -> None:
    angle = float(lw.equilibrium(parallelogram(size, mass)).positions["p1"][0])
    assert 30.0 * (angle - 1.0) == pytest.approx(2.0 * 9.81 * np.sin(angle), abs=1e-6)
    assert angle > 1.5  # it starts at 0.9


def test_a_pendulum_that_starts_level_hangs_too() -> None:
    """There gravity pulls, but no spring of it pushes back against the first small way."""
    rest = lw.equilibrium(lw.gallery.pendulum.build())
    assert rest.positions["pin"] == pytest.approx([0.0], abs=1e-9)


def test_a_soft_spring_is_followed_as_far_as_it_goes() -> None:
    model = lw.Model("soft")
    box = model.body("box", mass=2.0, inertia=(0.1, 0.1, 0.1))
    model.prismatic("guide", "ground", box, axis=(0, 0, 1), stiffness=1e-3)
    assert lw.equilibrium(model).positions["guide"] == pytest.approx([-2.0 * 9.81 / 1e-3])


def test_who_is_not_held_is_named_with_the_direction() -> None:
    model = lw.Model("yard")
    model.body("stone", mass=2.0, inertia=(0.1, 0.1, 0.1))
    with pytest.raises(lw.RunError, match=r"nothing holds body 'stone', 19.6 N push it along -z.*; hold it"):
        lw.equilibrium(model)
    model = lw.Model("wheel")
    wheel = model.body("wheel", mass=2.0, inertia=(0.1, 0.1, 0.1))
    model.revolute("axle", "ground", wheel, at=(0, 0, 0), axis=(0, 0, 1))
    model.torque("drive", "axle", 3.0)
    with pytest.raises(lw.RunError, match=r"in joint 'axle' nothing pushes back against 3 N m.*; hold it"):
        lw.equilibrium(model)
    model = lw.Model("space", gravity=(0, 0, 0))
    model.body("stone", mass=2.0, inertia=(0.1, 0.1, 0.1))
    assert lw.equilibrium(model).rounds == 0  # nothing pushes


def pushed_slide(scale: float = 1.0, mass: float = 1.0, **options) -> lw.Model:
    """A slide on a spring that a push moves by 0.01 of its scale; forces are as large as weights of such masses."""
    model = lw.Model("slide")
    block = model.body("block", mass=mass, shape=lw.Box((scale, scale, scale)))
    model.prismatic("guide", "ground", block, at=(0, 0, 0), axis=(1, 0, 0), stiffness=1e4 * mass / scale, **options)
    model.force("push", block, (100.0 * mass, 0, 0))
    return model


SIZES = pytest.mark.parametrize(("scale", "mass"), [(1.0, 1.0), (1e-3, 1e-6), (1e3, 1e6)])


@SIZES
@pytest.mark.parametrize(
    ("motor", "wanted"),
    [
        ({"position": 0.0}, 0.0),
        ({"position": 0.02}, 0.02),
        ({"velocity": 1.0}, 0.0),
        ({"position": 0.0, "softness": 1e6}, 100.0 / 1.01e6),
        ({"position": 0.0, "max_torque": 300.0}, 0.0),
        ({"position": 0.0, "max_torque": 30.0}, 0.007),
        ({"position": 0.02, "max_torque": 60.0}, 0.016),
        ({"position": 0.0, "max_torque": 30.0, "softness": 1e6}, 0.007),
    ],
)
def test_motors_hold_and_give_way(motor, wanted, scale, mass) -> None:
    model = pushed_slide(scale, mass)
    softness = (
        {}
        if "softness" not in motor
        else {"softness": lw.Soft(stiffness=motor["softness"] * mass / scale, damping=mass)}
    )
    limit = {} if "max_torque" not in motor else {"max_torque": motor["max_torque"] * mass}
    law = {"velocity": 1.0} if "velocity" in motor else {"position": motor["position"] * scale}
    model.motor("drive", "guide", **law, **limit, **softness)
    found = lw.equilibrium(model).positions["guide"] / scale
    assert found == pytest.approx([wanted], abs=1e-9)
    for method in ("impulse",) if limit and not softness else ("recursive", "absolute", "hybrid", "impulse"):
        begun = lw.Simulation(model, method=method, dt=1e-3, start="equilibrium")
        assert begun["guide.position"] / scale == pytest.approx(wanted, abs=1e-9)


@SIZES
@pytest.mark.parametrize(
    ("limits", "stiffness", "wanted"),
    [((-1.0, 0.004), 0, 0.004), ((0.015, 1.0), 0, 0.015), ((-1.0, 0.004), 1e4, 0.007)],
)
def test_stops_bear(limits, stiffness, wanted, scale, mass) -> None:
    softness = {"limit_softness": lw.Soft(stiffness=stiffness * mass / scale, damping=mass)} if stiffness else {}
    model = pushed_slide(scale, mass, limits=(limits[0] * scale, limits[1] * scale), **softness)
    assert lw.equilibrium(model).positions["guide"] / scale == pytest.approx([wanted], abs=1e-9)


def test_motor_that_is_too_weak_gives_way_in_a_joint_that_closes_a_loop() -> None:
    """Two arms under a coupler, both alike: half a torque in each base hinge holds as much as all of it in one."""

    def model(**torques: float) -> lw.Model:
        made = parallelogram(1.0, 1.0)
        for name, most in torques.items():
            made.motor(f"drive {name}", name, position=0.0, max_torque=most)
        return made

    one, two, none = (lw.equilibrium(model(**most)) for most in ({"p1": 0.4}, {"p4": 0.4}, {}))
    assert one.positions["p1"] == pytest.approx(two.positions["p1"], abs=1e-9)
    assert abs(one.positions["p1"] - none.positions["p1"]) > 1e-3
    assert lw.equilibrium(model(p4=1e3)).positions["p1"] == pytest.approx([0.0], abs=1e-9)


def test_gears_stand_in_the_middle_of_their_play_with_a_warning() -> None:
    found = []
    for play in (0.0, 0.02):
        model = lw.Model("geared")
        for k in range(2):
            rod = model.body(
                f"rod {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.2 + 0.1 * k, 0, 0), position=(k, 0, 0)
            )
            model.revolute(f"pin {k}", "ground", rod, at=(k, 0, 0), axis=(0, 1, 0))
        model.gear("mesh", "pin 0", "pin 1", ratio=-2, backlash=play)
        if play:
            with pytest.warns(lw.ModelWarning, match="with gear 'mesh' in the middle of its play"):
                found.append(lw.equilibrium(model).q)
        else:
            found.append(lw.equilibrium(model).q)
    assert found[1] == pytest.approx(found[0], abs=1e-9)


def test_contacts_are_left_out_with_a_warning() -> None:
    model = pushed_slide()
    model.plane("wall", normal=(-1, 0, 0), at=(0.505, 0, 0), material=lw.Material())
    model.body("other", mass=1.0, shape=lw.Box((1, 1, 1)), material=lw.Material(), position=(-0.005, 0, 0))
    model.prismatic("second", "ground", "other", at=(0, 0, 0), axis=(1, 0, 0), stiffness=1e4)
    with pytest.warns(lw.ModelWarning, match="the equilibrium of 'slide' is found without contacts"):
        lw.equilibrium(model)

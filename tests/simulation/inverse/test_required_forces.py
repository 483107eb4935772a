"""Motion in, forces out: against virtual work, against the forces that made the motion, and back again."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar
from linkwork import gallery
from linkwork.simulation.starts.start import Closure
from linkwork.spatial.codes import LOOKED

R, L, START = 0.1, 0.3, 0.5  # crank and rod, m; angle of the crank at the start, rad


def slider_crank(
    scale: float = 1.0, mass: float = 1.0, *, torque: Any = None, start: float = START, **main: Any
) -> lw.Model:
    """Crank "main" in the plane x y, rod, piston along x pushed by gas; "small end" closes the loop."""
    model = lw.Model("slider-crank", gravity=(0, 0, 0))
    r, l = R * scale, L * scale
    A = np.array([r * math.cos(start), r * math.sin(start), 0.0])
    B = np.array([A[0] + math.sqrt(l * l - A[1] ** 2), 0.0, 0.0])

    def bar(name: str, p: Any, q: Any, kilograms: float) -> lw.Body:
        d = np.subtract(q, p)
        turn = math.atan2(d[1], d[0]) / 2
        moment = kilograms * mass * float(d @ d) / 12
        return model.body(
            name,
            mass=kilograms * mass,
            inertia=(moment / 50, moment, moment),
            position=np.add(p, q) / 2,
            rotation=(math.cos(turn), 0, 0, math.sin(turn)),
        )

    crank, rod = bar("crank", np.zeros(3), A, 1.0), bar("rod", A, B, 2.0)
    piston = model.body("piston", mass=3 * mass, inertia=(1e-2 * mass * scale**2,) * 3, position=B)
    model.revolute("main", "ground", crank, at=(0, 0, 0), axis=(0, 0, 1), **main)
    model.revolute("big end", crank, rod, at=A, axis=(0, 0, 1))
    model.prismatic("slide", "ground", piston, at=B, axis=(1, 0, 0))
    model.revolute("small end", rod, piston, at=B, axis=(0, 0, 1), cut=True)
    if torque is not None:
        model.torque("motor", "main", torque)
    model.force("gas", piston, lambda t: (gas(t, scale, mass), 0, 0))
    return model


def gas(t: Any, scale: float, mass: float) -> Any:
    return -5 * mass * scale * (1 + np.sin(40 * t))


def virtual_work(run: lw.Trajectory, scale: float = 1.0, mass: float = 1.0, position: Any = None) -> Any:
    """Torque at the crank by the principle of virtual work: one mass that depends on the angle, and the gas force."""
    r, l = R * scale, L * scale
    angle = START + run["main.position"]
    w, a = run["main.velocity"], run["main.acceleration"]
    s, c = np.sin(angle), np.cos(angle)
    beta = -np.arcsin(r * s / l)
    b1 = -r * c / (l * np.cos(beta))  # of the rod's angle, by the crank's
    b2 = (r * s / l + np.sin(beta) * b1**2) / np.cos(beta)
    crank1, crank2 = np.array([-r / 2 * s, r / 2 * c]), np.array([-r / 2 * c, -r / 2 * s])
    across, along = np.array([-np.sin(beta), np.cos(beta)]), np.array([-np.cos(beta), -np.sin(beta)])
    rod1 = 2 * crank1 + l / 2 * across * b1
    rod2 = 2 * crank2 + l / 2 * (along * b1**2 + across * b2)
    x1, x2 = 2 * rod1[0] - 2 * crank1[0], 2 * rod2[0] - 2 * crank2[0]
    M = mass * ((crank1**2).sum(0) + 2 * (rod1**2).sum(0) + 3 * x1**2 + r * r / 12 + l * l / 6 * b1**2)
    C = mass * ((crank1 * crank2).sum(0) + 2 * (rod1 * rod2).sum(0) + 3 * x1 * x2 + l * l / 6 * b1 * b2)
    return M * a + C * w * w - gas(run.time, scale, mass) * x1


def off(found: Any, wanted: Any) -> float:
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def test_andrews_torque_from_its_motion() -> None:
    model = gallery.andrews.build()
    motion = lw.simulate(model, until=0.03, dt=1e-5, method="recursive", every=10)
    loads = lw.required_forces(model, motion, at=["O"])
    assert loads["O.effort"] == pytest.approx(0.033, abs=1e-9)
    assert loads["O.work"][-1] == pytest.approx(0.033 * np.ptp(motion["O.position"]), rel=1e-6)
    for name in ("F.reaction", "B.reaction", "E plate.reaction", "E rod g.reaction"):
        assert loads[name] == pytest.approx(motion[name], abs=1e-8 * np.abs(motion[name]).max())
    assert loads.certificate.energy_balance_relative < 1e-6
    assert loads.certificate.degrees_of_freedom == 1
    assert len(loads.certificate.redundant_rows) == 9
    assert loads.certificate.settings["residual"] < 1e-12
    # the element by its own name; then beside it nothing is needed
    named = lw.required_forces(model, motion, at=["motor"])
    assert named["motor.effort"] == pytest.approx(0.033, abs=1e-9)
    assert np.abs(lw.required_forces(model, motion, at=["F"])["F.effort"]).max() < 1e-9


@pytest.mark.filterwarnings("ignore:.*millimetres")
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e6])
def test_slider_crank_against_virtual_work(scale: float, mass: float) -> None:
    model = slider_crank(scale, mass, torque=lambda t: 0.8 * mass * scale**2 * (1 + math.cos(3 * t)))
    motion = lw.simulate(model, until=0.2, dt=2e-3, method="recursive")
    loads = lw.required_forces(model, motion, at=["main"])
    wanted = virtual_work(motion, scale, mass)
    assert off(loads["main.effort"], wanted) < 1e-9
    # the same power from the piston, a joint of the tree, and from the joint that closes the loop
    bare = slider_crank(scale, mass)
    for joint in ("slide", "small end", "big end"):
        other = lw.required_forces(bare, motion, at=[joint])
        assert off(other[f"{joint}.power"], wanted * motion["main.velocity"]) < 1e-9
        assert other.certificate.energy_balance_relative < 1e-6
    assert other.unit("big end.effort") == "N m"
    assert lw.required_forces(bare, motion, at=["slide"]).unit("slide.effort") == "N"


@pytest.mark.parametrize("cut", ["crank", "coupler", "rocker", "foot"])
def test_four_bar_against_power_wherever_it_is_cut(cut: str) -> None:
    """One degree of freedom: torque times speed is the rate of all energy."""
    model = four_bar(cut=cut, start={"crank": {"velocity": 2.0}} if cut != "crank" else {})
    motion = lw.simulate(model, until=0.2, dt=1e-3, method="recursive", every=10)
    pushed = four_bar(cut=cut)
    pushed.torque("pusher", "foot", lambda t: 3 * math.cos(5 * t))
    loads = lw.required_forces(pushed, motion, at=["crank"])
    # the free motion needs nothing but what holds against the pusher
    wanted = -3 * np.cos(5 * motion.time) * motion["foot.velocity"]
    assert loads["crank.power"] == pytest.approx(wanted, abs=1e-9 * np.abs(wanted).max())


def test_forward_run_under_the_torque_retraces_the_motion() -> None:
    """The table has fourth order in its spacing."""
    model = slider_crank(torque=lambda t: 0.8 * (1 + math.cos(9 * t)))
    motion = lw.simulate(model, until=0.4, dt=1e-3, method="recursive")
    loads = lw.required_forces(slider_crank(), motion, at=["main"])
    errors = []
    for every in (40, 20, 10):
        table = lw.Table(loads.time[::every], loads["main.effort"][::every], kind="cubic")
        again = lw.simulate(slider_crank(torque=table), until=0.4, dt=1e-3, method="recursive")
        errors.append(np.abs(again["main.position"] - motion["main.position"]).max())
    assert errors[0] / errors[1] > 8
    assert errors[1] / errors[2] > 8
    assert errors[2] < 1e-6


def test_tree_as_by_inverse_dynamics() -> None:
    model = gallery.puma.arm()
    system = lw.assemble(model)
    motion = lw.simulate(model, until=0.05, dt=1e-3, method="recursive")
    loads = lw.required_forces(gallery.puma.arm(), motion, at=system.joint_names)
    for k in (0, 20, 50):
        q, v, a = (
            [float(motion[f"{name}.{word}"][k]) for name in system.joint_names]
            for word in ("position", "velocity", "acceleration")
        )
        wanted = lw.inverse_dynamics(system, q, v, a)
        found = [loads[f"{name}.effort"][k] for name in system.joint_names]
        assert found == pytest.approx(wanted, abs=1e-12 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("method", ["absolute", "component", "hybrid", "semi-recursive", "global"])
def test_motions_of_every_smooth_method(method: str) -> None:
    model = slider_crank(torque=0.8)
    motion = lw.simulate(model, until=0.05, dt=1e-3, method=method)
    loads = lw.required_forces(model, motion, at=["main"])
    assert off(loads["main.effort"], virtual_work(motion)) < (1e-9 if method in ("absolute", "component") else 1e-5)


def jack(pull: Any = 0.0) -> lw.Model:
    """A boom of 2 m hinged at the origin, held by a jack, a spring without stiffness whose pull is given."""
    model = lw.Model("jack")
    boom = model.body("boom", mass=10.0, shape=lw.Box((2.0, 0.1, 0.1)), position=(1, 0, 0))
    model.revolute("hinge", "ground", boom, at=(0, 0, 0), axis=(0, -1, 0))
    model.spring("jack", "ground", boom, at_a=(0.5, 0, -0.8), at_b=(0, 0, 0), law=pull)
    return model


def test_spring_as_a_jack() -> None:
    model = jack(pull=-180.0)
    motion = lw.simulate(model, until=0.3, dt=1e-3, method="recursive", every=10)
    loads = lw.required_forces(model, motion, at=["jack"])
    assert loads["jack.effort"] == pytest.approx(180.0, abs=1e-9)
    assert loads["hinge.reaction"] == pytest.approx(motion["hinge.reaction"], abs=1e-9)
    assert loads["jack.work"][-1] == pytest.approx(180.0 * np.ptp(motion["jack.length"]), rel=1e-6)
    torque = lw.required_forces(jack(), motion, at=["hinge"])
    assert torque["hinge.power"] == pytest.approx(loads["jack.power"], abs=1e-9)


def test_more_actuators_than_freedoms_share_by_least_norm() -> None:
    model = slider_crank(torque=0.8)
    motion = lw.simulate(model, until=0.05, dt=1e-3, method="recursive", every=10)
    bare = slider_crank()
    alone = lw.required_forces(bare, motion, at=["main"])
    both = lw.required_forces(bare, motion, at=["main", "slide"])
    power = both["main.power"] + both["slide.power"]
    assert power == pytest.approx(alone["main.power"], abs=1e-12)
    # the least of u^2 + (size f)^2 under u + ratio f = torque
    ratio, size = motion["slide.velocity"][1:] / motion["main.velocity"][1:], both.certificate.size
    u = alone["main.effort"][1:] * size**2 / (size**2 + ratio**2)
    assert both["main.effort"][1:] == pytest.approx(u, rel=1e-9)
    assert both.certificate.settings["shared_efforts"] == ["main", "slide"]
    assert "force x" in both.certificate.settings["shared_reactions"]["main"]
    assert "force x" not in alone.certificate.settings["shared_reactions"]["main"]
    assert any("least norm; not unique: main, slide" in note for note in both.certificate.notes)
    # a heavy weight leaves all to the other
    weighted = lw.required_forces(bare, motion, at=["main", "slide"], weights={"slide": 1e12})
    assert weighted["main.effort"] == pytest.approx(alone["main.effort"], rel=1e-9)


def test_dry_friction_and_damping_are_overcome() -> None:
    model = slider_crank(torque=0.8)
    motion = lw.simulate(model, until=0.1, dt=1e-3, method="recursive", every=10)
    rough = lw.required_forces(slider_crank(friction=0.05, damping=0.02), motion, at=["main"])
    wanted = 0.8 + 0.05 * np.sign(motion["main.velocity"]) + 0.02 * motion["main.velocity"]
    assert rough["main.effort"] == pytest.approx(wanted, abs=1e-9)
    assert rough.energy["dissipated"][-1] == pytest.approx(
        0.05 * np.ptp(motion["main.position"]) + 0.02 * np.trapezoid(motion["main.velocity"] ** 2, motion.time),
        rel=1e-2,
    )
    assert any("dry friction of main" in note for note in rough.certificate.notes)


def lift(force: Any = None) -> lw.Model:
    """A pendulum on a ground that moves up and down, and a torque in its pin."""
    model = lw.Model("lift")
    floor = model.moving_ground("floor", lw.Motion(position=(0, 0, lw.Cosine(0.2, 1.0))))
    bob = model.body("bob", mass=2.0, inertia=(0.01, 0.01, 0.01), com=(0, 0, -0.5))
    model.revolute("pin", floor, bob, at=(0, 0, 0), axis=(0, 1, 0), position=0.4)
    if force is not None:
        model.torque("motor", "pin", force)
    return model


def test_moving_grounds_stand_in_the_ledger() -> None:
    model = lift(lambda t: 3.0 * math.sin(4 * t))
    motion = lw.simulate(model, until=1.0, dt=2e-3, method="recursive", every=5)
    loads = lw.required_forces(model, motion, at=["pin"])
    assert loads["pin.effort"] == pytest.approx(3.0 * np.sin(4 * motion.time), abs=1e-9)
    assert loads.energy["work"] == pytest.approx(motion.energy["work"], abs=1e-5)
    assert loads.certificate.energy_balance_relative < 1e-5


def test_accelerations_that_are_not_recorded_are_formed_and_noted() -> None:
    model = slider_crank(torque=0.8)
    motion = lw.simulate(
        model, until=0.1, dt=1e-3, method="recursive", record=["*.position", "*.velocity", "*.rotation"]
    )
    loads = lw.required_forces(model, motion, at=["main"])
    assert loads["main.effort"] == pytest.approx(0.8, abs=1e-4)
    assert any("formed from velocities" in note for note in loads.certificate.notes)


def test_dead_point_is_named() -> None:
    model = slider_crank(start=0.0, velocity=3.0)
    motion = lw.simulate(model, until=0.05, dt=1e-3, method="recursive", every=10)
    assert np.abs(lw.required_forces(model, motion, at=["main"])["main.effort"]).max() < 1e-9
    with pytest.raises(
        lw.RunError, match=r"at t = 0 s 'slider-crank' is in a dead point: '.*' moves .* 'slide' does not"
    ):
        lw.required_forces(model, motion, at=["slide"])


def test_singular_position_between_two_ways() -> None:
    """A parallelogram with its bars in line could go two ways; the efforts are those of the way that it takes."""
    model = four_bar((1.0, 0.4, 1.0, 0.4), angle=0.5)
    time = np.linspace(0.0, 1.0, 21)
    columns = {}
    for joint, sign in {"crank": 1, "coupler": -1, "rocker": 1, "foot": 1}.items():
        columns[f"{joint}.position"] = sign * (time - 0.75)  # in line at t = 0.25 s
        columns[f"{joint}.velocity"], columns[f"{joint}.acceleration"] = sign * np.ones(21), np.zeros(21)
    motion = lw.Trajectory(time, columns, {}, certificate=lw.Certificate(method=""), model_name="four bar")
    loads = lw.required_forces(model, motion, at=["crank"])
    # turned at a constant rate, the bars feel gravity alone
    masses = {body.name: body.mass for body in model.bodies.values()}
    lever = 0.2 * masses["crank bar"] + 0.4 * masses["coupler bar"] + 0.2 * masses["rocker bar"]
    assert loads["crank.effort"] == pytest.approx(9.81 * lever * np.cos(time - 0.25), abs=1e-8)
    assert (loads.certificate.rank_min, loads.certificate.rank_max) == (1, 2)
    assert any("singular position at t = 0.25 s" in note for note in loads.certificate.notes)
    assert len(loads.certificate.redundant_rows) == 3


def test_result_goes_where_runs_go(tmp_path: Any) -> None:
    model = slider_crank(torque=0.8)
    motion = lw.simulate(model, until=0.02, dt=1e-3, method="recursive")
    loads = lw.required_forces(model, motion, at="main")
    loads.save(tmp_path / "loads.npz")
    again = lw.load_run(tmp_path / "loads.npz")
    assert again == loads
    assert again.certificate.notes == loads.certificate.notes
    assert "note     forces balance" in str(loads.certificate)
    assert lw.reactions(model, loads, 0.01)["main"].shared == ["force z", "torque x", "torque y"]
    assert loads.peaks("main.effort") is not None


MODEL = slider_crank(torque=0.8)


def with_motor() -> lw.Model:
    model = slider_crank()
    model.motor("drive", "main", velocity=1.0)
    return model


@pytest.mark.parametrize(
    ("model", "options", "told"),
    [
        (MODEL, {"at": []}, "at=[] names nothing"),
        (MODEL, {"at": ["mane"]}, "nothing called 'mane'; did you mean 'main'?"),
        (MODEL, {"at": [3]}, "nothing called 3; give names of joints"),
        (MODEL, {"at": ["gas"]}, "force 'gas' on piston is no actuator"),
        (MODEL, {"at": ["main", "motor"]}, "names 'main' and 'motor', which act alike"),
        (MODEL, {"at": ["main"], "weights": {"slid": 1.0}}, "weights= names 'slid', which is not in at="),
        (MODEL, {"at": ["main"], "weights": {"main": 0.0}}, "the weight of 'main' must be a positive number"),
        ("no model", {"at": ["main"]}, "is not a model"),
        (gallery.pendulum.build(), {"at": ["pin"]}, "has no column 'pin.position', which 'pendulum' needs"),
        (slider_crank(2.0), {"at": ["main"]}, "is not one of 'slider-crank': at t = 0 s its"),
        (with_motor(), {"at": ["slide"]}, "motor 'drive' acts on 'slider-crank' too; name it in at="),
        (slider_crank(limits=(-1e-4, 1e-4)), {"at": ["main"]}, "joint 'main' of 'slider-crank' reaches its stop"),
    ],
)
def test_refusals(model: Any, options: dict[str, Any], told: str) -> None:
    motion = lw.simulate(MODEL, until=0.02, dt=1e-3, method="recursive")
    with pytest.raises(lw.OptionError, match=re.escape(told)):
        lw.required_forces(model, motion, **options)


def test_too_few_actuators_name_what_nothing_drives() -> None:
    model = gallery.puma.arm()
    motion = lw.simulate(model, until=0.01, dt=1e-3, method="recursive")
    names = lw.assemble(model).joint_names
    with pytest.raises(lw.OptionError, match=rf"6 degrees of freedom, .* moves 5; nothing drives '{names[2]}'"):
        lw.required_forces(model, motion, at=[name for name in names if name != names[2]])
    with pytest.raises(lw.OptionError, match="is not a motion"):
        lw.required_forces(model, None, at=names)  # type: ignore[arg-type]


@pytest.mark.parametrize("made", ["simulate", "kinematics"])
def test_motion_of_this_very_model_is_not_called_that_of_another(made: str) -> None:
    model = slider_crank()
    model.motor("drive", "main", velocity=20.0)
    motion = lw.kinematics(model, until=0.1, dt=1e-3) if made == "kinematics" else lw.simulate(model, until=0.1)
    other = "other masses"
    assert other not in str(lw.required_forces(model, motion, at=["drive"]).certificate.notes)
    heavier = slider_crank(mass=2.0)
    heavier.motor("drive", "main", velocity=20.0)
    assert other in str(lw.required_forces(heavier, motion, at=["drive"]).certificate.notes)


@pytest.mark.parametrize("method", ["recursive", "absolute", "impulse"])
def test_where_a_run_began_does_not_make_it_that_of_another_model(method: str, tmp_path: Path) -> None:
    def swinging(mass: float = 1.0) -> lw.Model:
        model = lw.Model("swing")
        rod = model.body("rod", mass=mass, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
        model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.5, velocity=1.0)
        return model

    other = "other masses"
    sim = lw.Simulation(swinging(), method, dt=1e-3)
    sim.step(5)
    sim.save(tmp_path / "here.npz")
    later = lw.simulate(swinging(), until=0.02, resume=tmp_path / "here.npz")
    rest = lw.simulate(swinging(), until=0.01, dt=1e-3, method=method, start="equilibrium")
    (moved,) = lw.simulate_many(swinging(), cases=[{"joints": {"pin": -0.3}}], until=0.01, dt=1e-3, method=method)
    for motion in (later, rest, moved):
        assert other not in str(lw.required_forces(swinging(), motion, at=["pin"]).certificate.notes)
        assert other in str(lw.required_forces(swinging(mass=2.0), motion, at=["pin"]).certificate.notes)


@pytest.mark.parametrize("compiled", [True, False])
def test_laws_that_see_the_motion_take_part(compiled: bool) -> None:
    """They read what they see from an array of their own, in every caller of the forces."""
    sees = ["slide.position", "slide.velocity", "rod.position", "piston.position"]

    def pull(t: float, seen: Any) -> float:
        return -300.0 * seen[1] + 10.0 * seen[4] - 20.0 * seen[5]

    model = slider_crank()
    model.torque("pull", "slide", lw.compiled(pull, sees=sees) if compiled else lw.PythonLaw(pull, sees=sees))
    motion = lw.simulate(model, until=0.05, dt=1e-3, method="recursive")
    loads = lw.required_forces(model, motion, at=["main"])
    assert np.abs(loads["main.effort"]).max() < 1e-9 * np.abs(motion["small end.reaction"]).max()
    closure = Closure(lw.assemble(model))
    assert closure.told.size == LOOKED + 2 + 2 * 3


def with_states(**options: Any) -> lw.Model:
    """A slider-crank on a motor whose current is a state."""

    @lw.compiled_state(start=[0.5], sees=["main.velocity"])
    def motor(t, x, seen, dx):
        dx[0] = (12.0 - 2.0 * x[0] - 0.1 * seen[0]) / 1e-2
        return 0.1 * x[0]

    model = slider_crank(**options)
    model.torque("load", "main", motor)
    return model


def test_laws_with_states_do_not_act_in_a_given_motion() -> None:
    model = with_states()
    motion = lw.simulate(model, until=0.02, dt=1e-3, method="recursive")
    for at in ("load", "main"):
        loads = lw.required_forces(model, motion, at=[at])
        torque = motion["load.torque"]
        assert np.abs(loads[f"{at}.effort"] - torque).max() < 1e-9 * np.abs(motion["small end.reaction"]).max()
        assert "other masses" not in str(loads.certificate.notes)
    with pytest.raises(lw.OptionError, match="torque 'load' of .* has a law with states, whose force does not follow"):
        lw.required_forces(model, motion, at=["small end"])


def test_kinematics_asks_no_law_with_states() -> None:
    plain, driven = slider_crank(), with_states()
    for model in (plain, driven):
        model.motor("drive", "main", velocity=3.0)
    one, other = (lw.kinematics(model, until=0.1, dt=1e-2) for model in (plain, driven))
    assert one.columns.keys() == other.columns.keys()
    assert all(np.array_equal(one[name], other[name]) for name in one.columns)
    loads = lw.required_forces(driven, other, at=["main"])
    assert "other masses" not in str(loads.certificate.notes)
    assert np.allclose(loads["main.effort"], lw.required_forces(plain, one, at=["drive"])["drive.effort"], atol=1e-9)

"""Gears, racks, differentials and cams by every method: laws of gearing, energy, torques of theory."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.model import Coupling, Term

EXACT = ("recursive", "absolute", "component", "joint components", "hybrid", "semi-recursive", "global")
ALL = (*EXACT, "impulse", "maximal")
TRAPEZOIDAL = ("hybrid", "semi-recursive", "global")


def method_of(name: str) -> Any:
    return lw.Components(coordinates="joint") if name == "joint components" else name


def wheels(*moments: float, gravity: Any = (0, 0, 0), velocities: Any = (None, None, None)) -> lw.Model:
    """Wheels about z, each on an axle of its own, at rest or with these `velocities` (rad/s)."""
    model = lw.Model("wheels", gravity=gravity)
    for k, moment in enumerate(moments):
        wheel = model.body(f"wheel {k}", mass=1.0, inertia=(moment, moment, moment), position=(0.3 * k, 0, 0))
        axle = {"at": (0.3 * k, 0, 0), "axis": (0, 0, 1), "velocity": velocities[k]}
        model.revolute(f"axle {k}", "ground", wheel, **axle)
    return model


@pytest.mark.parametrize("name", ALL)
def test_a_gear_pair(name: str) -> None:
    """The torque T on wheel 0 moves both: T = (I0 + i^2 I1) a0, and the teeth give wheel 1 what it needs."""
    model, ratio = wheels(0.2, 0.05), -2.5
    model.gear("mesh", "axle 0", "axle 1", ratio=ratio)
    model.torque("torque", "axle 0", 3.0)
    run = lw.simulate(model, until=0.05, dt=1e-3, method=method_of(name))
    acceleration = 3.0 / (0.2 + ratio**2 * 0.05)
    rough = 2e-5 if name == "global" else 1e-9
    assert run["axle 0.velocity"] == pytest.approx(acceleration * run.time, rel=rough, abs=1e-12)
    assert run["axle 1.position"] == pytest.approx(ratio * run["axle 0.position"], abs=1e-12)
    assert run["mesh.effort"] == pytest.approx(0.05 * ratio * acceleration, rel=1e-8)
    assert run.unit("mesh.effort") == "N m"


@pytest.mark.parametrize("name", ALL)
def test_a_gear_that_ties_positions(name: str) -> None:
    """With an offset the follower stands where the leader tells it, given or found, and stays there."""
    model = wheels(0.2, 0.05, 0.1)
    wheel = model.body("leader", mass=1.0, inertia=(1, 1, 1))
    model.revolute("leading", "ground", wheel, at=(0, 0, 0), axis=(0, 0, 1), position=0.4, velocity=1.0)
    model.gear("mesh", "leading", "axle 0", ratio=-2.0, offset=0.3)
    model.gear("chain", "axle 0", "axle 1", ratio=0.5, offset=-0.1)
    model.torque("torque", "leading", 3.0)
    run = lw.simulate(model, until=0.05, dt=1e-3, method=method_of(name))
    first, second, leader = (run[f"{joint}.position"] for joint in ("axle 0", "axle 1", "leading"))
    assert leader[0] == pytest.approx(0.4, abs=1e-15)
    assert leader[-1] > 0.44
    assert first == pytest.approx(-2.0 * leader + 0.3, abs=1e-11)
    assert second == pytest.approx(0.5 * first - 0.1, abs=1e-11)


@pytest.mark.parametrize("name", ALL)
def test_a_planetary_train(name: str) -> None:
    """Willis: z_s w_s + z_r w_r = (z_s + z_r) w_c; torques of sun, ring and carrier as z_s : z_r : -(z_s + z_r)."""
    sun, planet, ring = 20, 15, 50
    model = lw.Model("planetary", gravity=(0, 0, 0))
    moment = {"sun": 2e-4, "carrier": 1e-3, "ring": 5e-3}
    for body, i in moment.items():
        wheel = model.body(body, mass=0.5, inertia=(i, i, i))
        model.revolute(f"{body} axle", "ground", wheel, at=(0, 0, 0), axis=(0, 0, 1))
    for k in range(3):
        place = 0.0175 * np.array([math.cos(2 * math.pi * k / 3), math.sin(2 * math.pi * k / 3), 0])
        model.body(f"planet {k}", mass=0.1, inertia=(1e-5,) * 3, position=place)
        model.revolute(f"pin {k}", "carrier", f"planet {k}", at=place, axis=(0, 0, 1))
    for body in ("sun", "ring"):
        model.revolute(f"{body} on carrier", "carrier", body, at=(0, 0, 0), axis=(0, 0, 1), cut=True)
    for k in range(3):
        model.gear(f"sun mesh {k}", "sun on carrier", f"pin {k}", ratio=-sun / planet)
        model.gear(f"ring mesh {k}", "ring on carrier", f"pin {k}", ratio=ring / planet)
    model.motor("brake", "ring axle", position=0.0)
    model.torque("drive", "sun axle", 0.3)
    model.torque("load", "carrier axle", -0.7)
    run = lw.simulate(model, until=0.03, dt=1e-3, method=method_of(name))
    w_s, w_c, w_r = (run[f"{body} axle.velocity"] for body in ("sun", "carrier", "ring"))
    loose = 1e-5 if name == "global" else 1e-12
    assert sun * w_s + ring * w_r == pytest.approx((sun + ring) * w_c, abs=loose * sun * np.abs(w_s).max())
    a_s = run["sun axle.acceleration"][1:]
    planets = 3 * 1e-5
    a_c, a_p = a_s * sun / (sun + ring), a_s * sun / (sun + ring) * (1 - ring / planet)
    carried = moment["carrier"] + 3 * 0.1 * 0.0175**2
    # power: all torques times their speeds move all inertias
    power = moment["sun"] * a_s + carried * a_c * sun / (sun + ring) + planets * a_p * (a_p / a_s)
    assert power == pytest.approx(0.3 - 0.7 * sun / (sun + ring), rel=2e-3 if name in ("impulse", "maximal") else 1e-6)
    assert run["brake.effort"][1:] == pytest.approx(
        -sum(run[f"ring mesh {k}.effort"] for k in range(3))[1:] * -ring / planet, rel=1e-6, abs=1e-6
    )
    if name in EXACT:
        assert run.certificate.worst_drift_position < 1e-11
        assert np.abs(run.energy["balance"]).max() < 1e-4 * np.abs(run.energy["work"]).max()


@pytest.mark.parametrize("name", ALL)
def test_a_differential(name: str) -> None:
    """x1 + x2 = 2 x3: the same torque on both sides, twice as much at the cage."""
    model = wheels(1e-3, 2e-3, 5e-4)
    model.differential("bevels", "axle 0", "axle 1", "axle 2")
    model.torque("torque", "axle 2", 1.0)
    run = lw.simulate(model, until=0.02, dt=1e-3, method=method_of(name))
    effort = 1.0 / (2.0 + 5e-4 * (1 / 1e-3 + 1 / 2e-3) / 2.0)
    assert run["bevels.effort"] == pytest.approx(effort, rel=1e-8)
    assert run["axle 0.position"] + run["axle 1.position"] == pytest.approx(2.0 * run["axle 2.position"], abs=1e-12)
    rough = 1e-4 if name == "global" else 1e-9
    assert run["axle 0.velocity"] == pytest.approx(effort / 1e-3 * run.time, rel=rough)


@pytest.mark.parametrize("name", ALL)
def test_a_rack(name: str) -> None:
    model = lw.Model("rack", gravity=(0, 0, 0))
    pinion = model.body("pinion", mass=0.3, inertia=(1e-4,) * 3)
    bar = model.body("bar", mass=0.5, inertia=(1e-5,) * 3)
    model.revolute("pin", "ground", pinion, at=(0, 0, 0), axis=(0, 1, 0))
    model.prismatic("guide", "ground", bar, axis=(1, 0, 0))
    model.rack("teeth", "pin", "guide", radius=0.02)
    model.torque("torque", "pin", 0.1)
    run = lw.simulate(model, until=0.02, dt=1e-3, method=method_of(name))
    speed = 0.02 * 0.1 / (1e-4 + 0.5 * 0.02**2)
    assert run["guide.velocity"] == pytest.approx(speed * run.time, rel=1e-4 if name == "global" else 1e-9)
    assert run["teeth.effort"] == pytest.approx(0.5 * speed, rel=1e-8)
    assert run.unit("teeth.effort") == "N"


LIFT, SPEED, MASS = 0.004, 20.0, 0.1


def valve(curve: Any, **drive: Any) -> lw.Model:
    model = lw.Model("valve")
    disc = model.body("disc", mass=0.3, inertia=(1e-4,) * 3)
    stem = model.body("stem", mass=MASS, inertia=(1e-5,) * 3)
    model.revolute("shaft", "ground", disc, at=(0, 0, 0), axis=(0, 1, 0))
    model.prismatic("guide", "ground", stem, axis=(0, 0, 1))
    model.cam("lobe", "shaft", "guide", curve)
    model.motor("drive", "shaft", **(drive or {"velocity": SPEED}))
    return model


@pytest.mark.parametrize("name", ALL)
def test_a_cam(name: str) -> None:
    """The follower is at f, moves with f' w and accelerates with f'' w^2; the cam pushes with m (a + g)."""
    run = lw.simulate(valve(lambda angle: LIFT * (1 - math.cos(angle))), until=0.4, dt=2e-3, method=method_of(name))
    angle = run["shaft.position"]
    assert angle[-1] > 2 * math.pi  # more than a turn
    assert run["guide.position"] == pytest.approx(LIFT * (1 - np.cos(angle)), abs=1e-9)
    acceleration = LIFT * np.cos(angle) * SPEED**2
    first_order = name in ("impulse", "maximal")
    assert run["guide.acceleration"] == pytest.approx(acceleration, abs=0.1 if first_order else 1e-6)
    effort = MASS * (acceleration + 9.81)
    assert run["lobe.effort"] == pytest.approx(effort, abs=1e-2 if first_order else 1e-6)
    torque = effort * LIFT * np.sin(angle)
    assert run["drive.effort"] == pytest.approx(torque, abs=2e-4 if first_order else 1e-8)


def test_a_cam_through_points_is_as_exact_as_its_spline() -> None:
    x = np.linspace(0.0, 2 * math.pi, 73)
    y = LIFT * (1 - np.cos(x)) ** 2
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(x, np.append(y[:-1], y[0]), bc_type="periodic")
    run = lw.simulate(valve((x, y)), until=0.4, dt=1e-3, method="recursive")
    angle = run["shaft.position"] % (2 * math.pi)
    assert run["guide.position"] == pytest.approx(spline(angle), abs=1e-13)
    largest = float(np.abs(spline(angle, 2)).max()) * SPEED**2
    assert run["guide.acceleration"] == pytest.approx(spline(angle, 2) * SPEED**2, abs=1e-10 * largest)


@pytest.mark.parametrize("name", EXACT)
def test_gears_across_subsystems(name: str) -> None:
    """A gear of the model between joints inside its parts is the gear of a flat model."""

    class Shaft(lw.Subsystem):
        def build(self) -> None:
            wheel = self.body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
            self.revolute("axle", self.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1))

    model = lw.Model("two shafts", gravity=(0, 0, 0))
    model.add("left", Shaft())
    model.add("right", Shaft())
    model.gear("mesh", "left.axle", "right.axle", ratio=-2.0)
    model.torque("torque", "left.axle", 1.0)
    run = lw.simulate(model, until=0.05, dt=1e-3, method=method_of(name))
    speed = 1.0 / (0.1 + 4 * 0.1)
    assert run["left.axle.velocity"] == pytest.approx(speed * run.time, rel=1e-4 if name == "global" else 1e-9)
    assert run["mesh.effort"] == pytest.approx(-2.0 * 0.1 * speed, rel=1e-8)


@pytest.mark.parametrize("name", ALL)
def test_gears_on_moving_grounds_keep_their_accounts(name: str) -> None:
    """A wheel geared to another whose axle stands on a shaken table: work of the table and of the drive."""
    model = lw.Model("table")
    table = model.moving_ground("table", lw.Motion(axis=(0, 0, 1), angle=lw.Cosine(0.3, frequency=1.0)))
    for k, ground in enumerate((table, "ground")):
        wheel = model.body(f"wheel {k}", mass=1.0, inertia=(0.02,) * 3, com=(0.05, 0, 0), position=(0.2 * k, 0, 0))
        model.revolute(f"axle {k}", ground, wheel, at=(0.2 * k, 0, 0), axis=(0, 0, 1))
    model.gear("mesh", "axle 0", "axle 1", ratio=-2.0)
    model.motor("drive", "axle 1", velocity=3.0)
    run = lw.simulate(model, until=0.2, dt=5e-4, method=method_of(name))
    moved = max(np.abs(run.energy["work"]).max(), np.ptp(run.energy["kinetic"]))
    order = 1e-7 if name in EXACT[:4] else 1e-4 if name in TRAPEZOIDAL else 2e-2
    assert np.abs(run.energy["balance"]).max() < order * moved


@pytest.mark.parametrize("name", ["recursive", "absolute", "hybrid", "impulse"])
def test_a_state_goes_on_as_it_was(name: str, tmp_path: Path) -> None:
    """Offsets of gears and the way of given rates are part of a state."""

    def build() -> lw.Model:
        model = wheels(0.2, 0.05, 0.1)
        model.gear("mesh", "axle 0", "axle 1", ratio=-2.5)
        model.motor("drive", "axle 0", velocity=lambda t: 1.0 + t)
        model.torque("brake", "axle 2", -0.1)
        return model

    whole = lw.Simulation(build(), name, dt=1e-3)
    whole.step(40)
    half = lw.Simulation(build(), name, dt=1e-3)
    half.step(20)
    half.save(tmp_path / "half.npz")
    resumed = lw.Simulation(build(), name, resume=tmp_path / "half.npz")
    resumed.step(20)
    for column in ("axle 1.position", "axle 1.velocity", "mesh.effort", "drive.effort"):
        assert resumed[column] == whole[column]
    if name != "impulse":
        assert whole["axle 0.position"] == pytest.approx(0.04 + 0.04**2 / 2, abs=1e-9)


def test_gears_stay_when_joints_come_and_go() -> None:
    model = wheels(0.2, 0.05)
    model.gear("mesh", "axle 0", "axle 1", ratio=-2.5)
    model.torque("torque", "axle 0", 3.0)
    stone = model.body("stone", mass=0.1, inertia=(1e-4,) * 3, position=(0.1, 0, 0))
    model.free("flight", "ground", stone)
    sim = lw.Simulation(model, "recursive", dt=1e-3)
    sim.step(10)
    sim.attach("wheel 0", "stone", "fixed")
    sim.step(10)
    assert sim["axle 1.position"] == pytest.approx(-2.5 * sim["axle 0.position"], abs=1e-12)
    sim.release(sim.attached[0])
    sim.step(10)
    assert sim["axle 1.position"] == pytest.approx(-2.5 * sim["axle 0.position"], abs=1e-12)
    sim.release("axle 1")  # and the gear with it
    sim.step(10)
    assert sim["axle 0.acceleration"] == pytest.approx(3.0 / 0.2)


def test_drives_that_want_the_same_are_named() -> None:
    model = wheels(0.2, 0.05)
    model.gear("mesh", "axle 0", "axle 1", ratio=-2.0)
    model.motor("front drive", "axle 0", velocity=1.0)
    model.motor("rear drive", "axle 1", velocity=-2.0)
    notes = "\n".join(lw.check(model).notes)
    assert "want the same motion" in notes
    for word in ("'mesh'", "'front drive'", "'rear drive'"):
        assert word in notes
    with pytest.warns(lw.ModelWarning, match="want the same motion"):
        run = lw.simulate(model, until=0.01, dt=1e-3, method="recursive")
    assert run["axle 1.velocity"] == pytest.approx(-2.0)


def test_drives_that_contradict_each_other_are_refused() -> None:
    model = wheels(0.2, 0.05)
    model.gear("mesh", "axle 0", "axle 1", ratio=-2.0)
    model.motor("front drive", "axle 0", velocity=1.0)
    model.motor("rear drive", "axle 1", velocity=5.0)
    with pytest.raises(lw.ModelError, match=r"'rear drive'.* want the same motion"):
        lw.simulate(model, until=0.01, dt=1e-3, method="recursive")


@pytest.mark.parametrize("scale", [1e-3, 1e3])
@pytest.mark.parametrize("weight", [1e-6, 1e6])
@pytest.mark.parametrize("name", ["recursive", "absolute", "hybrid", "global"])
def test_at_every_scale(scale: float, weight: float, name: str) -> None:
    """A rack of any size and mass: the same angle."""
    model = lw.Model("rack", gravity=(0, 0, 0))
    pinion = model.body("pinion", mass=weight, inertia=(weight * scale**2,) * 3)
    bar = model.body("bar", mass=weight, inertia=(weight * scale**2,) * 3)
    model.revolute("pin", "ground", pinion, at=(0, 0, 0), axis=(0, 1, 0))
    model.prismatic("guide", "ground", bar, axis=(1, 0, 0))
    model.rack("teeth", "pin", "guide", radius=0.5 * scale)
    model.torque("torque", "pin", 1.25 * weight * scale**2)
    run = lw.simulate(model, until=0.1, dt=1e-3, method=name, record=["pin.position", "guide.position"])
    assert run["pin.position"] == pytest.approx(run.time**2 / 2, rel=2e-5 if name == "global" else 1e-9, abs=1e-12)
    assert run["guide.position"] == pytest.approx(0.5 * scale * run["pin.position"], abs=1e-12 * scale)


@pytest.mark.parametrize("name", ["impulse", "maximal"])
def test_backlash(name: str) -> None:
    """The driven wheel turns through half the play alone, then strikes the other; both go on together."""
    model = wheels(0.1, 0.1)
    model.gear("mesh", "axle 0", "axle 1", ratio=1.0, backlash=0.02)
    model.torque("torque", "axle 0", 1.0)
    run = lw.simulate(model, until=0.3, dt=1e-3, method=name)
    apart = run["axle 1.position"] - run["axle 0.position"]
    assert apart.min() == pytest.approx(-0.01, abs=1e-9)
    free = run.time < math.sqrt(2 * 0.01 / 10.0) - 2e-3
    assert run["axle 1.velocity"][free] == pytest.approx(0.0)
    assert run["mesh.effort"][free] == pytest.approx(0.0)
    assert run["mesh.effort"][-1] == pytest.approx(0.5)
    assert run["axle 0.velocity"][-1] + run["axle 1.velocity"][-1] == pytest.approx(0.3 / 0.1)  # momentum
    assert run.certificate.worst_drift_position < 1e-9
    with pytest.raises(lw.OptionError, match="'mesh'.*use method 'impulse' or 'maximal'"):
        lw.simulate(model, until=0.1, dt=1e-3, method="recursive")


@pytest.mark.parametrize("name", ["impulse", "maximal"])
@pytest.mark.parametrize(
    ("given", "starts"),
    [((2.0, None), (2.0, 0.0)), ((None, 3.0), (0.0, 3.0)), ((2.0, -1.0), (2.0, -1.0)), ((2.0, 2.0), (2.0, 2.0))],
)
def test_within_its_play_a_gear_ties_no_velocities(name: str, given: Any, starts: Any) -> None:
    """At the start both shafts have what they were given; the one that is left is at rest until the teeth meet."""
    model = wheels(0.1, 0.1, velocities=given)
    model.gear("mesh", "axle 0", "axle 1", ratio=1.0, backlash=0.02)
    report = lw.check(model)
    assert (report.degrees_of_freedom, report.redundant_rows) == (2, 0)
    run = lw.simulate(model, until=0.05, dt=1e-3, method=name)
    assert (run["axle 0.velocity"][0], run["axle 1.velocity"][0]) == pytest.approx(starts)
    assert run.certificate.degrees_of_freedom == 2
    apart = starts[1] - starts[0]
    if apart:
        free = run.time < 0.01 / abs(apart) - 1e-3
        assert free.sum() > 1
        assert run["axle 0.velocity"][free] == pytest.approx(starts[0])
        assert run["axle 1.velocity"][free] == pytest.approx(starts[1])
        assert np.abs(run["axle 1.position"] - run["axle 0.position"]).max() == pytest.approx(0.01, abs=1e-9)
    assert run["axle 0.velocity"] + run["axle 1.velocity"] == pytest.approx(sum(starts))  # momentum
    assert run.certificate.worst_drift_velocity < 1e-9


def test_positions_beyond_a_play_are_brought_to_its_end() -> None:
    """Of a counted gear; there the teeth touch, and what parts them is free."""
    for velocities in ((0.0, 5.0), (-1.0, None)):
        model = wheels(0.1, 0.1, velocities=velocities)
        model.gear("mesh", "axle 0", "axle 1", ratio=1.0, backlash=0.02, offset=-0.05)
        sim = lw.Simulation(model, "impulse", dt=1e-3)
        assert sim["axle 1.position"] - sim["axle 0.position"] == pytest.approx(-0.04, abs=1e-9)
        assert (sim["axle 0.velocity"], sim["axle 1.velocity"]) == pytest.approx((velocities[0], velocities[1] or 0.0))


def test_a_motor_that_jolts_leaves_what_is_behind_a_play_at_rest() -> None:
    model = wheels(0.1, 0.1)
    model.gear("mesh", "axle 0", "axle 1", ratio=1.0, backlash=0.02)
    model.motor("drive", "axle 0", velocity=2.0)
    run = lw.simulate(model, until=0.02, dt=1e-3, method="impulse")
    free = run.time < 0.004
    assert run["axle 0.velocity"] == pytest.approx(2.0)
    assert run["axle 1.velocity"][free] == pytest.approx(0.0)
    assert run["axle 1.velocity"][-1] == pytest.approx(2.0)


@pytest.mark.parametrize("name", ALL)
def test_a_coupling_of_five_joints(name: str) -> None:
    """As rotors on rotors make them; what impulses need for it follows from the model."""
    model = lw.Model("sum", gravity=(0, 0, 0))
    factors, inertias = np.arange(1.0, 6.0), 0.1 * np.arange(1.0, 6.0)
    joints = []
    for k, inertia in enumerate(inertias):
        model.body(f"disc {k}", mass=1.0, inertia=(inertia,) * 3, position=(k, 0, 0))
        joints.append(model.revolute(f"axle {k}", "ground", f"disc {k}", at=(k, 0, 0), axis=(0, 0, 1)))
    model.drives["sum"] = Coupling("sum", model, tuple(map(Term, joints, factors)))
    model.torque("drive", "disc 0", (0, 0, 2.0))
    run = lw.simulate(model, until=0.1, dt=1e-3, method=method_of(name))
    # M a = tau + G^T p with G a = 0
    torque = np.array([2.0, 0, 0, 0, 0])
    p = -(factors @ (torque / inertias)) / (factors @ (factors / inertias))
    wanted = (torque + factors * p) / inertias
    assert [run[f"axle {k}.velocity"][-1] for k in range(5)] == pytest.approx(0.1 * wanted, rel=1e-6)

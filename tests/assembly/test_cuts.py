"""A joint that closes a loop stays a joint: the same columns whichever joint of the loop is cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, four_bar, loop_of

QUANTITIES = ("position", "velocity", "acceleration", "reaction", "rotation", "angular_velocity")
EVERYTHING = slice(None)


def differences(a: lw.Trajectory, b: lw.Trajectory, reaction: Any = EVERYTHING) -> dict[str, float]:
    """Largest difference of each quantity, relative to the largest value of that quantity anywhere."""
    assert set(a.names) == set(b.names)
    found = {}
    for quantity in QUANTITIES:
        names = [name for name in a.names if name.endswith(f".{quantity}")]
        pairs = [(a[name], b[name]) for name in names]
        if quantity == "reaction":
            pairs = [(x[:, reaction], y[:, reaction]) for x, y in pairs]
        size = max(float(np.max(np.abs(x))) for x, _ in pairs)
        found[quantity] = max(float(np.max(np.abs(x - y))) for x, y in pairs) / size
    return found


@pytest.mark.parametrize("kind", CLOSING)
def test_cut_or_not_the_columns_are_the_same(kind: str) -> None:
    """The joint of this kind as the cut, and a joint next to it or across the loop as the cut.

    At the start the two agree to rounding, on the way to the error of the integrator, which shrinks by 2^4 when the
    step is halved. All 1-d, quaternion and six-component columns are compared, so signs, frames and points must agree.
    """
    other = {"ball": "joint 3", "universal": "joint 2", "revolute": "joint 2"}.get(kind, "joint 4")
    found = []
    for dt in (4e-3, 2e-3):
        runs = [lw.simulate(loop_of(kind, cut), until=0.24, dt=dt) for cut in ("joint 0", other)]
        assert [run.certificate.loops for run in runs] == [1, 1]
        for name in runs[0].names:
            # multipliers come from a system whose condition is some thousands
            assert np.max(np.abs(runs[0][name][0] - runs[1][name][0])) < 1e-10
        found.append(differences(*runs))
    for quantity, coarse in found[0].items():
        assert coarse < 1e-7, quantity
        assert found[1][quantity] < coarse / 2**3 + 1e-12, quantity


@pytest.mark.parametrize("cut", ["crank", "coupler", "rocker", "foot"])
def test_four_bar(cut: str) -> None:
    """In its plane all reactions are determined; out of it the four hinges share what is not (three rows too many)."""
    start = {"crank": {"velocity": 9.0}}
    in_plane = [0, 2, 4]  # two forces and the torque about the normal
    found = []
    for dt in (2e-3, 1e-3):
        runs = [
            lw.simulate(four_bar(start=start, cut=name), until=1.0, dt=dt)
            for name in ("coupler" if cut == "crank" else "crank", cut)
        ]
        assert len(runs[1].certificate.redundant_rows) == 3
        found.append(differences(*runs, in_plane))
    for quantity, coarse in found[0].items():
        assert coarse < 1e-5, quantity
        assert found[1][quantity] < coarse / 2**3 + 1e-12, quantity
    # the crank goes round more than once, and is counted on by a cut as well
    assert runs[1]["crank.position"][-1] > 2 * np.pi


def press(cut: str, pitch: float) -> lw.Model:
    """A spindle turning in the ground, a nut on its thread, and a rail that keeps the nut from turning."""
    model = lw.Model("press")
    spindle = model.body("spindle", mass=2.0, inertia=(0.1, 0.1, 0.05))
    nut = model.body("nut", mass=1.0, inertia=(0.01, 0.01, 0.01))
    model.revolute("bearing", "ground", spindle, at=(0, 0, 0), axis=(0, 0, 1), velocity=12.0, cut=cut == "bearing")
    model.screw("thread", spindle, nut, at=(0, 0, 0), axis=(0, 0, 1), pitch=pitch, cut=cut == "thread")
    model.prismatic("rail", "ground", nut, axis=(0, 0, 1), cut=cut == "rail")
    return model


@pytest.mark.parametrize("pitch", [0.5, -0.05])
@pytest.mark.parametrize("cut", ["bearing", "thread", "rail"])
def test_screw_over_several_turns(cut: str, pitch: float) -> None:
    """Constant force, constant mass: nut and spindle accelerate evenly, and the thread counts its turns."""
    run = lw.simulate(press(cut, pitch), until=3.0, dt=0.01)
    lead = pitch / (2 * np.pi)
    # the nut goes up by -lead for each radian the spindle turns ahead of it
    mass = 0.05 + 1.0 * lead**2
    acceleration = 9.81 * lead / mass
    turned = 12.0 * run.time + 0.5 * acceleration * run.time**2
    assert np.max(np.abs(turned)) > 4 * 2 * np.pi
    size = np.max(np.abs(turned))
    # rk4 is exact for a quadratic; stabilisation and sums of three hundred steps round
    for name, wanted in (("bearing", turned), ("thread", -turned), ("rail", -lead * turned)):
        assert np.max(np.abs(run[f"{name}.position"] - wanted)) < 1e-11 * size, name
    assert run["thread.velocity"] == pytest.approx(-(12.0 + acceleration * run.time), rel=1e-11)
    assert run["thread.acceleration"] == pytest.approx(np.full(301, -acceleration), rel=1e-10)
    # what the thread carries to the nut: its weight less what accelerates it, and the torque that goes with it
    force = 9.81 - lead * acceleration
    assert run["thread.reaction"][:, 2] == pytest.approx(np.full(301, force), rel=1e-10)
    assert run["thread.reaction"][:, 5] == pytest.approx(np.full(301, -lead * force), rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("cut", ["joint 0", "joint 4"])
@pytest.mark.parametrize("kind", ["revolute", "cylindrical", "planar", "prismatic", "screw", "universal"])
def test_springs_dampers_and_torques_work_on_a_cut(kind: str, cut: str) -> None:
    """A joint's own stiffness and damping, and a torque in it that looks at its motion, cut or not."""
    plain = loop_of(kind, cut)
    runs = []
    for words in ("said at the joint", "said as a law"):
        model = lw.Model("loop", gravity=plain.gravity)
        for body in plain.bodies.values():
            model.body(
                body.name,
                mass=body.mass,
                inertia=body.inertia,
                com=body.com,
                position=body.reference.position,
                rotation=body.reference.rotation,
            )
        for joint in plain.joints.values():
            extra = {"pitch": joint.pitch} if joint.kind == "screw" else {}
            if joint.name == "joint 0" and words == "said at the joint":
                extra |= {"stiffness": 30.0, "damping": 2.0, "rest": 0.2}
            getattr(model, joint.kind)(
                joint.name, joint.a.name, joint.b.name, at=joint.at, axis=joint.axis, cut=joint.cut, **extra
            )
        if words == "said as a law":
            for k in range(model.joints["joint 0"].nv):
                law = lambda t, position, velocity: -30.0 * (position - 0.2) - 2.0 * velocity  # noqa: E731
                model.torque(f"torque {k}", "joint 0", law, coordinate=k)
        runs.append(lw.simulate(model, until=0.1, dt=2e-3))
    for name in runs[0].names:
        size = max(1.0, float(np.max(np.abs(runs[0][name]))))
        assert np.max(np.abs(runs[0][name] - runs[1][name])) < 1e-11 * size, name
    # both ledgers close to the error of the integrator, and book the same energy under other names
    first, second = (run.energy for run in runs)
    moved = np.max(np.abs(first["kinetic"]))
    for run in runs:
        assert run.certificate.energy_balance_worst < 1e-6 * moved
    taken = first["springs"] - first["springs"][0] + first["dissipated"]
    assert np.max(np.abs(taken + second["work"])) < 1e-6 * moved

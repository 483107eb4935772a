"""Where reactions are told: at the joint's point by default, with `run.reaction` at any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import loop_of
from linkwork.assembly.reference import Reference

G = 9.81
FAR = (3.0, -2.0, 5.0)


def hung(kind: str, *, by_ground: bool = False, scale: float = 1.0, **place: Any) -> lw.Model:
    """A block of 2 kg, its centre of mass 0.3 m beside its origin, far from the world's origin."""
    model = lw.Model("hung")
    at = tuple(scale * x for x in FAR)
    block = model.body("block", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(scale * 0.3, 0, 0), position=at)
    ends = (block, model.ground) if by_ground else (model.ground, block)
    if kind == "prismatic":
        place = {"axis": (0, 1, 0), **place}
    getattr(model, kind)("joint", *ends, **place)
    return model


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("by_ground", [False, True])
@pytest.mark.parametrize("kind", ["fixed", "prismatic"])
def test_without_a_place_a_joint_is_at_the_origin_of_its_body(kind: str, by_ground: bool, scale: float) -> None:
    """By hand: the weight at a lever of 0.3 m, whatever the distance to the world's origin."""
    sim = lw.Simulation(hung(kind, by_ground=by_ground, scale=scale), "recursive", dt=1e-3)
    sim.step(3)
    sign = -1.0 if by_ground else 1.0
    expected = sign * np.array([0, 0, 2 * G, 0, -2 * G * 0.3 * scale, 0])
    assert sim["joint.reaction"] == pytest.approx(expected, abs=1e-9 * max(1.0, scale))
    if kind == "prismatic":
        assert abs(sim["joint.position"]) < 1e-12 * scale


@pytest.mark.parametrize("kind", ["fixed", "prismatic"])
def test_a_joint_that_closes_a_loop_and_one_in_a_subsystem(kind: str) -> None:
    class Side(lw.Subsystem):
        def build(self) -> None:
            self.body("block", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0.3, 0, 0), position=(1, 0, 0))
            getattr(self, kind)("joint", self.ground, "block", **({"axis": (0, 1, 0)} if kind == "prismatic" else {}))

    whole = lw.Model("whole")
    whole.add("side", Side(), position=FAR)
    sim = lw.Simulation(whole, "recursive", dt=1e-3)
    assert sim["side.joint.reaction"] == pytest.approx([0, 0, 2 * G, 0, -2 * G * 0.3, 0], abs=1e-9)
    assert lw.check(whole).reaction_points == {"side.joint": "side.block"}
    closed = lw.Simulation(hung(kind, cut=True), "recursive", dt=1e-3)
    assert closed["joint.reaction"] == pytest.approx([0, 0, 2 * G, 0, -2 * G * 0.3, 0], abs=1e-9)


def test_a_given_place_stays() -> None:
    sim = lw.Simulation(hung("fixed", at=(0, 0, 0)), "recursive", dt=1e-3)
    weight, centre = np.array([0, 0, -2 * G]), np.array(FAR) + [0.3, 0, 0]
    assert sim["joint.reaction"][3:] == pytest.approx(-np.cross(centre, weight), abs=1e-9)
    report = lw.check(hung("fixed", at=(0, 0, 0)))
    assert report.reaction_points == {}
    assert "for want of at=" not in str(report)
    told = lw.check(hung("fixed"))
    assert told.reaction_points == {"joint": "block"}
    assert "reactions at the origin of a body, because at= is missing: joint (block)" in str(told)


@pytest.mark.parametrize("kind", ["fixed", "prismatic"])
def test_a_joint_attached_without_a_place(kind: str) -> None:
    model = lw.Model("caught")
    model.body("block", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0.3, 0, 0), position=FAR)
    axis = {"axis": (0, 1, 0)} if kind == "prismatic" else {}
    model.attach("block", "ground", kind, name="grip", time=0.1, **axis)  # type: ignore[arg-type]
    run = lw.simulate(model, until=0.2, dt=0.01, method="recursive")
    assert run["grip.reaction"][-1] == pytest.approx([0, 0, -2 * G, 0, 2 * G * 0.3, 0], abs=1e-9)
    assert run["block.position"][-1] == pytest.approx(run["block.position"][11], abs=1e-12)
    # told at the world's origin, where the grip is fixed in its b
    centre = run["block.position"][-1] + [0.3, 0, 0]
    moved = run.reaction("grip", at=(0, 0, 0))[-1]
    assert moved[3:] == pytest.approx(np.cross(centre, [0, 0, -2 * G]), abs=1e-9)


# --- run.reaction ---------------------------------------------------------------------------------------------


def spun() -> tuple[lw.Model, lw.Trajectory]:
    """A loop in space around a prismatic joint, in motion."""
    model = loop_of("prismatic")
    return model, lw.simulate(model, until=0.2, dt=1e-3, method="recursive", every=20)


def test_a_moved_reaction_is_the_same_wrench() -> None:
    """At any two points of any bodies: the same force, torques that differ by the lever; against plain numpy."""
    model, run = spun()
    reference = Reference(model)
    for joint in model.all_joints():
        if joint.b is model.ground:
            continue
        wrench = run[f"{joint.name}.reaction"]
        _, frame = reference.frames(joint)
        for k in range(len(run)):
            pose = {
                b.path: lw.Frame(run[f"{b.path}.position"][k], run[f"{b.path}.rotation"][k]) for b in model.all_bodies()
            }
            P = pose[joint.b.path].point(frame.position)
            for body, at in ((None, (0.1, 0.2, -0.3)), ("body 3", (1, 2, 3)), ("ground", (0, 0, 0))):
                stand = lw.Frame() if body == "ground" else pose[body or joint.b.path]
                lever = P - stand.point(at)
                moved = run.reaction(joint.name, at=at, body=body)[k]
                expected = [*wrench[k, :3], *(wrench[k, 3:] + np.cross(lever, wrench[k, :3]))]
                assert moved == pytest.approx(expected, abs=1e-11)
            axes = (pose[joint.b.path] @ frame).matrix
            turned = run.reaction(joint, axes="joint")[k]
            assert turned == pytest.approx([*(axes.T @ wrench[k, :3]), *(axes.T @ wrench[k, 3:])], abs=1e-11)
            inside = run.reaction(joint, axes="body 2")[k]
            assert inside[:3] == pytest.approx(pose["body 2"].matrix.T @ wrench[k, :3], abs=1e-11)
    assert np.array_equal(run.reaction("joint 0"), run["joint 0.reaction"])


def test_in_its_own_axes_a_slide_carries_nothing_along_z_and_a_hinge_no_torque_about_z() -> None:
    _, run = spun()
    assert np.abs(run.reaction("joint 0", axes="joint")[:, 2]).max() < 1e-9
    assert np.abs(run.reaction("joint 1", axes="joint")[:, 5]).max() < 1e-9


def test_after_saving_and_loading(tmp_path: Path) -> None:
    model = hung("fixed")
    run = lw.simulate(model, until=0.01, dt=1e-3, method="recursive")
    run.save(tmp_path / "run.npz")
    again = lw.load_run(tmp_path / "run.npz")
    assert np.array_equal(again.reaction("joint", at=(0.3, 0, 0)), run.reaction("joint", at=(0.3, 0, 0)))
    assert run.reaction("joint", at=(0.3, 0, 0))[-1] == pytest.approx([0, 0, 2 * G, 0, 0, 0], abs=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"at": (0, 0)}, "at"),
        ({"at": (0, 0, 0), "body": "blok"}, "'blok' is not a body of 'hung'"),
        ({"axes": "wold"}, "give 'world', 'joint', 'ground' or the name of a body"),
        ({"body": "block"}, "give at= too"),
    ],
)
def test_refusals(options: dict[str, Any], message: str) -> None:
    run = lw.simulate(hung("fixed"), until=0.01, dt=1e-3, method="recursive")
    with pytest.raises((lw.OptionError, lw.ModelError), match=message):
        run.reaction("joint", **options)


def test_what_a_run_must_hold() -> None:
    run = lw.simulate(hung("fixed"), until=0.01, dt=1e-3, method="recursive", record="joint.*")
    with pytest.raises(lw.OptionError, match=r"record 'block\.position' and 'block\.rotation' too"):
        run.reaction("joint", at=(0, 0, 0))
    with pytest.raises(lw.OptionError, match=r"did you mean 'joint\.reaction'"):
        run.reaction("joynt")
    model = lw.Model("shaken")
    table = model.moving_ground("table", lw.Motion(position=(lw.Cosine(0.1, frequency=1.0), 0, 0)))
    model.fixed("weld", model.body("box", mass=1.0, shape=lw.Box((1, 1, 1)), position=FAR), table)
    shaken = lw.simulate(model, until=0.01, dt=1e-3, method="recursive")
    with pytest.raises(lw.OptionError, match="moving ground 'table'"):
        shaken.reaction("weld", at=(0, 0, 0))

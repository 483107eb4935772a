"""Written models: MuJoCo reads them and agrees on poses, velocities and masses; so does our own reader."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork import gallery
from linkwork.assembly.assemble import assemble
from linkwork.model import Torque
from random_mechanisms import random_loops, random_tree

pytest.importorskip("mujoco", minversion="4", reason="MuJoCo 4 is not installed: pip install mujoco")
import mujoco

from formats.mjcf.test_parts import PARTS
from formats.mjcf.written import Written

TREES = ("chain", "gripper", "manipulator", "puma", "rover", "pendulum", "cam_valve", "gearbox")
LOOPS = ("andrews", "car", "double_four_bar", "iltis_suspension", "peaucellier", "stewart", "toggle_press")


def check(model: lw.Model, file: Path, size: float) -> None:
    written, rng = Written(model, file), np.random.default_rng(3)
    for _ in range(3):
        poses, velocities, masses = written.differences(rng, size)
        assert poses < 1e-9
        assert velocities < 1e-9
        assert masses < 1e-9


@pytest.mark.parametrize("piece", [*TREES, *LOOPS])
def test_masses_of_gallery_pieces(tmp_path: Path, piece: str) -> None:
    check(getattr(gallery, piece).build(), tmp_path / "piece.xml", 1.0 if piece in TREES else 0.03)


@pytest.mark.parametrize("piece", ["engine", "kuka", "humanoid", "iltis", "n_four_bar", "pile", "friction_damper"])
@pytest.mark.long
def test_masses_of_large_gallery_pieces(tmp_path: Path, piece: str) -> None:
    check(getattr(gallery, piece).build(), tmp_path / "piece.xml", 0.03)


@pytest.mark.parametrize("seed", range(15))
def test_masses_of_random_trees(tmp_path: Path, seed: int) -> None:
    check(random_tree(seed, 6, armature=True), tmp_path / "tree.xml", 1.0)


@pytest.mark.parametrize("seed", range(6))
def test_masses_of_random_trees_with_rotors(tmp_path: Path, seed: int) -> None:
    """Carriers that have too little are told, and what is told is all that differs."""
    model = random_tree(seed, 6, rotors=True)
    if model.write(tmp_path / "tree.xml", lossy=True).lost:
        mujoco.MjModel.from_xml_path(str(tmp_path / "tree.xml"))
        pytest.skip("some rotor has too small a carrier")
    check(model, tmp_path / "tree.xml", 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_masses_of_random_loops(tmp_path: Path, seed: int) -> None:
    check(random_loops(seed, 6, kinds=("revolute", "ball", "universal", "prismatic")), tmp_path / "loop.xml", 0.02)


@pytest.mark.parametrize("seed", range(8))
def test_a_tree_reads_back_with_the_same_accelerations(tmp_path: Path, seed: int) -> None:
    kinds = ("revolute", "prismatic", "ball", "fixed", "free")
    model = random_tree(seed, 6, kinds, free_on_ground=True, armature=True)
    for joint, spring in list(zip(model.joints.values(), (1.0, 2.0), strict=False)):
        if joint.nv == 1:
            model.torque(f"input {spring}", joint, 0.0)
    receipt = model.write(tmp_path / "tree.xml")
    assert not receipt.lost
    again, _ = lw.read(tmp_path / "tree.xml", keyframe="start")
    assert sorted(again.bodies) == sorted(model.bodies)
    systems = assemble(model), assemble(again)
    found = []
    for system in systems:
        places = lw.forward_kinematics(system, system.q_start)
        found.append(np.array([np.concatenate(places[f"body {k}"])[:3] for k in range(6)]))
    assert np.abs(found[0] - found[1]).max() < 1e-12
    rates = [lw.forward_dynamics(system, system.q_start, np.zeros(system.nv)) for system in systems]
    falls = []  # accelerations of all bodies, which need no order of joints
    for system, rate in zip(systems, rates, strict=True):
        falls.append(np.array([lw.jacobian(system, system.q_start, f"body {k}") @ rate for k in range(6)]))
    assert np.abs(falls[0] - falls[1]).max() < 1e-9 * max(1.0, np.abs(falls[0]).max())


@pytest.mark.parametrize("name", ["ant", "half_cheetah", "humanoid", "pusher_v5", "walker2d"])
def test_what_was_read_and_written_moves_alike_in_mujoco(tmp_path: Path, name: str) -> None:
    package = importlib.util.find_spec("gymnasium")
    if package is None or not package.submodule_search_locations:
        pytest.skip("gymnasium is not installed: pip install --no-deps gymnasium")
    file = Path(package.submodule_search_locations[0]) / "envs" / "mujoco" / "assets" / f"{name}.xml"
    lw.read(file)[0].write(tmp_path / "again.xml")
    both = []
    for each in (file, tmp_path / "again.xml"):
        m = mujoco.MjModel.from_xml_path(str(each))
        m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
        both.append((m, mujoco.MjData(m)))
    rng = np.random.default_rng(0)
    for _ in range(5):
        q, v = both[0][0].qpos0 + rng.uniform(-0.5, 0.5, both[0][0].nq), rng.uniform(-1, 1, both[0][0].nv)
        for m, d in both:
            d.qpos[:], d.qvel[:] = q, v
            mujoco.mj_normalizeQuat(m, d.qpos)
            mujoco.mj_forward(m, d)
        first, second = (d.qacc for _, d in both)
        assert np.abs(first - second).max() < 1e-9 * np.abs(first).max()


def rotors() -> lw.Model:
    """An arm with a flange and rotors on both, on one another and behind a gear, one on the ground."""
    model = lw.Model("rotors")
    arm = model.body("arm", mass=2.0, inertia=(0.3, 0.25, 0.2), com=(0.1, 0.05, -0.4))
    model.revolute("hip", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0))
    model.rotor("first", inertia=0.01, on=arm, axis=(0, 1, 1), at=(0.1, 0.2, 0.3))
    model.rotor("second", inertia=0.02, on="first")
    model.rotor("third", inertia=0.02, on="ground", axis=(0, 0, 1))
    return model


def test_masses_of_rotors(tmp_path: Path) -> None:
    """The carrier lends what MuJoCo wants of a body; together they have the masses that they had."""
    check(rotors(), tmp_path / "rotors.xml", 1.0)
    assert not rotors().write(tmp_path / "rotors.xml").lost
    model = rotors()
    model.rotor("heavy", inertia=50.0, on="arm", axis=(1, 0, 0))
    with pytest.raises(lw.ModelError, match="rotor 'heavy'"):
        model.write(tmp_path / "rotors.xml")


def test_what_was_read_of_all_parts_is_written(tmp_path: Path) -> None:
    file = tmp_path / "parts.xml"
    file.write_text(PARTS)
    receipt = lw.read(file)[0].write(tmp_path / "again.xml", lossy=True)
    assert [line.what for line in receipt.lost] == ["bushing 'fly spring'"]  # of a free joint
    again, _ = lw.read(tmp_path / "again.xml")
    assert again.forces["ball spring"].stiffness[3, 3] == 4.0


def machine() -> lw.Model:
    """What MJCF can say."""
    model = lw.Model("machine with 'quotes' & more", gravity=(0, 1, -9))
    arm = model.body("left/arm.1 <x>", mass=1.0, inertia=(0.1, 0.2, 0.15), com=(0.1, 0, 0))
    hand = model.body("hand", mass=0.5, shape=lw.Box((0.1, 0.2, 0.3)), material=lw.Material(friction=0.7))
    slide = model.body("slide", shape=lw.Cylinder(0.1, 0.2), mass=2.0, position=(0, 0, 2))
    shoulder = model.revolute(
        "shoulder", "ground", arm, at=(0, 0, 1), axis=(0, 1, 0), position=0.2, velocity=0.3, limits=(-1, None),
        damping=0.4, friction=0.1, armature=0.02, stiffness=3.0, rest=0.1,
    )  # fmt: skip
    wrist = model.revolute("wrist", arm, hand, frame_a=lw.Frame((0.5, 0, 0)), frame_b=lw.Frame((0, 0, 0.1)))
    rail = model.prismatic("rail", "ground", slide, axis=(1, 0, 0))
    model.torsion_spring("coil", wrist, stiffness=2.0, damping=0.1, angle=0.3)
    model.spring("cord", arm, slide, at_a=(0.1, 0, 0), at_b=(0, 0, 0.1), stiffness=20.0, damping=0.5, length=0.7)
    model.motor("servo", wrist, position=0.4, softness=lw.Soft(stiffness=30.0, damping=2.0), max_torque=7.0)
    model.torque("push", rail, 5.0)
    model.torque("twist", hand, 0.5, axis=(0, 0, 1))
    model.rack("teeth", shoulder, rail, radius=0.2)
    model.plane("floor", at=(0, 0, -1), normal=(0, 0.1, 1), material=lw.Material(friction=0.7))
    model.visual("look", arm, lw.Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]), colour="#FF8000")
    corners = lw.Box((0.2, 0.2, 0.2)), lw.Hull([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)])
    model.visual("skin", hand, lw.Mesh(triangles=corners[1].triangles), colour=(0.1, 0.2, 0.3))
    model.collider("horn", arm, corners[1], material=lw.Material(friction=0.7))
    return model


def test_every_part_reads_back(tmp_path: Path) -> None:
    model = machine()
    receipt = model.write(tmp_path / "machine.xml", timestep=0.005)
    assert not receipt.lost
    assert {path.name for path in (tmp_path / "machine_meshes").iterdir()} == {"skin_of_skin_seen.obj"}
    m = mujoco.MjModel.from_xml_path(str(tmp_path / "machine.xml"))
    assert m.opt.timestep == 0.005
    assert mujoco.mj_name2id(m, mujoco.mjtObj.mjOBJ_BODY, "left/arm.1 <x>") == 1
    again, told = lw.read(tmp_path / "machine.xml", keyframe="start")
    assert not told.lost
    assert again.name == model.name
    assert again.gravity.tolist() == [0, 1, -9]
    one, two = model["shoulder"], again["shoulder"]
    for name in ("position", "velocity", "damping", "friction", "armature", "stiffness", "rest"):
        assert getattr(one, name) == getattr(two, name)
    assert two.limits[0] == -1.0
    assert (again["wrist"].stiffness, again["wrist"].rest, again["wrist"].damping) == (2.0, 0.3, 0.1)
    assert (again["cord"].stiffness, again["cord"].length) == (20.0, 0.7)
    assert again["servo"].softness == model["servo"].softness
    assert again["servo"].max_torque == 7.0
    assert again["servo"].position.value == 0.4
    assert again["push"].law.value == 5.0
    assert again["twist"].law.value == 0.5
    assert again["teeth"].terms[1].factor == pytest.approx(-0.2)
    shapes = sorted(type(collider.shape).__name__ for collider in again.all_colliders())
    assert shapes == ["Box", "Hull", "Plane"]
    colours = {visual.colour for visual in again.all_visuals() if visual.colour}
    assert (0.1, 0.2, 0.3, 1.0) in {tuple(round(each, 6) for each in colour) for colour in colours}


def test_the_same_accelerations_after_reading_back(tmp_path: Path) -> None:
    model = machine()
    model.write(tmp_path / "machine.xml")
    again, _ = lw.read(tmp_path / "machine.xml", keyframe="start")
    found = []
    for each in (model, again):
        system = assemble(each, driven=True)
        assert system.joint_names == ["shoulder", "wrist", "rail"]
        rate = lw.forward_dynamics(system, system.q_start, [0.3, -0.2, 0.06])
        found.append(rate)
    assert np.abs(found[0] - found[1]).max() < 1e-9 * np.abs(found[0]).max()


def test_what_it_cannot_say_is_refused_by_name(tmp_path: Path) -> None:
    model = machine()
    model.torque("wave", "rail", lw.Cosine(1.0, frequency=2.0))
    with pytest.raises(lw.ModelError, match=r"torque 'wave': its law is no constant number.*lossy=True"):
        model.write(tmp_path / "machine.xml")
    assert not list(tmp_path.iterdir())
    assert len(model.write(tmp_path / "machine.xml", lossy=True).lost) == 1
    with pytest.raises(lw.OptionError, match="timestep is -1"):
        model.write(tmp_path / "machine.xml", timestep=-1)


def test_loops_are_told_as_soft(tmp_path: Path) -> None:
    receipt = gallery.double_four_bar.build().write(tmp_path / "bars.xml")
    assert sum("gives way in MuJoCo" in line.told for line in receipt.approximated) == 2
    again, _ = lw.read(tmp_path / "bars.xml", keyframe="start")
    run = lw.simulate(again, until=0.2, method="recursive", dt=1e-3)
    same = lw.simulate(gallery.double_four_bar.build(), until=0.2, method="recursive", dt=1e-3)
    assert run.drift["position"].max() < 1e-10
    name = next(iter(again.bodies))
    assert np.abs(run[f"{name}.position"][-1] - same[f"{name}.position"][-1]).max() < 1e-8


def test_mujoco_moves_it_alike(tmp_path: Path) -> None:
    """Loops that give way little, small steps: the same fall for a moment."""
    model = gallery.peaucellier.build()
    model.write(tmp_path / "cell.xml", lossy=True, timestep=1e-4)
    m = mujoco.MjModel.from_xml_path(str(tmp_path / "cell.xml"))
    d = mujoco.MjData(m)
    mujoco.mj_resetDataKeyframe(m, d, 0)
    d.ctrl[:] = 0.0
    mujoco.mj_step(m, d, nstep=500)
    names = [name for name in model.forces if isinstance(model.forces[name], Torque)]
    for name in names:
        del model.forces[name]
    run = lw.simulate(model, until=0.05, method="recursive", dt=1e-4)
    for body in model.all_bodies():
        assert np.abs(d.body(body.path).xpos - run[f"{body.path}.position"][-1]).max() < 2e-3

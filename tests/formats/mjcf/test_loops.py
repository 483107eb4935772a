"""Equality constraints of MJCF are rigid here: loops are held, and start with the accelerations of rigid ones."""

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.assembly.assemble import assemble

mujoco = pytest.importorskip("mujoco", minversion="4", reason="MuJoCo 4 is not installed: pip install mujoco")

LINKS = """
<body name="crank"><joint name="a" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 .3"/>
  <body name="rod" pos="0 0 .3"><joint name="b" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 .8 0 .3"/>
    <site name="end" pos=".8 0 .3"/></body></body>
<body name="rocker" pos=".9 0 0"><joint name="c" axis="0 1 0"/>
  <geom type="capsule" size=".02" fromto="0 0 0 -.1 0 .6"/><site name="tip" pos="-.1 0 .6"/></body>
<body name="box" pos="2 0 0"><freejoint name="f"/><geom type="box" size=".1 .1 .1"/></body>
<body name="slider" pos="0 1 0"><joint name="s" type="slide" axis="1 0 0"/><geom size=".1"/></body>
"""
CASES = {
    "connect": '<connect body1="rod" body2="rocker" anchor=".8 0 .3"/>',
    "connect to the world": '<connect name="hang" body1="box" anchor=".1 .1 .1"/>',
    "connect sites": '<connect site1="end" site2="tip"/>',
    "weld": '<weld body1="rod" body2="box"/>',
    "weld to the world": '<weld body1="box" relpose="0 0 0 1 0 0 0"/>',
    "weld sites": '<weld site1="end" site2="tip"/>',
    "gear": '<joint joint1="a" joint2="c" polycoef="0 -2 0 0 0"/>',
    "rack": '<joint joint1="s" joint2="c" polycoef="0 0.3 0 0 0"/>',
    "rack driven by the slide": '<joint joint1="c" joint2="s" polycoef="0 4 0 0 0"/>',
    "cam": '<joint joint1="a" joint2="c" polycoef="0 -2 1 0.5 0.1"/>',
    "held": '<joint joint1="a"/>',
    "tendon": '<tendon tendon1="sum"/>',
    "two tendons": '<tendon tendon1="sum" tendon2="one" polycoef="0 3 0 0 0"/>',
}
TENDONS = """<fixed name="sum">
<joint joint="a" coef="2"/><joint joint="b" coef="-1"/><joint joint="c" coef="3"/>
</fixed>
<fixed name="one"><joint joint="s" coef=".5"/></fixed>"""


def written(folder: Path, case: str) -> Path:
    file = folder / "loop.xml"
    file.write_text(
        f'<mujoco><compiler angle="radian"/><option timestep="0.001"/><worldbody>{LINKS}</worldbody>'
        f"<tendon>{TENDONS}</tendon><equality>{CASES[case]}</equality></mujoco>"
    )
    return file


def rigid_accelerations(file: Path) -> np.ndarray:
    """At rest: M a + J' lam = f with J a = 0, from MuJoCo's matrices."""
    m = mujoco.MjModel.from_xml_path(str(file))
    m.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, M)
    J = d.efc_J.reshape(-1, m.nv)[: d.nefc]
    A = J @ np.linalg.solve(M, J.T)
    lam = np.linalg.lstsq(A, -J @ d.qacc_smooth, rcond=1e-10)[0]
    return np.asarray(d.qacc_smooth + np.linalg.solve(M, J.T @ lam))


# those whose constraint holds where the file starts
STARTS = [case for case in CASES if case != "weld to the world"]


@pytest.mark.parametrize("case", STARTS)
def test_it_starts_with_the_accelerations_of_a_rigid_constraint(tmp_path: Path, case: str) -> None:
    file = written(tmp_path, case)
    model, receipt = lw.read(file, contact=False)
    assert not receipt.lost
    system = assemble(model, driven=True)
    assert system.joint_names == ["a", "b", "c", "f", "s"]
    ours = lw.forward_dynamics(system, system.q_start, np.zeros(system.nv))
    theirs = rigid_accelerations(file)
    assert np.abs(ours - theirs).max() < 1e-8 * np.abs(theirs).max()


@pytest.mark.parametrize("case", CASES)
def test_loops_are_held(tmp_path: Path, case: str) -> None:
    model, receipt = lw.read(written(tmp_path, case), contact=False)
    assert not receipt.lost
    assert any(line.what == "the start" for line in receipt.approximated) == (case not in STARTS)
    run = lw.simulate(model, until=0.3, method="recursive", dt=1e-3)
    assert run.drift["position"].max() < 1e-10


def test_an_inactive_one_is_noted(tmp_path: Path) -> None:
    file = written(tmp_path, "connect")
    file.write_text(file.read_text().replace("<connect ", '<connect active="false" '))
    model, receipt = lw.read(file, contact=False)
    assert not any(joint.cut for joint in model.all_joints())
    assert any("not active" in line.told and not line.matters for line in receipt.ignored)


def test_flags_switch_things_off(tmp_path: Path) -> None:
    file = written(tmp_path, "gear")
    plain = file.read_text()
    file.write_text(plain.replace('timestep="0.001"/>', '><flag equality="disable" gravity="disable"/></option>'))
    model, _ = lw.read(file)
    assert not list(model.all_drives())
    assert not model.gravity.any()
    assert list(model.all_colliders())
    file.write_text(plain.replace('timestep="0.001"/>', '><flag contact="disable"/></option>'))
    assert not list(lw.read(file)[0].all_colliders())

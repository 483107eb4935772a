"""Every kind of part of MJCF in one file: the same accelerations as MuJoCo, the same starts, nothing untold."""

from pathlib import Path

import pytest

import linkwork as lw

pytest.importorskip("mujoco", minversion="4", reason="MuJoCo 4 is not installed: pip install mujoco")
from formats.mjcf.compare import Beside

PARTS = """<mujoco model="parts">
<compiler angle="radian"/>
<option gravity="1 2 -9"/>
<worldbody>
  <site name="w" pos="0 0 2"/>
  <body name="base" pos="0 0 1" quat="1 2 3 4" gravcomp="0.5">
    <joint name="h" axis="1 2 3" pos=".1 .2 .3" ref="0.3" stiffness="3" springref="-0.2" damping=".4" armature=".02"/>
    <joint name="s" type="slide" axis="0 1 1" ref="-.2" stiffness="5" damping="1" springref=".1"/>
    <inertial pos=".1 0 .2" mass="2" fullinertia=".1 .2 .15 .01 .02 -.03"/>
    <site name="b" pos=".3 0 0"/>
    <body name="arm" pos=".5 0 0" euler=".3 .2 .1" gravcomp="1.5">
      <joint name="ball" type="ball" pos="0 .1 0" damping=".2" stiffness="4"/>
      <geom type="capsule" size=".1" fromto="0 0 0 0 .5 .5"/>
      <site name="t" pos="0 .5 .5"/>
      <body name="welded" pos=".2 .3 .4"><geom size=".2"/></body>
    </body>
  </body>
  <body name="top" pos="3 0 0"><joint name="rb" type="ball" armature=".3"/><geom type="box" size=".1 .2 .3"/></body>
  <body name="flyer" pos="1 2 3" euler=".1 .2 .3">
    <joint name="fly" type="free" damping=".7" stiffness="2"/>
    <geom type="ellipsoid" size=".1 .2 .3"/>
    <site name="jet" pos=".1 .2 0" euler=".3 0 0"/>
  </body>
  <body name="wheel" pos="0 3 0"><joint name="axle" axis="0 1 0"/><geom type="cylinder" size=".3 .1"/></body>
  <body name="wheel2" pos="0 4 0"><joint name="axle2" axis="0 1 0"/><geom type="cylinder" size=".3 .1"/></body>
</worldbody>
<tendon>
  <spatial name="sp" stiffness="30" damping="2" springlength=".4"><site site="w"/><site site="t"/></spatial>
  <spatial name="path"><site site="w"/><site site="t"/><site site="b"/></spatial>
  <fixed name="f1" stiffness="7" damping=".3" springlength=".2"><joint joint="axle" coef="2"/></fixed>
</tendon>
<actuator>
  <motor name="m" joint="h" gear="3" armature=".01" damping=".2"/>
  <position name="p" joint="axle" kp="20" kv="2" gear="-2" forcerange="-15 15"/>
  <velocity name="v" joint="s" kv="3" gear="1.5"/>
  <general name="g" joint="axle2" gainprm="4" biastype="affine" biasprm="1.5 -3 -.5" gear=".7"/>
  <general name="c" joint="axle2" biastype="affine" biasprm="2 0 0"/>
  <motor name="jet" site="jet" gear="0 1 2 0 0 0"/>
</actuator>
<keyframe>
  <key name="k" qpos=".1 .2 1 0 0 0 1 0 0 0 1 2 3 0 1 0 0 .4 .5" qvel="1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"
    ctrl="1 2 3 4 5 6"/>
</keyframe>
</mujoco>"""


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    file = tmp_path / "parts.xml"
    file.write_text(PARTS)
    return file


def test_accelerations_are_those_of_mujoco(parts: Path) -> None:
    model, receipt = lw.read(parts, contact=False)
    assert not receipt.lost
    assert Beside(parts, model).worst() < 1e-12


def test_a_keyframe_is_a_start(parts: Path) -> None:
    model, _ = lw.read(parts, keyframe="k")
    assert lw.read(parts, keyframe=0)[0] == model
    assert model["h"].position == (0.1,)
    assert model["h"].velocity == (1.0,)
    assert model["fly"].position == (1.0, 2.0, 3.0, 0.0, 1.0, 0.0, 0.0)
    assert model["fly"].velocity == (9.0, 10.0, 11.0, 12.0, -13.0, -14.0)  # turned half round x: in world axes
    assert model["m"].law.value == 3.0  # gear times control
    assert model["p"].position.value == pytest.approx(2.0 / -2.0)
    assert model["g"].position.value == pytest.approx((4.0 * 4.0 + 1.5) / (3.0 * 0.7))
    with pytest.raises(lw.OptionError, match="there is no keyframe 'x'; give one of 'k'"):
        lw.read(parts, keyframe="x")


def test_without_a_keyframe_it_starts_at_the_references(parts: Path) -> None:
    model, _ = lw.read(parts)
    assert model["h"].position == (0.3,)
    assert model["s"].position == (-0.2,)
    assert model["fly"].velocity is None


def test_colliders_and_pictures(parts: Path) -> None:
    model, receipt = lw.read(parts)
    assert [type(collider.shape).__name__ for collider in model.all_colliders()] == [
        "Capsule",
        "Sphere",
        "Box",
        "Ellipsoid",
        "Cylinder",
        "Cylinder",
    ]
    assert not any("ellipsoid" in line.told for line in (*receipt.approximated, *receipt.ignored))
    assert len(list(model.all_visuals())) == 6
    assert not list(lw.read(parts, contact=False)[0].all_colliders())


def test_it_runs(parts: Path) -> None:
    model, _ = lw.read(parts, contact=False)
    run = lw.simulate(model, until=0.2, method="recursive", dt=1e-3)
    assert abs(run.energy["balance"]).max() < 1e-6 * abs(run.energy["total"]).max()


def test_inputs_are_set_while_stepping(parts: Path) -> None:
    model, _ = lw.read(parts, contact=False)
    ends = []
    for torque in (0.0, 5.0):
        sim = lw.Simulation(model, method="recursive", dt=1e-3)
        sim.inputs["m"] = torque
        sim.step(10)
        ends.append(sim.reader(["h.velocity"])()[0])
    assert ends[0] != ends[1]

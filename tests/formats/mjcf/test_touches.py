"""Touch sensors and ranges of ball joints in MJCF."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

mujoco = pytest.importorskip("mujoco", minversion="4", reason="MuJoCo 4 is not installed: pip install mujoco")

SCALE = """<mujoco model="scale">
<option timestep="0.002"/>
<worldbody>
  <geom name="floor" type="plane" size="5 5 .1"/>
  <body name="block" pos="0 0 .499">
    <freejoint/>
    <geom type="box" size="1 .5 .5" mass="3"/>
    <geom type="box" size=".1 .1 .1" pos=".8 0 .6" mass="1"/>
    <site name="left" type="box" size=".5 .6 .6" pos="-.6 0 0"/>
    <site name="right" type="box" size=".5 .6 .6" pos=".6 0 0"/>
    <site name="corner" type="sphere" size=".1" pos="1 .5 -.5"/>
    <site name="tube" type="cylinder" size=".2 .7" pos="1 -.5 -.2"/>
  </body>
</worldbody>
<sensor>
  <touch name="left" site="left"/><touch name="right" site="right"/><touch name="tip" site="corner"/>
  <touch name="tube" site="tube"/><framepos name="where" objtype="body" objname="block"/>
</sensor>
</mujoco>"""


def test_touch_sensors_feel_what_mujocos_feel(tmp_path: Path) -> None:
    """At rest, after a second: the normal forces in each site, to 1 % of the weight (MuJoCo's contacts give way)."""
    file = tmp_path / "scale.xml"
    file.write_text(SCALE)
    model, receipt = lw.read(file)
    assert [sensor.name for sensor in model.all_touch_sensors()] == ["left", "right", "tip", "tube"]
    assert any("'tube'" in line.what for line in receipt.approximated)
    assert any("framepos" in line.what for line in receipt.ignored)
    assert not receipt.lost
    run = lw.simulate(model, until=1.0, method="impulse", dt=2e-3)
    peer = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(peer)
    for _ in range(1000):
        mujoco.mj_step(peer, data)
    weight = 4.0 * 9.81
    for k, name in enumerate(("left", "right", "tip")):
        assert run[f"{name}.force"][-1] == pytest.approx(data.sensordata[k], abs=0.01 * weight)
    assert run["left.force"][-1] + run["right.force"][-1] == pytest.approx(weight, rel=1e-4)
    bare, receipt = lw.read(file, contact=False)
    assert not list(bare.all_touch_sensors())
    assert not receipt.lost


def test_the_range_of_a_ball_joint_is_a_turn(tmp_path: Path) -> None:
    """A pendulum thrown against the range of its ball joint stays within it, as MuJoCo's does but for its softness."""
    file = tmp_path / "ball.xml"
    file.write_text(
        "<mujoco><compiler angle='radian'/><worldbody><body name='bob'>"
        "<joint name='ball' type='ball' range='0 0.6' frictionloss='0.1'/>"
        "<geom type='sphere' size='.1' pos='0 0 -1' mass='1'/></body></worldbody></mujoco>"
    )
    model, receipt = lw.read(file)
    assert model["ball"].limits == lw.Cone(turn=0.6)
    assert model["ball"].friction == 0.1
    assert not receipt.lost
    sim = lw.Simulation(model, lw.Impulse(dt=1e-3))
    sim.reset(velocities={"ball": (2.0, 1.5, 0.5)})
    turns = []
    for _ in range(2000):
        sim.step()
        w, *rest = sim["ball.position"]
        turns.append(2.0 * math.atan2(np.linalg.norm(rest), abs(w)))
    assert 0.599 < max(turns) < 0.6 + 1e-3  # a slender body: see tests/laws/test_ball_limits.py
    again = tmp_path / "again.xml"
    model.write(again)
    assert lw.read(again)[0]["ball"].limits == lw.Cone(turn=0.6)

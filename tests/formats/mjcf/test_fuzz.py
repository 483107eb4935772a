"""Damaged MJCF files give a model or one line."""

from pathlib import Path

import pytest

import linkwork as lw
from formats.fuzzing import fuzz
from linkwork.formats.mjcf.assets import stand_in

pytest.importorskip("mujoco", minversion="4", reason="MuJoCo 4 is not installed: pip install mujoco")
from formats.mjcf.test_loops import CASES, LINKS, TENDONS
from formats.mjcf.test_parts import PARTS

MORE = """<mujoco model="more">
<include file="part.xml"/>
<compiler angle="degree" meshdir="." balanceinertia="true"/>
<option density="0"><flag contact="enable"/></option>
<default><geom friction="0.8"/><default class="a"><joint damping="1"/><geom rgba="1 0 0 1"/></default></default>
<asset>
  <mesh name="solid" file="solid.stl" scale="1 2 3"/>
  <mesh name="four" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  <mesh name="ball" builtin="sphere" params="2"/>
  <hfield name="hills" nrow="2" ncol="3" elevation="0 1 2 3 4 5" size="1 2 0.5 0.1"/>
  <texture name="t" builtin="flat" width="8" height="8"/>
  <material name="m" rgba="1 1 0 1" texture="t"/>
</asset>
<worldbody>
  <geom type="hfield" hfield="hills"/>
  <geom type="plane" size="1 1 1" material="m"/>
  <camera name="c"/>
  <frame pos="1 0 0" euler="0 0 90">
    <body name="f" childclass="a"><joint name="fj"/><geom type="mesh" mesh="solid"/></body>
  </frame>
  <replicate count="3" offset="0 0 1" euler="0 0 10">
    <body name="r"><freejoint/><geom type="ellipsoid" size=".1 .2 .3"/><geom type="mesh" mesh="four"/></body>
  </replicate>
  <body name="mo" mocap="true"><geom size=".1" contype="2" conaffinity="4"/></body>
  <body name="q" xyaxes="1 0 0 0 1 0">
    <joint name="u" axis="1 0 0" range="-10 10" margin=".1"/>
    <joint name="w" axis="0 1 0"/>
    <inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>
    <geom name="g" type="mesh" mesh="ball"/>
    <site name="s1"/>
    <site name="s2" pos="0 0 1"/>
  </body>
</worldbody>
<contact><exclude body1="f" body2="q"/></contact>
<sensor><jointpos joint="u"/></sensor>
<tendon><spatial name="t" limited="true" range="0 1"><site site="s1"/><site site="s2"/></spatial></tendon>
<actuator>
  <muscle joint="u"/>
  <adhesion body="q" ctrlrange="0 1"/>
  <intvelocity joint="w" actrange="0 1"/>
  <cylinder joint="w"/>
  <general tendon="t"/>
  <dcmotor joint="u" motorconst="1" resistance="2"/>
</actuator>
</mujoco>"""


def seeds(folder: Path) -> dict[str, bytes]:
    (folder / "part.xml").write_text("<mujocoinclude><asset><material name='z'/></asset></mujocoinclude>")
    (folder / "solid.stl").write_bytes(stand_in())
    found = {"parts.xml": PARTS, "more.xml": MORE}
    for case in ("connect", "weld", "cam", "two tendons"):
        found[f"{case}.xml"] = (
            f'<mujoco><compiler angle="radian"/><worldbody>{LINKS}</worldbody>'
            f"<tendon>{TENDONS}</tendon><equality>{CASES[case]}</equality></mujoco>"
        )
    return {name: text.encode() for name, text in found.items()}


def read(file: Path) -> object:
    return lw.read(file, strict=False)


def test_the_seeds_are_read(tmp_path: Path) -> None:
    for name, content in seeds(tmp_path).items():
        (tmp_path / name).write_bytes(content)
        read(tmp_path / name)


def test_damaged_files(tmp_path: Path) -> None:
    found = fuzz(read, seeds(tmp_path), tmp_path, 300)
    assert min(found["read"], found["refused"]) > 30


@pytest.mark.long
def test_many_damaged_files(tmp_path: Path) -> None:
    fuzz(read, seeds(tmp_path), tmp_path, 10_000, first=1_000)

"""Surfaces of MJCF: what condim says of sliding, turning and rolling; written models keep it, MuJoCo reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

import linkwork as lw

mujoco = pytest.importorskip("mujoco", minversion="4", reason="MuJoCo 4 is not installed: pip install mujoco")

BALLS = """<mujoco><worldbody>
<geom name="floor" type="plane" size="1 1 1" friction="0.7 0.0 0.0"/>
{}
</worldbody></mujoco>"""
BALL = (
    '<body name="b{0}" pos="{0} 0 1"><freejoint/>'
    '<geom name="g{0}" size=".1" condim="{0}" friction=".7 .004 .002"/></body>'
)


def test_condim_says_what_resists(tmp_path: Path) -> None:
    file = tmp_path / "balls.xml"
    file.write_text(BALLS.format("".join(BALL.format(condim) for condim in (1, 3, 4, 6))))
    model, receipt = lw.read(file)
    found = {name: collider.material for name, collider in model.colliders.items()}
    assert found["g1"] == lw.Material(friction=0.0)
    assert found["g3"] == lw.Material(friction=0.7)
    assert found["g4"] == lw.Material(friction=0.7, torsional=0.004)
    assert found["g6"] == lw.Material(friction=0.7, torsional=0.004, rolling=0.002)
    told = [line.told for line in (*receipt.approximated, *receipt.ignored)]
    assert not any("turning" in line or "rolling" in line for line in told)


def test_coefficients_of_others_are_told(tmp_path: Path) -> None:
    """MuJoCo takes the larger coefficient of two, also that of a geom which does not resist by itself."""
    file = tmp_path / "ball.xml"
    file.write_text(BALLS.format(BALL.format(6)).replace("0.7 0.0 0.0", "0.7 0.01 0.001"))
    _, receipt = lw.read(file)
    assert [line.what for line in receipt.approximated if "against" in line.what] == ["friction against turning"]


def test_written_surfaces_read_back(tmp_path: Path) -> None:
    model = lw.Model("surfaces")
    materials = {
        "ice": lw.Material(friction=0.0),
        "steel": lw.Material(friction=0.3),
        "turf": lw.Material(friction=0.3, torsional=0.01),
        "mud": lw.Material(friction=0.3, torsional=0.01, rolling=0.02),
        "rolling": lw.Material(friction=0.3, rolling=0.02),
    }
    for k, (name, material) in enumerate(materials.items()):
        model.body(name, shape=lw.Ellipsoid((0.1, 0.2, 0.3)), mass=1.0, position=(k, 0, 1), material=material)
    model.write(tmp_path / "surfaces.xml")
    again, _ = lw.read(tmp_path / "surfaces.xml")
    for name, material in materials.items():
        (collider,) = [each for each in again.all_colliders() if each.body.name == name]
        assert collider.material == material
        assert collider.shape == lw.Ellipsoid((0.1, 0.2, 0.3))
    theirs = mujoco.MjModel.from_xml_path(str(tmp_path / "surfaces.xml"))
    assert sorted(theirs.geom_condim.tolist()) == [1, 3, 4, 6, 6]


def test_a_grain_is_told(tmp_path: Path) -> None:
    model = lw.Model("skate")
    steel = lw.Material(friction=(0.01, 0.64), grain=(1, 0, 0))
    model.body("skate", shape=lw.Box((1, 1, 1)), mass=1.0, material=steel)
    receipt = model.write(tmp_path / "skate.xml")
    assert any("0.08 in all directions" in line.told for line in receipt.approximated)

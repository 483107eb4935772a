"""The shapes that MuJoCo lets meet are those that meet here."""

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork.assembly.assemble import assemble

mujoco = pytest.importorskip("mujoco", minversion="4", reason="MuJoCo 4 is not installed: pip install mujoco")


def random_scene(rng: np.random.Generator, masks: bool, extra: str = "") -> str:
    """Balls that all overlap, one on each body, in a tree with welds, and one in the world."""

    def geom(name: str) -> str:
        told = f'contype="{rng.integers(0, 4)}" conaffinity="{rng.integers(0, 4)}"' if masks else ""
        return f'<geom name="{name}" size="1" mass="1" {told}/>'

    bodies = ["" for _ in range(7)]
    for k in reversed(range(7)):
        inner = "".join(bodies[j] for j in range(k + 1, 7) if parent[j] == k) if (parent := _PARENTS) else ""
        joint = f'<joint name="j{k}" axis="1 0 0" pos="{k} 0 0"/>' if rng.random() < 0.6 else ""
        bodies[k] = f'<body name="b{k}">{joint}{geom(f"g{k}")}{inner}</body>'
    roots = "".join(bodies[k] for k in range(7) if _PARENTS[k] < 0)
    return f"<mujoco><worldbody>{geom('floor')}{roots}</worldbody>{extra}</mujoco>"


_PARENTS = [-1, 0, 1, 1, -1, 4, 4]


def theirs(file: Path) -> set[frozenset[str]]:
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    return {frozenset((m.geom(c.geom1).name, m.geom(c.geom2).name)) for c in d.contact}


def ours(model: lw.Model) -> set[frozenset[str]]:
    names = [collider.name for collider in model.all_colliders()]
    can_collide = assemble(model).tables.colliders.can_collide
    return {frozenset((names[i], names[j])) for i in range(len(names)) for j in range(i) if can_collide[i, j]}


EXTRA = '<contact><exclude body1="b0" body2="b4"/><exclude body1="b2" body2="b5"/></contact>'


@pytest.mark.parametrize("seed", range(30))
def test_the_same_pairs_meet(tmp_path: Path, seed: int) -> None:
    file = tmp_path / "balls.xml"
    file.write_text(random_scene(np.random.default_rng(seed), masks=seed % 3 > 0, extra=EXTRA if seed % 2 else ""))
    model, receipt = lw.read(file, strict=False)
    assert not receipt.lost
    assert ours(model) == theirs(file)


def test_a_named_pair_meets(tmp_path: Path) -> None:
    file = tmp_path / "pair.xml"
    body = '<body name="{0}"><freejoint/><geom name="g{0}" size="1" contype="0" conaffinity="0"/></body>'
    bodies = "".join(body.format(name) for name in "abc")
    pair = "<contact><pair geom1='ga' geom2='gb' friction='0.3'/></contact>"
    file.write_text(f"<mujoco><worldbody>{bodies}</worldbody>{pair}</mujoco>")
    model, receipt = lw.read(file)
    assert ours(model) == {frozenset(("ga", "gb"))}
    assert any(line.what.startswith("pair") for line in receipt.approximated)
    assert [visual.name for visual in model.all_visuals()].count("gc") == 1


def test_what_only_some_shapes_of_a_body_do_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mixed.xml"
    file.write_text(
        "<mujoco><worldbody><body name='a'><freejoint/><geom size='1'/>"
        "<geom size='1' contype='2' conaffinity='2'/></body>"
        "<body name='b'><freejoint/><geom size='1'/></body>"
        "<body name='c'><freejoint/><geom size='1' contype='2' conaffinity='2'/></body></worldbody></mujoco>"
    )
    _, receipt = lw.read(file)
    assert any("all their shapes meet here" in line.told for line in receipt.approximated)


def test_planes_and_height_fields_are_on_the_ground(tmp_path: Path) -> None:
    file = tmp_path / "hills.xml"
    file.write_text(
        "<mujoco><asset><hfield name='h' nrow='2' ncol='3' elevation='0 1 2 3 4 5' size='1 2 0.5 0.1'/></asset>"
        "<worldbody><body pos='0 0 1'><geom name='hills' type='hfield' hfield='h'/>"
        "<geom name='floor' type='plane' size='1 1 1' pos='0 0 -2'/></body>"
        "<body name='ball' pos='0 0 5'><freejoint/><geom name='ball' size='.1'/></body></worldbody></mujoco>"
    )
    model, _ = lw.read(file)
    hills, floor = model.colliders["hills"], model.colliders["floor"]
    assert hills.body is floor.body is model.ground
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    for i, j in np.ndindex(3, 2):  # a ray from above, just inside the corner
        above = np.array([-1.0 + i, -2.0 + 4.0 * j, 9.0]) * (0.999, 0.999, 1.0)
        far = mujoco.mj_ray(m, d, above, np.array([0.0, 0.0, -1.0]), None, 1, 2, np.zeros(1, dtype=np.int32))
        assert 9.0 - far - 1.0 == pytest.approx(hills.shape.heights[i, j], abs=2e-3)
    assert hills.shape.size == (2.0, 4.0)
    assert floor.shape.pose.position.tolist() == [0.0, 0.0, -1.0]

"""Files from strangers: nothing outside the folder is opened, sizes are bounded, refusals are one line with a place."""

from pathlib import Path

import pytest

import linkwork as lw
from linkwork.formats.mjcf import compiling
from linkwork.formats.mjcf.assets import stand_in

pytest.importorskip("mujoco", minversion="4", reason="MuJoCo 4 is not installed: pip install mujoco")

BALL = "<worldbody><body name='ball'><freejoint name='f'/><geom size='0.1'/></body></worldbody>"
SOLID = "<worldbody><body name='b'><freejoint name='f'/>{0}<geom type='mesh' mesh='m'/></body></worldbody>"


def refused(file: Path, text: str, why: str, **options: object) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    with pytest.raises(lw.ModelError, match=why) as caught:
        lw.read(file, **options)
    assert len(str(caught.value).splitlines()) == 1
    assert file.name in str(caught.value)


@pytest.mark.parametrize(
    ("inner", "why"),
    [
        ('<include file="../secret.xml"/>', "line 2: <include>: the file 'secret.xml' lies outside the folder"),
        ('<include file="none.xml"/>', "line 2: <include>: the file 'none.xml' does not exist"),
        ('<include file="model.xml"/>', "line 2: <include>: the file 'model.xml' is included already"),
        ('<asset><mesh file="/dev/zero"/></asset>', "line 2: <mesh name='zero'>: the file 'zero' lies outside"),
        ('<asset><mesh name="m" file="../a.stl"/></asset>', "line 2: <mesh name='m'>: the file 'a.stl' lies outside"),
        ('<asset><mesh name="m" file="a.stl"/></asset>', "line 2: <mesh name='m'>: the file 'a.stl' does not exist"),
        ('<asset><mesh name="m" file="a.exe"/></asset>', "line 2: <mesh name='m'>: the file 'a.exe' has an ending"),
        ('<asset><hfield name="h" nrow="1e5" ncol="1e5" size="1 1 1 1"/></asset>', "line 2: .*it has 1e.10 points"),
        ('<asset><mesh name="m" builtin="sphere" params="1e9"/></asset>', "line 2: .*a parameter is 1e.09"),
        ('<worldbody><replicate count="1e9"><geom size="1"/></replicate></worldbody>', "line 2: <replicate>: count"),
        (
            '<worldbody><replicate count="900"><replicate count="900"><geom size="1"/></replicate></replicate>'
            "</worldbody>",
            "copies make more than 20000 elements",
        ),
        ("<worldbody><geom siz='1'/></worldbody>", "line 2: <geom>: MuJoCo refuses it"),
        ("<actuator><motor joint='none'/></actuator>", "line 2: <motor>: MuJoCo refuses it: unknown transmission"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(tmp_path: Path, inner: str, why: str) -> None:
    (tmp_path / "secret.xml").write_text("<mujoco/>")
    (tmp_path / "a.stl").write_bytes(stand_in())
    refused(tmp_path / "inner" / "model.xml", f"<mujoco>\n{inner}{BALL}</mujoco>", why)


def test_damaged_meshes_are_refused(tmp_path: Path) -> None:
    for ending, content in ((".stl", b"x" * 84), (".msh", b"\xff" * 40)):
        (tmp_path / f"m{ending}").write_bytes(content)
        text = f"<mujoco>\n<asset><mesh name='m' file='m{ending}'/></asset>{SOLID.format('')}</mujoco>"
        refused(tmp_path / "model.xml", text, f"line 2: <mesh name='m'>: the file 'm{ending}' is no whole")


def test_a_document_type_is_refused(tmp_path: Path) -> None:
    refused(tmp_path / "model.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><mujoco/>", "declares entities")


def test_folders_may_be_allowed(tmp_path: Path) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    (tmp_path / "m.stl").write_bytes(stand_in())
    file = folder / "model.xml"
    file.write_text(f"<mujoco><asset><mesh file='../m.stl'/></asset>{SOLID.format('')}</mujoco>")
    model, receipt = lw.read(file, allow=[tmp_path])
    assert model["b"].mass == pytest.approx(1000 / 6, rel=1e-6)
    assert any("convex hull" in line.told for line in receipt.approximated)


def test_includes_count_their_own_lines(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text(
        "<mujocoinclude>\n\n<worldbody><geom name='g' size='1'/></worldbody></mujocoinclude>"
    )
    file = tmp_path / "model.xml"
    file.write_text(f"<mujoco><include file='part.xml'/>{BALL}</mujoco>")
    _, receipt = lw.read(file)
    assert any(line.place == "part.xml, line 3" and "geom 'g'" in line.what for line in receipt.understood)


def test_textures_are_not_opened(tmp_path: Path) -> None:
    file = tmp_path / "model.xml"
    asset = "<asset><texture name='t' file='../../none.png'/><material name='m' texture='t' rgba='1 0 0 1'/></asset>"
    painted = BALL.replace("size", "material='m' size")
    file.write_text(f"<mujoco>{asset}{painted}</mujoco>")
    model, receipt = lw.read(file)
    assert next(model.all_visuals()).colour == (1.0, 0.0, 0.0, 1.0)
    assert any(line.told == "a texture" and not line.matters for line in receipt.ignored)


def test_without_meshes_no_file_is_opened(tmp_path: Path) -> None:
    file = tmp_path / "model.xml"
    asset = "<asset><mesh name='m' file='none.stl'/></asset>"
    given = "<inertial mass='2' pos='0 0 0' diaginertia='1 1 1'/>"
    file.write_text(f"<mujoco>{asset}{SOLID.format(given)}</mujoco>")
    model, receipt = lw.read(file, meshes=False, contact=False)
    assert model["b"].mass == 2.0
    assert any("meshes=False" in line.told for line in receipt.ignored)
    refused(file, f"<mujoco>{asset}{SOLID.format('')}</mujoco>", "follows from a mesh", meshes=False)


def test_parts_without_counterpart_are_lost(tmp_path: Path) -> None:
    file = tmp_path / "model.xml"
    flex = "<flexcomp name='cloth' type='grid' count='3 3 1' spacing='.1 .1 .1' radius='.01'/>"
    file.write_text(f"<mujoco>{BALL.replace('<worldbody>', f'<worldbody>{flex}')}</mujoco>")
    with pytest.raises(lw.ModelError, match=r"<flexcomp name='cloth'> \(line 1\): flexible bodies have no counterpart"):
        lw.read(file)
    assert len(lw.read(file, strict=False)[1].lost) == 1


def test_inertias_may_be_repaired(tmp_path: Path) -> None:
    file = tmp_path / "model.xml"
    body = "<body><freejoint/><inertial mass='1' pos='0 0 0' diaginertia='1 1 5'/></body>"
    refused(file, f"<mujoco><worldbody>{body}</worldbody></mujoco>", "inertia must satisfy")
    _, receipt = lw.read(file, repair=True)
    assert any(line.what == "repair=True" for line in receipt.approximated)


def test_without_mujoco_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.xml"
    file.write_text(f"<mujoco>{BALL}</mujoco>")
    monkeypatch.setitem(__import__("sys").modules, "mujoco", None)
    with pytest.raises(lw.ModelError, match=r'pip install "linkwork\[mjcf\]"'):
        lw.read(file)
    monkeypatch.undo()
    monkeypatch.setattr(compiling, "OLDEST", 99)
    with pytest.raises(lw.ModelError, match="MuJoCo 99 or newer"):
        lw.read(file)

"""Triangles from STL, OBJ and DAE files, and meshes made of them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw

CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)], dtype=float)
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def obj(file: Path, corners: np.ndarray = CORNERS, *, backwards: bool = False) -> Path:
    lines = ["# a box", "mtllib box.mtl", *(f"v {x} {y} {z}" for x, y, z in corners), "vn 0 0 1", "usemtl red"]
    for side in SIDES:
        lines.append("f " + " ".join(f"{k - 8}//1" if backwards else f"{k + 1}/1/1" for k in side))
    file.write_text("\n".join(lines))
    return file


def dae(file: Path, faces: str, *, node: str = "", unit: str = "") -> Path:
    points = " ".join(f"{number}" for corner in CORNERS for number in corner)
    file.write_text(
        f"""<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>{unit}
        <up_axis>Y_UP</up_axis></asset><library_geometries><geometry id="box"><mesh>
        <source id="places"><float_array id="numbers" count="24">{points}</float_array><technique_common>
        <accessor source="#numbers" count="8" stride="3"/></technique_common></source>
        <vertices id="corners"><input semantic="POSITION" source="#places"/></vertices>{faces}
        </mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="all">
        <node id="one">{node}<instance_geometry url="#box"/></node></visual_scene></library_visual_scenes>
        <scene><instance_visual_scene url="#all"/></scene></COLLADA>"""
    )
    return file


TRIANGLES = " ".join(f"{k} 0" for a, b, c, d in SIDES for k in (a, b, c, a, c, d))
INPUTS = '<input semantic="VERTEX" source="#corners" offset="0"/><input semantic="NORMAL" source="#n" offset="1"/>'
QUADS = " ".join(f"{k} 0" for side in SIDES for k in side)
POLYGONS = "".join(f"<p>{' '.join(f'{k} 0' for k in side)}</p>" for side in SIDES)
FACES = {
    "triangles": f"<triangles count='12'>{INPUTS}<p>{TRIANGLES}</p></triangles>",
    "polylist": f"<polylist count='6'>{INPUTS}<vcount>4 4 4 4 4 4</vcount><p>{QUADS}</p></polylist>",
    "polygons": f"<polygons count='6'>{INPUTS}{POLYGONS}</polygons>",
    "trifans": f"<trifans count='6'>{INPUTS}{POLYGONS}</trifans>",
    "tristrips": f"<tristrips>{INPUTS}"
    + "".join(f"<p>{a} 0 {b} 0 {d} 0 {c} 0</p>" for a, b, c, d in SIDES)
    + "</tristrips>",
}


def check_box(mesh: lw.Mesh, size: tuple[float, float, float] = (1, 2, 3)) -> None:
    box = lw.Box(size, pose=lw.Frame(np.array(size) / 2))
    assert mesh.triangles.shape == (12, 3, 3)
    assert np.allclose(mesh.com, box.com)
    assert np.allclose(mesh.inertia_per_mass(), box.inertia_per_mass())
    assert outward(mesh) == pytest.approx(box.volume)


def outward(mesh: lw.Mesh) -> float:
    """The volume by its sign: positive if the triangles run counter-clockwise seen from outside."""
    a, b, c = (mesh.triangles[:, k] for k in range(3))
    return float(np.einsum("ni,ni->", a, np.cross(b, c)) / 6)


@pytest.mark.parametrize("backwards", [False, True])
def test_obj(tmp_path: Path, backwards: bool) -> None:
    check_box(lw.Mesh(obj(tmp_path / "box.obj", backwards=backwards)))


@pytest.mark.parametrize("kind", FACES)
def test_dae(tmp_path: Path, kind: str) -> None:
    check_box(lw.Mesh(dae(tmp_path / "box.dae", FACES[kind])))


def test_nodes_and_units_of_dae(tmp_path: Path) -> None:
    node = "<translate>1 0 0</translate><rotate>0 0 1 90</rotate><scale>1 1 2</scale>"
    mesh = lw.Mesh(dae(tmp_path / "a.dae", FACES["triangles"], node=node, unit='<unit meter="0.1"/>'))
    box = lw.Box((0.2, 0.1, 0.6), pose=lw.Frame((0.0, 0.05, 0.3)))
    assert np.allclose(mesh.com, box.com, rtol=0, atol=1e-15)
    assert np.allclose(mesh.inertia_per_mass(), box.inertia_per_mass())
    turned = np.eye(4)[[1, 0, 2, 3]]  # x and y exchanged: a mirror
    text = " ".join(f"{number}" for number in turned.ravel())
    mirrored = lw.Mesh(dae(tmp_path / "b.dae", FACES["triangles"], node=f"<matrix>{text}</matrix>"))
    check_box(mirrored, (2, 1, 3))


def test_scale_by_three_numbers_and_mirrors(tmp_path: Path, refused) -> None:
    file = obj(tmp_path / "box.obj")
    check_box(lw.Mesh(file, scale=(1, 0.5, 2)), (1, 1, 6))
    mirrored = lw.Mesh(file, scale=(-1, 1, 1))
    assert outward(mirrored) == pytest.approx(6.0)
    assert np.allclose(mirrored.com, (-0.5, 1, 1.5))
    for scale in ((1, 0, 1), -1.0, (1, 2), "big"):
        with refused("box.obj", "scale"):
            lw.Mesh(file, scale=scale)


def test_meshes_from_memory(tmp_path: Path, refused) -> None:
    read = lw.Mesh(obj(tmp_path / "box.obj"))
    made = lw.Mesh(triangles=read.triangles.tolist())
    assert made.file is None
    assert made == read
    assert hash(made) == hash(read)
    assert replace(made, pose=lw.Frame((1, 0, 0))).com[0] == 1.5
    assert replace(read, pose=lw.Frame((1, 0, 0))).com[0] == 1.5
    for wrong in ([], [[1, 2, 3]], [[[0, 0, 0], [1, 0, 0], [0, 1, float("nan")]]], "triangles"):
        with refused("Mesh", "triangles"):
            lw.Mesh(triangles=wrong)
    with refused("Mesh", "no triangles", "give the path"):
        lw.Mesh()
    with refused("Mesh", "scale=", "leave it out"):
        lw.Mesh(triangles=read.triangles, scale=2.0)


def test_a_changed_file_is_another_mesh(tmp_path: Path) -> None:
    file = obj(tmp_path / "box.obj")
    first, same = lw.Mesh(file), lw.Mesh(file)
    assert first == same
    assert first != lw.Mesh(file, scale=2.0)
    assert first != lw.Mesh(file, concavity=0.1)
    obj(file, CORNERS * (1, 1, 1 + 1e-15))
    assert first != lw.Mesh(file)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "export it again as OBJ"),
        ("a.obj", "v 0 0 0\nf 1 2 x\n", "line 2"),
        ("a.obj", "v 0 0 0\nf 99999999999999999999 1 1\n", "export it again as OBJ"),
        ("a.obj", "v 0 0 zero\nf 1 1 1\n", "export it again as OBJ"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2", "line 4"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "no triangles"),
        ("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 nan\nf 1 2 3", "not finite"),
        ("a.dae", "<COLLADA>", "is not XML"),
        ("a.dae", "<mesh/>", "not <COLLADA>"),
        ("a.dae", "<COLLADA/>", "no triangles"),
        ("a.dae", '<!DOCTYPE x [<!ENTITY a "b">]><COLLADA/>', "remove the <!DOCTYPE"),
    ],
)
def test_refused_files(tmp_path: Path, refused, name: str, content: str, words: str) -> None:
    (tmp_path / name).write_text(content)
    with refused(name, words):
        lw.Mesh(tmp_path / name)


def test_nodes_that_show_one_another_are_refused(tmp_path: Path, refused) -> None:
    file = tmp_path / "a.dae"
    nodes = "".join(f'<node id="n{k}">' + 10 * f'<instance_node url="#n{k + 1}"/>' + "</node>" for k in range(12))
    for last in ("", '<node id="n12"><instance_node url="#n0"/></node>'):
        file.write_text(
            f"<COLLADA><library_visual_scenes><visual_scene id='s'>{nodes}{last}</visual_scene>"
            "</library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>"
        )
        with refused("a.dae", "line 1", "too often or in circles"):
            lw.Mesh(file)

"""GLB files: triangles of all nodes where they are placed; what is damaged or compressed is one sentence."""

import json
import random
import struct

import numpy as np
import pytest

import linkwork as lw
from linkwork.formats.meshes.reading import read_mesh

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype="<f4")
FACES = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)], dtype="<u2")


def glb(facts, data):
    text = json.dumps(facts).encode()
    text += b" " * (-len(text) % 4)
    data += bytes(-len(data) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(data), 0x004E4942) + data
    return struct.pack("<III", 0x46546C67, 2, 12 + len(body)) + body


def facts(**changes):
    """A tetrahedron that is there twice: as it is, and in a node within a node, turned by 90 degrees about z."""
    half = float(np.sqrt(0.5))
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [
            {"mesh": 0},
            {"translation": [10, 0, 0], "children": [2]},
            {"mesh": 0, "rotation": [0, 0, half, half], "scale": [2, 2, 2]},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 24},
        ],
        "buffers": [{"byteLength": 72}],
        **changes,
    }


DATA = CORNERS.tobytes() + FACES.tobytes()


def test_nodes_are_where_they_are_placed(tmp_path):
    file = tmp_path / "two.glb"
    file.write_bytes(glb(facts(), DATA))
    found = read_mesh(file)
    assert found.shape == (8, 3, 3)
    np.testing.assert_allclose(found[:4], CORNERS[FACES], atol=1e-7)
    x, y, z = np.moveaxis(CORNERS[FACES].astype(float), -1, 0)
    np.testing.assert_allclose(found[4:], np.stack([10 - 2 * y, 2 * x, 2 * z], axis=-1), atol=1e-6)
    body = lw.Model("m").body("b", mass=1.0, shape=lw.Mesh(file))
    assert body.mass == 1.0


def test_strips_fans_and_corners_without_numbers(tmp_path):
    points = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], dtype="<f4").tobytes()
    accessors = [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"}]
    for mode, area in ((5, 1.0), (6, 1.0)):
        primitive = {"attributes": {"POSITION": 0}, "mode": mode}
        made = facts(accessors=accessors, meshes=[{"primitives": [primitive]}], scenes=[], nodes=[])
        (tmp_path / "strip.glb").write_bytes(glb(made, points))
        corners = read_mesh(tmp_path / "strip.glb")
        assert len(corners) == 2
        if mode == 5:
            normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            assert normal[:, 2].sum() / 2 == pytest.approx(area)  # both look the same way


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"extensionsRequired": ["KHR_draco_mesh_compression"]}, "compressed"),
        ({"buffers": [{"byteLength": 72, "uri": "beside.bin"}]}, "another file"),
        ({"nodes": [{"children": [0]}], "scenes": [{"nodes": [0]}]}, "not as glTF 2"),
        ({"accessors": []}, "not as glTF 2"),
        ({"bufferViews": [{"buffer": 0, "byteOffset": 60}, {"buffer": 0, "byteOffset": 0}]}, "not as glTF 2"),
        ({"meshes": [{"primitives": []}]}, "no triangles"),
    ],
)
def test_what_is_not_read_is_told_in_one_sentence(tmp_path, changes, said):
    (tmp_path / "bad.glb").write_bytes(glb(facts(**changes), DATA))
    with pytest.raises(lw.ModelError, match=said):
        read_mesh(tmp_path / "bad.glb")


def test_damaged_files_end_in_one_sentence(tmp_path):
    whole = glb(facts(), DATA)
    for k in range(300):
        chance = random.Random(k)
        data = bytearray(whole[: chance.randint(0, len(whole))] if k % 3 == 0 else whole)
        for _ in range(chance.randint(1, 5)):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        (tmp_path / "bad.glb").write_bytes(bytes(data))
        try:
            read_mesh(tmp_path / "bad.glb")
        except lw.ModelError as error:
            assert "\n" not in str(error)  # noqa: PT017

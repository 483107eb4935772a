"""The MJCF files of gymnasium and dm_control: each read with all its elements told, or refused in a sentence."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import pytest

import linkwork as lw
from linkwork.formats.mjcf.source import SEEN, UNSAID, load
from linkwork.formats.xml_tree import XmlElement

pytest.importorskip("mujoco", minversion="4", reason="MuJoCo 4 is not installed: pip install mujoco")
from formats.mjcf.compare import Beside

SLOW = ("fruitfly", "dog", "drosophila")  # files with many meshes
# what is refused, and why
REFUSED = {
    "composer/arena.xml": "no rigid body and no shape",
    "assets/drosophila.xml": "does not exist",
    "drosophila_defaults.xml": "no rigid body and no shape",
    "build_fruitfly/floor.xml": "does not exist",
    "build_fruitfly/fruitfly.xml": "does not exist",
    "dog_v2/scene.xml": "repeated name 'grid'",
    "schema.xml": "its root is neither",
    "included_with_invalid_filenames.xml": "does not exist",
    "model_with_invalid_filenames.xml": "does not exist",
    "test_assets/test_model.xml": "mass and inertia of moving bodies",
    "testing/assets/model_with_assets.xml": "does not exist",
    "common/materials.xml": "no rigid body and no shape",
    "common/skybox.xml": "no rigid body and no shape",
    "common/visual.xml": "no rigid body and no shape",
    "kinova/common.xml": "no rigid body and no shape",
}


def folder(package: str) -> Path | None:
    found = importlib.util.find_spec(package)
    return Path(found.submodule_search_locations[0]) if found and found.submodule_search_locations else None


def files() -> list[tuple[str, Path]]:
    found = []
    for package in ("gymnasium", "dm_control"):
        here = folder(package)
        found += [] if here is None else [(package, file) for file in sorted(here.rglob("*.xml"))]
    return found


def refusal(file: Path) -> str:
    return next((why for end, why in REFUSED.items() if file.as_posix().endswith(end)), "")


FILES = files()
CASES = [
    pytest.param(
        package,
        file,
        id=f"{package}/{file.parent.name}/{file.name}",
        marks=pytest.mark.long if any(word in file.as_posix() for word in SLOW) else (),
    )
    for package, file in FILES
]
needed = pytest.mark.skipif(not FILES, reason="gymnasium and dm-control are not installed: pip install --no-deps them")


@needed
@pytest.mark.parametrize(("package", "file"), CASES)
def test_every_element_is_told_or_the_file_is_refused(package: str, file: Path) -> None:
    here = folder(package)
    assert here is not None
    why = refusal(file)
    if why:
        with pytest.raises(lw.ModelError, match=why) as caught:
            lw.read(file, strict=False, allow=[here])
        assert "\n" not in str(caught.value)
        return
    _, receipt = lw.read(file, strict=False, allow=[here])
    source = load(file, [here], meshes=True)
    told = {line.place for line in (*receipt.understood, *receipt.approximated, *receipt.ignored)}

    def check(node: XmlElement) -> None:
        assert node is source.root or source.place(node) in told, f"{node.told} of {source.place(node)} is not told"
        for child in node.children if node.tag not in SEEN and node.tag not in UNSAID else ():
            check(child)

    check(source.root)


@needed
@pytest.mark.parametrize(("package", "file"), CASES)
def test_accelerations_where_all_is_understood(package: str, file: Path) -> None:
    here = folder(package)
    assert here is not None
    if refusal(file):
        return
    model, receipt = lw.read(file, strict=False, contact=False, allow=[here])
    lost = [line for line in receipt.lost if "air or water" not in line.told and "length is limited" not in line.told]
    if lost or all(joint.kind == "fixed" for joint in model.all_joints()):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert Beside(file, model).worst() < 1e-8

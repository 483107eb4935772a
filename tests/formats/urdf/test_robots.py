"""Robots that others publish: each is read or refused in a true sentence, and Pinocchio finds the same numbers."""

import warnings
from pathlib import Path

import pytest

import linkwork as lw
from formats.urdf.pinocchio_numbers import Compared, as_read, robots

FILES = robots()
SOME = ("panda.urdf", "talos_full_v2.urdf", "double_pendulum_continuous.urdf", "solo12.urdf", "bolt.urdf", "pr2.urdf")
needed = pytest.mark.skipif(not FILES, reason="needs the robots of example-robot-data and icub-models")
EVERY = [
    pytest.param(file, id=f"{file.parent.parent.name}/{file.name}", marks=() if file.name in SOME else pytest.mark.long)
    for file in FILES
]
REFUSED = {  # what is true of these files
    "alex_psyonic_hands.urdf": "no body has the principal inertias",
    "allegro_left_hand.urdf": "no body has the principal inertias",
    "allegro_right_hand.urdf": "no body has the principal inertias",
    "anymal-kinova.urdf": "no body has the principal inertias",
    "anymal.urdf": "no body has the principal inertias",
    "b1-z1.urdf": "no body has the principal inertias",
    "b1.urdf": "no body has the principal inertias",
    "bolt.urdf": "its mass is 0 but its inertia is not",
    "go1.urdf": "no body has the principal inertias",
    "hyq_no_sensors.urdf": "no body has the principal inertias",
    "model.urdf": "its mass is 0 but its inertia is not",
    "pr2.urdf": "no body has the principal inertias",
    "romeo.urdf": "have no mass, so that nothing moves it",
    "romeo_laas_small.urdf": "no body has the principal inertias",
    "romeo_small.urdf": "no body has the principal inertias",
    "tiago.urdf": "negative principal value",
    "tiago_dual.urdf": "negative principal value",
    "tiago_no_hand.urdf": "negative principal value",
    "ur3.urdf": "it has no <link>",
}


@needed
@pytest.mark.parametrize("file", EVERY)
def test_each_is_read_or_refused_in_a_true_sentence(file: Path) -> None:
    refusal = ""
    try:
        lw.read(file, meshes=False)
    except lw.ModelError as error:
        refusal = str(error)
    assert "\n" not in refusal
    if file.name in REFUSED and (refusal or file.name != "model.urdf"):  # many of iCub's have this name
        assert REFUSED[file.name] in refusal
    else:
        assert refusal == ""


@needed
@pytest.mark.parametrize("base", ["fixed", "floating"])
@pytest.mark.parametrize("file", EVERY)
def test_masses_and_gravity_as_pinocchio_has_them(file: Path, base: str) -> None:
    pytest.importorskip("pinocchio")
    if file.name == "ur3.urdf":
        pytest.skip("it has no links")
    if base == "floating" and '<link name="world"' in file.read_text(encoding="utf-8"):
        pytest.skip("its root is the world, which does not float")
    model, receipt = lw.read(file, base=base, meshes=False, strict=False, repair=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compared = Compared(model, as_read(file, model, receipt), base == "floating")
    welded = sum("welded here" in line.told for line in receipt.approximated)
    assert compared.left_out == welded
    mass, centre, matrix, gravity = compared.worst(20)
    assert mass < 1e-14
    assert centre < 1e-12
    assert matrix < 1e-9
    assert gravity < 1e-9


@needed
def test_mimic_of_real_hands_is_kept() -> None:
    file = next(file for file in FILES if file.name == "talos_full_v2.urdf")
    model, _ = lw.read(file, meshes=False)
    gears = {name: each for name, each in model.drives.items() if name.endswith(" mimic")}
    assert len(gears) == 12
    finger = gears["gripper_left_fingertip_1_joint mimic"]
    assert [(term.joint.name, term.factor) for term in finger.terms] == [
        ("gripper_left_fingertip_1_joint", 1.0),
        ("gripper_left_joint", 1.0),
    ]


@needed
@pytest.mark.long
@pytest.mark.parametrize("file", [file for file in FILES if file.name not in REFUSED])
def test_meshes_are_found(file: Path) -> None:
    _, receipt = lw.read(file, strict=False)
    lost = [line for line in receipt.ignored if "Mesh " in line.told or "outside" in line.told]
    assert lost == []

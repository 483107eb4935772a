"""Robots with loops and gearboxes from SDF: masses and poses by another way, and methods that agree on their motion."""

import importlib.metadata
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from formats.sdf import biped_file


def cassie(name):
    """A file of the package example-robot-data."""
    try:
        files = importlib.metadata.files("example-robot-data") or ()
    except importlib.metadata.PackageNotFoundError:
        files = ()
    found = [file.locate() for file in files if file.name == name]
    if not found:
        pytest.skip("the package example-robot-data is not installed")
    return Path(found[0])


def turn(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    R = np.eye(3)
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


def pose(element):
    """Position and matrix of a <pose>, as it stands in the file."""
    numbers = [0.0] * 6 if element is None or not element.text else [float(word) for word in element.text.split()]
    return np.array(numbers[:3]), turn(2, numbers[5]) @ turn(1, numbers[4]) @ turn(0, numbers[3])


def walked(file):
    """Mass, place, axes, centre of mass and inertia about it of every link, in the axes of the model."""
    found = {}
    for link in ET.parse(file).getroot().find("model").findall("link"):
        p, R = pose(link.find("pose"))
        inertial = link.find("inertial")
        com, Q = pose(inertial.find("pose"))
        moments = {each.tag: float(each.text) for each in inertial.find("inertia")}
        moments = {name: moments.get(name, 0.0) for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
        I = np.array([[moments["i" + min(a, b) + max(a, b)] for a in "xyz"] for b in "xyz"])
        found[link.get("name")] = (float(inertial.find("mass").text), p, R, p + R @ com, R @ Q @ I @ Q.T @ R.T)
    return found


def compared(model, file, repaired=()):
    links = walked(file)
    assert set(model.bodies) == set(links)
    for name, (mass, p, R, com, I) in links.items():
        body = model.bodies[name]
        X = body.reference.matrix
        assert body.mass == mass
        assert np.abs(body.reference.position - p).max() < 1e-15
        assert np.abs(X - R).max() < 1e-15
        assert np.abs(body.reference.point(body.com) - com).max() < 1e-14
        if name not in repaired:
            assert np.abs(X @ body.inertia @ X.T - I).max() < 1e-14 * np.abs(I).max()


def test_masses_and_poses_of_the_biped(tmp_path):
    file = tmp_path / "biped.sdf"
    file.write_text(biped_file.biped())
    model, receipt = lw.read(file)
    compared(model, file)
    assert not receipt.ignored
    assert not receipt.approximated
    gear = model["left-knee box"]
    assert [term.joint.name for term in gear.terms] == ["left-knee", "left-knee axle"]
    assert [term.factor for term in gear.terms] == pytest.approx([1.0, 1 / biped_file.SPIN], rel=1e-15)
    report = lw.check(model)
    assert (report.loops, report.degrees_of_freedom) == (4, 12)


def test_the_biped_moves_alike_by_five_methods(tmp_path):
    file = tmp_path / "biped.sdf"
    file.write_text(biped_file.biped())
    model, _ = lw.read(file, base="fixed")
    steps = {"recursive": 5e-4, "absolute": 5e-4, "component": 5e-4, "hybrid": 1e-4, "global": 1e-4}  # order 4 and 2
    runs = {}
    for method, dt in steps.items():
        run = lw.simulate(model, until=0.1, dt=dt, method=method)
        assert run.drift["position"].max() < 1e-10
        places = np.hstack([run[f"{body.path}.position"] for body in model.all_bodies()])
        runs[method] = places[:: round(5e-4 / dt)]
    first = runs["recursive"]
    assert np.abs(first[-1] - first[0]).max() > 0.01  # it moves
    for method, tolerance in (("absolute", 1e-9), ("component", 1e-9), ("hybrid", 1e-6), ("global", 1e-6)):
        assert np.abs(runs[method] - first).max() < tolerance, method
    spin = lw.simulate(model, until=0.1, dt=5e-4, method="recursive")
    knee, axle = spin["left-knee.position"], spin["left-knee axle.position"]
    assert np.abs(knee).max() > 0.01
    assert np.abs(axle + biped_file.SPIN * knee).max() < 1e-12  # theta_2 = -ratio * theta_1


@pytest.mark.parametrize(
    ("name", "loops", "free"),
    [("cassie.sdf", 6, 16), ("cassie_v2.sdf", 4, 18), ("cassie_wo_gearbox_spring.sdf", 4, 13)],
)
def test_cassie_is_read(name, loops, free):
    file = cassie(name)
    model, receipt = lw.read(file, meshes=False, repair=True)
    compared(model, file, repaired=("left-foot-reference", "right-foot-reference"))
    report = lw.check(model)
    assert (report.loops, report.degrees_of_freedom) == (loops, free)
    assert not receipt.lost
    assert sum(1 for _ in model.all_drives()) == (10 if name == "cassie.sdf" else 0)


def test_cassie_has_an_inertia_that_no_body_has():
    with pytest.raises(
        lw.ModelError, match="link 'left-foot-reference' .line 760.: no body has the principal"
    ) as error:
        lw.read(cassie("cassie.sdf"), meshes=False)
    assert "right-foot-reference" in str(error.value)


def test_cassie_runs_by_four_methods():
    model, _ = lw.read(cassie("cassie_v2.sdf"), meshes=False, contact=False, base="fixed")
    places = []
    for method, dt in (("absolute", 5e-4), ("component", 5e-4), ("hybrid", 1e-4), ("semi-recursive", 1e-4)):
        run = lw.simulate(model, until=0.05, dt=dt, method=method, ignore="limits")
        assert run.drift["position"].max() < 1e-10, method
        places.append(np.hstack([run[f"{body.path}.position"][-1] for body in model.all_bodies()]))
    assert np.abs(places[0] - np.hstack([b.reference.position for b in model.all_bodies()])).max() > 1e-3
    for other in places[1:]:
        assert np.abs(other - places[0]).max() < 1e-6


def test_cassie_with_gearboxes_runs():
    model, _ = lw.read(cassie("cassie.sdf"), meshes=False, contact=False, base="fixed", repair=True)
    first, second = (
        lw.simulate(model, until=0.05, dt=5e-4, method=method, ignore="limits")
        for method in ("recursive", "semi-recursive")
    )
    assert first.drift["position"].max() < 1e-10
    assert second.drift["position"].max() < 1e-10
    for body in model.all_bodies():
        key = f"{body.path}.position"
        assert np.abs(first[key] - second[key]).max() < 1e-6
    roll, rotor = first["left-roll-op.position"], first["left-roll-ip.position"]
    assert np.abs(roll + 0.04 * rotor).max() < 1e-10

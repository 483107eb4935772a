import math

import numpy as np
import pytest

from linkwork.model import Box, Frame, Model, Motion, Sphere


def test_explicit_numbers(model: Model) -> None:
    body = model.body("crank", mass=1, inertia=(0.1, 0.2, 0.15), com=(0.5, 0, 0), position=(1, 2, 3))
    assert (body.mass, body.name, body.path, body.owner) == (1.0, "crank", "crank", model)
    assert np.array_equal(body.inertia, np.diag((0.1, 0.2, 0.15)))
    assert body.com.tolist() == [0.5, 0, 0]
    assert body.reference == Frame((1, 2, 3))
    assert (body.shape, body.density) == (None, None)
    assert repr(body) == "<body 'crank'>"


def test_no_pose_means_none(model: Model) -> None:
    assert model.body("a", mass=1, inertia=0).reference is None
    assert model.body("b", mass=1, inertia=0, rotation=(0, 1, 0, 0)).reference == Frame(rotation=(0, 1, 0, 0))


def test_shape_gives_everything(model: Model) -> None:
    box = Box((1, 2, 3), pose=Frame((1, 0, 0)))
    body = model.body("box", shape=box, density=10)
    assert body.mass == pytest.approx(60)
    assert body.com.tolist() == [1, 0, 0]
    assert np.allclose(body.inertia, 60 / 12 * np.diag((13, 10, 5)))
    assert model.body("same", shape=box, mass=60).inertia == pytest.approx(body.inertia)
    assert model.body("com", shape=box, mass=60, com=(1, 0, 0)).com.tolist() == [1, 0, 0]


def test_explicit_inertia_wins_over_the_shape_for_the_inertia_only(model: Model) -> None:
    body = model.body("box", shape=Box((1, 1, 1), pose=Frame((1, 0, 0))), density=10, inertia=(1, 1, 1))
    assert np.array_equal(body.inertia, np.eye(3))
    assert (body.mass, body.com.tolist()) == (10.0, [1, 0, 0])


def test_full_matrix_thin_rod_and_point_mass(model: Model) -> None:
    turned = Frame(rotation=(1, 2, 3, 4)).matrix
    inertia = turned @ np.diag((1, 2, 3)) @ turned.T
    assert np.allclose(model.body("full", mass=1, inertia=inertia).inertia, inertia)
    assert model.body("rod", mass=1, inertia=(1, 1, 0)).inertia[2, 2] == 0
    assert not model.body("point", mass=1, inertia=0).inertia.any()
    assert not model.body("points", mass=1, inertia=(0, 0, 0)).inertia.any()


def test_numbers_cannot_be_changed_behind_the_checks(model: Model) -> None:
    body = model.body("ball", mass=1, shape=Sphere(1))
    with pytest.raises(AttributeError):
        body.mass = -1  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        body.inertia[0, 0] = -1


def test_grounds(model: Model) -> None:
    assert model.ground.path == "ground"
    assert model.ground.motion is None
    assert model.ground.mass == 0
    table = model.moving_ground("table", Motion(), position=(0, 0, 1))
    assert table.reference == Frame((0, 0, 1))
    assert list(model.all_grounds()) == [model.ground, table]
    assert list(model.all_bodies()) == []
    assert model.table is table


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"inertia": 0}, ("mass", "mass=", "density=")),
        ({"mass": 0, "inertia": (1, 1, 1)}, ("mass is 0", "give mass=", "weld")),
        ({"mass": -2, "inertia": 0}, ("mass is -2", "give mass=")),
        ({"mass": math.nan, "inertia": 0}, ("mass", "finite", "mass=")),
        ({"mass": "heavy", "inertia": 0}, ("mass", "number", "mass=")),
        ({"mass": True, "inertia": 0}, ("mass", "number", "mass=")),
        ({"mass": 1, "density": 1, "shape": Sphere(1)}, ("both mass= and density=",)),
        ({"density": 1, "inertia": 0}, ("density= needs a volume", "shape=")),
        ({"density": -1, "shape": Sphere(1)}, ("density", "positive")),
        ({"mass": 1}, ("give inertia= or shape=",)),
        ({"mass": 1, "shape": "box"}, ("not a shape", "lw.Box")),
        ({"mass": 1, "inertia": (1, 1)}, ("inertia has shape (2,)", "3x3")),
        ({"mass": 1, "inertia": 2.0}, ("inertia", "three principal values")),
        ({"mass": 1, "inertia": (1, 1, -1)}, ("negative", "inertia=")),
        ({"mass": 1, "inertia": (1, 1, 3)}, ("1, 1, 3", "correct inertia=")),
        ({"mass": 1, "inertia": (1, 1, math.nan)}, ("inertia", "finite")),
        ({"mass": 1, "inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]}, ("not symmetric", "inertia=")),
        ({"mass": 1, "inertia": [[1, 0, 0], [0, 1], [0, 0, 1]]}, ("inertia", "3x3")),
        ({"mass": 1, "inertia": 0, "com": (0, 0)}, ("com", "3 numbers in metres")),
        ({"mass": 1, "shape": Sphere(1), "com": (1, 0, 0)}, ("com=", "pose=", "inertia=")),
        ({"mass": 1, "inertia": 0, "position": (0, math.inf, 0)}, ("position", "finite")),
        ({"mass": 1, "inertia": 0, "rotation": (0, 0, 0, 0)}, ("rotation", "zero")),
        ({"mas": 1, "inertia": 0}, ("unknown option mas=", "did you mean 'mass'?")),
        ({"mass": 1, "xyz": 0}, ("unknown option xyz=", "density=")),
    ],
)
def test_refusals(model: Model, refused, options, words) -> None:
    with refused("body 'crank'", *words):
        model.body("crank", **options)
    assert "crank" not in model


def test_inertia_slack(model: Model) -> None:
    model.body("plate", mass=1, inertia=(1, 1, 2 * (1 + 1e-10)))
    model.body("rod", mass=1, inertia=(1, 1, -1e-12))


def test_refused_moving_grounds(model: Model, refused) -> None:
    with refused("moving ground 'table'", "lw.Motion"):
        model.moving_ground("table", 3.0)
    with refused("moving ground 'table'", "unknown option at=", "position="):
        model.moving_ground("table", Motion(), at=(0, 0, 0))

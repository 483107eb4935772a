"""Bushings as words: what they keep and what they refuse, each in a sentence that names the part and what to do."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.model import Body, Model

SIX = (1e5, 1e5, 2e5, 1e3, 1e3, 5e2)


def coupled(**entries: float) -> np.ndarray:
    """A matrix with ones on its diagonal and these entries, named "ij"."""
    matrix = np.eye(6)
    for place, value in entries.items():
        matrix[int(place[1]), int(place[2])] = value
    return matrix


def test_what_it_keeps(model: Model, rod: Body) -> None:
    mount = model.bushing(
        "mount", "ground", rod, at=(0, 0, 1), axis=(2, 0, 0), stiffness=SIX, damping=coupled(_04=0.1, _40=0.1)
    )
    assert (mount.a, mount.b, mount.at.tolist(), mount.axis.tolist()) == (model.ground, rod, [0, 0, 1], [1, 0, 0])
    assert np.array_equal(mount.stiffness, np.diag(SIX))
    assert np.array_equal(mount.damping, coupled(_04=0.1, _40=0.1))
    assert (repr(mount), mount.about) == ("<bushing 'mount'>", "ground to rod")
    assert not model.bushing("damper", "ground", rod, at=(0, 0, 0), damping=SIX).stiffness.any()
    with pytest.raises(ValueError, match="read-only"):
        mount.stiffness[0, 0] = 1.0


REFUSED = [
    ({"stiffness": (1, 1, 1, 1, -5, 1)}, ("stiffness about y is -5", "must not be negative")),
    ({"stiffness": SIX, "damping": (1, -1, 1, 1, 1, 1)}, ("damping along y is -1", "must not be negative")),
    ({"stiffness": coupled(_04=0.5)}, ("stiffness is not symmetric", "[0, 4] is 0.5 and [4, 0] is 0", "a symmetric")),
    ({"stiffness": coupled(_04=2, _40=2)}, ("not positive semidefinite", "feeds energy in along", "eigenvalues")),
    ({"damping": coupled(_04=2, _40=2)}, ("damping is not positive semidefinite",)),
    ({"stiffness": 8e6}, ("stiffness is one number", "six numbers", "6x6")),
    ({"stiffness": (1, 2, 3)}, ("stiffness is 3 numbers", "give stiffness= six numbers")),
    ({"stiffness": np.eye(3)}, ("stiffness is 3 x 3 numbers", "six numbers")),
    ({"stiffness": (1, 2, 3, 4, 5, np.nan)}, ("stiffness", "finite")),
    ({"stiffness": "soft"}, ("stiffness must be six numbers or a 6x6 matrix", "'soft'")),
    ({}, ("neither stiffness nor damping", "give stiffness= or damping=")),
    ({"stiffness": SIX, "at": None}, ("its place is not known", "give at=, or frame_a= and frame_b=")),
    ({"stiffness": SIX, "frame_a": lw.Frame()}, ("at= and frame_a= place it twice",)),
    ({"stiffness": SIX, "at": None, "frame_a": 3}, ("frame_a must be a Frame",)),
    ({"stiffness": SIX, "k": 3}, ("unknown option k=",)),
]


@pytest.mark.parametrize(("options", "words"), REFUSED)
def test_refused(model: Model, rod: Body, refused, options, words) -> None:
    with refused("bushing 'mount'", *words):
        model.bushing("mount", "ground", rod, **{"at": (0, 0, 0), **options})


def test_refused_bodies(model: Model, rod: Body, refused) -> None:
    with refused("bushing 'mount'", "both its ends are on body 'rod'", "two different bodies"):
        model.bushing("mount", rod, "rod", at=(0, 0, 0), stiffness=SIX)
    with refused("bushing 'mount'", "there is no 'rot'", "did you mean 'rod'"):
        model.bushing("mount", "ground", "rot", at=(0, 0, 0), stiffness=SIX)
    slider = model.moving_ground("slider", lw.Motion())
    with refused("bushing 'mount'", "both 'ground' and 'slider' are grounds", "let it hold a body"):
        model.bushing("mount", "ground", slider, at=(0, 0, 0), stiffness=SIX)


def test_rounded_matrices_are_taken(model: Model, rod: Body) -> None:
    """Entries that should be equal may differ by rounding, and a zero eigenvalue may come out below zero."""
    lever = np.eye(3, 6) + 0.3 * np.eye(3, 6, 3)
    matrix = 1e6 * lever.T @ lever
    matrix[0, 3] *= 1.0 + 1e-12
    kept = model.bushing("mount", "ground", rod, at=(0, 0, 0), stiffness=matrix).stiffness
    assert np.array_equal(kept, kept.T)
    assert np.allclose(kept, matrix, rtol=1e-11)


def test_frames_place_a_body_and_hold_a_group() -> None:
    """A body without a pose stands where its bushing is unloaded; joined bodies on bushings do not float."""
    model = lw.Model("engine", gravity=(0, 0, 0))
    engine = model.body("engine", mass=10.0, inertia=(1, 1, 1))
    rotor = model.body("rotor", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.revolute("shaft", engine, rotor, frame_a=lw.Frame((0, 0, 0.5)), frame_b=lw.Frame())
    frames = {"frame_a": lw.Frame((1, 2, 3)), "frame_b": lw.Frame((0, 0, -0.5))}
    model.bushing("mount", model.ground, engine, **frames, stiffness=SIX)
    run = lw.simulate(model, until=1e-3, dt=1e-3)
    assert run["engine.position"][0].tolist() == [1, 2, 3.5]
    assert run["rotor.position"][0].tolist() == [1, 2, 4]
    assert not run["mount.force"].any()

"""What every piece of the gallery owes: words, a clean check, a run, plots, a picture; and other parameters."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork import gallery
from linkwork.gallery import pictures

ROOT = Path(__file__).parents[2]
PIECES = gallery.names()

# other parameters than the defaults, and the degrees of freedom they must have
OTHERS = {
    "pendulum": [({"length": 2.5, "mass": 0.3, "angle": 0.1, "velocity": -2.0, "gravity": 1.6}, 1)],
    "chain": [({"n": 1}, 1), ({"n": 12, "length": 0.1, "damping": 0.0, "angle": 3.0}, 12)],
    "double_four_bar": [({"length": 0.4, "mass": 2.0, "speed": -3.0, "gravity": 1.6}, 1)],
    "n_four_bar": [({"n": 1}, 1), ({"n": 7, "length": 0.4, "mass": 2.0, "speed": 0.0}, 1)],
    "andrews": [({"beta": -0.0620}, 1), ({"beta": 0.3, "torque": -0.01, "stiffness": 100.0, "gravity": 9.81}, 1)],
    "peaucellier": [({"long": 1.2, "short": 0.5, "crank": 0.5, "angle": 0.2, "density": 3.0, "gravity": 0.0}, 1)],
    "car": [({"stiffness": 8e4, "damping": 5e3, "tyre_stiffness": 2e5, "body_mass": 800.0, "height": 1.0}, 6)],
    "friction_damper": [({"friction": 4.0, "clearance": 0.0, "angle": -0.2, "speed": 1.0, "mass": 20.0}, 3)],
    "puma": [({"friction": 0.0, "handover": 1.0, "gravity": 1.6}, 6)],
    "gripper": [({"mass": 2.0, "size": 0.05, "friction": 0.9, "grip": 100.0, "turn": -1.0, "hold": 0.0}, 11)],
    "humanoid": [({"stone": 2.0, "size": 0.07, "friction": 1.0, "grip": 8.0, "crouch": 0.6}, 42)],
    "rover": [({"speed": -0.3, "mass": 50.0, "stiffness": 1e4, "damping": 300.0, "kerb": 0.0, "steps": 2}, 18)],
    "stewart": [
        ({"amplitude": 0.05, "rate": 5.0, "yaw": 0.6, "mass": 4.0, "gravity": 1.6}, 6),
        ({"amplitude": 0.0}, 6),
    ],
    "gearbox": [({"brake": "sun", "speed": -20.0, "load": 5.0, "rise": 0.0}, 2), ({"stages": 2, "rise": 0.1}, 3)],
    "cam_valve": [({"speed": -80.0, "stiffness": 1e4, "preload": 90.0, "curve": "points"}, 1)],
    "toggle_press": [({"angle": 2.0, "speed": -3.0, "stiffness": 1e6, "torque": 5.0, "gravity": 1.6}, 1)],
    "excavator": [({"load": 1000.0, "supply": 3e7, "leakage": 0.0, "manual": True, "gravity": 1.6}, 3)],
    "furuta": [({"angle": 0.3, "every": 4e-3, "delay": 2e-3, "resolution": 0.0, "push": 0.1, "gravity": 5.0}, 2)],
    "manipulator": [({"amplitudes": (0.0, 0.0, 0.0), "angles": (1.0, -2.0, 0.5), "frequency": 1.0}, 3)],
}


# simulated seconds of those that take long; the tests marked long run them to the end
SHORTER = {"n_four_bar": 0.2, "friction_damper": 1.0, "kuka": 0.2, "engine": 1.0, "humanoid": 1.0, "rover": 1.0}
SHORTER["tracked_vehicle"] = 0.3


def test_all_pieces_of_this_floor_are_there():
    wanted = {"pendulum", "chain", "manipulator", "car", "double_four_bar", "n_four_bar", "andrews", "peaucellier"}
    assert wanted <= set(PIECES)
    assert "pictures" not in PIECES


@pytest.mark.parametrize("name", PIECES)
def test_words(name):
    piece = gallery.piece(name)
    for word in gallery.REQUIRED:
        assert hasattr(piece, word), word
    assert "\n" not in piece.TITLE
    assert piece.PAPER
    assert "must show" in piece.__doc__
    assert piece.UNTIL > 0
    # every keyword of build is spoken of where it is documented
    tree = ast.parse(Path(piece.__file__).read_text(encoding="utf-8"))
    build = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "build")
    for argument in build.args.kwonlyargs:
        if argument.arg != "name":
            assert f"`{argument.arg}`" in piece.build.__doc__, argument.arg


@pytest.mark.parametrize("name", PIECES)
def test_check_is_clean(name):
    report = lw.check(gallery.piece(name).build())
    assert report.notes == []
    assert report.floating == []
    assert report.degrees_of_freedom >= 1


@pytest.mark.parametrize(
    ("name", "parameters", "freedom"), [(n, *case) for n, cases in OTHERS.items() for case in cases]
)
def test_other_parameters(name, parameters, freedom):
    piece = gallery.piece(name)
    model = piece.build(**parameters)
    report = lw.check(model)
    assert report.degrees_of_freedom == freedom
    assert report.notes == []
    run = lw.simulate(model, until=20 * piece.METHOD["dt"], **{**piece.METHOD, "every": 1})
    assert run.certificate.complete
    assert run.certificate.worst_drift_position < 1e-12


@pytest.mark.parametrize("name", PIECES)
def test_own_settings_leave_no_doubt(name):
    without_doubt(name, SHORTER.get(name, gallery.piece(name).UNTIL))


@pytest.mark.long
@pytest.mark.parametrize("name", SHORTER)
def test_own_settings_leave_no_doubt_to_the_end(name):
    without_doubt(name, gallery.piece(name).UNTIL)


def without_doubt(name: str, until: float) -> None:
    piece = gallery.piece(name)
    made = lw.simulate(piece.build(), until=until, **piece.METHOD).certificate
    assert made.doubts() == []
    assert not any(word in str(made) for word in ("POOR", "CUT SHORT", "GAVE"))


@pytest.mark.parametrize("name", PIECES)
def test_same_words_same_model(name):
    piece = gallery.piece(name)
    assert piece.build() == piece.build()


@pytest.mark.parametrize("name", PIECES)
def test_every_body_has_a_shape(name):
    bodies = gallery.piece(name).build().all_bodies()
    assert all(body.shape is not None for body in bodies if not body.hidden)


@pytest.mark.parametrize("name", PIECES)
def test_picture(name):
    assert name in pictures.SCENES
    file = ROOT / "docs" / "pictures" / f"{name}.png"
    if not (ROOT / "docs").is_dir():
        pytest.skip("the documents are not part of this copy")
    assert 5_000 < file.stat().st_size < 150_000


def test_numbers_of_bodies_stay_finite():
    for name in PIECES:
        for body in gallery.piece(name).build().all_bodies():
            assert np.isfinite(body.mass)
            assert np.linalg.eigvalsh(body.inertia).min() > -1e-15

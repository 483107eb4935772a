import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwork.model import Frame

numbers = st.floats(-10, 10)
directions = st.tuples(numbers, numbers, numbers).filter(lambda x: math.hypot(*x) > 1e-3)
quaternions = st.tuples(numbers, numbers, numbers, numbers).filter(lambda q: math.hypot(*q) > 1e-3)
frames = st.builds(Frame, st.tuples(numbers, numbers, numbers), quaternions)


def close(a: Frame, b: Frame) -> bool:
    return np.allclose(a.position, b.position, atol=1e-12) and np.allclose(a.matrix, b.matrix, atol=1e-12)


def test_default_is_identity() -> None:
    assert np.array_equal(Frame().matrix, np.eye(3))
    assert Frame().point((1, 2, 3)).tolist() == [1, 2, 3]


def test_quarter_turn_about_z_takes_x_to_y() -> None:
    frame = Frame((1, 0, 0), (math.sqrt(0.5), 0, 0, math.sqrt(0.5)))
    assert np.allclose(frame.direction((1, 0, 0)), (0, 1, 0))
    assert np.allclose(frame.point((1, 0, 0)), (1, 1, 0))


@given(frames, frames, directions)
def test_composition_and_inverse(a: Frame, b: Frame, x: tuple[float, float, float]) -> None:
    assert np.allclose((a @ b).point(x), a.point(b.point(x)), atol=1e-10)
    assert np.allclose(a.inverse().point(a.point(x)), x, atol=1e-10)
    assert np.isclose(np.linalg.norm((a @ b).rotation), 1)


@given(frames)
def test_matrix_and_quaternion_agree(frame: Frame) -> None:
    again = Frame(frame.position, frame.matrix)
    assert close(again, frame)
    assert np.allclose(frame.matrix @ frame.matrix.T, np.eye(3))


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_half_turns_survive_the_matrix(axis: tuple[float, float, float]) -> None:
    frame = Frame(rotation=(0.0, *axis))
    assert close(Frame(rotation=frame.matrix), frame)


@given(directions)
def test_along_points_z(axis: tuple[float, float, float]) -> None:
    frame = Frame.along(axis, (1, 2, 3))
    assert np.allclose(frame.direction((0, 0, 1)), np.array(axis) / np.linalg.norm(axis), atol=1e-12)
    assert frame.position.tolist() == [1, 2, 3]


@pytest.mark.parametrize("tilt", [0.0, 1e-200, 1e-12, 1e-6])
def test_along_stays_accurate_pointing_back(tilt: float) -> None:
    frame = Frame.along((tilt, 0, -1))
    assert np.allclose(frame.direction((0, 0, 1)), (tilt, 0, -math.sqrt(1 - tilt**2)), rtol=0, atol=1e-15)


def test_along_z_changes_nothing() -> None:
    assert Frame.along((0, 0, 2)) == Frame()
    assert np.allclose(Frame.along((0, 1, 0)).direction((1, 0, 0)), (1, 0, 0))


def test_axes() -> None:
    frame = Frame.axes((0, 0, 2), (0, 3, 0), (1, 0, 0))
    assert np.allclose(frame.direction((1, 0, 0)), (0, 0, 1))
    assert np.allclose(frame.direction((0, 1, 0)), (0, 1, 0))
    assert np.allclose(frame.direction((0, 0, 1)), (-1, 0, 0))


def test_never_changed() -> None:
    frame = Frame()
    with pytest.raises(AttributeError, match="make a new one"):
        frame.position = np.ones(3)  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        frame.position[0] = 1.0


def test_a_frame_does_not_follow_the_array_it_came_from() -> None:
    place = np.zeros(3)
    frame = Frame(place)
    place[0] = 5.0
    assert frame.position[0] == 0.0


def test_equal_hashable_copyable() -> None:
    frame = Frame((1, 2, 3), (1, 1, 0, 0))
    assert frame == Frame((1, 2, 3), (2, 2, 0, 0))
    assert frame != Frame((1, 2, 3))
    assert frame != 3
    assert len({frame, Frame((1, 2, 3), (1, 1, 0, 0))}) == 1
    assert close(pickle.loads(pickle.dumps(frame)), frame)
    assert close(copy.deepcopy(frame), frame)
    assert repr(Frame((1, 0, 0))) == "Frame(position=(1, 0, 0), rotation=(1, 0, 0, 0))"
    with pytest.raises(TypeError):
        frame @ 3  # type: ignore[operator]


@pytest.mark.parametrize(
    ("position", "rotation", "words"),
    [
        ((0, 0), (1, 0, 0, 0), ("position", "3 numbers in metres", "position=")),
        ((0, 0, math.nan), (1, 0, 0, 0), ("position", "finite")),
        (("a", 0, 0), (1, 0, 0, 0), ("position", "3 numbers")),
        ("abc", (1, 0, 0, 0), ("position", "3 numbers")),
        ((0, 0, 0), (0, 0, 0, 0), ("rotation", "zero", "(1, 0, 0, 0)")),
        ((0, 0, 0), (1, 0, 0, math.inf), ("rotation", "finite")),
        ((0, 0, 0), (1, 0, 0), ("rotation", "quaternion w, x, y, z or a 3x3 matrix")),
        ((0, 0, 0), np.diag((1, 1, -1)), ("rotation matrix", "right-handed")),
        ((0, 0, 0), 2 * np.eye(3), ("rotation matrix", "unit columns")),
    ],
)
def test_refusals(refused, position, rotation, words) -> None:
    with refused("Frame", *words):
        Frame(position, rotation)


def test_refused_axes(refused) -> None:
    with refused("Frame.along", "zero", "axis=(0, 0, 1)"):
        Frame.along((0, 0, 0))
    with refused("Frame.axes", "45 degrees", "perpendicular"):
        Frame.axes((1, 0, 0), (1, 1, 0))

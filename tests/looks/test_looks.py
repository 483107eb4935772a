"""Looks: surfaces are closed and face outwards, teeth mesh, and what cannot be made is refused in one line."""

from collections import Counter

import numpy as np
import pytest

import linkwork as lw

looks = lw.looks
EACH = {
    "tube": lambda: looks.tube([(0, 0, 0), (0, 0, 1), (0.3, 0, 1.5)], 0.1),
    "ring": lambda: looks.tube([(np.cos(a), np.sin(a), 0) for a in np.linspace(0, 6, 20)], 0.1, closed=True),
    "turned": lambda: looks.turned([(0.0, 0.0), (1.0, 0.0), (0.5, 1.0), (0.0, 1.0)]),
    "pushed": lambda: looks.pushed([(1, 0), (0, 1), (-1, 0), (0, -1)], 0.2, bore=0.3),
    "rounded box": lambda: looks.rounded_box((1, 2, 3), 0.2),
    "belt": lambda: looks.belt(((0, 0), (1, 0.2)), (0.2, 0.3), 0.1, 0.02),
    "gear": lambda: looks.gear(0.01, 20, 0.03),
    "ring gear": lambda: looks.gear(0.01, 40, 0.03, internal=True),
    "small gear": lambda: looks.gear(0.01, 12, 0.03, bore=0.0),
}


@pytest.mark.parametrize("name", EACH)
def test_surfaces_are_closed_and_face_outwards(name):
    mesh = EACH[name]()
    corners = np.floor(np.asarray(mesh.triangles) / 1.3e-8 + 0.3217).astype(np.int64)
    edges = Counter()
    for triangle in corners.tolist():
        a, b, c = map(tuple, triangle)
        edges.update([(a, b), (b, c), (c, a)])
    assert all(edges[b, a] == count for (a, b), count in edges.items())
    a, b, c = np.moveaxis(np.asarray(mesh.triangles), 1, 0)
    assert np.einsum("ni,ni->", a, np.cross(b, c)) > 0.0


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_all_sizes_have_the_same_form(scale):
    one, other = looks.gear(0.01, 20, 0.03), looks.gear(0.01 * scale, 20, 0.03 * scale)
    np.testing.assert_allclose(
        np.asarray(other.triangles), scale * np.asarray(one.triangles), rtol=1e-9, atol=1e-12 * scale
    )
    assert looks.tyre(0.3 * scale, 0.2 * scale).triangles.shape == looks.tyre(0.3, 0.2).triangles.shape


def inside(points, outline):
    """Whether points (n, 2) lie in a polygon: by how often a ray crosses it."""
    x, y = points.T
    (x1, y1), (x2, y2) = outline.T, np.roll(outline, -1, axis=0).T
    between = (y1 > y[:, None]) != (y2 > y[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        at = (x2 - x1) * (y[:, None] - y1) / (y2 - y1) + x1
    return np.count_nonzero(between & (x[:, None] < at), axis=1) % 2 == 1


def rotated(outline, angle):
    return outline @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def test_teeth_roll_on_each_other_without_cutting():
    """Two gears turned through a tooth with the ratio of their teeth: no point of one gets into the other."""
    module, first, second = 0.01, 24, 18
    distance = module * (first + second) / 2
    one, two = looks.gear_outline(module, first), looks.gear_outline(module, second)
    for part in np.linspace(0.0, 1.0, 9):
        angle = part * 2 * np.pi / first
        left = rotated(one, angle)
        right = rotated(two, np.pi + np.pi / second - angle * first / second) + (distance, 0.0)
        for points, other, middle in ((left, right, (distance, 0.0)), (right, left, (0.0, 0.0))):
            shrunk = middle + (other - middle) * (
                1.0 - 0.02 * module / np.linalg.norm(other - middle, axis=1, keepdims=True)
            )
            assert not inside(points, shrunk).any()


def test_the_planets_of_the_gearbox_mesh_with_sun_and_ring():
    """At the start and after a while: corners of drawn wheels do not get into each other."""
    gearbox = lw.gallery.gearbox
    run = lw.simulate(gearbox.build(), until=0.3, method="recursive", dt=1e-3)
    model = gearbox.build()
    drawn = {visual.body.path: visual.shape for visual in model.all_visuals()}

    def outline(body, teeth, row, internal=False):
        flat = looks.gear_outline(gearbox.MODULE, teeth, internal)
        corner = np.asarray(drawn[body].triangles).reshape(-1, 3)[:, :2]
        sizes = np.linalg.norm(corner, axis=1)
        tip = corner[np.isclose(sizes, np.linalg.norm(flat, axis=1).max(), rtol=1e-9)]
        turn = (
            np.arctan2(*tip.mean(axis=0)[::-1])
            if len(tip) < 3
            else np.min(np.arctan2(tip[:, 1], tip[:, 0]) % (2 * np.pi / teeth))
        )
        own = np.max(
            np.arctan2(*flat[np.isclose(np.linalg.norm(flat, axis=1), np.linalg.norm(flat, axis=1).max())].T[::-1])
            % (2 * np.pi / teeth)
        )
        low = np.min(
            np.arctan2(*flat[np.isclose(np.linalg.norm(flat, axis=1), np.linalg.norm(flat, axis=1).max())].T[::-1])
            % (2 * np.pi / teeth)
        )
        assert own >= low
        placed = rotated(flat, turn - low)
        frame = lw.Frame(run[f"{body}.position"][row], run[f"{body}.rotation"][row])
        pose = drawn[body].pose
        return np.array([frame.point(pose.point((*each, 0.0)))[[0, 2]] for each in placed])

    for row in (0, 137, -1):
        sun = outline("sun", gearbox.SUN, row)
        for number in (1, 2, 3):
            planet = outline(f"planet {number}", gearbox.PLANET, row)
            middle = run[f"planet {number}.position"][row][[0, 2]]
            shrunk = middle + 0.985 * (planet - middle)
            assert not inside(sun, shrunk).any()


def test_what_cannot_be_made_is_refused():
    for call, words in (
        (lambda: looks.tyre(-0.3, 0.2), "radius is -0.3; give a positive number"),
        (lambda: looks.gear(0.01, 3, 0.02), "3 teeth; give four or more"),
        (lambda: looks.rounded_box((1, 1, 1), 0.6), "give one from 0 to half of the shortest side"),
        (lambda: looks.belt(((0, 0), (0.1, 0)), (0.1, 0.3), 0.1, 0.01), "one pulley lies inside the other"),
        (lambda: looks.tube([(0, 0, 0)], 0.1), "two or more points"),
        (lambda: looks.turned([(-1, 0), (1, 0), (1, 1)]), "radii from 0 up"),
    ):
        with pytest.raises(lw.ModelError, match=words):
            call()


def test_looks_change_nothing_but_the_picture():
    """They have no mass: a run with them has the same bits as one without."""

    def rolled(with_looks):
        model = lw.Model("wheel")
        wheel = model.body("wheel", mass=3.0, shape=lw.Cylinder(0.3, 0.1))
        if with_looks:
            model.visual("tyre", wheel, looks.tyre(0.3, 0.1), colour=looks.RUBBER)
        model.revolute("axle", "ground", wheel, at=(0, 0, 0), axis=(1, 0, 0), velocity=2.0)
        return lw.simulate(model, until=0.1, dt=1e-3, method="recursive")

    assert np.array_equal(rolled(True)["wheel.rotation"], rolled(False)["wheel.rotation"])

"""Shapes that are only drawn: every kind of picture shows them, in their colours, in the place of colliders."""

import io
import json

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.results.scene.drawn_shapes import with_meshes
from linkwork.simulation.results.scene.scene import scene_of
from linkwork.viewer.canvas import Canvas
from linkwork.viewer.live import live
from linkwork.viewer.pictures.film import film
from linkwork.viewer.pictures.still import still
from linkwork.viewer.scene_shapes import mesh_corners
from linkwork.viewer.solids import solid
from linkwork.viewer.staging import Stage

RED, BLUE = (0.9, 0.1, 0.1), (0.1, 0.2, 0.9)


def blocks():
    """A body with a huge collider, drawn as a red and a blue block side by side; one on the ground; nothing moves."""
    model = lw.Model("blocks", gravity=(0, 0, 0))
    body = model.body("pair", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0.5))
    model.free("at rest", "ground", body)
    model.collider("hull", body, lw.Box((4, 4, 4)))
    for name, x, colour in (("left", -0.5, RED), ("right", 0.5, BLUE)):
        model.visual(name, body, lw.Box((0.9, 0.9, 0.9), pose=lw.Frame((x, 0, 0))), colour=colour)
    return model


def coloured(image, colour):
    """How much of a picture has the hue of a colour, and the middle of that, from the left and from the top."""
    image = np.asarray(image, dtype=float)[..., :3]
    rest = image.sum(axis=2) - image.max(axis=2)
    found = (image.argmax(axis=2) == int(np.argmax(colour))) & (image.max(axis=2) > 0.9 * rest) & (rest < 2.2 * 140)
    rows, columns = np.nonzero(found)
    return found.mean(), columns.mean() / image.shape[1], rows.mean() / image.shape[0]


def both_are_seen(image):
    red, blue = coloured(image, RED), coloured(image, BLUE)
    assert red[0] > 0.02
    assert blue[0] > 0.02
    assert abs(red[1] - blue[1]) > 0.05


def test_the_scene_has_visuals_in_the_place_of_colliders():
    body = scene_of(blocks())["bodies"][0]
    assert body["shape"] is None
    assert body["more"] == []
    assert [facts["colour"] for facts in body["visuals"]] == [[*RED, 1.0], [*BLUE, 1.0]]


def test_without_visuals_colliders_are_drawn():
    model = lw.Model("bare")
    body = model.body("box", mass=1.0, inertia=(1, 1, 1))
    model.collider("hull", body, lw.Box((4, 4, 4)))
    assert [facts["size"] for facts in scene_of(model)["bodies"][0]["more"]] == [[4.0, 4.0, 4.0]]


def test_a_ground_keeps_its_planes():
    model = blocks()
    model.plane("floor")
    model.collider("step", "ground", lw.Box((1, 1, 0.2)))
    assert [facts["kind"] for facts in scene_of(model)["fixtures"]] == ["plane", "box"]
    model.visual("carpet", "ground", lw.Cylinder(1.0, 0.01), colour="#808000")
    assert [facts["kind"] for facts in scene_of(model)["fixtures"]] == ["plane", "cylinder"]


def test_bodies_without_shapes_are_left_out_beside_visuals():
    model = blocks()
    bare = model.body("sensor", mass=0.1, inertia=(1, 1, 1))
    model.fixed("mount", "pair", bare, at=(0, 0, 0.5))
    run = lw.simulate(model, until=0.01, method="recursive", dt=0.01, ignore="contact")
    assert [len(body["shapes"]) for body in Stage(run).bodies()] == [2, 0]


def test_still_and_film(tmp_path):
    figure = still(blocks(), view=(50, 25), size=(3, 2))
    stream = io.BytesIO()
    figure.savefig(stream)
    Image = pytest.importorskip("PIL.Image")
    both_are_seen(Image.open(stream).convert("RGB"))
    run = lw.simulate(blocks(), until=0.01, method="recursive", dt=0.01, ignore="contact")
    film(run, tmp_path / "blocks.png", width=160)
    both_are_seen(Image.open(tmp_path / "blocks.png"))


def test_replay(tmp_path, visit):
    run = lw.simulate(blocks(), until=0.01, method="recursive", dt=0.01, ignore="contact")
    run.save(tmp_path / "blocks.npz")
    lw.load_run(tmp_path / "blocks.npz").replay(tmp_path / "blocks.html")
    page = visit((tmp_path / "blocks.html").as_uri())
    assert page.errors == []
    for x, colour in ((-0.5, RED), (0.5, BLUE)):
        spot = page.evaluate(f"linkwork.screenOf([{x}, 0, 0.95])")
        pixel = page.evaluate(f"linkwork.pixel({spot[0]}, {spot[1]})")
        assert np.argmax(pixel) == np.argmax(colour)


def test_live_page(visit, until):
    def make(method=None, dt=None):
        return lw.Simulation(blocks(), method or "impulse", dt=dt or 1e-3)

    link, driver = live.open_simulation(make)
    with link:
        driver.receive("run", False)
        driver.show()
        page = visit(link.address, 620, 340)
        until(page, "Boolean(window.linkwork)")
        for x, colour in ((-0.5, RED), (0.5, BLUE)):
            pixel = page.evaluate(f"linkwork.pixel(...linkwork.screenOf([{x}, 0, 0.95]))")
            assert np.argmax(pixel) == np.argmax(colour)
        assert page.errors == []


def wavy(n):
    """A closed surface with 4 n n triangles: a ball with waves."""
    u, v = np.meshgrid(np.linspace(0, np.pi, n + 1), np.linspace(0, 2 * np.pi, 2 * n + 1), indexing="ij")
    r = 1 + 0.1 * np.sin(5 * u) * np.cos(4 * v)
    grid = np.stack([r * np.sin(u) * np.cos(v), r * np.sin(u) * np.sin(v), r * np.cos(u)], axis=-1)
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    return np.concatenate([np.stack(three, axis=-2).reshape(-1, 3, 3) for three in ((a, b, c), (a, c, d))])


def write_stl(path, triangles):
    record = np.zeros(len(triangles), dtype=[("n", "<f4", 3), ("c", "<f4", (3, 3)), ("a", "<u2")])
    record["c"] = triangles
    path.write_bytes(bytes(80) + np.uint32(len(triangles)).tobytes() + record.tobytes())
    return path


def test_large_meshes_are_drawn_with_few_triangles(tmp_path):
    file = write_stl(tmp_path / "wavy.stl", wavy(160))
    model = lw.Model("stones")
    for k in range(3):
        body = model.body(f"stone {k}", mass=1.0, inertia=(1, 1, 1), position=(3 * k, 0, 0))
        model.visual(f"look {k}", body, lw.Mesh(file, pose=lw.Frame((0, 0, 0.1 * k))))
    mesh = lw.Mesh(file)
    assert len(mesh.triangles) > 100_000
    scene = scene_of(model)
    assert len(scene["meshes"]) == 1  # which all three share
    assert 1000 < len(scene["meshes"][0]["faces"]) <= 6000
    assert len(json.dumps(scene)) < 400_000
    shown = with_meshes(scene)["bodies"][2]["visuals"][0]
    corners = mesh_corners(shown)
    # every point that is left lies on the surface
    far = np.linalg.norm(corners.reshape(-1, 3), axis=1)
    assert 0.88 < far.min() < 0.95
    assert 1.05 < far.max() < 1.12
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    volume = np.einsum("ni,ni->", corners[:, 0], normals) / 6
    assert volume == pytest.approx(mesh.volume, rel=5e-3)
    assert shown["position"] == [0.0, 0.0, 0.2]


def test_small_triangles_are_filled_as_large_ones_are():
    """The same surface twice: at once, and triangle by triangle."""
    ball = solid(lw.Hull(wavy(16).reshape(-1, 3)))
    camera = np.eye(3)
    pictures = []
    for many in (0, 10**9):
        canvas = Canvas(camera, np.zeros(3), 40.0, 100, 80, 2)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("linkwork.viewer.canvas.MANY", many)
            canvas.put(ball, (0.5, 0.6, 0.7), 0)
        pictures.append((canvas.depth, canvas.owner))
    (depth, owner), (depth2, owner2) = pictures
    assert (owner == owner2).all()
    seen = owner >= 0
    assert np.abs(depth[seen] - depth2[seen]).max() < 1e-9


def test_what_is_transparent_lets_through_what_is_behind():
    canvas = Canvas(np.eye(3), np.zeros(3), 10.0, 40, 40, 1)
    canvas.put(solid(lw.Box((2, 2, 2))), (1, 0, 0), 0, lit=False)
    before = canvas.colour[20, 20].copy()
    canvas.put(solid(lw.Box((1, 1, 1), pose=lw.Frame((0, 0, 3)))), (0, 0, 1, 0.25), 1)
    red, _, blue = canvas.colour[20, 20]
    assert red == pytest.approx(0.75 * before[0])
    assert blue > 0.2
    assert canvas.owner[20, 20] == 0

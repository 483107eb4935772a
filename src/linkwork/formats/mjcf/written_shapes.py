"""Colliders and pictures in the words of MJCF: geoms, meshes beside the file, and who meets whom."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.formats.mjcf.markup import Markup, digits
from linkwork.formats.mjcf.spanning import body_key
from linkwork.formats.mjcf.writing import MjcfWriting, turned
from linkwork.model import (
    Body,
    Box,
    Capsule,
    Collider,
    Cylinder,
    Ellipsoid,
    HeightField,
    Hull,
    Mesh,
    Plane,
    Shape,
    Sphere,
)
from linkwork.model.body import Part

PLANE_SIZE = (20.0, 20.0, 1.0)  # m, of the picture
SEEN, HIDDEN = "2", "3"  # groups of geoms


def write_shapes(writing: MjcfWriting, contact: bool) -> None:
    """Geoms that collide, then those that are only drawn."""
    colliders = list(writing.model.all_colliders()) if contact else []
    drawn = {body_key(visual.body) for visual in writing.model.all_visuals()}
    made: dict[int, str] = {}
    for number, collider in enumerate(colliders):
        hidden = body_key(collider.body) in drawn and not isinstance(collider.shape, (Plane, HeightField))
        made[number] = _collider(writing, collider, number, HIDDEN if hidden else None)
    for visual in writing.model.all_visuals():
        colour = None if visual.colour is None else visual.colour
        _drawn(writing, visual, visual.body, visual.shape, colour)
    shown = drawn | {body_key(collider.body) for collider in colliders}
    for body in writing.model.all_bodies():
        if body.shape is not None and id(body) not in shown:
            _drawn(writing, body, body, body.shape, None)
    if colliders:
        _meeting(writing, colliders, made)


def _geom(writing: MjcfWriting, part: Part, body: Body, shape: Shape, name: str) -> Markup | None:
    pose = writing.inside(body, shape.pose)
    told: dict[str, Any] = {"pos": pose.position, "quat": turned(pose), "mass": 0.0, "name": name}
    match shape:
        case Box():
            return Markup("geom", type="box", size=np.array(shape.size) / 2, **told)
        case Sphere():
            return Markup("geom", type="sphere", size=shape.radius, **told)
        case Ellipsoid():
            return Markup("geom", type="ellipsoid", size=shape.radii, **told)
        case Capsule() if shape.length == 0.0:
            return Markup("geom", type="sphere", size=shape.radius, **told)
        case Capsule():
            return Markup("geom", type="capsule", size=(shape.radius, shape.length / 2), **told)
        case Cylinder():
            return Markup("geom", type="cylinder", size=(shape.radius, shape.length / 2), **told)
        case Plane():
            return Markup("geom", type="plane", size=PLANE_SIZE, **told)
        case HeightField():
            return Markup("geom", type="hfield", hfield=_field(writing, part, shape), **told)
        case Hull():
            return Markup("geom", type="mesh", mesh=_hull(writing, part, shape, name), **told)
        case Mesh():
            mesh = _mesh(writing, part, shape, name)
            return None if mesh is None else Markup("geom", type="mesh", mesh=mesh, **told)
    return None


def _field(writing: MjcfWriting, part: Part, shape: HeightField) -> str:
    """The heights from 0 to 1; MJCF lists rows from +y to -y."""
    heights = np.asarray(shape.heights, dtype=float)
    low, high = float(heights.min()), float(heights.max())
    span = max(high - low, 1e-6)
    name = writing.names.of("hfield", part)
    writing.section("asset").add(
        Markup(
            "hfield",
            name=name,
            nrow=str(heights.shape[1]),
            ncol=str(heights.shape[0]),
            size=(shape.size[0] / 2, shape.size[1] / 2, span, max(shape.size)),
            elevation=((heights - low) / span).T[::-1].ravel(),
        )
    )
    return name


def _hull(writing: MjcfWriting, part: Part, shape: Hull, ending: str) -> str:
    name = writing.names.of("mesh", part, f" of {ending}")
    corners = np.unique(shape.triangles.reshape(-1, 3), axis=0)
    writing.section("asset").add(Markup("mesh", name=name, vertex=corners.ravel(), inertia="convex"))
    return name


def _mesh(writing: MjcfWriting, part: Part, shape: Mesh, ending: str) -> str | None:
    """An OBJ file beside the model; equal meshes share one."""
    corners, faces = np.unique(shape.triangles.reshape(-1, 3), axis=0, return_inverse=True)
    if len(corners) < 4:
        return None
    lines = [f"v {digits(corner)}" for corner in corners]
    lines += ["f " + " ".join(str(k + 1) for k in face) for face in faces.reshape(-1, 3).tolist()]
    content = ("\n".join(lines) + "\n").encode()
    for path, known in writing.files.items():
        if known == content:
            return path.stem
    name = writing.names.of("mesh", part, f" of {ending}")
    plain = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in name)[:60]
    while writing.folder / f"{plain}.obj" in writing.files:
        plain += "_"
    writing.files[writing.folder / f"{plain}.obj"] = content
    writing.section("asset").add(Markup("mesh", name=plain, file=f"{writing.folder.name}/{plain}.obj", inertia="shell"))
    return plain


def _drawn(writing: MjcfWriting, part: Part, body: Body, shape: Shape, colour: Any) -> None:
    what = f"{part.word} '{part.path}'"
    geom = _geom(writing, part, body, shape, writing.names.of("geom", part, " seen"))
    if geom is None or isinstance(shape, HeightField):
        writing.receipt.ignore(what, "", "MJCF cannot draw its shape", matters=False)
        return
    if isinstance(shape, Cylinder) and shape.inner_radius:
        writing.receipt.ignore(what, "", "drawn without its hole", matters=False)
    geom.attributes |= {"contype": "0", "conaffinity": "0", "group": SEEN}
    if colour is not None:
        geom.attributes["rgba"] = colour
    writing.put(body, geom)
    writing.receipt.understand(what, "", "a geom that is only drawn")


def _collider(writing: MjcfWriting, collider: Collider, number: int, group: str | None) -> str:
    name = writing.names.of("geom", collider, "")
    geom = _geom(writing, collider, collider.body, collider.shape, name)
    assert geom is not None
    material = collider.material
    dimensions = 6 if material.rolling else 4 if material.torsional else 3 if material.mean_friction else 1
    geom.attributes["condim"] = str(dimensions)
    if dimensions > 1:
        geom.attributes["friction"] = (
            material.mean_friction,
            material.torsional if dimensions > 3 else 0.005,
            material.rolling if dimensions > 4 else 0.0001,
        )
    if group is not None:
        geom.attributes["group"] = group
    writing.put(collider.body, geom)
    what = f"{collider.word} '{collider.path}'"
    if material.restitution or material.softness is not None:
        writing.receipt.approximate(what, "", "its restitution and softness are those of MuJoCo's default")
    else:
        writing.receipt.understand(what, "", "a geom")
    if material.grain is not None:
        told = f"friction of {material.mean_friction:g} in all directions: a geom has no grain"
        writing.receipt.approximate(what, "", told)
    return name


def _meeting(writing: MjcfWriting, colliders: list[Collider], made: dict[int, str]) -> None:
    """Bodies that never meet are excluded; shapes that do although MuJoCo would keep them apart are named."""
    can_collide = assemble(writing.model).tables.colliders.can_collide
    section = writing.section("contact")
    weld, above = _welded(writing)
    apart: set[tuple[int, int]] = set()
    pairs: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for i, j in itertools.combinations(range(len(colliders)), 2):
        key = sorted((body_key(colliders[i].body), body_key(colliders[j].body)))
        pairs.setdefault((key[0], key[1]), []).append((i, j))
    owners = {body_key(collider.body): collider.body for collider in colliders}
    for (a, b), shapes in pairs.items():
        one, two = weld[a], weld[b]
        filtered = one == two or (one != 0 and above[two] == one) or (two != 0 and above[one] == two)
        wanted = [bool(can_collide[i, j]) for i, j in shapes]
        if filtered:
            for (i, j), want in zip(shapes, wanted, strict=True):
                if want:
                    section.add(Markup("pair", geom1=made[i], geom2=made[j]))
        elif not any(wanted):
            apart.add((a, b))
        elif not all(wanted):
            told = f"contacts of '{owners[a].path}' and '{owners[b].path}'"
            writing.receipt.approximate(told, "", "all their shapes meet in MuJoCo, here only some")
    for a, b in sorted(apart, key=lambda pair: (owners[pair[0]].path, owners[pair[1]].path)):
        names = [writing.names.of("body", owners[each]) if each else "world" for each in (a, b)]
        section.add(Markup("exclude", body1=names[0], body2=names[1]))
    if len({collider.material.mean_friction for collider in colliders}) > 1:
        writing.receipt.approximate("friction of contacts", "", "the larger one of two surfaces in MuJoCo")
    writing.receipt.approximate("contacts", "", "they give way in MuJoCo")


def _welded(writing: MjcfWriting) -> tuple[dict[int, int], dict[int, int]]:
    """The body that each is welded to in the end, and the parent of every one of these."""
    weld, above = {0: 0}, {0: 0}
    waiting = [(0, branch) for branch in writing.tree.carried.get(0, ())]
    for body, _ in writing.tree.roots:
        weld[id(body)], above[id(body)] = id(body), 0
        waiting += [(id(body), branch) for branch in writing.tree.carried.get(id(body), ())]
    while waiting:
        parent, branch = waiting.pop()
        child = id(branch.child)
        if branch.joint.kind == "fixed":
            weld[child] = weld[parent]
        else:
            weld[child], above[child] = child, weld[parent]
        waiting += [(child, inner) for inner in writing.tree.carried.get(child, ())]
    return weld, above

"""Geoms of MJCF: shapes that collide and shapes that are drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.formats.meshes.hull import reduced_hull
from linkwork.formats.mjcf.context import MjcfReading
from linkwork.formats.mjcf.meeting import MeetingGeoms
from linkwork.model import Body, Box, Capsule, Cylinder, Ellipsoid, Frame, HeightField, Material, Mesh, Shape, Sphere

PLANE, FIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH = range(8)  # MuJoCo's codes of geoms
HIDDEN = 3  # groups from here on are not drawn, unless a user asks for them
DEFAULT_COLOUR = (0.5, 0.5, 0.5, 1.0)


@dataclass
class MadeShape:
    """A shape that collides, one that is drawn, and what they approximate."""

    solid: Shape | None
    drawn: Shape | None
    told: str = ""


def add_geoms(reading: MjcfReading, meeting: MeetingGeoms, contact: bool, meshes: bool) -> None:
    """Colliders with their materials, and what is only drawn."""
    m = reading.m
    for geom in range(m.ngeom):
        body = int(m.geom_bodyid[geom])
        collides = bool(meeting.collides[geom])
        if int(m.geom_type[geom]) == MESH and not meshes:
            reading.ignore("geom", geom, "meshes=False: no mesh is read", matters=collides and contact)
            continue
        try:
            made = _shape(reading, geom)
        except ModelError as error:
            reading.ignore("geom", geom, f"its shape cannot be built ({error})", matters=collides and contact)
            continue
        if made is None:
            reading.ignore("geom", geom, "a shape of this type has no counterpart", matters=collides and contact)
            continue
        if collides and not contact:
            reading.ignore("geom", geom, "contact=False: nothing collides", matters=False)
        _picture(reading, geom, reading.bodies[body], made, collides and contact)
        if collides and contact:
            _collider(reading, geom, body, made, meeting)
        elif not collides:
            reading.understand("geom", geom, "only drawn")
    if contact:
        meeting.separate()


def _pose(reading: MjcfReading, geom: int) -> Frame:
    return Frame(reading.m.geom_pos[geom], reading.m.geom_quat[geom])


def _shape(reading: MjcfReading, geom: int) -> MadeShape | None:
    m, kind, pose = reading.m, int(reading.m.geom_type[geom]), _pose(reading, geom)
    x, y, z = (float(each) for each in m.geom_size[geom])
    plain: Shape | None = None
    if kind == PLANE:
        return MadeShape(None, None)
    if kind == SPHERE:
        plain = Sphere(x, pose=pose)
    elif kind == CAPSULE:
        plain = Capsule(x, 2 * y, pose=pose)
    elif kind == CYLINDER:
        plain = Cylinder(x, 2 * y, pose=pose)
    elif kind == BOX:
        plain = Box((2 * x, 2 * y, 2 * z), pose=pose)
    elif kind == ELLIPSOID:
        plain = Sphere(x, pose=pose) if x == y == z else Ellipsoid((x, y, z), pose=pose)
    if plain is not None:
        return MadeShape(plain, plain)
    if kind == MESH:
        return _mesh(m, int(m.geom_dataid[geom]), pose)
    if kind == FIELD:
        return MadeShape(_field(m, int(m.geom_dataid[geom]), pose), None)
    return None


def _mesh(m: Any, mesh: int, pose: Frame) -> MadeShape:
    first, count = int(m.mesh_vertadr[mesh]), int(m.mesh_vertnum[mesh])
    points = np.array(m.mesh_vert[first : first + count], dtype=float)
    first, count = int(m.mesh_faceadr[mesh]), int(m.mesh_facenum[mesh])
    triangles = points[np.array(m.mesh_face[first : first + count])]
    hull = reduced_hull(points, pose)
    return MadeShape(hull.hull, Mesh(triangles=triangles, pose=pose), hull.told)


def _field(m: Any, field: int, pose: Frame) -> HeightField:
    first, rows, columns = int(m.hfield_adr[field]), int(m.hfield_nrow[field]), int(m.hfield_ncol[field])
    heights = np.array(m.hfield_data[first : first + rows * columns], dtype=float).reshape(rows, columns)
    x, y, z, _ = (float(each) for each in m.hfield_size[field])
    return HeightField(z * heights.T, size=(2 * x, 2 * y), pose=pose)


def colour_of(m: Any, geom: int) -> tuple[float, ...]:
    """Red, green, blue and opacity of a geom: its own, or that of its material."""
    own = tuple(round(float(each), 6) for each in m.geom_rgba[geom])
    material = int(m.geom_matid[geom])
    if material >= 0 and own == DEFAULT_COLOUR:
        return tuple(round(float(each), 6) for each in m.mat_rgba[material])
    return own


def _picture(reading: MjcfReading, geom: int, body: Body, made: MadeShape, collides: bool) -> None:
    m = reading.m
    if made.drawn is None or m.geom_group[geom] >= HIDDEN or (collides and body is reading.model.ground):
        return
    default = f"{body.name} geom {geom}"
    if collides:  # its own name goes to what collides
        wanted = reading.compiled.name("geom", geom) or default
        name = reading.free_name(f"{wanted} seen", "visual")
    else:
        name = reading.new_name("geom", geom, "visual", default)
    colour = np.clip(colour_of(m, geom), 0.0, 1.0)
    reading.model.visual(name, body, made.drawn, colour=tuple(colour.tolist()))


def _collider(reading: MjcfReading, geom: int, body: int, made: MadeShape, meeting: MeetingGeoms) -> None:
    m, model, kind = reading.m, reading.model, int(reading.m.geom_type[geom])
    on = reading.bodies[body]
    material = _surface(m, geom)
    name = reading.new_name("geom", geom, "collider", f"{on.name} geom {geom}")
    if kind in (PLANE, FIELD):  # on grounds only
        frame = reading.world_pose(body) @ _pose(reading, geom)
        on, body = model.ground, 0
        if kind == PLANE:
            model.plane(name, at=frame.position, normal=frame.direction((0, 0, 1)), material=material)
        else:
            assert made.solid is not None
            model.collider(name, on, replace(made.solid, pose=frame), material=material)
    else:
        assert made.solid is not None
        model.collider(name, on, made.solid, material=material, group=meeting.group(geom))
    meeting.place(geom, on)
    if made.told:
        reading.approximate("geom", geom, made.told)
    else:
        shape = "plane" if kind == PLANE else type(made.solid).__name__
        reading.understand("geom", geom, f"collider '{name}' on '{on.path}', {shape}, {_told(material)}")
    _softened(reading, geom)


def _surface(m: Any, geom: int) -> Material:
    """Friction of a geom as far as its condim has it: sliding from 3 on, turning from 4 on, rolling with 6."""
    dimensions = int(m.geom_condim[geom])
    sliding, torsional, rolling = (float(each) for each in m.geom_friction[geom])
    return Material(
        friction=sliding if dimensions > 1 else 0.0,
        torsional=torsional if dimensions > 3 else 0.0,
        rolling=rolling if dimensions > 4 else 0.0,
    )


def _told(material: Material) -> str:
    more = {"torsional": material.torsional, "rolling": material.rolling}
    return f"friction {material.friction:g}" + "".join(f", {name} {x:g} m" for name, x in more.items() if x)


def _softened(reading: MjcfReading, geom: int) -> None:
    """Tell what of the contacts of a geom differs."""
    m = reading.m
    if m.geom_margin[geom] or m.geom_gap[geom]:
        reading.approximate("geom", geom, "margin or gap: contacts begin where surfaces touch")
    if np.any(m.geom_surfacevel[geom]):
        reading.ignore("geom", geom, "surfacevel: surfaces that move have no counterpart")
    if m.geom_adhesion[geom]:
        reading.ignore("geom", geom, "adhesion has no counterpart")

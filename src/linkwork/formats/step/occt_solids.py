"""Solids by OCP: mass properties, triangles, and what kind of surface each face is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from OCP.Bnd import Bnd_Box
from OCP.BRep import BRep_Tool
from OCP.BRepAdaptor import BRepAdaptor_Surface
from OCP.BRepBndLib import BRepBndLib
from OCP.BRepGProp import BRepGProp
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.GeomAbs import GeomAbs_Cone, GeomAbs_Cylinder, GeomAbs_Plane, GeomAbs_Sphere, GeomAbs_Torus
from OCP.GProp import GProp_GProps
from OCP.TopAbs import TopAbs_FACE, TopAbs_REVERSED, TopAbs_SHAPE
from OCP.TopExp import TopExp_Explorer
from OCP.TopLoc import TopLoc_Location
from OCP.TopoDS import TopoDS

from linkwork.formats.step.cad_data import CONE, CYLINDER, OTHER, PLANE, SPHERE, TORUS, CadFace, CadSolid
from linkwork.model.checked import Vector

MM = 1e-3  # OCCT's coordinates are millimetres
FINE = 2e-3  # of the size of a solid: how far triangles may be from it
TURN = 0.35  # rad between neighbouring triangles


def explored(shape: Any, kind: Any, avoid: Any = TopAbs_SHAPE) -> Iterator[Any]:
    """Shapes of a kind in a shape, but not inside of those of the kind `avoid`."""
    walk = TopExp_Explorer(shape, kind, avoid)
    while walk.More():
        yield walk.Current()
        walk.Next()


def read_solid(shape: Any, name: str, colour: str, tolerance: float | None) -> CadSolid | None:
    """A solid with its faces, or None where it encloses nothing; `tolerance` of the triangles in m."""
    found = GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, found)  # Gauss points by degree; with a bound on the error only volumes obey it
    volume = found.Mass()
    centre, matrix = found.CentreOfMass(), found.MatrixOfInertia()
    inertia = np.array([[matrix.Value(i, j) for j in (1, 2, 3)] for i in (1, 2, 3)])
    if volume < 0.0:  # inside out
        volume, inertia = -volume, -inertia
    place = np.array([centre.X(), centre.Y(), centre.Z()])
    if not (volume > 0.0 and np.isfinite(place).all() and np.isfinite(inertia).all()):
        return None
    deflection = _size(shape) * FINE if tolerance is None else tolerance / MM
    BRepMesh_IncrementalMesh(shape, deflection, False, TURN, False)
    triangles, faces = _faces(shape)
    return CadSolid(name, volume * MM**3, place * MM, inertia * MM**5, colour, triangles, faces)


def _size(shape: Any) -> float:
    bounds = Bnd_Box()
    BRepBndLib.Add_s(shape, bounds)
    return max(float(np.sqrt(bounds.SquareExtent())), 1e-6)


def _faces(shape: Any) -> tuple[Vector, list[CadFace]]:
    triangles: list[Vector] = []
    faces: list[CadFace] = []
    first = 0
    for number, each in enumerate(explored(shape, TopAbs_FACE), 1):
        face = TopoDS.Face(each)
        corners = _triangles(face)
        triangles.append(corners)
        faces.append(_face(face, number, corners, first))
        first += len(corners)
    return np.concatenate(triangles or [np.zeros((0, 3, 3))]), faces


def _triangles(face: Any) -> Vector:
    """Corners (n, 3, 3) in m, counter-clockwise seen from outside."""
    place = TopLoc_Location()
    mesh = BRep_Tool.Triangulation_s(face, place)
    if mesh is None or mesh.NbTriangles() == 0:
        return np.zeros((0, 3, 3))
    points = np.array([_xyz(mesh.Node(k)) for k in range(1, mesh.NbNodes() + 1)])
    corners = np.array([mesh.Triangle(k).Get() for k in range(1, mesh.NbTriangles() + 1)]) - 1
    if not place.IsIdentity():
        matrix = placement(place)
        points = points @ matrix[:3, :3].T + matrix[:3, 3] / MM
    if face.Orientation() == TopAbs_REVERSED:
        corners = corners[:, ::-1]
    found: Vector = points[corners] * MM
    return found


def _face(face: Any, number: int, corners: Vector, first: int) -> CadFace:
    surface = BRepAdaptor_Surface(face)
    kind = surface.GetType()
    point, axis, radii, code = np.zeros(3), np.array([0.0, 0.0, 1.0]), (0.0, 0.0), OTHER
    if kind == GeomAbs_Plane:
        found: Any = surface.Plane()
        code, axis = PLANE, _xyz(found.Axis().Direction())
    elif kind == GeomAbs_Cylinder:
        found = surface.Cylinder()
        code, axis, radii = CYLINDER, _xyz(found.Axis().Direction()), (found.Radius() * MM, 0.0)
    elif kind == GeomAbs_Cone:
        found = surface.Cone()
        code, axis, radii = CONE, _xyz(found.Axis().Direction()), (found.RefRadius() * MM, found.SemiAngle())
    elif kind == GeomAbs_Sphere:
        found = surface.Sphere()
        code, radii = SPHERE, (found.Radius() * MM, 0.0)
    elif kind == GeomAbs_Torus:
        found = surface.Torus()
        code, axis = TORUS, _xyz(found.Axis().Direction())
        radii = (found.MajorRadius() * MM, found.MinorRadius() * MM)
    if code != OTHER:
        point = _xyz(found.Location()) * MM
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    if code == PLANE and normals.sum(axis=0) @ axis < 0.0:
        axis = -axis
    middle = corners.mean(axis=1) - point
    if code == TORUS:  # out from the circle in the middle of the tube
        flat = middle - np.outer(middle @ axis, axis)
        middle = middle - radii[0] * flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-300)
    elif code != SPHERE:
        middle = middle - np.outer(middle @ axis, axis)
    hollow = code not in (PLANE, OTHER) and float((normals * middle).sum()) < 0.0
    return CadFace(number, code, point, axis, radii, hollow, first, first + len(corners))


def placement(location: Any) -> Vector:
    """A location as a 4x4 matrix, in m."""
    turn = location.Transformation()
    matrix = np.eye(4)
    matrix[:3] = [[turn.Value(i, j) for j in (1, 2, 3, 4)] for i in (1, 2, 3)]
    matrix[:3, 3] *= MM
    return matrix


def _xyz(point: Any) -> Vector:
    return np.array([point.X(), point.Y(), point.Z()])

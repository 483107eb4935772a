"""Surfaces of triangles are mended until they enclose a solid: welded, turned, closed where holes are small.

An edge is closed where as many triangles run along it one way as the other. Triangles that share closed edges form a
shell. What is left open after welding are holes: loops of edges, filled by fans of triangles where they are small.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import ModelError
from linkwork.model.checked import Vector

WELD = 1e-6  # of the size: corners nearer than this are one, where the surface is not closed otherwise
SMALL_HOLE = 0.05  # of the surface: larger holes are not filled, but for one of a single triangle
MOST_OPEN = 20_000  # edges of holes that are looked for
MOST_SHELLS = 200  # that are asked which lies inside which
Faces = NDArray[np.int64]


class Mended(NamedTuple):
    """A closed surface, all its shells outward but for cavities, and what was done to it."""

    triangles: Vector
    holes: int  # filled
    turned: int  # triangles
    dropped: int  # triangles without an area, or there twice

    @property
    def told(self) -> str:
        """What was done, in words; empty where nothing was."""
        done = [
            f"{count} {word}{'' if count == 1 else 's'} {verb}"
            for count, word, verb in (
                (self.holes, "hole", "filled"),
                (self.turned, "triangle", "turned"),
                (self.dropped, "triangle", "left out"),
            )
            if count
        ]
        return ", ".join(done)


def mended(triangles: Vector, what: str) -> Mended:
    """The triangles (n, 3, 3) as a closed surface; refused where they enclose nothing.

    >>> cube = lw.Hull([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]).triangles
    >>> mended(cube[1:], "cube.stl").told
    '1 hole filled'
    """
    size = float(np.ptp(triangles.reshape(-1, 3), axis=0).max())
    points, faces = _numbered(triangles)
    faces, dropped = _true_faces(faces)
    if len(open_edges(faces)):
        near, other = _welded(points, triangles, WELD * size)
        other, lost = _true_faces(other)
        if len(open_edges(other)) < len(open_edges(faces)):
            points, faces, dropped = near, other, lost
    if len(faces) == 0:
        raise ModelError(f"{what}: none of its triangles has an area; correct the file or its triangles")
    faces, turned = _turned_alike(faces) if len(open_edges(faces)) else (faces, 0)
    holes = _loops(open_edges(faces))
    if holes is None or any(not _is_small(points, faces, hole) for hole in holes):
        raise ModelError(_refusal(points, faces, holes, what))
    for hole in holes:
        points, faces = _filled(points, faces, hole)
    faces = _outward(points, faces)
    return Mended(points[faces], len(holes), turned, dropped)


def _numbered(triangles: Vector) -> tuple[Vector, Faces]:
    """Points, each once, and faces that name them."""
    points, numbers = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    return points, numbers.reshape(-1, 3).astype(np.int64)


def _welded(points: Vector, triangles: Vector, near: float) -> tuple[Vector, Faces]:
    """The same with points nearer than this as one, the first of them."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    pairs = cKDTree(points).query_pairs(near, output_type="ndarray")
    n = len(points)
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    _, owner = connected_components(graph, directed=False)
    _, first = np.unique(owner, return_index=True)
    _, faces = _numbered(triangles)
    return points[first], owner.astype(np.int64)[faces]


def _true_faces(faces: Faces) -> tuple[Faces, int]:
    """Faces of three corners, each once; two that lie back to back go both. And how many went."""
    true = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    first = np.argmin(true, axis=1)
    cycle = np.take_along_axis(true, (first[:, None] + np.arange(3)) % 3, axis=1)
    _, kept = np.unique(cycle, axis=0, return_index=True)
    kept = np.sort(kept)
    once = cycle[kept]
    _, group, count = np.unique(np.sort(once, axis=1), axis=0, return_inverse=True, return_counts=True)
    found = true[kept[count[group.ravel()] == 1]]
    return found, len(faces) - len(found)


def open_edges(faces: Faces) -> Faces:
    """(edge, 2) from a corner to the next, of which the way back is missing."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    low, high = edges.min(axis=1), edges.max(axis=1)
    way = np.where(edges[:, 0] == low, 1, -1)
    key = low * (int(faces.max(initial=0)) + 1) + high
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    excess = np.bincount(group.ravel(), weights=way, minlength=len(first)).astype(np.int64)
    pairs = np.column_stack([low[first], high[first]])
    forward, backward = pairs[excess > 0], pairs[excess < 0][:, ::-1]
    times = np.concatenate([excess[excess > 0], -excess[excess < 0]])
    return np.repeat(np.concatenate([forward, backward]), times, axis=0)


def _shared(faces: Faces) -> tuple[Any, Any, Any]:
    """Pairs of faces on one edge that no third one has, and 1 where both run along it the same way."""
    n = len(faces)
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    owner = np.tile(np.arange(n), 3)
    low, high = edges.min(axis=1), edges.max(axis=1)
    order = np.lexsort((high, low))
    low, high, owner, way = low[order], high[order], owner[order], (edges[:, 0] < edges[:, 1])[order]
    start = np.flatnonzero(np.r_[True, (np.diff(low) != 0) | (np.diff(high) != 0)])
    two = start[np.diff(np.r_[start, len(low)]) == 2]
    return owner[two], owner[two + 1], way[two] == way[two + 1]


def _shells(faces: Faces) -> Any:
    """(face,) the number of its shell."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    a, b, _ = _shared(faces)
    graph = coo_array((np.ones(len(a)), (a, b)), shape=(len(faces), len(faces)))
    return connected_components(graph, directed=False)[1]


def _turned_alike(faces: Faces) -> tuple[Faces, int]:
    """Neighbours run along their edge in opposite ways: of each shell the fewer triangles are turned."""
    a, b, against = _shared(faces)
    if not against.any():
        return faces, 0
    n = len(faces)
    neighbours: list[list[tuple[int, bool]]] = [[] for _ in range(n)]
    for one, two, turn in zip(a.tolist(), b.tolist(), against.tolist(), strict=True):
        neighbours[one].append((two, turn))
        neighbours[two].append((one, turn))
    side = np.full(n, -1)
    flip = np.zeros(n, dtype=bool)
    for seed in range(n):
        if side[seed] >= 0:
            continue
        side[seed], shell, waiting = 0, [seed], [seed]
        while waiting:
            here = waiting.pop()
            for other, turn in neighbours[here]:
                if side[other] < 0:
                    side[other] = side[here] ^ int(turn)
                    shell.append(other)
                    waiting.append(other)
        turned = side[shell] == 1
        flip[shell] = turned if 2 * turned.sum() <= len(shell) else ~turned
    found = faces.copy()
    found[flip] = found[flip][:, ::-1]
    return found, int(flip.sum())


def _loops(edges: Faces) -> list[list[int]] | None:
    """Open edges as closed loops of corners, in the way that faces in them must run; None where they end somewhere."""
    if len(edges) > MOST_OPEN:
        return None
    following: dict[int, list[int]] = {}
    for start, end in edges.tolist():
        following.setdefault(end, []).append(start)  # a face in the hole runs back
    found = []
    for corner in list(following):
        while following.get(corner):
            loop, here = [corner], following[corner].pop()
            while here != corner:
                if here in loop:  # two holes that meet in a corner
                    place = loop.index(here)
                    found.append(loop[place:])
                    loop = loop[:place]
                loop.append(here)
                if not following.get(here):
                    return None
                here = following[here].pop()
            found.append(loop)
    return found


def _area(points: Vector, faces: Faces) -> float:
    a, b, c = (points[faces[:, k]] for k in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()) / 2


def _fan(points: Vector, hole: list[int], middle: int) -> Faces:
    """Triangles from the corners of a hole to a point in its middle."""
    return np.column_stack([hole, np.roll(hole, -1), np.full(len(hole), middle)])


def _filled(points: Vector, faces: Faces, hole: list[int]) -> tuple[Vector, Faces]:
    if len(hole) <= 3:
        return points, np.concatenate([faces, np.array([hole], dtype=np.int64)]) if len(hole) == 3 else faces
    more = np.concatenate([points, points[hole].mean(axis=0)[None]])
    return more, np.concatenate([faces, _fan(more, hole, len(points))])


def _part(points: Vector, faces: Faces, hole: list[int]) -> float:
    """Area of a hole as a part of that of the surface."""
    more, whole = _filled(points, faces, hole)
    area = _area(points, faces)
    return _area(more, whole[len(faces) :]) / area if area > 0.0 else np.inf


def _is_small(points: Vector, faces: Faces, hole: list[int]) -> bool:
    return len(hole) == 3 or _part(points, faces, hole) <= SMALL_HOLE


def _refusal(points: Vector, faces: Faces, holes: list[list[int]] | None, what: str) -> str:
    """Why a surface encloses nothing."""
    count = len(open_edges(faces))
    around = "that form no loops"
    if holes is not None:
        largest = max(_part(points, faces, hole) for hole in holes)
        word = "hole" if len(holes) == 1 else "holes"
        around = f"around {len(holes)} {word}, the largest {100 * largest:.2g} % of its surface"
    return (
        f"{what}: the surface has {count} open edges {around}, and encloses no volume; close it where it was made, or "
        "give the body mass=, inertia= and com= itself, and colliders of other shapes"
    )


def _six_volumes(points: Vector, faces: Faces) -> Vector:
    a, b, c = (points[faces[:, k]] - points.mean(axis=0) for k in range(3))
    volumes: Vector = np.einsum("ni,ni->n", a, np.cross(b, c))
    return volumes


def _outward(points: Vector, faces: Faces) -> Faces:
    """Shells that lie in no other face outward, and what lies in them is turned with them."""
    shell = _shells(faces)
    volumes = np.bincount(shell, weights=_six_volumes(points, faces))
    if (volumes >= 0.0).all() or len(volumes) > MOST_SHELLS:
        return faces[:, ::-1].copy() if volumes.sum() < 0.0 else faces
    inside = np.zeros((len(volumes), len(volumes)), dtype=bool)
    for k in range(len(volumes)):
        inside[k] = [
            k != other and _encloses(points, faces[shell == other], faces[shell == k]) for other in range(len(volumes))
        ]
    outer = ~inside.any(axis=1)
    turn = outer & (volumes < 0.0)
    for k in np.flatnonzero(~outer).tolist():
        around = np.flatnonzero(inside[k] & outer)
        turn[k] = bool(len(around)) and bool(turn[around[0]])
    found = faces.copy()
    found[turn[shell]] = found[turn[shell]][:, ::-1]
    return found


def _encloses(points: Vector, outer: Faces, inner: Faces) -> bool:
    """Whether a corner of one shell lies in another: the solid angle under which it sees it."""
    a, b, c = (points[outer[:, k]] - points[inner[0, 0]] for k in range(3))
    la, lb, lc = (np.linalg.norm(each, axis=1) for each in (a, b, c))
    triple = np.einsum("ni,ni->n", a, np.cross(b, c))
    dots = [np.einsum("ni,ni->n", *pair) for pair in ((a, b), (b, c), (c, a))]
    angle = 2.0 * np.arctan2(triple, la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb).sum()
    return bool(abs(angle) > 2.0 * np.pi)

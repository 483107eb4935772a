"""Height fields: peaks and ridges that are narrower than the solid above them touch its underside.

a b    point of the grid        out base    normal and a point of the underside
k      direction of a grid edge: along x, along y, or the diagonal of the cell
"""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.contact.polyhedra.clip import incident_face
from linkwork.contact.round.cylinder_faces import cap_centre, segment_over_flat
from linkwork.contact.round.nearest_points import signed_distance
from linkwork.contact.terrain.field_grid import add_field_candidate, bounds_in_field, cell, grid_point, to_world
from linkwork.spatial.codes import CYLINDER
from linkwork.spatial.vectors import add_scaled, axis_z, dot, load3, load9, neg, rotate, sub

UNDERSIDE_COSINE = -0.7  # cosine between a face's normal and up below which it is an underside
LEVEL_BEND = 1e-6  # of the field's size: the change of slope below which the terrain is flat
PEAK, RIDGE = 0x2000, 0x4000  # feature numbers of the first grid point and of the first grid edge


@kernel
def is_peak(colliders, j, a, b):
    """Whether the terrain falls off on two opposite sides of a grid point, or ends there."""
    nx = colliders.grid_shape[j, 0]
    ny = colliders.grid_shape[j, 1]
    k = colliders.grid_start[j] + a * ny + b
    if a == 0 or b == 0 or a == nx - 1 or b == ny - 1:
        return True
    h = 2.0 * colliders.grid[k] - LEVEL_BEND * (colliders.size[j, 0] + colliders.size[j, 1])
    return h > colliders.grid[k - ny] + colliders.grid[k + ny] or h > colliders.grid[k - 1] + colliders.grid[k + 1]


@kernel
def ridge_contacts(colliders, scratch, i, j, margin, count):
    """Candidates where peaks and ridges of field j touch the underside of solid i; returns how many there are now."""
    up = axis_z(load9(scratch.R, j))
    low, high = bounds_in_field(colliders, scratch, i, j)
    a0, b0, dx, dy = cell(colliders, j, low[0], low[1])
    a1, b1, dx, dy = cell(colliders, j, high[0], high[1])
    for a in range(a0, a1 + 2):
        for b in range(b0, b1 + 2):
            if not is_peak(colliders, j, a, b):
                continue
            x = to_world(scratch, j, grid_point(colliders, j, a, b, dx, dy))
            n, gap = signed_distance(colliders, scratch, i, x)
            if gap < margin and dot(n, up) < UNDERSIDE_COSINE:
                feature = PEAK + a * colliders.grid_shape[j, 1] + b
                count = add_field_candidate(scratch, count, add_scaled(x, -0.5 * gap, n), n, gap, feature)
    face, out, base = underside(colliders, scratch, i, up)
    if dot(out, up) > UNDERSIDE_COSINE:
        return count
    for a in range(a0, a1 + 2):
        for b in range(b0, b1 + 2):
            for k in range(3):
                if not is_ridge(colliders, j, a, b, k):
                    continue
                x = to_world(scratch, j, grid_point(colliders, j, a, b, dx, dy))
                end = grid_point(colliders, j, a + (1 if k != 1 else 0), b + (1 if k != 0 else 0), dx, dy)
                along = sub(to_world(scratch, j, end), x)
                first, last = segment_over_flat(colliders, scratch, i, face, base, out, x, along)
                if first >= last:
                    continue
                # it must be nearer to the underside than to a side of the solid
                n, gap = signed_distance(colliders, scratch, i, add_scaled(x, 0.5 * (first + last), along))
                if gap >= margin or dot(n, up) > UNDERSIDE_COSINE:
                    continue
                feature = RIDGE + 2 * (3 * (a * colliders.grid_shape[j, 1] + b) + k)
                for e in range(2):
                    part = first if e == 0 else last
                    y = add_scaled(x, part, along)
                    gap = dot(out, sub(y, base))
                    if 0.0 < part < 1.0 and gap < margin:
                        y = add_scaled(y, -0.5 * gap, out)
                        count = add_field_candidate(scratch, count, y, out, gap, feature + e)
    return count


@kernel
def underside(colliders, scratch, i, up):
    """The face (-1 for a cap) of solid i that faces down most, its normal and a point of it."""
    if colliders.kind[i] == CYLINDER:
        out = axis_z(load9(scratch.R, i))
        out = neg(out) if dot(out, up) > 0.0 else out
        return -1, out, cap_centre(colliders, scratch, i, out)
    face = incident_face(colliders, scratch, i, up)
    out = rotate(load9(scratch.R, i), load3(colliders.face_normal, face))
    return face, out, load3(scratch.vertex, colliders.loop[colliders.face_loop[face]])


@kernel
def is_ridge(colliders, j, a, b, k):
    """Whether the terrain falls off on both sides of grid edge k from point (a, b), or ends there."""
    nx = colliders.grid_shape[j, 0]
    ny = colliders.grid_shape[j, 1]
    if a + (k != 1) >= nx or b + (k != 0) >= ny:
        return False
    if (k == 0 and (b == 0 or b == ny - 1)) or (k == 1 and (a == 0 or a == nx - 1)):
        return True
    e = colliders.grid_start[j] + a * ny + b
    if k == 0:
        bend = colliders.grid[e] + colliders.grid[e + ny] - colliders.grid[e + ny + 1] - colliders.grid[e - 1]
    elif k == 1:
        bend = colliders.grid[e] + colliders.grid[e + 1] - colliders.grid[e + ny + 1] - colliders.grid[e - ny]
    else:
        bend = colliders.grid[e] + colliders.grid[e + ny + 1] - colliders.grid[e + ny] - colliders.grid[e + 1]
    return bend > LEVEL_BEND * (colliders.size[j, 0] + colliders.size[j, 1])

"""Height fields: hills that are narrower than what stands on them poke into it, by their tops and by their ridges.

out    normal of the underside        a b    point of the grid
"""

from __future__ import annotations

from linkwork._jit import kernel
from linkwork.contact.clip import facing
from linkwork.contact.cylinder_points import farthest_centre, over_flat
from linkwork.contact.field_grid import cell, grid_point, in_world, note, range_of
from linkwork.contact.nearest_points import outside
from linkwork.spatial.codes import CYLINDER
from linkwork.spatial.vectors import add_scaled, axis_z, dot, load3, load9, neg, rotate, sub

BELOW = -0.7  # a face that looks down by so much is an underside
FLAT = 1e-6  # of the field's size: the land is level where it bends less


@kernel
def pokes(colliders, j, a, b):
    """Whether the land falls off on two opposite sides of a point of the grid, or ends there."""
    nx = colliders.grid_shape[j, 0]
    ny = colliders.grid_shape[j, 1]
    k = colliders.grid_start[j] + a * ny + b
    if a == 0 or b == 0 or a == nx - 1 or b == ny - 1:
        return True
    h = 2.0 * colliders.grid[k] - FLAT * (colliders.size[j, 0] + colliders.size[j, 1])
    return h > colliders.grid[k - ny] + colliders.grid[k + ny] or h > colliders.grid[k - 1] + colliders.grid[k + 1]


@kernel
def ridge_contacts(colliders, scratch, i, j, margin, count):
    """Candidates where points of the grid, and ridges between them, poke into undersides of the solid i."""
    up = axis_z(load9(scratch.R, j))
    low, high = range_of(colliders, scratch, i, j)
    a0, b0, dx, dy = cell(colliders, j, low[0], low[1])
    a1, b1, dx, dy = cell(colliders, j, high[0], high[1])
    for a in range(a0, a1 + 2):
        for b in range(b0, b1 + 2):
            if not pokes(colliders, j, a, b):
                continue
            x = in_world(scratch, j, grid_point(colliders, j, a, b, dx, dy))
            n, gap = outside(colliders, scratch, i, x)
            if gap < margin and dot(n, up) < BELOW:
                count = note(
                    scratch, count, add_scaled(x, -0.5 * gap, n), n, gap, 0x2000 + a * colliders.grid_shape[j, 1] + b
                )
    # the underside
    face = -1
    out = axis_z(load9(scratch.R, i))
    if colliders.kind[i] == CYLINDER:
        out = neg(out) if dot(out, up) > 0.0 else out
        base = farthest_centre(colliders, scratch, i, out)
    else:
        face = facing(colliders, scratch, i, up)
        out = rotate(load9(scratch.R, i), load3(colliders.face_normal, face))
        base = load3(scratch.vertex, colliders.loop[colliders.face_loop[face]])
    if dot(out, up) > BELOW:
        return count
    for a in range(a0, a1 + 2):
        for b in range(b0, b1 + 2):
            for k in range(3):
                if ridge(colliders, j, a, b, k):
                    x = in_world(scratch, j, grid_point(colliders, j, a, b, dx, dy))
                    end = grid_point(colliders, j, a + (1 if k != 1 else 0), b + (1 if k != 0 else 0), dx, dy)
                    along = sub(in_world(scratch, j, end), x)
                    first, last = over_flat(colliders, scratch, i, face, base, out, x, along)
                    if first >= last:
                        continue
                    # through the underside, and not by way of a side
                    n, gap = outside(colliders, scratch, i, add_scaled(x, 0.5 * (first + last), along))
                    if gap >= margin or dot(n, up) > BELOW:
                        continue
                    tag = 0x4000 + 2 * (3 * (a * colliders.grid_shape[j, 1] + b) + k)
                    for e in range(2):
                        part = first if e == 0 else last
                        y = add_scaled(x, part, along)
                        gap = dot(out, sub(y, base))
                        if 0.0 < part < 1.0 and gap < margin:
                            count = note(scratch, count, add_scaled(y, -0.5 * gap, out), out, gap, tag + e)
    return count


@kernel
def ridge(colliders, j, a, b, k):
    """Whether the land falls off or ends beside an edge from a point of the grid: along x, along y, or across."""
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
    return bend > FLAT * (colliders.size[j, 0] + colliders.size[j, 1])

"""Curves and surfaces that guide a point of body b, in the axes of the frame a that they are fixed to.

    x xd xdd  the point, its velocity and acceleration relative to frame a        C   point of the curve over u
    u         its foot point: C'(u) . r = 0 with r = x - C(u)                     m   u' = C' . xd / m
    E         a direction across the curve: row g = E(u) . r                      s   arc length

Feet are found anew from the position alone: first the nearest chord, then Newton. Beyond its ends a curve goes on
straight; a run that comes there is stopped, see `left_guide`.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.spatial.codes import ACROSS, CYLINDER_GUIDE, HEIGHTS_GUIDE, PLANE_GUIDE
from linkwork.spatial.vectors import (
    ZERO,
    add,
    add_scaled,
    cross,
    dot,
    load3,
    norm,
    rotate,
    scale,
    sub,
    unrotate,
)

FOOT_STEPS = 40  # of Newton at most
FOUND = 1e-10  # of a piece: after a smaller step the foot is exact
OVER = 1e-6  # of the length of a curve, or the side of a grid: how far its point may be beyond it
POLE = 1e-13  # m: from the centre of a sphere, or the axis of a cylinder, no direction leads to its surface
# Gauss, ten points: half of the places on -1 … 1, and their weights
GAUSS = (
    (0.1488743389816312, 0.2955242247147529),
    (0.4333953941292472, 0.2692667193099963),
    (0.6794095682990244, 0.2190863625159820),
    (0.8650633666889845, 0.1494513491505806),
    (0.9739065285171717, 0.0666713443086881),
)


@small
def curve_at(guides, k, u):
    """C and its three derivatives by u on piece k; straight on where u is beyond its ends."""
    v = min(max(u, 0.0), guides.piece_span[k])
    c1 = load3(guides.piece_bend, 4 * k + 1)
    c2 = load3(guides.piece_bend, 4 * k + 2)
    C = load3(guides.piece_bend, 4 * k)
    if guides.piece_round[k] == 1:
        c = math.cos(v)
        s = math.sin(v)
        C2 = add_scaled(scale(-c, c1), -s, c2)
        C = sub(C, C2)
        C1 = add_scaled(scale(-s, c1), c, c2)
        C3 = scale(-1.0, C1)
    else:
        c3 = load3(guides.piece_bend, 4 * k + 3)
        C = add_scaled(C, v, add_scaled(c1, v, add_scaled(c2, v, c3)))
        C1 = add_scaled(c1, v, add_scaled(scale(2.0, c2), 3.0 * v, c3))
        C2 = add_scaled(scale(2.0, c2), 6.0 * v, c3)
        C3 = scale(6.0, c3)
    if u != v:
        return add_scaled(C, u - v, C1), C1, ZERO, ZERO
    return C, C1, C2, C3


@small
def nearest_block(guides, i, x):
    """The block of curve i whose ball x is deepest in, or least outside."""
    b = guides.curve_block[i]
    best = math.inf
    for j in range(b, guides.curve_block[i + 1]):
        d = sub(x, load3(guides.block_center, j))
        away = dot(d, d) - guides.block_radius[j] * guides.block_radius[j]
        if away < best:
            best = away
            b = j
    return b


@kernel
def nearest_chord(guides, i, x):
    """The piece of curve i whose chord is nearest to x, and the parameter there."""
    first = nearest_block(guides, i, x)
    best, k, u = nearest_in_block(guides, first, x, math.inf, guides.block_piece[first], 0.0)
    near = math.sqrt(best)
    for b in range(guides.curve_block[i], guides.curve_block[i + 1]):
        d = sub(x, load3(guides.block_center, b))
        reach = near + guides.block_radius[b]
        if b != first and dot(d, d) < reach * reach:
            best, k, u = nearest_in_block(guides, b, x, best, k, u)
    return k, u


@kernel
def nearest_in_block(guides, b, x, best, k, u):
    """The same among the pieces of block b and what was found before; and the square of the distance."""
    for j in range(guides.block_piece[b], guides.block_piece[b + 1]):
        d = sub(x, load3(guides.piece_corner, j))
        c = load3(guides.piece_chord, j)
        t = min(max(dot(d, c) * guides.piece_shrink[j], 0.0), 1.0)
        r = add_scaled(d, -t, c)
        away = dot(r, r)
        if away < best:
            best = away
            k = j
            u = t * guides.piece_span[j]
    return best, k, u


@kernel
def find_foot(guides, i, x):
    """Piece and parameter of the point of curve i that is nearest to x."""
    first = guides.curve_piece[i]
    last = guides.curve_piece[i + 1] - 1
    closed = guides.curve_closed[i] == 1
    k, u = nearest_chord(guides, i, x)
    for _ in range(FOOT_STEPS):
        C, C1, C2, _ = curve_at(guides, k, u)
        r = sub(x, C)
        speed = dot(C1, C1)
        # beyond the centre of curvature the foot is not the nearest point: descend
        step = dot(C1, r) / max(speed - dot(C2, r), 0.25 * speed)
        u += step
        if u < 0.0 and (closed or k > first):
            k = k - 1 if k > first else last
            u += guides.piece_span[k]
        elif u > guides.piece_span[k] and (closed or k < last):
            u -= guides.piece_span[k]
            k = k + 1 if k < last else first
        if abs(step) <= FOUND * guides.piece_span[k]:
            break
    return k, u


@small
def across(guides, k, u, i):
    """E of row i (0 or 1) and its derivative by u: between the normals at the ends of the piece."""
    h = guides.piece_span[k]
    v = min(max(u, 0.0), h)
    E = load3(guides.piece_normal, 4 * k + 2 * i)
    E1 = scale(1.0 / h, sub(load3(guides.piece_normal, 4 * k + 2 * i + 1), E))
    return add_scaled(E, v, E1), E1 if u == v else ZERO


@kernel
def curve_row(guides, k, u, i, x):
    """g of row i of a point on a curve, and its gradient in x; k and u are its foot."""
    C, C1, C2, _ = curve_at(guides, k, u)
    E, E1 = across(guides, k, u, i)
    r = sub(x, C)
    m = dot(C1, C1) - dot(C2, r)
    return dot(E, r), add_scaled(E, (dot(E1, r) - dot(E, C1)) / m, C1)


@small
def parameter_rates(C1, C2, C3, r, xd, xdd):
    """First and second rate of the foot's parameter."""
    m = dot(C1, C1) - dot(C2, r)
    ud = dot(C1, xd) / m
    udd = (dot(C1, xdd) + 2.0 * dot(C2, xd) * ud - (3.0 * dot(C1, C2) - dot(C3, r)) * ud * ud) / m
    return ud, udd


@kernel
def curve_acceleration(guides, k, u, i, x, xd, xdd):
    """gdd of row i of a point on a curve."""
    C, C1, C2, C3 = curve_at(guides, k, u)
    E, E1 = across(guides, k, u, i)
    r = sub(x, C)
    ud, udd = parameter_rates(C1, C2, C3, r, xd, xdd)
    rdd = add_scaled(add_scaled(xdd, -ud * ud, C2), -udd, C1)
    return dot(E, rdd) + 2.0 * ud * dot(E1, add_scaled(xd, -ud, C1)) + udd * dot(E1, r)


@kernel
def arc_length(guides, curve, k, u, previous):
    """s of a foot; on a closed curve with the whole turns that bring it nearest to `previous`."""
    v = min(max(u, 0.0), guides.piece_span[k])
    s = 0.0
    for place, weight in GAUSS:
        _, low, _, _ = curve_at(guides, k, 0.5 * v * (1.0 - place))
        _, high, _, _ = curve_at(guides, k, 0.5 * v * (1.0 + place))
        s += 0.5 * v * weight * (norm(low) + norm(high))
    if u != v:
        _, C1, _, _ = curve_at(guides, k, v)
        s += (u - v) * norm(C1)
    s += guides.piece_start[k]
    if guides.curve_closed[curve] == 1:
        s += guides.curve_length[curve] * round((previous - s) / guides.curve_length[curve])
    return s


@kernel
def arc_gradient(guides, k, u, x):
    """Gradient of s in x: along the curve, a unit vector where x is on it."""
    C, C1, C2, _ = curve_at(guides, k, u)
    return scale(norm(C1) / (dot(C1, C1) - dot(C2, sub(x, C))), C1)


@kernel
def arc_acceleration(guides, curve, x, xd, xdd):
    """Second rate of s."""
    k, u = find_foot(guides, curve, x)
    C, C1, C2, C3 = curve_at(guides, k, u)
    ud, udd = parameter_rates(C1, C2, C3, sub(x, C), xd, xdd)
    return norm(C1) * udd + dot(C1, C2) / norm(C1) * ud * ud


# --- surfaces: g is the distance from a plane, cylinder or sphere, and the height above a field


@kernel
def surface_row(guides, surface, x, xd):
    """g of a point on a surface, its gradient in x, and xd . (second derivative) xd."""
    kind = guides.surface_kind[surface]
    if kind == HEIGHTS_GUIDE:
        return heights_row(guides, surface, x, xd)
    r = sub(x, load3(guides.surface_center, surface))
    n = load3(guides.surface_axis, surface)
    if kind == PLANE_GUIDE:
        return dot(n, r), n, 0.0
    if kind == CYLINDER_GUIDE:
        r = add_scaled(r, -dot(n, r), n)
        xd = add_scaled(xd, -dot(n, xd), n)
    away = norm(r)
    n = scale(1.0 / away, r) if away > POLE else ZERO
    swing = dot(xd, xd) - dot(n, xd) * dot(n, xd)
    return away - guides.surface_radius[surface], n, swing / max(away, POLE)


@small
def cell_of(grid, first, last, x):
    """The last of grid[first … last - 2] that is not above x, or the first."""
    low = first
    high = last - 1
    while high - low > 1:
        middle = (low + high) // 2
        if grid[middle] <= x:
            low = middle
        else:
            high = middle
    return low


@small
def cubic(a, b, c, d, t):
    """a + b t + c t^2 + d t^3 and its two derivatives."""
    return a + t * (b + t * (c + t * d)), b + t * (2.0 * c + 3.0 * t * d), 2.0 * c + 6.0 * t * d


@small
def cell_row(cells, k, first, t):
    """The cubic of cell k with four coefficients from `first` on, and its two derivatives, at t."""
    return cubic(cells[k, first], cells[k, first + 1], cells[k, first + 2], cells[k, first + 3], t)


@kernel
def heights_row(guides, surface, x, xd):
    """`surface_row` of z - h(x, y)."""
    first = guides.surface_grid[surface, 0]
    middle = guides.surface_grid[surface, 1]
    last = guides.surface_grid[surface, 2]
    i = cell_of(guides.grid, first, middle, x[0])
    j = cell_of(guides.grid, middle, last, x[1])
    s = x[0] - guides.grid[i]
    t = x[1] - guides.grid[j]
    cell = guides.surface_cell[surface] + (i - first) * (last - middle - 1) + j - middle
    # along y for each power of x
    a = cell_row(guides.cell, cell, 0, t)
    b = cell_row(guides.cell, cell, 4, t)
    c = cell_row(guides.cell, cell, 8, t)
    d = cell_row(guides.cell, cell, 12, t)
    h, hx, hxx = cubic(a[0], b[0], c[0], d[0], s)
    hy, hxy, _ = cubic(a[1], b[1], c[1], d[1], s)
    hyy, _, _ = cubic(a[2], b[2], c[2], d[2], s)
    bend = hxx * xd[0] * xd[0] + 2.0 * hxy * xd[0] * xd[1] + hyy * xd[1] * xd[1]
    return x[2] - h, (-hx, -hy, 1.0), -bend


# --- ends


@kernel
def left_guide(cuts, cut_q):
    """The first edge of a curve or surface that its point is beyond, or -1; needs the coordinates of the cuts."""
    guides = cuts.guides
    for e in range(guides.edge_q.size):
        x = cut_q[guides.edge_q[e]]
        low = guides.edge_low[e]
        high = guides.edge_high[e]
        if x < low - OVER * (high - low) or x > high + OVER * (high - low):
            return e
    return -1


# --- rows and measures of joints


@small
def relative_motion(R_a, w_a, a_a, d, u, b):
    """x, xd, xdd of a point at d from the origin of frame a, which moves with u and b relative to that origin."""
    slip = sub(u, cross(w_a, d))
    turned = add(cross(a_a, d), add(cross(w_a, cross(w_a, d)), scale(2.0, cross(w_a, slip))))
    return unrotate(R_a, d), unrotate(R_a, slip), unrotate(R_a, sub(b, turned))


@kernel
def guide_foot(cuts, r, last, R_a, d):
    """Piece and parameter of the foot of the rows from r to before `last`, where they hold a point on a curve."""
    if r < last and cuts.row_kind[r] == ACROSS:
        return find_foot(cuts.guides, cuts.row_j[r], unrotate(R_a, d))
    return 0, 0.0


@kernel
def guide_row(cuts, r, R_a, d, k, u):
    """g of row r, whose point is at d from the origin of frame a, and its gradient, in the axes of a."""
    x = unrotate(R_a, d)
    if cuts.row_kind[r] == ACROSS:
        return curve_row(cuts.guides, k, u, cuts.row_i[r], x)
    g, e, _ = surface_row(cuts.guides, cuts.row_j[r], x, ZERO)
    return g, e


@kernel
def guide_acceleration(cuts, r, x, xd, xdd, k, u):
    """gdd of row r."""
    if cuts.row_kind[r] == ACROSS:
        return curve_acceleration(cuts.guides, k, u, cuts.row_i[r], x, xd, xdd)
    _, e, swing = surface_row(cuts.guides, cuts.row_j[r], x, xd)
    return dot(e, xdd) + swing


@kernel
def guide_direction(cuts, r, R_a, d, k, u):
    """The direction of the force of row r on b, world axes."""
    _, e = guide_row(cuts, r, R_a, d, k, u)
    return rotate(R_a, e)


@kernel
def arc_direction(cuts, m, R_a, d):
    """The direction of a force on measure m, an arc length: along the curve, world axes."""
    x = unrotate(R_a, d)
    k, u = find_foot(cuts.guides, cuts.measure_axis[m], x)
    return rotate(R_a, arc_gradient(cuts.guides, k, u, x))


@kernel
def arc_measure(cuts, m, R_a, d, previous):
    """Value of measure m, an arc length, and its direction."""
    x = unrotate(R_a, d)
    k, u = find_foot(cuts.guides, cuts.measure_axis[m], x)
    s = arc_length(cuts.guides, cuts.measure_axis[m], k, u, previous)
    return s, rotate(R_a, arc_gradient(cuts.guides, k, u, x))


@kernel
def guide_bias(cuts, r, R_a, w_a, d, v):
    """What of gdd of row r comes from velocities where places and axes of the bodies are linear in the coordinates.

    Then x_i = e_i . d has the second rate 2 e_i' . d' without accelerations.
    """
    x, xd, _ = relative_motion(R_a, w_a, ZERO, d, v, ZERO)
    k, u = guide_foot(cuts, r, r + 1, R_a, d)
    return guide_acceleration(cuts, r, x, xd, scale(2.0, unrotate(R_a, cross(v, w_a))), k, u)

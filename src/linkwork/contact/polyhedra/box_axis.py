"""Separating axis of two boxes: the candidates of `separating_axis` in closed form, without their corners.

    a b    axes of i and j        s t    half sides        c    centre of j seen from i, in the axes of i
    C      cosines: a_k . b_l     A      their sizes

Along a_k, box j reaches A t to either side. Along a_k x b_l, of length sqrt(1 - C_kl^2), only the two other axes of
each box count, and their products with it are again elements of C (Gottschalk, Lin and Manocha 1996).
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.spatial.vectors import column, cross, dot, load3, load9, multiply, scale, sub, transpose, unrotate

PARALLEL_SINE = 1e-3  # sine of the angle below which two edges are parallel and make no axis
FACE_PREFERENCE = 1e-3  # of the smaller shape: by how much edges, or a face of j, must be better than a face of i
# what `separating_axis` returns first
SEPARATED, FACE_OF_I, FACE_OF_J, EDGES = range(4)


@small
def face_along(colliders, i, k, side):
    """Face of box i whose normal is along its axis k, or against it where `side` is negative."""
    f = colliders.face_start[i]
    while f + 1 < colliders.face_start[i + 1] and colliders.face_normal[f, k] * side < 0.5:
        f += 1
    return f


@small
def largest_of(x, y, z):
    """Which of the three is largest, and it."""
    if x >= y and x >= z:
        return 0, x
    if y >= z:
        return 1, y
    return 2, z


@small
def edge_gaps(C, A, s, t, c):
    """Edges k of i and l of j (3 k + l) along whose product the boxes are farthest apart, and how far."""
    best = -math.inf
    found = -1
    for k in range(3):
        k_1 = (k + 1) % 3
        k_2 = (k + 2) % 3
        for l in range(3):
            l_1 = (l + 1) % 3
            l_2 = (l + 2) % 3
            x = C[3 * k + l]
            size = math.sqrt(max(0.0, 1.0 - x * x))
            if size < PARALLEL_SINE:
                continue
            away = abs(c[k_2] * C[3 * k_1 + l] - c[k_1] * C[3 * k_2 + l])
            reach = (
                s[k_1] * A[3 * k_2 + l] + s[k_2] * A[3 * k_1 + l] + t[l_1] * A[3 * k + l_2] + t[l_2] * A[3 * k + l_1]
            )
            gap = (away - reach) / size
            if gap > best:
                best = gap
                found = 3 * k + l
    return found, best


@kernel
def box_axis(colliders, scratch, i, j, margin):
    """`separating_axis` of two boxes."""
    R_i = load9(scratch.R, i)
    R_j = load9(scratch.R, j)
    s = load3(colliders.size, i)
    t = load3(colliders.size, j)
    between = sub(load3(scratch.p, j), load3(scratch.p, i))
    c = unrotate(R_i, between)
    e = unrotate(R_j, between)
    C = multiply(transpose(R_i), R_j)
    A = (abs(C[0]), abs(C[1]), abs(C[2]), abs(C[3]), abs(C[4]), abs(C[5]), abs(C[6]), abs(C[7]), abs(C[8]))
    axis = (0.0, 0.0, 1.0)
    k, gap = largest_of(
        abs(c[0]) - s[0] - (A[0] * t[0] + A[1] * t[1] + A[2] * t[2]),
        abs(c[1]) - s[1] - (A[3] * t[0] + A[4] * t[1] + A[5] * t[2]),
        abs(c[2]) - s[2] - (A[6] * t[0] + A[7] * t[1] + A[8] * t[2]),
    )
    if gap > margin:
        return SEPARATED, -1, axis, gap
    m, other = largest_of(
        abs(e[0]) - t[0] - (A[0] * s[0] + A[3] * s[1] + A[6] * s[2]),
        abs(e[1]) - t[1] - (A[1] * s[0] + A[4] * s[1] + A[7] * s[2]),
        abs(e[2]) - t[2] - (A[2] * s[0] + A[5] * s[1] + A[8] * s[2]),
    )
    if other > margin:
        return SEPARATED, -1, axis, other
    slack = FACE_PREFERENCE * min(colliders.bound[i], colliders.bound[j])
    on_j = other > gap + slack
    best = other if on_j else gap
    edges, far = edge_gaps(C, A, s, t, c)
    if far > margin:
        return SEPARATED, -1, axis, far
    if far > best + slack:
        axis = cross(column(R_i, edges // 3), column(R_j, edges % 3))
        size = math.sqrt(dot(axis, axis))
        return EDGES, -1, scale(1.0 / size if dot(axis, between) >= 0.0 else -1.0 / size, axis), far
    if on_j:
        return FACE_OF_J, face_along(colliders, j, m, -1.0 if e[m] >= 0.0 else 1.0), axis, best
    return FACE_OF_I, face_along(colliders, i, k, 1.0 if c[k] >= 0.0 else -1.0), axis, best

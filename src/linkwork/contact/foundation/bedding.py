"""Elastic foundation: surfaces that press back by so much per area and depth (Winkler's bed), as contacts.

    K    pressure per depth, N/m3        d    depth in columns along n, from i to j        V    volume, the sum of d
    A C  area of the patch d > 0, its second moments about its middle c as a part of A         S    the root of C

A patch presses with K V where the middle of that volume is; if the two approach a little, with K A more, turned about
c with K A C. Four contacts do all of this exactly: at c + √2 S e and c − √2 S e, for e along two axes, each with a
quarter of the area. For together they have the area, the middle and the second moments of the patch. They lie within
it, since a convex patch contains the ellipse √2 S. The present force is shared such that its sum and moments are right.

Within a step the patch may grow. Where the two approach, the stiffness is that of the chord from the present force to
the one where the motion leads: no less than what is stored on the way, so that no step, however long, gains energy. Of
two beds in contact the softer gives way more: 1/K is the sum of both. How much is lost goes by that, too.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.contact.contact_cache import add_contact
from linkwork.contact.foundation.flat_overlap import NOTHING, polyhedra_overlap
from linkwork.contact.foundation.round_overlap import patch_axis, round_overlap
from linkwork.spatial.codes import BEDDED, BOX, HULL, PLANE, RIGID
from linkwork.spatial.vectors import add, add_scaled, cross, dot, load3, load_pair, scale, sub

SAME_NORMAL = 0.99  # cosine of the angle up to which points of a pair touch in the same patch
SLOW = 1e-3  # of the mean depth: what closes by less in a step has the stiffness of the patch as it is
LEAST_STIFFNESS = 1e-9  # of that of its area: no contact has less
LEAST_WIDTH = 1e-12  # of a patch, as a part of its length, squared: a thinner one has this width
POINTS = 4


@small
def is_bedded(colliders, i, j):
    """Whether i or j is bedded; a bed meets no surface that is soft in another way."""
    return colliders.soft[i, 0] == BEDDED or colliders.soft[j, 0] == BEDDED


@small
def bed_of(colliders, i, j):
    """K of i and j together, and their damping ratio: each counts by its part of the depth."""
    if colliders.soft[i, 0] != BEDDED:
        return colliders.soft[j, 1], colliders.soft[j, 2]
    if colliders.soft[j, 0] != BEDDED:
        return colliders.soft[i, 1], colliders.soft[i, 2]
    a = colliders.soft[j, 1] / (colliders.soft[i, 1] + colliders.soft[j, 1])  # part of the depth in i
    return a * colliders.soft[i, 1], a * colliders.soft[i, 2] + (1.0 - a) * colliders.soft[j, 2]


@small
def is_flat(colliders, i):
    """Whether collider i is a plane, box or hull."""
    return colliders.kind[i] == PLANE or colliders.kind[i] == BOX or colliders.kind[i] == HULL


@small
def overlap(colliders, scratch, i, j, o, e_1, e_2, n, shift):
    """Sums of the patch in which i and j overlap, if j were nearer by `shift`."""
    if is_flat(colliders, i) and is_flat(colliders, j):
        return polyhedra_overlap(colliders, scratch, i, j, o, e_1, e_2, n, shift)
    return round_overlap(colliders, scratch, i, j, o, e_1, e_2, n, o, shift)


@kernel
def closing_rate(colliders, work, velocity, i, j, x, n):
    """How fast i and j approach each other along n at x, m/s."""
    a = colliders.link[i]
    b = colliders.link[j]
    w_a, v_a = load_pair(velocity, a)
    w_b, v_b = load_pair(velocity, b)
    u_a = add(v_a, cross(w_a, sub(x, load3(work.pose_p, a))))
    u_b = add(v_b, cross(w_b, sub(x, load3(work.pose_p, b))))
    return dot(n, sub(u_a, u_b))


@kernel
def bed_contacts(colliders, work, next_v, scratch, contacts, i, j, first, left, touching):
    """The contacts of i and j, from `first` on, become those of their patch; `left` of the step is to come.

    `touching`: at the start of the step, which is where the two are placed. Else they are where they meet.
    """
    if contacts.count[0] == first:
        return
    deepest = first
    for e in range(first, contacts.count[0]):
        if contacts.depth[e] > contacts.depth[deepest]:
            deepest = e
    n = load3(contacts.normal, deepest)
    o = load3(contacts.point, deepest)
    depth = contacts.depth[deepest]
    inside = touching and depth > 0.0
    # what overlaps may rest, and forces of the step press it no deeper; what does not yet is driven by them
    rate = closing_rate(colliders, work, work.pose_v, i, j, o, n)
    if not inside:
        rate = max(rate, closing_rate(colliders, work, next_v, i, j, o, n))
    closing = left * max(rate, 0.0)
    o = middle_of(contacts, first, deepest, n, closing)
    contacts.count[0] = first
    if depth + closing <= 0.0:
        return
    e_1 = patch_axis(colliders, scratch, i, j, n)
    e_2 = cross(n, e_1)
    now = NOTHING
    if inside:
        now = overlap(colliders, scratch, i, j, o, e_1, e_2, n, 0.0)
    then = now
    grows = closing * now[0] > SLOW * now[6] or now[6] <= 0.0
    if grows:
        then = overlap(colliders, scratch, i, j, o, e_1, e_2, n, closing)
    if then[0] > 0.0 and then[6] > 0.0:
        add_patch(colliders, scratch, contacts, i, j, o, e_1, e_2, n, now, then, depth, closing if grows else 0.0)


@small
def middle_of(contacts, first, deepest, n, closing):
    """The middle of the points that touch, or will, along the normal n of the deepest one."""
    o = load3(contacts.point, deepest)
    count = 1
    for e in range(first, contacts.count[0]):
        if e != deepest and dot(n, load3(contacts.normal, e)) > SAME_NORMAL and contacts.depth[e] + closing > 0.0:
            o = add(o, load3(contacts.point, e))
            count += 1
    return scale(1.0 / count, o)


@kernel
def pass_rigidly(contacts, first):
    """Contacts of what passes: if something else drives the two together within the step, they stop at the surface."""
    for e in range(first, contacts.count[0]):
        contacts.soft[e, 0] = RIGID
        contacts.area[e] = 0.0


@kernel
def add_patch(colliders, scratch, contacts, i, j, o, e_1, e_2, n, now, then, deep, closing):
    """Four contacts of a patch that is `now`, or was where `deep` was zero, and would be `then` after `closing`."""
    K, ratio = bed_of(colliders, i, j)
    A = then[0]
    u = then[1] / A
    v = then[2] / A
    a, b, c = root(then[3] / A - u * u, then[4] / A - u * v, then[5] / A - v * v)
    for k in range(POINTS):
        sign = math.sqrt(2.0) if k % 2 == 0 else -math.sqrt(2.0)
        s = a if k < 2 else b
        t = b if k < 2 else c
        most = K * A / POINTS
        f = K * share(now, u, v, a, b, c, k)
        stiffness = most
        depth = f / most
        if closing > 0.0 or now[6] <= 0.0:
            f_then = K * share(then, u, v, a, b, c, k)
            stiffness = (f_then - f) / (closing if now[6] > 0.0 else closing + deep)
            stiffness = min(max(stiffness, LEAST_STIFFNESS * most), most)
            depth = f_then / stiffness - closing if now[6] > 0.0 else deep
        x = add_scaled(add_scaled(o, u + sign * s, e_1), v + sign * t, e_2)
        e = contacts.count[0]
        add_contact(colliders, scratch, contacts, i, j, x, n, depth, k)
        if contacts.count[0] > e:
            contacts.soft[e, 0] = BEDDED
            contacts.soft[e, 1] = stiffness
            contacts.soft[e, 2] = ratio
            contacts.area[e] = A / POINTS


@small
def root(a, b, c):
    """The root of the symmetric matrix (a b, b c), which has no negative eigenvalues."""
    trace = a + c
    q = math.sqrt(max(a * c - b * b, LEAST_WIDTH * trace * trace))
    t = math.sqrt(trace + 2.0 * q)
    return (a + q) / t, b / t, (c + q) / t


@small
def share(sums, u, v, a, b, c, k):
    """What point k has of the volume in `sums`, such that its middle is right too; a, b, c: the root S."""
    det = a * c - b * b
    x = sums[7] - sums[6] * u
    y = sums[8] - sums[6] * v
    t = (c * x - b * y) / det if k < 2 else (a * y - b * x) / det
    t *= math.sqrt(0.5)
    return 0.25 * sums[6] + (0.5 * t if k % 2 == 0 else -0.5 * t)

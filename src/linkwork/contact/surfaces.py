"""What two surfaces are to each other: friction with a grain, resistance against rolling, what is too slow to bounce.

i j    colliders        k    their pair, or below zero        n    normal, from i to j        t    tangent
"""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.spatial.codes import ACROSS_GRAIN
from linkwork.spatial.vectors import add_scaled, cross, dot, load3, load9, norm, rotate, scale, store3

UPRIGHT_GRAIN = 0.01  # sine of the angle between grain and normal below which all directions are across the grain
STILL = 1e-100  # m/s: slower than anything


@kernel
def perpendicular(n):
    """A unit vector perpendicular to n that turns little when n does."""
    if abs(n[0]) < 0.6:
        t = add_scaled((1.0, 0.0, 0.0), -n[0], n)
    else:
        t = add_scaled((0.0, 1.0, 0.0), -n[1], n)
    return scale(1.0 / math.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]), t)


@kernel
def set_grain(colliders, work, contacts, i, j, e):
    """Friction of contact e, one of whose surfaces has a grain: its tangent, along which it is larger, and the ratio.

    The more unequal surface gives the directions; the other one counts with its geometric mean.
    """
    k = i if colliders.friction_ratio[i] < colliders.friction_ratio[j] else j
    other = j if k == i else i
    most = colliders.friction[k]
    least = colliders.friction_ratio[k] * most
    with_it = colliders.friction[other] * math.sqrt(colliders.friction_ratio[other])
    n = load3(contacts.normal, e)
    grain = rotate(load9(work.pose_R, colliders.link[k]), load3(colliders.grain, k))
    t = add_scaled(grain, -dot(grain, n), n)
    length = norm(t)
    across = colliders.grain_kind[k] == ACROSS_GRAIN
    if length < UPRIGHT_GRAIN:
        store3(contacts.tangent, e, perpendicular(n))
        contacts.friction[e] = math.sqrt((most if across else least) * with_it)
        return
    t = scale(1.0 / length, t)
    store3(contacts.tangent, e, cross(n, t) if across else t)
    contacts.friction[e] = math.sqrt(most * with_it)
    contacts.ratio[e] = math.sqrt(colliders.friction_ratio[k])


@kernel
def bounce_speed(colliders, i, j, k):
    """Speed below which i and j do not bounce, m/s; less than zero where it was not given."""
    if k >= 0 and colliders.pair_bounce_speed[k] >= 0.0:
        return colliders.pair_bounce_speed[k]
    given = max(colliders.bounce_speed[i], colliders.bounce_speed[j])
    return given if given >= 0.0 else -max(min(colliders.slow[i], colliders.slow[j]), STILL)


@kernel
def set_resistance(colliders, contacts, i, j, k, e):
    """Resistance of contact e against rolling and turning, the larger of the two; no impulse yet."""
    contacts.resist[e, 0] = max(colliders.rolling[i], colliders.rolling[j])
    contacts.resist[e, 1] = max(colliders.torsional[i], colliders.torsional[j])
    if k >= 0 and colliders.pair_rolling[k] >= 0.0:
        contacts.resist[e, 0] = colliders.pair_rolling[k]
    if k >= 0 and colliders.pair_torsional[k] >= 0.0:
        contacts.resist[e, 1] = colliders.pair_torsional[k]
    for s in range(3):
        contacts.moment[e, s] = 0.0

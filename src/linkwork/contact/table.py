"""The table of contacts: collision detection fills it; each becomes a normal row and two friction rows.

Where a surface resists rolling or turning, three more rows follow: torques about the two tangents and about the normal.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel


class Contacts(NamedTuple):
    """Points where bodies touch, the first `count[0]` of them; the rest is room. World axes.

    `sweep` and what it calls write all of it in every step. The `impulse` of a contact that was there a step ago, found
    by its `id`, is carried over, that of a new one is zero; the impulse methods then write those of the step.
    """

    count: Any  # (1,)
    link_a: Any  # (contact,) link of the first collider
    link_b: Any  # (contact,) of the second
    point: Any  # (contact, 3) m, midway between the two surfaces
    normal: Any  # (contact, 3) unit, from a to b
    tangent: Any  # (contact, 3) unit, perpendicular to the normal: first direction of friction
    depth: Any  # (contact,) m, positive where the bodies overlap, negative where they are apart: what may close
    slop: Any  # (contact,) m of overlap that is left
    velocity_bias: Any  # (contact, 3) m/s, rate at the start that brings the two points together at the end
    passing: Any  # (contact,) 1 where the bodies would not meet in this step
    id: Any  # (contact,) the same for the same features of the same two shapes
    friction: Any  # (contact,) coefficient along the tangent, geometric mean of the two
    ratio: Any  # (contact,) that across the tangent, as a part of it: 1, or less with a grain
    restitution: Any  # (contact,) 0 to 1, the larger of the two
    bounce_speed: Any  # (contact,) m/s, slower ones do not bounce; negative: not given, forces of a step may raise it
    soft: Any  # (contact, 3) softness as in the tables of drives
    flat_points: Any  # (contact,) of its two shapes where they lie flat on each other, of a soft pair
    area: Any  # (contact,) m2 that it stands for where surfaces are bedded, else 0
    impulse: Any  # (contact, 3) N s: along the normal, the tangent, and normal x tangent (there divided by the ratio)
    # of no length where no surface resists rolling or turning
    resist: Any  # (contact, 2) m, against rolling, and against turning about the normal
    moment: Any  # (contact, 3) N m s: about the tangent, normal x tangent, and the normal


def make_contacts(capacity: int, moments: int = 0) -> Contacts:
    """An empty table with room for so many contacts; `moments`: 1 where some resist rolling or turning.

    >>> int(make_contacts(8).count[0]), make_contacts(8).point.shape
    (0, (8, 3))
    """
    wide = {"point", "normal", "tangent", "velocity_bias", "soft", "impulse"}
    whole = {"link_a", "link_b", "id"}
    columns = {
        name: np.zeros((capacity, 3) if name in wide else capacity, dtype=np.int64 if name in whole else np.float64)
        for name in Contacts._fields
    }
    columns["count"] = np.zeros(1, dtype=np.int64)
    columns["resist"] = np.zeros((capacity if moments else 0, 2))
    columns["moment"] = np.zeros((capacity if moments else 0, 3))
    return Contacts(**columns)


@kernel
def move_contact(contacts, e, to):
    """The geometry of contact e goes to another place in the table."""
    for s in range(3):
        contacts.point[to, s] = contacts.point[e, s]
        contacts.normal[to, s] = contacts.normal[e, s]
    contacts.depth[to] = contacts.depth[e]
    contacts.id[to] = contacts.id[e]


@kernel
def move_whole_contact(contacts, e, to):
    """All that is known of contact e goes to another place in the table."""
    move_contact(contacts, e, to)
    contacts.link_a[to] = contacts.link_a[e]
    contacts.link_b[to] = contacts.link_b[e]
    for s in range(3):
        contacts.tangent[to, s] = contacts.tangent[e, s]
        contacts.velocity_bias[to, s] = contacts.velocity_bias[e, s]
        contacts.soft[to, s] = contacts.soft[e, s]
        contacts.impulse[to, s] = contacts.impulse[e, s]
    contacts.slop[to] = contacts.slop[e]
    contacts.passing[to] = contacts.passing[e]
    contacts.friction[to] = contacts.friction[e]
    contacts.ratio[to] = contacts.ratio[e]
    contacts.restitution[to] = contacts.restitution[e]
    contacts.bounce_speed[to] = contacts.bounce_speed[e]
    contacts.flat_points[to] = contacts.flat_points[e]
    contacts.area[to] = contacts.area[e]
    if contacts.moment.shape[0] > 0:
        for s in range(2):
            contacts.resist[to, s] = contacts.resist[e, s]
        for s in range(3):
            contacts.moment[to, s] = contacts.moment[e, s]

"""The table of contacts: what `contact` finds and the impulse methods make rows of, one normal and two of friction."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Contacts(NamedTuple):
    """Points where bodies meet, the first `count[0]` of them; the rest is room.

    Rows keep their impulses from step to step by `id`: who fills the table anew carries over the `impulse` of a contact
    with the same id, and sets it to zero for a new one.
    """

    count: Any  # (1,)
    link_a: Any  # (contact,)
    link_b: Any  # (contact,)
    point: Any  # (contact, 3) m, world
    normal: Any  # (contact, 3) unit, from a to b, world
    tangent: Any  # (contact, 3) unit, across the normal: first direction of friction
    depth: Any  # (contact,) m, positive where the bodies overlap, negative where they are still apart
    id: Any  # (contact,) the same for the same features of the same two shapes
    friction: Any  # (contact,) coefficient
    restitution: Any  # (contact,) 0 to 1
    soft: Any  # (contact, 3) softness as in the tables of drives
    impulse: Any  # (contact, 3) N s: along the normal, the tangent, and normal x tangent


def make_contacts(room: int) -> Contacts:
    """An empty table with room for so many contacts.

    >>> int(make_contacts(8).count[0]), make_contacts(8).point.shape
    (0, (8, 3))
    """
    wide = {"point", "normal", "tangent", "soft", "impulse"}
    whole = {"link_a", "link_b", "id"}
    columns = {
        name: np.zeros((room, 3) if name in wide else room, dtype=np.int64 if name in whole else np.float64)
        for name in Contacts._fields
    }
    columns["count"] = np.zeros(1, dtype=np.int64)
    return Contacts(**columns)

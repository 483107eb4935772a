"""Scratch of collision detection: colliders in world axes, candidates of the pair at hand, contacts of the last step.

`ContactScratch` is made once; nothing in it is allocated later. Each field names the module that writes it.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from linkwork.contact.polyhedra.hull_scratch import HullScratch, make_hull_scratch

FIELD_CANDIDATES = 512  # candidates of one body on a height field, at most
# slots of `corner` and `feature`: two polygons that clipping writes in turn, and the candidates on a height field
POLYGON, CLIPPED, FIELD_CANDIDATE = range(3)
APART_GAP = 3  # slot of `apart` behind the axis
AWAKE, ASLEEP, SETTLED = range(3)  # a collider: it moves, it rests since this step; of two SETTLED contacts are kept


class ContactScratch(NamedTuple):
    """One row a collider unless the shape says otherwise; world axes, m."""

    # written by broad_phase.update_collider in every step
    R: Any  # (collider, 9) axes
    p: Any  # (collider, 3) m, centre; of a plane a point in it
    vertex: Any  # (vertex, 3) m
    aabb_low: Any  # (collider, 3) m, axis-aligned bounding box, with the margin and what is near
    aabb_high: Any  # (collider, 3) m
    margin: Any  # (collider,) m, how far it can move within the step
    # written by whoever lets bodies sleep, and by broad_phase.find_contacts
    still: Any  # (collider,) AWAKE, ASLEEP, SETTLED
    # written by broad_phase.sort_along_x; kept from step to step, so that it is nearly sorted
    sweep_order: Any  # (collider,) bounded colliders by aabb_low along x
    # written by clip, cylinder_faces and field_grid for the pair at hand
    corner: Any  # (3, candidate, 3) m, corners of the POLYGON, of the CLIPPED one, each FIELD_CANDIDATE
    feature: Any  # (3, candidate) which features of the two shapes a corner comes from
    gap: Any  # (candidate,) m, negative inside
    candidate_normal: Any  # (candidate, 3) unit, into the height field
    clipped: Any  # (1,) corners of the last two faces that clip compared, near each other or not; 0 of none
    # written by contact_cache.set_apart and add_contact for the pair at hand
    apart: Any  # (4,) axis from i to j along which they are apart, and how far, m; inf where out of reach
    hull: HullScratch  # written by gjk and expanding for the pair at hand
    # written by contact_cache.start_contacts: the contacts of the last step, those of a pair in one stretch
    old_id: Any  # (contact,) 0 once `add_contact` has found it again
    old_pair: Any  # (contact,) number of the two colliders
    old_slot: Any  # (contact,) slot of its pair in hash_slot
    old_point: Any  # (contact, 3) m
    old_impulse: Any  # (contact, 3) N s
    old_moment: Any  # (contact, 3) N m s; of no length where no surface resists rolling or turning
    old_count: Any  # (1,)
    hash_slot: Any  # (power of two,) open addressing by pair: one more than the first contact of the pair, 0 is empty
    # written by contact_cache.add_contact, reset by `warn_of_lost_contacts`
    lost: Any  # (1,) contacts that found no room in the table so far


def make_contact_scratch(colliders: Any) -> ContactScratch:
    """Scratch for a table of colliders."""
    n, capacity = colliders.link.size, colliders.capacity
    largest = int(np.diff(colliders.face_loop).max(initial=2))
    candidates = 3 * largest + 8  # the rim of a disc against a face
    if colliders.grid.size:
        candidates = max(candidates, FIELD_CANDIDATES)
    slots = 1 << max(2, int(4 * capacity).bit_length())
    bounded = np.array([i for i in range(n) if np.isfinite(colliders.bound[i])], dtype=np.int64)
    return ContactScratch(
        R=np.zeros((n, 9)),
        p=np.zeros((n, 3)),
        vertex=np.zeros((colliders.vertex.shape[0], 3)),
        aabb_low=np.zeros((n, 3)),
        aabb_high=np.zeros((n, 3)),
        margin=np.zeros(n),
        still=np.zeros(n, dtype=np.int64),
        sweep_order=bounded,
        corner=np.zeros((3, candidates, 3)),
        feature=np.zeros((3, candidates), dtype=np.int64),
        gap=np.zeros(candidates),
        candidate_normal=np.zeros((candidates, 3)),
        clipped=np.zeros(1, dtype=np.int64),
        apart=np.zeros(4),
        hull=make_hull_scratch(colliders),
        old_id=np.zeros(capacity, dtype=np.int64),
        old_pair=np.zeros(capacity, dtype=np.int64),
        old_slot=np.zeros(capacity, dtype=np.int64),
        old_point=np.zeros((capacity, 3)),
        old_impulse=np.zeros((capacity, 3)),
        old_moment=np.zeros((capacity if colliders.has_moments else 0, 3)),
        old_count=np.zeros(1, dtype=np.int64),
        hash_slot=np.zeros(slots if capacity else 1, dtype=np.int64),
        lost=np.zeros(1, dtype=np.int64),
    )


def warn_of_lost_contacts(scratch: ContactScratch) -> None:
    """Warn where contacts found no room in their table: bodies then pass through each other there."""
    if scratch.lost[0] > 0:
        warnings.warn(
            f"{int(scratch.lost[0])} contacts found no room in a table of {scratch.old_id.size}; "
            "give fewer or simpler colliders, or a smaller dt=",
            RuntimeWarning,
            stacklevel=2,
        )
        scratch.lost[0] = 0

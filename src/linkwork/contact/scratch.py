"""Scratch of the search for contacts: where the colliders are in the world, and what the last step found."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

UNDER = 512  # corners and hills under one body on a height field


class ContactScratch(NamedTuple):
    """One row a collider unless said otherwise; world axes."""

    R: Any  # (collider, 9)
    p: Any  # (collider, 3) m, its centre; of a plane a point in it
    vertex: Any  # (vertex, 3) m
    low: Any  # (collider, 3) m, the box around it
    high: Any  # (collider, 3)
    reach: Any  # (collider,) m, how far it may come within the step
    order: Any  # (collider,) by low x; kept from step to step, so that it is nearly sorted
    corner: Any  # (3, corner, 3) a polygon before and after a cut; candidates on height fields
    tag: Any  # (3, corner) where its corners come from
    gap: Any  # (corner,)
    way: Any  # (corner, 3) normals, on height fields
    old_id: Any  # (contact,) of the last step; those of two colliders stand together; 0 once it is found again
    old_pair: Any  # (contact,) which two colliders
    old_point: Any  # (contact, 3)
    old_impulse: Any  # (contact, 3)
    old_count: Any  # (1,)
    slot: Any  # (power of two,) the first of each pair, one up; 0 is empty
    lost: Any  # (1,) contacts that found no room, so far


def make_contact_scratch(colliders: Any) -> ContactScratch:
    """Scratch for a table of colliders."""
    n, room = colliders.link.size, colliders.room
    largest = int(np.diff(colliders.face_loop).max(initial=2))
    corners = 3 * largest + 8  # a disc over a face
    if colliders.grid.size:
        corners = max(corners, UNDER)
    slots = 1 << max(2, int(4 * room).bit_length())
    order = np.array([i for i in range(n) if np.isfinite(colliders.bound[i])], dtype=np.int64)
    return ContactScratch(
        R=np.zeros((n, 9)),
        p=np.zeros((n, 3)),
        vertex=np.zeros((colliders.vertex.shape[0], 3)),
        low=np.zeros((n, 3)),
        high=np.zeros((n, 3)),
        reach=np.zeros(n),
        order=order,
        corner=np.zeros((3, corners, 3)),
        tag=np.zeros((3, corners), dtype=np.int64),
        gap=np.zeros(corners),
        way=np.zeros((corners, 3)),
        old_id=np.zeros(room, dtype=np.int64),
        old_pair=np.zeros(room, dtype=np.int64),
        old_point=np.zeros((room, 3)),
        old_impulse=np.zeros((room, 3)),
        old_count=np.zeros(1, dtype=np.int64),
        slot=np.zeros(slots if room else 1, dtype=np.int64),
        lost=np.zeros(1, dtype=np.int64),
    )


def warn_of_lost(scratch: ContactScratch) -> None:
    """Say it where contacts found no room in their table: bodies then pass through each other there."""
    if scratch.lost[0] > 0:
        warnings.warn(
            f"{int(scratch.lost[0])} contacts found no room in a table of {scratch.old_id.size}; "
            "give fewer or simpler colliders, or a smaller dt=",
            RuntimeWarning,
            stacklevel=2,
        )
        scratch.lost[0] = 0

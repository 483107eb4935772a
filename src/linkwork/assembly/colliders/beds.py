"""Surfaces with a bedding: whom they cannot meet."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import Collider, HeightField


def refuse_beds(found: list[Collider], can_collide: Any) -> None:
    """Raise where a bed may meet a height field, or a surface that is soft in another way."""
    for i, one in enumerate(found):
        if one.material.softness is None or one.material.softness.bedding is None:
            continue
        for j in np.flatnonzero(can_collide[i]):
            other, two = found[j].material.softness, f"'{one.path}' and '{found[j].path}'"
            if isinstance(one.shape, HeightField) or isinstance(found[j].shape, HeightField):
                raise ModelError(
                    f"{two} may meet, but the area that touches a height field is not known for a bedding=; give "
                    "lw.Soft(stiffness=...) or lw.Soft(hertz=...), or keep the two apart"
                )
            if other is not None and other.bedding is None:
                raise ModelError(
                    f"{two} may meet, one with a bedding= per area and one soft as a whole; give both a bedding=, or "
                    "make one of them rigid"
                )

"""Touch sensors become a table: where they feel."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.assembly.tables import Zones
from linkwork.errors import ModelError
from linkwork.model import Box, Frame, Model, Sphere
from linkwork.spatial import codes


def zone_tables(model: Model, place: dict[int, tuple[int, Frame]]) -> Zones:
    """`place` says where bodies went: link, and pose in it."""
    sensors = list(model.all_touch_sensors())
    bodies = [id(collider.body) for collider in model.all_colliders()] if sensors else []
    columns: dict[str, list[Any]] = {name: [] for name in ("link", "kind", "R", "p", "size", "senses")}
    for sensor in sensors:
        link, pose = place[id(sensor.body)]
        region, kind, size = sensor.region, codes.WHOLE, [0.0, 0.0, 0.0]
        if id(sensor.body) not in bodies:
            raise ModelError(
                f"touch sensor '{sensor.path}': nothing can touch body '{sensor.body.path}', as it has no collider; "
                "give the body a shape= and a material=, or add model.collider()"
            )
        if isinstance(region, Box):
            kind, size = codes.BOX, [0.5 * length for length in region.size]
        elif isinstance(region, Sphere):
            kind, size = codes.SPHERE, [region.radius, 0.0, 0.0]
        if region is not None:
            pose = pose @ region.pose
        columns["link"].append(link)
        columns["kind"].append(kind)
        columns["R"].append(pose.matrix.ravel())
        columns["p"].append(pose.position)
        columns["size"].append(size)
        columns["senses"].append([int(body == id(sensor.body)) for body in bodies])
    return Zones(
        link=np.array(columns["link"], dtype=np.int64),
        kind=np.array(columns["kind"], dtype=np.int64),
        R=np.array(columns["R"], dtype=float).reshape(-1, 9),
        p=np.array(columns["p"], dtype=float).reshape(-1, 3),
        size=np.array(columns["size"], dtype=float).reshape(-1, 3),
        senses=np.array(columns["senses"], dtype=np.int64).reshape(len(sensors), len(bodies)),
    )

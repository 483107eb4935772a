"""Looks: parts to be drawn on bodies, by `model.visual`; they have no mass and touch nothing.

    wheel = model.body("wheel", mass=12.0, shape=lw.Cylinder(0.3, 0.2))
    model.visual("tyre", wheel, lw.looks.tyre(0.3, 0.2), colour=lw.looks.RUBBER)
    model.visual("rim", wheel, lw.looks.rim(0.19, 0.2), colour=lw.looks.ALUMINIUM)

All lengths in metres. What turns, turns about z of its `pose`.
"""

from linkwork.looks.machine import (
    ALUMINIUM,
    BLUE,
    BRASS,
    CREAM,
    GREEN,
    RED,
    RUBBER,
    STEEL,
    belt,
    coil,
    crankshaft,
    flywheel,
    gear,
    gear_outline,
    rim,
    tyre,
)
from linkwork.looks.surfaces import band, joined, lofted, pushed, rounded_box, tube, turned

__all__ = [
    "ALUMINIUM",
    "BLUE",
    "BRASS",
    "CREAM",
    "GREEN",
    "RED",
    "RUBBER",
    "STEEL",
    "band",
    "belt",
    "coil",
    "crankshaft",
    "flywheel",
    "gear",
    "gear_outline",
    "joined",
    "lofted",
    "pushed",
    "rim",
    "rounded_box",
    "tube",
    "turned",
    "tyre",
]

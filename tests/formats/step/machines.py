"""Machines for the tests, as CAD assemblies in millimetres."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from formats.step.cad import Cad, bolt, box, cylinder, joined, moved, torus, without

Y = (0, 1, 0)
THROW, ROD, ANGLE = 40.0, 120.0, math.radians(60)  # mm, mm, rad: how the crank stands in the file
PIN = (THROW * math.cos(ANGLE), THROW * math.sin(ANGLE))  # x and z of the crank pin
SLIDE = PIN[0] + math.sqrt(ROD**2 - PIN[1] ** 2)  # x of the slider


def ring(inside: float, outside: float, width: float) -> Any:
    return without(cylinder((0, 0, 0), Y, outside, width), cylinder((0, -1, 0), Y, inside, width + 2))


def slider_crank_shapes(throw: float = THROW) -> dict[str, Any]:
    """The solids of the slider-crank, each in the coordinates of its part."""
    pedestal = without(box((-26, -30, -52), (26, -6, 26)), cylinder((0, -40, 0), Y, 18, 50))
    guide = without(box((55, -16, -52), (185, 36, 10)), box((50, -6, -10), (190, 26, 20)))
    holes = [cylinder((120, y, -20), (0, 0, 1), 3, 40) for y in (-11, 31)]
    housing = without(joined(box((-60, -30, -62), (200, 40, -52)), pedestal, guide), *holes)
    cover = without(box((55, -16, 10), (185, 36, 16)), *(cylinder((120, y, 0), (0, 0, 1), 3.3, 40) for y in (-11, 31)))
    groove = torus((0, 4, 0), Y, 14, 2)
    crank = joined(
        cylinder((0, -32, 0), Y, 10, 30),
        cylinder((0, -22, 0), Y, 13, 8),
        box((-14, -4, -12), (throw + 12, 4, 12)),
        cylinder((throw, 3, 0), Y, 6, 14),
        cylinder((throw, 16, 0), Y, 9, 2),
    )
    bar = joined(cylinder((0, 0, 0), Y, 11, 12), box((0, 3, -4), (ROD, 9, 4)), cylinder((ROD, 0, 0), Y, 9, 12))
    rod = without(bar, cylinder((0, -1, 0), Y, 6, 14), cylinder((ROD, -1, 0), Y, 5, 14))
    fork = without(box((-20, -6, -10), (20, 26, 10)), box((-25, 4, -15), (12, 16, 15)))
    slider = without(fork, cylinder((0, -7, 0), Y, 5, 40))
    return {
        "housing": housing,
        "cover": cover,
        "bolt": bolt(3, 24),
        "outer ring": without(ring(15.5, 18, 8), groove),
        "inner ring": without(ring(10, 12.5, 8), groove),
        "crank": crank,
        "rod": rod,
        "slider": slider,
        "pin": cylinder((0, -6, 0), Y, 5, 32),
    }


def slider_crank_places() -> dict[str, list[Any]]:
    """Where the parts are, in the whole."""
    tilt = math.atan2(PIN[1], SLIDE - PIN[0])
    return {
        "housing": [moved()],
        "cover": [moved()],
        "bolt": [moved((120, y, 16)) for y in (-11, 31)],
        "bearing": [moved((0, -14, 0)), moved((0, -30, 0))],
        "crank": [moved(axis=Y, angle=-ANGLE)],
        "rod": [moved((PIN[0], 4, PIN[1]), Y, tilt)],
        "slider": [moved((SLIDE, 0, 0))],
    }


def slider_crank(
    path: Path,
    *,
    unit: str = "MM",
    schema: str = "AP214IS",
    names: dict[str, str] | None = None,
    throw: float = THROW,
    materials: bool = False,
) -> Path:
    """Twelve parts in four sub-assemblies: housing and cover with two bolts, two bearings, crank, rod, slider, pin.

    `names` renames parts; another `throw` makes another crank, in the old place.
    """
    cad, shapes, places = Cad(), slider_crank_shapes(throw), slider_crank_places()
    colours = {"housing": "#808890", "cover": "#B0B8C0", "bolt": "#202020", "crank": "#C04020", "rod": "#2060C0"}
    steel = ("Steel", 7.85) if materials else None
    called = {name: (names or {}).get(name, name) for name in shapes}
    parts = {
        name: cad.part(called[name], shape, colour=colours.get(name), material=steel) for name, shape in shapes.items()
    }
    whole, frame, bearing, train, piston = map(
        cad.assembly, ("slider crank", "frame", "bearing", "crank train", "piston")
    )
    for name in ("housing", "cover", "bolt"):
        for k, place in enumerate(places[name]):
            cad.put(frame, parts[name], f"{called[name]}{f':{k + 1}' if len(places[name]) > 1 else ''}", place)
    cad.put(bearing, parts["outer ring"], called["outer ring"])
    cad.put(bearing, parts["inner ring"], called["inner ring"])
    cad.put(piston, parts["slider"], called["slider"])
    cad.put(piston, parts["pin"], called["pin"])
    cad.put(train, parts["crank"], called["crank"], places["crank"][0])
    cad.put(train, parts["rod"], called["rod"], places["rod"][0])
    cad.put(train, piston, "piston", places["slider"][0])
    cad.put(whole, frame, "frame")
    for k, place in enumerate(places["bearing"]):
        cad.put(whole, bearing, f"bearing {k + 1}", place)
    cad.put(whole, train, "crank train")
    return cad.write(path, unit=unit, schema=schema)

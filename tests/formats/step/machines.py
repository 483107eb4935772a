"""Machines for the tests, as CAD assemblies in millimetres."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

from formats.step.cad import Cad, bolt, box, cylinder, joined, moved, nut, torus, without

Y = (0, 1, 0)
THROW, ROD, ANGLE = 40.0, 120.0, math.radians(60)  # mm, mm, rad: how the crank stands in the file


def pin_and_slide(throw: float = THROW, angle: float = ANGLE) -> tuple[float, float, float]:
    """x and z of the crank pin, and x of the slider (mm)."""
    x, z = throw * math.cos(angle), throw * math.sin(angle)
    return x, z, x + math.sqrt(ROD**2 - z**2)


def ring(inside: float, outside: float, width: float) -> Any:
    return without(cylinder((0, 0, 0), Y, outside, width), cylinder((0, -1, 0), Y, inside, width + 2))


@cache
def slider_crank_shapes(throw: float = THROW) -> dict[str, Any]:
    """The solids of the slider-crank, each in the coordinates of its part."""
    pedestal = without(box((-26, -30, -52), (26, -6, 26)), cylinder((0, -40, 0), Y, 18, 50))
    guide = without(box((55, -16, -52), (185, 36, 10)), box((50, -6, -10), (190, 26, 20)))
    holes = [cylinder((120, y, -20), (0, 0, 1), 3, 40) for y in (-11, 31)]
    housing = without(joined(box((-60, -30, -62), (200, 40, -52)), pedestal, guide), *holes)
    slot = box((50, 3, 5), (150, 17, 20))
    cover = without(
        box((55, -16, 10), (185, 36, 16)), slot, *(cylinder((120, y, 0), (0, 0, 1), 3.3, 40) for y in (-11, 31))
    )
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


def slider_crank_places(throw: float = THROW, angle: float = ANGLE) -> dict[str, list[Any]]:
    """Where the parts are, in the whole."""
    x, z, slide = pin_and_slide(throw, angle)
    return {
        "housing": [moved()],
        "cover": [moved()],
        "bolt": [moved((120, y, 16)) for y in (-11, 31)],
        "bearing": [moved((0, -14, 0)), moved((0, -30, 0))],
        "crank": [moved(axis=Y, angle=-angle)],
        "rod": [moved((x, 4, z), Y, math.atan2(z, slide - x))],
        "slider": [moved((slide, 0, 0))],
    }


def slider_crank(
    path: Path,
    *,
    unit: str = "MM",
    schema: str = "AP214IS",
    names: dict[str, str] | None = None,
    throw: float = THROW,
    angle: float = ANGLE,
    left_out: Any = (),
    materials: bool = False,
) -> Path:
    """Twelve parts in four sub-assemblies: housing and cover with two bolts, two bearings, crank, rod, slider, pin.

    `names` renames parts; another `throw` makes another crank; `left_out` names parts that are not there.
    """
    cad = Cad()
    whole = cad.assembly("slider crank")
    shapes = slider_crank_shapes(throw)
    _put_slider_crank(cad, whole, shapes, slider_crank_places(throw, angle), names or {}, left_out, materials)
    return cad.write(path, unit=unit, schema=schema)


def _put_slider_crank(
    cad: Cad, whole: Any, shapes: Any, places: Any, names: Any = (), left_out: Any = (), materials: bool = False
) -> None:
    colours = {"housing": "#808890", "cover": "#B0B8C0", "bolt": "#202020", "crank": "#C04020", "rod": "#2060C0"}
    steel = ("Steel", 7.85) if materials else None
    called = {name: dict(names).get(name, name) for name in shapes}
    parts = {
        name: cad.part(called[name], shape, colour=colours.get(name), material=steel)
        for name, shape in shapes.items()
        if name not in left_out
    }
    frame, bearing, train, piston = map(cad.assembly, ("frame", "bearing", "crank train", "piston"))
    for name in (each for each in ("housing", "cover", "bolt") if each not in left_out):
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


def stacked_machine(path: Path) -> Path:
    """43 parts: the slider-crank on four plates, held by eight bolts with nuts and washers, and three dowels."""
    cad, shapes = Cad(), dict(slider_crank_shapes())
    spots = [(x, y) for x in (-50, 30, 110, 190) for y in (-22, 32)]
    dowels = [(-30, 5), (40, 5), (195, 5)]
    bores = [cylinder((x, y, -200), (0, 0, 1), 3.2, 145) for x, y in spots]
    bores += [cylinder((x, y, -200), (0, 0, 1), 4, 145) for x, y in dowels]
    relief = [cylinder((x, y, -52), (0, 0, 1), 8, 100) for x, y in spots]  # room for heads beside the guide
    shapes["housing"] = without(shapes["housing"], *bores, *relief)
    whole, stack = cad.assembly("stacked machine"), cad.assembly("stack")
    _put_slider_crank(cad, whole, shapes, slider_crank_places())
    plate = cad.part("plate", without(box((-60, -30, -10), (200, 40, 0)), *bores_at(spots, dowels)))
    for k in range(4):
        cad.put(stack, plate, f"plate {k + 1}", moved((0, 0, -62 - 10 * k)))
    long, low = cad.part("long bolt", bolt(3, 56)), cad.part("nut", nut(3, 4))
    disc = cad.part("washer", without(cylinder((0, 0, 0), (0, 0, 1), 6, 1), cylinder((0, 0, -1), (0, 0, 1), 3.2, 3)))
    for k, (x, y) in enumerate(spots, 1):
        cad.put(stack, disc, f"washer {k}", moved((x, y, -52)))
        cad.put(stack, long, f"long bolt {k}", moved((x, y, -51)))
        cad.put(stack, low, f"nut {k}", moved((x, y, -106)))
    peg = cad.part("peg", cylinder((0, 0, -50), (0, 0, 1), 4, 50))
    for k, (x, y) in enumerate(dowels, 1):
        cad.put(stack, peg, f"peg {k}", moved((x, y, -52)))
    cad.put(whole, stack, "stack")
    return cad.write(path)


def bores_at(spots: Any, dowels: Any) -> list[Any]:
    """Holes through a plate."""
    wide = [cylinder((x, y, -20), (0, 0, 1), 3.2, 40) for x, y in spots]
    return wide + [cylinder((x, y, -20), (0, 0, 1), 4, 40) for x, y in dowels]

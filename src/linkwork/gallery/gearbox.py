"""A planetary gearbox: a sun, three planets on a carrier and a ring, one stage or two.

The epicyclic train of textbooks on machine elements, after Willis (Principles of Mechanism, 1841): seen from the
carrier the wheels turn like ordinary gears, so that

    z_s (w_s - w_c) + z_r (w_r - w_c) = 0

with the teeth z and speeds w of sun, ring and carrier. With k = z_r / z_s and the ring held, the sun turns 1 + k = 3.5
times as fast as the carrier; with the sun held, the ring turns (1 + k) / k = 1.4 times as fast; with the carrier held,
the ring turns backwards with -1 / k of the sun. Nothing is lost between the teeth, so virtual work gives the torques on
sun, carrier and ring at constant speed: 1 : -(1 + k) : k. A second stage, whose sun sits on the carrier of the first,
multiplies the ratios.

z_s + 2 z_p = z_r makes the planets fit between sun and ring, (z_s + z_r) / 3 a whole number lets three of them mesh.

What it must show: Willis' equation to 1e-12 by the methods that hold couplings exactly, the ratio of the torques to
1e-9 while the speed is constant, as much power out as in; by the impulse methods the same within their order.

Three planets between two rigid wheels would share the load in a way that cannot be told. So all three mesh with the
sun, but only the first with the ring: it carries the load, the others turn along. Teeth, sizes and masses are our
assumptions; wheels are discs of steel, on which involute teeth are drawn.
"""

from __future__ import annotations

import math

import linkwork as lw
from linkwork.errors import ModelError

TITLE = "planetary gearbox, with a brake on its ring, sun or carrier"
PAPER = "Willis' equation; our numbers"
UNTIL = 1.0
METHOD = {"method": "recursive", "integrator": "rk4", "dt": 1e-3}
PLOTS = ["sun shaft.velocity", "carrier shaft.velocity", "input.effort", "brake.effort"]

SUN, PLANET, RING = 24, 18, 60  # teeth
MODULE = 2e-3  # m, diameter of a wheel for each of its teeth
WIDTH, WALL = 0.02, 0.012  # m, of the teeth, and of the ring around them
STEEL = 7850.0  # kg/m3
K = RING / SUN
ACROSS = 0.07  # m, from one stage to the next
MEMBERS = ("sun", "carrier", "ring")


def build(
    *, brake: str = "ring", stages: int = 1, speed: float = 100.0, load: float = 50.0, rise: float = 0.5
) -> lw.Model:
    """The gearbox with a rigid motor "input", and another, "brake", that holds the `brake`: "ring", "sun" or "carrier".

    The motor turns the sun up to `speed` (rad/s) in `rise` (s), or the ring where the sun is held. `load` (N m) acts
    against the output, which is the carrier, or the ring where the carrier is held. With `stages` = 2 a second train
    follows: its sun is welded to the first carrier, its ring held by "second brake", and the load is on its carrier.
    Bodies: "sun", "carrier", "ring", "planet 1" to "planet 3", "second sun", …. Joints: "sun shaft", "planet 1 pin", ….

    >>> list(lw.gallery.gearbox.build().bodies)
    ['sun', 'carrier', 'ring', 'planet 1', 'planet 2', 'planet 3']
    """
    if brake not in MEMBERS:
        raise ModelError(f"gearbox: brake is {brake!r}, but it holds the ring, the sun or the carrier; correct brake=")
    if stages not in (1, 2) or (stages == 2 and brake != "ring"):
        raise ModelError(
            f"gearbox: {stages!r} stages with a brake on the {brake}; give stages=1, or 2 with brake='ring'"
        )
    model = lw.Model("gearbox")
    start, end = ways(brake)
    _stage(model, "", 0.0, {start: 0.0 if rise else speed})
    model.motor("brake", f"{brake} shaft", velocity=0.0)
    model.motor("input", f"{start} shaft", velocity=lw.Step(speed, at=0.0, rise=rise) if rise else speed)
    if stages == 2:
        _stage(model, "second ", ACROSS, {})
        model.fixed("coupling", "carrier", "second sun", at=(0, ACROSS / 2, 0))
        model.motor("second brake", "second ring shaft", velocity=0.0)
        end = "second carrier"
    model.torque("load", f"{end} shaft", -math.copysign(load, output_speed(speed, brake, stages)))
    return model


def ways(brake: str) -> tuple[str, str]:
    """Which member is driven and which one drives the load, with this one held.

    >>> lw.gallery.gearbox.ways("ring")
    ('sun', 'carrier')
    """
    return {"ring": ("sun", "carrier"), "sun": ("ring", "carrier"), "carrier": ("sun", "ring")}[brake]


def output_speed(speed: float, brake: str = "ring", stages: int = 1) -> float:
    """Speed of the output (rad/s) when the input turns with `speed`, after Willis.

    >>> round(lw.gallery.gearbox.output_speed(100.0), 9), lw.gallery.gearbox.output_speed(100.0, "carrier")
    (28.571428571, -40.0)
    """
    ratio = {"ring": 1 / (1 + K), "sun": K / (1 + K), "carrier": -1 / K}[brake]
    return speed * ratio**stages


def _stage(model: lw.Model, which: str, y: float, speeds: dict[str, float]) -> None:
    """Sun, carrier, ring and planets about the y axis, with the teeth between them; `speeds` at the start (rad/s)."""
    axis, flat = (0, 1, 0), lw.Frame((0, 0, 0), (1, 1, 0, 0))  # z of a disc along y
    behind = lw.Frame((0, 1.1 * WIDTH, 0), (1, 1, 0, 0))
    arm = MODULE * (SUN + PLANET) / 2
    shapes = {
        "sun": lw.Cylinder(MODULE * SUN / 2, WIDTH, pose=flat),
        "carrier": lw.Cylinder(arm, 0.5 * WIDTH, pose=behind),
        "ring": lw.Cylinder(MODULE * RING / 2 + WALL, WIDTH, MODULE * RING / 2, pose=flat),
    }
    for member, shape in shapes.items():
        body = model.body(which + member, shape=shape, density=STEEL, position=(0, y, 0))
        if which + member != "second sun":  # it is welded to the first carrier
            start = speeds.get(member)
            model.revolute(f"{which}{member} shaft", model.ground, body, at=(0, y, 0), axis=axis, velocity=start)
    sun, carrier, ring = (f"{which}{member} shaft" for member in MEMBERS)
    if which:
        sun = "carrier shaft"
    for number in (1, 2, 3):
        turn = 2 * math.pi * number / 3
        name, at = f"{which}planet {number}", (arm * math.sin(turn), y, arm * math.cos(turn))
        wheel = model.body(name, shape=lw.Cylinder(MODULE * PLANET / 2, WIDTH, pose=flat), density=STEEL, position=at)
        pin = model.revolute(f"{name} pin", f"{which}carrier", wheel, at=at, axis=axis)
        model.gear(f"{which}sun mesh {number}", sun, pin, ratio=-SUN / PLANET, carrier=carrier)
    _draw(model, which)
    model.gear(f"{which}ring mesh", f"{which}planet 1 pin", ring, ratio=PLANET / RING, carrier=carrier)


def _draw(model: lw.Model, which: str) -> None:
    """Wheels with involute teeth that mesh, and a carrier with three arms; angles from x to z."""
    looks, flat = lw.looks, lw.Frame((0, 0, 0), (1, 1, 0, 0))
    arm = MODULE * (SUN + PLANET) / 2
    colours = {"sun": looks.BRASS, "carrier": looks.BLUE, "ring": looks.STEEL}
    model.visual(f"{which}sun teeth", f"{which}sun", looks.gear(MODULE, SUN, WIDTH, pose=flat), colour=colours["sun"])
    ring = 0.0
    arms = [looks.pushed(_circle(0.4 * arm), 0.4 * WIDTH)]
    for number in (1, 2, 3):
        place = math.pi / 2 - 2 * math.pi * number / 3
        tooth = -place % (2 * math.pi / SUN)  # from the line of centres to the next tooth of the sun
        turn = place + math.pi - tooth * SUN / PLANET + math.pi / PLANET
        if number == 1:
            ring = place + (turn - place) % (2 * math.pi / PLANET) * PLANET / RING
        teeth = looks.gear(MODULE, PLANET, WIDTH, turn=turn, pose=flat)
        model.visual(f"{which}planet {number} teeth", f"{which}planet {number}", teeth, colour=looks.ALUMINIUM)
        along = lw.Frame(rotation=(math.cos(place / 2), 0, 0, math.sin(place / 2)))
        beam = looks.rounded_box((arm, 0.5 * arm, 0.4 * WIDTH), 0.1 * WIDTH)
        arms.append(looks.joined(beam, pose=lw.Frame(along.point((arm / 2, 0, 0)), along.rotation)))
        end = along.point((arm, 0, 0))
        arms.append(looks.tube([(*end[:2], -0.2 * WIDTH), (*end[:2], 1.75 * WIDTH)], 0.2 * MODULE * PLANET / 2))
    behind = lw.Frame((0, 1.1 * WIDTH, 0), (1, 1, 0, 0))
    model.visual(f"{which}arms", f"{which}carrier", looks.joined(*arms, pose=behind), colour=colours["carrier"])
    outside = MODULE * RING / 2 + WALL
    teeth = looks.gear(MODULE, RING, WIDTH, bore=outside, internal=True, turn=ring, pose=flat)
    model.visual(f"{which}ring teeth", f"{which}ring", teeth, colour=colours["ring"])


def _circle(radius: float) -> list[tuple[float, float]]:
    return [(radius * math.cos(0.1 * math.pi * k), radius * math.sin(0.1 * math.pi * k)) for k in range(20)]

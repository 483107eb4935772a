"""Gears, racks, differentials and cams: what they are made of, and what is refused, in one sentence with a remedy."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.model import Joint, Model

TURN = 2 * math.pi
ANGLES = np.linspace(0.0, TURN, 25)


@pytest.fixture
def shafts() -> Model:
    """Three wheels on the ground, a slide, a ball joint, and two planets on wheel a."""
    model = Model("shafts")
    for name, x in (("a", 0.0), ("b", 0.3), ("c", 0.6)):
        wheel = model.body(name, mass=1.0, inertia=(1, 1, 1), position=(x, 0, 0))
        model.revolute(f"{name} pin", "ground", wheel, at=(x, 0, 0), axis=(0, 0, 1))
    for name in ("p", "q"):
        planet = model.body(name, mass=1.0, inertia=(1, 1, 1), position=(0.1, 0, 0))
        model.revolute(f"{name} pin", "a", planet, at=(0.1, 0, 0), axis=(0, 0, 1))
    model.prismatic("slide", "ground", model.body("s", mass=1.0, inertia=(1, 1, 1)), axis=(1, 0, 0))
    model.ball("ball", "ground", model.body("t", mass=1.0, inertia=(1, 1, 1)), at=(0, 2, 0))
    return model


def factors(coupling):
    return {term.joint.path: term.factor for term in coupling.terms}


def test_terms(shafts: Model) -> None:
    assert factors(shafts.gear("g", "a pin", "b pin", ratio=-2.0)) == {"b pin": 1.0, "a pin": 2.0}
    assert factors(shafts.rack("r", "a pin", "slide", radius=0.02)) == {"slide": 1.0, "a pin": -0.02}
    assert factors(shafts.differential("d", "a pin", "b pin", "c pin")) == {"a pin": 1.0, "b pin": 1.0, "c pin": -2.0}
    cam = shafts.cam("k", "a pin", "slide", lambda angle: 0.01 * math.cos(angle))
    assert factors(cam) == {"slide": 1.0, "a pin": -1.0}
    assert cam.counted
    assert not shafts["g"].counted
    assert shafts["g"].about == "b pin and a pin"


def test_offsets_tie_positions(shafts: Model) -> None:
    gear = shafts.gear("g", "a pin", "b pin", ratio=-2.0, offset=0.3)
    rack = shafts.rack("r", "a pin", "slide", radius=0.02, offset=0.0)
    assert gear.counted
    assert gear.offset == 0.3
    assert rack.counted
    assert rack.offset == 0.0
    with pytest.raises(lw.ModelError, match="gear 'h': offset must be one finite number"):
        shafts.gear("h", "a pin", "c pin", ratio=1.0, offset="much")  # type: ignore[arg-type]


def test_turns_from_the_carrier(shafts: Model) -> None:
    """What does not hang on the carrier counts less its turn; what hangs there counts as it is."""
    sun = shafts.gear("sun mesh", "b pin", "p pin", ratio=-2.0, carrier="a pin")
    assert factors(sun) == {"p pin": 1.0, "b pin": 2.0, "a pin": -2.0}
    ring = shafts.gear("ring mesh", "p pin", "c pin", ratio=0.3, carrier="a pin")
    assert factors(ring) == {"c pin": 1.0, "p pin": -0.3, "a pin": -1.0}
    both = shafts.gear("both", "b pin", "c pin", ratio=0.4, carrier="a pin")
    assert factors(both) == pytest.approx({"c pin": 1.0, "b pin": -0.4, "a pin": -0.6})
    assert factors(shafts.gear("locked", "b pin", "c pin", ratio=1.0, carrier="a pin")) == {"c pin": 1.0, "b pin": -1.0}


@pytest.mark.parametrize("way", ["points", "curve", "function"])
def test_curves_repeat(shafts: Model, way: str) -> None:
    given = {
        "points": (ANGLES - 1.0, np.sin(3 * (ANGLES - 1.0))),
        "curve": lw.Curve([], [[0.25]]),
        "function": lambda angle: math.sin(3 * angle),
    }[way]
    curve = shafts.cam("k", "a pin", "slide", given).terms[1].curve
    x = np.linspace(-7.0, 7.0, 101)
    assert curve(x + TURN) == pytest.approx(curve(x), abs=1e-12)
    wanted = 0.25 + 0 * x if way == "curve" else np.sin(3 * x)
    assert curve(x) == pytest.approx(wanted, abs=1e-2 if way == "points" else 1e-11)
    if way == "function":
        assert curve(x, 1) == pytest.approx(3 * np.cos(3 * x), abs=1e-8)
        assert curve(x, 2) == pytest.approx(-9 * np.sin(3 * x), abs=1e-5)


def test_a_curve_that_does_not_repeat(shafts: Model) -> None:
    curve = shafts.cam("k", "a pin", "slide", (ANGLES, 0.1 * ANGLES), periodic=False).terms[1].curve
    assert curve(10.0) == pytest.approx(1.0)
    over_slide = shafts.cam("l", "slide", "b pin", ([0.0, 0.1, 0.2, 0.3], [0.0, 1.0, 2.0, 3.0])).terms[1].curve
    assert over_slide.period == 0.0
    assert over_slide(0.5) == pytest.approx(5.0)
    x = np.linspace(0.0, 2.0, 9)
    bow = shafts.cam("m", "a pin", "slide", (x, x**2), periodic=False).terms[1].curve  # straight beyond its ends
    assert bow(x) == pytest.approx(x**2)
    assert bow([2.0, 3.0, 4.0], 1) == pytest.approx(float(bow(2.0, 1)))


def test_refused_gears(shafts: Model, refused) -> None:
    a = shafts["a pin"]
    for wrong, word in ((0, "ratio is zero"), (math.nan, "finite"), ("2", "finite")):
        with refused("gear 'g'", word, "ratio="):
            shafts.gear("g", a, "b pin", ratio=wrong)  # type: ignore[arg-type]
    with refused("gear 'g'", "'a pin' turns and 'slide' slides", "model.rack()"):
        shafts.gear("g", a, "slide", ratio=2)
    with refused("gear 'g'", "'a pin' would follow itself", "two different joints"):
        shafts.gear("g", a, "a pin", ratio=2)
    with refused("gear 'g'", "ball joint 'ball' has 3 coordinates", "revolute, prismatic or screw"):
        shafts.gear("g", a, "ball", ratio=2)
    with refused("gear 'g'", "no 'b pinn'", "'b pin'"):
        shafts.gear("g", a, "b pinn", ratio=2)
    with refused("gear 'g'", "not a joint"):
        shafts.gear("g", "a", "b pin", ratio=2)
    with refused("gear 'g'", "unknown option teeth=", "ratio="):
        shafts.gear("g", a, "b pin", ratio=2, teeth=3)
    assert "g" not in shafts.drives


def test_refused_carriers(shafts: Model, refused) -> None:
    with refused("gear 'g'", "'b pin' would follow itself", "three different joints"):
        shafts.gear("g", "a pin", "b pin", ratio=2, carrier="b pin")
    with refused("gear 'g'", "'b pin' turns and 'slide' slides", "carrier="):
        shafts.gear("g", "b pin", "c pin", ratio=2, carrier="slide")
    with refused("gear 'g'", "both joints hang on 'a'", "remove carrier="):
        shafts.gear("g", "p pin", "q pin", ratio=2, carrier="a pin")
    with refused("gear 'g'", "'p pin' goes from 'a' to 'p'", "from the carrier 'b'"):
        shafts.gear("g", "p pin", "c pin", ratio=2, carrier="b pin")
    shafts.revolute("up", "ground", shafts.body("u", mass=1, inertia=(1, 1, 1)), at=(0, 0, 0), axis=(0, 0, -1))
    with refused("gear 'g'", "axes of 'up' and 'a pin' differ", "same axis="):
        shafts.gear("g", "up", "p pin", ratio=2, carrier="a pin")
    shafts.revolute("back", shafts.body("v", mass=1, inertia=(1, 1, 1)), "ground", at=(0, 0, 0), axis=(0, 0, 1))
    with refused("gear 'g'", "'back' goes from 'v' to the ground", "from the frame to the carrier"):
        shafts.gear("g", "b pin", "c pin", ratio=2, carrier="back")


def test_refused_racks_and_differentials(shafts: Model, refused) -> None:
    for pinion, rack in (("slide", "a pin"), ("a pin", "b pin")):
        with refused("rack 'r'", f"'{pinion}' is", f"'{rack}' is", "a revolute joint, then a prismatic one"):
            shafts.rack("r", pinion, rack, radius=0.1)
    with refused("rack 'r'", "radius is zero", "radius="):
        shafts.rack("r", "a pin", "slide", radius=0)
    with refused("differential 'd'", "'a pin' turns and 'slide' slides", "one kind"):
        shafts.differential("d", "a pin", "b pin", "slide")
    with refused("differential 'd'", "'a pin' would follow itself", "three different joints"):
        shafts.differential("d", "a pin", "a pin", "b pin")


def saw(angle: float) -> float:
    return abs(angle - math.pi)


BENT = lw.Curve([math.pi], [[0.0, 0.01], [0.01 * math.pi, -0.01]], [0.0, math.pi])
HUMP = lw.Curve([1, 2, 4, 5], [[0.0], [0, 0, 1], [1, 2, -1], [1, -2, 1], [0.0]], [0, 1, 2, 4, 5])  # of parabolas


@pytest.mark.parametrize(
    ("curve", "words"),
    [
        (BENT, ["a kink of -0.02 at 3.14159", "continuous second derivative"]),
        (lw.Curve([1.0], [[0.0], [0.5]]), ["a jump of 0.5 at 1"]),
        (HUMP, ["a jump of its second derivative of 2 at 1"]),
        (lw.Curve([], [[0.0, 0.01]]), ["jump of -0.06283 at 6.28319 (where a turn begins again)"]),
        (saw, ["function given as curve= has a kink or a jump near 0.00", "continuous second derivative"]),
        (lambda angle: float(1 < angle < 2), ["has a kink or a jump near", "continuous second derivative"]),
        (lambda angle: 0.01 * angle, ["ends at 0.0628319 after a turn but began at 0", "both ends"]),
        ((ANGLES, 0.01 * ANGLES), ["ends at 0.0628319 after a turn but began at 0", "periodic=False"]),
        ((np.degrees(ANGLES), np.sin(ANGLES)), ["spans 360 rad", "6.28319"]),
        ((ANGLES[::-1], ANGLES), ["four rising x"]),
        ([(0, 0), (1, 1), (2, 0)], ["pair (x, y)"]),
        (5.0, ["pair (x, y)", "lw.Curve", "function"]),
        (lambda angle, more: 0.0, ["function given as curve= fails", "one number"]),
        (lambda angle: (0.0, 1.0), ["function given as curve= fails", "one number"]),
        (lambda angle: math.inf, ["not finite"]),
        ((ANGLES, np.where(ANGLES > 1, math.nan, 0.0)), ["curve", "finite"]),
    ],
)
def test_refused_cams(shafts: Model, refused, curve, words) -> None:
    with refused("cam 'k'", *words):
        shafts.cam("k", "a pin", "slide", curve)
    assert "k" not in shafts.drives


def test_a_function_that_does_not_repeat_is_refused(shafts: Model, refused) -> None:
    for joint, follower, options in (("slide", "b pin", {}), ("a pin", "slide", {"periodic": False})):
        with refused("cam 'k'", "sampled over one turn and repeats", "points (x, y)", "lw.Curve"):
            shafts.cam("k", joint, follower, math.cos, **options)


def test_a_cam_does_not_lead_itself(shafts: Model, refused) -> None:
    with refused("cam 'k'", "'a pin' would follow itself"):
        shafts.cam("k", "a pin", "a pin", lambda angle: 0.0)


def test_refused_motors_on_several_coordinates(shafts: Model, refused) -> None:
    joint: Joint = shafts.universal(
        "cardan", "ground", shafts.body("w", mass=1, inertia=(1, 1, 1)), at=(0, 3, 0), axis=((1, 0, 0), (0, 1, 0))
    )
    with refused("motor 'm'", "universal joint 'cardan' has 2 coordinates", "coordinate=0 to 1"):
        shafts.motor("m", joint, velocity=1.0)
    with refused("motor 'm'", "coordinate=2 is none of joint 'cardan'", "0 to 1"):
        shafts.motor("m", joint, velocity=1.0, coordinate=2)
    with refused("motor 'm'", "ball joint 'ball' has 3 coordinates"):
        shafts.motor("m", "ball", velocity=1.0)

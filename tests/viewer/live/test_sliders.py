"""Sliders of inputs: units and ends."""

import linkwork as lw
from flywheel import flywheel
from linkwork.viewer.live.sliders import sliders


def test_sliders_know_units_and_ends():
    model = flywheel()
    arm = model.body("arm", mass=1.0, shape=lw.Box((0.4, 0.05, 0.05)), position=(1, 0, 0))
    hinge = model.revolute("hinge", model.ground, arm, at=(1, 0, 0), axis=(0, 1, 0), limits=(-0.5, 1.5))
    block = model.body("block", mass=1.0, shape=lw.Box((0.1, 0.1, 0.1)), position=(2, 0, 0))
    slide = model.prismatic("slide", model.ground, block, at=(2, 0, 0), axis=(1, 0, 0))
    model.motor("servo", hinge, position=0.0)
    model.motor("belt", slide, velocity=0.25)
    model.force("wind", arm, 3.0, axis=(1, 0, 0))
    made = {each["name"]: each for each in sliders(model, {"drive": 0, "servo": 0, "belt": 0.25, "wind": 3.0}, 0.8)}
    assert (made["servo"]["unit"], made["servo"]["low"], made["servo"]["high"]) == ("rad", -0.5, 1.5)
    assert (made["belt"]["unit"], made["belt"]["low"], made["belt"]["high"]) == ("m/s", -0.5, 0.5)
    assert (made["wind"]["unit"], made["wind"]["high"]) == ("N", 6.0)
    assert made["drive"]["unit"] == "N m"
    assert made["drive"]["high"] == 5.0  # a quarter of 39 N at 0.8 m is 7.8 N m
    (wider,) = sliders(flywheel(), {"drive": 0}, 0.3, {"M": {"drive": -30.0}})
    assert (wider["low"], wider["high"]) == (-30.0, 1.0)

"""Options and features: what is wrong or not supported is refused with its name and a way out."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import pendulum
from known_methods import EXPLICIT


def refusal(model: lw.Model | None = None, **options: Any) -> str:
    options.setdefault("until", 1.0)
    with pytest.raises(lw.OptionError) as caught:
        lw.simulate(model or pendulum(), **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"until": 0.0}, ("until", "0")),
        ({"until": -1.0}, ("until", "-1")),
        ({"until": math.nan}, ("until",)),
        ({"until": math.inf}, ("until",)),
        ({"until": "ten"}, ("until", "ten")),
        ({"dt": 0.0}, ("dt",)),
        ({"dt": -1e-3}, ("dt", "-0.001")),
        ({"dt": math.nan}, ("dt",)),
        ({"dt": True}, ("dt",)),
        ({"dt": 2.0}, ("dt", "until")),
        ({"dt": 1e-30}, ("dt",)),
        ({"every": 0}, ("every",)),
        ({"every": 1.5}, ("every", "1.5")),
        ({"every": -3}, ("every",)),
        ({"integrator": "rk5"}, ("rk5", "rk4", "adaptive")),
        ({"integrator": "semi implicit"}, ("semi-implicit",)),
        ({"rtol": 0.0}, ("rtol",)),
        ({"atol": -1.0}, ("atol",)),
        ({"rank_tolerance": 0}, ("rank_tolerance",)),
        ({"stabilize": "yes"}, ("stabilize",)),
        ({"method": "recusive"}, ("recusive", "recursive")),
        ({"method": 3}, ("3", "recursive")),
        ({"step": 1e-3}, ("step", "dt")),
        ({"penalty": 1e9, "method": "recursive"}, ("penalty", "recursive")),
        ({"progress": 3}, ("progress",)),
        ({"record": "nothing.*"}, ("nothing.*",)),
        ({"ignore": "gravity"}, ("gravity",)),
    ],
)
def test_wrong_options(options: dict[str, Any], words: tuple[str, ...]) -> None:
    message = refusal(**options)
    for word in words:
        assert word in message, message


def test_methods_by_name_class_and_object() -> None:
    runs = [
        lw.simulate(pendulum(position=1.0), until=0.1, **options)
        for options in (
            {"method": "recursive", "dt": 0.01, "integrator": "rk2"},
            {"method": lw.Recursive, "dt": 0.01, "integrator": "rk2"},
            {"method": lw.Recursive(dt=0.01, integrator="rk2")},
            {"method": lw.Recursive(dt=0.5, integrator="rk2"), "dt": 0.01},
            {"dt": 0.01, "integrator": "rk2"},
        )
    ]
    for run in runs[1:]:
        assert np.array_equal(run["pin.position"], runs[0]["pin.position"])
    assert runs[-1].certificate.reason  # chosen by linkwork: it says why
    assert runs[0].certificate.reason == ""


@pytest.mark.parametrize("method", EXPLICIT)
def test_every_method_says_what_it_supports(method: str) -> None:
    kind = EXPLICIT[method]
    assert {"loops", "redundant"} <= kind.supports
    assert set(kind.orders) >= {"semi-implicit", "rk2", "rk4", "abm4", "adaptive"}


FEATURES = {
    "friction": lambda m: m.revolute("pin", "ground", "bob", at=(0, 0, 0), axis=(0, 1, 0), friction=0.1),
    "limits": lambda m: m.revolute("pin", "ground", "bob", at=(0, 0, 0), axis=(0, 1, 0), limits=(-1, 1)),
    "motors": lambda m: m.motor(
        "drive", m.revolute("pin", "ground", "bob", at=(0, 0, 0), axis=(0, 1, 0)), velocity=1.0, max_torque=5.0
    ),
}


@pytest.mark.parametrize("feature", FEATURES)
def test_what_a_method_cannot_do_is_refused_or_ignored_on_request(feature: str) -> None:
    def build() -> lw.Model:
        model = lw.Model("asking")
        model.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(1, 0, 0))
        FEATURES[feature](model)
        return model

    if feature in lw.Recursive.supports:
        pytest.skip(f"recursive has {feature} now")
    message = refusal(build(), method="recursive", dt=0.01)
    culprit = "'drive'" if feature == "motors" else "'pin'"
    for word in (feature, culprit, "recursive", f"ignore={feature!r}"):
        assert word in message, message
    for ignore in (feature, [feature], ("limits", feature)):
        run = lw.simulate(build(), until=0.1, dt=0.01, method="recursive", ignore=ignore)
        assert run.certificate.ignored == [feature]
        assert feature in "\n".join(run.certificate.lines())
    plain = lw.Model("plain")
    plain.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(1, 0, 0))
    plain.revolute("pin", "ground", "bob", at=(0, 0, 0), axis=(0, 1, 0))
    assert np.array_equal(
        run["pin.position"], lw.simulate(plain, until=0.1, dt=0.01, method="recursive")["pin.position"]
    )
    # check tells, and does not refuse
    assert feature in lw.check(build()).features


@pytest.mark.parametrize("law", [{"velocity": 1.0}, {"position": 0.0, "softness": lw.Soft(stiffness=10.0)}])
def test_motors_that_every_method_has_can_be_left_out_as_well(law: dict[str, Any]) -> None:
    def pendulum_with(**motor: Any) -> lw.Model:
        model = lw.Model("asking")
        bob = model.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(1, 0, 0))
        pin = model.revolute("pin", "ground", bob, at=(0, 0, 0), axis=(0, 1, 0))
        if motor:
            model.motor("drive", pin, **motor)
        return model

    options: dict[str, Any] = {"until": 0.1, "dt": 0.01, "method": "recursive"}
    with_it = lw.simulate(pendulum_with(**law), **options)
    without = lw.simulate(pendulum_with(**law), ignore="motors", **options)
    plain = lw.simulate(pendulum_with(), **options)
    assert np.array_equal(without["pin.position"], plain["pin.position"])
    assert without.certificate.ignored == ["motors"]
    assert with_it.certificate.ignored == []
    assert np.abs(with_it["pin.position"] - plain["pin.position"]).max() > 1e-4


def test_steps_by_hand_check_their_number() -> None:
    sim = lw.Simulation(pendulum(), dt=1e-3)
    for steps in (0, -1, 1.5, "ten", True):
        with pytest.raises(lw.OptionError, match="steps"):
            sim.step(steps)
    assert sim.steps == 0
    assert sim.time == 0.0
    sim.step()
    assert sim.steps == 1

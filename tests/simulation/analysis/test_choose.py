"""`method="auto"`: by features, stiffness, loops and step, with its reason."""

from __future__ import annotations

import pytest

import linkwork as lw
from known_mechanisms import four_bar, pendulum
from linkwork.simulation.methods import resolve


def chosen(model: lw.Model, **options: object) -> tuple[str, str]:
    system = lw.assemble(model)
    method, reason = resolve("auto", options, system, system.features)
    return method.name, reason


def sprung(stiffness: float, damping: float = 0.0) -> lw.Model:
    model = lw.Model("sprung")
    for name, x in (("a", 0.0), ("b", 1.0)):
        model.body(name, mass=2.0, shape=lw.Sphere(0.1), position=(x, 0, 0))
    model.spring("cord", "a", "b", stiffness=stiffness, damping=damping, length=1.0)
    return model


def test_nothing_special_is_recursive() -> None:
    assert chosen(pendulum()) == ("recursive", "recursive: nothing here is stiff for its steps")
    assert chosen(four_bar(), dt=1e-3)[0] == "recursive"


@pytest.mark.parametrize(
    ("model", "name"),
    [
        # two masses of 2 kg: 1 kg in series; 2 rad in a step of 1 ms are 4e6 N/m
        (sprung(3.9e6), "recursive"),
        (sprung(4.1e6), "hybrid"),
        (sprung(1.0, damping=1.9e3), "recursive"),
        (sprung(1.0, damping=2.1e3), "hybrid"),
    ],
)
def test_stiff_springs_and_dampers(model: lw.Model, name: str) -> None:
    found, reason = chosen(model)
    assert found == name
    if name == "hybrid":
        assert reason == "hybrid: spring 'cord' is too stiff for explicit steps of 0.001 s"


def test_smaller_steps_make_it_explicit_again() -> None:
    assert chosen(sprung(4.1e6), dt=1e-4)[0] == "recursive"


def test_torsion_springs_and_joints() -> None:
    model = pendulum()
    model.torsion_spring("coil", "pin", stiffness=1e9)
    assert chosen(model)[1].startswith("hybrid: torsion spring 'coil'")
    assert chosen(pendulum(damping=1e6))[1].startswith("hybrid: joint 'pin'")


def test_loops_with_large_steps() -> None:
    assert chosen(four_bar(), dt=0.02) == ("hybrid", "hybrid: loops with steps of 0.02 s")
    assert chosen(four_bar(), dt=0.01)[0] == "recursive"
    assert chosen(pendulum(), dt=0.02)[0] == "recursive"


@pytest.mark.parametrize("piece", lw.gallery.names())
def test_the_gallery_is_not_called_stiff(piece: str) -> None:
    """Each piece with the step that its file gives."""
    exhibit = lw.gallery.piece(piece)
    expected = "impulse" if exhibit.METHOD["method"] in ("impulse", "maximal") else "recursive"
    assert chosen(exhibit.build(), dt=exhibit.METHOD["dt"])[0] == expected


def test_an_option_of_the_user_decides() -> None:
    assert chosen(four_bar(), dt=0.01, integrator="rk4") == ("recursive", "recursive: it has the option integrator")


def test_the_reason_is_in_the_certificate() -> None:
    run = lw.simulate(sprung(4.1e6), until=0.01)
    assert run.certificate.method == "hybrid"
    assert "too stiff" in run.certificate.reason

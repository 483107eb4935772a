"""Shapes that are only drawn."""

import pickle

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import ModelError


def lamp(**options: object) -> lw.Model:
    model = lw.Model("lamp")
    model.body("head", mass=1.0, inertia=0)
    model.visual("bulb", "head", lw.Sphere(0.05), **options)  # type: ignore[arg-type]
    return model


@pytest.mark.parametrize(
    ("given", "colour"),
    [
        (None, None),
        ("#ff8000", (1.0, 128 / 255, 0.0, 1.0)),
        ("#FF800000", (1.0, 128 / 255, 0.0, 0.0)),
        ((0.1, 0.2, 0.3), (0.1, 0.2, 0.3, 1.0)),
        (np.array([0, 1, 0, 0.5]), (0.0, 1.0, 0.0, 0.5)),
    ],
)
def test_colours(given: object, colour: object) -> None:
    assert lamp(colour=given)["bulb"].colour == colour


@pytest.mark.parametrize("given", ["red", "#12345", "#12345g", (0.1, 0.2), (0, 0, 2), (0, 0, -0.1), (1, 1, 1, 1, 1), 3])
def test_what_is_no_colour(given: object) -> None:
    with pytest.raises(ModelError, match=r"visual 'bulb': colour .*(give|correct)"):
        lamp(colour=given)


def test_it_is_a_part_and_nothing_of_the_mechanics() -> None:
    model = lamp(colour="#ff0000")
    visual = model["bulb"]
    assert isinstance(visual, lw.Visual)
    assert list(model.all_visuals()) == [visual] == list(model.visuals.values())
    assert repr(visual) == "<visual 'bulb'>"
    assert "visual  bulb  Sphere on head" in model.outline()
    assert not list(model.all_colliders())
    assert model["head"].mass == 1.0


def test_models_with_other_visuals_differ() -> None:
    assert lamp() == lamp()
    assert lamp() != lamp(colour="#ff0000")
    assert pickle.loads(pickle.dumps(lamp(colour="#ff0000"))) == lamp(colour="#ff0000")


def test_on_a_ground_and_in_a_subsystem() -> None:
    class Post(lw.Subsystem):
        def build(self) -> None:
            self.visual("pole", "ground", lw.Cylinder(0.1, 2.0))

    model = lw.Model("street")
    model.add("left", Post())
    assert [visual.path for visual in model.all_visuals()] == ["left.pole"]


def test_what_is_refused() -> None:
    model = lamp()
    with pytest.raises(ModelError, match="visual 'bulb': the name is taken"):
        model.visual("bulb", "head", lw.Sphere(1.0))
    with pytest.raises(ModelError, match="visual 'b': there is no 'hat'"):
        model.visual("b", "hat", lw.Sphere(1.0))
    with pytest.raises(ModelError, match="visual 'b': 'ball' cannot be drawn"):
        model.visual("b", "head", "ball")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="visual 'b': unknown option color=; did you mean 'colour'"):
        model.visual("b", "head", lw.Sphere(1.0), color="#ffffff")  # type: ignore[call-arg]

"""What the tests of the model room share."""

import pytest

from linkwork.model import Body, Joint, Model


@pytest.fixture
def model() -> Model:
    return Model("test")


@pytest.fixture
def rod(model: Model) -> Body:
    return model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), com=(0, 0, -0.5))


@pytest.fixture
def pin(model: Model, rod: Body) -> Joint:
    return model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0))
